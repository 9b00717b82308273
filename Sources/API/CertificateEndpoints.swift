import Association
import HTTP
import JSONValue

/// `/tls/ask?domain=`: whether a proxy may have a certificate issued for a name. Caddy asks so before
/// it does (caddyserver.com/docs/automatic-https#on-demand-tls): 200 is yes, all else is no.
enum CertificateEndpoints {
  static func all(serves: @escaping @Sendable (DomainName) -> Bool) -> [Endpoint] {
    [
      Endpoint(.get, "/tls/ask", .anybody, query: [.domain]) { call in
        let name = try DomainName(inPath: call.query(.domain) ?? "")
        if serves(name) { return .json(.ok, ["status": "served"]) }
        throw Problem(.notFound, "not-served", "No association file is served for “\(name)”.")
      }
    ]
  }
}
