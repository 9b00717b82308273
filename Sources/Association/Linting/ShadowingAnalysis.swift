/// Decides for each route of a document whether it ever decides about a URL.
final class ShadowingAnalysis {
  private static let budgetPerQuestion = 1_000_000
  static let budgetPerDocument = 14_000_000

  /// The routes of all entries. Everything below refers to a route by its index here.
  private let routes: [AppLinks.Route]
  private let analyzed: [AnalyzedRoute]
  /// The filters of the routes' prefixes, in one array because every route is compared with every
  /// other.
  private let filters: [PathPrefix.Filter]
  private let entries: [AppLinks.Entry]
  /// The routes of each entry.
  private let ranges: [Range<Int>]
  /// The apps of each entry, as numbers.
  private let apps: [[Int]]
  private let earlier: EarlierRoutes
  /// Whether each route is for older systems only.
  private let isForOlderSystems: [Bool]
  /// For each entry that was asked about, the later entries that have an app in common with it.
  private var sharing: [Int: [Int]] = [:]
  private let questions: RouteQuestions
  private let domain: String
  private var unspent: Int

  init(_ links: AppLinks, domain: String, budget: Int) {
    unspent = budget
    entries = links.entries
    self.domain = domain
    routes = entries.flatMap(\.routes)
    isForOlderSystems = entries.flatMap { entry in
      entry.routes.map { _ in entry.isForOlderSystems }
    }
    let analyzed = routes.enumerated().map { AnalyzedRoute($1, language: $0) }
    self.analyzed = analyzed
    filters = analyzed.map(\.prefix.filter)
    questions = RouteQuestions(domain: domain) { analyzed.map(\.conditions) }
    var ranges: [Range<Int>] = []
    for entry in entries {
      let start = ranges.last?.upperBound ?? 0
      ranges.append(start..<start + entry.routes.count)
    }
    self.ranges = ranges
    let numbers = Interning()
    apps = entries.map { $0.apps.map { numbers.number(of: Array($0.utf8)) } }
    earlier = EarlierRoutes(entries, ranges, apps: apps) { analyzed[$0].isUnconditional }
  }

  func result() -> [Shadowing.Route] {
    let verdicts = entries.indices.flatMap { self.verdicts(onEntry: $0) }
    return entries.indices.flatMap { entry in
      ranges[entry].map { route in
        let verdict = verdicts[route]
        let effect = self.effect(ofExclusion: route, inEntry: entry, verdicts)
        return Shadowing.Route(
          pointer: routes[route].pointer, verdict: verdict,
          example: verdict.example ?? (verdict.deciders.isEmpty ? nil : example(of: route)),
          isUnneededExclusion: effect.isUnneeded, hidden: effect.hidden)
      }
    }
  }

  // MARK: - Verdicts

  /// The number of pasts of an entry that are looked at.
  private static let mostPasts = 16

  /// The verdicts on the routes of an entry.
  private func verdicts(onEntry entry: Int) -> [Shadowing.Verdict] {
    let pasts = earlier.pasts[entry].prefix(Self.mostPasts).map { past in
      let ranges = unspent > 0 ? earlier.routes(of: past) : []
      unspent -= ranges.count / 4
      return (ranges: ranges, decider: earlier.decider(in: past))
    }
    let isComplete = pasts.count == earlier.pasts[entry].count
    let own = ranges[entry]
    let decider = own.first { analyzed[$0].isUnconditional }
    return own.map { route in
      var verdicts: [Shadowing.Verdict] = isComplete ? [] : [.notDecided(.tooComplex)]
      for past in pasts {
        let decider = past.decider ?? decider.flatMap { $0 < route ? $0 : nil }
        let verdict =
          if let decider {
            verdict(on: route, behind: decider, after: past.ranges + [own.lowerBound..<route])
          } else {
            verdict(on: route, after: past.ranges + [own.lowerBound..<route])
          }
        if verdict.isDeciding || verdict == .matchesNothing { return verdict }
        verdicts.append(verdict)
      }
      return joined(verdicts)
    }
  }

  /// The verdict on a route that decides for no app, given the verdicts for all pasts.
  private func joined(_ verdicts: [Shadowing.Verdict]) -> Shadowing.Verdict {
    if verdicts.count == 1 { return verdicts[0] }
    if let undecided = verdicts.first(where: \.deciders.isEmpty) { return undecided }
    let deciders = verdicts.flatMap(\.deciders).uniqued()
    if deciders.count == 1, verdicts.contains(.repeats(deciders[0])) { return verdicts[0] }
    return .shadowed(by: deciders)
  }

  /// How many routes before one that matches every URL are looked at.
  private static let mostBefore = 200

  /// The verdict on a route after one that matches every URL.
  private func verdict(
    on route: Int, behind decider: Int, after earlier: [Range<Int>]
  ) -> Shadowing.Verdict {
    if analyzed[route].isUnconditional { return .repeats(routes[decider].pointer) }
    if routes[decider].isExclusion == routes[route].isExclusion,
      let verdict = shadowed(route, theOtherWayBy: earlier.joined().lazy.filter { $0 < decider })
    {
      return verdict
    }
    if analyzed[route].sample != nil { return .shadowed(by: [routes[decider].pointer]) }
    switch urlMissed(by: [], of: route) {
    case .found: return .shadowed(by: [routes[decider].pointer])
    case .none: return .matchesNothing
    case .undecided: return .notDecided(.tooComplex)
    }
  }

  private func verdict(on route: Int, after earlier: [Range<Int>]) -> Shadowing.Verdict {
    // Filtering the earlier routes takes time, too.
    unspent -= 1 + earlier.reduce(0) { $0 + $1.count } / 2
    if unspent <= 0 { return .notDecided(.tooComplex) }
    if let sample = analyzed[route].sample, !isMatched(sample, byAnyOf: earlier) {
      return .decides(example: url(sample))
    }
    let near = earlier.flatMap { self.near(route, $0) }
    let comparable = near.filter { analyzed[$0].isComparable(with: analyzed[route]) }
    switch urlMissed(by: comparable, of: route) {
    case .found(let url):
      if comparable.count == near.count { return .decides(example: url) }
      return verdictWithoutEscapes(on: route, after: near)
    case .none(let covering, let always):
      if !covering.isEmpty, let verdict = shadowed(route, theOtherWayBy: comparable) {
        return verdict
      }
      return shadowed(route, by: covering.sorted(), or: always.subtracting(covering).sorted())
    case .undecided: return .notDecided(.tooComplex)
    }
  }

  private func url(_ sample: SamplePath) -> String { "https://\(domain)\(sample.text)" }

  /// A URL that the route matches.
  private func example(of route: Int) -> String? {
    if let sample = analyzed[route].sample { return url(sample) }
    if case .found(let url) = urlMissed(by: [], of: route) { return url }
    return nil
  }

  private func isMatched(_ sample: SamplePath, byAnyOf routes: [Range<Int>]) -> Bool {
    let filter = sample.filter
    return routes.contains { range in
      range.contains { filter.mayMeet(filters[$0]) && sample.mayMatch(analyzed[$0].prefix) }
    }
  }

  /// The verdict on a route among routes that read URLs differently: they agree at least on URLs
  /// without percent-encoding.
  private func verdictWithoutEscapes(on route: Int, after earlier: [Int]) -> Shadowing.Verdict {
    switch urlMissed(by: earlier, of: route, reading: .unescaped) {
    case .found(let url): .decides(example: url)
    case .none: .notDecided(.mixedPercentEncoding)
    case .undecided: .notDecided(.tooComplex)
    }
  }

  /// The verdict on a route whose URLs are all matched by the routes `covering` together, and
  /// possibly by a single route.
  private func shadowed(
    _ route: Int, by covering: [Int], or others: [Int]
  ) -> Shadowing.Verdict {
    if covering.isEmpty { return .matchesNothing }
    if let single = (covering + others).first(where: { isCovered(route, by: [$0]) }) {
      let pointer = routes[single].pointer
      return isCovered(single, by: [route]) ? .repeats(pointer) : .shadowed(by: [pointer])
    }
    var needed = covering
    for candidate in covering.reversed() {
      let rest = needed.filter { $0 != candidate }
      if isCovered(route, by: rest) { needed = rest }
    }
    return .shadowed(by: needed.map { routes[$0].pointer })
  }

  /// The verdict if an earlier route decides all URLs of a route in the other way: its author should know that, whatever
  /// else matches them.
  private func shadowed(
    _ route: Int, theOtherWayBy earlier: some Sequence<Int>
  ) -> Shadowing.Verdict? {
    guard let sample = analyzed[route].sample else { return nil }
    let other = earlier.prefix(Self.mostBefore).first {
      routes[$0].isExclusion != routes[route].isExclusion
        && isMatched(sample, byAnyOf: [$0..<$0 + 1]) && isCovered(route, by: [$0])
    }
    guard let other else { return nil }
    let pointer = routes[other].pointer
    return isCovered(other, by: [route]) ? .repeats(pointer) : .shadowed(by: [pointer])
  }

  /// Whether the others are known to match every URL that the route matches.
  private func isCovered(_ route: Int, by others: [Int]) -> Bool {
    if case .none = urlMissed(by: others, of: route) { true } else { false }
  }

  /// A URL that a route matches and none of the others does.
  private func urlMissed(
    by others: [Int], of route: Int, reading: Alphabet.Reading? = nil
  ) -> RouteQuestions.Answer {
    let near = near(route, others)
    let question = RouteQuestions.Question(
      focus: analyzed[route], blockers: near.map { analyzed[$0] })
    let answer = answer(question, reading)
    guard case .none(let covering, let always) = answer else { return answer }
    return .none(
      covering: Set(covering.map { near[$0] }), always: Set(always.map { near[$0] }))
  }

  // MARK: - Exclusions

  /// What an exclusion that decides about some URLs does to the later routes of its apps.
  private func effect(
    ofExclusion route: Int, inEntry entry: Int, _ verdicts: [Shadowing.Verdict]
  ) -> (isUnneeded: Bool, hidden: Shadowing.Hidden?) {
    guard routes[route].isExclusion, verdicts[route].isDeciding,
      let later = matches(after: route, inEntry: entry)
    else { return (false, nil) }
    if isUnneeded(route, before: later) { return (true, nil) }
    return (false, hidden(by: route, inEntry: entry, later, verdicts))
  }

  /// Whether the later routes are known to match none of the URLs that the exclusion matches.
  private func isUnneeded(_ exclusion: Int, before later: [Int]) -> Bool {
    let focus = analyzed[exclusion]
    guard later.allSatisfy({ analyzed[$0].isComparable(with: focus) }) else { return false }
    let near = near(exclusion, later)
    if near.isEmpty { return true }
    let question = RouteQuestions.Question(
      focus: focus, rivals: near.map { (analyzed[$0], false) }, agreesOtherwise: true)
    if case .none = answer(question) { return true }
    return false
  }

  /// The later routes, if the exclusion is known to match all URLs of each.
  private func hidden(
    by exclusion: Int, inEntry entry: Int, _ later: [Int], _ verdicts: [Shadowing.Verdict]
  ) -> Shadowing.Hidden? {
    var concerned = later.filter { verdicts[$0] != .matchesNothing }
    if !isForOlderSystems[exclusion] {
      let newer = concerned.filter { !isForOlderSystems[$0] }
      // Behind routes that open the app, such an exclusion keeps newer systems from using an entry
      // for older ones.
      if !newer.isEmpty || opensEarlier(exclusion, inEntry: entry) { concerned = newer }
    }
    guard let first = concerned.first else { return nil }
    for route in concerned {
      if let sample = analyzed[route].sample,
        !isMatched(sample, byAnyOf: [exclusion..<exclusion + 1])
      {
        return nil
      }
      guard analyzed[exclusion].isComparable(with: analyzed[route]),
        isCovered(route, by: [exclusion])
      else { return nil }
    }
    return Shadowing.Hidden(
      first: routes[first].pointer, count: concerned.count, example: example(of: first))
  }

  /// Whether a route before this one opens URLs in an app of its entry.
  private func opensEarlier(_ route: Int, inEntry entry: Int) -> Bool {
    let pasts = earlier.pasts[entry].prefix(Self.mostPasts)
    let before = pasts.flatMap(earlier.routes) + [ranges[entry].lowerBound..<route]
    unspent -= before.reduce(0) { $0 + 1 + $1.count / 4 }
    return before.contains { $0.contains { !routes[$0].isExclusion } }
  }

  /// The routes after one that open URLs in an app of its entry; `nil` if finding them takes too
  /// long.
  private func matches(after route: Int, inEntry index: Int) -> [Int]? {
    unspent -= 10 * (entries.count - index) + (routes.count - route) / 4
    if unspent <= 0 { return nil }
    let later = sharing[index] ?? laterEntries(sharingAppsOf: index)
    sharing[index] = later
    return (Array(route + 1..<ranges[index].upperBound) + later.flatMap { Array(ranges[$0]) })
      .filter { !routes[$0].isExclusion }
  }

  private func laterEntries(sharingAppsOf index: Int) -> [Int] {
    let own = Set(apps[index])
    return (index + 1..<entries.count).filter { other in
      unspent -= apps[other].count
      return apps[other].contains(where: own.contains)
    }
  }

  // MARK: - Searches

  /// The routes among the others that may match a URL of the route.
  private func near(_ route: Int, _ others: some Collection<Int>) -> [Int] {
    let (filter, prefix) = (filters[route], analyzed[route].prefix)
    let near = others.filter {
      filter.mayMeet(filters[$0]) && prefix.mayMeet(analyzed[$0].prefix)
    }
    unspent -= others.count / 4 + 4 * near.count
    return near
  }

  private func answer(
    _ question: RouteQuestions.Question, _ reading: Alphabet.Reading? = nil
  ) -> RouteQuestions.Answer {
    questions.budget.spending(atMost: Self.budgetPerQuestion, from: &unspent) {
      questions.answer(question, reading: reading)
    }
  }
}

extension Shadowing.Verdict {
  fileprivate var isDeciding: Bool { example != nil }

  /// A URL that the route decides about.
  fileprivate var example: String? {
    if case .decides(let example) = self { example } else { nil }
  }

  /// The earlier routes that decide instead.
  fileprivate var deciders: [JSONPointer] {
    switch self {
    case .shadowed(let others): others
    case .repeats(let other): [other]
    case .decides, .matchesNothing, .notDecided: []
    }
  }
}
