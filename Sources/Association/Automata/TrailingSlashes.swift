/// Finds the states in which a text may end, by the rule for the end of a path.
///
/// The path has no trailing slashes. Those of the pattern are ignored too, and a pattern that then
/// ends in `/*` also covers what it covers without these two characters. So the text may end where
/// the rest of the pattern is made of stars and slashes, with at most one slash followed by stars
/// among them: `* / (/* /)?`, each part repeated any number of times. `Rest` says in which of these
/// parts the rest of the pattern may begin.
struct TrailingSlashes {
  private struct Rest: OptionSet, Hashable {
    let rawValue: UInt8
    static let stars = Rest(rawValue: 1)
    static let slashes = Rest(rawValue: 2)
    /// The stars that belong to the one slash that may have some; at least one.
    static let starsOfSlash = Rest(rawValue: 4)
    static let lastStars = Rest(rawValue: 8)
    static let lastSlashes = Rest(rawValue: 16)
    static let nothing: Rest = [.stars, .slashes, .lastStars, .lastSlashes]

    func after(slash: Bool) -> Rest {
      if slash {
        let first: Rest = isDisjoint(with: [.slashes, .starsOfSlash]) ? [] : [.stars, .slashes]
        return contains(.lastSlashes) ? first.union([.lastStars, .lastSlashes]) : first
      }
      let first = intersection(.stars)
      return contains(.lastStars) ? first.union([.starsOfSlash, .lastStars]) : first
    }
  }

  private struct TrieKey: Hashable {
    let trie: Int32
    let next: Rest
  }

  private let tries: [ValueTrie]
  private let slash: Automaton.Letter
  private var accepting: [UInt64]
  private var known: [TrieKey: (root: Rest, accepting: [Int])] = [:]

  /// The accepting states of an automaton, one bit per state.
  static func accepting(
    _ elements: [Automaton.Element], _ tries: [ValueTrie], _ ending: Automaton.Ending,
    slash: Automaton.Letter
  ) -> [UInt64] {
    let end = Int(elements.last?.base ?? 0)
    var search = TrailingSlashes(
      tries: tries, slash: slash, accepting: Array(repeating: 0, count: end / 64 + 1))
    search.accept(end)
    if ending == .path { search.acceptPathEndings(elements) }
    return search.accepting
  }

  private mutating func accept(_ state: Int) {
    accepting[state / 64] |= 1 << UInt64(state % 64)
  }

  /// Walks from the last element to the first, as long as the end is within reach.
  private mutating func acceptPathEndings(_ elements: [Automaton.Element]) {
    var next = Rest.nothing
    for element in elements.dropLast().reversed() where !next.isEmpty {
      switch element.kind {
      case .letter: next = element.value == slash ? next.after(slash: true) : []
      case .anyRun: next = next.after(slash: false)
      case .one, .anyOne, .end: next = []
      case .values:
        let (root, nodes) = rests(in: TrieKey(trie: element.value, next: next))
        for node in nodes { accept(Int(element.base) + node) }
        next = root
      }
      if next.contains(.stars) { accept(Int(element.base)) }
    }
  }

  /// The rest at the root of a trie, and the nodes in which the text may end.
  private mutating func rests(in key: TrieKey) -> (root: Rest, accepting: [Int]) {
    if let known = known[key] { return known }
    let trie = tries[Int(key.trie)]
    var rests = [Rest](repeating: [], count: trie.nodes.count)
    // Children come after their parents.
    for (index, node) in trie.nodes.enumerated().reversed() {
      var rest: Rest = node.isEnd ? key.next : []
      if let target = trie.target(of: slash, from: node) {
        rest.formUnion(rests[Int(target)].after(slash: true))
      }
      if let run = node.anyRun { rest.formUnion(rests[Int(run)].after(slash: false)) }
      rests[index] = rest
    }
    let result = (rests[0], rests.indices.filter { rests[$0].contains(.stars) })
    known[key] = result
    return result
  }
}
