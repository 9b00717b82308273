/// A comma that a JSON text lacks, or has too many.
package struct MisplacedComma: Sendable, Equatable {
  package enum Fault: Sendable {
    case missing, excessive
    /// A key needs a colon there.
    case inPlaceOfColon
    /// A key needs a value before it.
    case inPlaceOfValue
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
  init?(in text: ArraySlice<UInt8>, _ failure: JSON.ParserFailure) {
    guard failure.reason.hasPrefix("unexpected "), failure.offset > 0, failure.offset <= text.count
    else { return nil }
    let comma = UInt8(ascii: ",")
    let isBlank = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    let before = text.prefix(failure.offset).dropLast(failure.tokenSize)
    let previous = before.lastIndex { !isBlank($0) }
    var place = before.endIndex
    switch (failure.context, text[place]) {
    case ("array", let token), ("object", let token):
      guard let previous, !"]}:".utf8.contains(token) else { return nil }
      // Words that run together, such as `01`, have another fault.
      if previous + 1 == place, text[previous].isASCIILetterOrDigit,
        !"\"[{".utf8.contains(token)
      {
        return nil
      }
      (fault, place) = (.missing, previous)
    case ("value", UInt8(ascii: "]")), ("object key", UInt8(ascii: "}")):
      guard let previous, text[previous] == comma else { return nil }
      (fault, place) = (.excessive, previous)
    case ("value", comma), ("object key", comma):
      let isBehindValue = failure.reason.hasSuffix("expected end of input")
      if isBehindValue, !text[(place + 1)...].allSatisfy(isBlank) { return nil }
      let rest = text[(place + 1)...].drop(while: isBlank)
      let isEnd = rest.first == UInt8(ascii: "}") || Self.isKey(rest)
      fault = previous.map { text[$0] } == UInt8(ascii: ":") && isEnd ? .inPlaceOfValue : .excessive
    case ("object separator", comma): fault = .inPlaceOfColon
    default: return nil
    }
    (line, column) = text.place(at: place)
  }

  /// Whether a text begins with a key and its colon.
  private static func isKey(_ text: ArraySlice<UInt8>) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard text.first == quote, let end = text.dropFirst().firstIndex(of: quote) else {
      return false
    }
    return text[(end + 1)...].first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ":")
  }
}
