import CGnuTLS
import CMicroHTTPD
import Glibc

/// TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers, as Apple's App Transport
/// Security and RFC 9325 require. No SHA-1, CBC or static RSA. The order is ours, not the client's:
/// AES-128-GCM is the only cipher here that uses SHA-256 with the processor's own instructions.
/// Most clients would choose AES-256-GCM with SHA-384, whose hashes took nearly half of the
/// processor time of a handshake.
private let priorities: StaticString = """
  SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA\
  :-CIPHER-ALL:+AES-128-GCM:+CHACHA20-POLY1305:+AES-256-GCM:-MAC-ALL:+AEAD\
  :-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:%SERVER_PRECEDENCE
  """

/// The options of a daemon that speaks HTTPS, besides the flag MHD_USE_TLS. The certificates are in the
/// state of each connection.
var tlsOptions: [MHD_OptionItem] {
  let choose: RetrieveFunction = chooseCertificate
  // Sound: options carry the addresses of functions as integers or pointers, and libmicrohttpd calls
  // them with the types that the options' documentation names. The text is static.
  return [
    option(.HTTPS_PRIORITIES, 0, UnsafeMutableRawPointer(mutating: priorities.utf8Start)),
    option(.HTTPS_CERT_CALLBACK2, 0, unsafeBitCast(choose, to: UnsafeMutableRawPointer.self)),
  ]
}

/// The socket of a TLS session on a daemon with one thread for all of its connections.
///
/// While a client takes its time for its part of a handshake, libmicrohttpd 0.9.75 calls GnuTLS again
/// and again and uses up the processor. So where the thread comes back here, and nothing was received
/// or sent on any connection since it was here last, this waits for the daemon's next event.
final class SessionSocket {
  /// Counts what a thread has received and sent. Used by this thread only.
  final class Progress: @unchecked Sendable {
    // Unchecked is sound: only one thread uses it.

    fileprivate var count = 0
  }

  private let descriptor: CInt
  /// The epoll instance that has all sockets of the daemon.
  private let events: CInt
  private let progress: Progress
  private var progressSeen = -1
  /// How often bytes have come: first the client's greeting, then the end of its handshake.
  private var pieces = 0
  /// Received bytes that GnuTLS has not taken yet. It takes a record in two pieces, which would be
  /// two system calls.
  private let received = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
  private var rest = 0..<0

  /// The longest wait, in milliseconds: libmicrohttpd also has timeouts to watch.
  private static let longestWait: CInt = 10

  fileprivate init(_ connection: OpaquePointer, _ session: gnutls_session_t, _ progress: Progress) {
    descriptor = aasa_socket(connection)
    events = aasa_epoll(connection)
    self.progress = progress
    // Sound: the connection's state keeps this object until the session is closed.
    gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
    gnutls_transport_set_pull_function(session) { context, target, count in
      guard let context, let target else { return 0 }
      return Unmanaged<SessionSocket>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.receive(UnsafeMutableRawBufferPointer(start: target, count: count))
      }
    }
    gnutls_transport_set_vec_push_function(session) { context, pieces, count in
      guard let context else { return 0 }
      return Unmanaged<SessionSocket>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.send(pieces, Int(count))
      }
    }
  }

  deinit { received.deallocate() }

  private func receive(_ target: UnsafeMutableRawBufferPointer) -> Int {
    if rest.isEmpty {
      if target.count >= received.count { return receiveNow(target) }
      let count = receiveNow(received)
      if count <= 0 { return count }
      rest = 0..<count
    }
    let taken = rest.prefix(target.count)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: received[taken]))
    rest = taken.endIndex..<rest.upperBound
    return taken.count
  }

  private func receiveNow(_ target: UnsafeMutableRawBufferPointer) -> Int {
    let count = recv(descriptor, target.baseAddress, target.count, 0)
    if count >= 0 || errno != EAGAIN {
      progress.count += 1
      pieces += 1
      return count
    }
    if pieces == 2 { acknowledge() }
    if progressSeen == progress.count {
      var event = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
      poll(&event, 1, Self.longestWait)
      // Others that wait must not wait in the same round.
      progress.count += 1
    }
    progressSeen = progress.count
    errno = EAGAIN
    return -1
  }

  /// Tells the client at once that its last message of the handshake has arrived. In TLS 1.3 nothing
  /// answers it, so the kernel would wait for 40 ms, and so would a client that holds back its
  /// request until then (Nagle's algorithm).
  private func acknowledge() {
    pieces += 1
    var yes: CInt = 1
    _ = setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK, &yes, socklen_t(MemoryLayout<CInt>.size))
  }

  private func send(_ pieces: UnsafePointer<giovec_t>?, _ count: Int) -> Int {
    progress.count += 1
    var message = msghdr()
    message.msg_iov = UnsafeMutablePointer(mutating: pieces)
    message.msg_iovlen = count
    return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
  }
}

/// Prepares the session of a new connection, before its handshake.
///
/// - Parameter progress: What its thread has done; nil if the connection has its own.
/// - Returns: What must be kept until the connection ends.
func prepareSession(
  of connection: OpaquePointer, _ certificates: CertificateDirectory,
  _ progress: SessionSocket.Progress?
) -> SessionSocket? {
  guard let session = aasa_tls_session(connection).map({ OpaquePointer($0) }) else { return nil }
  certificates.enableTickets(on: session)
  return progress.map { SessionSocket(connection, session, $0) }
}

/// Sends the last bytes of a connection, as many as it accepts without waiting.
///
/// - Returns: Whether it is a TLS connection. Otherwise, nothing is sent.
func sendInTLS(_ bytes: [UInt8], on connection: OpaquePointer) -> Bool {
  guard let session = aasa_tls_session(connection) else { return false }
  // Sound: the pointer is used during the call only.
  _ = bytes.withUnsafeBytes {
    gnutls_record_send(OpaquePointer(session), $0.baseAddress, $0.count)
  }
  return true
}

/// Sends `close_notify`, if it is a TLS connection.
func endTLS(_ connection: OpaquePointer) {
  guard let session = aasa_tls_session(connection) else { return }
  gnutls_bye(OpaquePointer(session), GNUTLS_SHUT_WR)
}

/// `gnutls_certificate_retrieve_function3`
private typealias RetrieveFunction =
  @convention(c) (
    gnutls_session_t?, UnsafePointer<gnutls_cert_retr_st>?,
    UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?,
    UnsafeMutablePointer<UnsafeMutablePointer<gnutls_ocsp_data_st>?>?,
    UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<gnutls_privkey_t?>?,
    UnsafeMutablePointer<UInt32>?
  ) -> CInt

/// Called during a handshake, when the client has named the host it wants.
private func chooseCertificate(
  _ session: gnutls_session_t?, _: UnsafePointer<gnutls_cert_retr_st>?,
  _ chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
  _ chainCount: UnsafeMutablePointer<UInt32>?,
  _ stapled: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_ocsp_data_st>?>?,
  _ stapledCount: UnsafeMutablePointer<UInt32>?,
  _ key: UnsafeMutablePointer<gnutls_privkey_t?>?, _ flags: UnsafeMutablePointer<UInt32>?
) -> CInt {
  guard let session, let connection = gnutls_session_get_ptr(session),
    let certificates = OpenConnection.of(OpaquePointer(connection))?.takeUnretainedValue()
      .certificates
  else { return -1 }
  // Sound: libmicrohttpd sets the pointer of a session to its connection, and the set is retained until
  // the connection's end. Without a flag GnuTLS does not free what it is given.
  guard let pair = certificates.pair(for: requestedHost(session)) else {
    // RFC 6066 section 3; libmicrohttpd would only close the connection.
    _ = gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_UNRECOGNIZED_NAME)
    return -1
  }
  chain?.pointee = pair.chain
  chainCount?.pointee = pair.chainCount
  stapled?.pointee = nil
  stapledCount?.pointee = 0
  key?.pointee = pair.key
  flags?.pointee = 0
  return 0
}

/// The host in the extension `server_name` (RFC 6066 section 3); empty if it is not a name.
private func requestedHost(_ session: gnutls_session_t) -> String? {
  withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
    var count = buffer.count
    var kind: UInt32 = 0
    let code = gnutls_server_name_get(session, buffer.baseAddress, &count, &kind, 0)
    if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { return nil }
    guard code >= 0 else { return "" }
    // Sound: GnuTLS wrote `count` bytes, which are no more than there was room for.
    return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
  }
}
