/// A syntax that resembles JSON, in a text that is not JSON.
struct OtherSyntax {
  /// What to do about it.
  let help: String

  /// - Parameters:
  ///   - line: The line in which the parser stopped.
  ///   - column: The column, in bytes.
  /// - Returns: `nil` if nothing there is of another syntax.
  init?(_ text: [UInt8], line: Int, column: Int) {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(line - 1), case let start = lines[line - 1].startIndex,
      case let place = start + column - 1, text.indices.contains(place)
    else { return nil }
    let isBlank = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    let before = text[..<place]
    let rest = text[place...]
    if rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "\"")]) {
      help =
        "Line \(line) has a backslash before a quotation mark, so the text was escaped once too often. Publish it without"
        + " these backslashes."
      return
    }
    if let key = Self.bareKey(in: text, at: place), case let previous = text[..<key.startIndex],
      let sign = previous.last(where: { !isBlank($0) }), "{,".utf8.contains(sign)
    {
      let name = String(decoding: key, as: UTF8.self)
      help =
        "Write `\"\(name)\"` in line \(line): unlike in JavaScript, each key needs straight double quotes."
      return
    }
    // A whole document and more.
    guard let last = before.last(where: { !isBlank($0) }), "]}".utf8.contains(last),
      let next = rest.first, "[{;".utf8.contains(next), Self.isJSON(before)
    else { return nil }
    help =
      next == UInt8(ascii: ";")
      ? "Remove the `;` in line \(line): JSON ends with its last bracket."
      : "A second document begins in line \(line), column \(column). A file is one: merge them."
  }

  /// The name around a place, if a colon follows it; otherwise `nil`.
  private static func bareKey(in text: [UInt8], at place: Int) -> ArraySlice<UInt8>? {
    let isPart = { (byte: UInt8) in byte.isASCIILetterOrDigit || "_$".utf8.contains(byte) }
    guard isPart(text[place]) else { return nil }
    let start = (text[..<place].lastIndex { !isPart($0) } ?? -1) + 1
    let end = text[place...].firstIndex { !isPart($0) } ?? text.endIndex
    let next = text[end...].first { !" \t\r\n".utf8.contains($0) }
    return next == UInt8(ascii: ":") ? text[start..<end] : nil
  }

  private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
    do throws(JSON.SyntaxError) {
      _ = try JSON.parse(text, limits: ReadDocument.limits)
      return true
    } catch {
      return false
    }
  }
}
