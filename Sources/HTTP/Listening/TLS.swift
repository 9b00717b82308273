import CGnuTLS
import CMicroHTTPD
import Certificates

/// TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers, as Apple's App Transport
/// Security and RFC 9325 require. No SHA-1, CBC or static RSA.
private let priorities: StaticString = """
  SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA\
  :-CIPHER-ALL:+AES-128-GCM:+CHACHA20-POLY1305:+AES-256-GCM:-MAC-ALL:+AEAD
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
