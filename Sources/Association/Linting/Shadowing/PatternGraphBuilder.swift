/// Builds the graph of a pattern, token after token.
struct PatternGraphBuilder {
  private(set) var nodes = [PatternGraph.Node()]
  /// The last node that was reached: the highest one.
  private(set) var end = 0
  private let alphabet: Alphabet
  private let foldingCase: Bool

  init(alphabet: Alphabet, foldingCase: Bool) {
    self.alphabet = alphabet
    self.foldingCase = foldingCase
  }

  mutating func append(_ token: Pattern.Token) {
    switch token {
    case .literal(let characters): for character in characters { step(on: character) }
    case .anyOne: step(.any)
    case .anyRun: nodes[end].isLoop = true
    case .one(let characterClass):
      step(.some(alphabet.symbols(of: characterClass, foldingCase: foldingCase)))
    case .values(let variable): append(variable)
    case .nothing: step(.some([]))
    }
  }

  private mutating func step(on character: Unicode.Scalar) {
    step(.some(alphabet.symbols(of: character, foldingCase: foldingCase)))
  }

  private mutating func step(_ label: PatternGraph.Label) {
    let source = end
    end = addNode()
    nodes[source].edges.append((label, end - source))
  }

  private mutating func addNode() -> Int {
    nodes.append(PatternGraph.Node())
    return nodes.count - 1
  }

  // MARK: - Variables

  /// One character, `?` or `*` of a value.
  private enum Part: Hashable {
    case character(Unicode.Scalar)
    case anyOne
    case anyRun
  }

  private struct Branch: Hashable {
    let node: Int
    let part: Part
  }

  /// Appends the values as a tree, so that common beginnings are one branch.
  private mutating func append(_ variable: Pattern.Variable) {
    let tree = alphabet.trees.tree(of: variable, foldingCase: foldingCase) {
      var builder = PatternGraphBuilder(alphabet: alphabet, foldingCase: foldingCase)
      builder.appendTree(variable.values)
      return builder.nodes
    }
    nodes[end].edges += tree[0].edges
    nodes[end].skips += tree[0].skips
    nodes += tree.dropFirst()
    end = nodes.count - 1
  }

  private mutating func appendTree(_ values: [[Pattern.Token]]) {
    let root = end
    var branches: [Branch: Int] = [:]
    var ends: Set<Int> = []
    for value in values {
      end = root
      for part in value.flatMap(Self.parts) { follow(part, &branches) }
      ends.insert(end)
    }
    end = addNode()
    for index in ends { nodes[index].skips.append(end - index) }
  }

  private static func parts(_ token: Pattern.Token) -> [Part] {
    switch token {
    case .literal(let characters): characters.map(Part.character)
    case .anyOne: [.anyOne]
    case .anyRun: [.anyRun]
    case .one, .values, .nothing: []
    }
  }

  private mutating func follow(_ part: Part, _ branches: inout [Branch: Int]) {
    let branch = Branch(node: end, part: part)
    if let known = branches[branch] {
      end = known
      return
    }
    switch part {
    case .character(let character): step(on: character)
    case .anyOne: step(.any)
    case .anyRun:
      // A loop on the node itself would also hold for the other values that pass it.
      let loop = addNode()
      nodes[loop].isLoop = true
      nodes[end].skips.append(loop - end)
      end = loop
    }
    branches[branch] = end
  }
}

/// The trees of variables' values over an alphabet, each built once.
final class VariableTrees {
  private struct Key: Hashable {
    let values: [UInt32]
    let foldingCase: Bool
  }

  private var trees: [Key: [PatternGraph.Node]] = [:]

  /// The tree of a variable: its first node is the root, its last one the end of all values.
  func tree(
    of variable: Pattern.Variable, foldingCase: Bool, build: () -> [PatternGraph.Node]
  ) -> [PatternGraph.Node] {
    let key = Key(values: variable.fingerprint, foldingCase: foldingCase)
    if let known = trees[key] { return known }
    let new = build()
    trees[key] = new
    return new
  }
}

extension Pattern.Variable {
  /// The same for no other values. The name would not do: at the start of a path the values are
  /// given a slash.
  fileprivate var fingerprint: [UInt32] {
    var numbers: [UInt32] = []
    for value in values {
      for token in value {
        switch token {
        case .literal(let text): numbers += text.map(\.value)
        case .anyOne: numbers.append(.max)
        case .anyRun: numbers.append(.max - 1)
        case .one, .values, .nothing: break
        }
      }
      numbers.append(.max - 2)
    }
    return numbers
  }
}
