/// The SHA-256 of a document, of which its strong entity tag is made (RFC 9110 section 8.8.3).
public struct DocumentDigest: Sendable, Hashable {
  // Sixteen hexadecimal digits each.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// Reads 64 hexadecimal digits, with letters in lower case; `nil` for anything else.
  public init?(hexadecimal text: String) {
    var text = text
    let words = text.withUTF8 { digits -> (UInt64, UInt64, UInt64, UInt64)? in
      guard digits.count == 64, let first = Self.word(digits[..<16]),
        let second = Self.word(digits[16..<32]), let third = Self.word(digits[32..<48]),
        let fourth = Self.word(digits[48...])
      else { return nil }
      return (first, second, third, fourth)
    }
    guard let words else { return nil }
    (first, second, third, fourth) = words
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
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes[0] = Self.quotationMark
      first.storeDigits(in: bytes, at: 1)
      second.storeDigits(in: bytes, at: 17)
      third.storeDigits(in: bytes, at: 33)
      fourth.storeDigits(in: bytes, at: 49)
      bytes[Self.tagBytes - 1] = Self.quotationMark
      return Self.tagBytes
    }
  }

  /// Whether these are the bytes of the tag, with its quotation marks.
  func isEntityTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == Self.tagBytes && bytes[0] == Self.quotationMark
      && bytes[Self.tagBytes - 1] == Self.quotationMark
      && first.hasDigits(bytes, at: 1) && second.hasDigits(bytes, at: 17)
      && third.hasDigits(bytes, at: 33) && fourth.hasDigits(bytes, at: 49)
  }

  private static let tagBytes = 66
  private static let quotationMark = UInt8(ascii: "\"")
}

extension UInt64 {
  /// The sixteen hexadecimal digits, eight in each, as they lie in memory.
  private var digits: (UInt64, UInt64) {
    (Self.eightDigits(self >> 32).bigEndian, Self.eightDigits(self & 0xFFFF_FFFF).bigEndian)
  }

  /// All eight at once, since each request with If-None-Match compares a tag.
  private static func eightDigits(_ bits: UInt64) -> UInt64 {
    // Each four bits go into a byte of their own.
    var bytes = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bytes = (bytes | bytes << 8) & 0x00FF_00FF_00FF_00FF
    bytes = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // Of those over 9 the fifth bit is set by adding 6; `a` comes 39 behind what comes after `9`.
    let letters = (bytes + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return bytes + 0x3030_3030_3030_3030 + letters * 39
  }

  fileprivate func hasDigits(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    let (high, low) = digits
    return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == high
      && bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == low
  }

  fileprivate func storeDigits(in bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let (high, low) = digits
    bytes.storeBytes(of: high, toByteOffset: offset, as: UInt64.self)
    bytes.storeBytes(of: low, toByteOffset: offset + 8, as: UInt64.self)
  }
}
