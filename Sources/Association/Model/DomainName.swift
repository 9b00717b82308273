import CIDN2

/// A name that a file is published for, such as `example.com`: lower-case A-labels (RFC 5890).
public struct DomainName: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The name as it stands in DNS, without a dot at the end.
  public let text: String

  /// Parses a name in any case, with or without the dot at the end, in A-labels or U-labels.
  /// U-labels are converted by IDNA 2008 with the mapping of UTS 46, non-transitional.
  ///
  /// - Throws: `ValidationError` whose code begins with `domain-`: for a scheme, a port, a path, an
  ///   IP address, a wildcard, a character that host names do not have, or a wrong length.
  public init(_ text: String) throws(ValidationError) {
    if Self.isPlain(text) {
      self.text = text
      return
    }
    if let (code, problem) = Self.problem(in: text) {
      throw ValidationError(code, Self.sentence(text, problem))
    }
    let ascii = try Self.lookUp(text)
    let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(Self.isLabel) else {
      throw ValidationError(
        .domainMalformed,
        Self.sentence(text, "has a label that is empty, too long or not of letters, digits and “-”")
      )
    }
    if labels.last?.allSatisfy(Self.isDigit) == true {
      throw ValidationError(.domainIsAddress, Self.sentence(text, "is an IP address"))
    }
    self.text = ascii
  }

  /// A name from its `text`, which is not checked again.
  package init(stored text: String) { self.text = text }

  /// Whether the text is a name as it stands in DNS, without labels that mean something to IDNA: nearly
  /// all are.
  private static func isPlain(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let hyphen = UInt8(ascii: "-")
    return labels.allSatisfy { label in
      isLabel(label) && zip(label, label.dropFirst()).allSatisfy { $0 != hyphen || $1 != hyphen }
    } && labels.last?.allSatisfy(isDigit) == false
  }

  /// What can be told from the text alone, before IDNA.
  private static func problem(in text: String) -> (code: ValidationError.Code, problem: String)? {
    if text.isEmpty { return (.domainEmpty, "is empty") }
    if text.utf8.contains(0) { return (.domainMalformed, "contains a NUL character") }
    if text.contains("://") { return (.domainHasScheme, "has a scheme") }
    if text.contains("/") { return (.domainHasPath, "has a path") }
    if text.contains("[") || text.count(where: { $0 == ":" }) > 1 {
      return (.domainIsAddress, "is an IP address")
    }
    if text.contains(":") { return (.domainHasPort, "has a port") }
    if text.contains("*") {
      return (.domainHasWildcard, "has a wildcard, which only an alias may")
    }
    if text.contains("_") { return (.domainHasUnderscore, "has an underscore") }
    return nil
  }

  private static func lookUp(_ text: String) throws(ValidationError) -> String {
    let name = text.hasSuffix(".") ? String(text.dropLast()) : text
    var found: UnsafeMutablePointer<UInt8>?
    let flags = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let code = Array(name.utf8 + [0]).withUnsafeBufferPointer {
      idn2_lookup_u8($0.baseAddress, &found, flags)
    }
    // The library allocates the answer and leaves it to the caller to free it.
    defer { idn2_free(found) }
    guard code == IDN2_OK.rawValue, let found else {
      let isLong = code == IDN2_TOO_BIG_DOMAIN.rawValue || code == IDN2_TOO_BIG_LABEL.rawValue
      let reason = idn2_strerror(code).map { String(cString: $0) } ?? "is not a host name"
      throw ValidationError(
        isLong ? .domainTooLong : .domainMalformed,
        sentence(text, isLong ? "is too long" : "is refused by IDNA (\(reason))"))
    }
    return String(cString: found).lowercased()
  }

  private static func sentence(_ text: String, _ problem: String) -> String {
    "The domain “\(text)” \(problem). Write a host name alone, such as example.com: at most 253 "
      + "characters, labels of at most 63 letters, digits and “-”."
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// RFC 1123 section 2.1.
  private static func isLabel(_ label: some Collection<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count)
      && label.allSatisfy {
        isDigit($0) || $0 == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      } && label.first != hyphen && Array(label).last != hyphen
  }

  /// The name with U-labels, for people; the same as `text` for a name in ASCII.
  public var unicode: String {
    guard text.contains("xn--") else { return text }
    var found: UnsafeMutablePointer<CChar>?
    let code = text.withCString { idn2_to_unicode_8z8z($0, &found, 0) }
    // The library allocates the answer and leaves it to the caller to free it.
    defer { idn2_free(found) }
    guard code == IDN2_OK.rawValue, let found else { return text }
    return String(cString: found)
  }

  /// The name as it stands in DNS.
  public var description: String { text }

  /// By bytes, so that order does not depend on a locale.
  public static func < (left: DomainName, right: DomainName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
