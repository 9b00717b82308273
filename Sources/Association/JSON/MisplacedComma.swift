/// A comma that a JSON text lacks, or has too many.
package struct MisplacedComma: Sendable, Equatable {
  /// What is wrong with a comma.
  package enum Fault: Sendable {
    case missing, excessive
    /// A key needs a colon there.
    case inPlaceOfColon
  }

  package let fault: Fault
  /// The line where the comma belongs, or stands, counted from 1.
  package let line: Int
  /// For a missing comma, the place behind which it belongs; otherwise its own: the byte in the line, counted
  /// from 1.
  package let column: Int
}

extension MisplacedComma {
  /// The comma that explains why a text is not JSON; `nil` if the reason is another one.
  ///
  /// - Parameter offset: The number of bytes that the parser read before it gave up.
  init?(in text: ArraySlice<UInt8>, before offset: Int) {
    var scan = CommaScan(text)
    guard let place = scan.comma(before: offset) else { return nil }
    let before = text.prefix(place.offset)
    let newline = UInt8(ascii: "\n")
    fault = place.fault
    line = before.count(where: { $0 == newline }) + 1
    column =
      before.count - (before.lastIndex(of: newline).map { $0 - text.startIndex + 1 } ?? 0) + 1
  }
}

/// Follows the structure of a text up to its first fault.
private struct CommaScan {
  /// What may come next.
  private enum Expected {
    /// A value, or in an empty list also its end.
    case value(orEnd: Bool)
    /// A key, or in an empty object also its end.
    case key(orEnd: Bool)
    case colon
    case commaOrEnd
  }

  /// The bytes of a token.
  private struct Token {
    let first: UInt8
    let range: Range<Int>
    /// Whether it is a number, a word such as `true`, or a string with its end.
    let isWhole: Bool
  }

  private let text: [UInt8]
  private var position = 0
  /// Whether each open container is an object.
  private var stack: [Bool] = []
  private var expected = Expected.value(orEnd: false)

  init(_ text: ArraySlice<UInt8>) { self.text = Array(text) }

  /// The comma at the fault, and the offset of the byte that it is, or of the last byte before its place.
  mutating func comma(before offset: Int) -> (fault: MisplacedComma.Fault, offset: Int)? {
    var last: Token?
    while let token = next() {
      guard let fault = take(token) else {
        last = token
        continue
      }
      // The parser may have given up earlier, because of something in a string.
      guard token.range.lowerBound < offset, offset <= token.range.upperBound + 1 else {
        return nil
      }
      switch fault {
      case .missing: return last.map { (.missing, $0.range.upperBound - 1) }
      case .excessive:
        let comma = token.first == Self.comma ? token : last
        return comma.map { (.excessive, $0.range.lowerBound) }
      case .inPlaceOfColon: return (.inPlaceOfColon, token.range.lowerBound)
      case .other: return nil
      }
    }
    return nil
  }

  private enum Fault { case missing, excessive, inPlaceOfColon, other }

  private static let comma = UInt8(ascii: ",")

  /// Takes the next token. Returns what is wrong; `nil` if it may come here.
  private mutating func take(_ token: Token) -> Fault? {
    let isValue = "\"{[-0123456789tfn".utf8.contains(token.first) && token.isWhole
    let end = stack.last.map { UInt8(ascii: $0 ? "}" : "]") }
    switch expected {
    case .value(let orEnd):
      if isValue { return begin(token) }
      if token.first == end, stack.last == false { return orEnd ? close() : .excessive }
      return token.first == Self.comma ? .excessive : .other
    case .key(let orEnd):
      if token.first == UInt8(ascii: "\""), token.isWhole {
        expected = .colon
        return nil
      }
      if token.first == end { return orEnd ? close() : .excessive }
      return token.first == Self.comma ? .excessive : .other
    case .colon:
      if token.first == Self.comma { return .inPlaceOfColon }
      guard token.first == UInt8(ascii: ":") else { return .other }
      expected = .value(orEnd: false)
      return nil
    case .commaOrEnd:
      if token.first == Self.comma {
        guard let isObject = stack.last else { return next() == nil ? .excessive : .other }
        expected = isObject ? .key(orEnd: false) : .value(orEnd: false)
        return nil
      }
      if token.first == end { return close() }
      return isValue && !stack.isEmpty ? .missing : .other
    }
  }

  private mutating func begin(_ token: Token) -> Fault? {
    switch token.first {
    case UInt8(ascii: "{"):
      stack.append(true)
      expected = .key(orEnd: true)
    case UInt8(ascii: "["):
      stack.append(false)
      expected = .value(orEnd: true)
    default: expected = .commaOrEnd
    }
    return nil
  }

  private mutating func close() -> Fault? {
    stack.removeLast()
    expected = .commaOrEnd
    return nil
  }

  /// The next token; `nil` at the end.
  private mutating func next() -> Token? {
    while position < text.count, " \t\r\n".utf8.contains(text[position]) { position += 1 }
    guard position < text.count else { return nil }
    let (start, first) = (position, text[position])
    position += 1
    var isWhole = true
    if first == UInt8(ascii: "\"") {
      while position < text.count, text[position] != UInt8(ascii: "\""), text[position] >= 0x20 {
        position += text[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      isWhole = position < text.count && text[position] == UInt8(ascii: "\"")
      position = min(position + 1, text.count)
    } else if Self.isOfWord(first) {
      while position < text.count, Self.isOfWord(text[position]) { position += 1 }
      let word = text[start..<position]
      isWhole =
        ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
        || word.allSatisfy { "+-.0123456789eE".utf8.contains($0) }
    }
    return Token(first: first, range: start..<position, isWhole: isWhole)
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."),
      UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
