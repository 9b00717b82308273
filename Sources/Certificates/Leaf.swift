import CGnuTLS

/// The certificate of a host, and what it has to satisfy.
struct Leaf {
  let certificate: gnutls_x509_crt_t
  let path: String

  /// The last second in which it is valid, since 1970.
  var notAfter: Int64 { Int64(gnutls_x509_crt_get_expiration_time(certificate)) }

  /// The SHA-256 of its public key.
  func keyIdentifier() throws(CertificateFault) -> [UInt8] {
    let (code, bytes) = digest { buffer, count in
      gnutls_x509_crt_get_key_id(
        certificate, GNUTLS_KEYID_USE_SHA256.rawValue,
        buffer.assumingMemoryBound(to: UInt8.self), count)
    }
    guard code >= 0 else {
      throw CertificateFault(.malformedCertificate(gnuTLSWords(code)), at: path)
    }
    return bytes
  }

  func checkTimes(now: Int64) throws(CertificateFault) {
    let notBefore = Int64(gnutls_x509_crt_get_activation_time(certificate))
    if notBefore > now { throw CertificateFault(.notYetValid(notBefore), at: path) }
    if notAfter < now { throw CertificateFault(.expired(notAfter), at: path) }
  }

  /// Keys that browsers and Apple's clients take: RSA from 2048 bits, elliptic curves from 256.
  func checkStrength() throws(CertificateFault) {
    var bits: UInt32 = 0
    let code = gnutls_x509_crt_get_pk_algorithm(certificate, &bits)
    let kind = gnutls_pk_algorithm_t(rawValue: UInt32(bitPattern: max(0, code)))
    let least: UInt32? =
      switch kind {
      case GNUTLS_PK_RSA, GNUTLS_PK_RSA_PSS: 2048
      case GNUTLS_PK_ECDSA, GNUTLS_PK_EDDSA_ED25519, GNUTLS_PK_EDDSA_ED448: 256
      default: nil
      }
    if let least, bits >= least { return }
    let name = gnutls_pk_algorithm_get_name(kind).map { String(cString: $0) } ?? "an unknown kind"
    throw CertificateFault(.weakKey(kind: name, bits: Int(bits)), at: path)
  }

  /// The DNS names among the subject alternative names (RFC 9525 section 6.3): the common name does
  /// not count, and a `*` only as the whole left-most label.
  ///
  /// - Parameter addressesSuffice: Whether IP addresses alone are enough: clients that ask for one
  ///   name no host, and get the default.
  func hosts(addressesSuffice: Bool) throws(CertificateFault) -> [String] {
    var hosts: [String] = []
    var hasAddress = false
    var index: UInt32 = 0
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      var count = buffer.count
      let code = gnutls_x509_crt_get_subject_alt_name(certificate, index, &buffer, &count, nil)
      if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
      index += 1
      // Names that do not fit are no DNS names; kinds that GnuTLS does not know are none, either.
      if code == GNUTLS_E_SHORT_MEMORY_BUFFER || code == GNUTLS_E_X509_UNKNOWN_SAN { continue }
      guard code >= 0 else {
        throw CertificateFault(.malformedCertificate(gnuTLSWords(code)), at: path)
      }
      if code == GNUTLS_SAN_IPADDRESS.rawValue { hasAddress = true }
      if code == GNUTLS_SAN_DNSNAME.rawValue, let host = Self.host(buffer[..<count]) {
        hosts.append(host)
      }
    }
    if hosts.isEmpty && !(addressesSuffice && hasAddress) {
      throw CertificateFault(.noName, at: path)
    }
    return hosts
  }

  /// A name in lower case; nil if it can match no host.
  private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    let exact = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
    let isName =
      !exact.isEmpty && exact.utf8.count <= 253
      && exact.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      }
    return isName ? text : nil
  }
}

/// Reads a value of at most 64 bytes.
func digest(
  _ read: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int>) -> CInt
) -> (code: CInt, bytes: [UInt8]) {
  var code: CInt = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
    guard let start = buffer.baseAddress else { return }
    var size = buffer.count
    code = read(start, &size)
    // Sound: GnuTLS writes no more than the size it was told, and says how much it wrote.
    count = code >= 0 ? size : 0
  }
  return (code, bytes)
}
