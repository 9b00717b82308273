extension JSON {
  /// The value as JSON in UTF-8, without white space.
  package func serialized() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    write(to: &bytes)
    return bytes
  }

  /// The value as indented JSON that ends with a line break.
  ///
  /// - Parameter depth: How many levels deep it stands in other JSON.
  package func prettyPrinted(depth: Int = 0) -> String {
    var bytes: [UInt8] = []
    write(to: &bytes, indent: depth)
    bytes.append(UInt8(ascii: "\n"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value as JSON without white space.
  package var text: String { String(decoding: serialized(), as: UTF8.self) }

  /// Appends the value; with `indent`, on separate lines at that depth.
  private func write(to bytes: inout [UInt8], indent: Int? = nil) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let value): Self.writeString(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      Self.writeList(elements, to: &bytes, indent: indent) { element, bytes, indent in
        element.write(to: &bytes, indent: indent)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      Self.writeList(object.members, to: &bytes, indent: indent) { member, bytes, indent in
        Self.writeString(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if indent != nil { bytes.append(UInt8(ascii: " ")) }
        member.value.write(to: &bytes, indent: indent)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func writeList<Item>(
    _ items: [Item], to bytes: inout [UInt8], indent: Int?,
    item: (Item, inout [UInt8], Int?) -> Void
  ) {
    let inner = indent.map { $0 + 1 }
    for (index, value) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      writeLineBreak(inner, to: &bytes)
      item(value, &bytes, inner)
    }
    if !items.isEmpty { writeLineBreak(indent, to: &bytes) }
  }

  private static func writeLineBreak(_ indent: Int?, to bytes: inout [UInt8]) {
    guard let indent else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: indent * 2)
  }

  /// Escapes only what RFC 8259 section 7 requires.
  private static func writeString(_ value: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    // Most strings need no escaping.
    let isWritten = value.utf8.withContiguousStorageIfAvailable { text in
      if text.contains(where: mustBeEscaped) { return false }
      bytes.append(contentsOf: text)
      return true
    }
    if isWritten != true { writeEscaped(value, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func writeEscaped(_ value: String, to bytes: inout [UInt8]) {
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += #"\""#.utf8
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
      case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
      case 0..<0x20:
        bytes += (byte < 16 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
  }
}
