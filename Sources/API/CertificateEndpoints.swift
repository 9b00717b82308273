import Association
import HTTP
import JSONValue

/// `/tls/ask?domain=`: whether a proxy may have a certificate issued for a name. Caddy asks so before
/// it does (caddyserver.com/docs/automatic-https#on-demand-tls): 200 is yes, all else is no.
enum CertificateEndpoints {
  private static let path = "/tls/ask"

  /// The name that a request asks for; `nil` for what is no name, and for any other request.
  static func domain(askedForBy head: RequestHead) -> DomainName? {
    guard head.target.path == path else { return nil }
    let text = head.target.queryItems.first { $0.name == QueryParameter.domain.rawValue }?.value
    do throws(ValidationError) {
      return try text.map { text throws(ValidationError) in try DomainName(text) }
    } catch {
      return nil
    }
  }

  static func all(serves: @escaping @Sendable (DomainName) -> Bool) -> [Endpoint] {
    [
      Endpoint(.get, path, .anybody, query: [.domain]) { call in
        let name = try DomainName(inPath: call.query(.domain) ?? "")
        if serves(name) { return .json(.ok, ["status": "served"]) }
        throw Problem(.notFound, "not-served", "No association file is served for “\(name)”.")
      }
    ]
  }
}
