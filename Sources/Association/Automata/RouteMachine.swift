/// A deterministic automaton for all conditions of a route, built lazily as searches visit it.
///
/// It reads the path, the query and the fragment of a URL, each followed by `Alphabet.end`. The path
/// is in normal form: it begins with one slash and ends in none, unless it is `/`.
final class RouteMachine {
  typealias State = Int

  /// The state from which no URL matches.
  static let dead: State = 0
  /// The state after a URL that matches.
  static let accepted: State = 1

  /// A state in terms of the conditions.
  private struct Position: Hashable {
    /// The component that is being read.
    let component: Int
    let progress: ComponentCondition.Progress
  }

  private let symbolCount: Int
  private let budget: SearchBudget
  private let conditions: [ComponentCondition]
  /// For each component, the fewest symbols that must follow it, including its end; `nil` if no
  /// match is possible.
  private var distancesAfter: [Int?] = [nil, nil, 1]
  /// For each component, whether the conditions on the later ones are always met.
  private var isFreeAfter = [true, true, true]

  // One element per state.
  private var positions: [Position?] = [nil, nil]
  /// The next state for each symbol, or -1 if not known yet: `symbolCount` per state.
  private var transitions: [Int32]
  private var distances: [Int?] = [nil, 0]
  private var isUnconditional: [Bool] = [false, false]
  private var exits: [SymbolAutomaton.Exits?] = [SymbolAutomaton.Exits(), SymbolAutomaton.Exits()]

  private var states: [Position: State] = [:]
  private(set) var start: State = dead

  init(_ route: RouteConditions, _ alphabet: Alphabet, _ budget: SearchBudget) {
    symbolCount = alphabet.count
    self.budget = budget
    transitions = Array(repeating: -1, count: 2 * symbolCount)
    conditions = ComponentCondition.all(of: route, alphabet)
    for component in [1, 0] {
      let next = conditions[component + 1]
      let distance = next.distance(next.start)
      distancesAfter[component] = distancesAfter[component + 1].flatMap { rest in
        distance.map { 1 + $0 + rest }
      }
      isFreeAfter[component] = isFreeAfter[component + 1] && next.isUnconditional(next.start)
    }
    start = state(at: Position(component: 0, progress: conditions[0].start))
  }

  @inline(__always)
  func next(_ state: State, _ symbol: Alphabet.Symbol) -> State {
    let known = transitions[state * symbolCount + symbol]
    return known >= 0 ? Int(known) : firstNext(state, symbol)
  }

  @inline(never)
  private func firstNext(_ state: State, _ symbol: Alphabet.Symbol) -> State {
    let next = positions[state].map { self.state(after: $0, symbol) } ?? Self.dead
    transitions[state * symbolCount + symbol] = Int32(next)
    return next
  }

  /// Whether every URL that continues the text read so far matches.
  func isUnconditional(_ state: State) -> Bool { isUnconditional[state] }

  /// An upper bound for the number of symbols until a URL matches; `nil` if none can.
  func distance(_ state: State) -> Int? { distances[state] }

  /// The symbols that lead on from a state, except the end.
  func exits(from state: State) -> SymbolAutomaton.Exits {
    if let known = exits[state] { return known }
    let new =
      positions[state].map { conditions[$0.component].exits(from: $0.progress) }
      ?? SymbolAutomaton.Exits()
    exits[state] = new
    return new
  }

  private func state(after position: Position, _ symbol: Alphabet.Symbol) -> State {
    budget.spend(2 + position.progress.size)
    let condition = conditions[position.component]
    if symbol != Alphabet.end {
      return condition.next(position.progress, symbol).map {
        state(at: Position(component: position.component, progress: $0))
      } ?? Self.dead
    }
    guard condition.isMet(position.progress) else { return Self.dead }
    let component = position.component + 1
    if component == conditions.count { return Self.accepted }
    return state(at: Position(component: component, progress: conditions[component].start))
  }

  private func state(at position: Position) -> State {
    if let known = states[position] { return known }
    let condition = conditions[position.component]
    // All positions from which nothing matches are one state.
    guard let own = condition.distance(position.progress),
      let rest = distancesAfter[position.component]
    else {
      states[position] = Self.dead
      return Self.dead
    }
    budget.spend(symbolCount / 2)
    budget.hold(4 * symbolCount + 8 * position.progress.size + 200)
    let state = positions.count
    states[position] = state
    positions.append(position)
    transitions += repeatElement(-1, count: symbolCount)
    distances.append(own + rest)
    isUnconditional.append(
      isFreeAfter[position.component] && condition.isUnconditional(position.progress))
    exits.append(nil)
    return state
  }
}
