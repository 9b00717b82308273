import Association

extension SigningCertificates {
  /// The certificates of which `keytool`, `apksigner`, `openssl` or Gradle's `signingReport` printed the fingerprint, without
  /// those of their issuers.
  static func printed(in bytes: [UInt8]) -> [Certificate] {
    var alias: String?
    var subject = ""
    var (isOfIssuer, isOfStamp) = (false, false)
    var found: [Certificate] = []
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      // Google Play stamps apps with another key, and that of a public key is another fingerprint.
      if line.contains("Stamp Signer") || line.contains("public key") { continue }
      let words = line.split { $0.isWhitespace || $0 == "=" }
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 {
        let value = parts[1].drop(while: \.isWhitespace)
        switch parts[0].drop(while: \.isWhitespace) {
        case "Alias name", "Alias": (alias, subject, isOfIssuer) = (String(value), "", false)
        case "Owner": subject = String(value)
        default: break
        }
      }
      if let name = line.firstRange(of: "certificate DN: ") {
        subject = String(line[name.upperBound...])
      }
      switch words.first {
      case "Certificate"? where words.count == 2 && words[1].hasPrefix("#"):
        isOfIssuer = words[1] != "#1:"
      case let first? where first.hasPrefix("Certificate["): isOfIssuer = first != "Certificate[1]:"
      case "Timestamp:": isOfStamp = true
      case "Signer": isOfStamp = false
      default: break
      }
      let fingerprint = words.lazy.filter { $0.utf8.count == 95 || line.contains("SHA-256") }
        .compactMap { Fingerprint(written: String($0)) }.first
      if let fingerprint, !isOfIssuer, !isOfStamp {
        found.append(Certificate(fingerprint, of: subject, alias: alias))
      }
    }
    return found
  }
}
