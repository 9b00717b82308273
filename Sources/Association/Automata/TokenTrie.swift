/// Lists of tokens in a trie, in which common prefixes are shared: the values of a variable, or the
/// single list of a pattern's tokens between two variables.
struct TokenTrie: Sendable {
  /// A position in the lists. Node 0 is the root; children come after their parents. A link to 0
  /// means that there is none.
  struct Node: Sendable {
    /// The transitions by letter: a range of `edges`, which is sorted by letter.
    var edges: Range<Int32> = 0..<0
    /// The node of a following `*`, reached without a letter.
    var anyRun: Int32 = 0
    /// The node after a character of a class. A node has one class at most: values have only `?`.
    var one: Int32 = 0
    /// The number of the class's bit.
    var classBit: UInt8 = 0
    /// Whether a list ends here.
    var isEnd = false
    /// Whether this is a `*`, so that every letter stays here.
    var isRun = false
    /// Whether a letter that has an edge does not stay here.
    var endsAtEdge = false
    /// Whether an open class leads here, so that the rest of a character stays here.
    var isAfterOpenClass = false

    /// Whether the node only ends a list, so that no letter continues it.
    var isLeaf: Bool {
      edges.isEmpty && anyRun == 0 && one == 0 && !isRun && !isAfterOpenClass
    }
  }

  struct Edge: Sendable {
    let letter: Automaton.Letter
    let target: Int32
  }

  private(set) var nodes: [Node] = []
  private var edges: [Edge] = []

  /// The trie of lists of tokens, none of which is a variable with values.
  init(
    _ lists: [[Pattern.Token]], folds: Bool,
    letters: @escaping ([Unicode.Scalar], Bool) -> [Automaton.Letter]
  ) {
    var builder = Builder(folds: folds, letters: letters)
    for list in lists { builder.insert(list) }
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

  /// The node that a letter leads to; 0 if there is none.
  @inline(__always)
  func target(of letter: Automaton.Letter, from node: Node) -> Int32 {
    var low = Int(node.edges.lowerBound)
    var high = Int(node.edges.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let edge = edges[middle]
      if edge.letter == letter { return edge.target }
      if edge.letter < letter { low = middle + 1 } else { high = middle }
    }
    return 0
  }

  private struct Builder {
    let folds: Bool
    let letters: ([Unicode.Scalar], Bool) -> [Automaton.Letter]
    var nodes = [Node()]
    var children: [[Automaton.Letter: Int32]] = [[:]]

    mutating func insert(_ list: [Pattern.Token]) {
      var place = 0
      for token in list {
        switch token {
        case .literal(let text):
          for letter in letters(text, folds) { place = child(of: place, letter) }
        case .nothing, .values: place = child(of: place, Automaton.noLetter)
        case .anyRun: place = child(of: place, \.anyRun, Node(isRun: true))
        case .runUntil(let end):
          place = child(of: place, \.anyRun, Node(isRun: true, endsAtEdge: true))
          for letter in letters([end], folds) { place = child(of: place, letter) }
        case .one(let characterClass):
          nodes[place].classBit = UInt8(characterClass.bit(folds: folds))
          place = child(of: place, \.one, Node(isAfterOpenClass: characterClass.isOpen))
        }
      }
      nodes[place].isEnd = true
    }

    private mutating func child(of place: Int, _ letter: Automaton.Letter) -> Int {
      let next = children[place][letter] ?? append(Node())
      children[place][letter] = next
      return Int(next)
    }

    private mutating func child(
      of place: Int, _ link: WritableKeyPath<Node, Int32>, _ node: Node
    ) -> Int {
      if nodes[place][keyPath: link] == 0 { nodes[place][keyPath: link] = append(node) }
      return Int(nodes[place][keyPath: link])
    }

    private mutating func append(_ node: Node) -> Int32 {
      nodes.append(node)
      children.append([:])
      return Int32(nodes.count - 1)
    }
  }
}
