/// A nondeterministic finite automaton (NFA) for one pattern.
///
/// The matcher runs it over the bytes of a URL, and the analyses of whole documents run it over the
/// symbols of an `Alphabet`. Both build it with an `AutomatonBuilder`. It does not depend on the
/// syntax of patterns: `Pattern` reads Apple's syntax into tokens, and another dialect would do the
/// same.
///
/// It is a sequence of segments, each with a trie: one for each variable with values, and one for
/// the tokens between two variables. The states of a segment are the nodes of its trie, numbered
/// from `base`. All segments of a variable share its trie, so twenty thousand of them take little
/// memory even if the variable has thousands of values.
struct Automaton: Sendable {
  /// A byte of UTF-8, or a number that an `Alphabet` gives to characters that a pattern cannot tell
  /// apart.
  typealias Letter = Int32

  /// A letter that occurs in no text.
  static let noLetter: Letter = -1

  /// Which end of the pattern a text may omit.
  enum Ending {
    /// Nothing: the pattern covers the whole text.
    case exact
    /// Trailing slashes, and a final `/*`: for paths, whose own trailing slashes are removed.
    case path
  }

  struct Segment: Sendable {
    /// The index into `tries`.
    let trie: Int
    /// The state of the trie's root.
    let base: Int
  }

  let segments: [Segment]
  let tries: [TokenTrie]
  /// The last state, which follows the last segment.
  let end: Int
  /// The states in which the text may end, one bit per state.
  let accepting: [UInt64]

  func isAccepting(_ state: Int) -> Bool { accepting[state >> 6] >> UInt64(state & 63) & 1 != 0 }

  /// The segment of a state other than the end. The search starts at this segment.
  @inline(__always)
  func segment(owning state: Int, from index: Int) -> Int {
    var low = index
    var high = segments.count
    if low + 1 == high || segments[low + 1].base > state { return low }
    while low + 1 < high {
      let middle = (low + high) / 2
      if segments[middle].base <= state { low = middle } else { high = middle }
    }
    return low
  }

  /// The end cannot be reached.
  static let unreachable = Int32.max

  /// For each state, the fewest characters that lead from it to the end, or `unreachable`.
  func distances() -> [Int32] {
    var distances = [Int32](repeating: Self.unreachable, count: end + 1)
    distances[end] = 0
    var next: Int32 = 0
    for segment in segments.reversed() {
      let trie = tries[segment.trie]
      // Children come after their parents.
      for (index, node) in trie.nodes.enumerated().reversed() {
        var least = node.isEnd ? next : Self.unreachable
        func consider(_ target: Int32, costing cost: Int32) {
          if target == 0 { return }
          let distance = distances[segment.base + Int(target)]
          if distance != Self.unreachable { least = min(least, distance + cost) }
        }
        consider(node.anyRun, costing: 0)
        consider(node.one, costing: 1)
        for edge in trie.edges(of: node) where edge.letter != Self.noLetter {
          consider(edge.target, costing: 1)
        }
        distances[segment.base + index] = isAccepting(segment.base + index) ? 0 : least
      }
      next = distances[segment.base]
    }
    return distances
  }
}

/// Builds automata over one kind of letters, and each variable's trie only once.
final class AutomatonBuilder {
  private struct TrieKey: Hashable {
    let variable: Pattern.Variable
    let folds: Bool
  }

  private let letters: (_ text: [Unicode.Scalar], _ folds: Bool) -> [Automaton.Letter]
  private var tries: [TrieKey: TokenTrie] = [:]

  /// - Parameter letters: The letters of a text; with `folds`, of the text with its case folded.
  init(letters: @escaping ([Unicode.Scalar], Bool) -> [Automaton.Letter]) {
    self.letters = letters
  }

  /// The automaton of a pattern's tokens; with `folds`, for text whose case is folded.
  func automaton(
    _ tokens: [Pattern.Token], folds: Bool, ending: Automaton.Ending = .exact
  ) -> Automaton {
    var segments: [Automaton.Segment] = []
    var tries: [TokenTrie] = []
    var known: [Pattern.Variable: Int] = [:]
    var states = 0
    func append(_ trie: Int) {
      segments.append(Automaton.Segment(trie: trie, base: states))
      states += tries[trie].nodes.count
    }
    var rest = tokens[...]
    while let token = rest.first {
      if case .values(let variable) = token {
        rest.removeFirst()
        if known[variable] == nil { tries.append(trie(of: variable, folds: folds)) }
        let index = known[variable] ?? tries.count - 1
        known[variable] = index
        append(index)
      } else {
        let run = rest.prefix { !$0.hasValues }
        rest = rest[run.endIndex...]
        tries.append(TokenTrie([Array(run)], folds: folds, letters: letters))
        append(tries.count - 1)
      }
    }
    let slash = letters(["/"], folds).first ?? Automaton.noLetter
    return Automaton(
      segments: segments, tries: tries, end: states,
      accepting: TrailingSlashes.accepting(segments, tries, end: states, ending, slash: slash))
  }

  private func trie(of variable: Pattern.Variable, folds: Bool) -> TokenTrie {
    let key = TrieKey(variable: variable, folds: folds)
    if let known = tries[key] { return known }
    let new = TokenTrie(variable.values, folds: folds, letters: letters)
    tries[key] = new
    return new
  }
}
