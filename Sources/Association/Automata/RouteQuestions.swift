/// How much work searches may still do, in steps of roughly ten nanoseconds.
///
/// Some questions about patterns are inherently slow to answer. A search stops when its budget is
/// spent, so that no file can slow down the server.
final class SearchBudget {
  private var remaining = 0
  /// Roughly how many bytes the automata take that were built so far.
  fileprivate(set) var heldBytes = 0

  var isSpent: Bool { remaining <= 0 }

  func spend(_ steps: Int) { remaining -= steps }

  func hold(_ bytes: Int) { heldBytes += bytes }

  /// Runs searches that together spend at most about `limit`, and no more than the pool has left.
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
  /// A path that the route is known to match, if one can be found without a search.
  private(set) lazy var sample = SamplePath(conditions)
  /// Whether the route matches every URL, in all ways to compare URLs.
  private(set) lazy var isUnconditional = conditions.isUnconditional
  /// One element per `Alphabet.Reading`.
  fileprivate var machines: [RouteMachine?] = AnalyzedRoute.noMachines
  fileprivate static var noMachines: [RouteMachine?] { Alphabet.Reading.allCases.map { _ in nil } }

  convenience init(_ route: AppLinks.Route, language: Int) {
    self.init(RouteConditions(route), language: language)
  }

  init(_ conditions: RouteConditions, language: Int) {
    self.conditions = conditions
    prefix = PathPrefix(conditions)
    self.language = language
  }

  /// Whether this route compares URLs in the same way as the other, or matches every URL.
  func isComparable(with other: AnalyzedRoute) -> Bool {
    conditions.reading == other.conditions.reading || isUnconditional
  }
}

/// Answers questions about routes with URLs.
final class RouteQuestions {
  typealias Question = WitnessQuestion<AnalyzedRoute>

  enum Answer {
    case found(url: String)
    /// No URL answers it; as in `WitnessSearch.Outcome`.
    case none(covering: Set<Int>, always: Set<Int>)
    /// The budget was too small, or the automata would be too large.
    case undecided
  }

  /// The maximum number of states of all automata over one alphabet.
  private static let maximumSize = 3_000_000
  /// The maximum size of the automata that are kept for further questions, in bytes.
  private static let maximumHeldBytes = 16_000_000

  let budget = SearchBudget()
  private let domain: String
  private let routes: () -> [RouteConditions]
  private var alphabets: [Alphabet.Reading: Alphabet] = [:]
  private var sizes: [Alphabet.Reading: Int] = [:]
  private var built: [AnalyzedRoute] = []

  /// - Parameter routes: The conditions of all routes that questions may involve.
  init(domain: String, routes: @escaping () -> [RouteConditions]) {
    self.domain = domain
    self.routes = routes
  }

  /// Looks for a URL that answers the question.
  ///
  /// - Parameter reading: How routes read URLs. Default: as the focus does.
  func answer(_ question: Question, reading: Alphabet.Reading? = nil) -> Answer {
    let reading = reading ?? question.focus.conditions.reading
    let alphabet = alphabet(reading)
    forgetLargeMachines()
    guard let focus = machine(of: question.focus, alphabet) else { return .undecided }
    if focus.start == RouteMachine.dead { return .none(covering: [], always: []) }
    budget.spend(8 * (question.blockers.count + question.rivals.count))
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

  /// The automaton of a route; `nil` if all automata together would be too large.
  private func machine(of route: AnalyzedRoute, _ alphabet: Alphabet) -> RouteMachine? {
    if let known = route.machines[alphabet.reading.rawValue] { return known }
    let size = sizes[alphabet.reading, default: 0] + route.conditions.size
    sizes[alphabet.reading] = size
    if size > Self.maximumSize { return nil }
    let new = RouteMachine(route.conditions, alphabet, budget)
    route.machines[alphabet.reading.rawValue] = new
    built.append(route)
    return new
  }

  /// Drops the automata if they take much memory. They are only kept to answer faster.
  private func forgetLargeMachines() {
    if budget.heldBytes <= Self.maximumHeldBytes { return }
    for route in built { route.machines = AnalyzedRoute.noMachines }
    built = []
    sizes = [:]
    budget.heldBytes = 0
  }
}
