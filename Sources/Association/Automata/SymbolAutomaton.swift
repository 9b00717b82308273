/// The automaton of a pattern over the symbols of an alphabet, as the analyses run it.
struct SymbolAutomaton {
  typealias States = Automaton.States

  /// The symbols that lead somewhere from a set of states.
  struct Exits {
    /// The symbols that lead elsewhere than the other symbols do.
    var symbols: [Alphabet.Symbol] = []
    /// Whether the other symbols lead somewhere too.
    var isOpen = false
  }

  let start: States
  private let automaton: Automaton
  private let distances: [Int32?]
  private let alphabet: Alphabet
  private let folds: Bool

  init(
    _ tokens: [Pattern.Token], _ alphabet: Alphabet, folds: Bool,
    ending: Automaton.Ending = .exact
  ) {
    automaton = alphabet.builder.automaton(tokens, folds: folds, ending: ending)
    start = automaton.start
    distances = automaton.distances()
    self.alphabet = alphabet
    self.folds = folds
  }

  /// The states after one more symbol.
  func next(_ states: States, _ symbol: Alphabet.Symbol) -> States {
    automaton.next(
      states, alphabet.letter(of: symbol, folds: folds), classes: alphabet.classes(of: symbol))
  }

  /// Whether the text may end here.
  func isComplete(_ states: States) -> Bool { states.contains { distances[Int($0)] == 0 } }

  /// The fewest symbols that complete the text; `nil` if none do.
  func distance(_ states: States) -> Int? {
    states.lazy.compactMap { distances[Int($0)] }.min().map(Int.init)
  }

  /// Whether the text is accepted however it continues.
  func isUnconditional(_ states: States) -> Bool {
    var index = 0
    return states.contains { state in
      index = automaton.element(owning: Int(state), from: index)
      return distances[Int(state)] == 0 && isLoop(Int(state), of: automaton.elements[index])
    }
  }

  /// The symbols that lead on from these states.
  func exits(from states: States) -> Exits {
    var exits = Exits()
    var index = 0
    for state in states {
      index = automaton.element(owning: Int(state), from: index)
      let element = automaton.elements[index]
      switch element.kind {
      case .letter: exits.symbols += alphabet.symbols(of: element.value, folds: folds)
      case .one: exits.symbols += alphabet.symbols(inClass: Int(element.value))
      case .anyOne, .anyRun: exits.isOpen = true
      case .values:
        let trie = automaton.tries[Int(element.value)]
        let node = trie.nodes[Int(state - element.base)]
        if node.isRun || node.anyOne != nil { exits.isOpen = true }
        for edge in trie.edges(of: node) {
          exits.symbols += alphabet.symbols(of: edge.letter, folds: folds)
        }
      case .end: break
      }
    }
    return exits
  }

  /// Whether every symbol leads from a state back to it: a `*`.
  private func isLoop(_ state: Int, of element: Automaton.Element) -> Bool {
    switch element.kind {
    case .anyRun: true
    case .values:
      automaton.tries[Int(element.value)].nodes[state - Int(element.base)].isRun
    case .letter, .anyOne, .one, .end: false
    }
  }
}
