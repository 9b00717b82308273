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
    var treeNumbers: [Pattern.Variable.Identity: Int] = [:]
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
        let identity = Pattern.Variable.Identity(variable)
        let number = treeNumbers[identity] ?? trees.count
        if number == trees.count { trees.append(tree(variable)) }
        treeNumbers[identity] = number
        append(Element(kind: .values, tree: number), trees[number].nodes.count)
      case .nothing: break  // A pattern with it is not compiled.
      }
    }
    append(Element(kind: .end), 1)
    self.elements = elements
    self.trees = trees
    var endings = Endings(trees, states: states)
    endings.accept(states - 1)
    if ending == .path { endings.addPathEndings(elements) }
    accepting = endings.accepting
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

  private static let end = stars | slashes | lastStars | lastSlashes

  /// The states from which the end is reached, a bit each.
  private(set) var accepting: [UInt64]
  private let trees: [ValueTree]
  private var treePlaces: [TreeKey: (root: UInt8, accepting: [Int])] = [:]

  private struct TreeKey: Hashable {
    let tree: Int
    let next: UInt8
  }

  init(_ trees: [ValueTree], states: Int) {
    self.trees = trees
    accepting = Array(repeating: 0, count: states / 64 + 1)
  }

  mutating func accept(_ state: Int) {
    accepting[state / 64] |= 1 << UInt64(state % 64)
  }

  /// Goes from the last element to the first, until the end is out of reach.
  mutating func addPathEndings(_ elements: [PatternAutomaton.Element]) {
    var next = Self.end
    for element in elements.dropLast().reversed() where next != 0 {
      let place: UInt8
      switch element.kind {
      case .byte: place = element.byte == UInt8(ascii: "/") ? Self.beforeSlash(next) : 0
      case .one, .end: place = 0
      case .anyRun: place = Self.beforeStar(next)
      case .anyOne:
        if next & Self.stars != 0 { accept(element.base + 1) }
        place = 0
      case .values:
        let (root, nodes) = places(in: TreeKey(tree: element.tree, next: next))
        for node in nodes { accept(element.base + node) }
        place = root
      }
      if place & Self.stars != 0 { accept(element.base) }
      next = place
    }
  }

  /// The place at the start of a variable's values, and the nodes from which the end is reached.
  private mutating func places(in key: TreeKey) -> (root: UInt8, accepting: [Int]) {
    if let known = treePlaces[key] { return known }
    let tree = trees[key.tree]
    var places = [UInt8](repeating: 0, count: tree.nodes.count)
    // Children come after their parents.
    for (index, node) in tree.nodes.enumerated().reversed() {
      var place: UInt8 = node.isEnd ? key.next : 0
      if let target = tree.target(of: UInt8(ascii: "/"), from: node) {
        place |= Self.beforeSlash(places[Int(target)])
      }
      if let run = node.anyRun { place |= Self.beforeStar(places[Int(run)]) }
      places[index] = place
    }
    let accepting = places.indices.filter { places[$0] & Self.stars != 0 }
    treePlaces[key] = (places[0], accepting)
    return (places[0], accepting)
  }

  private static func beforeSlash(_ after: UInt8) -> UInt8 {
    (after & (slashes | afterSlash) != 0 ? stars | slashes : 0)
      | (after & lastSlashes != 0 ? lastStars | lastSlashes : 0)
  }

  private static func beforeStar(_ after: UInt8) -> UInt8 {
    (after & stars) | (after & lastStars != 0 ? afterSlash | lastStars : 0)
  }
}
