import Association
import HTTP
import Synchronization
import TestSupport
import Testing

/// What hostile clients do to the public listener, and that others are served meanwhile.
@Suite struct AbuseTests {
  static let request = "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"

  static var shortLimits: Limits {
    var limits = PublicListener.defaultLimits
    (limits.idleSeconds, limits.headerSeconds) = (5, 1)
    return limits
  }

  @Test(arguments: ["", "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nX: ", "GET /"])
  func aClientThatDripsIsDisconnectedAlthoughItIsNeverIdle(beginning: String) throws {
    let serving = try Serving(limits: Self.shortLimits)
    let connection = try serving.connect()
    try connection.send(beginning)
    #expect(try connection.isCut(whileSending: "a"))
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }

  @Test func aClientThatKeepsAskingStaysConnected() throws {
    let serving = try Serving(limits: Self.shortLimits)
    let connection = try serving.connect()
    let end = ContinuousClock.now + .seconds(2.5)
    while ContinuousClock.now < end {
      #expect(try connection.exchange(Self.request).status == 200)
    }
  }

  @Test func aClientThatReadsTooSlowlyIsDisconnected() throws {
    let body = String(repeating: "x", count: 120_000)
    let serving = try Serving(["example.com": body], limits: Self.shortLimits)
    let connection = try serving.connect()
    // More answers than the sockets hold, of which nothing is read.
    for _ in 0..<200 { try connection.send(Self.request) }
    #expect(becomesTrue { serving.listener.counts.openConnections == 1 })
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
    #expect(try serving.answer().status == 200)
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

  /// Long before the idle time is over, whole requests or not.
  @Test func halfClosedConnectionsAreClosed() throws {
    let serving = try Serving()
    let connections = try (0..<100).map { _ in try serving.connect() }
    for (index, connection) in connections.enumerated() {
      connection.sendLast(index % 2 == 0 ? Self.request : String(Self.request.prefix(index)))
    }
    for (index, connection) in connections.enumerated() where index % 2 == 0 {
      #expect(try connection.readResponse().status == 200)
    }
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
  }

  /// libmicrohttpd frees the header of a request that ends before its last call, and may put the next
  /// connection's in its place. So the second request here must not be answered by what was found in the
  /// first.
  @Test func aRequestThatEndsEarlyLeavesNothingToTheNext() throws {
    let hosts = Mutex<[String]>([])
    let serving = try Serving(
      limits: Self.shortLimits, settings: PublicSettings(accessLogInterval: 1),
      log: { line in if line.status == 431 { hosts.withLock { $0.append(line.hostAsked) } } })
    // Every byte where the first request has its fields is a 0 in the second.
    let target = "/" + String(repeating: "0", count: 5000)
    let lines = [
      "Content-Length: 5\r\n\r\n", "Expect: 100-continue\r\n\r\n", "X: ", "\r\n",
      "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n",
    ]
    for round in 1...24 {
      let first = try serving.connect()
      try first.send(
        "POST \(Serving.path) HTTP/1.1\r\nHost: first.example\r\n\(lines[round % lines.count])")
      first.reset()
      #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
      let second = try serving.connect()
      try second.send("GET \(target) HTTP/1.1\r\nHost: second.example\r\n\r\n")
      #expect(try second.readResponse().status == 431)
      #expect(becomesTrue { hosts.withLock { $0.count } == round })
    }
    #expect(Set(hosts.withLock { $0 }) == ["second.example"])
  }
}
