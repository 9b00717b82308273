import Association
import CGnuTLS
import HTTP
import Service
import Store

/// The certificates in a file that has to do with signing an Android app.
struct SigningCertificates {
  struct Certificate {
    let fingerprint: Fingerprint
    /// Whose it is, such as `CN=Example`.
    let subject: String
    /// The name of its entry in a keystore.
    var alias: String?
    /// The schemes by which it signed an app.
    var schemes: [String] = []

    init(_ fingerprint: Fingerprint, of subject: String, alias: String?) {
      (self.fingerprint, self.subject, self.alias) = (fingerprint, subject, alias)
    }

    /// Reads a certificate in DER; `nil` if it is none.
    init?(_ der: [UInt8]) {
      var certificate: gnutls_x509_crt_t?
      guard gnutls_x509_crt_init(&certificate) == 0 else { return nil }
      defer { gnutls_x509_crt_deinit(certificate) }
      guard withDatum(der, { gnutls_x509_crt_import(certificate, $0, GNUTLS_X509_FMT_DER) }) == 0,
        let fingerprint = Fingerprint(written: SHA256.hexadecimal(of: der))
      else { return nil }
      self.fingerprint = fingerprint
      var text = gnutls_datum_t()
      subject =
        gnutls_x509_crt_get_dn2(certificate, &text) == 0
        ? String(decoding: text.taken(), as: UTF8.self) : ""
    }
  }

  enum Format: String {
    case apk = "APK"
    case bundle = "Android App Bundle"
    case keystore
    case certificate
    /// What a tool printed about certificates.
    case text
  }

  let format: Format
  private(set) var certificates: [Certificate] = []

  /// The largest file that is read as a whole, in bytes: every one except apps.
  private static let limit = 4_194_304
  /// The most certificates of a file.
  private static let most = 1000
  /// Android's and Java's tools use 10,000 to 100,000 rounds.
  private static let mostRounds: UInt32 = 1_000_000

  /// Reads a file; `-` is stdin, which is no app.
  ///
  /// - Parameter password: Asks for the password of a keystore.
  init(path: String, password: () throws -> String) throws {
    if path == "-" {
      let bytes = try InputFile.bytes(of: path, atMost: Self.limit)
      if bytes.starts(with: "PK".utf8) {
        throw Failure("stdin is an app or another ZIP archive, which aasa reads only from a file.")
      }
      try self.init(bytes, "stdin", password)
      return
    }
    let file = try RandomAccessFile(path: path)
    if try file.bytes(at: 0, min(file.size, 2))?.elementsEqual("PK".utf8) == true {
      try self.init(AndroidPackage(file), file.name)
      return
    }
    guard file.size <= Self.limit, let bytes = try file.bytes(at: 0, file.size) else {
      throw Failure("\(file.name) is too large. The limit is \(Self.limit) bytes.")
    }
    try self.init(bytes, file.name, password)
  }

  private init(_ package: AndroidPackage, _ name: String) throws {
    format = package.isBundle ? .bundle : .apk
    for (certificate, scheme) in package.signers { try add(certificate, scheme: scheme, name) }
    for signature in package.signatureFiles {
      for certificate in try Self.signedData(signature, GNUTLS_X509_FMT_DER) ?? [] {
        try add(certificate, scheme: "v1", name)
      }
    }
    if certificates.isEmpty {
      throw Failure(
        "\(name) is not signed, or it is a set of APKs. Unpack a set (.apks, .xapk) and give base.apk; sign"
          + " an app with apksigner.")
    }
  }

  private init(_ bytes: [UInt8], _ name: String, _ password: () throws -> String) throws {
    let start = Array(bytes.prefix(4))
    if start == [0xFE, 0xED, 0xFE, 0xED] {
      format = .keystore
      guard let entries = Self.javaKeystore(bytes) else {
        throw Failure("\(name) is a Java keystore that is cut off or damaged.")
      }
      for (alias, certificate) in entries { try add(certificate, alias: alias, name) }
    } else if start == [0xCE, 0xCE, 0xCE, 0xCE] {
      throw Failure(
        "\(name) is a keystore of the type JCEKS, which aasa does not read. Convert it: keytool -importkeystore"
          + " -srckeystore FILE -srcstoretype JCEKS -destkeystore NEW.p12 -deststoretype PKCS12")
    } else if start.first == 0x30 {
      if Certificate(bytes) != nil {
        format = .certificate
        try add(bytes, name)
      } else if let certificates = try Self.signedData(bytes, GNUTLS_X509_FMT_DER) {
        format = .certificate
        for certificate in certificates { try add(certificate, name) }
      } else {
        format = .keystore
        for (alias, certificate) in try Self.keystore(bytes, name, password) {
          try add(certificate, alias: alias, name)
        }
      }
    } else if case let text = String(decoding: bytes, as: UTF8.self), !text.contains("-----BEGIN "),
      case let printed = Self.printed(in: text), !printed.isEmpty
    {
      format = .text
      for certificate in printed { try add(certificate, name) }
    } else {
      format = .certificate
      for certificate in try Self.pem(bytes, name) { try add(certificate, name) }
    }
    if certificates.isEmpty { throw Failure("\(name) has no certificate.") }
  }

  private mutating func add(
    _ der: [UInt8], scheme: String? = nil, alias: String? = nil, _ name: String
  ) throws(Failure) {
    guard var certificate = Certificate(der) else {
      throw Failure("\(name) has a certificate that cannot be read.")
    }
    certificate.alias = alias
    if let scheme { certificate.schemes = [scheme] }
    try add(certificate, name)
  }

  private mutating func add(_ certificate: Certificate, _ name: String) throws(Failure) {
    if let index = certificates.firstIndex(where: { $0.fingerprint == certificate.fingerprint }) {
      for scheme in certificate.schemes where !certificates[index].schemes.contains(scheme) {
        certificates[index].schemes.append(scheme)
      }
      return
    }
    if certificates.count == Self.most {
      throw Failure("\(name) has more than \(Self.most) certificates.")
    }
    certificates.append(certificate)
  }

  // MARK: - PEM and PKCS #7

  private static func pem(_ bytes: [UInt8], _ name: String) throws(Failure) -> [[UInt8]] {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.contains("-----BEGIN PKCS7-----"),
      let certificates = try signedData(bytes, GNUTLS_X509_FMT_PEM)
    {
      return certificates
    }
    var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
    var count: UInt32 = 0
    let code = withDatum(bytes) {
      gnutls_x509_crt_list_import2(&list, &count, $0, GNUTLS_X509_FMT_PEM, 0)
    }
    guard code >= 0, let list else {
      throw Failure(
        text.contains("PRIVATE KEY-----")
          ? "\(name) has a private key and no certificate. A fingerprint is that of the certificate: give it, or the"
            + " keystore."
          : text.contains("PUBLIC KEY-----")
            ? "\(name) has a public key and no certificate. The fingerprint of a key is another one: give the"
              + " certificate."
            : ["SHA1", "SHA-1"].contains(where: text.contains)
              && !["SHA256", "SHA-256"].contains(where: text.contains)
              ? "\(name) has a SHA-1 fingerprint and none of SHA-256, which the file needs. Print both: keytool -list -v"
                + " -keystore FILE"
              : "\(name) is none of the files that can be read: an APK, an Android bundle (.aab), a keystore (PKCS #12 or"
                + " JKS), a certificate in PEM or DER, or what keytool (in English), apksigner, openssl, Gradle or EAS printed of one."
      )
    }
    defer {
      for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
      aasa_gnutls_free(list)
    }
    return (0..<Int(count)).map { index in
      var der = gnutls_datum_t()
      return gnutls_x509_crt_export2(list[index], GNUTLS_X509_FMT_DER, &der) == 0 ? der.taken() : []
    }
  }

  /// The certificates of a signature (PKCS #7); `nil` if it is none.
  private static func signedData(
    _ bytes: [UInt8], _ encoding: gnutls_x509_crt_fmt_t
  ) throws(Failure) -> [[UInt8]]? {
    var message: gnutls_pkcs7_t?
    guard gnutls_pkcs7_init(&message) == 0 else { throw Failure("There is no memory.") }
    defer { gnutls_pkcs7_deinit(message) }
    guard withDatum(bytes, { gnutls_pkcs7_import(message, $0, encoding) }) == 0 else { return nil }
    return (0..<max(0, gnutls_pkcs7_get_crt_count(message))).compactMap { index in
      var der = gnutls_datum_t()
      return gnutls_pkcs7_get_crt_raw2(message, UInt32(index), &der) == 0 ? der.taken() : nil
    }
  }

  // MARK: - Keystores

  /// The certificates of a keystore of Java's own format (JKS), which are not encrypted, with their aliases. `nil` if it
  /// is damaged.
  private static func javaKeystore(_ bytes: [UInt8]) -> [(alias: String, certificate: [UInt8])]? {
    var cursor = ByteCursor(bytes, isBigEndian: true)
    guard cursor.bytes(4) != nil, let version = cursor.number(bytes: 4), (1...2).contains(version),
      let count = cursor.number(bytes: 4)
    else { return nil }
    func certificate() -> [UInt8]? {
      if version == 2, cursor.counted(bytes: 2) == nil { return nil }
      return cursor.counted(bytes: 4).map { Array($0) }
    }
    var found: [(String, [UInt8])] = []
    for _ in 0..<count {
      guard let kind = cursor.number(bytes: 4), let alias = cursor.counted(bytes: 2),
        cursor.bytes(8) != nil
      else { return nil }
      var chain = 1
      if kind == 1 {
        guard cursor.counted(bytes: 4) != nil, let length = cursor.number(bytes: 4) else {
          return nil
        }
        chain = length
      } else if kind != 2 {
        return nil
      }
      for place in 0..<chain {
        guard let certificate = certificate() else { return nil }
        // Behind the first are those of its issuers.
        if place == 0 { found.append((String(decoding: alias, as: UTF8.self), certificate)) }
      }
    }
    return found
  }

  /// The certificates of a PKCS #12 keystore, with their aliases.
  private static func keystore(
    _ bytes: [UInt8], _ name: String, _ ask: () throws -> String
  ) throws -> [(alias: String?, certificate: [UInt8])] {
    var store: gnutls_pkcs12_t?
    guard gnutls_pkcs12_init(&store) == 0 else { throw Failure("There is no memory.") }
    defer { gnutls_pkcs12_deinit(store) }
    guard withDatum(bytes, { gnutls_pkcs12_import(store, $0, GNUTLS_X509_FMT_DER, 0) }) == 0 else {
      throw Failure(
        "\(name) is neither a certificate, a signature nor a keystore that can be read: it is damaged, or of a format"
          + " that GnuTLS does not know.")
    }
    var rounds: UInt32 = 0
    // Without a code, nothing can be checked, and the parts decide.
    _ = gnutls_pkcs12_mac_info(store, nil, nil, nil, &rounds, nil)
    if rounds > mostRounds { throw tooManyRounds(name) }
    let password = try ask()
    if gnutls_pkcs12_verify_mac(store, password) == GNUTLS_E_MAC_VERIFY_FAILED {
      throw Failure("The password of \(name) is wrong.")
    }
    var found: [(String?, [UInt8])] = []
    for index in 0..<CInt(most) {
      var bag: gnutls_pkcs12_bag_t?
      guard gnutls_pkcs12_bag_init(&bag) == 0 else { throw Failure("There is no memory.") }
      defer { gnutls_pkcs12_bag_deinit(bag) }
      let code = gnutls_pkcs12_get_bag(store, index, bag)
      if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
      guard code == 0 else { throw unreadable(name, code) }
      if gnutls_pkcs12_bag_get_type(bag, 0) == CInt(GNUTLS_BAG_ENCRYPTED.rawValue) {
        _ = gnutls_pkcs12_bag_enc_info(bag, nil, nil, nil, nil, &rounds, nil)
        if rounds > mostRounds { throw tooManyRounds(name) }
        let code = gnutls_pkcs12_bag_decrypt(bag, password)
        if code != 0 { throw unreadable(name, code) }
      }
      for item in 0..<max(0, gnutls_pkcs12_bag_get_count(bag)) {
        var der = gnutls_datum_t()
        guard
          gnutls_pkcs12_bag_get_type(bag, UInt32(item)) == CInt(GNUTLS_BAG_CERTIFICATE.rawValue),
          gnutls_pkcs12_bag_get_data(bag, UInt32(item), &der) == 0
        else { continue }
        var alias: UnsafeMutablePointer<CChar>?
        _ = gnutls_pkcs12_bag_get_friendly_name(bag, UInt32(item), &alias)
        // Sound: both belong to the bag, which lives until the end of the loop's body.
        found.append((alias.map { String(cString: $0) }, der.copied))
      }
    }
    return found
  }

  private static func tooManyRounds(_ name: String) -> Failure {
    Failure(
      "\(name) is protected by more than \(mostRounds) rounds of its password, which would take too long."
    )
  }

  private static func unreadable(_ name: String, _ code: CInt) -> Failure {
    let reason = gnutls_strerror(code).map { String(cString: $0) } ?? ""
    return Failure(
      "\(name) cannot be read (\(reason)). Export its certificate instead: keytool -exportcert -rfc -keystore FILE"
        + " -alias ALIAS -file NEW.pem")
  }
}

extension gnutls_datum_t {
  /// The bytes, while GnuTLS keeps them.
  fileprivate var copied: [UInt8] {
    Array(UnsafeBufferPointer(start: data, count: Int(size)))
  }

  /// The bytes, which GnuTLS allocated for the caller and this frees.
  fileprivate func taken() -> [UInt8] {
    defer { aasa_gnutls_free(data) }
    return copied
  }
}
