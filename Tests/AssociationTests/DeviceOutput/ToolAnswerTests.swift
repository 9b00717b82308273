import Association
import Testing

/// What tools, services and devices say where they do not give the answer that was asked for.
@Suite struct ToolAnswerTests {
  private static let path = "/.well-known/apple-app-site-association"

  private func verdict(_ text: String) -> DeviceVerdict? {
    let output = DeviceOutput(text)
    return output.rows.first.map { DeviceVerdict($0, of: output.kind) }
  }

  // MARK: Sites

  @Test func whatCurlSaysOfTheConnectionIsNoCommand() {
    let text = """
      $ curl -v https://a.example\(Self.path)
      * Connected to a.example (203.0.113.5) port 443
      * ALPN: curl offers h2,http/1.1
      * SSL certificate problem: unable to get local issuer certificate
      curl: (60) SSL certificate problem: unable to get local issuer certificate
      """
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - certificate-refused"])
  }

  @Test(arguments: [
    (
      "$ openssl s_client -connect a.example:443 -servername a.example\nCONNECTED(00000003)\n"
        + "Verify return code: 21 (unable to verify the first certificate)\n",
      "unable to verify the first certificate"
    ),
    (
      "$ wget https://a.example\(path)\nERROR: cannot verify a.example's certificate, issued by 'CN=R3':\n",
      "issued by"
    ),
    (
      "SSLError: HTTPSConnectionPool(host='a.example', port=443): Max retries exceeded with url: \(path) (Caused by "
        + "SSLError('certificate verify failed: certificate has expired'))", "certificate verify"
    ),
    (
      "Get \"https://a.example\(path)\": tls: failed to verify certificate: x509: certificate is valid for b.example",
      "x509"
    ),
    ("GET https://a.example\(path) net::ERR_CERT_COMMON_NAME_INVALID", "COMMON_NAME"),
    ("fetch https://a.example\(path): unable to verify the first certificate", "unable to verify"),
  ])
  func aProgramThatDoesNotTrustTheSiteSaysWhy(text: String, words: String) throws {
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - certificate-refused"])
    let message = try #require(verdict(text)).message
    #expect(message.contains(words))
    // Its machine may trust less than devices do.
    #expect(message.contains("that machine"))
  }

  @Test(arguments: [
    "$ openssl s_client -connect a.example:443\nVerify return code: 0 (ok)\n",
    "Verify return code: 21 (unable to verify the first certificate)\n",
    "Error: certificate has expired", "https://a.example/app: certificate has expired",
    "I cannot verify https://a.example\(path) with this tool.",
    "Get \"https://digitalassetlinks.googleapis.com/v1/.well-known/assetlinks.json\": x509: certificate has expired",
  ])
  func aCertificateOfAnotherSiteOrATrustedOneIsNotTheFiles(text: String) {
    #expect(DeviceOutput(text).kind == .unknown)
  }

  @Test(arguments: [
    (
      "$ curl -i https://a.example\(path)\nHTTP/2 200\ncontent-type: application/json\ncontent-length: 0\n",
      "unusable-file"
    ),
    // With HEAD, the length may be anything.
    (
      "$ curl -I https://a.example\(path)\nHTTP/2 200\ncontent-type: application/json\ncontent-length: 0\n",
      "cdn-has-file"
    ),
    (
      "$ curl -sI http://a.example\(path)\nHTTP/1.1 301\nLocation: https://a.example\(path)\n",
      "incomplete"
    ),
  ])
  func aShortAnswerIsReadByItsRequest(text: String, code: String) {
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - \(code)"])
  }

  private static let list =
    "[{\"relation\": [], \"target\": {\"sha256_cert_fingerprints\": []}}]\n"

  @Test(arguments: [
    ("/assetlinks.json", "assetlinks.json"), ("/.well-known/assetLinks.json", "assetlinks.json"),
    ("/app/.well-known/assetlinks.json", "assetlinks.json"),
    ("/.well-known/apple-app-site-association.json", "apple-app-site-association"),
    ("/uploads/Apple-App-Site-Association?v=2", "apple-app-site-association"),
    ("/.well-known/apple-app-site-association/", "apple-app-site-association"),
    ("/.well-known/assetlinks", "assetlinks.json"),
  ])
  func anAnswerFromWhereDevicesDoNotAskSaysWhereTheyDo(path: String, file: String) throws {
    for answer in ["HTTP/2 200\ncontent-type: application/json\n\n\(Self.list)", "HTTP/2 404\n"] {
      let text = "$ curl -i 'https://a.example\(path)'\n\(answer)"
      #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - incomplete"])
      let message = try #require(verdict(text)).message
      #expect(message.contains("`/.well-known/\(file)`") && message.contains(path), "\(message)")
      // What the site answers to devices says more.
      let both = text + "\n$ curl -I https://a.example\(Self.path)\nHTTP/2 403\n"
      #expect(DeviceOutput.explained(both) == ["cdn-headers a.example - unusable-file"])
    }
  }

  @Test(arguments: [
    "$ curl https://a.example/check?url=https://a.example/assetLinks.json\nHTTP/2 404\n",
    "$ curl -i https://a.example/docs/assetlinks.json.html\nHTTP/2 404\n",
    "https://github.com/a/b/blob/main/assetlinks.json\n\(list)",
    "$ curl -i https://api.a.example/v1/assetlinks\nHTTP/2 401\n",
    "$ curl -I https://web.archive.org/web/2020/https://a.example\(path)\nHTTP/2 404\n",
    "$ curl -i https://raw.githubusercontent.com/a/b/main/assetlinks.json\nHTTP/2 404\n",
  ])
  func anAddressOfSomethingElseIsNoPlaceForTheFile(text: String) {
    #expect(DeviceOutput(text).kind == .unknown)
  }

  @Test(arguments: [
    ("$ curl -I https://a.example\(path) https://a.example/assetlinks.json\nHTTP/2 403\n", "403"),
    (
      "$ curl -i https://a.example\(path) -e https://b.example/x/assetlinks.json\nHTTP/2 403\n",
      "403"
    ),
    (
      "$ curl https://a.example/assetlinks.json\ncurl: (6) Could not resolve host: a.example\n",
      "(6) Could not resolve host: a.example"
    ),
    (
      "$ curl https://a.example\(path)\ncurl: (6) Could not resolve host: a.example\n\(misplaced)",
      "(6) Could not resolve host: a.example"
    ),
    (
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] \"GET \(path) HTTP/1.1\" 404 12 \"-\" \"AASA-Bot/1.0\"\n"
        + misplaced, "404"
    ),
  ])
  func anAnswerFromWhereDevicesAskCountsBeforeThatOfAnotherAddress(text: String, error: String) {
    #expect(DeviceOutput(text).rows.map(\.error) == [error])
  }

  private static let misplaced = "$ curl -I https://a.example/assetLinks.json\nHTTP/2 404\n"

  @Test(arguments: ["", ":"])
  func theNameOfAHeaderMayStandInTheLineAboveItsValue(colon: String) throws {
    let request =
      "Request URL\(colon)\nhttps://a.example\(Self.path)\nRequest Method\(colon)\nGET\nStatus Code\(colon)\n"
    let page = "\(request)200 OK\nContent-Type\(colon)\ntext/html; charset=utf-8\nserver\(colon)\nx"
    #expect(try #require(verdict(page)).message.contains("a page in place of the file"))
    let other = "\(request)200 OK\ncontent-type\(colon)\nserver: x"
    #expect(verdict(other)?.message.contains("server") != true)
    let redirect = "\(request)301 Moved Permanently\nlocation\(colon)\nhttps://www.a.example/"
    #expect(try #require(verdict(redirect)).message.contains("\"https://www.a.example/\""))
    let elsewhere = request.replacing("/.well-known/", with: "/x/") + "200 OK\n"
    #expect(DeviceOutput.explained(elsewhere) == ["cdn-headers a.example - incomplete"])
  }

  @Test(arguments: [
    ("200 text/html; charset=UTF-8", ["cdn-headers a.example - unusable-file"]),
    ("404 text/html", ["cdn-headers a.example - unusable-file"]),
    ("200 application/json", ["cdn-headers a.example - cdn-has-file"]), ("582 bytes", []),
    ("200 is what I get", []),
  ])
  func curlMayPrintTheTypeBehindTheStatus(line: String, rows: [String]) {
    let command = "$ curl -so f -w '%{http_code} %{content_type}' https://a.example\(Self.path)\n"
    #expect(DeviceOutput.explained(command + line) == rows)
  }

  @Test(arguments: [
    ("200 https://a.example\(path)", []), ("404 https://a.example\(path)", ["404"]),
  ])
  func whatElseCurlPrintsBehindTheStatusIsNoType(line: String, errors: [String]) {
    let command = "$ curl -so f -w '%{http_code} %{url_effective}' https://a.example\(Self.path)\n"
    #expect(DeviceOutput(command + line).rows.map(\.error) == errors)
  }

  @Test(arguments: ["", "$ curl https://a.example/.well-known/assetlinks.json\n"])
  func theStatusWithWhichSpringRefusesThePathOfAFileIsRead(command: String) {
    let json =
      "\(command){\"timestamp\":\"2026-03-01T10:00:00Z\",\"status\":401,\"error\":\"Unauthorized\",\"path\":\"PATH\"}"
    let refused = DeviceOutput(json.replacing("PATH", with: "/.well-known/assetlinks.json"))
    #expect(refused.rows.map(\.error) == ["401"])
    #expect(DeviceOutput(json.replacing("PATH", with: "/login")).kind == .unknown)
  }

  @Test(arguments: ["Just a moment...", "Attention Required! | Cloudflare"])
  func aPageOfCloudflareIsAChallengeByItsTitle(title: String) throws {
    let text =
      "$ curl https://a.example\(Self.path)\n<!DOCTYPE html><html><head><title>\(title)</title>\n"
    #expect(DeviceOutput.explained(text) == ["cdn-headers a.example - unusable-file"])
    #expect(try #require(verdict(text)).message.contains("challenge"))
  }

  @Test func whatApplesCDNAddsToAnUnknownCodeIsShown() throws {
    let text = """
      Apple-Failure-Reason: SWCERR09999 Something else
      Apple-Failure-Details: {"cause":"no such host"}
      Apple-From: https://a.example\(Self.path)
      """
    #expect(try #require(verdict(text)).message.contains("no such host"))
  }

  // MARK: Google's service

  @Test(arguments: [
    ("INVALID_ARGUMENT", "request-failed", "did not understand"),
    ("RESOURCE_EXHAUSTED", "incomplete", "no more questions"),
    ("PERMISSION_DENIED", "incomplete", "without a key"), ("INTERNAL", "incomplete", "failed"),
  ])
  func googlesServiceMayRefuseTheQuestion(status: String, code: String, words: String) throws {
    let answer = "{\"error\": {\"code\": 400, \"message\": \"m\", \"status\": \"\(status)\"}}"
    let url =
      "https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://a.example&relation=x"
    let text = "$ curl '\(url)'\n\(answer)"
    #expect(DeviceOutput.explained(text) == ["digital-asset-links a.example - \(code)"])
    #expect(try #require(verdict(text)).message.contains(words))
    // Other services of Google answer like this, too.
    #expect(DeviceOutput(answer).kind == .unknown)
  }

  @Test func aKeyThatIsNotValidIsNoMistakeInTheQuestion() throws {
    let answer = """
      {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}
      """
    let url =
      "https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://a.example"
    let text = "$ curl '\(url)'\n\(answer)"
    #expect(DeviceOutput.explained(text) == ["digital-asset-links a.example - incomplete"])
    #expect(try #require(verdict(text)).message.contains("without a key"))
  }

  // MARK: Devices

  @Test func anOlderDeviceDoesNotHaveTheCommand() throws {
    let text = "$ adb shell pm get-app-links com.example.app\nUnknown command: get-app-links\n"
    #expect(DeviceOutput.explained(text) == ["get-app-links - - incomplete"])
    #expect(try #require(verdict(text)).nextStep.contains("domain-preferred-apps"))
    #expect(
      DeviceOutput.explained("Unknown command: get-app-link-owners") == [
        "get-app-links - - incomplete"
      ])
    #expect(DeviceOutput("Unknown command: get-links").kind == .unknown)
  }

  @Test func aSentenceOfTheVerifierWithoutItsEndSaysNothing() {
    let text =
      "I SingleHostAsyncVerifier: Verification result: checking for a statement with source a <"
    #expect(DeviceOutput.explained(text) == ["verifier-log - - incomplete"])
  }

  @Test(arguments: [
    "net::ERR_UNKNOWN_URL_SCHEME at intent://a.example/x#Intent;scheme=https;end",
    "Failed to launch 'myapp://x' because the scheme does not have a registered handler.",
  ])
  func aSchemeThatNoAppHasIsNoMatterOfTheSite(text: String) throws {
    #expect(DeviceOutput.explained(text) == ["developer-tools - - no-activity"])
    let message = try #require(verdict(text)).message
    #expect(message.contains("scheme"))
    // A web view says so whether the app is installed or not.
    #expect(!message.contains("knows no app"))
  }

  @Test func aListOfHostsWithoutOneIsCut() throws {
    let app = """
        com.example.app:
          ID: 01234567-89ab-cdef-0123-456789abcdef
          Signatures: [***]
          Domain verification state:
          User 0:
            Verification link handling allowed: true
      """
    #expect(
      DeviceOutput.explained(app) == ["get-app-links - com.example.app incomplete"])
    // Of a list of all apps, those without links say nothing.
    #expect(
      DeviceOutput(app + "\n" + app.replacing(".app:", with: ".two:")).rows.isEmpty)
  }

  @Test(arguments: [
    (
      "The operation couldn’t be completed. (com.apple.AuthenticationServices.WebAuthenticationSession error 1.)",
      "closed"
    ),
    (
      "Error Domain=com.apple.AuthenticationServices.WebAuthenticationSession Code=2 \"Cannot start\"",
      "no window"
    ),
  ])
  func aSessionOfASignInSaysByItsCodeHowItEnded(text: String, words: String) throws {
    #expect(DeviceOutput.explained(text) == ["asauthorization - - request-failed"])
    #expect(try #require(verdict(text)).message.contains(words))
    #expect(DeviceOutput("import AuthenticationServices.WebAuthenticationSession").kind == .unknown)
  }
}
