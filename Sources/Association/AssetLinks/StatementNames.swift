/// An Android package name, such as `com.example.shop`.
///
/// Two or more parts, each of ASCII letters, digits and `_` with a letter first (Android's page "Configure
/// the app module"). Case matters.
package struct PackageName: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  /// The name; `nil` for any other text.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isValid = parts.allSatisfy { part in
      part.first?.isASCIILetter == true
        && part.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
    guard parts.count > 1, isValid, text.utf8.count <= Self.longest else { return nil }
    self.text = text
  }

  package init(validating text: String) throws(ValidationError) {
    guard let name = PackageName(text) else {
      throw ValidationError(
        .malformedPackageName,
        "\(text.quoted) is not an Android package name. Write two or more parts of letters, digits and "
          + "\"_\", each with a letter first, such as com.example.shop.")
    }
    self = name
  }

  /// A name from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  /// Android's limit for the names of its files, in characters.
  private static let longest = 223

  package var description: String { text }

  /// What keeps a text from being a name, as a sentence; `nil` if that is not a single thing.
  static func fault(of text: String) -> String? {
    if PackageName(text) != nil || text.isEmpty { return nil }
    let isAllowed = { (character: Character) in
      character.isASCII && (character.isLetter || character.isNumber) || "._".contains(character)
    }
    if let stranger = text.first(where: { !isAllowed($0) }) {
      return "It has \(stranger.isWhitespace ? "a space" : String(stranger).quoted)."
    }
    return text.contains(".") ? nil : "It has no dot."
  }

  /// The name that a text has beside something else: blanks, or the activity behind a slash. `nil` for any other.
  static func meant(by text: String) -> PackageName? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 1, case let name = words[0].prefix(while: { $0 != "/" }),
      !name.contains("*")
    else { return nil }
    return PackageName(String(name))
  }
}

/// The SHA-256 fingerprint of a certificate that signs apps.
package struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
  private let octets: [UInt8]

  /// The fingerprint in the only form that readers of the file accept: 32 pairs of upper-case hexadecimal
  /// digits with colons between them. `nil` for any other text.
  package init?(_ text: String) {
    self.init(written: text)
    guard sameScalars(description, text) else { return nil }
  }

  /// The fingerprint as tools print it: in either case, with colons or without. `nil` for any other text.
  package init?(written text: String) {
    guard let octets = Self.octets(text), octets.count == 32 else { return nil }
    self.octets = octets
  }

  /// The form that the file needs.
  package var description: String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      .joined(separator: ":")
  }

  /// The octets of pairs of hexadecimal digits, all with colons between them or all without.
  static func octets(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    let step = bytes.contains(UInt8(ascii: ":")) ? 3 : 2
    guard (bytes.count + step - 2).isMultiple(of: step) else { return nil }
    var octets: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
      guard let high = ComparedText.hexadecimal(bytes[start]),
        let low = ComparedText.hexadecimal(bytes[start + 1]),
        step == 2 || start + 2 == bytes.count || bytes[start + 2] == UInt8(ascii: ":")
      else { return nil }
      octets.append(high << 4 | low)
    }
    return octets
  }
}

/// What a statement permits, such as `delegate_permission/common.handle_all_urls`.
package struct Relation: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// The relation: two parts of lower-case ASCII letters, digits, `.` and `_`, with a slash between them.
  /// `nil` for any other text.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isValid = parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy {
          $0.isASCIIDigit || ($0.isASCIILetter && $0.asciiLowercased == $0)
            || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
    }
    guard parts.count == 2, isValid else { return nil }
    description = text
  }

  private init(common detail: String) { description = "delegate_permission/common.\(detail)" }

  /// The app opens links of the site.
  package static let handleAllURLs = Relation(common: "handle_all_urls")
  /// The app or site shares passwords with the site.
  package static let getLoginCredentials = Relation(common: "get_login_creds")
  /// The app acts as the site, in Chrome.
  package static let useAsOrigin = Relation(common: "use_as_origin")
  /// The site may ask whether a WebAPK is installed, in Chrome.
  package static let queryWebAPK = Relation(common: "query_webapk")

  /// The relations that some reader is known for.
  static let known: Set<Relation> = [
    handleAllURLs, getLoginCredentials, useAsOrigin, queryWebAPK,
  ]

  /// The known relation that a text probably means; `nil` if it resembles none.
  static func known(like text: String) -> Relation? {
    guard text.utf8.count < 100 else { return nil }
    let word = letters(of: text)
    return [handleAllURLs, getLoginCredentials, useAsOrigin, queryWebAPK].first { relation in
      let known = letters(of: relation.description)
      return word.count >= 8 && word.prefix(8) == known.prefix(8)
        || editDistance(word, known) <= known.count / 4
    }
  }

  /// The known relations that one string has, with commas or spaces between them; `nil` if it is not several.
  static func joined(in text: String) -> [Relation]? {
    guard text.utf8.count < 500 else { return nil }
    let words = text.split { $0 == "," || $0 == " " || $0 == ";" }
    let found = words.compactMap { word in known.first { $0.description == word } }
    return found.count > 1 && found.count == words.count ? found : nil
  }

  /// The letters of the last part of a relation, in lower case.
  private static func letters(of text: String) -> [UInt8] {
    let last = text.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }.last
    return (last.map(Array.init) ?? []).map(\.asciiLowercased).filter(\.isASCIILetter)
  }
}

/// A website as a statement names it: scheme, host and maybe a port, without even a slash behind them.
package struct WebSite: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// The site; `nil` for any other text.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard
      let scheme = ["https://", "http://"].first(where: { scheme in
        bytes.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) { $0.asciiLowercased == $1 }
      })
    else { return nil }
    let authority = bytes.dropFirst(scheme.utf8.count)
    let host = authority.prefix { $0 != UInt8(ascii: ":") }
    let port = authority[host.endIndex...]
    let dot = UInt8(ascii: ".")
    let labels = (host.last == dot ? host.dropLast() : host)
      .split(separator: dot, omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }),
      port.isEmpty || Self.isPort(port)
    else { return nil }
    description = text
  }

  /// The site that a text with more, or without the scheme, probably means; `nil` without a host in it.
  init?(readIn text: String) {
    let trimmed = text.drop { $0 == " " }
    let scheme = trimmed.firstRange(of: "://")
    let start = scheme?.upperBound ?? trimmed.startIndex
    let authority = trimmed[start...].prefix { !"/\\?# ".contains($0) }
    guard scheme != nil || authority.contains(".") else { return nil }
    self.init((scheme.map { String(trimmed[..<$0.upperBound]) } ?? "https://") + authority)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte >= 0x80 || "-_".utf8.contains(byte)
  }

  /// Whether this is a colon and a port.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    let digits = bytes.dropFirst()
    return (1...5).contains(digits.count) && digits.allSatisfy(\.isASCIIDigit)
      && digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65_535
  }
}
