import HTTP
import Synchronization
import TestSupport
import Testing

/// The listener with a thread for each connection.
@Suite struct AbuseTests {
  static func listener(
    _ limits: Limits = ListenerTests.limits,
    screen: @escaping @Sendable (RequestHead) -> Screening = { _ in .readBody(upTo: .max) }
  ) throws -> Listener {
    try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: limits, screen: screen,
      refuse: { Response($0.status) },
      answer: { Response(.ok, body: Array("\($0.body.count)".utf8)) })
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: h\r\nX: ", "POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n",
  ])
  func aClientThatDripsIsDisconnectedAlthoughItIsNeverIdle(beginning: String) throws {
    var limits = ListenerTests.limits
    (limits.headerSeconds, limits.bodySeconds) = (1, 1)
    let listener = try Self.listener(limits)
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send(beginning)
    #expect(try connection.isCut(whileSending: "a"))
    #expect(becomesTrue { listener.openConnections == 0 })
  }

  @Test func aSlowHandlerIsNotInterrupted() throws {
    var limits = ListenerTests.limits
    (limits.headerSeconds, limits.bodySeconds) = (1, 1)
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: limits,
      refuse: { Response($0.status) },
      answer: { _ in
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {}
        return Response(.ok, body: Array("late".utf8))
      })
    let connection = try RawConnection(port: listener.port, to: listener)
    #expect(try connection.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").text == "late")
  }

  @Test(arguments: [
    "Content-Length: 20", "Content-Length: 9000000", "Content-Length: 20\r\nExpect: 100-continue",
    "Transfer-Encoding: chunked",
  ])
  func aBodyThatIsNotWantedIsNotWaitedFor(line: String) throws {
    let listener = try Self.listener(
      Limits(bodyBytes: 10_000_000), screen: { _ in .answer(Response(.unauthorized)) })
    let connection = try RawConnection(port: listener.port, to: listener)
    let response = try connection.exchange("POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
    #expect(response.status == 401)
    #expect(response["Connection"] == "close")
    #expect(becomesTrue { listener.openConnections == 0 })
    // What comes all the same is dropped, and the client still reads the answer.
    try connection.send(String(repeating: "x", count: 20))
    #expect(try connection.readToEnd().isEmpty)
  }

  /// Each of them would otherwise take one of the connections for minutes.
  @Test func clientsWhoseBodiesAreNotWantedKeepNobodyOut() throws {
    let listener = try Self.listener(screen: { _ in .answer(Response(.unauthorized)) })
    let slow = try (0..<50).map { _ in try RawConnection(port: listener.port, to: listener) }
    for connection in slow {
      try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\n\r\nx")
    }
    for connection in slow { #expect(try connection.readResponse().status == 401) }
    // Although none of them has sent its body or closed its side.
    #expect(becomesTrue { listener.openConnections == 0 })
  }

  @Test func requestsThatPassTheScreenAreHandled() throws {
    let screened = Atomic(0)
    let listener = try Self.listener(screen: { head in
      screened.add(1, ordering: .relaxed)
      return head.method == .get ? .answer(Response(.forbidden)) : .readBody(upTo: .max)
    })
    let connection = try RawConnection(port: listener.port, to: listener)
    #expect(try connection.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status == 200)
    #expect(screened.load(ordering: .relaxed) == 0)
    let post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
    #expect(try connection.exchange(post).text == "3")
    #expect(screened.load(ordering: .relaxed) == 1)
  }

  @Test func aChunkedBodyWithoutEndIsAnswered413() throws {
    let listener = try Self.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "1000\r\n\(String(repeating: "c", count: 4096))\r\n"
    // Just over what is read and dropped.
    for _ in 0..<260 { try connection.send(chunk) }
    let response = try connection.readResponse()
    #expect(response.status == 413)
    #expect(
      response.statusLine.hasPrefix("HTTP/1.1 413 C")
        || response.statusLine.hasPrefix("HTTP/1.1 413 P"))
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test func answersDuringShutdownCloseTheConnection() throws {
    let listener = try Self.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    #expect(try connection.exchange(request)["Connection"] != "close")
    let other = try RawConnection(port: listener.port, to: listener)
    try other.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n")
    #expect(becomesTrue { listener.requestsInFlight == 1 })
    let stopping = Stopping(listener)
    #expect(becomesTrue { !Self.accepts(listener.port) })
    #expect(try connection.exchange(request)["Connection"] == "close")
    #expect(try connection.readToEnd().isEmpty)
    let last = try other.exchange("abc")
    #expect(last.text == "3" && last["Connection"] == "close")
    stopping.wait()
  }

  static func accepts(_ port: UInt16) -> Bool {
    do {
      _ = try RawConnection(port: port)
      return true
    } catch {
      return false
    }
  }
}
