import Glibc

/// A connection to a local server that sends arbitrary bytes, well-formed or not, and reads
/// answers. Every wait has a deadline.
package final class RawConnection {
  /// Why a call failed.
  package enum Failure: Error, Equatable {
    /// A system call failed.
    case system(call: String, code: Int32)
    /// The server sent nothing more before the deadline; has what it had sent.
    case deadline(received: String)
    /// The server closed the connection before or within an answer; has what it had sent.
    case closed(received: String)
    /// The received bytes are not an HTTP answer.
    case malformed(received: String)
  }

  private let descriptor: CInt
  private let server: AnyObject?
  private let seconds: Double
  private var buffer: [UInt8] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The server's port on 127.0.0.1.
  ///   - client: The last number of the own address, 127.0.0.N.
  ///   - seconds: The timeout of each later wait.
  ///   - server: An object to keep alive as long as the connection.
  package init(
    port: UInt16, client: UInt8 = 1, seconds: Double = 30, to server: AnyObject? = nil
  ) throws(Failure) {
    self.server = server
    self.seconds = seconds
    descriptor = try connectedSocket(to: port, client: client)
  }

  deinit { close(descriptor) }

  /// Sends bytes.
  package func send(_ bytes: some Sequence<UInt8>) throws(Failure) {
    let bytes = Array(bytes)
    var offset = 0
    while offset < bytes.count {
      // Sound: the pointer is used during the call only.
      let count = bytes[offset...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw .system(call: "send", code: errno) }
      offset += count
    }
  }

  /// Sends text unchanged. Write line ends as `\r\n`.
  package func send(_ text: String) throws(Failure) { try send(text.utf8) }

  /// Sends each byte in a packet of its own, as far as the server takes them.
  package func sendByteByByte(_ bytes: [UInt8]) {
    var yes: CInt = 1
    setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    for var byte in bytes { _ = Glibc.send(descriptor, &byte, 1, CInt(MSG_NOSIGNAL)) }
  }

  /// Sends text and the end of the sending side in one packet.
  package func sendLast(_ text: String) {
    var text = text
    // Sound: the pointer is used during the call only.
    _ = text.withUTF8 {
      Glibc.send(
        descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_MORE))
    }
    closeWriting()
  }

  /// Closes the sending side, but keeps reading.
  package func closeWriting() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Closes with a reset, like a killed client.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// Reads one answer.
  ///
  /// - Parameter hasBody: Whether a body follows; false for an answer to HEAD.
  package func readResponse(hasBody: Bool = true) throws(Failure) -> RawResponse {
    let head = try read(through: Array("\r\n\r\n".utf8))
    guard var response = RawResponse(head: head) else {
      throw .malformed(received: String(decoding: head, as: UTF8.self))
    }
    if hasBody && response.status != 304 && response.status != 204 && response.status >= 200 {
      response.body =
        response["Transfer-Encoding"] == "chunked"
        ? try readChunks() : try read(count: Int(response["Content-Length"] ?? "0") ?? 0)
    }
    return response
  }

  private func readChunks() throws(Failure) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = String(decoding: try read(through: Array("\r\n".utf8)).dropLast(2), as: UTF8.self)
      guard let count = Int(line, radix: 16) else { throw .malformed(received: line) }
      body += try read(count: count + 2).dropLast(2)
      if count == 0 { return body }
    }
  }

  /// Sends a request and reads its answer.
  package func exchange(_ text: String) throws(Failure) -> RawResponse {
    try send(text)
    return try readResponse(hasBody: !text.hasPrefix("HEAD "))
  }

  /// Reads everything until the server closes the connection.
  package func readToEnd() throws(Failure) -> [UInt8] {
    while try receive() {}
    defer { buffer = [] }
    return buffer
  }

  /// Reads and drops bytes; false if the server closes the connection before there were enough.
  package func read(atLeast count: Int) throws(Failure) -> Bool {
    var read = 0
    while read < count {
      guard try receive() else { return false }
      read += buffer.count
      buffer = []
    }
    return true
  }

  /// Whether the server closes the connection in time, without sending anything.
  package func hasEnded(withinMilliseconds milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    return poll(&wait, 1, milliseconds) > 0
      && recv(descriptor, &byte, 1, CInt(MSG_PEEK)) <= 0
  }

  private func read(through end: [UInt8]) throws(Failure) -> [UInt8] {
    while true {
      if let range = buffer.firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return Array(buffer[..<range.upperBound])
      }
      guard try receive() else { throw .closed(received: text) }
    }
  }

  private func read(count: Int) throws(Failure) -> [UInt8] {
    while buffer.count < count {
      guard try receive() else { throw .closed(received: text) }
    }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  private var text: String { String(decoding: buffer, as: UTF8.self) }

  /// Waits for bytes; false at the end of the connection.
  private func receive() throws(Failure) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, CInt(seconds * 1000)) > 0 else { throw .deadline(received: text) }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0 { throw .system(call: "recv", code: errno) }
    buffer += chunk[..<count]
    return count > 0
  }
}
