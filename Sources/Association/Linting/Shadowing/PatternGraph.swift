/// A pattern as a graph: a text matches if a way along the graph spells it.
///
/// Sets of nodes are the states of the automaton that `RouteMachine` builds as far as it is needed.
/// Every way leads to nodes with higher numbers, apart from the loops of the stars.
struct PatternGraph {
  /// The characters that lead from a node to another.
  enum Label {
    case any
    case some([Alphabet.Symbol])
  }

  struct Node {
    /// Whether any character leads back to the node: a `*`.
    var isLoop = false
    var edges: [(label: Label, target: Int)] = []
    /// Where the text may go on without a character.
    var skips: [Int] = []
  }

  /// What a text may lack at the end of the pattern.
  enum Ending {
    /// Nothing.
    case exact
    /// Slashes, and before them a slash with a star, as for a path without its trailing slashes.
    case path
  }

  /// The nodes that a text leads to, in rising order, with all that can be skipped to.
  typealias Nodes = [Int32]

  private let nodes: [Node]
  private let isAccepting: [Bool]
  /// The fewest characters from each node to where the text may end; `nil` if there is no way.
  private let distances: [Int?]

  /// The graph of a pattern's tokens; those of a path are `Pattern.pathTokens`.
  init(
    _ tokens: [Pattern.Token], _ alphabet: Alphabet, foldingCase: Bool, ending: Ending = .exact
  ) {
    var builder = PatternGraphBuilder(alphabet: alphabet, foldingCase: foldingCase)
    for token in tokens { builder.append(token) }
    nodes = builder.nodes
    let canLack = ending == .exact ? [] : TrailingSlashes.nodes(nodes, slash: alphabet.slash)
    isAccepting = Self.accepting(nodes, end: builder.end, canLack)
    distances = Self.measured(nodes, isAccepting)
  }

  /// How many nodes there are.
  var count: Int { nodes.count }

  /// Where a text begins.
  var start: Nodes { closed([0]) }

  /// Where a text is after one more character.
  func next(_ current: Nodes, _ symbol: Alphabet.Symbol) -> Nodes {
    var reached: Nodes = []
    for index in current {
      let node = nodes[Int(index)]
      if node.isLoop { reached.append(index) }
      for edge in node.edges {
        switch edge.label {
        case .any: reached.append(Int32(edge.target))
        case .some(let symbols):
          if symbols.contains(symbol) { reached.append(Int32(edge.target)) }
        }
      }
    }
    return closed(reached)
  }

  /// Whether the text may end here.
  func isComplete(_ current: Nodes) -> Bool { current.contains { isAccepting[Int($0)] } }

  /// Whether the text may go on with whatever there is.
  func isBoundless(_ current: Nodes) -> Bool {
    current.contains { nodes[Int($0)].isLoop && isAccepting[Int($0)] }
  }

  /// The fewest characters that complete the text; `nil` if none do.
  func distance(_ current: Nodes) -> Int? { current.compactMap { distances[Int($0)] }.min() }

  /// The characters that lead on; `nil` stands for all.
  func leadingOn(_ current: Nodes) -> Set<Alphabet.Symbol>? {
    var all: Set<Alphabet.Symbol> = []
    for index in current {
      let node = nodes[Int(index)]
      if node.isLoop { return nil }
      for edge in node.edges {
        guard case .some(let symbols) = edge.label else { return nil }
        all.formUnion(symbols)
      }
    }
    return all
  }

  private func closed(_ reached: Nodes) -> Nodes {
    if reached.isEmpty { return [] }
    if reached.count == 1, nodes[Int(reached[0])].skips.isEmpty { return reached }
    var all = Set(reached)
    var pending = reached
    while let index = pending.popLast() {
      for skip in nodes[Int(index)].skips where all.insert(Int32(skip)).inserted {
        pending.append(Int32(skip))
      }
    }
    return all.sorted()
  }

  private static func accepting(_ nodes: [Node], end: Int, _ canLack: Set<Int>) -> [Bool] {
    var result = nodes.map { _ in false }
    for index in nodes.indices.reversed() {
      result[index] =
        index == end || canLack.contains(index) || nodes[index].skips.contains { result[$0] }
    }
    return result
  }

  private static func measured(_ nodes: [Node], _ isAccepting: [Bool]) -> [Int?] {
    var result = [Int?](repeating: nil, count: nodes.count)
    for index in nodes.indices.reversed() {
      let viaEdges = nodes[index].edges.compactMap { edge -> Int? in
        if case .some(let symbols) = edge.label, symbols.isEmpty { return nil }
        return result[edge.target].map { $0 + 1 }
      }
      let viaSkips = nodes[index].skips.compactMap { result[$0] }
      result[index] = isAccepting[index] ? 0 : (viaEdges + viaSkips).min()
    }
    return result
  }
}

/// The nodes of a path's graph after which only such things follow as the path may lack.
///
/// Slashes at the end of a pattern do not count, and a pattern that then ends in `/*` also covers
/// what it covers without these two characters. So what follows may be stars, slashes, and between
/// them once a slash with stars: `* / (/* /)?`, each run as long as it likes.
private struct TrailingSlashes {
  /// A place in what may follow.
  private enum Place: Int, CaseIterable {
    case stars, slashes, starNeeded, lastStars, lastSlashes
  }

  /// For each place, the nodes from which the end is reached.
  private var finishing: [Set<Int>] = Place.allCases.map { _ in [] }

  static func nodes(_ nodes: [PatternGraph.Node], slash: Alphabet.Symbol) -> Set<Int> {
    var search = TrailingSlashes()
    for index in nodes.indices.reversed() {
      for place in Place.allCases where search.finishes(nodes, index, place, slash) {
        search.finishing[place.rawValue].insert(index)
      }
    }
    return search.finishing[Place.stars.rawValue]
  }

  /// Whether the end is reached from a node, after its own star, at this place.
  private func finishes(
    _ nodes: [PatternGraph.Node], _ index: Int, _ place: Place, _ slash: Alphabet.Symbol
  ) -> Bool {
    if index == nodes.count - 1 { return place != .starNeeded }
    if nodes[index].skips.contains(where: { enters(nodes, $0, place) }) { return true }
    let afterSlash: [Place] =
      switch place {
      case .stars, .slashes: [.slashes, .starNeeded]
      case .lastStars, .lastSlashes: [.lastSlashes]
      case .starNeeded: []
      }
    return nodes[index].edges.contains { edge in
      guard case .some([slash]) = edge.label else { return false }
      return afterSlash.contains { enters(nodes, edge.target, $0) }
    }
  }

  /// Whether the end is reached from a node, its own star included.
  private func enters(_ nodes: [PatternGraph.Node], _ index: Int, _ place: Place) -> Bool {
    let afterStar: Place? =
      switch place {
      case .stars: .stars
      case .starNeeded, .lastStars: .lastStars
      case .slashes, .lastSlashes: nil
      }
    guard let next = nodes[index].isLoop ? afterStar : place else { return false }
    return finishing[next.rawValue].contains(index)
  }
}
