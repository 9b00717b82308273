import CIDN2

/// Why a text is not a domain name, an identifier of an app, or another name.
package struct ValidationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A stable word for programs.
  package enum Code: String, Sendable, CaseIterable {
    case malformedAppIdentifier = "malformed-app-identifier"
    case malformedPackageName = "malformed-package-name"
    case malformedFingerprint = "malformed-fingerprint"
    case malformedOrigin = "malformed-origin"
    case malformedTemplateName = "malformed-template-name"
    case malformedLabel = "malformed-label"
    case malformedTarget = "malformed-target"
    case insecureTarget = "insecure-target"
    case unknownPlaceholder = "unknown-placeholder"
    case malformedDocumentName = "malformed-document-name"
    case reservedDocumentName = "reserved-document-name"
    case malformedMediaType = "malformed-media-type"
    case forbiddenMediaType = "forbidden-media-type"
    case documentSize = "document-size"
    case malformedPage = "malformed-page"
    case domainEmpty = "domain-empty"
    case domainMalformed = "domain-malformed"
    case domainHasScheme = "domain-has-scheme"
    case domainHasPath = "domain-has-path"
    case domainIsAddress = "domain-is-address"
    case domainHasPort = "domain-has-port"
    case domainHasWildcard = "domain-has-wildcard"
    case domainHasUnderscore = "domain-has-underscore"
    case domainTooLong = "domain-too-long"
  }

  /// A stable word for programs.
  package let code: Code
  /// What is wrong and what is allowed, for people.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

/// What a text can be parsed as.
package protocol Parsable {
  init(_ text: String) throws(ValidationError)
}

extension Parsable {
  /// The same; `nil` for any other text.
  package init?(usable text: String) {
    do throws(ValidationError) {
      try self.init(text)
    } catch {
      return nil
    }
  }
}

/// An app identifier: `<application identifier prefix>.<bundle identifier>`, such as
/// `ABCDE12345.com.example.app`.
///
/// The prefix ends at the first dot and has ASCII letters, digits, `_` and `-`. Apple's own prefixes
/// have ten characters of `A-Z0-9`; others are allowed, since real files carry placeholders, and the
/// linter warns about them. The bundle identifier has ASCII letters, digits, `-`, `_` and single dots
/// (Apple: "CFBundleIdentifier"; Apple does not allow `_`, but it occurs). Case matters.
package struct AppIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible, Parsable {
  package let text: String

  /// Parses an identifier.
  ///
  /// - Throws: `ValidationError` with the code `malformed-app-identifier`.
  package init(_ text: String) throws(ValidationError) {
    if let fault = Self.fault(of: text) {
      throw ValidationError(
        .malformedAppIdentifier,
        "\(fault) Write a prefix, a dot and a bundle identifier, such as ABCDE12345.com.example.app."
      )
    }
    self.text = text
  }

  /// A sentence that says why a text is no identifier; `nil` if it is one.
  static func fault(of text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    func problem() -> String? {
      if parts.count < 2 { return "has no dot" }
      if parts.contains(where: \.isEmpty) { return "has an empty part" }
      let isWrong = { (scalar: Unicode.Scalar) in
        scalar != "." && !(UInt8(exactly: scalar.value).map(Self.isAllowed) ?? false)
      }
      if let wrong = text.unicodeScalars.first(where: isWrong) {
        return
          "has \(wrong == " " ? "a blank" : String(wrong).quoted), but may only have ASCII letters, digits, \"-\", "
          + "\"_\" and \".\""
      }
      return text.utf8.count > 255 ? "is longer than 255 characters" : nil
    }
    return problem().map { "The app identifier \(text.quoted) \($0)." }
  }

  /// An identifier from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// The application identifier prefix.
  package var prefix: Substring { text.prefix { $0 != "." } }

  /// The bundle identifier, with the dot before it.
  private var suffix: Substring { text[prefix.endIndex...] }

  /// A sentence about those of some apps that have the bundle identifier of this one and another prefix, one
  /// of which is probably meant. Empty without any; otherwise with a blank before it.
  package func sentence(onOthersIn apps: some Sequence<String>) -> String {
    if suffix.isEmpty { return "" }
    var seen: Set<String> = [text]
    let apps = apps.filter { seen.insert($0).inserted }
    let others = apps.filter { AppIdentifier(stored: $0).suffix == suffix }
    if !others.isEmpty {
      return
        " It names \(others.prefix(3).map(\.shown).joined(separator: " and ")), with the same bundle identifier and"
        + " another prefix. The prefix must be that of the signed app."
    }
    if let bare = apps.first(where: { $0 == suffix.dropFirst() }) {
      return
        " It names \(bare.shown), the bundle identifier without the prefix. Write \(shown) there."
    }
    return text.sentence(onNearMissesIn: apps)
  }

  private var shown: String { text.shown }

  package var description: String { text }

  /// By bytes, so that the order does not depend on a locale.
  package static func < (left: AppIdentifier, right: AppIdentifier) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension PackageName {
  /// A sentence about an app of these that is probably meant. Empty without any; otherwise with a blank before it.
  package func sentence(onOthersIn apps: some Sequence<String>) -> String {
    text.sentence(onNearMissesIn: apps.filter { $0 != text })
  }
}

extension String {
  /// The last parts of identifiers of builds that are not for customers, or of those that are beside such.
  private static let builds: Set = [
    "alpha", "beta", "debug", "dev", "develop", "development", "internal", "prod", "production",
    "qa",
    "release", "stage", "staging", "test",
  ]

  /// A sentence about an identifier that differs only by case, or by a part that names a build.
  fileprivate func sentence(onNearMissesIn identifiers: [String]) -> String {
    if let other = identifiers.first(where: { $0.lowercased() == lowercased() }) {
      return " It names \(other.shown). Capital letters matter in identifiers."
    }
    let isBuild = { (longer: String, shorter: String) in
      longer.hasPrefix("\(shorter).")
        && Self.builds.contains(longer.dropFirst(shorter.count + 1).lowercased())
    }
    guard let other = identifiers.first(where: { isBuild($0, self) || isBuild(self, $0) }) else {
      return ""
    }
    return " It names \(other.shown), another build, which is another app."
  }
}

/// A domain name that a file is published for, such as `example.com`: lower-case A-labels (RFC 5890).
package struct DomainName: Sendable, Hashable, Comparable, CustomStringConvertible, Parsable {
  /// The name as in DNS, without a trailing dot.
  package let text: String

  /// Parses a name in any case, with or without a trailing dot, in A-labels or U-labels. U-labels are
  /// converted by IDNA 2008 with the mapping of UTS 46, non-transitional.
  ///
  /// - Throws: `ValidationError` whose code begins with `domain-`: for a scheme, a port, a path, an
  ///   IP address, a wildcard, a character that host names cannot have, or a wrong length.
  package init(_ text: String) throws(ValidationError) {
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
        Self.sentence(
          text, "has a label that is empty, too long, or has invalid characters")
      )
    }
    if labels.last?.allSatisfy(\.isASCIIDigit) == true {
      throw ValidationError(.domainIsAddress, Self.sentence(text, "is an IP address"))
    }
    self.text = ascii
  }

  /// A name from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  /// Whether the text is already in DNS form, without labels that IDNA would change. Nearly all
  /// names are.
  private static func isPlain(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let hyphen = UInt8(ascii: "-")
    return labels.allSatisfy { label in
      isLabel(label) && zip(label, label.dropFirst()).allSatisfy { $0 != hyphen || $1 != hyphen }
    } && labels.last?.allSatisfy(\.isASCIIDigit) == false
  }

  /// What is wrong with the text before any IDNA conversion.
  private static func problem(in text: String) -> (code: ValidationError.Code, problem: String)? {
    if text.isEmpty { return (.domainEmpty, "is empty") }
    if text.utf8.contains(0) { return (.domainMalformed, "contains a NUL character") }
    if text.contains("://") { return (.domainHasScheme, "has a scheme") }
    if text.hasPrefix("//") { return (.domainHasPath, "begins with slashes") }
    if text.contains("/") { return (.domainHasPath, "has a path") }
    if text.contains(where: \.isWhitespace) { return (.domainMalformed, "has a blank") }
    if text.contains("[") || text.count(where: { $0 == ":" }) > 1 {
      return (.domainIsAddress, "is an IP address")
    }
    if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let port = text.utf8[colon...].dropFirst()
      return port.isEmpty || port.contains(where: { !$0.isASCIIDigit })
        ? (.domainMalformed, "has a colon") : (.domainHasPort, "has a port")
    }
    if text.contains("*") {
      return (.domainHasWildcard, "has a wildcard, which only an alias may have")
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
    // The library allocates the result; the caller frees it.
    defer { idn2_free(found) }
    guard code == IDN2_OK.rawValue, let found else {
      let isLong = code == IDN2_TOO_BIG_DOMAIN.rawValue || code == IDN2_TOO_BIG_LABEL.rawValue
      let reason = idn2_strerror(code).map { String(cString: $0) } ?? "not a host name"
      throw ValidationError(
        isLong ? .domainTooLong : .domainMalformed,
        sentence(text, isLong ? "is too long" : "is not valid in IDNA (\(reason))"))
    }
    return String(cString: found).lowercased()
  }

  private static func sentence(_ text: String, _ problem: String) -> String {
    "The domain \"\(text.shown)\" \(problem). Write only a host name, such as example.com: at most 253 "
      + "characters, in labels of at most 63 letters, digits and \"-\"."
  }

  /// RFC 1123 section 2.1.
  private static func isLabel(_ label: some BidirectionalCollection<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count)
      && label.allSatisfy {
        $0.isASCIIDigit || $0 == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      } && label.first != hyphen && label.last != hyphen
  }

  /// The name with U-labels, for people; equals `text` for an ASCII name.
  package var unicode: String {
    guard text.contains("xn--") else { return text }
    var found: UnsafeMutablePointer<CChar>?
    let code = text.withCString { idn2_to_unicode_8z8z($0, &found, 0) }
    // The library allocates the result; the caller frees it.
    defer { idn2_free(found) }
    guard code == IDN2_OK.rawValue, let found else { return text }
    return String(cString: found)
  }

  /// Whether a name has a label with letters beyond ASCII.
  package static func isInternationalized(_ text: String) -> Bool {
    text.split(separator: ".").contains { $0.hasPrefix("xn--") }
  }

  /// Whether a device may ask the name for a file: one label, such as `localhost`, is no public name.
  package var isPublic: Bool { text.contains(".") }
  /// What is said of one that is not.
  package var notPublic: String {
    "\(text.shown) is no public name, so no device asks it for a file. Write a name with a dot, such as example.com."
  }

  /// Whether the name has a label with letters beyond ASCII.
  package var isInternationalized: Bool { Self.isInternationalized(text) }

  /// What is said of the files of names with letters beyond ASCII.
  package static let internationalizedReport =
    "Reported by two developers, not confirmed by Apple: iOS 16 and later never fetch the file of a name with "
    + "letters beyond ASCII (xn--)."
  /// What to do about that.
  package static let internationalizedHelp =
    "Test it on a device with iOS 16 or later. If it fails there, use a name in ASCII."

  /// Whether a host, which may have a wildcard, is a name of Firebase Dynamic Links. Domains of its customers were, too.
  package static func isOfDynamicLinks(_ host: String) -> Bool {
    host == "page.link" || host.hasSuffix(".page.link")
  }

  /// What became of Firebase Dynamic Links (Google's FAQ).
  package static let dynamicLinksEnded =
    "Google ended the service on 25 August 2025, so its links open no app, and its files are gone."
  /// What to do about that.
  package static let dynamicLinksHelp =
    "Take the name out of the app, and link with a domain of yours, whose files name the app."

  package var description: String { text }

  /// By bytes, so that the order does not depend on a locale.
  package static func < (left: DomainName, right: DomainName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// Another name that a domain's file is served for: a name, or `*.` and a name for all names below it
/// (at any depth, without the name itself).
package struct Alias: Sendable, Hashable, CustomStringConvertible {
  /// The name, without `*.`.
  package let name: DomainName
  /// Whether the alias covers the names below `name`.
  package let isWildcard: Bool

  /// Parses `www.example.com` or `*.go.example.com`.
  ///
  /// - Throws: `ValidationError` as `DomainName` does, and for a `*` anywhere except in a leading
  ///   `*.`.
  package init(_ text: String) throws(ValidationError) {
    isWildcard = text.hasPrefix("*.")
    let name = isWildcard ? String(text.dropFirst(2)) : text
    if text == "*" {
      throw ValidationError(
        .domainHasWildcard,
        "\"*\" names no domain. Write *.example.com for all names below example.com.")
    }
    // The star of a path is not that of the name.
    if let star = name.firstIndex(of: "*"), !name[..<star].contains("/") {
      throw ValidationError(
        .domainHasWildcard,
        "\"\(text.shown)\" has a \"*\" that is not the whole first label. Write *.example.com for all names "
          + "below example.com.")
    }
    self.name = try DomainName(name)
    if isWildcard && self.name.text.utf8.count > 251 {
      throw ValidationError(
        .domainTooLong, "\"\(text.shown)\" is too long: no name fits below it.")
    }
  }

  /// An alias from its stored `description`, without validation.
  package init(stored text: String) {
    isWildcard = text.hasPrefix("*.")
    name = DomainName(stored: isWildcard ? String(text.dropFirst(2)) : text)
  }

  /// The name of a domain itself.
  package init(_ name: DomainName) {
    self.name = name
    isWildcard = false
  }

  /// Whether this covers every name that `other` covers.
  package func covers(_ other: Alias) -> Bool {
    if self == other { return true }
    return isWildcard && other.name.text.hasSuffix(".\(name.text)")
  }

  /// Whether this covers a host, given in lower case.
  package func covers(host: String) -> Bool {
    isWildcard ? host.hasSuffix(".\(name.text)") : host == name.text
  }

  package var description: String { isWildcard ? "*.\(name)" : name.text }
}
