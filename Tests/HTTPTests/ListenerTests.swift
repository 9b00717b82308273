import Dispatch
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct ListenerTests {
  static let limits = Limits(idleSeconds: 5, headerBytes: 4096, bodyBytes: 10_000)

  static func echo(limits: Limits = limits) throws -> Listener {
    try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), limits: limits,
      refuse: { Response($0.status, body: Array("\($0.reason)".utf8)) },
      answer: { request in
        let body =
          "\(request.method) \(request.target.segments) \(request.fields.values(of: "x-A"))"
        return Response(
          .ok, fields: [HeaderField("Content-Type", "text/plain")],
          body: Array("\(body) \(request.version) \(request.peer) ".utf8) + request.body)
      })
  }

  static func exchange(_ text: String) throws -> RawResponse {
    let listener = try echo()
    return try RawConnection(port: listener.port, to: listener).exchange(text)
  }

  @Test func theHandlerGetsTheWholeRequest() throws {
    let response = try Self.exchange(
      "PUT /a%2Fb/c HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2 \r\nContent-Length: 5\r\n\r\nhello")
    #expect(response.text == #"PUT ["a/b", "c"] ["1", "2"] HTTP/1.1 127.0.0.1 hello"#)
    #expect(response["Content-Type"] == "text/plain")
  }

  @Test(arguments: ["", ";x=y"])
  func aChunkedBodyIsPutTogether(chunkExtension: String) throws {
    let response = try Self.exchange(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3\r\nhel\r\n2\(chunkExtension)\r\nlo\r\n0\r\nTrailer: t\r\n\r\n")
    if HTTPLibrary.isStrict && !chunkExtension.isEmpty {
      #expect(response.status == 400)
    } else {
      #expect(response.text.hasSuffix(" hello"))
    }
  }

  @Test func aConnectionTakesRequestsWithBodiesOneAfterTheOther() throws {
    let listener = try Self.echo()
    let connection = try RawConnection(port: listener.port, to: listener)
    let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"
    try connection.send(request + "one" + request + "two")
    #expect(try connection.readResponse().text.hasSuffix("one"))
    #expect(try connection.readResponse().text.hasSuffix("two"))
    #expect(try connection.exchange(request + "six").text.hasSuffix("six"))
  }

  @Test func aBodyAtTheLimitIsTakenAndOneByteMoreIsRefused() throws {
    for (count, status) in [(10_000, 200), (10_001, 413), (500_000, 413)] {
      let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n"
      let response = try Self.exchange(head + String(repeating: "b", count: count))
      #expect(response.status == status)
    }
  }

  @Test func aChunkedBodyOverTheLimitIsRefused() throws {
    let chunk = "1000\r\n\(String(repeating: "c", count: 4096))\r\n"
    let response = try Self.exchange(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + String(repeating: chunk, count: 10) + "0\r\n\r\n")
    #expect(response.status == 413)
  }

  @Test func aHugeAnnouncedBodyIsRefusedBeforeItComes() throws {
    let response = try Self.exchange(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")
    #expect(response.status == 413)
    #expect(response["Connection"] == "close")
  }

  @Test(arguments: [
    ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /a%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 5000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (
      "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
      HTTPLibrary.isStrict ? 400 : 501
    ),
  ])
  func anUnusableRequestIsRefusedBeforeTheHandler(text: String, status: Int) throws {
    #expect(try Self.exchange(text).status == status)
  }

  @Test func aNULInTheTargetIsRefused() throws {
    let listener = try Self.echo()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("GET /a\u{0}b HTTP/1.1\r\nHost: h\r\n\r\n")
    let statuses = RawResponse.statuses(in: try connection.readToEnd())
    #expect(statuses == (HTTPLibrary.isStrict ? [] : [400]))
  }

  @Test(arguments: [0, 1])
  func aClientThatHasEndedItsSendingIsAnsweredAndClosed(earlier: Int) throws {
    let listener = try Self.echo(limits: Limits())
    let connection = try RawConnection(port: listener.port, to: listener)
    let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    for _ in 0..<earlier { #expect(try connection.exchange(request).status == 200) }
    connection.sendLast(request + request)
    for _ in 0..<2 { #expect(try connection.readResponse().status == 200) }
    #expect(try connection.readToEnd().isEmpty)
  }

  @Test func aBodyThatStopsHalfwayNeverReachesTheHandler() throws {
    let calls = Atomic(0)
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), refuse: { Response($0.status) },
      answer: { _ in
        calls.add(1, ordering: .relaxed)
        return Response(.ok)
      })
    let length = "Content-Length: 9\r\n\r\n"
    let chunked = "Transfer-Encoding: chunked\r\n\r\n9\r\n"
    for text in [length, length + "ha", length + "half", chunked, chunked + "half"] {
      let connection = try RawConnection(port: listener.port)
      try connection.send("PUT / HTTP/1.1\r\nHost: h\r\n" + text)
      connection.closeWriting()
      #expect(try connection.readToEnd().isEmpty)
    }
    #expect(becomesTrue { listener.requestsInFlight == 0 })
    #expect(calls.load(ordering: .relaxed) == 0)
  }

  @Test func aResponseThatWouldSplitTheHeaderIsNotSent() throws {
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), refuse: { Response($0.status) },
      answer: { _ in Response(.ok, fields: [HeaderField("X", "a\r\nSet-Cookie: b")]) })
    let connection = try RawConnection(port: listener.port, to: listener)
    let response = try connection.exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(response.status == 500)
    #expect(response["Set-Cookie"] == nil)
  }

  @Test func stoppingWaitsForRequestsThatHaveBegun() throws {
    let entered = DispatchSemaphore(value: 0)
    let released = DispatchSemaphore(value: 0)
    let listener = try Listener(
      on: SocketAddress(host: "127.0.0.1", port: 0), refuse: { Response($0.status) },
      answer: { _ in
        entered.signal()
        released.wait()
        return Response(.ok, body: Array("done".utf8))
      })
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    entered.wait()
    let stopped = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      listener.stop()
      stopped.signal()
    }
    released.signal()
    #expect(try connection.readResponse().text == "done")
    stopped.wait()
    #expect(throws: RawConnection.Failure.self) {
      try RawConnection(port: listener.port).exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    }
  }

  @Test func aPortInUseIsReported() throws {
    let first = try Self.echo()
    #expect(throws: ListenerError(reason: .addressInUse, address: first.address)) {
      try Listener(
        on: first.address, refuse: { Response($0.status) }, answer: { _ in Response(.ok) })
    }
    first.stop()
  }

  @Test(arguments: ["192.0.2.1", "2001:db8::1"])
  func anAddressOfAnotherMachineIsReported(host: String) {
    let address = SocketAddress(host: host, port: 0)
    #expect(throws: ListenerError(reason: .addressNotAvailable, address: address)) {
      try Listener(on: address, refuse: { Response($0.status) }, answer: { _ in Response(.ok) })
    }
  }

  @Test func anInvalidHostIsReported() {
    let error = #expect(throws: ListenerError.self) {
      try Listener(
        on: SocketAddress(host: "no such host", port: 0), refuse: { Response($0.status) },
        answer: { _ in Response(.ok) })
    }
    guard case .unknownHost = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "::1", 80), ("localhost:0", "localhost", 0),
  ])
  func addressesAreWrittenAsInURLs(text: String, host: String, port: UInt16) throws {
    let address = try #require(SocketAddress(text))
    #expect(address == SocketAddress(host: host, port: port))
    #expect(address.description == text)
  }

  @Test(arguments: ["", ":80", "::1:80", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:x"])
  func anInvalidAddressIsRefused(text: String) {
    #expect(SocketAddress(text) == nil)
  }
}
