/// What is wrong with one pair, or with the directory.
public struct CertificateFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: Sendable, Hashable {
    /// A file or the directory cannot be read; the operating system's words.
    case unreadable(String)
    /// The file is not what it has to be; GnuTLS's words.
    case malformedCertificate(String)
    /// The file has no private key that can be read; GnuTLS's words.
    case malformedKey(String)
    /// The key is protected by a passphrase.
    case encryptedKey
    /// There is a certificate and no key; where that was looked for.
    case missingKey(String)
    /// There is a key and no certificate; where that was looked for.
    case missingCertificate(String)
    /// The key is not the one of the certificate.
    case foreignKey(certificate: String)
    /// The certificate has ended: seconds since 1970.
    case expired(Int64)
    /// The certificate has not begun: seconds since 1970.
    case notYetValid(Int64)
    /// The certificate names no host in its subject alternative names (RFC 9525 section 6.3).
    case noName
    /// The key is of this kind and of so many bits.
    case weakKey(kind: String, bits: Int)
    /// The directory has no pair.
    case noPair
  }

  /// What is wrong.
  public let reason: Reason
  /// The file or directory with the fault.
  public let path: String

  /// A fault of a file.
  public init(_ reason: Reason, at path: String) {
    self.reason = reason
    self.path = path
  }

  /// What is wrong and what to do, for people.
  public var description: String { "\(path): \(explanation)" }

  private var explanation: String {
    switch reason {
    case .unreadable(let message):
      "cannot be read (\(message)). Let the user that aasa runs as read it."
    case .malformedCertificate(let message):
      "is not a chain of certificates in PEM form (\(message)). It begins with the certificate of "
        + "the host; those that issued it follow."
    case .malformedKey(let message):
      "is not a private key in PEM form (\(message))."
    case .encryptedKey:
      "is protected by a passphrase. Write the key without it: openssl pkey -in OLD -out NEW."
    case .missingKey(let expected):
      "has no key beside it. Put it at \(expected), or take the certificate away."
    case .missingCertificate(let expected):
      "has no certificate beside it. Put it at \(expected), or take the key away."
    case .foreignKey(let certificate):
      "is not the key of \(certificate). Put the two that belong together there."
    case .expired(let time):
      "the certificate expired on \(Self.day(time)). Renew it, or take the pair away."
    case .notYetValid(let time):
      "the certificate is only valid from \(Self.day(time)). Check the clock, or wait."
    case .noName:
      "the certificate names no host: it needs a DNS name among its subject alternative names. "
        + "Have it issued again with one."
    case .weakKey(let kind, let bits):
      "a key of \(kind) with \(bits) bits is not accepted. Use ECDSA with 256 bits, or RSA with 2048 "
        + "or more."
    case .noPair:
      "has no certificate. Put NAME.crt and NAME.key there, or a directory with fullchain.pem and "
        + "privkey.pem, or with tls.crt and tls.key."
    }
  }

  /// A day in ISO 8601, UTC.
  private static func day(_ time: Int64) -> String {
    CertificateTime(time).description
  }
}

/// Why a directory is refused: no pair of it can be used. Every fault in it.
public struct CertificatesRefused: Error, Sendable, Equatable, CustomStringConvertible {
  /// The faults, in the order of the files' names; at least one.
  public let faults: [CertificateFault]

  /// One sentence or two for each fault, a line each.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
