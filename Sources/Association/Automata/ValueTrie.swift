/// The values of a variable as a trie, in which common beginnings are shared.
struct ValueTrie: Sendable {
  /// A place in the values. Node 0 is the root; children come after their parents.
  struct Node: Sendable {
    /// Where letters lead, as a range of `edges`, which is sorted by letter.
    var edges: Range<Int32> = 0..<0
    /// Where `?` leads.
    var anyOne: Int32?
    /// Where `*` leads, without a letter.
    var anyRun: Int32?
    /// Whether a value ends here.
    var isEnd = false
    /// Whether this is a `*`, so that every letter stays here.
    var isRun = false
    /// Whether `?` leads here, so that the rest of a character stays here.
    var isAfterAnyOne = false
  }

  struct Edge: Sendable {
    let letter: Automaton.Letter
    let target: Int32
  }

  private(set) var nodes: [Node] = []
  private var edges: [Edge] = []

  /// The trie of values, which consist of literals, `?` and `*`.
  init(
    _ values: [[Pattern.Token]], letters: ([Unicode.Scalar]) -> [Automaton.Letter]
  ) {
    var builder = Builder()
    for value in values { builder.insert(value, letters: letters) }
    for (var node, children) in zip(builder.nodes, builder.children) {
      let first = Int32(edges.count)
      edges += children.sorted { $0.key < $1.key }.map { Edge(letter: $0.key, target: $0.value) }
      node.edges = first..<Int32(edges.count)
      nodes.append(node)
    }
  }

  func edges(of node: Node) -> ArraySlice<Edge> {
    edges[Int(node.edges.lowerBound)..<Int(node.edges.upperBound)]
  }

  /// Where the letter leads from a node.
  @inline(__always)
  func target(of letter: Automaton.Letter, from node: Node) -> Int32? {
    var low = Int(node.edges.lowerBound)
    var high = Int(node.edges.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let edge = edges[middle]
      if edge.letter == letter { return edge.target }
      if edge.letter < letter { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private struct Builder {
    var nodes = [Node()]
    var children: [[Automaton.Letter: Int32]] = [[:]]

    mutating func insert(
      _ value: [Pattern.Token], letters: ([Unicode.Scalar]) -> [Automaton.Letter]
    ) {
      var place = 0
      for token in value {
        switch token {
        case .literal(let text):
          for letter in letters(text) {
            let next = children[place][letter] ?? append(Node())
            children[place][letter] = next
            place = Int(next)
          }
        case .anyOne:
          let next = nodes[place].anyOne ?? append(Node(isAfterAnyOne: true))
          nodes[place].anyOne = next
          place = Int(next)
        case .anyRun:
          let next = nodes[place].anyRun ?? append(Node(isRun: true))
          nodes[place].anyRun = next
          place = Int(next)
        case .one, .values, .nothing: return  // A value holds no variables.
        }
      }
      nodes[place].isEnd = true
    }

    private mutating func append(_ node: Node) -> Int32 {
      nodes.append(node)
      children.append([:])
      return Int32(nodes.count - 1)
    }
  }
}
