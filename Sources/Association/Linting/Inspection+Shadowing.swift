import JSONValue

extension Inspection {
  /// Reports routes that never decide. Runs last, to leave out routes that already have a finding.
  mutating func inspectShadowing() {
    let shadowing = Shadowing(links)
    lazy var isExclusion = Dictionary(
      links.entries.flatMap(\.routes).map { ($0.pointer, $0.isExclusion) }, uniquingKeysWith: { $1 }
    )
    var unmatchable: Set<JSONPointer>?
    var undecided: [(entry: JSONPointer, route: Shadowing.Route)] = []
    for (entry, routes) in zip(links.entries, shadowing.routes(by: links)) {
      for route in routes {
        switch route.verdict {
        case .decides: break
        case .matchesNothing:
          let known = unmatchable ?? self.unmatchable
          unmatchable = known
          if !known.contains(route.pointer) { addNeverMatches(route) }
        case .repeats(let other):
          addDuplicate(route, of: other, isExclusion: isExclusion)
        case .shadowed(let others): addShadowed(route, by: others, isExclusion: isExclusion)
        case .notDecided: undecided.append((entry.pointer, route))
        }
        if route.isUnneededExclusion { addUnneeded(route) }
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

  private mutating func addDuplicate(
    _ route: Shadowing.Route, of other: JSONPointer, isExclusion: [JSONPointer: Bool]
  ) {
    let isContradiction = isExclusion[other] != isExclusion[route.pointer]
    add(
      .duplicateRoute, severity: isContradiction ? .warning : .note, at: route.pointer,
      "The earlier route \(other) matches exactly the same URLs and decides them"
        + (isContradiction ? " the other way." : " first."),
      help: isContradiction ? "Remove the wrong one." : "Remove it: nothing changes.")
  }

  /// The number of routes that a message names.
  private static let mostNamed = 10

  private mutating func addShadowed(
    _ route: Shadowing.Route, by others: [JSONPointer], isExclusion: [JSONPointer: Bool]
  ) {
    let names =
      others.prefix(Self.mostNamed).map(\.description).joined(separator: ", ")
      + (others.count > Self.mostNamed ? " and \(others.count - Self.mostNamed) more" : "")
    let deciders =
      others.count == 1 ? "the earlier route \(names)" : "the earlier routes \(names) together"
    let isSame = others.allSatisfy { isExclusion[$0] == isExclusion[route.pointer] }
    add(
      .shadowedRoute, severity: isSame ? .note : .warning, at: route.pointer,
      "This route never decides: every URL that it matches is decided by \(deciders)"
        + (isSame ? ", in the same way." : "."),
      help: isSame
        ? "Remove it: nothing changes."
        : "Remove it, or move it in front of the routes that decide.")
  }

  private mutating func addUnneeded(_ route: Shadowing.Route) {
    add(
      .unneededExclusion, at: route.pointer,
      "This exclusion has no effect: no later route matches the URLs that it excludes.",
      help: "Remove it, or move it before the routes that it should restrict.")
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

extension Shadowing {
  /// The routes of each entry.
  fileprivate func routes(by links: AppLinks) -> [ArraySlice<Route>] {
    var rest = routes[...]
    return links.entries.map { entry in
      defer { rest = rest.dropFirst(entry.routes.count) }
      return rest.prefix(entry.routes.count)
    }
  }
}

extension AppLinks.Route {
  /// The pointers of the patterns of query items.
  fileprivate var itemPointers: [JSONPointer] {
    guard case .items(let items) = query else { return [] }
    return items.map { pointer.appending("?").appending($0.name) }
  }
}
