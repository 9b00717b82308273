/// Finds the states in which a text may end, by the rule for the end of a path.
///
/// The path has no trailing slashes. Those of the pattern are ignored, too, and a pattern that then
/// ends in `/*` also matches without these two characters. So the text may end where the rest of
/// the pattern consists of stars and slashes, and at most one of the slashes is followed by stars:
/// `* / (/* /)?`, each part repeated any number of times. `Rest` says in which of these parts the
/// rest of the pattern begins.
struct TrailingSlashes {
  private struct Rest: OptionSet, Hashable {
    let rawValue: UInt8
    static let stars = Rest(rawValue: 1)
    static let slashes = Rest(rawValue: 2)
    /// The stars after the only slash that may have some; at least one.
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
    let trie: Int
    let next: Rest
  }

  private let tries: [TokenTrie]
  private let slash: Automaton.Letter
  private var known: [TrieKey: (root: Rest, accepting: [Int])] = [:]

  /// The accepting states of an automaton, one bit per state.
  static func accepting(
    _ segments: [Automaton.Segment], _ tries: [TokenTrie], end: Int, _ ending: Automaton.Ending,
    slash: Automaton.Letter
  ) -> [UInt64] {
    var accepting = [UInt64](repeating: 0, count: end / 64 + 1)
    let accept = { (state: Int) in accepting[state / 64] |= 1 << UInt64(state % 64) }
    accept(end)
    if ending == .exact { return accepting }
    var search = TrailingSlashes(tries: tries, slash: slash)
    var next = Rest.nothing
    // Stops where the end can no longer be reached.
    for segment in segments.reversed() where !next.isEmpty {
      let (root, nodes) = search.rests(in: TrieKey(trie: segment.trie, next: next))
      for node in nodes { accept(segment.base + node) }
      next = root
    }
    return accepting
  }

  /// The rest at the root of a trie, and the nodes in which the text may end.
  private mutating func rests(in key: TrieKey) -> (root: Rest, accepting: [Int]) {
    if let known = known[key] { return known }
    let trie = tries[key.trie]
    var rests = [Rest](repeating: [], count: trie.nodes.count)
    // Children come after their parents.
    for (index, node) in trie.nodes.enumerated().reversed() {
      var rest: Rest = node.isEnd ? key.next : []
      let target = Int(trie.target(of: slash, from: node))
      if target != 0 { rest.formUnion(rests[target].after(slash: true)) }
      if node.anyRun != 0 { rest.formUnion(rests[Int(node.anyRun)].after(slash: false)) }
      rests[index] = rest
    }
    let result = (rests[0], rests.indices.filter { rests[$0].contains(.stars) })
    known[key] = result
    return result
  }
}
