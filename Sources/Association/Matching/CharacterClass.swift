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

  /// Whether the character belongs to the class; with `foldingCase`, in whatever case it is written
  /// (recorded: `$(upper)` accepts `a` under `caseSensitive: false`).
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
