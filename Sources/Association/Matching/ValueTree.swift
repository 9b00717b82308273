/// The values of a variable as a tree over their bytes, in which common beginnings are shared.
struct ValueTree: Sendable {
  /// A place in the values. Node 0 is the start; a child comes after its parent.
  struct Node: Sendable {
    /// Where the literal bytes lead, as a range of `edges`, which are in order of their byte.
    var edges: Range<Int32> = 0..<0
    /// Where `?` leads.
    var anyOne: Int32?
    /// Where `*` leads, which needs no byte.
    var anyRun: Int32?
    /// Whether a value ends here.
    var isEnd = false
    /// Whether `*` leads here, so that every byte stays here.
    var isRun = false
    /// Whether `?` leads here, so that the rest of a character stays here.
    var isAfterAnyOne = false
  }

  /// Where a byte leads.
  struct Edge: Sendable {
    let byte: UInt8
    let target: Int32
  }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []

  /// A tree of values, each a list of literals, `?` and `*`.
  init(_ values: [[Pattern.Token]], folds: Bool) {
    var builder = Builder()
    for value in values { builder.insert(value, folds: folds) }
    for (var node, children) in zip(builder.nodes, builder.children) {
      let first = Int32(edges.count)
      edges += children.sorted { $0.key < $1.key }.map { Edge(byte: $0.key, target: $0.value) }
      node.edges = first..<Int32(edges.count)
      nodes.append(node)
    }
  }

  /// Where the byte leads from a node.
  @inline(__always)
  func target(of byte: UInt8, from node: Node) -> Int32? {
    var low = Int(node.edges.lowerBound)
    var high = Int(node.edges.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let edge = edges[middle]
      if edge.byte == byte { return edge.target }
      if edge.byte < byte { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private struct Builder {
    var nodes = [Node()]
    var children: [[UInt8: Int32]] = [[:]]

    mutating func insert(_ value: [Pattern.Token], folds: Bool) {
      var place = 0
      for token in value {
        switch token {
        case .literal(let text):
          for byte in ComparedText.bytes(text, folds: folds) { place = child(of: place, byte) }
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

    private mutating func child(of place: Int, _ byte: UInt8) -> Int {
      let next = children[place][byte] ?? append(Node())
      children[place][byte] = next
      return Int(next)
    }

    private mutating func append(_ node: Node) -> Int32 {
      nodes.append(node)
      children.append([:])
      return Int32(nodes.count - 1)
    }
  }
}
