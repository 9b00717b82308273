/// The automaton of a route over whole URLs, built as far as a search looks at it.
///
/// It reads the characters of the path, an end, those of the query, an end, those of the fragment
/// and an end. The path is normal: one slash at the start, none at the end unless it is the only one.
final class RouteMachine {
  typealias State = Int

  /// The state from which nothing matches any more.
  static let dead: State = 0
  /// The state after a URL that matches.
  static let accepted: State = 1

  private let alphabet: Alphabet
  private let effort: Effort
  private let path: PatternGraph
  private let query: QueryCondition
  private let fragment: PatternGraph
  private var positions: [Position] = [.dead, .accepted]
  private var states: [Position: State] = [.dead: dead, .accepted: accepted]
  /// For every state a row with the next state for each symbol, or -1 where it is not known yet.
  private var rows: [Int32]
  private var remaining: [Int?] = [nil, 0]
  private var boundless: [Bool] = [false, false]
  private var distinguished: [[Alphabet.Symbol]?] = [[], []]

  /// Where a machine is in a URL.
  private enum Position: Hashable {
    case dead
    case path(PatternGraph.Nodes)
    case query(QueryCondition.Progress)
    case fragment(PatternGraph.Nodes)
    case accepted

    /// A measure of what a step costs.
    var size: Int {
      switch self {
      case .dead, .accepted: 1
      case .path(let nodes), .fragment(let nodes): 2 + nodes.count
      case .query(let progress): 2 + progress.size
      }
    }
  }

  /// The state before the first character.
  private(set) var start: State = dead

  init(_ route: AppLinks.Route, _ alphabet: Alphabet, _ effort: Effort) {
    let graph = { (tokens: [Pattern.Token], ending: PatternGraph.Ending) in
      PatternGraph(tokens, alphabet, foldingCase: !route.isCaseSensitive, ending: ending)
    }
    self.alphabet = alphabet
    self.effort = effort
    rows = Array(repeating: -1, count: 2 * alphabet.count)
    path = graph(route.path?.pathTokens ?? [.anyRun], .path)
    query = QueryCondition(route, alphabet)
    fragment = graph(route.fragment?.tokens ?? [.anyRun], .exact)
    start = state(at: .path(path.start))
  }

  /// The state after one more symbol.
  func next(_ state: State, _ symbol: Alphabet.Symbol) -> State {
    guard state > Self.accepted else { return Self.dead }
    let place = state * alphabet.count + symbol
    let known = rows[place]
    if known >= 0 { return Int(known) }
    let next = self.state(at: position(after: positions[state], symbol))
    rows[place] = Int32(next)
    return next
  }

  /// Whether every URL that begins as it led here matches.
  func isBoundless(_ state: State) -> Bool { boundless[state] }

  /// At most as many symbols as must follow until a URL matches; `nil` if none ever does.
  func distance(_ state: State) -> Int? { remaining[state] }

  /// The symbols that may lead on from a state, besides the end; `nil` stands for all.
  func leadingOn(_ state: State) -> [Alphabet.Symbol]? {
    switch positions[state] {
    case .dead, .accepted: []
    case .path(let nodes): path.leadingOn(nodes)
    case .query(let progress): query.leadingOn(progress)
    case .fragment(let nodes): fragment.leadingOn(nodes)
    }
  }

  /// The symbols that lead elsewhere from a state than the others do.
  func distinguished(_ state: State) -> [Alphabet.Symbol] {
    if let known = distinguished[state] { return known }
    let symbols =
      switch positions[state] {
      case .dead, .accepted: [Alphabet.Symbol]()
      case .path(let nodes): path.distinguished(nodes)
      case .query(let progress): query.distinguished(progress)
      case .fragment(let nodes): fragment.distinguished(nodes)
      }
    let unique = Array(Set(symbols))
    distinguished[state] = unique
    return unique
  }

  // MARK: - Building

  private func state(at position: Position) -> State {
    if let known = states[position] { return known }
    let distance = distance(position)
    // From where there is no way on, it does not matter how one got there.
    guard let distance else {
      states[position] = Self.dead
      return Self.dead
    }
    effort.spend(alphabet.count / 2)
    let state = positions.count
    states[position] = state
    positions.append(position)
    rows += repeatElement(-1, count: alphabet.count)
    remaining.append(distance)
    boundless.append(isBoundless(position))
    distinguished.append(nil)
    return state
  }

  private func position(after position: Position, _ symbol: Alphabet.Symbol) -> Position {
    let isEnd = symbol == Alphabet.end
    effort.spend(position.size)
    switch position {
    case .dead, .accepted: return .dead
    case .path(let nodes):
      if isEnd { return path.isComplete(nodes) ? .query(query.start) : .dead }
      let next = path.next(nodes, symbol)
      return next.isEmpty ? .dead : .path(next)
    case .query(let progress):
      if isEnd { return query.isMet(progress) ? .fragment(fragment.start) : .dead }
      return query.next(progress, symbol).map(Position.query) ?? .dead
    case .fragment(let nodes):
      if isEnd { return fragment.isComplete(nodes) ? .accepted : .dead }
      let next = fragment.next(nodes, symbol)
      return next.isEmpty ? .dead : .fragment(next)
    }
  }

  private func distance(_ position: Position) -> Int? {
    let ofFragment = fragment.distance(fragment.start).map { $0 + 1 }
    let ofQuery = ofFragment.flatMap { rest in
      query.distance(query.start).map { $0 + 1 + rest }
    }
    return switch position {
    case .dead: nil
    case .accepted: 0
    case .path(let nodes): ofQuery.flatMap { rest in path.distance(nodes).map { $0 + 1 + rest } }
    case .query(let progress):
      ofFragment.flatMap { rest in query.distance(progress).map { $0 + 1 + rest } }
    case .fragment(let nodes): fragment.distance(nodes).map { $0 + 1 }
    }
  }

  private func isBoundless(_ position: Position) -> Bool {
    let isFragmentFree = fragment.isBoundless(fragment.start)
    return switch position {
    case .dead, .accepted: false
    case .path(let nodes):
      path.isBoundless(nodes) && query.isBoundless(query.start) && isFragmentFree
    case .query(let progress): query.isBoundless(progress) && isFragmentFree
    case .fragment(let nodes): fragment.isBoundless(nodes)
    }
  }
}
