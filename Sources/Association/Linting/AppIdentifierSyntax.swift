/// How an app identifier is written: `<application identifier prefix>.<bundle identifier>`.
///
/// The prefix is ten characters that Apple issues, usually the Team ID (WWDC 2019, session 717). A
/// bundle identifier has ASCII letters, digits, hyphens and dots (Apple's page CFBundleIdentifier).
enum AppIdentifierSyntax: Equatable {
  case usual
  /// It names no app, whatever was meant.
  case malformed(message: String)
  /// It was never filled in.
  case placeholder
  /// The prefix is not ten capital letters and digits.
  case unusualPrefix
  /// The bundle identifier has an underscore.
  case unusualBundle

  init(_ text: String) {
    do throws(ValidationError) {
      let identifier = try AppIdentifier(text)
      if Self.isPlaceholder(text) {
        self = .placeholder
      } else if !Self.isUsual(prefix: identifier.prefix.utf8) {
        self = .unusualPrefix
      } else {
        self = text.utf8.contains(UInt8(ascii: "_")) ? .unusualBundle : .usual
      }
    } catch {
      self = .malformed(message: error.message)
    }
  }

  private static func isUsual(prefix: Substring.UTF8View) -> Bool {
    prefix.count == 10
      && prefix.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  private static func isPlaceholder(_ text: String) -> Bool {
    let bytes = text.utf8.map(\.asciiLowercased)
    return placeholders.contains { bytes.contains(ascii: $0) }
  }

  private static let placeholders: [StaticString] = [
    "team_id", "teamid", "your_", "yourteam", "replace_", "development_team", "app_id_prefix",
    "appidprefix", "xxxxxxxx", "bundle_id", "placeholder",
  ]
}
