/// How much work searches may still do, in steps of some ten nanoseconds.
///
/// Some questions about patterns have no fast answer. A search stops when the budget is spent, so
/// that no file makes the server slow.
final class SearchBudget {
  private var remaining = 0

  var isSpent: Bool { remaining <= 0 }

  func spend(_ steps: Int) { remaining -= steps }

  /// Runs searches that together spend about `limit` at most, and no more than the pool has.
  func spending<Result>(
    atMost limit: Int, from pool: inout Int, _ searches: () -> Result
  ) -> Result {
    let granted = max(0, min(pool, limit))
    remaining = granted
    let result = searches()
    pool -= granted - max(0, remaining)
    return result
  }
}

/// A route with its automata, which are built when a search first needs them.
final class AnalyzedRoute {
  let conditions: RouteConditions
  let prefix: PathPrefix
  /// Two routes with the same number match the same URLs; routes with different numbers may, too.
  let language: Int
  /// A path that the route certainly matches, if one can be told without a search.
  private(set) lazy var sample = SamplePath(conditions)
  /// Whether the route matches every URL, however it is compared.
  private lazy var isUnconditional = conditions.isUnconditional
  /// One place per `Alphabet.Reading`.
  fileprivate var machines: [RouteMachine?] = [nil, nil, nil]

  init(_ route: AppLinks.Route, language: Int) {
    conditions = RouteConditions(route)
    prefix = PathPrefix(conditions)
    self.language = language
  }

  /// Whether this route compares URLs as the other does, or matches all of them.
  func isComparable(with other: AnalyzedRoute) -> Bool {
    conditions.reading == other.conditions.reading || isUnconditional
  }
}

/// Answers questions about routes with URLs.
final class RouteQuestions {
  typealias Question = WitnessQuestion<AnalyzedRoute>

  enum Answer {
    /// This URL answers the question.
    case found(url: String)
    /// No URL does; as in `WitnessSearch.Outcome`.
    case none(covering: Set<Int>, always: Set<Int>)
    /// The budget was too small, or the automata would be too large.
    case undecided
  }

  /// How many states all automata over one alphabet may have.
  private static let maximumSize = 3_000_000

  let budget = SearchBudget()
  private let domain: String
  private let routes: () -> [RouteConditions]
  private var alphabets: [Alphabet.Reading: Alphabet] = [:]
  private var sizes: [Alphabet.Reading: Int] = [:]

  /// - Parameter routes: The conditions of all routes that questions will be about.
  init(domain: String, routes: @escaping () -> [RouteConditions]) {
    self.domain = domain
    self.routes = routes
  }

  /// Looks for a URL that answers the question.
  ///
  /// - Parameter reading: What routes read; without it, what the focus reads.
  func answer(_ question: Question, reading: Alphabet.Reading? = nil) -> Answer {
    let reading = reading ?? question.focus.conditions.reading
    let alphabet = alphabet(reading)
    var machines: [RouteMachine] = []
    for route in question.routes {
      guard !budget.isSpent, let machine = machine(of: route, alphabet) else { return .undecided }
      machines.append(machine)
    }
    let others = machines.dropFirst()
    let rivals = zip(others.dropFirst(question.blockers.count), question.rivals)
    var search = WitnessSearch(
      WitnessQuestion(
        focus: machines[0], blockers: Array(others.prefix(question.blockers.count)),
        rivals: rivals.map { ($0, $1.agrees) }, agreesOtherwise: question.agreesOtherwise),
      alphabet, budget)
    return switch search.run() {
    case .found(let word): .found(url: alphabet.url(word, domain: domain))
    case .none(let covering, let always): .none(covering: covering, always: always)
    case .undecided: .undecided
    }
  }

  private func alphabet(_ reading: Alphabet.Reading) -> Alphabet {
    if let known = alphabets[reading] { return known }
    let new = Alphabet(reading, routes())
    alphabets[reading] = new
    return new
  }

  /// The automaton of a route; `nil` if all together would be too large.
  private func machine(of route: AnalyzedRoute, _ alphabet: Alphabet) -> RouteMachine? {
    if let known = route.machines[alphabet.reading.rawValue] { return known }
    let size = sizes[alphabet.reading, default: 0] + route.conditions.size
    sizes[alphabet.reading] = size
    if size > Self.maximumSize { return nil }
    let new = RouteMachine(route.conditions, alphabet, budget)
    route.machines[alphabet.reading.rawValue] = new
    return new
  }
}
