/// The predefined substitution variables that stand for exactly one ASCII character (Apple's page
/// applinks.SubstitutionVariables).
public enum CharacterClass: String, Sendable, CaseIterable {
  /// A letter, `A` to `Z` or `a` to `z`.
  case alpha
  /// A capital letter, `A` to `Z`.
  case upper
  /// A small letter, `a` to `z`.
  case lower
  /// A letter or a digit.
  case alnum
  /// A digit, `0` to `9`.
  case digit
  /// A hexadecimal digit: `0` to `9`, `A` to `F`, `a` to `f`.
  case xdigit

  /// Whether the character belongs to the class; with `foldingCase`, in either case (recorded:
  /// `$(upper)` accepts `a` under `caseSensitive: false`).
  public func contains(_ scalar: Unicode.Scalar, foldingCase: Bool) -> Bool {
    let isUpper = ("A"..."Z").contains(scalar)
    let isLower = ("a"..."z").contains(scalar)
    let isDigit = ("0"..."9").contains(scalar)
    return switch self {
    case .alpha: isUpper || isLower
    case .upper: isUpper || foldingCase && isLower
    case .lower: isLower || foldingCase && isUpper
    case .alnum: isUpper || isLower || isDigit
    case .digit: isDigit
    case .xdigit: isDigit || ("A"..."F").contains(scalar) || ("a"..."f").contains(scalar)
    }
  }
}

/// Classes as bits, two per class: one for text as it is written, and one for folded text.
extension CharacterClass {
  /// The number of the class's bit; with `folds`, of its bit for case-folded text.
  func bit(folds: Bool) -> Int {
    let position = Self.allCases.firstIndex(of: self) ?? 0
    return position + (folds ? Self.allCases.count : 0)
  }

  /// The bits of the classes that a character belongs to.
  static func bits(of scalar: Unicode.Scalar) -> UInt16 {
    let folded = ComparedText.folded(scalar)
    var bits: UInt16 = 0
    for characterClass in allCases {
      if characterClass.contains(scalar, foldingCase: false) {
        bits |= 1 << UInt16(characterClass.bit(folds: false))
      }
      if characterClass.contains(folded, foldingCase: true) {
        bits |= 1 << UInt16(characterClass.bit(folds: true))
      }
    }
    return bits
  }

  /// The class bits of each UTF-8 byte; none for bytes that are not ASCII.
  static let bitsOfByte: [UInt16] = (0...UInt8.max).map {
    $0 < 0x80 ? bits(of: Unicode.Scalar($0)) : 0
  }
}
