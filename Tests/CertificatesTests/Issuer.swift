import CGnuTLS
import FoundationEssentials
import Glibc
import TestSupport

/// An authority that issues certificates for tests, right and wrong ones.
final class Issuer: @unchecked Sendable {
  // Unchecked is sound: nothing changes after init, and GnuTLS lets threads share what nobody changes.

  /// A call of GnuTLS failed.
  struct Failure: Error {
    let code: CInt
  }

  /// A certificate with its key, both in PEM form.
  struct Issued {
    let certificate: String
    let key: String
  }

  /// The authority's own certificate, for clients that trust it.
  let authority: Issued

  private let certificate: gnutls_x509_crt_t?
  private let key: gnutls_x509_privkey_t?

  static let now = Int64(Date.now.timeIntervalSince1970)
  private static let day: Int64 = 86_400

  init() throws {
    key = try Self.makeKey(GNUTLS_PK_ECDSA, bits: 256)
    certificate = try Self.makeCertificate(
      for: key, names: ["Test authority"], addresses: [], serial: 1,
      valid: -Self.day...3650 * Self.day)
    try check(gnutls_x509_crt_set_basic_constraints(certificate, 1, 1))
    try check(gnutls_x509_crt_set_key_usage(certificate, UInt32(GNUTLS_KEY_KEY_CERT_SIGN)))
    try check(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0))
    authority = Issued(certificate: try Self.text(of: certificate), key: try Self.text(ofKey: key))
  }

  deinit {
    gnutls_x509_crt_deinit(certificate)
    gnutls_x509_privkey_deinit(key)
  }

  /// Issues a certificate.
  ///
  /// - Parameters:
  ///   - names: DNS names among its subject alternative names.
  ///   - addresses: IPv4 addresses among them, four bytes each.
  ///   - valid: From when to when, in days from now.
  ///   - rsaBits: The size of an RSA key; without it the key is of ECDSA.
  func issue(
    _ names: String..., addresses: [[UInt8]] = [], valid: ClosedRange<Int64> = -1...90,
    rsaBits: UInt32? = nil, serial: UInt8 = 2
  ) throws -> Issued {
    let key = try Self.makeKey(
      rsaBits == nil ? GNUTLS_PK_ECDSA : GNUTLS_PK_RSA, bits: rsaBits ?? 256)
    defer { gnutls_x509_privkey_deinit(key) }
    let certificate = try Self.makeCertificate(
      for: key, names: names, addresses: addresses, serial: serial,
      valid: valid.lowerBound * Self.day...valid.upperBound * Self.day)
    defer { gnutls_x509_crt_deinit(certificate) }
    try check(gnutls_x509_crt_sign2(certificate, self.certificate, self.key, GNUTLS_DIG_SHA256, 0))
    return Issued(certificate: try Self.text(of: certificate), key: try Self.text(ofKey: key))
  }

  private static func makeKey(
    _ kind: gnutls_pk_algorithm_t, bits: UInt32
  ) throws -> gnutls_x509_privkey_t? {
    var key: gnutls_x509_privkey_t?
    try check(gnutls_x509_privkey_init(&key))
    // For curves the number of bits says which (GNUTLS_CURVE_TO_BITS).
    let curve = 0x8000_0000 | GNUTLS_ECC_CURVE_SECP256R1.rawValue
    try check(gnutls_x509_privkey_generate(key, kind, kind == GNUTLS_PK_RSA ? bits : curve, 0))
    return key
  }

  private static func makeCertificate(
    for key: gnutls_x509_privkey_t?, names: [String], addresses: [[UInt8]], serial: UInt8,
    valid: ClosedRange<Int64>
  ) throws -> gnutls_x509_crt_t? {
    var certificate: gnutls_x509_crt_t?
    try check(gnutls_x509_crt_init(&certificate))
    try check(gnutls_x509_crt_set_version(certificate, 3))
    try check(gnutls_x509_crt_set_serial(certificate, [serial], 1))
    try check(gnutls_x509_crt_set_key(certificate, key))
    let name = names.first ?? "no name"
    try check(
      gnutls_x509_crt_set_dn_by_oid(
        certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.utf8.count)))
    for name in names where !name.contains(" ") {
      try check(
        gnutls_x509_crt_set_subject_alt_name(
          certificate, GNUTLS_SAN_DNSNAME, name, UInt32(name.utf8.count),
          UInt32(GNUTLS_FSAN_APPEND)))
    }
    for address in addresses {
      try check(
        gnutls_x509_crt_set_subject_alt_name(
          certificate, GNUTLS_SAN_IPADDRESS, address, UInt32(address.count),
          UInt32(GNUTLS_FSAN_APPEND)))
    }
    try check(gnutls_x509_crt_set_activation_time(certificate, time_t(now + valid.lowerBound)))
    try check(gnutls_x509_crt_set_expiration_time(certificate, time_t(now + valid.upperBound)))
    return certificate
  }

  private static func text(of certificate: gnutls_x509_crt_t?) throws -> String {
    try exported { gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_PEM, $0, $1) }
  }

  private static func text(ofKey key: gnutls_x509_privkey_t?) throws -> String {
    try exported { gnutls_x509_privkey_export(key, GNUTLS_X509_FMT_PEM, $0, $1) }
  }

  private static func exported(
    _ export: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>) -> CInt
  ) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var count = bytes.count
    try check(export(&bytes, &count))
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// Throws the error of a call that failed.
func check(_ code: CInt) throws {
  if code < 0 { throw Issuer.Failure(code: code) }
}

extension TemporaryDirectory {
  /// Writes a pair as `NAME.crt` and `NAME.key`, the key first, as a program that renews does.
  func write(_ issued: Issuer.Issued, as name: String) throws {
    let key = try write(issued.key, to: "\(name).key")
    chmod(key, 0o600)
    try write(issued.certificate, to: "\(name).crt")
  }
}
