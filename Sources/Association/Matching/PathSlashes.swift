/// How slashes at the ends of a path are compared. All that knows these rules is in this file.
///
/// A path has one leading slash, and no trailing slashes unless it is `/`. Those of a URL are dropped
/// before it is compared, those of a pattern are ignored, and a pattern that then ends in `/*` also
/// matches without these two characters (recorded: `abc` and `//abc` match `/abc`, `/buy/*` matches
/// `/buy`, `/buy/` matches `/buy//`).
enum PathSlashes {
  static let slash = UInt8(ascii: "/")

  /// The part of a path that is compared.
  @inline(__always)
  static func droppingTrailing(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound + 1, text[end - 1] == slash { end -= 1 }
    return range.lowerBound..<end
  }
}

extension Pattern {
  /// The tokens that cover a whole path, with exactly one leading slash. A pattern that begins with
  /// `*` stays as it is, since the star can cover the slash: `*abc` matches `/xabc`, `*/abc` matches
  /// `/abc`.
  package var pathTokens: [Token] {
    // Nearly all patterns begin this way.
    if case .literal(let text)? = tokens.first, text.count > 1, text[0] == "/", text[1] != "/" {
      return tokens
    }
    let (hasSlash, rest) = Self.droppingLeadingSlashes(tokens)
    switch rest.first {
    case .anyRun where !hasSlash:
      return rest
    case .values(let variable) where variable.values.contains(where: Self.startsOtherwise):
      let values = variable.values.map { value in
        if !hasSlash, case .anyRun? = value.first { return value }
        return Self.withLeadingSlash(Self.droppingLeadingSlashes(value).rest)
      }
      return [.values(Variable(name: variable.name, values: values))] + rest.dropFirst()
    default:
      return Self.withLeadingSlash(rest)
    }
  }

  /// The tokens that cover a path without its trailing slashes, and for a pattern that ends in `/*`,
  /// those that cover its parent.
  ///
  /// For the matcher's fast paths; `TrailingSlashes` implements the general rule. The tokens must
  /// be `pathTokens` without variable values.
  static func withoutTrailingSlashes(_ tokens: [Token]) -> (path: [Token], parent: [Token]?) {
    let path = droppingTrailingSlashes(tokens)
    guard path.count > 1, case .anyRun? = path.last, case .literal(let text) = path[path.count - 2],
      text.last == "/"
    else { return (path, nil) }
    return (path, droppingTrailingSlashes(path.dropLast()))
  }

  /// Whether a slash in front of the value would change its meaning.
  private static func startsOtherwise(_ value: [Token]) -> Bool {
    switch value.first {
    case .literal(let text): text.first == "/"
    case .anyRun: true
    default: false
    }
  }

  private static func droppingLeadingSlashes(_ tokens: [Token]) -> (hasSlash: Bool, rest: [Token]) {
    guard case .literal(let text)? = tokens.first, text.first == "/" else { return (false, tokens) }
    let rest = text.drop { $0 == "/" }
    return (true, (rest.isEmpty ? [] : [.literal(Array(rest))]) + tokens.dropFirst())
  }

  private static func withLeadingSlash(_ tokens: [Token]) -> [Token] {
    guard case .literal(let text)? = tokens.first else { return [.literal(["/"])] + tokens }
    return [.literal(["/"] + text)] + tokens.dropFirst()
  }

  /// The tokens without trailing slashes. If all of them are slashes, one remains.
  private static func droppingTrailingSlashes(_ tokens: [Token]) -> [Token] {
    guard case .literal(let text)? = tokens.last, text.last == "/" else { return tokens }
    let count = text.lastIndex { $0 != "/" }.map { $0 + 1 } ?? 0
    if count == 0, tokens.count > 1 { return tokens.dropLast() }
    var tokens = tokens
    tokens[tokens.count - 1] = .literal(count > 0 ? Array(text[..<count]) : ["/"])
    return tokens
  }
}

/// Finds the states of an automaton in which a path may end: the general rule, for all patterns.
///
/// A path may end where the rest of the pattern consists of stars and slashes, and at most one of
/// the slashes is followed by stars: `* / (/* /)?`, each part repeated any number of times. `Rest`
/// says in which of these parts the rest of the pattern begins.
struct TrailingSlashes {
  private struct Rest: OptionSet, Hashable {
    let rawValue: UInt8
    static let stars = Rest(rawValue: 1)
    static let slashes = Rest(rawValue: 2)
    /// The stars after the only slash that may have some; at least one.
    static let slashStars = Rest(rawValue: 4)
    static let lastStars = Rest(rawValue: 8)
    static let lastSlashes = Rest(rawValue: 16)
    static let nothing: Rest = [.stars, .slashes, .lastStars, .lastSlashes]

    func after(slash: Bool) -> Rest {
      if slash {
        let first: Rest = isDisjoint(with: [.slashes, .slashStars]) ? [] : [.stars, .slashes]
        return contains(.lastSlashes) ? first.union([.lastStars, .lastSlashes]) : first
      }
      let first = intersection(.stars)
      return contains(.lastStars) ? first.union([.slashStars, .lastStars]) : first
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
