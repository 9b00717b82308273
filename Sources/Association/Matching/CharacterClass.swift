/// What stands for exactly one character in a pattern: `?`, and some predefined substitution variables
/// (Apple's page applinks.SubstitutionVariables).
///
/// Only this file knows which characters they match: globs, automata and alphabets ask for its bits.
package enum CharacterClass: String, Sendable, CaseIterable {
  /// `?`: any character, `/` included.
  case any = "?"
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

  /// The classes that variables stand for.
  static let variables = allCases.filter { $0 != .any }

  /// Whether the character belongs to the class; with `foldingCase`, in either case (recorded:
  /// `$(upper)` accepts `a` under `caseSensitive: false`).
  package func contains(_ scalar: Unicode.Scalar, foldingCase: Bool) -> Bool {
    guard scalar.isASCII else { return isOpen }
    let isUpper = ("A"..."Z").contains(scalar)
    let isLower = ("a"..."z").contains(scalar)
    let isDigit = ("0"..."9").contains(scalar)
    return switch self {
    case .any: true
    case .alpha: isUpper || isLower
    case .upper: isUpper || foldingCase && isLower
    case .lower: isLower || foldingCase && isUpper
    case .alnum: isUpper || isLower || isDigit
    case .digit: isDigit
    case .xdigit: isDigit || ("A"..."F").contains(scalar) || ("a"..."f").contains(scalar)
    }
  }

  /// Whether all characters that are not ASCII belong to the class; otherwise none does.
  var isOpen: Bool { self == .any }
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

  /// The bits of characters that are not ASCII.
  static let otherBits = bits(of: "\u{4e00}")

  /// The class bits of the character that begins with a byte of UTF-8; none for a byte that
  /// continues one.
  static let byteBits: [UInt16] = (0...UInt8.max).map {
    $0 < 0x80 ? bits(of: Unicode.Scalar($0)) : $0.isUTF8Continuation ? 0 : otherBits
  }
}
