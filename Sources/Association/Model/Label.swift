/// A short word on a domain, by which people choose domains: `[a-z0-9][a-z0-9._-]{0,62}`.
package struct Label: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let text: String

  /// A domain has no more labels.
  package static let mostPerDomain = 20
  /// What a label matches, as a regular expression.
  package static let pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"

  /// Parses a label.
  ///
  /// - Throws: `ValidationError` with the code `malformed-label`.
  package init(_ text: String) throws(ValidationError) {
    guard Self.matches(text) else {
      throw ValidationError(
        .malformedLabel,
        "\(text.quoted) is not a label. Write 1 to 63 lower-case letters, digits, \".\", \"_\" and \"-\", "
          + "such as brand-a; the first is a letter or a digit.")
    }
    self.text = text
  }

  /// Whether `text` matches `pattern`, which the names of templates match too.
  static func matches(_ text: String) -> Bool {
    let isWord = { (byte: UInt8) in
      byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
    return (1...63).contains(text.utf8.count) && text.utf8.first.map(isWord) == true
      && text.utf8.allSatisfy { isWord($0) || "._-".utf8.contains($0) }
  }

  /// A label from its stored `text`, without validation.
  package init(stored text: String) { self.text = text }

  package var description: String { text }

  /// By bytes, so that the order does not depend on a locale.
  package static func < (left: Label, right: Label) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// The domains that somebody may see and change.
package struct Scope: Sendable, Equatable {
  /// The domains that a glob covers, those with a label, or those to which both applies.
  package struct Part: Sendable, Hashable {
    /// The label that each has; `nil` for any domain.
    package let label: Label?
    /// What covers the name of each, such as `*.brand.example`; `nil` for any name.
    package let domain: Alias?
  }

  /// The scope has the domains of every part; without parts, it has all domains.
  package let parts: [Part]

  /// All domains.
  package init() { parts = [] }

  /// The domains that one of the globs covers and that have one of the labels.
  ///
  /// - Parameters:
  ///   - domains: The globs; empty for any name.
  ///   - labels: The labels; empty for any domain.
  package init(domains: [Alias], labels: [Label] = []) {
    let globs = domains.map(Optional.some)
    let words = labels.map(Optional.some)
    if globs.isEmpty {
      parts = words.map { Part(label: $0, domain: nil) }
    } else {
      parts = globs.flatMap { glob in
        (words.isEmpty ? [nil] : words).map { Part(label: $0, domain: glob) }
      }
    }
  }

  /// The domains that any of some scopes has; `nil` without any.
  package init?(anyOf scopes: [Scope]) {
    if scopes.isEmpty { return nil }
    var seen: Set<Part> = []
    parts =
      scopes.contains(where: \.isEverything)
      ? [] : scopes.flatMap(\.parts).filter { seen.insert($0).inserted }
  }

  /// Whether it has all domains.
  package var isEverything: Bool { parts.isEmpty }

  /// Whether labels decide about some domains.
  package var hasLabels: Bool { parts.contains { $0.label != nil } }

  /// The globs, each once.
  package var domains: [Alias] {
    var seen: Set<Alias> = []
    return parts.compactMap(\.domain).filter { seen.insert($0).inserted }
  }

  package var labels: [Label] { Set(parts.compactMap(\.label)).sorted() }

  /// Whether it has a name, whatever labels its domain has. Only then may somebody give a domain this name, or change
  /// the labels of the domain with this name: otherwise they could give themselves what they are limited to.
  package func covers(_ name: Alias) -> Bool {
    isEverything || parts.contains { $0.label == nil && $0.domain?.covers(name) == true }
  }

  /// Whether it has the domain with a name and labels.
  package func covers(_ name: Alias, labels: [Label]) -> Bool {
    isEverything
      || parts.contains { part in
        part.label.map(labels.contains) ?? true && part.domain?.covers(name) ?? true
      }
  }

  /// Whether it may have had the domain with a name, which it does not have now: its labels may have been others.
  package func mayHaveHad(_ name: Alias) -> Bool {
    parts.contains { $0.label != nil && $0.domain?.covers(name) ?? true }
  }

  /// The domains in words, for sentences such as "limited to …".
  package var words: String {
    let domains = Self.list(domains.map(\.description))
    if labels.isEmpty { return domains }
    let label = "with the label \(Self.list(labels.map(\.text), "or"))"
    return domains.isEmpty ? "domains \(label)" : "those of \(domains) \(label)"
  }

  private static func list(_ words: [String], _ last: String = "and") -> String {
    let listed = words.prefix(5).joined(separator: ", ")
    return words.count > 5 ? "\(listed) \(last) \(words.count - 5) more" : listed
  }
}

// MARK: As texts

extension Scope.Part {
  /// What a text begins with that has a label. No name begins so: earlier versions, which know no labels, take it for
  /// a name that no domain has.
  private static let prefix = "label:"

  /// The part as it is stored: `*.brand.example`, `label:brand-a` or `label:brand-a *.brand.example`.
  fileprivate var text: String {
    let words = [label.map { Self.prefix + $0.text }, domain?.description].compactMap(\.self)
    return words.joined(separator: " ")
  }

  fileprivate init(stored text: String) {
    guard text.hasPrefix(Self.prefix) else {
      (label, domain) = (nil, Alias(stored: text))
      return
    }
    let words = text.dropFirst(Self.prefix.count).split(separator: " ", maxSplits: 1)
    label = Label(stored: words.first.map(String.init) ?? "")
    domain = words.count > 1 ? Alias(stored: String(words[1])) : nil
  }
}

extension Scope {
  /// Each part as it is stored, in order.
  package var texts: [String] { Set(parts.map(\.text)).sorted() }

  /// A scope from its stored `texts`.
  package init(stored texts: [String]) { parts = texts.sorted().map(Part.init(stored:)) }
}
