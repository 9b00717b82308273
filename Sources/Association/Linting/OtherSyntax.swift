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
    if let first = rest.first, "\t\r\n".utf8.contains(first), Self.isInString(before) {
      help =
        first == UInt8(ascii: "\t")
        ? "Remove the tab in line \(line), column \(column): a text between quotation marks has none."
        : "Write a quotation mark at the end of the text in line \(line): it is missing there, or the text has a line"
          + " break."
      return
    }
    if let character = Self.unseenCharacter(at: rest) {
      let code = String(character.value, radix: 16, uppercase: true)
      let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
      help =
        "Line \(line), column \(column) has the character \(name), which editors show as a space or not at all. Remove"
        + " it: texts that were copied from pages and chats have it."
      return
    }
    if let fault = Self.fault(at: rest, after: before.last { !isBlank($0) }) {
      help = fault(line)
      return
    }
    if let word = Self.bareText(in: text, at: place) {
      help =
        word.isExclusion
        ? "Write `NOT ` within the quotation marks in line \(line), as in `\"NOT /path/*\"`."
        : "Write `\(word.text.quoted)` in line \(line): each text needs straight double quotes at both ends."
      return
    }
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

  /// Whether a text ends within a string.
  private static func isInString(_ text: ArraySlice<UInt8>) -> Bool {
    var (isInString, isEscaped) = (false, false)
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = isInString
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      }
    }
    return isInString
  }

  /// A character that a text begins with and that nobody sees, other than those that JSON allows; `nil` for any other.
  private static func unseenCharacter(at text: ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let first = text.first, first >= 0x80 else { return nil }
    let character = String(decoding: text.prefix(4), as: UTF8.self).unicodeScalars.first
    return character.flatMap {
      $0.properties.isWhitespace || $0.properties.generalCategory == .format ? $0 : nil
    }
  }

  /// What to do about what a text begins with, if it is of another language; the line is to be filled in.
  ///
  /// - Parameter previous: What is before it.
  private static func fault(
    at text: ArraySlice<UInt8>, after previous: UInt8?
  ) -> ((_ line: Int) -> String)? {
    let hasEnd = { (end: StaticString) in Array(text.prefix(2000)).contains(ascii: end) }
    let next = text.dropFirst(2).first { !" \t".utf8.contains($0) }
    // Where a value belongs, it may be a path without quotation marks.
    let isValue =
      previous == UInt8(ascii: ":") || next.map { ",]}".utf8.contains($0) } ?? false
    if !isValue && (text.starts(with: "//".utf8) || text.starts(with: "#".utf8))
      || !isValue && text.starts(with: "/*".utf8) && hasEnd("*/")
      || text.starts(with: "<!--".utf8)
    {
      return { "Remove the comment in line \($0): JSON has none." }
    }
    guard let quote = ["'", "`"].first(where: { text.starts(with: $0.utf8) }) else { return nil }
    return {
      "Write straight double quotation marks (`\"`) in line \($0), in place of \(quote)."
    }
  }

  /// A text without quotation marks around a place, where a value belongs; `nil` if there is none that looks like a
  /// path, an app or a name.
  private static func bareText(
    in text: [UInt8], at place: Int
  ) -> (text: String, isExclusion: Bool)? {
    let ends = ",:[]{}\"\n\r".utf8
    let start = (text[..<place].lastIndex(where: ends.contains) ?? -1) + 1
    let isBlank = { (byte: UInt8) in " \t".utf8.contains(byte) }
    guard let sign = text[..<start].last(where: { !isBlank($0) && $0 != 10 && $0 != 13 }),
      ":[,".utf8.contains(sign)
    else { return nil }
    let end = text[place...].firstIndex(where: ends.contains) ?? text.endIndex
    let word = String(decoding: text[start..<end], as: UTF8.self)
      .drop(while: \.isWhitespace).prefix { !$0.isNewline }
    let trimmed = word.reversed().drop(while: \.isWhitespace).reversed()
    if String(trimmed) == "NOT" { return ("NOT", true) }
    // A colon behind it makes it a key.
    // Code of a program that should have run has other characters.
    guard !trimmed.isEmpty, trimmed.count <= 60, end == text.endIndex || text[end] != 0x3A,
      !trimmed.contains(where: { "<>()+=;$".contains($0) }),
      trimmed.contains(where: { "/*_".contains($0) })
        || trimmed.contains(".") && trimmed.contains(where: \.isLetter)
    else { return nil }
    return (String(trimmed), false)
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
