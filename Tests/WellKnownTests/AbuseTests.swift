import Glibc
import HTTP
import TestSupport
import Testing
import WellKnown

/// What hostile clients do to the public listener, and that others are served meanwhile.
@Suite struct AbuseTests {
  static let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"

  static var shortLimits: Limits {
    var limits = PublicListener.defaultLimits
    (limits.idleSeconds, limits.headerSeconds) = (5, 1)
    return limits
  }

  @Test(arguments: ["", "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nX: ", "GET /"])
  func aClientThatDripsIsCutThoughItIsNeverIdle(beginning: String) throws {
    let serving = try Serving(limits: Self.shortLimits)
    let connection = try serving.connect()
    try connection.send(beginning)
    #expect(try connection.isCut(whileSending: "a"))
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }

  @Test func aClientThatAsksInTimeStaysAsLongAsItLikes() throws {
    let serving = try Serving(limits: Self.shortLimits)
    let connection = try serving.connect()
    let end = ContinuousClock.now + .seconds(2.5)
    while ContinuousClock.now < end {
      #expect(try connection.exchange(Self.request).status == 200)
    }
  }

  @Test func aClientThatReadsSlowlyIsCut() throws {
    let body = String(repeating: "x", count: 120_000)
    let serving = try Serving(["example.com": body], limits: Self.shortLimits)
    let connection = try serving.connect()
    // More answers than the sockets hold, of which nothing is read.
    for _ in 0..<200 { try connection.send(Self.request) }
    #expect(becomesTrue { serving.listener.counts.openConnections == 1 })
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
    #expect(try serving.answer().status == 200)
  }

  @Test func whenMostConnectionsAreTakenThoseWithoutARequestAreClosedSooner() throws {
    var limits = PublicListener.defaultLimits
    (limits.connections, limits.headerSeconds) = (8, 20)
    let serving = try Serving(limits: limits)
    let idle = try (0..<8).map { _ in try serving.connect() }
    #expect(becomesTrue { serving.listener.counts.openConnections == 8 })
    // It waits in the kernel's queue until one is closed.
    #expect(try serving.answer().status == 200)
    #expect(idle.count == 8)
  }

  private static let hasRoom: Bool = {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      && limit.rlim_cur >= 21_000
  }()

  @Test(.enabled(if: hasRoom, "needs ulimit -n 21000"))
  func tenThousandIdleConnectionsKeepNobodyWaiting() throws {
    var limits = PublicListener.defaultLimits
    limits.connections = 20_000
    let serving = try Serving(limits: limits)
    let threads = try Self.threads()
    var idle: [RawConnection] = []
    for index in 0..<10_000 {
      let connection = try serving.connect()
      if index.isMultiple(of: 2) { try connection.send("GET /.well-known/") }
      idle.append(connection)
    }
    #expect(becomesTrue { serving.listener.counts.openConnections == 10_000 })
    let start = ContinuousClock.now
    for _ in 0..<100 { #expect(try serving.answer().status == 200) }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(try Self.threads() <= threads + 8)
    #expect(idle.count == 10_000)
  }

  /// How many threads this process has; other tests run beside this one.
  private static func threads() throws -> Int {
    let status = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(status) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, CInt(line.count), status) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("Threads:") {
        return try #require(Int(text.dropFirst(8).filter(\.isNumber)))
      }
    }
    return 0
  }

  @Test func aThousandPipelinedRequestsAreAllAnsweredInOrder() throws {
    let serving = try Serving()
    let connection = try serving.connect()
    // They fit into the buffers of the sockets, and so do their answers.
    try connection.send(String(repeating: Self.request, count: 1000))
    for _ in 0..<1000 { #expect(try connection.readResponse().status == 200) }
  }

  @Test func aStormOfConnectionsThatComeAndGoLeavesNothingBehind() throws {
    let serving = try Serving(limits: Self.shortLimits)
    for round in 0..<2000 {
      let connection = try serving.connect()
      switch round % 4 {
      case 0: connection.reset()
      case 1: try connection.send("GET / HT")
      case 2: try connection.send(Self.request)
      default: connection.closeWriting()
      }
    }
    #expect(try serving.answer().status == 200)
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }

  @Test func halfClosedConnectionsAreGivenUp() throws {
    let serving = try Serving(limits: Self.shortLimits)
    let connections = try (0..<100).map { _ in try serving.connect() }
    for connection in connections {
      try connection.send(Self.request)
      connection.closeWriting()
    }
    for connection in connections { #expect(try connection.readResponse().status == 200) }
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }
}
