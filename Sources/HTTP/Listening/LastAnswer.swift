import CMicroHTTPD
import Glibc

extension Response {
  /// The bytes of the message as the last one of its connection, for where libmicrohttpd cannot send an
  /// answer. It has no Date.
  var lastBytes: [UInt8] {
    let reason = MHD_get_reason_phrase_for(UInt32(status.code)).map { String(cString: $0) } ?? ""
    var head = "HTTP/1.1 \(status) \(reason)\r\n"
    for field in fields.all { head += "\(field)\r\n" }
    head += "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }
}

/// Sends the bytes of an answer, as far as the connection takes them without waiting. Nothing else of
/// an answer may have been sent.
func sendLast(_ bytes: [UInt8], on connection: OpaquePointer) {
  if sendInTLS(bytes, on: connection) { return }
  let descriptor = aasa_socket(connection)
  guard descriptor >= 0 else { return }
  // Sound: the pointer is used during the call only.
  _ = bytes.withUnsafeBytes {
    send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
  }
  // What libmicrohttpd may still have to say to such a request must not follow. In TLS it may.
  shutdown(descriptor, CInt(SHUT_WR))
}
