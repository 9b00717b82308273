extension Inspection {
  /// Reports routes that never decide. Runs last, to leave out routes that already have a finding.
  mutating func inspectShadowing(domain: String) {
    let shadowing = Shadowing(links, domain: domain)
    lazy var places = Dictionary(
      links.entries.enumerated().flatMap { index, entry in
        entry.routes.map { ($0.pointer, RoutePlace(entry: index, route: $0)) }
      }, uniquingKeysWith: { $1 })
    var unmatchable: Set<JSONPointer>?
    var undecided: [(entry: JSONPointer, route: Shadowing.Route)] = []
    var twins: [[Int]: AppLinks.Entry.Likeness] = [:]
    /// Whether a route repeats an entry for older systems: so both get the same routes.
    func isTwin(_ pointer: JSONPointer, _ deciders: [JSONPointer]) -> Bool {
      guard let own = places[pointer] else { return false }
      let others = Set(deciders.compactMap { places[$0]?.entry }).subtracting([own.entry])
      let haveSameEffect = deciders.allSatisfy {
        places[$0]?.route.isExclusion == own.route.isExclusion
      }
      return !others.isEmpty
        && others.allSatisfy { other in
          let likeness =
            twins[[own.entry, other]] ?? links.entries[own.entry].likeness(to: links.entries[other])
          twins[[own.entry, other]] = likeness
          return likeness == .same || likeness == .sameInOtherOrder && haveSameEffect
        }
    }
    let excludingApps = links.appsThatOnlyExclude
    for (entry, routes) in zip(links.entries, shadowing.routes(by: links)) {
      let onlyExcludes = !entry.apps.isEmpty && entry.apps.allSatisfy(excludingApps.contains)
      if onlyExcludes, let last = entry.routes.last { addExclusionsOnly(last) }
      for route in routes {
        switch route.verdict {
        case .decides: break
        // To remove one of the others would be wrong once their conditions are read.
        case .repeats(let other) where misreadRoutes.contains(other): break
        case .shadowed(let others) where others.contains(where: misreadRoutes.contains): break
        case .matchesNothing:
          let known = unmatchable ?? self.unmatchable
          unmatchable = known
          if !known.contains(route.pointer) { addNeverMatches(route) }
        case .repeats(let other) where isTwin(route.pointer, [other]):
          addRepeated(route, places, entry)
        case .shadowed(let others) where isTwin(route.pointer, others):
          addRepeated(route, places, entry)
        case .repeats(let other):
          addShadowed(Shadowed(route, by: [other], places, links.entries), .duplicateRoute)
        case .shadowed(let others):
          addShadowed(Shadowed(route, by: others, places, links.entries), .shadowedRoute)
        case .notDecided: undecided.append((entry.pointer, route))
        }
        if route.isUnneededExclusion && !onlyExcludes { addUnneeded(route) }
        if let hidden = route.hidden { addHiding(route, hidden, places[route.pointer]?.route) }
      }
    }
    addNotDecided(undecided)
  }

  private mutating func addNeverMatches(_ route: Shadowing.Route) {
    add(
      .neverMatches, at: route.pointer,
      "No URL can meet all conditions of this route, so it never decides.",
      help:
        "Test the conditions with a URL that should match. The path is compared without query and"
        + " fragment, and each pattern must cover its whole component.")
  }

  /// The routes with a finding that already explains why they never match.
  private var unmatchable: Set<JSONPointer> {
    let routes = links.entries.lazy.flatMap(\.routes).filter { route in
      explained.contains(route.pointer)
        || ["/", "#", "?"].contains { explained.contains(route.pointer.appending($0)) }
        || route.itemPointers.contains(where: explained.contains)
        || route.patterns.contains { $0.tokens.contains(where: \.isNothing) }
    }
    return Set(routes.map(\.pointer))
  }

  private mutating func addShadowed(_ shadowed: Shadowed, _ code: Finding.Code) {
    add(
      code, severity: shadowed.isSame ? .note : .warning, at: shadowed.route.pointer,
      shadowed.message(code), help: shadowed.help(code))
  }

  /// Reports a route that its own entry repeats, although another entry decides first.
  private mutating func addRepeated(
    _ route: Shadowing.Route, _ places: [JSONPointer: RoutePlace], _ entry: AppLinks.Entry
  ) {
    guard let own = places[route.pointer]?.route,
      let earlier = entry.routes.prefix(while: { $0.pointer != own.pointer }).first(where: {
        $0.writing == own.writing
      })
    else { return }
    addShadowed(Shadowed(route, by: [earlier.pointer], places, links.entries), .duplicateRoute)
  }

  private mutating func addExclusionsOnly(_ last: AppLinks.Route) {
    let rest = last.isLegacy ? "`\"*\"`" : "`{\"/\": \"*\"}`"
    add(
      .exclusionsOnly, at: last.pointer,
      "All routes of its apps are exclusions. A URL that no route matches stays in the browser, so no URL opens them.",
      help: "Add \(rest) at the end to let all other URLs in.")
  }

  private mutating func addUnneeded(_ route: Shadowing.Route) {
    add(
      .unneededExclusion, at: route.pointer,
      "This exclusion has no effect: no later route matches the URLs that it excludes"
        + "\(route.example.suchAs).",
      help: "Remove it, or move it before the routes that it should restrict.")
  }

  private mutating func addHiding(
    _ exclusion: Shadowing.Route, _ hidden: Shadowing.Hidden, _ route: AppLinks.Route?
  ) {
    let isMisread = misreadRoutes.contains(exclusion.pointer)
    let subject =
      hidden.count == 1
      ? "the only later route for its apps matches"
      : "the \(hidden.count) later routes for its apps match"
    add(
      .excludesLaterRoutes, at: exclusion.pointer,
      "This exclusion decides every URL that \(subject)\(hidden.example.suchAs), so none of them opens the"
        + " app.",
      help: isMisread
        ? "Correct its conditions."
        : route.map { !$0.queryPatterns.isEmpty && $0.takesEveryQuery } == true
          ? "In a query, `*` also matches a missing value. Write `?*` to require one."
          : "Narrow its conditions, or move it after the routes that should open the app.")
  }

  /// Adds one finding for all routes, at the entry of the first.
  private mutating func addNotDecided(_ routes: [(entry: JSONPointer, route: Shadowing.Route)]) {
    guard let first = routes.first else { return }
    let reason =
      first.route.verdict == .notDecided(.mixedPercentEncoding)
      ? "some routes compare percent-encoded URLs and others decoded ones"
      : "there are too many patterns, or they are too complex"
    let others = routes.count == 1 ? "" : " and \(routes.count - 1) more routes"
    add(
      .shadowingNotDecided, at: first.entry,
      "Could not determine whether \(first.route.pointer)\(others) can ever decide: \(reason).",
      help: "No action is needed. If in doubt, try some URLs with \"aasa match --explain\".")
  }
}

/// A route of a document, with the index of its entry.
private typealias RoutePlace = (entry: Int, route: AppLinks.Route)

/// A route that never decides, with those that decide instead.
private struct Shadowed {
  /// The number of routes that a message names.
  private static let mostNamed = 10

  let route: Shadowing.Route
  private let others: [JSONPointer]
  /// Whether all routes have the same effect.
  let isSame: Bool
  /// Whether another entry decides.
  private let isElsewhere: Bool
  /// Whether an entry that only older systems need decides.
  private let isBehindOlder: Bool

  init(
    _ route: Shadowing.Route, by others: [JSONPointer], _ places: [JSONPointer: RoutePlace],
    _ entries: [AppLinks.Entry]
  ) {
    (self.route, self.others) = (route, others)
    let own = places[route.pointer]
    let deciders = others.compactMap { places[$0] }
    isSame = deciders.allSatisfy { $0.route.isExclusion == own?.route.isExclusion }
    isElsewhere = deciders.contains { $0.entry != own?.entry }
    isBehindOlder =
      own?.route.isLegacy == false && deciders.contains { entries[$0.entry].isInOlderForm }
  }

  func message(_ code: Finding.Code) -> String {
    let order = isElsewhere ? " Devices try the entries of an app in file order." : ""
    if code == .duplicateRoute {
      return "The earlier route \(names) matches exactly the same URLs\(route.example.suchAs) and"
        + (isSame ? " decides them first." : " decides them the other way.") + order
    }
    let deciders = others.count == 1 ? "route \(names)" : "routes \(names) together"
    return "This route never decides: every URL that it matches\(route.example.suchAs) is decided"
      + " by the earlier \(deciders)" + (isSame ? ", in the same way." : ".") + order
  }

  private var names: String {
    others.prefix(Self.mostNamed).map(\.description).joined(separator: ", ")
      + (others.count > Self.mostNamed ? " and \(others.count - Self.mostNamed) more" : "")
  }

  func help(_ code: Finding.Code) -> String {
    if isBehindOlder {
      return "Move the entry with `components` before the one with `paths`, which only iOS 12 and"
        + " earlier need."
    }
    if isSame { return "Remove it: nothing changes." }
    if code == .duplicateRoute { return "Remove the wrong one." }
    return isElsewhere
      ? "Remove it, or move its entry before the one that decides."
      : "Remove it, or move it before the routes that decide."
  }
}

extension Shadowing {
  fileprivate func routes(by links: AppLinks) -> [ArraySlice<Route>] {
    var rest = routes[...]
    return links.entries.map { entry in
      defer { rest = rest.dropFirst(entry.routes.count) }
      return rest.prefix(entry.routes.count)
    }
  }
}

extension String? {
  /// An example in parentheses, unless it is too long to help.
  fileprivate var suchAs: String {
    flatMap { $0.utf8.count > 300 ? nil : " (such as \($0))" } ?? ""
  }
}

extension AppLinks.Entry {
  /// Whether the entry has only `paths`, also beside `appIDs`, with which links may not work.
  fileprivate var isInOlderForm: Bool { paths != nil && !hasComponents }

  /// How much the routes of an entry are like those of one in the older form.
  fileprivate enum Likeness { case other, sameInOtherOrder, same }

  /// Whether this has the same routes for newer systems as an entry in the older form, written alike, each once
  /// or more.
  fileprivate func likeness(to older: AppLinks.Entry) -> Likeness {
    guard hasComponents, older.isInOlderForm, routes.allSatisfy(\.hasOnlyPath) else {
      return .other
    }
    let (own, others) = (distinctRoutes, older.distinctRoutes)
    if own == others { return .same }
    return Set(own) == Set(others) ? .sameInOtherOrder : .other
  }

  private var distinctRoutes: [AppLinks.Route.Writing] {
    routes.map(\.writing).uniqued()
  }
}

extension AppLinks.Route {
  /// A route that is only about the path.
  fileprivate struct Writing: Hashable {
    let isExclusion: Bool
    /// Without slashes at its start, which older systems need and newer ones add.
    let path: [UInt8]
  }

  fileprivate var writing: Writing {
    Writing(
      isExclusion: isExclusion,
      path: Array((path?.text ?? "*").utf8.drop { $0 == UInt8(ascii: "/") }))
  }
}

extension AppLinks.Route {
  /// Whether there is no condition on the query and the fragment.
  fileprivate var hasOnlyPath: Bool {
    if case .any = query { fragment == nil } else { false }
  }

  /// The pointers of the patterns of query items.
  fileprivate var itemPointers: [JSONPointer] {
    guard case .items(let items) = query else { return [] }
    return items.map { pointer.appending("?").appending($0.name) }
  }
}

extension AppLinks {
  /// The apps of which every route is an exclusion, except those that keep out every URL, which says so.
  fileprivate var appsThatOnlyExclude: Set<String> {
    var (excluding, others): (Set<String>, Set<String>) = ([], [])
    for entry in entries {
      let only = { (route: AppLinks.Route) in route.isExclusion && !route.isForEveryURL }
      if entry.routes.contains(where: only) { excluding.formUnion(entry.apps) }
      if !entry.routes.allSatisfy(only) { others.formUnion(entry.apps) }
    }
    return excluding.subtracting(others)
  }
}

extension AppLinks.Route {
  /// Whether it has no condition that says anything.
  fileprivate var isForEveryURL: Bool {
    takesEveryQuery && path.map { $0.tokens.isStar || $0.text == "/*" } ?? true
      && fragment.map(\.tokens.isStar) ?? true
  }
}
