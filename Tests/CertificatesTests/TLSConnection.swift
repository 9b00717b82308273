import CGnuTLS
import Glibc
import TestSupport

/// A connection over TLS to a server on this machine. Every wait has a deadline.
final class TLSConnection {
  /// What went wrong on the way.
  enum Failure: Error, Equatable {
    /// The handshake failed; the alert that the server sent, if it sent one.
    case handshake(code: CInt, alert: UInt32?)
    case closed(received: String)
    /// The connection ended without `close_notify` (RFC 8446 section 6.1): who reads it cannot know that it
    /// had everything.
    case cutOff(received: String)
    case read(code: CInt)
  }

  /// TLS 1.2 and 1.3, and what GnuTLS thinks is normal.
  static let normal = "NORMAL"

  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?
  private let descriptor: CInt
  private let server: AnyObject?
  private var buffer: [UInt8] = []

  /// Connects and shakes hands. The server's certificate is looked at with `serial`.
  ///
  /// - Parameters:
  ///   - host: The name that the server is told; nil for none.
  ///   - ticket: The session of an earlier connection, to be resumed.
  ///   - isSlow: Whether each byte of the handshake goes in a packet of its own.
  ///   - stalls: Whether it ends its handshake after the first message, and leaves the server waiting.
  ///   - server: What has to live as long as the connection.
  init(
    port: UInt16, host: String? = nil, priorities: String = normal, ticket: [UInt8]? = nil,
    isSlow: Bool = false, stalls: Bool = false, to server: AnyObject? = nil
  ) throws {
    self.server = server
    descriptor = try Self.connect(port)
    try check(gnutls_init(&session, UInt32(GNUTLS_CLIENT) | GNUTLS_NO_SIGNAL.rawValue))
    try check(gnutls_certificate_allocate_credentials(&credentials))
    try check(gnutls_priority_set_direct(session, priorities, nil))
    try check(
      gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials)))
    if let host {
      try check(gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, host.utf8.count))
    }
    try offerProtocol()
    if let ticket { try check(gnutls_session_set_data(session, ticket, ticket.count)) }
    gnutls_transport_set_int2(session, descriptor, descriptor)
    if isSlow {
      gnutls_transport_set_push_function(session) { context, bytes, count in
        Glibc.send(CInt(Int(bitPattern: context)), bytes, min(1, count), CInt(MSG_NOSIGNAL))
      }
    }
    if stalls {
      gnutls_transport_set_pull_function(session) { _, _, _ in
        errno = EAGAIN
        return -1
      }
      _ = gnutls_handshake(session)
    } else {
      try shakeHands()
    }
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
    close(descriptor)
  }

  private static func connect(_ port: UInt16) throws(RawConnection.Failure) -> CInt {
    let descriptor = try connectedSocket(to: port)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var yes: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    return descriptor
  }

  private func offerProtocol() throws {
    var name = Array("http/1.1".utf8)
    try name.withUnsafeMutableBufferPointer { name in
      // Sound: GnuTLS copies the name.
      var datum = gnutls_datum_t(data: name.baseAddress, size: UInt32(name.count))
      try check(gnutls_alpn_set_protocols(session, &datum, 1, 0))
    }
  }

  private func shakeHands() throws(Failure) {
    while true {
      let code = gnutls_handshake(session)
      if code >= 0 { return }
      if code == GNUTLS_E_INTERRUPTED || code == GNUTLS_E_AGAIN && errno != EAGAIN { continue }
      if code == GNUTLS_E_WARNING_ALERT_RECEIVED { continue }
      let isAlert = code == GNUTLS_E_FATAL_ALERT_RECEIVED
      throw .handshake(code: code, alert: isAlert ? gnutls_alert_get(session).rawValue : nil)
    }
  }

  /// Whether the handshake has resumed the session of the ticket.
  var isResumed: Bool { gnutls_session_is_resumed(session) != 0 }

  /// The session, to be resumed by a later connection; after an answer, with which TLS 1.3 sends its
  /// ticket.
  func ticket() throws -> [UInt8] {
    var data = gnutls_datum_t()
    try check(gnutls_session_get_data2(session, &data))
    defer { aasa_gnutls_free(data.data) }
    return Array(UnsafeBufferPointer(start: data.data, count: Int(data.size)))
  }

  /// The protocol that the server has chosen (RFC 7301).
  var chosenProtocol: String? {
    var datum = gnutls_datum_t()
    guard gnutls_alpn_get_selected_protocol(session, &datum) >= 0 else { return nil }
    return String(
      decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
  }

  /// The serial number of the server's certificate.
  func serial() throws -> UInt8 {
    var count: UInt32 = 0
    let peers = gnutls_certificate_get_peers(session, &count)
    var certificate: gnutls_x509_crt_t?
    try check(gnutls_x509_crt_init(&certificate))
    defer { gnutls_x509_crt_deinit(certificate) }
    try check(gnutls_x509_crt_import(certificate, peers, GNUTLS_X509_FMT_DER))
    var serial = [UInt8](repeating: 0, count: 32)
    var size = serial.count
    try check(gnutls_x509_crt_get_serial(certificate, &serial, &size))
    return serial[size - 1]
  }

  /// Sends bytes.
  func send(_ text: String) throws(Failure) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
      if count < 0 { throw .read(code: CInt(count)) }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads one answer.
  func readResponse(hasBody: Bool = true) throws(Failure) -> RawResponse {
    var end: Range<Int>?
    while true {
      end = buffer.firstRange(of: Array("\r\n\r\n".utf8))
      if end != nil { break }
      try receive()
    }
    guard let end, var response = RawResponse(head: Array(buffer[..<end.upperBound])) else {
      throw .closed(received: String(decoding: buffer, as: UTF8.self))
    }
    buffer.removeFirst(end.upperBound)
    let hasBody = hasBody && response.status != 304
    let count = hasBody ? response["Content-Length"].flatMap { Int($0) } ?? 0 : 0
    while buffer.count < count { try receive() }
    response.body = Array(buffer.prefix(count))
    buffer.removeFirst(count)
    return response
  }

  /// Sends a request and reads its answer.
  func exchange(_ text: String, hasBody: Bool = true) throws(Failure) -> RawResponse {
    try send(text)
    return try readResponse(hasBody: hasBody)
  }

  /// Reads until the server says that it closes.
  func readToEnd() throws(Failure) {
    do throws(Failure) {
      while true { try receive() }
    } catch .closed {
      return
    }
  }

  private func receive() throws(Failure) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var count: Int
    repeat {
      errno = 0
      count = gnutls_record_recv(session, &bytes, bytes.count)
      // Without an error of the socket, it has received a ticket.
    } while count == Int(GNUTLS_E_AGAIN) && errno != EAGAIN
    if count == 0 { throw .closed(received: String(decoding: buffer, as: UTF8.self)) }
    if count == Int(GNUTLS_E_PREMATURE_TERMINATION) {
      throw .cutOff(received: String(decoding: buffer, as: UTF8.self))
    }
    if count < 0 { throw .read(code: CInt(count)) }
    buffer += bytes[..<count]
  }
}
