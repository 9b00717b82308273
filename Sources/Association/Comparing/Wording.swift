import JSONValue

/// Words for changes, safe to show on a terminal.
enum Wording {
  private static let longest = 80

  /// A text in quotation marks.
  static func quoted(_ text: String) -> String { shown(.string(text)) }

  /// A value as JSON, cut where it is long.
  static func shown(_ value: JSON) -> String {
    let whole = value.text
    if whole.utf8.count <= longest { return plain(whole) }
    let text = whole.unicodeScalars
    let end = text.index(text.startIndex, offsetBy: longest, limitedBy: text.endIndex)
    let isCut = end.map { $0 < text.endIndex } ?? false
    return plain(String(text.prefix(longest))) + (isCut ? "…" : "")
  }

  /// The text without characters that move a terminal's cursor, which become U+FFFD.
  static func plain(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// "before is now after".
  static func change(_ before: JSON?, _ after: JSON?) -> String {
    "\(before.map(shown) ?? "none") is now \(after.map(shown) ?? "none")"
  }

  /// "1 route", "2 routes".
  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension ComparedRoute {
  /// The route in words, such as `exclusion "/help/*" with fragment "top"`.
  var label: String {
    var words = route.isExclusion ? "exclusion " : "route "
    words += Wording.quoted(route.path?.text ?? "*")
    if let query = meaning["?"] { words += " with query \(Wording.shown(query))" }
    if let fragment = meaning["#"] { words += " with fragment \(Wording.shown(fragment))" }
    return words
  }

  /// What another route says differently, in words.
  func differences(from old: ComparedRoute) -> String {
    var words: [String] = []
    let compare = { (name: String, before: JSON?, after: JSON?) in
      if before != after { words.append("\(name) \(Wording.change(before ?? "*", after ?? "*"))") }
    }
    compare("path", .string(old.route.path?.text ?? "*"), .string(route.path?.text ?? "*"))
    compare("query", old.meaning["?"], meaning["?"])
    compare("fragment", old.meaning["#"], meaning["#"])
    if old.route.isExclusion != route.isExclusion {
      words.append(route.isExclusion ? "excludes now" : "no longer excludes")
    }
    if old.route.isCaseSensitive != route.isCaseSensitive {
      words.append(route.isCaseSensitive ? "case counts now" : "case no longer counts")
    }
    if old.route.isPercentEncoded != route.isPercentEncoded {
      words.append(
        route.isPercentEncoded ? "the URL is no longer decoded" : "the URL is decoded first now")
    }
    if old.route.isLegacy != route.isLegacy {
      words.append(route.isLegacy ? "is in `paths` now" : "is in `components` now")
    }
    return words.joined(separator: "; ")
  }
}
