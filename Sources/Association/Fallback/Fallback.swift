/// What people without an app get for every path of a domain that is no document's: a redirect, or a page.
package struct Fallback: Sendable, Equatable {
  /// For everybody for whom there is nothing else.
  package var web: LinkTarget
  /// For iPhones, iPads and iPods.
  package var apple: LinkTarget?
  package var android: LinkTarget?
  /// Instead of redirects, with links to all of them.
  package var page: FallbackPage?

  package init(
    web: LinkTarget, apple: LinkTarget? = nil, android: LinkTarget? = nil, page: FallbackPage? = nil
  ) {
    (self.web, self.apple, self.android, self.page) = (web, apple, android, page)
  }

  /// The number of the app in the App Store, if its link there has one.
  package var appStoreID: String? {
    guard let apple, ["apps.apple.com", "itunes.apple.com"].contains(apple.host) else { return nil }
    let path = apple.text.prefix { $0 != "?" && $0 != "#" }
    for part in path.split(separator: "/") where part.hasPrefix("id") {
      let digits = part.dropFirst(2)
      if (1...20).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit) {
        return String(digits)
      }
    }
    return nil
  }
}

package struct FallbackPage: Sendable, Equatable {
  package var title: FallbackText
  package var text: FallbackText
  /// Of the link to `web`.
  package var button: FallbackText

  package init(title: FallbackText, text: FallbackText, button: FallbackText) {
    (self.title, self.text, self.button) = (title, text, button)
  }

  /// The languages that texts are given in, in their order; none if all are the same in every language.
  package var languages: [String] {
    [title, text, button].lazy.map(\.languages).first { !$0.isEmpty } ?? []
  }
}

/// A text for people, or one for each language.
package struct FallbackText: Sendable, Equatable {
  package struct Translation: Sendable, Equatable {
    /// A language tag (BCP 47); empty for a text that is the same in every language.
    package let language: String
    @ExactText package private(set) var text: String

    package init(_ language: String, _ text: String) {
      (self.language, self.text) = (language, text)
    }
  }

  package let translations: [Translation]

  package init(_ translations: [Translation]) { self.translations = translations }

  /// A text that is the same in every language.
  package init(_ text: String) { translations = [Translation("", text)] }

  package var languages: [String] { translations.map(\.language).filter { !$0.isEmpty } }

  package func text(in language: String?) -> String {
    (translations.first { $0.language == language } ?? translations.first)?.text ?? ""
  }
}

/// Language tags (BCP 47).
package enum LanguageTag {
  /// Whether a text has the form of a language tag: a language, then parts of letters and digits.
  static func isTag(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 35, let language = parts.first, (2...3).contains(language.count),
      language.allSatisfy(\.isASCIILetter)
    else { return false }
    return parts.dropFirst().allSatisfy {
      (1...8).contains($0.count) && $0.allSatisfy(\.isASCIILetterOrDigit)
    }
  }

  private static let rightToLeft: Set = [
    "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
  ]
  private static let rightToLeftScripts: Set = ["adlm", "arab", "hebr", "nkoo", "syrc", "thaa"]

  /// `rtl` or `ltr`.
  package static func direction(_ tag: String) -> String {
    let parts = tag.lowercased().split(separator: "-")
    if let script = parts.dropFirst().first(where: { $0.utf8.count == 4 }) {
      return rightToLeftScripts.contains(String(script)) ? "rtl" : "ltr"
    }
    return parts.first.map { rightToLeft.contains(String($0)) } == true ? "rtl" : "ltr"
  }

  /// The one of some languages that fits `Accept-Language` best: the language itself, or one that begins like it
  /// (RFC 4647 section 3.4). Without any, the first.
  package static func best(of languages: [String], for accepted: String) -> String? {
    var ranges: [(range: String, weight: Double)] = []
    for item in accepted.lowercased().split(separator: ",").prefix(50) {
      let parts = item.split(separator: ";").map { $0.trimmingBlanks }
      guard let range = parts.first else { continue }
      let weight =
        parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > 0 { ranges.append((String(range), weight)) }
    }
    let known = languages.map { $0.lowercased() }
    // Stable: of equal weights, the first one counts.
    for range in ranges.enumerated().sorted(by: {
      ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
    }).map(\.element.range) {
      if range == "*" { break }
      var wanted = range[...]
      while !wanted.isEmpty {
        if let index = known.firstIndex(of: String(wanted)) { return languages[index] }
        wanted = wanted[..<(wanted.lastIndex(of: "-") ?? wanted.startIndex)]
      }
      // A more special one is better than another language.
      if let index = known.firstIndex(where: { $0.hasPrefix(range + "-") }) {
        return languages[index]
      }
    }
    return languages.first
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
