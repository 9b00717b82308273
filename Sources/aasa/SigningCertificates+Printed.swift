import Association

extension SigningCertificates {
  /// The certificates of which `keytool`, `apksigner`, `openssl`, EAS or Gradle's `signingReport` printed the fingerprint,
  /// without those of their issuers. `keytool` is read in English: the labels say whose a fingerprint is.
  static func printed(in text: String) -> [Certificate] {
    var alias: String?
    var (subject, config) = ("", "")
    var (isOfIssuer, isOfStamp, isTrusted) = (false, false, false)
    var found: [Certificate] = []
    for untrimmed in text.split(whereSeparator: \.isNewline) {
      let line = untrimmed.drop(while: \.isWhitespace)
      // Google Play stamps apps with another key.
      if line.contains("Stamp Signer") { continue }
      func value(behind words: String) -> Substring? {
        line.hasPrefix(words)
          ? line.dropFirst(words.count).drop(while: \.isWhitespace) : nil
      }
      if let name = value(behind: "Alias name:") {
        (alias, subject, isOfIssuer, isTrusted) = (String(name), "", false, false)
      } else if let name = value(behind: "Config:") {
        config = "config \(name)"
      } else if let name = value(behind: "Alias:") {
        (alias, subject, isOfIssuer, isTrusted) = (String(name), config, false, false)
      } else if let name = value(behind: "Key Alias ") {
        (alias, subject, isOfIssuer, isTrusted) = (String(name), "", false, false)
      } else if let name = value(behind: "Owner:") {
        subject = String(name)
      } else if let name = line.firstRange(of: "certificate DN: ") {
        subject = String(line[name.upperBound...])
      } else if let number = value(behind: "Certificate #") ?? value(behind: "Certificate[") {
        isOfIssuer = number.prefix(while: \.isNumber) != "1"
      } else if line.hasPrefix("Timestamp:") {
        isOfStamp = true
      } else if line.hasPrefix("Signer") {
        isOfStamp = false
      } else if let comma = line.firstIndex(of: ","), line.contains("Entry,") {
        // `keytool -list` without `-v`: `upload, Mar 1, 2026, PrivateKeyEntry,`
        (alias, subject, isOfIssuer) = (String(line[..<comma]), "", false)
        isTrusted = !line.contains("PrivateKeyEntry,")
      }
      let isNamed = alias != nil || !subject.isEmpty
      let written =
        line.firstRange(of: "certificate SHA-256 digest: ").map { line[$0.upperBound...] }
        ?? value(behind: "sha256 Fingerprint=") ?? value(behind: "SHA256 Fingerprint=")
        ?? (isNamed
          ? value(behind: "SHA256:") ?? value(behind: "SHA-256:")
            ?? value(behind: "SHA256 Fingerprint ")
            ?? value(behind: "Certificate fingerprint (SHA-256):") : nil)
      if let fingerprint = written?.split(whereSeparator: \.isWhitespace).first
        .flatMap({ Fingerprint(written: String($0)) }), !isOfIssuer, !isOfStamp, !isTrusted
      {
        found.append(Certificate(fingerprint, of: subject, alias: alias))
      }
    }
    return found
  }
}
