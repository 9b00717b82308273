import Association
import Testing

/// What other programs say in similar words gets no answer, and hides none.
@Suite struct SimilarWordsTests {
  private static let path = "/.well-known/apple-app-site-association"
  private static let unknown = "Unknown command: get-app-links\n"
  private static let google = "https://digitalassetlinks.googleapis.com/v1/statements:list"

  @Test(arguments: [
    // Other programs than `swcd`.
    "celery: value exceeded maximum length for task 44",
    "Failed to verify server trust\nchallenge for task AASA-01234567 { domain: a.example, route: cdn }",
    "curl: domain example.com is invalid. Will not attempt a download",
    "Validator: Domain example.com is invalid. Will not attempt a download.",
    "Error securing JSON file for backup: the domain is locked",
    // Commands of Android 11 and lower, which later devices do not have.
    "Unknown command: get-app-link\n", "Unknown command: set-app-link\n",
    "Unknown command: get-app-linksx\n",
    // Certificates of other sites.
    "Fetched https://a.example\(path) fine (200).\nhttps://t.example said: certificate has expired",
    "Fetched https://a.example\(path) fine, but https://t.example said: certificate has expired",
    "npm http fetch GET 200 https://a.example\(path)\nnpm ERR! code CERT_HAS_EXPIRED\nnpm ERR! certificate has expired",
    "[error] 9#9: *1 upstream SSL certificate verify error: (21:unable to verify the first certificate) while SSL handshaking "
      + "to upstream, client: 192.0.2.1, server: a.example, upstream: \"https://10.0.0.1\(path)\", host: \"a.example\"",
    "GET https://a.example\(path)\njavax.net.ssl.SSLHandshakeException: pay.internal: PKIX path building failed",
    "$ openssl s_client -connect mail.example.com:25 -starttls smtp\nVerify return code: 10 (certificate has expired)\n",
    "$ openssl s_client -connect ldap.example.com:636\nVerify return code: 19 (self-signed certificate)\n",
    "$ openssl s_client -connect a.example:443 -CAfile x.pem\nVerify return code: 20 (unable to get local issuer "
      + "certificate)\n$ openssl s_client -connect a.example:443\nVerify return code: 0 (ok)\n",
    "Get \"https://a.example:8443\(path)\": tls: failed to verify certificate: x509: certificate has expired",
    // Services of which one is named.
    "We use \(google) and our own API, which says {\"status\": \"UNAVAILABLE\"}.",
    "\(google) says {\"error\": {}} and ours {\"status\": \"UNAVAILABLE\"}",
    // Programs, and what is on the stack.
    "throw DomainNotAssociatedException()", "FedCM Flow has timed out.",
    "Thread 5: AuthenticationServices.WebAuthenticationSession\n3 libsystem_pthread.dylib",
    "Entitlement com.example.x not found and could not be included in profile. The app has "
      + "com.apple.developer.associated-domains.",
    "$ swcutil dl -d a.example worked. My app's upload says \"The request timed out\".",
    "$ swcutil dl -d a.example worked.\nThe request timed out in my app's upload.",
    "$ swcutil dl -d a.example\n$ upload\nThe request timed out.",
  ])
  func nothingIsSaid(text: String) {
    #expect(DeviceOutput(text).rows.isEmpty, "\(DeviceOutput.explained(text))")
  }

  @Test(arguments: [
    (
      unknown + "App verification status:\n\n  Package: com.example.app\n  Domains: a.example\n"
        + "  Status:  always : 200000002\n", "fine-here"
    ),
    (
      unknown
        + "I SingleHostAsyncVerifier: Verification result: checking for a statement with source a <\n"
        + "  a: \"https://a.example\"\n>, relation delegate_permission/common.handle_all_urls, and target b <\n"
        + "  a: \"com.example.app\"\n> --> false.\n", "verification-failed"
    ),
    (
      "celery: value exceeded maximum length for task 44\nError Domain=com.apple.AuthenticationServices.AuthorizationError "
        + "Code=1004 \"Application with identifier ABCDE12345.com.example.app is not associated with domain a.example\"",
      "not-associated"
    ),
    (
      "* $ curl https://a.example\(path)\n<!DOCTYPE html>\n<title>404 Not Found</title>\n",
      "unusable-file"
    ),
    ("* $ curl https://a.example\(path)\n<html><title>404 Not Found</title>\n", "unusable-file"),
  ])
  func otherEvidenceCounts(text: String, code: String) {
    let codes = DeviceOutput.explained(text).map { $0.split(separator: " ").last.map(String.init) }
    #expect(codes == [code])
  }

  @Test(arguments: [
    "$ wget --spider https://a.example\(path)\nHTTP request sent, awaiting response... 200 OK\n",
    "$ curl -i -X HEAD https://a.example\(path)\nHTTP/2 200\n",
    "$ curl -i -XOPTIONS https://a.example\(path)\nHTTP/2 200\n",
    "$ curl -i --request=OPTIONS https://a.example\(path)\nHTTP/2 200\n",
    "Request URL: https://a.example\(path)\nRequest Method: HEAD\nStatus Code: 200 OK\n",
    "Request URL:\nhttps://a.example\(path)\nRequest Method:\nOPTIONS\nStatus Code:\n200 OK\n",
  ])
  func aRequestForTheHeaderHasNoBody(request: String) {
    let text = request + "content-type: application/json\ncontent-length: 0\n"
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - cdn-has-file"])
  }
}
