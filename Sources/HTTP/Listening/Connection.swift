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

/// The address of a connection's other end; nil if it is not of the internet.
func peerAddress(of connection: OpaquePointer) -> IPAddress? {
  aasa_peer(connection).flatMap { IPAddress($0) }
}

extension PreparedResponse {
  /// Queues the response as the answer to a connection's request.
  borrowing func queue(on connection: OpaquePointer) -> MHD_Result {
    reference.queue(status, on: connection)
  }
}
