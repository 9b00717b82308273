import CGnuTLS

/// The private key of a file, as GnuTLS read it; given up when it goes out of use, if nobody took it.
final class ImportedKey {
  private let key: gnutls_privkey_t
  private let path: String
  private var isTaken = false

  /// Reads a key in PEM form.
  ///
  /// - Throws: `CertificateFault`, `.malformedKey` or `.encryptedKey`.
  init(_ bytes: [UInt8], at path: String) throws(CertificateFault) {
    self.path = path
    var key: gnutls_privkey_t?
    let code = gnutls_privkey_init(&key)
    guard code >= 0, let key else {
      throw CertificateFault(.malformedKey(gnuTLSWords(code)), at: path)
    }
    self.key = key
    let result = withDatum(bytes) {
      gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0)
    }
    if result == GNUTLS_E_DECRYPTION_FAILED { throw CertificateFault(.encryptedKey, at: path) }
    if result < 0 { throw CertificateFault(.malformedKey(gnuTLSWords(result)), at: path) }
  }

  deinit { if !isTaken { gnutls_privkey_deinit(key) } }

  /// Checks that it is the key of a certificate.
  ///
  /// - Throws: `CertificateFault`, `.foreignKey`.
  func checkBelongs(to leaf: Leaf) throws(CertificateFault) {
    var publicKey: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&publicKey) >= 0 else {
      throw CertificateFault(.malformedKey("no memory is left"), at: path)
    }
    defer { gnutls_pubkey_deinit(publicKey) }
    let code = gnutls_pubkey_import_privkey(publicKey, key, 0, 0)
    guard code >= 0 else { throw CertificateFault(.malformedKey(gnuTLSWords(code)), at: path) }
    let (result, identifier) = digest { buffer, count in
      gnutls_pubkey_get_key_id(
        publicKey, GNUTLS_KEYID_USE_SHA256.rawValue,
        buffer.assumingMemoryBound(to: UInt8.self), count)
    }
    guard result >= 0, identifier == (try leaf.keyIdentifier()) else {
      throw CertificateFault(.foreignKey(certificate: leaf.path), at: path)
    }
  }

  /// Gives the key to the caller, who gives it up.
  func taken() -> gnutls_privkey_t {
    isTaken = true
    return key
  }
}
