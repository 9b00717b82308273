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
      buffer.initialize(repeating: Self.mark)
      let digits = UnsafeMutableRawBufferPointer(
        rebasing: UnsafeMutableRawBufferPointer(buffer)[1...])
      for group in 0..<Self.groups {
        digits.storeBytes(of: eightDigits(group), toByteOffset: group * 8, as: UInt64.self)
      }
      return Self.tagBytes
    }
  }

  /// Whether these are the bytes of the tag, with its quotation marks.
  func isEntityTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == Self.tagBytes, bytes.first == Self.mark, bytes.last == Self.mark else {
      return false
    }
    return (0..<Self.groups).allSatisfy { group in
      bytes.loadUnaligned(fromByteOffset: 1 + group * 8, as: UInt64.self) == eightDigits(group)
    }
  }

  private static let groups = 8
  private static let tagBytes = 66
  private static let mark = UInt8(ascii: "\"")

  /// Eight of the digits as they lie in memory, worked out all at once: each conditional request is
  /// compared with them.
  private func eightDigits(_ group: Int) -> UInt64 {
    let half = words[group / 2] >> (group.isMultiple(of: 2) ? 32 : 0)
    // Each half byte moves into a byte of its own.
    var bytes = half & 0xFFFF_FFFF
    bytes = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
    bytes = (bytes | bytes << 8) & 0x00FF_00FF_00FF_00FF
    bytes = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F
    let isLetter = (bytes + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let digits = bytes + 0x3030_3030_3030_3030 + isLetter * UInt64(UInt8(ascii: "a") - 10 - 0x30)
    return digits.bigEndian
  }
}
