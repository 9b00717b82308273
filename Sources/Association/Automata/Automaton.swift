/// A nondeterministic finite automaton (NFA) for one pattern.
///
/// The matcher runs it over the bytes of a URL, the analyses of whole documents over the symbols of an
/// `Alphabet`; both build it with an `AutomatonBuilder`. It knows nothing about how a pattern is
/// written: a dialect is a front end that reads its text into tokens, as `Pattern` does for Apple's.
///
/// An element stands for one letter or one token and owns consecutive states, numbered from `base`.
/// Elements that stand for the same variable share its trie, so twenty thousand of them take little
/// memory even if the variable has thousands of values.
struct Automaton: Sendable {
  /// A byte of UTF-8, or a number that an `Alphabet` gives to characters that a pattern cannot tell
  /// apart.
  typealias Letter = Int32

  /// A letter that occurs in no text.
  static let noLetter: Letter = -1

  /// What the end of a text may leave out of the pattern.
  enum Ending {
    /// Nothing: the pattern covers the whole text.
    case exact
    /// Trailing slashes, and a final `/*`: for paths, whose own trailing slashes are removed.
    case path
  }

  struct Element: Sendable {
    enum Kind: UInt8, Sendable {
      case letter
      case anyOne
      case one
      case anyRun
      case values
      case end
    }

    let kind: Kind
    /// The letter, the bit of the character class, or the index into `tries`; 0 for the others.
    var value: Int32 = 0
    /// The element's first state.
    var base: Int32 = 0
  }

  /// The elements in order; the last one is the end.
  let elements: [Element]
  let tries: [ValueTrie]
  /// Whether a character may take several letters: every letter of it but the first is a
  /// continuation byte.
  let isMultiByte: Bool
  /// The states in which the text may end, one bit per state.
  let accepting: [UInt64]

  func isAccepting(_ state: Int) -> Bool { accepting[state >> 6] >> UInt64(state & 63) & 1 != 0 }

  /// The element that owns a state, which is this one or a later one.
  @inline(__always)
  func element(owning state: Int, from index: Int) -> Int {
    var low = index
    var high = elements.count
    if low + 1 == high || elements[low + 1].base > state { return low }
    low += 1
    while low + 1 < high {
      let middle = (low + high) / 2
      if elements[middle].base <= state { low = middle } else { high = middle }
    }
    return low
  }

  /// For each state, the fewest letters that lead from it to the end; `nil` if none do.
  func distances() -> [Int32?] {
    var distances = [Int32?](repeating: nil, count: Int(elements.last?.base ?? 0) + 1)
    var next: Int32?
    for element in elements.reversed() {
      let base = Int(element.base)
      switch element.kind {
      case .end: distances[base] = 0
      case .letter:
        distances[base] = element.value == Self.noLetter ? nil : next.map { $0 + 1 }
      case .one: distances[base] = next.map { $0 + 1 }
      case .anyOne:
        distances[base] = next.map { $0 + 1 }
        if isMultiByte { distances[base + 1] = next }
      case .anyRun: distances[base] = next
      case .values: measure(tries[Int(element.value)], base, next, &distances)
      }
      if isAccepting(base) { distances[base] = 0 }
      next = distances[base]
    }
    return distances
  }

  private func measure(
    _ trie: ValueTrie, _ base: Int, _ next: Int32?, _ distances: inout [Int32?]
  ) {
    // Children come after their parents.
    for (index, node) in trie.nodes.enumerated().reversed() {
      var least: Int32? = isAccepting(base + index) ? 0 : node.isEnd ? next : nil
      let consider = { (distance: Int32?) in
        if let distance { least = min(least ?? .max, distance) }
      }
      if let run = node.anyRun { consider(distances[base + Int(run)]) }
      if let one = node.anyOne { consider(distances[base + Int(one)].map { $0 + 1 }) }
      for edge in trie.edges(of: node) where edge.letter != Self.noLetter {
        consider(distances[base + Int(edge.target)].map { $0 + 1 })
      }
      distances[base + index] = least
    }
  }
}

/// Builds automata over one kind of letters, and each variable's trie only once.
final class AutomatonBuilder {
  private struct TrieKey: Hashable {
    let variable: Pattern.Variable
    let folds: Bool
  }

  private let isMultiByte: Bool
  private let letters: (_ text: [Unicode.Scalar], _ folds: Bool) -> [Automaton.Letter]
  private var tries: [TrieKey: ValueTrie] = [:]

  /// - Parameters:
  ///   - isMultiByte: Whether letters are bytes, so that a character may take several.
  ///   - letters: The letters of a text; with `folds`, of the text with its case folded.
  init(isMultiByte: Bool, letters: @escaping ([Unicode.Scalar], Bool) -> [Automaton.Letter]) {
    self.isMultiByte = isMultiByte
    self.letters = letters
  }

  /// The automaton of a pattern's tokens; with `folds`, it is to be run over text whose case is
  /// folded.
  func automaton(
    _ tokens: [Pattern.Token], folds: Bool, ending: Automaton.Ending = .exact
  ) -> Automaton {
    var elements: [Automaton.Element] = []
    var tries: [ValueTrie] = []
    var numbers: [Pattern.Variable: Int32] = [:]
    var states: Int32 = 0
    func append(_ kind: Automaton.Element.Kind, _ value: Int32 = 0, states count: Int = 1) {
      elements.append(Automaton.Element(kind: kind, value: value, base: states))
      states += Int32(count)
    }
    for token in tokens {
      switch token {
      case .literal(let text): for letter in letters(text, folds) { append(.letter, letter) }
      case .anyOne: append(.anyOne, states: isMultiByte ? 2 : 1)
      case .one(let characterClass): append(.one, Int32(characterClass.bit(folds: folds)))
      case .anyRun: append(.anyRun)
      case .values(let variable):
        let number = numbers[variable] ?? Int32(tries.count)
        if number == tries.count { tries.append(trie(of: variable, folds: folds)) }
        numbers[variable] = number
        append(.values, number, states: tries[Int(number)].nodes.count)
      case .nothing: append(.letter, Automaton.noLetter)
      }
    }
    append(.end)
    let slash = letters(["/"], folds).first ?? Automaton.noLetter
    return Automaton(
      elements: elements, tries: tries, isMultiByte: isMultiByte,
      accepting: TrailingSlashes.accepting(elements, tries, ending, slash: slash))
  }

  private func trie(of variable: Pattern.Variable, folds: Bool) -> ValueTrie {
    let key = TrieKey(variable: variable, folds: folds)
    if let known = tries[key] { return known }
    let new = ValueTrie(variable.values) { letters($0, folds) }
    tries[key] = new
    return new
  }
}
