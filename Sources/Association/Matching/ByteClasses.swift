/// The character classes as bits of a table by byte.
enum ByteClasses {
  /// The number of a class, which is that of its bit; with `folds`, of the class in either case.
  static func index(of characterClass: CharacterClass, folds: Bool) -> Int {
    let position = CharacterClass.allCases.firstIndex(of: characterClass) ?? 0
    return position + (folds ? CharacterClass.allCases.count : 0)
  }

  /// Whether the byte is a character of the class with this number.
  @inline(__always)
  static func contains(_ byte: UInt8, in index: Int) -> Bool {
    table[Int(byte)] >> UInt16(truncatingIfNeeded: index) & 1 != 0
  }

  private static let table: [UInt16] = (0...UInt8.max).map { byte in
    guard byte < 0x80 else { return 0 }
    var bits: UInt16 = 0
    for characterClass in CharacterClass.allCases {
      for folds in [false, true]
      where characterClass.contains(Unicode.Scalar(byte), foldingCase: folds) {
        bits |= 1 << UInt16(index(of: characterClass, folds: folds))
      }
    }
    return bits
  }
}
