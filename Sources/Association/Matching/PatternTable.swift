/// The compiled patterns of a document, side by side in a few arrays, so that matching follows no
/// references and allocates nothing.
///
/// Texts are compared as bytes of UTF-8. That is the same as comparing characters, as long as `?`
/// and the classes take whole characters, which they do.
struct PatternTable: Sendable {
  /// A pattern: how to match it and where its parts are.
  struct Compiled: Sendable {
    /// How a pattern is matched, the cheapest way first.
    enum Kind: UInt8, Sendable {
      /// Everything matches.
      case anything
      /// Nothing matches.
      case nothing
      /// The text is the literal.
      case exact
      /// The text begins with the literal: `literal*`.
      case prefix
      /// The text is the literal, or goes on with a slash: a path pattern `literal/*`.
      case subtree
      /// The text is a glob: literals, `?`, classes and `*`.
      case glob
      /// The text is one of two globs, which stand one after the other.
      case eitherGlob
      /// The text is in the language of an automaton, since variables have values.
      case automaton
    }

    var kind: Kind
    /// Whether the text's case is folded; the pattern's is already.
    var folds = false
    /// The first byte of the literal, the first glob, or the automaton.
    var start: Int32 = 0
    /// The bytes of the literal.
    var count: Int32 = 0

    static let anything = Compiled(kind: .anything)
    static let nothing = Compiled(kind: .nothing)
  }

  var literals: [UInt8] = []
  var globs = GlobTable()
  var automata: [PatternAutomaton] = []

  /// Whether the whole of a part of the text matches.
  ///
  /// - Parameter steps: counts up for every byte or state looked at, which is what the bound on
  ///   the time is about: length of the text times size of the pattern.
  func matches(
    _ pattern: Compiled, _ text: Span<UInt8>, _ range: Range<Int>, steps: inout Int
  ) -> Bool {
    let start = Int(pattern.start)
    switch pattern.kind {
    case .anything: return true
    case .nothing: return false
    case .exact:
      return range.count == Int(pattern.count) && hasPrefix(pattern, text, range, &steps)
    case .prefix: return hasPrefix(pattern, text, range, &steps)
    case .subtree:
      guard hasPrefix(pattern, text, range, &steps) else { return false }
      return range.count == Int(pattern.count)
        || text[range.lowerBound + Int(pattern.count)] == UInt8(ascii: "/")
    case .glob: return globs.matches(start, text, range, folds: pattern.folds, &steps)
    case .eitherGlob:
      return globs.matches(start, text, range, folds: pattern.folds, &steps)
        || globs.matches(start + 1, text, range, folds: pattern.folds, &steps)
    case .automaton: return automata[start].matches(text, range, folds: pattern.folds, &steps)
    }
  }

  private func hasPrefix(
    _ pattern: Compiled, _ text: Span<UInt8>, _ range: Range<Int>, _ steps: inout Int
  ) -> Bool {
    let count = Int(pattern.count)
    guard range.count >= count else { return false }
    let literal = literals.span
    let start = Int(pattern.start)
    steps += count
    if pattern.folds {
      for offset in 0..<count
      where text[range.lowerBound + offset].asciiLowercased != literal[start + offset] {
        return false
      }
      return true
    }
    for offset in 0..<count where text[range.lowerBound + offset] != literal[start + offset] {
      return false
    }
    return true
  }
}
