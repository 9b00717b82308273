import CGnuTLS

/// The certificates of a file, as GnuTLS read them.
final class ImportedChain {
  private let certificates: UnsafeMutablePointer<gnutls_x509_crt_t?>
  let count: UInt32

  /// Reads a chain in PEM form; certificates that stand in another order are sorted.
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
      throw CertificateFault(.malformedCertificate(gnuTLSWords(code)), at: path)
    }
    certificates = list
    self.count = count
  }

  deinit {
    for index in 0..<Int(count) { gnutls_x509_crt_deinit(certificates[index]) }
    aasa_gnutls_free(certificates)
  }

  /// The host's certificate, which must not outlive the chain.
  func leaf(at path: String) throws(CertificateFault) -> Leaf {
    guard let certificate = certificates[0] else {
      throw CertificateFault(.malformedCertificate("it is empty"), at: path)
    }
    return Leaf(certificate: certificate, path: path)
  }

  /// The chain in the form that handshakes need, to be given up by the caller.
  func copiedForHandshakes(
    at path: String
  ) throws(CertificateFault) -> UnsafeMutablePointer<gnutls_pcert_st> {
    let copies = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Int(count))
    var number = count
    let code = gnutls_pcert_import_x509_list(copies, certificates, &number, 0)
    guard code >= 0 else {
      copies.deallocate()
      throw CertificateFault(.malformedCertificate(gnuTLSWords(code)), at: path)
    }
    return copies
  }
}

/// Calls `body` with bytes as GnuTLS takes them; it does not keep them.
func withDatum<Result>(
  _ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result
) -> Result {
  var bytes = bytes
  // Sound: the pointers are used during the call only.
  return bytes.withUnsafeMutableBufferPointer { buffer in
    var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
    return body(&datum)
  }
}

/// What GnuTLS says of an error.
func gnuTLSWords(_ code: CInt) -> String {
  guard let words = gnutls_strerror(code) else { return "error \(code)" }
  return String(cString: words).split(separator: "\n").joined(separator: " ")
}
