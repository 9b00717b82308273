import Association
import TestSupport

/// The files that the tests publish, and what a server on its own says of them.
struct ServedFile {
  static let paths = ["/.well-known/apple-app-site-association", "/apple-app-site-association"]
  /// The paths of the files that only small.example has besides.
  static let otherPaths = [
    "/.well-known/assetlinks.json", "/.well-known/webauthn", "/.well-known/passkey-endpoints",
  ]
  /// Hosts with files: a small one, one near the limit of 128 KB, one below a wildcard.
  static let hosts = ["small.example", "large.example", "a.b.wild.example"]
  /// A name that the certificate has and no file.
  static let unknownHost = "unknown.example"

  /// A server that has the files.
  static func server(
    database: String, arguments: [String] = []
  ) throws -> RunningServer {
    let server = try RunningServer(database: database, arguments: arguments)
    let client = try server.client()
    for (domain, file) in [
      ("small.example", AssociationFile.routes(["/small/*"])),
      ("large.example", AssociationFile.large("/large/*", bytes: 120_000)),
      ("wild.example", AssociationFile.routes(["/wild/*"])),
    ] {
      let answer = try client.send("PUT", "/v1/domains/\(domain)/file", json: file)
      guard answer.status == 201 else { throw ProxyFailure(errors: answer.text) }
    }
    let link: JSON = [
      "relation": ["delegate_permission/common.handle_all_urls"],
      "target": ["namespace": "web", "site": "https://example.org"],
    ]
    for (method, path, body) in [
      ("PATCH", "wild.example", ["aliases": ["*.wild.example"]]),
      ("PUT", "small.example/documents/assetlinks.json", [link]),
      (
        "PATCH", "small.example",
        ["webauthnOrigins": ["https://example.org"], "passkeyEndpoints": [:]]
      ),
    ] as [(String, String, JSON)] {
      let answer = try client.send(method, "/v1/domains/\(path)", json: body)
      guard answer.status == 200 else { throw ProxyFailure(errors: answer.text) }
    }
    return server
  }

  /// What a server on its own answers.
  static func direct(
    _ server: RunningServer, _ method: String, _ host: String, _ path: String, _ line: String? = nil
  ) throws -> RawResponse {
    try Client(port: server.publicPort, lines: ["Host: \(host)"] + (line.map { [$0] } ?? [])).send(
      method, path)
  }
}

extension RawResponse {
  /// The fields by names in lower case, but for those of one connection (RFC 9110 section 7.6.1) and
  /// the date.
  var endToEndFields: [String: [String]] {
    Dictionary(grouping: fields, by: { $0.name.lowercased() }).mapValues { $0.map(\.value) }
      .withoutHopByHop
  }
}

extension ProxyClient.Answer {
  /// The same, without what the proxy adds for itself.
  func endToEndFields(through kind: ProxyKind) -> [String: [String]] {
    fields.withoutHopByHop.filter { !kind.addedFields.contains($0.key) }
  }
}

extension [String: [String]] {
  fileprivate var withoutHopByHop: Self {
    filter { !["connection", "keep-alive", "transfer-encoding", "date"].contains($0.key) }
  }
}
