/// The automaton of a pattern over the symbols of an alphabet, as the analyses run it.
struct SymbolAutomaton {
  /// Of tokens, those that the text may have led to; of a manifest's patterns, that of each pattern.
  typealias States = Automaton.States

  /// The symbols that have a transition from a set of states.
  struct Exits {
    /// The symbols whose transitions differ from those of all other symbols.
    var symbols: [Alphabet.Symbol] = []
    /// Whether the other symbols have a transition, too.
    var isOpen = false
  }

  private enum Kind {
    case tokens(TokenAutomaton)
    /// All of which must match.
    case patterns([StepAutomaton])
  }

  let start: States
  private let kind: Kind
  private let alphabet: Alphabet

  init(
    _ tokens: [Pattern.Token], _ alphabet: Alphabet, folds: Bool,
    ending: Automaton.Ending = .exact
  ) {
    let automaton = TokenAutomaton(tokens, alphabet, folds: folds, ending: ending)
    (kind, start) = (.tokens(automaton), automaton.start)
    self.alphabet = alphabet
  }

  /// The automaton of a text that matches all of a manifest's patterns.
  init(_ patterns: [PatternMatcher], _ alphabet: Alphabet) {
    let automata = patterns.map { StepAutomaton($0, alphabet) }
    (kind, start) = (.patterns(automata), automata.map(\.start))
    self.alphabet = alphabet
  }

  /// The states after one more symbol; none if no text that goes on like this matches.
  func next(_ states: States, _ symbol: Alphabet.Symbol) -> States {
    switch kind {
    case .tokens(let automaton): return automaton.next(states, symbol)
    case .patterns(let automata):
      let next = zip(automata, states).compactMap { $0.next($1, symbol) }
      return next.count == automata.count ? next : []
    }
  }

  /// Whether the text may end here.
  func isComplete(_ states: States) -> Bool {
    switch kind {
    case .tokens(let automaton): automaton.isComplete(states)
    case .patterns(let automata): zip(automata, states).allSatisfy { $0.isComplete($1) }
    }
  }

  /// About the fewest symbols that complete the text; `nil` if none do.
  func distance(_ states: States) -> Int? {
    switch kind {
    case .tokens(let automaton): automaton.distance(states)
    case .patterns(let automata): zip(automata, states).map { $0.distance($1) }.max() ?? 0
    }
  }

  /// Whether the text is accepted however it continues.
  func isUnconditional(_ states: States) -> Bool {
    switch kind {
    case .tokens(let automaton): automaton.isUnconditional(states)
    case .patterns(let automata): zip(automata, states).allSatisfy { $0.isUnconditional($1) }
    }
  }

  /// The symbols that have a transition from these states.
  func exits(from states: States) -> Exits {
    if case .tokens(let automaton) = kind { return automaton.exits(from: states) }
    // The last symbol stands for all that no pattern names.
    let others = next(states, alphabet.count - 1)
    let symbols = (1..<alphabet.count).filter { next(states, $0) != others }
    return Exits(symbols: symbols, isOpen: !others.isEmpty)
  }
}

private struct TokenAutomaton {
  typealias States = Automaton.States

  let start: States
  private let automaton: Automaton
  private let distances: [Int32]
  private let alphabet: Alphabet
  private let folds: Bool

  init(
    _ tokens: [Pattern.Token], _ alphabet: Alphabet, folds: Bool, ending: Automaton.Ending
  ) {
    automaton = alphabet.builder.automaton(tokens, folds: folds, ending: ending)
    start = automaton.start
    distances = automaton.distances()
    self.alphabet = alphabet
    self.folds = folds
  }

  func next(_ states: States, _ symbol: Alphabet.Symbol) -> States {
    automaton.next(
      states, alphabet.letter(of: symbol, folds: folds), classes: alphabet.classes(of: symbol))
  }

  /// Whether the text may end here.
  func isComplete(_ states: States) -> Bool { states.contains { distances[Int($0)] == 0 } }

  /// The fewest symbols that complete the text; `nil` if none do.
  func distance(_ states: States) -> Int? {
    let least = states.lazy.map { distances[Int($0)] }.min()
    return least == Automaton.unreachable ? nil : least.map(Int.init)
  }

  /// Whether the text is accepted however it continues: it has reached a `*` at the end of the
  /// pattern.
  func isUnconditional(_ states: States) -> Bool {
    zip(states, nodes(of: states)).contains { $1.node.isRun && distances[Int($0)] == 0 }
  }

  /// The symbols that have a transition from these states.
  func exits(from states: States) -> SymbolAutomaton.Exits {
    var exits = SymbolAutomaton.Exits()
    for (trie, node) in nodes(of: states) {
      if node.isRun { exits.isOpen = true }
      if node.one != 0 {
        let ofClass = alphabet.exits(ofClass: Int(node.classBit))
        exits.symbols += ofClass.symbols
        exits.isOpen = exits.isOpen || ofClass.isOpen
      }
      for edge in trie.edges(of: node) {
        exits.symbols += alphabet.symbols(of: edge.letter, folds: folds)
      }
    }
    return exits
  }

  /// The nodes of these states, in the same order, without the end.
  private func nodes(of states: States) -> [(trie: TokenTrie, node: TokenTrie.Node)] {
    var index = 0
    return states.filter { $0 < automaton.end }.map { state in
      index = automaton.segment(owning: Int(state), from: index)
      let segment = automaton.segments[index]
      let trie = automaton.tries[segment.trie]
      return (trie, trie.nodes[Int(state) - segment.base])
    }
  }
}
