/// The SHA-256 of a document, of which its strong entity tag is made (RFC 9110 section 8.8.3).
public struct DocumentDigest: Sendable, Hashable {
  /// The first 16 hexadecimal digits, the next ones, and so on.
  private let words: SIMD4<UInt64>

  /// Reads 64 hexadecimal digits, with letters in lower case; `nil` for anything else.
  public init?(hexadecimal text: String) {
    var text = text
    let words = text.withUTF8 { digits -> SIMD4<UInt64>? in
      guard digits.count == 64, let first = Self.word(digits[..<16]),
        let second = Self.word(digits[16..<32]), let third = Self.word(digits[32..<48]),
        let fourth = Self.word(digits[48...])
      else { return nil }
      return SIMD4(first, second, third, fourth)
    }
    guard let words else { return nil }
    self.words = words
  }

  private static func word(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var word: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        word = word << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        word = word << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return word
  }

  /// The digits between quotation marks.
  var entityTag: String {
    String(unsafeUninitializedCapacity: Self.tagBytes) { buffer in
      for index in 0..<Self.tagBytes { buffer.initializeElement(at: index, to: tagByte(at: index)) }
      return Self.tagBytes
    }
  }

  /// Whether these are the bytes of the tag, with its quotation marks.
  func isEntityTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == Self.tagBytes && bytes.indices.allSatisfy { bytes[$0] == tagByte(at: $0) }
  }

  private static let tagBytes = 66

  private func tagByte(at index: Int) -> UInt8 {
    if index == 0 || index == Self.tagBytes - 1 { return UInt8(ascii: "\"") }
    let digit = UInt8(words[(index - 1) / 16] >> UInt64(60 - (index - 1) % 16 * 4) & 0xF)
    return digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }
}
