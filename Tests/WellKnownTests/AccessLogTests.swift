import Association
import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct AccessLogTests {
  /// What was written so far.
  final class Lines: Sendable {
    private let lines = Mutex<[PublicAccess]>([])

    var all: [PublicAccess] { lines.withLock { $0 } }

    func add(_ line: PublicAccess) { lines.withLock { $0.append(line) } }
  }

  static func serving(
    every interval: Int, trusting range: String? = nil,
    log: @escaping @Sendable (PublicAccess) -> Void
  ) throws -> Serving {
    try Serving(
      settings: PublicSettings(
        trustedProxies: range.flatMap { AddressRange($0) }.map { [$0] } ?? [],
        accessLogInterval: interval), log: log)
  }

  @Test(arguments: [
    ("X-Forwarded-Host: example.com", nil, "h.example", PublicAccess.HostSource.host, true),
    ("X-Forwarded-Host: example.com", "127.0.0.1", "example.com", .xForwardedHost, false),
    ("Forwarded: host=example.com", "127.0.0.1", "example.com", .forwarded, false),
    ("Forwarded: host=example.com", "10.0.0.1", "h.example", .host, true),
  ])
  func aLineSaysWhereTheHostCameFrom(
    field: String, trusted: String?, used: String, source: PublicAccess.HostSource, ignored: Bool
  ) throws {
    let lines = Lines()
    let serving = try Self.serving(every: 1, trusting: trusted) { lines.add($0) }
    _ = try serving.answer("GET", Serving.path, host: "h.example", field)
    #expect(becomesTrue { lines.all.count == 1 })
    #expect(lines.all.first?.hostAsked == "h.example")
    #expect(lines.all.first?.hostUsed == used)
    #expect(lines.all.first?.hostSource == source)
    #expect(lines.all.first?.isForwardedHostIgnored == ignored)
  }

  @Test func textsOfClientsAreCutAndHaveNoControlCharacters() throws {
    let lines = Lines()
    let serving = try Self.serving(every: 1) { lines.add($0) }
    let agent = "a\u{1}\u{1B}[31m\\é" + String(repeating: "x", count: 1000)
    _ = try serving.answer("GET", "/\u{7F}", host: "h", "User-Agent: \(agent)")
    #expect(becomesTrue { lines.all.count == 1 })
    let line = try #require(lines.all.first)
    #expect(line.path == "/\\x7f")
    #expect(line.userAgent.hasPrefix("a\\x01\\x1b[31m\\x5c\\xc3\\xa9xx"))
    #expect(line.userAgent.utf8.count < 300)
    #expect(line.status == 400)
  }

  /// The log masks tokens, and would not know a part for one.
  @Test(arguments: 200...260)
  func aTruncatedLineContainsNoPartOfAToken(before: Int) throws {
    let lines = Lines()
    let serving = try Self.serving(every: 1) { lines.add($0) }
    let secret = String(repeating: "s", count: 43)
    let agent = String(repeating: "x", count: before) + "aasa_" + secret
    _ = try serving.answer("GET", Serving.path, host: "h", "User-Agent: \(agent)")
    #expect(becomesTrue { lines.all.count == 1 })
    let kept = try #require(lines.all.first).userAgent
    #expect(agent.hasPrefix(kept) && kept.utf8.count >= 200)
    #expect(kept.hasSuffix(secret) || !kept.contains("s" + "s"))
  }

  @Test func aHeaderThatIsTooLargeIsLogged() throws {
    let lines = Lines()
    let serving = try Self.serving(every: 1) { lines.add($0) }
    let response = try serving.answer(
      "GET", Serving.path, host: "h", "X: \(String(repeating: "x", count: 5000))")
    #expect(becomesTrue { lines.all.count == 1 })
    #expect(lines.all.first?.status == 431)
    #expect(lines.all.first?.bytes == response.body.count)
  }

  @Test func oneInNRequestsIsLoggedUntilTheLogIsTurnedOff() throws {
    let lines = Lines()
    let serving = try Self.serving(every: 10) { lines.add($0) }
    let connection = try serving.connect()
    let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"
    for _ in 0..<100 { _ = try connection.exchange(request) }
    #expect(becomesTrue { lines.all.count == 10 })
    serving.listener.apply(PublicSettings(accessLogInterval: 0))
    for _ in 0..<100 { _ = try connection.exchange(request) }
    serving.listener.stop()
    #expect(lines.all.count == 10)
  }

  @Test func aBlockedLogDelaysNoRequestAndDroppedLinesAreCounted() throws {
    let hangs = DispatchSemaphore(value: 0)
    let written = Atomic(0)
    let serving = try Self.serving(every: 1) { _ in
      if written.add(1, ordering: .relaxed).oldValue == 0 { hangs.wait() }
    }
    let connection = try serving.connect()
    let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"
    let count = 3000
    for _ in 0..<count { #expect(try connection.exchange(request).status == 200) }
    let dropped = Int(serving.listener.counts.droppedAccessLines)
    #expect(dropped > 0 && dropped < count)
    hangs.signal()
    #expect(becomesTrue { written.load(ordering: .relaxed) + dropped == count })
  }
}
