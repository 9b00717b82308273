import Association

/// What is wrong with a pair, or with the directory.
package struct CertificateFault: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Reason: Sendable, Hashable {
    /// A file or the directory cannot be read; the operating system's message.
    case unreadable(String)
    /// The file is not a chain of certificates; GnuTLS's message.
    case malformedCertificate(String)
    /// The file is not a private key; GnuTLS's message.
    case malformedKey(String)
    /// The key is protected by a passphrase.
    case encryptedKey
    /// A certificate has no key; it should be at this path.
    case missingKey(String)
    /// A key has no certificate; it should be at this path.
    case missingCertificate(String)
    /// The key belongs to another certificate.
    case foreignKey(certificate: String)
    /// The certificate expired at this time, in seconds since 1970.
    case expired(Int64)
    /// The certificate becomes valid at this time, in seconds since 1970.
    case notYetValid(Int64)
    /// The certificate names no host in its subject alternative names (RFC 9525 section 6.3).
    case noName
    /// The key is of a kind or size that clients do not accept.
    case weakKey(kind: String, bits: Int)
    /// The directory has no certificate.
    case noPair
  }

  package let reason: Reason
  /// The file or directory that has the fault.
  package let path: String

  /// A fault of a file.
  package init(_ reason: Reason, at path: String) {
    self.reason = reason
    self.path = path
  }

  /// What is wrong and what to do, for people.
  package var description: String { "\(path): \(explanation)" }

  private var explanation: String {
    switch reason {
    case .unreadable(let message):
      "cannot be read (\(message)). Make it readable by the user that runs aasa."
    case .malformedCertificate(let message):
      "is not a chain of certificates in PEM form (\(message)). Put the host's certificate first, then "
        + "those that issued it."
    case .malformedKey(let message):
      "is not a private key in PEM form (\(message))."
    case .encryptedKey:
      "is protected by a passphrase. Remove it: openssl pkey -in OLD -out NEW."
    case .missingKey(let expected):
      "has no key. Put the key at \(expected), or remove the certificate."
    case .missingCertificate(let expected):
      "has no certificate. Put the certificate at \(expected), or remove the key."
    case .foreignKey(let certificate):
      "is not the key of \(certificate). Replace one of them."
    case .expired(let time):
      "the certificate expired on \(UnixTime(time).text). Renew it, or remove the pair."
    case .notYetValid(let time):
      "the certificate is only valid from \(UnixTime(time).text). Check the clock, or wait."
    case .noName:
      "the certificate names no host. Reissue it with a DNS name among its subject alternative names."
    case .weakKey(let kind, let bits):
      "clients do not accept \(kind) keys with \(bits) bits. Use ECDSA with 256 bits, or RSA with 2048 "
        + "or more."
    case .noPair:
      "has no certificate. Put NAME.crt and NAME.key there, or a directory with fullchain.pem and "
        + "privkey.pem, or with tls.crt and tls.key."
    }
  }
}

/// A directory without a valid pair.
package struct CertificatesRefused: Error, Sendable, Equatable, CustomStringConvertible {
  /// All faults, by file name; at least one.
  package let faults: [CertificateFault]

  /// A line for each fault.
  package var description: String { faults.map(\.description).joined(separator: "\n") }
}
