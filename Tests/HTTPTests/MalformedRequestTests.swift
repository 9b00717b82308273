import HTTP
import TestSupport
import Testing

/// The listener with a thread for each connection.
@Suite struct MalformedRequestTests {
  @Test(arguments: MalformedRequests.heads(host: "h", target: "/"))
  func aMalformedRequestIsAnswered400OnceAndNothingAfterIt(head: String) throws {
    let listener = try AbuseTests.listener()
    let valid = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    let statuses = try MalformedRequests.statuses(of: head, valid: valid) {
      try RawConnection(port: listener.port, to: listener)
    }
    #expect(statuses == [[400], [400], [200, 400]])
  }

  @Test(arguments: [
    "Content-Length: 99999999999999999999", "Cookie: \(String(repeating: "a=b; ", count: 1200))",
    "Cookie: \(String(repeating: "a", count: 9000))",
  ])
  func whatTheLibraryFindsTooLargeIsAnsweredOnce(line: String) throws {
    let listener = try AbuseTests.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
    let statuses = RawResponse.statuses(in: try connection.readToEnd())
    #expect(statuses == [line.hasPrefix("Cookie") ? 431 : 413])
  }

  /// libmicrohttpd is lenient about chunks and trailers, so what follows them must not be taken for a
  /// request.
  @Test(arguments: [
    "5\r\nhello\r\n0\r\n\r\n", "5;a=\n\r\nhello\r\n0\r\n: x\r\n", "5\nhello\n0\n\n",
    "5\r\nhello\r\n0\r\n\u{0}\r\n",
  ])
  func nothingIsAnsweredAfterAChunkedBody(body: String) throws {
    let listener = try AbuseTests.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    let statuses = RawResponse.statuses(in: try connection.readToEnd())
    #expect(statuses == [200] || statuses == [400])
  }

  @Test(arguments: ["x\r\n", "5\r\nhelloo\r\n", "ffffffffffffffffff\r\n"])
  func aMalformedChunkIsAnsweredOnce(body: String) throws {
    let listener = try AbuseTests.listener()
    let connection = try RawConnection(port: listener.port, to: listener)
    try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    let statuses = RawResponse.statuses(in: try connection.readToEnd())
    #expect(statuses == [400] || statuses == [413])
  }
}
