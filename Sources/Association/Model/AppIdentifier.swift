/// An app identifier: `<application identifier prefix>.<bundle identifier>`, as in
/// `ABCDE12345.com.example.app`.
///
/// The prefix is what stands before the first dot: ASCII letters, digits, `_` and `-`. Apple's own
/// prefixes have ten characters of `A-Z0-9`; others are allowed here, since real files carry
/// placeholders, and the linter warns of them. The bundle identifier has ASCII letters, digits,
/// `-`, `_` and single dots (Apple: "CFBundleIdentifier"; `_` is not Apple's but occurs).
/// Identifiers are compared exactly, with case.
public struct AppIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The whole identifier.
  public let text: String

  /// Parses an identifier.
  ///
  /// - Throws: `ValidationError` with the code `malformed-app-identifier`.
  public init(_ text: String) throws(ValidationError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    func problem() -> String? {
      if parts.count < 2 { return "has no dot" }
      if parts.contains(where: \.isEmpty) { return "has an empty part" }
      if !parts.allSatisfy({ $0.allSatisfy(Self.isAllowed) }) {
        return "has a character other than ASCII letters, digits, “-”, “_” and “.”"
      }
      return text.utf8.count > 255 ? "is longer than 255 characters" : nil
    }
    if let problem = problem() {
      throw ValidationError(
        .malformedAppIdentifier,
        "The app identifier “\(text)” \(problem). It must be a prefix, a dot and a bundle "
          + "identifier, such as ABCDE12345.com.example.app.")
    }
    self.text = text
  }

  /// An identifier from its `text`, which is not checked again.
  package init(stored text: String) { self.text = text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The application identifier prefix.
  public var prefix: Substring { text.prefix { $0 != "." } }

  /// The bundle identifier.
  public var bundleIdentifier: Substring { text.drop { $0 != "." }.dropFirst() }

  /// The whole identifier.
  public var description: String { text }

  /// By bytes, so that order does not depend on a locale.
  public static func < (left: AppIdentifier, right: AppIdentifier) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
