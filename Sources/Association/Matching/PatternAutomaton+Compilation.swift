extension PatternAutomaton {
  /// What a text may lack at the end of a pattern.
  enum Ending {
    /// Nothing: the pattern covers the text.
    case exact
    /// Slashes, and before them a slash with a star, as for a path without its trailing slashes.
    case path
  }

  /// Compiles tokens; `tree` gives the values of a variable as a tree.
  init(
    _ tokens: [Pattern.Token], folds: Bool, ending: Ending,
    tree: (Pattern.Variable) -> ValueTree
  ) {
    var elements: [Element] = []
    var trees: [ValueTree] = []
    var states = 0
    let append = { (element: Element, count: Int) in
      var element = element
      element.base = states
      elements.append(element)
      states += count
    }
    for token in tokens {
      switch token {
      case .literal(let text):
        for byte in ComparedText.bytes(text, folds: folds) {
          append(Element(kind: .byte, byte: byte), 1)
        }
      case .anyOne: append(Element(kind: .anyOne), 2)
      case .one(let one):
        append(Element(kind: .one, byte: UInt8(ByteClasses.index(of: one, folds: folds))), 1)
      case .anyRun: append(Element(kind: .anyRun), 1)
      case .values(let variable):
        trees.append(tree(variable))
        append(
          Element(kind: .values, tree: trees.count - 1), trees[trees.count - 1].nodes.count)
      case .nothing: break  // A pattern with it is not compiled.
      }
    }
    append(Element(kind: .end), 1)
    self.elements = elements
    self.trees = trees
    let isAccepting =
      switch ending {
      case .exact: (0..<states).map { $0 == states - 1 }
      case .path: Endings(elements, trees, count: states).areAccepting
      }
    var accepting = [UInt64](repeating: 0, count: states / 64 + 1)
    for state in 0..<states where isAccepting[state] {
      accepting[state / 64] |= 1 << UInt64(state % 64)
    }
    self.accepting = accepting
  }
}

/// From which states the end can be reached over what a path may lack.
///
/// The path has no trailing slashes. The pattern's trailing slashes do not count, and one that then
/// ends in `/*` also covers what it covers without these two characters. So what is left of the
/// pattern may be stars, slashes, and once between them a slash with stars after it: `* / (/* /)?`
/// with each run as long as it likes. Every state has a bit for each place in that sequence from
/// which the end is reached.
private struct Endings {
  private static let stars: UInt8 = 1
  private static let slashes: UInt8 = 2
  private static let afterSlash: UInt8 = 4
  private static let lastStars: UInt8 = 8
  private static let lastSlashes: UInt8 = 16

  private var places: [UInt8]

  var areAccepting: [Bool] { places.map { $0 & Self.stars != 0 } }

  init(_ elements: [PatternAutomaton.Element], _ trees: [ValueTree], count: Int) {
    places = Array(repeating: 0, count: count)
    places[count - 1] = Self.stars | Self.slashes | Self.lastStars | Self.lastSlashes
    for (element, following) in zip(elements, elements.dropFirst()).reversed() {
      let next = places[following.base]
      switch element.kind {
      case .byte where element.byte == UInt8(ascii: "/"):
        places[element.base] = Self.beforeSlash(next)
      case .byte, .one, .end: break
      case .anyOne: places[element.base + 1] = next
      case .anyRun: places[element.base] = Self.beforeStar(next)
      case .values: addValues(trees[element.tree], base: element.base, next)
      }
    }
  }

  /// Children come after their parents, so from the last node to the first.
  private mutating func addValues(_ tree: ValueTree, base: Int, _ next: UInt8) {
    for (index, node) in tree.nodes.enumerated().reversed() {
      var place: UInt8 = node.isEnd ? next : 0
      if let target = tree.target(of: UInt8(ascii: "/"), from: node) {
        place |= Self.beforeSlash(places[base + Int(target)])
      }
      if let run = node.anyRun { place |= Self.beforeStar(places[base + Int(run)]) }
      places[base + index] = place
    }
  }

  private static func beforeSlash(_ after: UInt8) -> UInt8 {
    (after & (slashes | afterSlash) != 0 ? stars | slashes : 0)
      | (after & lastSlashes != 0 ? lastStars | lastSlashes : 0)
  }

  private static func beforeStar(_ after: UInt8) -> UInt8 {
    (after & stars) | (after & lastStars != 0 ? afterSlash | lastStars : 0)
  }
}
