import Glibc
import Association
import TestSupport
import Testing

/// Requests for files in the log of a server.
@Suite struct AccessLogTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func server(_ words: String...) throws -> RunningServer {
    try RunningServer(database: scratch.path("aasa.db"), arguments: words)
  }

  private func get(_ server: RunningServer, _ lines: String = "") throws {
    let target = "/.well-known/apple-app-site-association?q=1"
    let answer = try RawConnection(port: server.publicPort).exchange(
      "GET \(target) HTTP/1.1\r\nHost: a.example\r\nUser-Agent: AASA-Bot/1.0.0\r\n\(lines)\r\n")
    #expect(answer.status == 404)
  }

  private func lines(_ server: RunningServer) throws -> [Substring] {
    try server.errors().split(separator: "\n").filter { $0.contains("File request.") }
  }

  @Test func eachRequestIsALineWithItsHostAndFetcherAndWithoutItsQuery() throws {
    let server = try server("--access-log", "1", "--trusted-proxies", "127.0.0.0/8")
    try get(server)
    try get(server, "X-Forwarded-Host: b.example\r\n")
    #expect(try becomesTrue { try lines(server).count == 2 })
    let rest =
      "status=404 bytes=[0-9]+ fetcher=apple-cdn userAgent=AASA-Bot/1\\.0\\.0 peer=127\\.0\\.0\\.1"
    let path = "method=GET path=/\\.well-known/apple-app-site-association host=a\\.example"
    let plain = try Regex("[0-9T:.-]+Z info File request\\. \(path) \(rest)")
    let forwarded = try Regex(
      "[0-9T:.-]+Z info File request\\. \(path) servedHost=b\\.example hostFrom=x-forwarded-host \(rest)"
    )
    #expect(try lines(server)[0].wholeMatch(of: plain) != nil)
    #expect(try lines(server)[1].wholeMatch(of: forwarded) != nil)
  }

  @Test func whatTheLogAndTheProxiesAreChangesWhileItRuns() throws {
    let file = try scratch.write("accessLog = 0", to: "aasa.toml")
    let server = try server("--config", file)
    try get(server)
    for (text, setting) in [
      ("accessLog = 1", "accessLog"),
      ("accessLog = 1\ntrustedProxies = ['127.0.0.1']", "trustedProxies"),
    ] {
      try scratch.write(text, to: "aasa.toml")
      server.process.signal(SIGHUP)
      #expect(try becomesTrue { try server.errors().contains("changed=[\"\(setting)\"]") })
      try get(server, "X-Forwarded-Host: b.example\r\n")
    }
    #expect(try becomesTrue { try lines(server).count == 2 })
    #expect(try lines(server)[0].contains("forwardedHost=\"ignored: not from a trusted proxy\""))
    #expect(try lines(server)[1].contains("servedHost=b.example"))
  }

  @Test func nothingIsLoggedUnlessItIsAskedFor() throws {
    let server = try server()
    for _ in 1...20 { try get(server) }
    #expect(try server.end() == .exited(0))
    #expect(try lines(server).isEmpty)
  }
}
