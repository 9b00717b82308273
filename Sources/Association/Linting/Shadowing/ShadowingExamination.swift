/// Finds out what becomes of each route of a document.
final class ShadowingExamination {
  /// What a question about one route, and what all questions together may cost.
  private static let effortPerQuestion = 1_000_000
  static let effortPerDocument = 14_000_000
  /// How many nodes the graphs of all patterns over one alphabet may have.
  private static let maximumSize = 3_000_000

  /// The routes of all entries; a route is named by its place here.
  private let routes: [AppLinks.Route]
  /// The entries, and where the routes of each are.
  private let entries: [AppLinks.Entry]
  private let places: [Range<Int>]
  private let prefixes: [PathPrefix]
  private let samples: [SamplePath?]
  /// What each route compares its patterns with.
  private let readings: [Alphabet.Reading]
  /// Whether a route matches everything, however it is compared.
  private let isFree: [Bool]
  private let domain: String
  private var machines: [Alphabet.Reading: Machines] = [:]
  private let effort = Effort()
  private var unspent: Int

  /// The machines of all routes over one alphabet, built when they are first asked for.
  private final class Machines {
    let alphabet: Alphabet
    private var built: [RouteMachine?]
    private let routes: [AppLinks.Route]
    private let effort: Effort
    private var size = 0

    init(_ reading: Alphabet.Reading, _ routes: [AppLinks.Route], _ effort: Effort) {
      alphabet = Alphabet(reading, routes: routes)
      built = Array(repeating: nil, count: routes.count)
      self.routes = routes
      self.effort = effort
    }

    /// The machines of some routes; `nil` if all together would be too large.
    func machines(_ indices: [Int]) -> [RouteMachine]? {
      var machines: [RouteMachine] = []
      for index in indices {
        guard let machine = machine(index) else { return nil }
        machines.append(machine)
      }
      return machines
    }

    /// The machine of a route; `nil` if all together would be too large.
    func machine(_ index: Int) -> RouteMachine? {
      if let machine = built[index] { return machine }
      guard size <= ShadowingExamination.maximumSize else { return nil }
      size += routes[index].patterns.reduce(0) { $0 + $1.size }
      guard size <= ShadowingExamination.maximumSize else { return nil }
      let machine = RouteMachine(routes[index], alphabet, effort)
      built[index] = machine
      return machine
    }
  }

  init(_ links: AppLinks, domain: String, effort limit: Int) {
    unspent = limit
    entries = links.entries
    self.domain = domain
    routes = entries.flatMap(\.routes)
    prefixes = routes.map { PathPrefix($0.path) }
    samples = routes.map(SamplePath.init)
    readings = routes.map { $0.isPercentEncoded ? .written : .decoded }
    isFree = routes.map { $0.patterns.allSatisfy(\.isStar) }
    var places: [Range<Int>] = []
    for entry in entries {
      let start = places.last?.upperBound ?? 0
      places.append(start..<start + entry.routes.count)
    }
    self.places = places
  }

  /// All routes with their verdicts.
  func examined() -> [Shadowing.Route] {
    entries.indices.flatMap { entry in
      places[entry].map { index in
        let verdict = verdict(on: index, after: Array(places[entry].lowerBound..<index))
        return Shadowing.Route(
          pointer: routes[index].pointer, verdict: verdict,
          isUnneededExclusion: routes[index].isExclusion && verdict.isDeciding
            && isUnneeded(index, inEntry: entry))
      }
    }
  }

  // MARK: - Verdicts

  private func verdict(on route: Int, after earlier: [Int]) -> Shadowing.Verdict {
    // Looking at the earlier routes takes time, too.
    unspent -= earlier.count / 2
    if unspent <= 0 { return .notDecided(.tooComplex) }
    if let sample = samples[route], !earlier.contains(where: { sample.mayMatch(prefixes[$0]) }) {
      return .decides(example: "https://\(domain)\(sample.text)")
    }
    let comparable = earlier.filter { isComparable($0, with: route) }
    switch search(route, .missedByAll, comparable) {
    case .found(let word):
      if comparable.count == earlier.count { return .decides(example: url(word, readings[route])) }
      return verdictWithoutEscapes(on: route, after: earlier)
    case .none(let because, let always):
      return shadowed(route, by: because.sorted(), or: always.subtracting(because).sorted())
    case .undecided: return .notDecided(.tooComplex)
    }
  }

  /// The verdict on a route beside others that read URLs differently: they agree at least on those
  /// without an escape.
  private func verdictWithoutEscapes(on route: Int, after earlier: [Int]) -> Shadowing.Verdict {
    switch search(route, .missedByAll, earlier, .unescaped) {
    case .found(let word): .decides(example: url(word, .unescaped))
    case .none: .notDecided(.mixedPercentEncoding)
    case .undecided: .notDecided(.tooComplex)
    }
  }

  /// The verdict on a route all of whose URLs are matched by the routes `because` together, and
  /// perhaps by one of them or of some others alone.
  private func shadowed(
    _ route: Int, by because: [Int], or others: [Int]
  ) -> Shadowing.Verdict {
    if because.isEmpty { return .matchesNothing }
    if let single = (because + others).first(where: { isCovered(route, by: [$0]) }) {
      let pointer = routes[single].pointer
      return isCovered(single, by: [route]) ? .repeats(pointer) : .shadowed(by: [pointer])
    }
    var needed = because
    for candidate in because.reversed() {
      let rest = needed.filter { $0 != candidate }
      if isCovered(route, by: rest) { needed = rest }
    }
    return .shadowed(by: needed.map { routes[$0].pointer })
  }

  /// Whether others surely match every URL that the route matches.
  private func isCovered(_ route: Int, by others: [Int]) -> Bool {
    if case .none = search(route, .missedByAll, others) { true } else { false }
  }

  // MARK: - Exclusions

  /// The routes after one that would open a URL in an app of its entry.
  private func matches(after route: Int, inEntry index: Int) -> [Int] {
    let apps = Set(entries[index].apps.map { Array($0.utf8) })
    let later = entries.indices.filter { other in
      other > index && entries[other].apps.contains { apps.contains(Array($0.utf8)) }
    }
    return (Array(route + 1..<places[index].upperBound) + later.flatMap { Array(places[$0]) })
      .filter { !routes[$0].isExclusion }
  }

  /// Whether surely none of the later routes matches what the exclusion does.
  private func isUnneeded(_ exclusion: Int, inEntry entry: Int) -> Bool {
    unspent -= 10 * (entries.count - entry) + (routes.count - exclusion) / 4
    if unspent <= 0 { return false }
    let later = matches(after: exclusion, inEntry: entry)
    guard later.allSatisfy({ isComparable($0, with: exclusion) }) else { return false }
    if case .none = search(exclusion, .matchedByAny, later) { return true }
    return false
  }

  // MARK: - Searches

  private func search(
    _ route: Int, _ relation: WitnessSearch.Relation, _ others: [Int],
    _ reading: Alphabet.Reading? = nil
  ) -> WitnessSearch.Outcome {
    unspent -= others.count / 4
    let near = others.filter { prefixes[$0].mayMeet(prefixes[route]) }
    if near.isEmpty, case .matchedByAny = relation { return .none(because: [], always: []) }
    let machines = machines(reading ?? readings[route])
    let limit = max(0, min(unspent, Self.effortPerQuestion))
    effort.remaining = limit
    defer { unspent -= limit - max(0, effort.remaining) }
    guard let machine = machines.machine(route), let others = machines.machines(near) else {
      return .undecided
    }
    let outcome = WitnessSearch.run(machines.alphabet, machine, relation, others, effort)
    guard case .none(let because, let always) = outcome else { return outcome }
    return .none(because: Set(because.map { near[$0] }), always: Set(always.map { near[$0] }))
  }

  private func machines(_ reading: Alphabet.Reading) -> Machines {
    if let known = machines[reading] { return known }
    let new = Machines(reading, routes, effort)
    machines[reading] = new
    return new
  }

  /// Whether the other route reads URLs in the same way, or matches all of them.
  private func isComparable(_ other: Int, with route: Int) -> Bool {
    readings[other] == readings[route] || isFree[other]
  }

  /// The URL that a word stands for.
  private func url(_ word: [Alphabet.Symbol], _ reading: Alphabet.Reading) -> String {
    let alphabet = machines(reading).alphabet
    var components = ["", "", ""]
    var component = Alphabet.Component.path
    for symbol in word {
      if symbol == Alphabet.end {
        component = Alphabet.Component(rawValue: component.rawValue + 1) ?? .fragment
      } else {
        components[component.rawValue] += alphabet.text(of: symbol, in: component)
      }
    }
    let query = components[1].isEmpty ? "" : "?" + components[1]
    let fragment = components[2].isEmpty ? "" : "#" + components[2]
    return "https://\(domain)\(components[0])\(query)\(fragment)"
  }
}

extension Shadowing.Verdict {
  fileprivate var isDeciding: Bool {
    if case .decides = self { true } else { false }
  }
}

extension Pattern {
  /// At most how many nodes the pattern's graph has.
  fileprivate var size: Int { Self.size(tokens) }

  private static func size(_ tokens: [Token]) -> Int {
    tokens.reduce(1) { size, token in
      switch token {
      case .literal(let text): size + text.count
      case .values(let variable): size + variable.values.reduce(1) { $0 + Self.size($1) }
      case .anyOne, .anyRun, .one, .nothing: size + 1
      }
    }
  }
}
