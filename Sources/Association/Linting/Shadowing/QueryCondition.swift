/// A route's condition on the query, read symbol by symbol.
struct QueryCondition {
  /// How far a query was read.
  enum Progress: Hashable {
    /// By a pattern that covers the whole query.
    case whole(PatternGraph.Nodes)
    /// By the conditions on items, in their order.
    case items([Item])

    /// A measure of what a step costs.
    var size: Int {
      switch self {
      case .whole(let nodes): nodes.count
      case .items(let items): 4 * items.count
      }
    }
  }

  /// How far one condition on items is.
  struct Item: Hashable {
    /// Where in the current item of the URL the condition is.
    enum Place: Hashable {
      /// This many characters of the name were read, and no other.
      case name(Int)
      /// In an item of another name.
      case other
      /// In the value of an item of the name.
      case value(PatternGraph.Nodes)
    }

    var place = Place.name(0)
    /// Whether an item of the name was read to its end.
    var isSeen = false
  }

  /// What is demanded of all items of one name.
  private struct Demand {
    let name: [[Alphabet.Symbol]]
    let value: PatternGraph
    /// Whether an item without a value will do, and so none at all.
    let isEmptyEnough: Bool
  }

  private let whole: PatternGraph?
  private let demands: [Demand]
  private let alphabet: Alphabet

  init(_ route: AppLinks.Route, _ alphabet: Alphabet) {
    let foldingCase = !route.isCaseSensitive
    let graph = { (tokens: [Pattern.Token]) in
      PatternGraph(tokens, alphabet, foldingCase: foldingCase)
    }
    self.alphabet = alphabet
    switch route.query {
    case .any, .ignored: (whole, demands) = (graph([.anyRun]), [])
    case .whole(let pattern): (whole, demands) = (graph(pattern.tokens), [])
    case .items(let items):
      demands = items.lazy.filter { !$0.pattern.isStar }.map { item in
        let value = graph(item.pattern.tokens)
        return Demand(
          name: item.name.unicodeScalars.map { alphabet.symbols(of: $0, foldingCase: foldingCase) },
          value: value, isEmptyEnough: value.isComplete(value.start))
      }
      whole = demands.isEmpty ? graph([.anyRun]) : nil
    }
  }

  /// Before the first character of the query.
  var start: Progress {
    whole.map { .whole($0.start) } ?? .items(demands.map { _ in Item() })
  }

  /// After one more character; `nil` once the condition cannot be met any more.
  func next(_ progress: Progress, _ symbol: Alphabet.Symbol) -> Progress? {
    switch progress {
    case .whole(let nodes):
      guard let next = whole?.next(nodes, symbol), !next.isEmpty else { return nil }
      return .whole(next)
    case .items(let items):
      var next: [Item] = []
      for (item, demand) in zip(items, demands) {
        guard let item = self.next(item, demand, symbol) else { return nil }
        next.append(item)
      }
      return .items(next)
    }
  }

  /// Whether the condition is met if the query ends here.
  func isMet(_ progress: Progress) -> Bool {
    switch progress {
    case .whole(let nodes): whole?.isComplete(nodes) ?? false
    case .items(let items):
      zip(items, demands).allSatisfy { item, demand in
        // A query that ends in `&`, or is empty, has no further item, which an empty name would be.
        if demand.name.isEmpty, item.place == .name(0) {
          return item.isSeen || demand.isEmptyEnough
        }
        guard let last = Self.finished(item, demand) else { return false }
        return last.isSeen || demand.isEmptyEnough
      }
    }
  }

  /// Whether the condition is met however the query goes on.
  func isBoundless(_ progress: Progress) -> Bool {
    guard case .whole(let nodes) = progress else { return false }
    return whole?.isBoundless(nodes) ?? false
  }

  /// The characters that lead on; `nil` stands for all.
  func leadingOn(_ progress: Progress) -> [Alphabet.Symbol]? {
    guard case .whole(let nodes) = progress else { return nil }
    return whole?.leadingOn(nodes)
  }

  /// The characters that lead elsewhere than the others do.
  func distinguished(_ progress: Progress) -> [Alphabet.Symbol] {
    switch progress {
    case .whole(let nodes): return whole?.distinguished(nodes) ?? []
    case .items(let items):
      let ofItems = zip(items, demands).flatMap { item, demand -> [Alphabet.Symbol] in
        switch item.place {
        case .other: []
        case .name(let count): count < demand.name.count ? demand.name[count] : []
        case .value(let nodes): demand.value.distinguished(nodes)
        }
      }
      return [alphabet.ampersand, alphabet.equalsSign] + ofItems
    }
  }

  /// About the fewest characters that must follow; `nil` if the condition cannot be met any more.
  func distance(_ progress: Progress) -> Int? {
    switch progress {
    case .whole(let nodes): return whole?.distance(nodes)
    case .items(let items):
      var sum = 0
      for (item, demand) in zip(items, demands) {
        guard let distance = Self.distance(item, demand) else { return nil }
        sum += distance
      }
      return sum
    }
  }

  // MARK: - One item

  private func next(_ item: Item, _ demand: Demand, _ symbol: Alphabet.Symbol) -> Item? {
    if symbol == alphabet.ampersand { return Self.finished(item, demand) }
    var next = item
    switch item.place {
    case .other: break
    case .name(let count) where symbol == alphabet.equalsSign:
      next.place = count == demand.name.count ? .value(demand.value.start) : .other
    case .name(let count):
      let isNext = count < demand.name.count && demand.name[count].contains(symbol)
      next.place = isNext ? .name(count + 1) : .other
    case .value(let nodes):
      let reached = demand.value.next(nodes, symbol)
      if reached.isEmpty { return nil }
      next.place = .value(reached)
    }
    return next
  }

  /// After the end of an item; `nil` if its value does not match.
  private static func finished(_ item: Item, _ demand: Demand) -> Item? {
    switch item.place {
    case .other: return Item(isSeen: item.isSeen)
    case .name(let count):
      if count < demand.name.count { return Item(isSeen: item.isSeen) }
      return demand.isEmptyEnough ? Item(isSeen: true) : nil
    case .value(let nodes):
      return demand.value.isComplete(nodes) ? Item(isSeen: true) : nil
    }
  }

  private static func distance(_ item: Item, _ demand: Demand) -> Int? {
    if case .value(let nodes) = item.place { return demand.value.distance(nodes) }
    if item.isSeen || demand.isEmptyEnough { return 0 }
    guard let ofValue = demand.value.distance(demand.value.start) else { return nil }
    if case .name(let count) = item.place { return demand.name.count - count + 1 + ofValue }
    return 1 + demand.name.count + 1 + ofValue
  }
}

extension Pattern {
  /// Whether the pattern is a star, and so no condition.
  var isStar: Bool {
    if case .anyRun? = tokens.first { tokens.count == 1 } else { false }
  }
}
