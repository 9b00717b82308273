import HTTP
import Synchronization
import TestSupport
import Testing

/// The listener with a thread for each connection.
@Suite struct AbuseTests {
  static func listener(
    _ limits: Limits = ListenerTests.limits,
    screen: @escaping @Sendable (RequestHead) -> Response? = { _ in nil }
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
  func aRequestCanBeAnsweredBeforeItsBody(line: String) throws {
    let listener = try Self.listener(
      Limits(bodyBytes: 10_000_000), screen: { _ in Response(.unauthorized) })
    let connection = try RawConnection(port: listener.port, to: listener)
    let isShort = line == "Content-Length: 20"
    try connection.send("POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
    if isShort { try connection.send(String(repeating: "x", count: 20)) }
    let response = try connection.readResponse()
    #expect(response.status == 401)
    #expect((response["Connection"] == "close") != isShort)
    if isShort { #expect(try connection.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n").text == "0") }
  }

  @Test func requestsThatPassTheScreenAreHandled() throws {
    let screened = Atomic(0)
    let listener = try Self.listener(screen: { head in
      screened.add(1, ordering: .relaxed)
      return head.method == .get ? Response(.forbidden) : nil
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
