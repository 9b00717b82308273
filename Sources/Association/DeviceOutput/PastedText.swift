/// A text in lines, with one kind of white space, as a terminal, a browser or a mail program may have left it.
struct PastedText {
  /// Lines end with LF. No-break spaces are blanks; a tab is two of them, because it parts columns as they do.
  private let bytes: [UInt8]
  /// The same without the quotation marks of mail programs, and with one blank in place of each run of blanks and
  /// line ends: for texts that pasting folds.
  let flat: ArraySlice<UInt8>

  private static let blank = UInt8(ascii: " ")
  private static let lineEnd = UInt8(ascii: "\n")
  /// What mail programs write before each line of a text that is answered.
  private static let quotation = UInt8(ascii: ">")

  init(_ pasted: ArraySlice<UInt8>) {
    let pasted = Self.withoutPrefixes(Self.withoutColors(Self.utf8(pasted)))
    var bytes: [UInt8] = []
    var flat: [UInt8] = []
    bytes.reserveCapacity(pasted.count + 1)
    flat.reserveCapacity(pasted.count)
    var isLineStart = true
    func add(_ byte: UInt8) {
      bytes.append(byte)
      if byte == Self.lineEnd {
        isLineStart = true
      } else if isLineStart && byte != Self.blank {
        if byte == Self.quotation { return }
        isLineStart = false
      }
      if byte != Self.blank && byte != Self.lineEnd {
        flat.append(byte)
      } else if let last = flat.last, last != Self.blank {
        flat.append(Self.blank)
      }
    }
    var index = pasted.startIndex
    while index < pasted.endIndex {
      let byte = pasted[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\r"):
        add(Self.lineEnd)
        if index < pasted.endIndex && pasted[index] == Self.lineEnd { index += 1 }
      case UInt8(ascii: "\t"):
        add(Self.blank)
        add(Self.blank)
      case 0x0B, 0x0C: add(Self.blank)
      case 0xC2 where index < pasted.endIndex && pasted[index] == 0xA0:
        index += 1
        add(Self.blank)
      case 0xE2 where pasted[index...].starts(with: [0x80, 0xAF]):
        index += 2
        add(Self.blank)
      case 0xEF where pasted[index...].starts(with: [0xBB, 0xBF]): index += 2
      default: add(byte)
      }
    }
    (self.bytes, self.flat) = (bytes, flat[...])
  }

  /// The text in UTF-8. PowerShell writes what a program prints as UTF-16 to a file.
  private static func utf8(_ pasted: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isLittleEndian = pasted.starts(with: [0xFF, 0xFE])
    guard isLittleEndian || pasted.starts(with: [0xFE, 0xFF]) else { return pasted }
    let units = stride(from: pasted.startIndex + 2, to: pasted.endIndex - 1, by: 2).map { index in
      let (first, second) = (UInt16(pasted[index]), UInt16(pasted[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)[...]
  }

  /// How logs and programs write the escape character; some lose it.
  private static let escapes = [
    "\u{1B}", "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "#033", "^[",
  ]
  .map { Array($0.utf8) }

  /// The text without the colors of terminals, such as `[31m` with an escape character before it.
  private static func withoutColors(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(UInt8(ascii: "[")) else { return text }
    var plain: [UInt8] = []
    var rest = text
    while let open = rest.firstIndex(of: UInt8(ascii: "[")) {
      plain += rest[..<open]
      let end = rest[(open + 1)...].prefix(12).drop { $0.isASCIIDigit || $0 == UInt8(ascii: ";") }
      let isColor = end.first == UInt8(ascii: "m") && end.dropFirst().first != UInt8(ascii: "]")
      let escape = escapes.first { plain.suffix($0.count).elementsEqual($0) }
      if escape != nil ? end.first?.isASCIILetter == true : isColor && end.startIndex > open + 1 {
        plain.removeLast(escape?.count ?? 0)
        rest = rest[(end.startIndex + 1)...]
      } else {
        plain.append(rest[open])
        rest = rest[(open + 1)...]
      }
    }
    return (plain + rest)[...]
  }

  /// Beginnings of lines from which on a tool's output is read line by line.
  private static let lineBeginnings = [
    "Domain verification state:", "Site/Fmwk Approval:", "App verification status:",
    "App linkages for user ", "--- App Link Resolution Debug ---",
  ].map { Array($0.utf8) }

  /// The text without what a log writes before each line, such as a time, if there is such a prefix before the beginning
  /// of a line that is known.
  private static func withoutPrefixes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var prefix: [UInt8]?
    forEachLine(of: text) { line in
      if prefix != nil { return }
      let place = line.prefix(300).indices.first { index in
        lineBeginnings.contains { line[index] == $0[0] && line[index...].starts(with: $0) }
      }
      prefix = place.map { shape(line[..<$0]) }
    }
    guard let prefix, !prefix.allSatisfy({ " \t>".utf8.contains($0) }) else { return text }
    let words = prefix.split(separator: blank).count
    var (stripped, count): ([UInt8], Int) = ([], 0)
    forEachLine(of: text) { line in
      var rest = line
      for _ in 0..<words { rest = rest.drop(while: isBlank).drop { !isBlank($0) } }
      let hasPrefix = shape(line[..<rest.startIndex]) == prefix
      if hasPrefix { count += 1 }
      stripped += hasPrefix ? rest.dropFirst() : line
      stripped.append(lineEnd)
    }
    // A command, or a sentence, is no prefix of the next lines.
    return count > 1 ? stripped[...] : text
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == blank || byte == UInt8(ascii: "\t") }

  private static func forEachLine(
    of text: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void
  ) {
    var rest = text
    while !rest.isEmpty {
      let line = rest.prefix { $0 != lineEnd }
      body(line)
      rest = rest[line.endIndex...].dropFirst()
    }
  }

  /// A text with one digit in place of each number, and one blank in place of several.
  private static func shape(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var shape: [UInt8] = []
    for byte in text.prefix(300) {
      let next = byte.isASCIIDigit ? UInt8(ascii: "0") : isBlank(byte) ? blank : byte
      if next == shape.last && (byte.isASCIIDigit || byte == blank) { continue }
      shape.append(next)
    }
    return Array(shape[...].trimmed)
  }

  /// A line without the blanks and quotation marks around it.
  struct Line {
    let text: ArraySlice<UInt8>
    /// How many columns it takes with its indentation.
    let columns: Int
  }

  func forEachLine(_ body: (Line) -> Void) {
    Self.forEachLine(of: bytes[...]) { line in
      let text = line.drop { $0 == Self.blank || $0 == Self.quotation }.trimmed
      body(Line(text: text, columns: line.count))
    }
  }

  /// The kinds whose marker is the beginning of a line, or a field of a header in it.
  var lineMarkers: Set<DeviceOutput.Kind> {
    var found: Set<DeviceOutput.Kind> = []
    forEachLine { line in
      switch line.text.first {
      case UInt8(ascii: "D") where line.text.starts(with: "Domain verification state:".utf8):
        found.insert(.appLinks)
      // Without hosts to verify, a package has only the parts of its users.
      case UInt8(ascii: "V")
      where line.text.starts(with: "Verification link handling allowed:".utf8):
        found.insert(.appLinks)
      case UInt8(ascii: "S") where line.text.starts(with: "Site/Fmwk Approval:".utf8):
        found.insert(.swcutilShow)
      case UInt8(ascii: "=") where AssociationTable.heading(line.text) == "DATABASE":
        found.insert(.swcutilShow)
      default: break
      }
      if CDNHeaders.isMarker(line.text) { found.insert(.cdnHeaders) }
    }
    return found
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks at both ends.
  var trimmed: ArraySlice<UInt8> {
    let blank = UInt8(ascii: " ")
    guard let last = lastIndex(where: { $0 != blank }) else { return prefix(0) }
    return self[...last].drop { $0 == blank }
  }

  /// Where a short word first is.
  func firstRange(of word: String) -> Range<Int>? {
    let word = Array(word.utf8)
    guard let first = word.first else { return nil }
    var index = startIndex
    while let hit = self[index...].firstIndex(of: first) {
      if self[hit...].starts(with: word) { return hit..<(hit + word.count) }
      index = hit + 1
    }
    return nil
  }

  /// All places of a short word.
  func ranges(of word: String) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var rest = self
    while let place = rest.firstRange(of: word) {
      found.append(place)
      rest = rest[place.upperBound...]
    }
    return found
  }

  /// Whether a short word is in it.
  func has(_ word: String) -> Bool { firstRange(of: word) != nil }

  /// What stands between two short words, after the first one; `nil` without either.
  func between(_ start: String, and end: String) -> ArraySlice<UInt8>? {
    guard let open = firstRange(of: start) else { return nil }
    let rest = self[open.upperBound...]
    return rest.firstRange(of: end).map { rest[..<$0.lowerBound] }
  }

  /// The part before the first colon and the part after it; `nil` without one.
  var atColon: (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    firstIndex(of: UInt8(ascii: ":")).map {
      (self[..<$0].trimmed, self[($0 + 1)...].trimmed)
    }
  }

  /// The words between blanks; no more than a line of a tool has.
  var words: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: " "), maxSplits: 20_000) }

  /// The text, cut at the limit of values.
  var value: String {
    if count <= DeviceOutput.longestValue { return String(decoding: self, as: UTF8.self) }
    var start = prefix(DeviceOutput.longestValue)
    // No character is cut in two.
    while let last = start.last, last & 0xC0 == 0x80 { start.removeLast() }
    if let last = start.last, last >= 0xC0 { start.removeLast() }
    return String(decoding: start, as: UTF8.self)
  }

  /// The text, or `nil` for none and for what Apple's tools print for none.
  var valueOrNone: String? {
    isEmpty || elementsEqual("(null)".utf8) || elementsEqual("null".utf8) ? nil : value
  }

  /// The host that a text is, or that a URL has, in lower case: a name of at least two labels, perhaps with `*.`
  /// before it.
  var host: String? {
    var rest = self[...]
    if let scheme = rest.prefix(64).firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { !"/?#".utf8.contains($0) }
    if let colon = rest.lastIndex(of: UInt8(ascii: ":")),
      rest[(colon + 1)...].allSatisfy(\.isASCIIDigit)
    {
      rest = rest[..<colon]
    }
    if rest.last == UInt8(ascii: ".") { rest.removeLast() }
    let name = rest.starts(with: "*.".utf8) ? rest.dropFirst(2) : rest
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard rest.count <= 253, labels.count > 1, labels.allSatisfy(Self.isLabel) else { return nil }
    guard let text = String(validating: rest, as: UTF8.self), !text.contains(where: \.isWhitespace),
      text.harmless == text
    else { return nil }
    return text.lowercased()
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    !label.isEmpty
      && label.allSatisfy {
        $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 >= 0x80
      }
  }

  /// The host that a pasted command asks about: that of the URL of `am start … -d URL`, or of the URL of Apple's CDN.
  var commandHost: String? {
    guard count <= DeviceOutput.longestValue else { return nil }
    if let place = firstRange(of: "/a/v1/") {
      return self[place.upperBound...].prefix { !" \"'".utf8.contains($0) }.host
    }
    return words.contains { $0.elementsEqual("--debug-link".utf8) } ? optionHost : nil
  }

  /// The host of the option `-d` of a command or, without one, of `-u`; written with a blank or `=` before the value.
  var optionHost: String? {
    let words = words.map { $0.filter { !"\"'`".utf8.contains($0) }[...] }
    func value(_ names: [String]) -> String? {
      for (index, word) in words.enumerated() {
        for name in names where word.starts(with: name.utf8) {
          let rest = word.dropFirst(name.utf8.count)
          if rest.first == UInt8(ascii: "=") { return rest.dropFirst().host }
          if rest.isEmpty { return index + 1 < words.count ? words[index + 1].host : nil }
        }
      }
      return nil
    }
    return value(["-d", "--domain"]) ?? value(["-u", "--url"])
  }
}
