import JSONValue

/// Finds out what becomes of each route of a document.
final class ShadowingExamination {
  /// What a question about one route, and what all questions together may cost.
  private static let effortPerQuestion = 400_000
  private static let effortPerDocument = 8_000_000

  private let entries: [AppLinks.Entry]
  private let domain: String
  private var machines: [Alphabet.Reading: Machines] = [:]
  private var effort = effortPerDocument

  /// The machines of all routes over one alphabet, built when they are first asked for.
  private final class Machines {
    let alphabet: Alphabet
    private var built: [JSONPointer: RouteMachine] = [:]

    init(_ reading: Alphabet.Reading, _ entries: [AppLinks.Entry]) {
      alphabet = Alphabet(reading, routes: entries.lazy.flatMap(\.routes))
    }

    func machine(of route: AppLinks.Route) -> RouteMachine {
      if let machine = built[route.pointer] { return machine }
      let machine = RouteMachine(route, alphabet)
      built[route.pointer] = machine
      return machine
    }
  }

  init(_ links: AppLinks, domain: String) {
    entries = links.entries
    self.domain = domain
  }

  /// The routes of an entry with their verdicts.
  func routes(ofEntry index: Int) -> [Shadowing.Route] {
    let entry = entries[index]
    return entry.routes.indices.map { position in
      let route = entry.routes[position]
      let verdict = verdict(on: route, after: entry.routes[..<position])
      return Shadowing.Route(
        pointer: route.pointer, verdict: verdict,
        isUnneededExclusion: route.isExclusion && verdict.isDeciding
          && isUnneeded(route, before: matches(after: position, inEntry: index)))
    }
  }

  // MARK: - Verdicts

  private func verdict(
    on route: AppLinks.Route, after earlier: ArraySlice<AppLinks.Route>
  ) -> Shadowing.Verdict {
    let comparable = earlier.filter(route.isComparable)
    switch search(route, .missedByAll, comparable, route.reading) {
    case .found(let word):
      if comparable.count == earlier.count { return .decides(example: url(word, route.reading)) }
      return verdictWithoutEscapes(on: route, after: Array(earlier))
    case .none(let because, let always):
      return shadowed(route, by: because, or: always, of: comparable)
    case .undecided: return .notDecided(.tooComplex)
    }
  }

  /// The verdict on a route beside others that read URLs differently: they agree at least on those
  /// without an escape.
  private func verdictWithoutEscapes(
    on route: AppLinks.Route, after earlier: [AppLinks.Route]
  ) -> Shadowing.Verdict {
    switch search(route, .missedByAll, earlier, .unescaped) {
    case .found(let word): .decides(example: url(word, .unescaped))
    case .none: .notDecided(.mixedPercentEncoding)
    case .undecided: .notDecided(.tooComplex)
    }
  }

  /// The verdict on a route all of whose URLs are matched by the routes `because`, which are as few
  /// as the search saw.
  private func shadowed(
    _ route: AppLinks.Route, by because: Set<Int>, or always: Set<Int>,
    of earlier: [AppLinks.Route]
  ) -> Shadowing.Verdict {
    if because.isEmpty { return .matchesNothing }
    let candidates = because.sorted() + always.subtracting(because).sorted()
    if let index = candidates.first(where: { isCovered(route, by: [earlier[$0]]) }) {
      let single = earlier[index]
      return isCovered(single, by: [route])
        ? .repeats(single.pointer) : .shadowed(by: [single.pointer])
    }
    var needed = because.sorted()
    for index in because.sorted().reversed() {
      let others = needed.filter { $0 != index }
      if isCovered(route, by: others.map { earlier[$0] }) { needed = others }
    }
    return .shadowed(by: needed.map { earlier[$0].pointer })
  }

  /// Whether others surely match every URL that the route matches.
  private func isCovered(_ route: AppLinks.Route, by others: [AppLinks.Route]) -> Bool {
    if case .none = search(route, .missedByAll, others, route.reading) { true } else { false }
  }

  // MARK: - Exclusions

  /// The routes after one that would open a URL in an app of its entry.
  private func matches(after position: Int, inEntry index: Int) -> [AppLinks.Route] {
    let entry = entries[index]
    let apps = Set(entry.apps.map { Array($0.utf8) })
    let later = entries[(index + 1)...].filter { later in
      later.apps.contains { apps.contains(Array($0.utf8)) }
    }
    return (entry.routes[(position + 1)...] + later.flatMap(\.routes)).filter { !$0.isExclusion }
  }

  /// Whether surely none of the later routes matches what the exclusion does.
  private func isUnneeded(_ exclusion: AppLinks.Route, before later: [AppLinks.Route]) -> Bool {
    guard later.allSatisfy(exclusion.isComparable) else { return false }
    if case .none = search(exclusion, .matchedByAny, later, exclusion.reading) { return true }
    return false
  }

  // MARK: - Searches

  private func search(
    _ route: AppLinks.Route, _ relation: WitnessSearch.Relation, _ others: [AppLinks.Route],
    _ reading: Alphabet.Reading
  ) -> WitnessSearch.Outcome {
    let machines = machines(reading)
    let limit = min(effort, Self.effortPerQuestion)
    let spent = Effort(limit)
    for route in [route] + others { machines.machine(of: route).effort = spent }
    defer { effort -= limit - max(0, spent.remaining) }
    return WitnessSearch.run(
      machines.alphabet, machines.machine(of: route), relation,
      others.map(machines.machine(of:)), spent)
  }

  private func machines(_ reading: Alphabet.Reading) -> Machines {
    if let known = machines[reading] { return known }
    let new = Machines(reading, entries)
    machines[reading] = new
    return new
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

extension AppLinks.Route {
  /// What the route compares its patterns with.
  fileprivate var reading: Alphabet.Reading { isPercentEncoded ? .written : .decoded }

  /// Whether the other route reads URLs in the same way, or matches all of them.
  fileprivate func isComparable(_ other: AppLinks.Route) -> Bool {
    if other.isPercentEncoded == isPercentEncoded { return true }
    return other.patterns.allSatisfy(\.isStar)
  }
}
