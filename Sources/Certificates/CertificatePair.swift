public import CGnuTLS

/// A chain of certificates with its private key, ready for handshakes.
public final class CertificatePair: @unchecked Sendable {
  // Unchecked is sound: nothing changes between init and deinit, and GnuTLS lets threads share what
  // nobody changes (its manual, "Thread safety").

  /// The chain, the host's certificate first.
  public let chain: UnsafeMutablePointer<gnutls_pcert_st>
  /// The number of certificates in the chain.
  public let chainCount: UInt32
  /// The private key.
  public let key: gnutls_privkey_t

  /// What people call the pair: the name of its file or directory.
  public let name: String
  /// The file of the certificate.
  public let path: String
  /// The hosts that it is for, in lower case, perhaps with `*.` before.
  public let hosts: [String]
  /// The last second in which it is valid, since 1970.
  public let notAfter: Int64

  /// Loads a pair.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: `CertificateFault`.
  init(
    _ files: CertificateFiles, certificate: FileContents, key keyFile: FileContents, now: Int64
  ) throws(CertificateFault) {
    let imported = try ImportedChain(certificate.bytes, at: files.certificate)
    let leaf = try imported.leaf(at: files.certificate)
    notAfter = leaf.notAfter
    try leaf.checkTimes(now: now)
    try leaf.checkStrength()
    let isDefault = files.name == CertificateSet.defaultName
    hosts = try leaf.hosts(addressesSuffice: isDefault)
    let privateKey = try ImportedKey(keyFile.bytes, at: files.key)
    try privateKey.checkBelongs(to: leaf)
    chain = try imported.copiedForHandshakes(at: files.certificate)
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
