import CMicroHTTPD
import Glibc

/// The fields of a request's header, in order.
func headerFields(of connection: OpaquePointer) -> Fields {
  var fields = Fields()
  withUnsafeMutablePointer(to: &fields) { pointer in
    _ = MHD_get_connection_values_n(connection, .HEADER_KIND, appendField, pointer)
  }
  return fields
}

private func appendField(
  _ fields: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ nameBytes: Int, _ value: UnsafePointer<CChar>?, _ valueBytes: Int
) -> MHD_Result {
  guard let fields, let name else { return .YES }
  // Sound: `headerFields` passes a pointer to its variable and waits for this call.
  fields.assumingMemoryBound(to: Fields.self).pointee.append(
    Field(
      text(UnsafeRawBufferPointer(start: name, count: nameBytes)),
      text(UnsafeRawBufferPointer(start: value, count: valueBytes).trimmingEnd)))
  return .YES
}

/// The bytes as UTF-8, or else as ISO 8859-1, in which every byte is a character.
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(validating: bytes, as: UTF8.self)
    ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
}

extension UnsafeRawBufferPointer {
  /// Without spaces and tabs at the end, which libmicrohttpd leaves.
  var trimmingEnd: UnsafeRawBufferPointer {
    var count = count
    while count > 0 && (self[count - 1] == 0x20 || self[count - 1] == 0x09) { count -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<count])
  }
}

/// The client's address without its port.
func peerAddress(of connection: OpaquePointer) -> String {
  guard let peer = aasa_peer(connection) else { return "" }
  var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
  let length =
    CInt(peer.pointee.sa_family) == AF_INET6
    ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
  guard
    getnameinfo(
      peer, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
  else { return "" }
  let text = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
}

/// Takes what has arrived on a connection that is about to be closed: closing it with unread bytes
/// would reset it, and the client could lose the answer. Bounded, and never waits.
func discardArrivedBytes(of connection: OpaquePointer) {
  let descriptor = aasa_socket(connection)
  guard descriptor >= 0 else { return }
  // With MSG_TRUNC the kernel drops the bytes of a TCP socket instead of copying them.
  let flags = CInt(MSG_DONTWAIT) | CInt(MSG_TRUNC)
  for _ in 0..<64 where recv(descriptor, nil, 65_536, flags) <= 0 { return }
}

extension PreparedResponse {
  /// Queues the response as the answer to a connection's request.
  borrowing func queue(on connection: OpaquePointer) -> MHD_Result {
    MHD_queue_response(connection, UInt32(status.code), pointer)
  }
}
