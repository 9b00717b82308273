/// Escapes such as `%C3` (RFC 3986, section 2.1).
enum PercentEscape {
  /// The first escape in a text, preferably one with a lower-case letter.
  static func first(in text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
    let scalars = Array(text.unicodeScalars)
    let escapes = scalars.indices.compactMap { index -> String? in
      guard scalars[index] == "%", index + 2 < scalars.count,
        scalars[index + 1...index + 2].allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit })
      else { return nil }
      return String(scalars[index...index + 2])
    }
    return escapes.first { $0 != $0.uppercased() } ?? escapes.first
  }
}
