/// Prepares text for comparison: UTF-8, with case folded and percent-encoding decoded if the route
/// requires it.
enum ComparedText {
  /// The text with each character in lower case, unless its lower-case form has several characters
  /// (simple case mapping). In invalid UTF-8, only ASCII letters change.
  static func folded(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }), let string = String(validating: text, as: UTF8.self)
    else { return text.map(\.asciiLowercased) }
    return bytes(Array(string.unicodeScalars), folds: true)
  }

  /// The characters in UTF-8, in lower case if case is folded.
  static func bytes(_ text: [Unicode.Scalar], folds: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for scalar in text {
      let compared = folds ? folded(scalar) : scalar
      if compared.isASCII {
        bytes.append(UInt8(compared.value))
      } else {
        bytes += String(compared).utf8
      }
    }
    return bytes
  }

  /// The character in lower case, or itself if that would be more than one character.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      return ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }
    let mapping = scalar.properties.lowercaseMapping.unicodeScalars
    return mapping.count == 1 ? mapping.first ?? scalar : scalar
  }

  /// The text with its percent-encoding decoded once (RFC 3986, section 2.1).
  ///
  /// An escape stays unchanged if it lacks two hexadecimal digits, or if its byte does not belong
  /// to a valid UTF-8 sequence of escapes.
  ///
  /// - Parameter delimiters: The ASCII characters whose escapes stay unchanged, too.
  static func decoded(
    _ text: Span<UInt8>, _ range: Range<Int>, keeping delimiters: [UInt8] = []
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      if text[index] == percent {
        let sequence = escapedCharacter(text, index..<range.upperBound)
        if let first = sequence.first, !delimiters.contains(first) {
          result += sequence
          index += 3 * sequence.count
          continue
        }
      }
      result.append(text[index])
      index += 1
    }
    return result
  }

  /// The text with escapes for what is not printable ASCII, as browsers write it. They keep the escapes that it has.
  static func encoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return text.flatMap { byte in
      (0x21...0x7E).contains(byte)
        ? [byte] : [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }

  /// The text with the digits of its escapes in capitals, or in small letters.
  static func withDigits(_ text: ArraySlice<UInt8>, areCapital: Bool) -> [UInt8] {
    var result = Array(text)
    for index in result.indices
    where escapedByte(result.span, index..<min(index + 3, result.count)) != nil {
      for place in (index + 1)...(index + 2) {
        let small = result[place] | 0x20
        result[place] = areCapital && small >= UInt8(ascii: "a") ? small & 0xDF : small
      }
    }
    return result
  }

  private static let percent = UInt8(ascii: "%")

  /// The bytes of the character that the escapes at the start of the range encode; empty if they
  /// encode none.
  private static func escapedCharacter(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    guard let first = escapedByte(text, range) else { return [] }
    let count =
      switch first {
      case 0..<0x80: 1
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 0
      }
    var bytes: [UInt8] = []
    for position in 0..<count {
      let start = min(range.lowerBound + 3 * position, range.upperBound)
      guard let byte = escapedByte(text, start..<range.upperBound) else { return [] }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self) == nil ? [] : bytes
  }

  private static func escapedByte(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt8? {
    let start = range.lowerBound
    guard range.count >= 3, text[start] == percent,
      let high = hexadecimal(text[start + 1]), let low = hexadecimal(text[start + 2])
    else { return nil }
    return high << 4 | low
  }

  static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
