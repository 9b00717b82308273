/// A bracket that is missing from a text that is not JSON, or that should not be there.
struct MisplacedBracket {
  /// What to do about it.
  let help: String

  /// Follows the brackets outside of strings, as far as a parser came.
  ///
  /// - Parameters:
  ///   - line: The line in which the parser stopped.
  ///   - column: The column, in bytes.
  /// - Returns: `nil` if the brackets are in order up to there, or if a string has no end.
  init?(_ text: [UInt8], line last: Int, column: Int) {
    var open: [(bracket: UInt8, line: Int)] = []
    var (line, place) = (1, 0)
    var (isInString, isEscaped, hasRoot) = (false, false, false)
    for (index, byte) in text.enumerated() {
      place += 1
      if byte == UInt8(ascii: "\n") { (line, place) = (line + 1, 0) }
      // What comes behind is not the cause.
      if (line, place) > (last, column) && !(isInString && line == last) { return nil }
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
      let character = Character(Unicode.Scalar(byte))
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ":") where open.isEmpty && !hasRoot:
        help = "Write `{` at the start: it is missing there."
        return
      case UInt8(ascii: ",") where open.isEmpty && hasRoot:
        switch text[(index + 1)...].first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "\""):
          help = "Remove the bracket before the comma in line \(line): it ends the file too early."
        case UInt8(ascii: "{"):
          help = "Write `[` at the start and `]` at the end: several objects are a list."
        case UInt8(ascii: "["):
          help =
            "Remove the `]` before the comma in line \(line) and the `[` behind it: a file is one list."
        default: return nil
        }
        return
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open.append((byte, line))
        hasRoot = true
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let begin = open.popLast() else {
          help =
            "Remove the `\(character)` in line \(line): nothing is open there that it could end."
          return
        }
        let needed = Self.end(of: begin.bracket)
        if needed == byte { continue }
        help =
          "Write `\(Character(Unicode.Scalar(needed)))` before the `\(character)` in line \(line): the "
          + "`\(Character(Unicode.Scalar(begin.bracket)))` in line \(begin.line) has no end."
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
