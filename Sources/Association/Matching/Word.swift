/// Eight bytes of a text in one machine word.
struct Word {
  /// The bytes, the first in the lowest bits.
  var bits: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Loads the eight bytes from an index on, all of which must exist.
  @inline(__always)
  init(_ text: Span<UInt8>, at index: Int) {
    // Every bit pattern is an integer; the load checks the bounds.
    bits = UInt64(
      littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Loads up to eight bytes from an index on, padded with zeros.
  @inline(__always)
  init(_ text: Span<UInt8>, _ range: Range<Int>) {
    guard range.lowerBound + 8 <= text.count else {
      self.init(bits: range.reversed().reduce(0) { $0 << 8 | UInt64(text[$1]) })
      return
    }
    self.init(text, at: range.lowerBound)
    if range.count < 8 { bits &= (1 &<< UInt64(8 * range.count)) &- 1 }
  }

  private init(bits: UInt64) { self.bits = bits }

  /// Sets the high bit of each byte that equals the given one. Above the first match, other high
  /// bits may be set, too.
  @inline(__always)
  func marks(of byte: UInt8) -> UInt64 {
    let difference = bits ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highs
  }

  /// Whether all bytes are ASCII characters.
  @inline(__always)
  var isASCII: Bool { bits & Self.highs == 0 }

  /// The index of the first byte in the range that the marks flag, or the end of the range.
  @inline(__always)
  static func firstIndex(
    in text: Span<UInt8>, _ range: Range<Int>, where marks: (Word) -> UInt64
  ) -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      let next = min(index + 8, range.upperBound)
      let marks = marks(Word(text, index..<next))
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index = next
    }
    return index
  }

  /// The bytes with ASCII capital letters in lower case.
  @inline(__always)
  var asciiLowercased: Word {
    let low = bits & ~Self.highs
    let fromA = low &+ Self.ones &* (0x80 - 0x41)
    let afterZ = low &+ Self.ones &* (0x80 - 0x5B)
    var word = self
    word.bits |= (fromA & ~afterZ & ~bits & Self.highs) >> 2
    return word
  }
}
