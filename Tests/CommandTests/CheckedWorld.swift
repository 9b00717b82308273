import Association
import TestSupport
import Testing

/// A server whose checks see stand-ins for the world outside. Every site passes its requests on to the server
/// until a test says otherwise.
struct CheckedWorld {
  static let needs = SystemProgram.need("python3", "openssl")
  static let path = "/.well-known/apple-app-site-association"
  static let page: JSON = ["fields": ["Content-Type": "text/html"], "body": "<html></html>"]

  let scratch: TemporaryDirectory
  let outside: StandIns
  let server: RunningServer
  let client: Client

  init(settings: [String: String] = [:]) throws {
    scratch = try TemporaryDirectory()
    outside = try StandIns()
    server = try RunningServer(
      database: scratch.path("aasa.db"), environment: outside.settings.merging(settings) { $1 })
    client = try server.client()
    try outside.site("*", ["upstream": .integer(server.publicPort)])
  }

  func publish(_ domain: String, _ paths: [String] = ["/a/*"]) throws {
    let answer = try client.send(
      "PUT", "/v1/domains/\(domain)/file?accept=opens-nothing", json: AssociationFile.routes(paths))
    #expect([200, 201].contains(answer.status), "\(answer.text)")
    try outside.makeCertificate(of: domain)
  }

  /// What a site does instead of passing requests for Apple's file on.
  func site(_ domain: String, _ answer: JSON, _ more: JSON = [:]) throws {
    var site = more.objectValue ?? [:]
    site["upstream"] = .integer(server.publicPort)
    site["paths"] = [Self.path: answer]
    try outside.site(domain, .object(site))
  }

  func check(_ domain: String, _ more: JSON = [:]) throws -> JSON {
    var body = more.objectValue ?? [:]
    body["domains"] = [.string(domain)]
    let answer = try client.send("POST", "/v1/check", json: .object(body))
    return try #require(try answer.json["items"]?.arrayValue?.first, "\(answer.text)")
  }

  /// The findings of a check, as `code severity`. The stand-in has a site for every name, so there is always
  /// a `www` without a file, and the domains of tests have nothing for people without an app. On a busy machine,
  /// any site is slow.
  static func findings(_ check: JSON) -> [String] {
    (check["findings"]?.arrayValue ?? [])
      .map { "\($0["code"]?.stringValue ?? "") \($0["severity"]?.stringValue ?? "")" }
      .filter { !["apex-www-differ note", "people-get-404 note", "slow warning"].contains($0) }
  }
}
