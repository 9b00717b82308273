/// A quotation mark that JSON does not know, where it needs a straight one.
package struct CurlyQuote: Sendable, Equatable {
  package let text: String
  /// The line of the quotation mark, counted from 1.
  package let line: Int
  /// Its first byte in the line, counted from 1.
  package let column: Int
}

extension CurlyQuote {
  /// The quotation mark that explains why a text is not JSON; `nil` if the reason is another one.
  ///
  /// - Parameter offset: The number of bytes that the parser read before it gave up.
  init?(in text: ArraySlice<UInt8>, before offset: Int) {
    guard let place = Self.place(in: Array(text), before: offset) else { return nil }
    self.text = place.mark
    (line, column) = text.place(at: text.startIndex + place.offset)
  }

  private static let marks = ["“", "”", "„", "‟", "‘", "’", "‚", "«", "»", "″"]

  /// The first mark outside of the strings, or in the last string the first one that seems to end it.
  private static func place(in text: [UInt8], before offset: Int) -> (mark: String, offset: Int)? {
    var position = 0
    var ending: (mark: String, offset: Int)?
    while position < min(offset, text.count) {
      guard text[position] == UInt8(ascii: "\"") else {
        if let mark = mark(in: text, at: position) { return (mark, position) }
        position += 1
        continue
      }
      position += 1
      ending = nil
      while position < text.count, text[position] != UInt8(ascii: "\"") {
        if text[position] == UInt8(ascii: "\\") {
          position += 1
        } else if ending == nil, let mark = mark(in: text, at: position),
          let next = text[(position + mark.utf8.count)...].first(where: {
            !" \t\r\n".utf8.contains($0)
          }),
          ":,}]".utf8.contains(next)
        {
          ending = (mark, position)
        }
        position += 1
      }
      // Otherwise the string is whole, and the mark is part of its text.
      if position < text.count, let begun = ending,
        !text[(begun.offset + begun.mark.utf8.count)..<position].allSatisfy(isBetweenStrings)
      {
        ending = nil
      }
      position += 1
    }
    return ending
  }

  /// Whether a byte may be between two strings.
  private static func isBetweenStrings(_ byte: UInt8) -> Bool {
    ":,{}[] \t\r\n0123456789.-truefalsn".utf8.contains(byte)
  }

  /// The mark that stands for the straight quotation mark behind the `=` of an attribute in a line of XML, counted
  /// from 1; `nil` without one.
  package static func beginningAttribute(inLine number: Int, of xml: [UInt8]) -> String? {
    let lines = xml.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return nil }
    let line = Array(lines[number - 1])
    return line.indices.dropFirst().lazy.compactMap { place in
      line[place - 1] == UInt8(ascii: "=") ? mark(in: line, at: place) : nil
    }.first
  }

  private static func mark(in text: [UInt8], at position: Int) -> String? {
    if text[position] < 0x80 { return nil }
    return marks.first { text[position...].starts(with: $0.utf8) }
  }
}
