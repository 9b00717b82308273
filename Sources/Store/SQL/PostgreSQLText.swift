/// Text as PostgreSQL stores it, which knows no U+0000: that is U+E000 and "0", and U+E000 itself is U+E000 and "1".
enum PostgreSQLText {
  private static let mark: [UInt8] = [0xEE, 0x80, 0x80]

  static func stored(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    if !bytes.contains(0) && !bytes.contains(mark) { return bytes }
    var stored: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{0}": stored += mark + [UInt8(ascii: "0")]
      case "\u{E000}": stored += mark + [UInt8(ascii: "1")]
      default: stored += Array(String(scalar).utf8)
      }
    }
    return stored
  }

  static func read(_ stored: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: stored, as: UTF8.self)
    if !stored.contains(mark) { return text }
    var read = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let isMark = scalar == "\u{E000}"
      read.append(isMark && rest.popFirst() == "0" ? "\u{0}" : scalar)
    }
    return String(read)
  }
}

extension Collection<UInt8> {
  fileprivate func contains(_ mark: [UInt8]) -> Bool {
    guard contains(mark[0]) else { return false }
    var rest = self[...]
    while let start = rest.firstIndex(of: mark[0]) {
      if rest[start...].starts(with: mark) { return true }
      rest = rest[index(after: start)...]
    }
    return false
  }
}
