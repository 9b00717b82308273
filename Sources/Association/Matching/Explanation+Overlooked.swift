// What people overlook in the routes that decide about a URL.

extension Matcher {
  /// The exclusions behind a deciding route that are tried.
  private static let mostTried = 50

  /// What to add to the explanation that a route decides: a sentence with a space before it, or nothing.
  func overlooked(
    _ number: Int, _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope,
    _ budget: inout MatchingBudget
  ) -> String {
    let route = links.route(at: places[number])
    let stars = route.starsWithoutDemand(parts)
    if route.isExclusion { return stars }
    if let exclusion = exclusion(behind: number, url, parts, in: scope, &budget) {
      return stars
        + " The later exclusion \(exclusion) matches it, too, but the first match decides. To keep the URL in the browser,"
        + " move the exclusion before this route."
    }
    var spare = MatchingBudget(steps: budget.stepsForNearMisses - url.count)
    defer { budget.stepsForNearMisses = max(0, spare.steps) }
    guard
      scope.routes.joined().contains(where: { $0 < number && self.table.routes[$0].isExclusion }),
      let other = routeIgnoringCase(url, parts, in: scope, &spare),
      case let exclusion = links.route(at: places[other]), exclusion.isExclusion
    else { return stars }
    return stars
      + " The exclusion \(exclusion.pointer) is written with other capital or small letters, so it does not match."
  }

  /// The first exclusion behind a route that matches the URL, too, and that seems to be for fewer URLs; `nil` without one,
  /// or if finding it would take too long.
  private func exclusion(
    behind number: Int, _ url: Span<UInt8>, _ parts: URLParts, in scope: Scope,
    _ budget: inout MatchingBudget
  ) -> JSONPointer? {
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let head = table.head(of: compared.path, in: url)
    let later = scope.routes.lazy.joined().filter {
      $0 > number && self.table.routes[$0].isExclusion
    }
    let route = links.route(at: places[number])
    for candidate in later.prefix(Self.mostTried) {
      // One for more URLs is the rest that stays in the browser, as it should.
      if !links.route(at: places[candidate]).seemsNarrower(than: route) { continue }
      let found = table.firstMatch(
        in: candidate..<candidate + 1, url, &compared, head, &budget.stepsForNearMisses)
      if budget.stepsForNearMisses <= 0 { return nil }
      if found != nil { return links.route(at: places[candidate]).pointer }
    }
    return nil
  }
}

extension AppLinks.Route {
  /// Whether its path begins with more characters that stand for themselves, or with as many and it has more conditions.
  fileprivate func seemsNarrower(than other: AppLinks.Route) -> Bool {
    func measures(_ route: AppLinks.Route) -> (start: Int, conditions: Int) {
      let path = route.path?.text ?? "*"
      let conditions = route.queryPatterns.count + (route.fragment == nil ? 0 : 1)
      return (path.prefix { !"*?$".contains($0) }.count, conditions)
    }
    return measures(self) > measures(other)
  }

  /// What to say of a route that matches a URL without a query or a fragment, although it names one; a sentence with a
  /// space before it, or nothing.
  fileprivate func starsWithoutDemand(_ parts: URLParts) -> String {
    let hasQuery = !queryPatterns.isEmpty && takesEveryQuery && parts.query.isEmpty
    let hasFragment = fragment?.tokens.isStar == true && parts.fragment.isEmpty
    if !hasQuery && !hasFragment { return "" }
    let subject = hasQuery ? "a query" : "a fragment"
    return " In \(subject), `*` also matches what is missing: write `?*` to require something."
  }
}

extension PatternSyntax {
  /// Why a path that was written like this does not match the URL that was meant, as a sentence; `nil` if nothing
  /// about it is unusual.
  var mistakeInPath: String? {
    if isURL || host()?.isCertain == true {
      return "A path is compared without scheme and host: remove them."
    }
    if let paths = severalPaths {
      return "It is \(paths.count) paths in one text: write each as a string of its own."
    }
    if let query = queryInPath {
      return
        "In a path, `?` stands for one character, and the query is no part of it: compare \(query.quoted) in `?` of an"
        + " element of `components`."
    }
    if text.contains("#") { return "`#` and what follows it are no part of a path." }
    if let parameter = routeParameter {
      return "\(parameter.quoted) stands for itself: write `*` for any characters."
    }
    return nil
  }
}
