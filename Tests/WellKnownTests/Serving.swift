import Association
import HTTP
import TestSupport
import Testing

/// A public listener on a port of its own, with documents for a few names.
struct Serving {
  static let path = "/.well-known/apple-app-site-association"
  static let digest = String(repeating: "0123456789abcdef", count: 4)
  static let otherDigest = String(repeating: "fedcba9876543210", count: 4)
  static let published: UnixTime = 784_111_777
  static let publishedText = "Sun, 06 Nov 1994 08:49:37 GMT"

  let hosts = HostTable()
  let listener: PublicListener

  init(
    _ bodies: [String: String] = ["example.com": #"{"applinks":{}}"#], daemons: Int = 1,
    limits: Limits = PublicListener.defaultLimits, settings: PublicSettings = PublicSettings(),
    log: (@Sendable (PublicAccess) -> Void)? = nil
  ) throws {
    hosts.replaceAll(try bodies.map { try Self.document([$0.key], $0.value) })
    listener = try PublicListener(
      on: SocketAddress(host: "127.0.0.1", port: 0), serving: hosts, daemons: daemons,
      limits: limits, settings: settings, log: log)
  }

  static func document(
    _ names: [String], _ body: String, digest: String = digest, publishedAt: UnixTime = published,
    domain: Int64 = 1, revision: Int = 1
  ) throws -> ServedDocument {
    ServedDocument(
      names: try names.map { try Alias($0) }, content: Content(Array(body.utf8)),
      digest: try #require(DocumentDigest(hexadecimal: digest)), publishedAt: publishedAt,
      cacheSeconds: 3600, domain: domain, revision: revision)
  }

  func connect(client: UInt8 = 1, seconds: Double = 10) throws -> RawConnection {
    try RawConnection(port: listener.port, client: client, seconds: seconds, to: listener)
  }

  /// The answer to one request on a connection of its own.
  func answer(
    _ method: String = "GET", _ target: String = path, host: String? = "example.com",
    version: String = "HTTP/1.1", _ lines: String...
  ) throws -> RawResponse {
    let fields = (host.map { ["Host: \($0)"] } ?? []) + lines
    return try connect().exchange(
      "\(method) \(target) \(version)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  /// The code in an error's body.
  static func code(_ response: RawResponse) -> String? {
    let parts = response.text.split(separator: "\"")
    return parts.count > 3 && parts[1] == "code" ? String(parts[3]) : nil
  }
}
