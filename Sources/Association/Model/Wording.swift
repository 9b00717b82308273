extension String {
  /// The length at which messages cut a value, in characters.
  private static let longestShown = 80

  /// The text for a message: without characters that control a terminal, cut if it is long.
  package var shown: String {
    let start = unicodeScalars.prefix(Self.longestShown)
    return start.endIndex < unicodeScalars.endIndex ? String(start).harmless + "…" : harmless
  }

  /// The text with every character that could move a terminal's cursor or reorder its text replaced by
  /// U+FFFD.
  package var harmless: String {
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
    var result = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text on one line: each line break, tab or other run of white space is one space. The rest is harmless.
  package var onOneLine: String {
    unicodeScalars.split {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }.map { String($0).harmless }.joined(separator: " ")
  }

  /// The text in double quotes, for a message.
  package var quoted: String { "\"\(shown)\"" }

  /// Whether the text has a control character, which names must not contain.
  package var hasControlCharacter: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

extension JSON {
  /// The value as JSON for a message, cut if it is long.
  package var shown: String { text.shown }
}

extension Int {
  /// The number with a noun: "1 route", "2 routes".
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// The number of elements to insert, delete or replace to turn one list into the other (Levenshtein).
package func editDistance<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int {
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      let replaced = last[column] + (letter == other ? 0 : 1)
      current.append(min(replaced, last[column + 1] + 1, current[column] + 1))
    }
    last = current
  }
  return last[right.count]
}

extension UInt8 {
  /// The byte as a percent-encoded octet, such as `%C3` (RFC 3986 section 2.1).
  package var percentEscaped: String {
    (self < 16 ? "%0" : "%") + String(self, radix: 16, uppercase: true)
  }

  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased) }

  var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }
}
