import Association
import HTTP
import TestSupport
import Testing

@Suite struct LimitTests {
  private static func request(_ lines: String) -> String {
    "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\n\(lines)\r\n"
  }

  @Test func aHeaderOfFourKilobytesIsServed() throws {
    let fill = 4096 - Self.request("X: \r\n").utf8.count
    let response = try Serving().connect().exchange(
      Self.request("X: \(String(repeating: "a", count: fill))\r\n"))
    #expect(response.status == 200)
  }

  @Test(arguments: Array(stride(from: 4097, through: 16_200, by: 61)))
  func aLargerHeaderIsAnswered431(bytes: Int) throws {
    let fill = bytes - Self.request("X: \r\n").utf8.count
    let response = try Serving().connect().exchange(
      Self.request("X: \(String(repeating: "a", count: fill))\r\n"))
    #expect(response.status == 431)
    #expect(Serving.code(response) == "header-too-large")
  }

  @Test(arguments: Array(40...300))
  func aFloodOfSmallFieldsIsAlwaysAnswered(count: Int) throws {
    let response = try Serving().connect().exchange(
      Self.request(String(repeating: "a: b\r\n", count: count)))
    #expect(count < 200 ? response.status == 200 : [200, 431].contains(response.status))
  }

  @Test(arguments: [1, 2, 10, 50, 100, 150])
  func fourKilobytesInManyFieldsAreServed(count: Int) throws {
    let room = 4096 - Self.request("").utf8.count
    let line = "X-Field: \(String(repeating: "a", count: room / count - 11))\r\n"
    let response = try Serving().connect().exchange(
      Self.request(String(repeating: line, count: count)))
    #expect(response.status == 200)
  }

  @Test(arguments: [1, 2, 10, 40, 100])
  func fourKilobytesOfCookiesAreServed(count: Int) throws {
    let room = 4096 - Self.request("Cookie: \r\n").utf8.count
    let cookie = "name=" + String(repeating: "a", count: room / count - 7)
    let response = try Serving().connect().exchange(
      Self.request("Cookie: \(Array(repeating: cookie, count: count).joined(separator: "; "))\r\n"))
    #expect(response.status == 200)
  }

  @Test(arguments: [1, 100, 115, 116, 117, 173, 174, 300, 900])
  func anyNumberOfQueryParametersIsAnswered(count: Int) throws {
    let query = (0..<count).map { "a=\($0 % 10)" }.joined(separator: "&")
    let response = try Serving().answer("GET", "\(Serving.path)?\(query)")
    #expect(response.status == 200)
  }

  /// libmicrohttpd itself leaves some of these without an answer.
  @Test(arguments: Array(stride(from: 4097, through: 18_000, by: 43)))
  func aTargetOfAnyLengthIsAnswered(bytes: Int) throws {
    for separator in ["?", "/"] {
      let target = Serving.path + separator
      let response = try Serving().answer(
        "GET", target + String(repeating: "a", count: bytes - target.utf8.count))
      #expect([414, 431].contains(response.status))
    }
  }

  private static let longTarget =
    "GET \(Serving.path)?\(String(repeating: "a", count: 5000)) HTTP/1.1\r\nHost: example.com\r\n"

  @Test(arguments: [
    longTarget + "\r\n", longTarget + "X: the header does not end",
    longTarget + String(repeating: "a: b\r\n", count: 1500) + "\r\n",
    request("X: \(String(repeating: "x", count: 5000))\r\n"),
  ])
  func aHeaderThatIsTooLargeGetsOneAnswerOneCountAndAClosedConnection(text: String) throws {
    let serving = try Serving()
    let connection = try serving.connect()
    try connection.send(text)
    #expect(try connection.readResponse().status == 431)
    // Much earlier than what a client sends after that is dropped.
    #expect(connection.hasEnded(withinMilliseconds: 1500))
    connection.closeWriting()
    #expect(becomesTrue { serving.listener.counts.openConnections == 0 })
    #expect(serving.listener.counts.requests(.headerTooLarge, .other) == 1)
  }

  @Test func aShortBodyIsRefusedAndTheConnectionCloses() throws {
    let connection = try Serving().connect()
    let response = try connection.exchange(Self.request("Content-Length: 5\r\n") + "hello")
    #expect(response.status == 413)
    #expect(Serving.code(response) == "body-not-allowed")
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test(arguments: ["Content-Length: 5\r\nExpect: 100-continue\r\n", "Content-Length: 9999999\r\n"])
  func aBodyThatIsAnnouncedIsRefusedBeforeItComes(lines: String) throws {
    let connection = try Serving().connect()
    #expect(try connection.exchange(Self.request(lines)).status == 413)
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test(arguments: [
    "Content-Length: 9999999\r\n", "X: \(String(repeating: "x", count: 5000))\r\n",
  ])
  func aClientThatIsStillSendingSeesThatItIsRefused(lines: String) throws {
    let serving = try Serving()
    let connection = try serving.connect()
    try connection.send(Self.request(lines))
    #expect(
      becomesTrue {
        let counts = serving.listener.counts
        return counts.requests(.bodyNotAllowed, .other) + counts.requests(.headerTooLarge, .other)
          == 1 && counts.openConnections == 0
      })
    // The answer has left, and the server takes no more.
    for _ in 0..<20 { try connection.send(String(repeating: "b", count: 10_000)) }
    #expect([413, 431].contains(try connection.readResponse().status))
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test(arguments: [
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
    "Content-Length: 1\r\nContent-Length: 2\r\n",
    "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
  ])
  func anUnclearLengthIsABadRequestAndTheConnectionCloses(lines: String) throws {
    let connection = try Serving().connect()
    let response = try connection.exchange(Self.request(lines) + "0\r\n\r\n")
    #expect(response.status == 400)
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test(arguments: [
    "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / FTP/1.1\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
    "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nno colon\r\n\r\n",
    "GET \(Serving.path) HTTP/1.1\r\nHost: example.com\r\nContent-Length: x\r\n\r\n",
  ])
  func garbageEndsTheConnectionAndNothingElse(text: String) throws {
    // libmicrohttpd takes a line that begins with NUL for an empty one, and waits for the next.
    var limits = PublicListener.defaultLimits
    limits.idleSeconds = 1
    let serving = try Serving(limits: limits)
    let connection = try serving.connect()
    try connection.send(text)
    let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400") || answer.hasPrefix("HTTP/1.1 505"))
    #expect(try serving.answer().status == 200)
  }

  @Test func aNULInTheTargetIsABadRequest() throws {
    let connection = try Serving().connect()
    try connection.send("GET \(Serving.path)\u{0}x HTTP/1.1\r\nHost: example.com\r\n\r\n")
    let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
    #expect(answer.contains("malformed-target") == !HTTPLibrary.isStrict)
    #expect(answer.isEmpty == HTTPLibrary.isStrict)
  }

  @Test func aHeaderThatDoesNotEndIsDroppedAfterTheIdleTime() throws {
    var limits = PublicListener.defaultLimits
    limits.idleSeconds = 1
    let connection = try Serving(limits: limits).connect()
    try connection.send("GET \(Serving.path) HTTP/1.1\r\nHost: exam")
    #expect(try connection.readToEnd().isEmpty)
  }

  /// Its daemons share the port among themselves, but not with another server.
  @Test func aPortOfAnotherListenerIsInUse() throws {
    let serving = try Serving(daemons: 2)
    let address = serving.listener.address
    #expect(throws: ListenerError(reason: .addressInUse, address: address)) {
      try PublicListener(on: address, serving: HostTable(), daemons: 2)
    }
    #expect(try serving.answer().status == 200)
    serving.listener.stop()
    let next = try PublicListener(on: address, serving: serving.hosts)
    #expect(try RawConnection(port: next.port, to: next).exchange(Self.request("")).status == 200)
  }
}
