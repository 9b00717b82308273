/// A route's condition on one component of a URL, checked symbol by symbol.
final class ComponentCondition {
  /// The state after a part of the component.
  enum Progress: Hashable {
    /// Of a pattern that covers the whole component.
    case whole(SymbolAutomaton.States)
    /// Of the conditions on query items, in their order.
    case items([Item])
    /// Of the conditions on parameters, in their order.
    case parameters([Item])
    /// Of the question if a query is irregular; `nil` once it is.
    case irregular([Item], isAtStart: Bool?)
    case isIrregular

    /// A measure of what a step costs.
    var size: Int {
      switch self {
      case .whole(let states): states.count
      case .items(let items), .parameters(let items), .irregular(let items, _): 4 * items.count
      case .isIrregular: 0
      }
    }
  }

  /// The state of the condition on one item name.
  struct Item: Hashable {
    /// The position in the current query item.
    enum Place: Hashable {
      /// After this many characters of the name, and nothing else.
      case name(Int)
      /// In an item with another name.
      case other
      /// In the value of an item with the name.
      case value(SymbolAutomaton.States)
    }

    var place = Place.name(0)
    /// Whether an item with the name has been read to its end.
    var isSeen = false
  }

  /// A condition on all items with one name.
  private struct Demand {
    let name: [Automaton.Letter]
    let value: SymbolAutomaton
    /// Whether the value may be empty, and the item therefore missing.
    let allowsEmpty: Bool
  }

  let start: Progress
  private let whole: SymbolAutomaton?
  private let demands: [Demand]
  private let alphabet: Alphabet
  private let folds: Bool
  private let ignoresTrailingSlash: Bool

  /// The conditions of a route on path, query and fragment.
  static func all(of route: RouteConditions, _ alphabet: Alphabet) -> [ComponentCondition] {
    let automaton = { (tokens: [Pattern.Token], ending: Automaton.Ending) in
      SymbolAutomaton(tokens, alphabet, folds: route.folds, ending: ending)
    }
    let filters = route.filters
    if !filters.isEmpty {
      let text = { (patterns: [PatternMatcher]) in
        ComponentCondition(
          patterns.isEmpty
            ? automaton([.anyRun], .exact) : SymbolAutomaton(patterns, alphabet), alphabet)
      }
      let parameters = filters.parameters.map { SymbolAutomaton([$0, .notEmpty], alphabet) }
      return [
        text(filters.path),
        parameters.isEmpty
          ? text([]) : ComponentCondition(parameters: parameters, alphabet),
        text(filters.fragment.isEmpty ? [] : filters.fragment + [.notEmpty]),
      ]
    }
    let query =
      switch route.query {
      case .whole(let tokens): ComponentCondition(automaton(tokens, .exact), alphabet)
      case .items(let items) where items.allSatisfy(\.value.isStar):
        ComponentCondition(automaton([.anyRun], .exact), alphabet)
      case .items(let items):
        ComponentCondition(items.filter { !$0.value.isStar }, alphabet, folds: route.folds)
      case .parameters(let parameters):
        ComponentCondition(parameters: parameters.map { automaton($0, .exact) }, alphabet)
      case .irregular(let names): ComponentCondition(irregularNames: names, alphabet)
      }
    return [
      ComponentCondition(
        automaton(route.path, route.pathEnding), alphabet,
        ignoresTrailingSlash: route.pathEnding == .path), query,
      ComponentCondition(automaton(route.fragment, .exact), alphabet),
    ]
  }

  private init(
    _ whole: SymbolAutomaton, _ alphabet: Alphabet, ignoresTrailingSlash: Bool = false
  ) {
    self.whole = whole
    self.ignoresTrailingSlash = ignoresTrailingSlash
    demands = []
    start = .whole(whole.start)
    self.alphabet = alphabet
    folds = false
  }

  private init(
    _ items: [(name: [Unicode.Scalar], value: [Pattern.Token])], _ alphabet: Alphabet, folds: Bool
  ) {
    demands = items.map { item in
      let value = SymbolAutomaton(item.value, alphabet, folds: folds)
      return Demand(
        name: alphabet.letters(of: item.name, folds: folds), value: value,
        allowsEmpty: value.isComplete(value.start))
    }
    whole = nil
    ignoresTrailingSlash = false
    start = .items(items.map { _ in Item() })
    self.alphabet = alphabet
    self.folds = folds
  }

  private init(parameters: [SymbolAutomaton], _ alphabet: Alphabet) {
    demands = parameters.map { Demand(name: [], value: $0, allowsEmpty: false) }
    (whole, folds, ignoresTrailingSlash) = (nil, false, false)
    start = .parameters(parameters.map { Item(place: .value($0.start)) })
    self.alphabet = alphabet
  }

  private init(irregularNames: [[Unicode.Scalar]], _ alphabet: Alphabet) {
    let nothing = SymbolAutomaton([], alphabet, folds: true)
    demands = irregularNames.map {
      Demand(
        name: alphabet.letters(of: $0, folds: true), value: nothing, allowsEmpty: true)
    }
    (whole, folds, ignoresTrailingSlash) = (nil, true, false)
    start = .irregular(demands.map { _ in Item() }, isAtStart: nil)
    self.alphabet = alphabet
  }

  /// The state after one more symbol; `nil` once the condition can no longer be met.
  func next(_ progress: Progress, _ symbol: Alphabet.Symbol) -> Progress? {
    switch progress {
    case .whole(let states):
      if ignoresTrailingSlash && symbol == alphabet.trailingSlash { return progress }
      guard let next = whole?.next(states, symbol), !next.isEmpty else { return nil }
      return .whole(next)
    case .parameters(let items):
      return .parameters(zip(items, demands).map { nextParameter($0, $1, symbol) })
    case .irregular(let items, let isAtStart):
      return nextIrregular(items, isAtStart, symbol)
    case .isIrregular: return .isIrregular
    case .items(let items):
      var next: [Item] = []
      for (item, demand) in zip(items, demands) {
        guard let item = self.next(item, demand, symbol) else { return nil }
        next.append(item)
      }
      return .items(next)
    }
  }

  /// Whether the condition is met if the component ends here.
  func isMet(_ progress: Progress) -> Bool {
    switch progress {
    case .whole(let states): whole?.isComplete(states) ?? false
    case .items(let items):
      zip(items, demands).allSatisfy { item, demand in
        // No item with an empty name follows an empty query or the last `&`.
        if demand.name.isEmpty, item.place == .name(0) { return item.isSeen || demand.allowsEmpty }
        guard let last = Self.finished(item, demand) else { return false }
        return last.isSeen || demand.allowsEmpty
      }
    case .parameters(let items):
      zip(items, demands).allSatisfy { Self.finishedParameter($0, $1).isSeen }
    case .irregular(let items, let isAtStart):
      isAtStart == true || finishedIrregular(items) == nil
    case .isIrregular: true
    }
  }

  /// Whether the condition is met however the component continues.
  func isUnconditional(_ progress: Progress) -> Bool {
    switch progress {
    case .whole(let states): whole?.isUnconditional(states) ?? false
    case .isIrregular: true
    case .items, .parameters, .irregular: false
    }
  }

  /// The symbols that lead on.
  func exits(from progress: Progress) -> SymbolAutomaton.Exits {
    switch progress {
    case .whole(let states): return whole?.exits(from: states) ?? SymbolAutomaton.Exits()
    case .isIrregular: return SymbolAutomaton.Exits(isOpen: true)
    case .items(let items), .parameters(let items), .irregular(let items, _):
      let symbols = zip(items, demands).flatMap { item, demand -> [Alphabet.Symbol] in
        switch item.place {
        case .name(let count) where count < demand.name.count:
          alphabet.symbols(of: demand.name[count], folds: folds)
        case .name, .other: []
        case .value(let states): demand.value.exits(from: states).symbols
        }
      }
      return SymbolAutomaton.Exits(
        symbols: [alphabet.ampersand, alphabet.equalsSign] + symbols, isOpen: true)
    }
  }

  /// Approximately the fewest symbols that must follow; `nil` if the condition can no longer be
  /// met.
  func distance(_ progress: Progress) -> Int? {
    switch progress {
    case .whole(let states): return whole?.distance(states)
    case .items(let items):
      var sum = 0
      for (item, demand) in zip(items, demands) {
        guard let distance = Self.distance(item, demand) else { return nil }
        sum += distance
      }
      return sum
    case .parameters(let items):
      return zip(items, demands).reduce(0) { sum, pair in
        let (item, demand) = pair
        if item.isSeen { return sum }
        if case .value(let states) = item.place, let distance = demand.value.distance(states) {
          return sum + distance
        }
        return sum + 1 + (demand.value.distance(demand.value.start) ?? 0)
      }
    case .irregular: return 2
    case .isIrregular: return 0
    }
  }

  // MARK: - Android's parameters

  private func nextParameter(_ item: Item, _ demand: Demand, _ symbol: Alphabet.Symbol) -> Item {
    if symbol == alphabet.ampersand { return Self.finishedParameter(item, demand) }
    guard case .value(let states) = item.place else { return item }
    let reached = demand.value.next(states, symbol)
    return Item(place: reached.isEmpty ? .other : .value(reached), isSeen: item.isSeen)
  }

  private static func finishedParameter(_ item: Item, _ demand: Demand) -> Item {
    var isSeen = item.isSeen
    if case .value(let states) = item.place, demand.value.isComplete(states) { isSeen = true }
    return Item(place: .value(demand.value.start), isSeen: isSeen)
  }

  // MARK: - Irregular queries

  private func nextIrregular(
    _ items: [Item], _ isAtStart: Bool?, _ symbol: Alphabet.Symbol
  ) -> Progress {
    guard symbol == alphabet.ampersand else {
      let read = zip(items, demands).map { item, demand -> Item in
        if case .value = item.place { return item }
        return next(item, demand, symbol) ?? item
      }
      return .irregular(read, isAtStart: false)
    }
    guard isAtStart == false, let next = finishedIrregular(items) else { return .isIrregular }
    return .irregular(next, isAtStart: true)
  }

  /// The items behind the current one; `nil` if its name has been read before.
  private func finishedIrregular(_ items: [Item]) -> [Item]? {
    var next: [Item] = []
    for (item, demand) in zip(items, demands) {
      let isNamed =
        switch item.place {
        case .value: true
        case .name(let count): count == demand.name.count
        case .other: false
        }
      if isNamed && item.isSeen { return nil }
      next.append(Item(isSeen: item.isSeen || isNamed))
    }
    return next
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
      let isNext =
        count < demand.name.count
        && demand.name[count] == alphabet.letter(of: symbol, folds: folds)
      next.place = isNext ? .name(count + 1) : .other
    case .value(let states):
      let reached = demand.value.next(states, symbol)
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
      return demand.allowsEmpty ? Item(isSeen: true) : nil
    case .value(let states):
      return demand.value.isComplete(states) ? Item(isSeen: true) : nil
    }
  }

  private static func distance(_ item: Item, _ demand: Demand) -> Int? {
    if case .value(let states) = item.place { return demand.value.distance(states) }
    if item.isSeen || demand.allowsEmpty { return 0 }
    guard let valueDistance = demand.value.distance(demand.value.start) else { return nil }
    if case .name(let count) = item.place { return demand.name.count - count + 1 + valueDistance }
    return 1 + demand.name.count + 1 + valueDistance
  }
}
