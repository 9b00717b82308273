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
    nodes[source].edges.append((label, end))
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
    let root = end
    var branches: [Branch: Int] = [:]
    var ends: Set<Int> = []
    for value in variable.values {
      end = root
      for part in value.flatMap(Self.parts) { follow(part, &branches) }
      ends.insert(end)
    }
    end = addNode()
    for index in ends { nodes[index].skips.append(end) }
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
      nodes[end].skips.append(loop)
      end = loop
    }
    branches[branch] = end
  }
}
