/// A bracket that is missing from a text that is not JSON, or is one too many.
struct MisplacedBracket {
  /// What to do about it.
  let help: String

  /// Follows the brackets outside of strings.
  ///
  /// - Returns: `nil` if they are in order, or if a string has no end.
  init?(_ text: [UInt8]) {
    var open: [(bracket: UInt8, line: Int)] = []
    var (line, isInString, isEscaped, hasValue) = (1, false, false, false)
    for byte in text {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
        hasValue = true
      case UInt8(ascii: ":") where open.isEmpty && hasValue:
        help = "Write `{` at the start: it is missing there."
        return
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append((byte, line))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let character = Character(Unicode.Scalar(byte))
        guard let last = open.popLast() else {
          help = "Remove the `\(character)` in line \(line): it is one too many."
          return
        }
        let needed = Self.end(of: last.bracket)
        if needed == byte { continue }
        let begins = Character(Unicode.Scalar(last.bracket))
        help =
          "Write `\(Character(Unicode.Scalar(needed)))` before the `\(character)` in line \(line): the `\(begins)` in line "
          + "\(last.line) has no end."
        return
      default: break
      }
    }
    if isInString || open.isEmpty { return nil }
    let missing = String(decoding: open.reversed().map { Self.end(of: $0.bracket) }, as: UTF8.self)
    help = "Write `\(missing.prefix(20))` at the end, in line \(line): it is missing there."
  }

  private static func end(of bracket: UInt8) -> UInt8 {
    bracket == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }
}
