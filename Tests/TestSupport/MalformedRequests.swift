/// Requests that libmicrohttpd takes for something else than other recipients do, so that the body of one
/// could be answered as the next request (RFC 9112 sections 2.2, 3, 5.1, 5.2 and 11.2).
package enum MalformedRequests {
  /// Lines of a header, of which each makes it malformed.
  package static let lines = [
    "Content-Length : 40", "Content-Length\t: 40", "Content-Length:\r\n 40",
    "X: y\rContent-Length: 40",
    ": Content-Length: 40", "X: y\nContent-Length: 40", "X: y\r\n\tContent-Length: 40",
    "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding\t:\tchunked",
    "X: y\r\n z", "X:\r\n\r\r\n", "X: y\r", "X: y\u{0}", "X: y\u{0}z", "X\u{0}: y", "\u{0}X: y",
    "X y: z", ":",
    "\r: y", "X\u{1}: y", "X\u{7F}: y", "X\u{E9}: y", "X(: y", "Content\rLength: 40", "no colon",
    "Content-Length: x", "Content-Length:", "Content-Length: -1", "Content-Length: +40",
    "Content-Length: 40, 40", "Content-Length: 4 0", "Content-Length: 0x28",
    "Content-Length: 40\r\nContent-Length: 0", "Content-Length: 40\r\nTransfer-Encoding: chunked",
  ]

  /// First lines with blanks where none may be, or with other ends than CRLF.
  package static func firstLines(target: String) -> [String] {
    // A strict library closes the connection without an answer to what has no space or has a NUL.
    let unanswered = ["GET\t\(target) HTTP/1.1\r\n", "GET \(target)\u{0} HTTP/1.1\r\n"]
    return (HTTPLibrary.isStrict ? [] : unanswered) + [
      "GET  \(target) HTTP/1.1\r\n", "GET \(target)  HTTP/1.1\r\n", "GET \(target) x HTTP/1.1\r\n",
      "GET \(target) HTTP/1.1 \r\n",
      "G\u{1}T \(target) HTTP/1.1\r\n",
      "G(T \(target) HTTP/1.1\r\n", "GET \(target) HTTP/1.1\r\n X: folded\r\n",
      "GET \(target) HTTP/1.1\n",
      "GET \(target) HTTP/1.1\r\r\n",
    ]
  }

  /// All of them, as headers.
  package static func heads(host: String, target: String) -> [String] {
    lines.map { "POST \(target) HTTP/1.1\r\nHost: \(host)\r\n\($0)\r\n\r\n" }
      + firstLines(target: target).map { "\($0)Host: \(host)\r\n\r\n" }
  }

  /// What a server answers, as statuses, to a malformed request with a body that is a request, until it
  /// closes the connection: alone, byte by byte, and behind a valid request in one packet.
  package static func statuses(
    of head: String, valid: String, connect: () throws -> RawConnection
  ) throws -> [[Int]] {
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n"
    return try [(head + smuggled, false), (head, true), (valid + head + smuggled, false)].map {
      let connection = try connect()
      let bytes = Array($0.0.unicodeScalars.map { UInt8($0.value) })
      if $0.1 { connection.sendByteByByte(bytes) } else { try connection.send(bytes) }
      return RawResponse.statuses(in: try connection.readToEnd())
    }
  }
}

extension RawResponse {
  /// The statuses of all answers in what a server has sent. Also those in the body of another one, where
  /// there should be none.
  package static func statuses(in bytes: [UInt8]) -> [Int] {
    String(decoding: bytes, as: UTF8.self).split(separator: "HTTP/1.1 ").compactMap {
      Int($0.prefix(3))
    }
  }
}
