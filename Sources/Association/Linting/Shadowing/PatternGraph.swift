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
    /// What leads to which node, counted from this one.
    var edges: [(label: Label, offset: Int)] = []
    /// To which nodes the text may go on without a character, counted from this one.
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
  /// The fewest characters from each node to where the text may end; -1 if there is no way.
  private let distances: [Int32]

  /// The graph of a pattern's tokens; those of a path are `Pattern.pathTokens`.
  init(
    _ tokens: [Pattern.Token], _ alphabet: Alphabet, foldingCase: Bool, ending: Ending = .exact
  ) {
    var builder = PatternGraphBuilder(alphabet: alphabet, foldingCase: foldingCase)
    for token in tokens { builder.append(token) }
    nodes = builder.nodes
    let canLack =
      ending == .exact
      ? nodes.map { _ in false } : TrailingSlashes.nodes(nodes, slash: alphabet.slash)
    isAccepting = Self.accepting(nodes, end: builder.end, canLack)
    distances = Self.measured(nodes, isAccepting)
  }

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
        case .any: reached.append(index + Int32(edge.offset))
        case .some(let symbols):
          if symbols.contains(symbol) { reached.append(index + Int32(edge.offset)) }
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
  func distance(_ current: Nodes) -> Int? {
    current.map { Int(distances[Int($0)]) }.filter { $0 >= 0 }.min()
  }

  /// The characters that lead elsewhere than the others do.
  func distinguished(_ current: Nodes) -> [Alphabet.Symbol] {
    current.flatMap { index in
      nodes[Int(index)].edges.flatMap { edge -> [Alphabet.Symbol] in
        if case .some(let symbols) = edge.label { symbols } else { [] }
      }
    }
  }

  /// The characters that lead on; `nil` stands for all.
  func leadingOn(_ current: Nodes) -> [Alphabet.Symbol]? {
    let isOpen = current.contains { index in
      let node = nodes[Int(index)]
      return node.isLoop
        || node.edges.contains { if case .any = $0.label { true } else { false } }
    }
    return isOpen ? nil : distinguished(current)
  }

  /// These nodes and those that can be skipped to, in rising order.
  private func closed(_ reached: Nodes) -> Nodes {
    if reached.count == 1, nodes[Int(reached[0])].skips.isEmpty { return reached }
    var all: Nodes = []
    for index in reached.sorted() where all.last != index { all.append(index) }
    var next = 0
    // A skip leads to a higher node, so what is inserted is still to come.
    while next < all.count {
      for skip in nodes[Int(all[next])].skips { Self.insert(all[next] + Int32(skip), into: &all) }
      next += 1
    }
    return all
  }

  private static func insert(_ index: Int32, into all: inout Nodes) {
    var place = all.endIndex
    while place > 0, all[place - 1] > index { place -= 1 }
    if place > 0, all[place - 1] == index { return }
    all.insert(index, at: place)
  }

  private static func accepting(_ nodes: [Node], end: Int, _ canLack: [Bool]) -> [Bool] {
    var result = nodes.map { _ in false }
    for index in nodes.indices.reversed() {
      result[index] =
        index == end || canLack[index]
        || nodes[index].skips.contains { result[index + $0] }
    }
    return result
  }

  private static func measured(_ nodes: [Node], _ isAccepting: [Bool]) -> [Int32] {
    var result = [Int32](repeating: -1, count: nodes.count)
    for index in nodes.indices.reversed() {
      var least: Int32? = isAccepting[index] ? 0 : nil
      for edge in nodes[index].edges {
        if case .some(let symbols) = edge.label, symbols.isEmpty { continue }
        let distance = result[index + edge.offset]
        if distance >= 0 { least = min(least ?? .max, distance + 1) }
      }
      for skip in nodes[index].skips where result[index + skip] >= 0 {
        least = min(least ?? .max, result[index + skip])
      }
      result[index] = least ?? -1
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
  private struct Place: OptionSet {
    let rawValue: UInt8
    static let stars = Place(rawValue: 1)
    static let slashes = Place(rawValue: 2)
    static let starNeeded = Place(rawValue: 4)
    static let lastStars = Place(rawValue: 8)
    static let lastSlashes = Place(rawValue: 16)
    static let all: [Place] = [.stars, .slashes, .starNeeded, .lastStars, .lastSlashes]
  }

  /// For each node, the places from which the end is reached, after the node's own star.
  private var finishing: [Place]

  static func nodes(_ nodes: [PatternGraph.Node], slash: Alphabet.Symbol) -> [Bool] {
    var search = TrailingSlashes(finishing: nodes.map { _ in [] })
    for index in nodes.indices.reversed() {
      search.finishing[index] =
        index == nodes.count - 1
        ? Place(Place.all).subtracting(.starNeeded) : search.places(nodes, index, slash)
    }
    return search.finishing.map { $0.contains(.stars) }
  }

  private func places(
    _ nodes: [PatternGraph.Node], _ index: Int, _ slash: Alphabet.Symbol
  ) -> Place {
    var result: Place = []
    for skip in nodes[index].skips { result.formUnion(entering(nodes, index + skip)) }
    for edge in nodes[index].edges {
      guard case .some([slash]) = edge.label else { continue }
      let target = entering(nodes, index + edge.offset)
      if !target.isDisjoint(with: [.slashes, .starNeeded]) {
        result.formUnion([.stars, .slashes])
      }
      if target.contains(.lastSlashes) { result.formUnion([.lastStars, .lastSlashes]) }
    }
    return result
  }

  /// The places from which the end is reached with the node's own star included.
  private func entering(_ nodes: [PatternGraph.Node], _ index: Int) -> Place {
    let finishing = finishing[index]
    guard nodes[index].isLoop else { return finishing }
    var result = finishing.intersection(.stars)
    if finishing.contains(.lastStars) { result.formUnion([.starNeeded, .lastStars]) }
    return result
  }
}
