package import CGnuTLS

/// A chain of certificates with its private key, ready for handshakes.
package final class CertificatePair: @unchecked Sendable {
  // Unchecked is sound: nothing changes between init and deinit, and GnuTLS lets threads share
  // objects that no thread changes (its manual, "Thread safety").

  /// The chain, the host's certificate first.
  package let chain: UnsafeMutablePointer<gnutls_pcert_st>
  /// The number of certificates in the chain.
  package let chainCount: UInt32
  package let key: gnutls_privkey_t

  /// The name of its file or directory, which messages use.
  package let name: String
  /// The file of the certificate.
  package let path: String
  /// The hosts that it is valid for, in lower case; some may begin with `*.`.
  package let hosts: [String]
  /// The last second in which it is valid, since 1970.
  package let notAfter: Int64

  /// Loads and checks a pair.
  ///
  /// - Parameter now: Seconds since 1970.
  init(
    _ files: CertificateFiles, certificate: FileContents, key keyFile: FileContents, now: Int64
  ) throws(CertificateFault) {
    let imported = try ImportedChain(certificate.bytes, at: files.certificate)
    try imported.checkTimes(now: now)
    try imported.checkStrength()
    let isDefault = files.name == CertificateSet.defaultName
    hosts = try imported.hosts(addressesSuffice: isDefault)
    notAfter = imported.notAfter
    let privateKey = try ImportedKey(keyFile.bytes, at: files.key)
    guard privateKey.belongs(to: imported) else {
      throw CertificateFault(.foreignKey(certificate: files.certificate), at: files.key)
    }
    chain = try imported.copiedForHandshakes()
    chainCount = imported.count
    key = privateKey.taken()
    name = files.name
    path = files.certificate
  }

  deinit {
    for index in 0..<Int(chainCount) { gnutls_pcert_deinit(chain + index) }
    chain.deallocate()
    gnutls_privkey_deinit(key)
  }
}

/// The certificates of a file, as GnuTLS read them: at least one, the host's first.
private final class ImportedChain {
  let count: UInt32
  private let certificates: UnsafeMutablePointer<gnutls_x509_crt_t?>
  private let path: String

  /// Reads a chain in PEM form; certificates in another order are sorted.
  ///
  /// - Throws: `CertificateFault`, `.malformedCertificate`.
  init(_ bytes: [UInt8], at path: String) throws(CertificateFault) {
    var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
    var count: UInt32 = 0
    let code = withDatum(bytes) {
      gnutls_x509_crt_list_import2(
        &list, &count, $0, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT.rawValue)
    }
    guard code >= 0, let list, count > 0 else {
      throw CertificateFault(.malformedCertificate(gnuTLSMessage(code)), at: path)
    }
    certificates = list
    self.count = count
    self.path = path
  }

  deinit {
    for index in 0..<Int(count) { gnutls_x509_crt_deinit(certificates[index]) }
    aasa_gnutls_free(certificates)
  }

  /// The host's certificate, which must not be used after the chain is released.
  var leaf: gnutls_x509_crt_t? { certificates[0] }

  /// The last second in which it is valid, since 1970.
  var notAfter: Int64 { Int64(gnutls_x509_crt_get_expiration_time(leaf)) }

  /// - Throws: `CertificateFault`, `.notYetValid` or `.expired`.
  func checkTimes(now: Int64) throws(CertificateFault) {
    let notBefore = Int64(gnutls_x509_crt_get_activation_time(leaf))
    if notBefore > now { throw CertificateFault(.notYetValid(notBefore), at: path) }
    if notAfter < now { throw CertificateFault(.expired(notAfter), at: path) }
  }

  /// Requires a key that browsers and Apple's clients accept: RSA from 2048 bits, elliptic curves from
  /// 256.
  ///
  /// - Throws: `CertificateFault`, `.weakKey`.
  func checkStrength() throws(CertificateFault) {
    var bits: UInt32 = 0
    let code = gnutls_x509_crt_get_pk_algorithm(leaf, &bits)
    let kind = gnutls_pk_algorithm_t(rawValue: UInt32(bitPattern: max(0, code)))
    let least: UInt32? =
      switch kind {
      case GNUTLS_PK_RSA, GNUTLS_PK_RSA_PSS: 2048
      case GNUTLS_PK_ECDSA, GNUTLS_PK_EDDSA_ED25519, GNUTLS_PK_EDDSA_ED448: 256
      default: nil
      }
    if let least, bits >= least { return }
    let name = gnutls_pk_algorithm_get_name(kind).map { String(cString: $0) } ?? "unknown"
    throw CertificateFault(.weakKey(kind: name, bits: Int(bits)), at: path)
  }

  /// The DNS names among the subject alternative names (RFC 9525 section 6.3). The common name is ignored,
  /// and a `*` must be the whole left-most label.
  ///
  /// - Parameter addressesSuffice: Whether IP addresses alone are enough: clients that connect to an
  ///   address name no host, and get the default.
  /// - Throws: `CertificateFault`, `.noName` or `.malformedCertificate`.
  func hosts(addressesSuffice: Bool) throws(CertificateFault) -> [String] {
    var hosts: [String] = []
    var hasAddress = false
    var index: UInt32 = 0
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      var count = buffer.count
      let code = gnutls_x509_crt_get_subject_alt_name(leaf, index, &buffer, &count, nil)
      if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
      index += 1
      // Names that are too long, or of a kind unknown to GnuTLS, are not DNS names.
      if code == GNUTLS_E_SHORT_MEMORY_BUFFER || code == GNUTLS_E_X509_UNKNOWN_SAN { continue }
      guard code >= 0 else {
        throw CertificateFault(.malformedCertificate(gnuTLSMessage(code)), at: path)
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

  /// The chain in the form that handshakes need. The caller releases it.
  ///
  /// - Throws: `CertificateFault`, `.malformedCertificate`.
  func copiedForHandshakes() throws(CertificateFault) -> UnsafeMutablePointer<gnutls_pcert_st> {
    let copies = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Int(count))
    var number = count
    let code = gnutls_pcert_import_x509_list(copies, certificates, &number, 0)
    guard code >= 0 else {
      copies.deallocate()
      throw CertificateFault(.malformedCertificate(gnuTLSMessage(code)), at: path)
    }
    return copies
  }
}

/// The private key of a file, as GnuTLS read it.
private final class ImportedKey {
  private let key: gnutls_privkey_t
  private var isTaken = false

  /// Reads a key in PEM form.
  ///
  /// - Throws: `CertificateFault`, `.malformedKey` or `.encryptedKey`.
  init(_ bytes: [UInt8], at path: String) throws(CertificateFault) {
    var key: gnutls_privkey_t?
    let code = gnutls_privkey_init(&key)
    guard code >= 0, let key else {
      throw CertificateFault(.malformedKey(gnuTLSMessage(code)), at: path)
    }
    self.key = key
    let result = withDatum(bytes) {
      gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0)
    }
    if result == GNUTLS_E_DECRYPTION_FAILED { throw CertificateFault(.encryptedKey, at: path) }
    if result < 0 { throw CertificateFault(.malformedKey(gnuTLSMessage(result)), at: path) }
  }

  deinit { if !isTaken { gnutls_privkey_deinit(key) } }

  /// Whether it is the key of the chain's first certificate.
  func belongs(to chain: ImportedChain) -> Bool {
    guard let certified = identifier({ gnutls_pubkey_import_x509($0, chain.leaf, 0) }) else {
      return false
    }
    return certified == identifier { gnutls_pubkey_import_privkey($0, key, 0, 0) }
  }

  /// The SHA-256 of a public key; nil if it cannot be read.
  private func identifier(_ read: (gnutls_pubkey_t?) -> CInt) -> [UInt8]? {
    var key: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&key) >= 0 else { return nil }
    defer { gnutls_pubkey_deinit(key) }
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    guard read(key) >= 0,
      gnutls_pubkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256.rawValue, &bytes, &count) >= 0
    else { return nil }
    return Array(bytes[..<count])
  }

  /// Passes ownership of the key to the caller.
  func taken() -> gnutls_privkey_t {
    isTaken = true
    return key
  }
}

/// Calls `body` with bytes in GnuTLS's form, which it must not keep.
package func withDatum<Result>(
  _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
) -> Result {
  var bytes = bytes
  // Sound: the pointers are used during the call only.
  return bytes.withUnsafeMutableBufferPointer { buffer in
    var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
    return body(&datum)
  }
}

/// GnuTLS's message for an error.
private func gnuTLSMessage(_ code: CInt) -> String {
  guard let message = gnutls_strerror(code) else { return "error \(code)" }
  return String(cString: message).split(separator: "\n").joined(separator: " ")
}
