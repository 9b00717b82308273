/// How an app identifier is written: `<application identifier prefix>.<bundle identifier>`.
///
/// The prefix is ten characters that Apple issues, usually the Team ID (WWDC 2019, session 717). A
/// bundle identifier has ASCII letters, digits, hyphens and dots (Apple's page CFBundleIdentifier).
enum AppIdentifierSyntax: Equatable {
  case usual
  /// It names no app, whatever was meant.
  case malformed(reason: String)
  /// It was never filled in.
  case placeholder
  /// The prefix is not ten capital letters and digits.
  case unusualPrefix
  /// The bundle identifier has an underscore.
  case unusualBundle

  init(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = parts[0].utf8
    if let fault = Self.fault(prefix, bundle: parts.count > 1 ? parts[1] : nil) {
      self = .malformed(reason: fault)
    } else if Self.isPlaceholder(text) {
      self = .placeholder
    } else if prefix.count != 10 || !prefix.allSatisfy({ Self.isDigit($0) || Self.isUpper($0) }) {
      self = .unusualPrefix
    } else {
      self = text.utf8.contains(UInt8(ascii: "_")) ? .unusualBundle : .usual
    }
  }

  private static func fault(_ prefix: Substring.UTF8View, bundle: Substring?) -> String? {
    guard let bundle else { return "it has no dot" }
    if prefix.isEmpty { return "it begins with a dot" }
    let bytes = Array(prefix) + Array(bundle.utf8.filter { $0 != UInt8(ascii: ".") })
    if !bytes.allSatisfy(isAllowed) {
      return "it has other characters than letters, digits, dots, hyphens and underscores"
    }
    let labels = bundle.split(separator: ".", omittingEmptySubsequences: false)
    return labels.contains("") ? "a part between its dots is empty" : nil
  }

  private static func isPlaceholder(_ text: String) -> Bool {
    let words = [
      "TEAM_ID", "TEAMID", "YOUR_", "YOURTEAM", "REPLACE_", "DEVELOPMENT_TEAM", "APP_ID_PREFIX",
      "APPIDPREFIX", "XXXXXXXX", "BUNDLE_ID", "PLACEHOLDER",
    ]
    let capitals = text.uppercased()
    return words.contains { capitals.contains($0) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isDigit(byte) || isUpper(byte & ~0x20) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}
