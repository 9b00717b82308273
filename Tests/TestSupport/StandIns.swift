import Foundation
package import Association

/// Sites, Apple's CDN and Google's service on loopback: the program `Tests/StandIns/standins.py`. It ends when
/// this object is released.
package final class StandIns: Sendable {
  /// The port of all sites, over TLS.
  package let sitePort: UInt16
  /// The port of an HTTP proxy, whose targets are the `agents` of `proxy`.
  package let proxyPort: UInt16
  /// The settings with which checks find the stand-ins.
  package let settings: [String: String]
  /// The file of the authority that checks have to trust.
  package let authorities: String

  /// Before the directory, because it ends before that is removed.
  private let process: ChildProcess
  private let directory: TemporaryDirectory
  private let control: Client

  /// The program did not start.
  package struct NotStarted: Error {
    /// Its stderr.
    package let errors: String
  }

  /// Starts it.
  package init() throws {
    directory = try TemporaryDirectory()
    let program = URL(filePath: #filePath).appending(path: "../../StandIns/standins.py")
      .standardized
      .path
    process = try ChildProcess(
      SystemProgram("python3").path ?? "python3", ["-B", program],
      environment: Program.environment(["TMPDIR": directory.url.path]), input: .pipe,
      output: directory.path("out"),
      errors: directory.path("err"))
    let directory = directory
    _ = try becomesTrue { try directory.text("out").hasSuffix("\n") }
    let ready: JSON
    do {
      ready = try JSON.parse(try directory.read("out")).value
    } catch is JSON.SyntaxError {
      throw NotStarted(errors: try directory.text("err"))
    }
    let port = { (name: String) in UInt16(ready[name]?.integerValue ?? 0) }
    sitePort = port("site")
    proxyPort = port("proxy")
    authorities = ready["authorities"]?.stringValue ?? ""
    control = Client(port: port("control"), lines: ["Host: control"])
    settings = [
      "AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.0/8",
      "AASA_CHECK_PLACES": "*:127.0.0.1:\(port("site"))",
      "AASA_CHECK_AUTHORITIES": authorities,
      "AASA_APPLE_CDN": "http://127.0.0.1:\(port("cdn"))",
      "AASA_GOOGLE_DIGITAL_ASSET_LINKS": "http://127.0.0.1:\(port("google"))",
    ]
  }

  /// Says what a site does; `*` is every other site. The program explains the members.
  package func site(_ host: String, _ behavior: JSON) throws { try put("/sites/\(host)", behavior) }

  /// Makes the certificate of a site about which nothing is said. Otherwise its first handshake takes the time.
  package func makeCertificate(of host: String) throws { try put("/certificates/\(host)", [:]) }

  /// Says what Apple's CDN does for a domain.
  package func cdn(_ domain: String, _ behavior: JSON) throws {
    try put("/cdn/\(domain)", behavior)
  }

  /// Makes Apple's CDN drop its copy, and fetch again.
  package func dropCopy(of domain: String) throws {
    _ = try control.send("DELETE", "/cdn/\(domain)")
  }

  /// Says what Google's service answers for a domain.
  package func google(_ domain: String, _ behavior: JSON) throws {
    try put("/google/\(domain)", behavior)
  }

  /// The User-Agents of the requests to a site.
  package func agents(of host: String) throws -> [String] {
    try control.send("GET", "/requests/\(host)").json["agents"]?.arrayValue?
      .compactMap(\.stringValue) ?? []
  }

  private func put(_ path: String, _ body: JSON) throws {
    let answer = try control.send("PUT", path, json: body)
    if answer.status != 200 { throw NotStarted(errors: answer.text) }
  }
}
