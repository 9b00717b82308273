/// Why a URL resolves as it does.
package struct Explanation: Sendable {
  /// The app; `nil` for the entries of all apps as one list.
  package let app: String?
  package let resolution: Resolution
  /// The deciding route; `nil` without a match.
  package let route: JSONPointer?
  /// Without a match, the route that the URL misses by one thing, or else the first one that meets the most conditions;
  /// `nil` if there are no routes.
  package let closest: JSONPointer?
  /// The reason, in sentences.
  package let reason: String

  init(
    app: String?, resolution: Resolution = .noMatch, route: JSONPointer? = nil,
    closest: JSONPointer? = nil, reason: String
  ) {
    (self.app, self.resolution, self.route) = (app, resolution, route)
    (self.closest, self.reason) = (closest, reason)
  }

  /// The explanation for a URL that the document is not about: it has another host than the domain, or
  /// none.
  static func otherURL(
    _ url: Span<UInt8>, _ parts: URLParts?, for app: String?, domain: String?
  ) -> Explanation {
    guard let parts, let domain else {
      return Explanation(app: app, reason: "The URL is not an http or https URL with a host.")
    }
    let host = String(decoding: parts.host(in: url).map { url[$0] }, as: UTF8.self)
    let name = host.lowercased()
    let isBelow = name.hasSuffix("." + domain)
    let isRelated = isBelow || name.contains(".") && domain.hasSuffix("." + name)
    return Explanation(
      app: app,
      reason: "The document is served for \(domain), not for the host \(host.quoted)."
        + (isRelated
          ? " Each name needs the file, and an entry of its own in the app"
            + (isBelow ? ", unless the app names `*.\(domain)`." : ".") : ""))
  }

  /// The explanation for another app with the same routes.
  fileprivate func forApp(_ app: String?) -> Explanation {
    Explanation(app: app, resolution: resolution, route: route, closest: closest, reason: reason)
  }

  /// The result for a URL as the API and `--json` write it.
  package func json(url: String, platform: Platform) -> JSON {
    var object: JSON.Object = ["url": .string(url)]
    object["platform"] = .string(platform.rawValue)
    object["app"] = .optional(app)
    object["resolution"] = .string(resolution.rawValue)
    object["pointer"] = route.map { .string($0.description) }
    object["reason"] = .string(reason)
    return .object(object)
  }
}

extension Matcher {
  /// Explains the outcome of `resolve`, which is faster.
  package func explain(
    _ url: Span<UInt8>, in scope: Scope, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Explanation {
    let decision = try resolve(url, in: scope, domain: domain, budget: &budget)
    if let number = decision.route {
      let route = links.route(at: places[number])
      let conditions = route.conditions
      let kind = decision.resolution == .blocked ? "an exclusion" : "a route"
      let more = URLParts(url).map { overlooked(number, url, $0, in: scope, &budget) } ?? ""
      return Explanation(
        app: scope.app, resolution: decision.resolution, route: route.pointer,
        reason: "The first matching route is \(route.pointer), \(kind) for "
          + "\(conditions.isEmpty ? "every URL" : conditions).\(more)")
    }
    let parts = URLParts(url)
    guard let parts, parts.isHost(of: domain, in: url) else {
      return .otherURL(url, parts, for: scope.app, domain: domain)
    }
    guard scope.isNamed else {
      return Explanation(
        app: scope.app,
        reason: scope.app.map {
          "The document has no entry for the app \($0.shown)."
            + AppIdentifier(stored: $0).sentence(onOthersIn: scopes.compactMap(\.app))
        }
          ?? "No entry of the document names an app, so no app opens the URL.")
    }
    let miss = nearMiss(url, parts, in: scope, &budget)
    guard let (route, condition, mistake) = try closest(in: scope, miss?.route, url, parts, &budget)
    else {
      return Explanation(
        app: scope.app,
        reason: "The document has no routes\(scope.app == nil ? "" : " for the app").")
    }
    return Explanation(
      app: scope.app, closest: route,
      reason: "No route matches. The closest is \(route), which requires \(condition)."
        + (miss?.sentence ?? mistake.map { " \($0)" } ?? ""))
  }

  /// The route that was missed, or the first one of the scope that meets the most conditions, with the first condition
  /// it fails, and what is unusual about that.
  private func closest(
    in scope: Scope, _ missed: Int?, _ url: Span<UInt8>, _ parts: URLParts,
    _ budget: inout MatchingBudget
  ) throws(TooComplex) -> (route: JSONPointer, failed: String, mistake: String?)? {
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    var best: (route: Int, failed: Int, met: Int)?
    for number in missed.map({ [$0] }) ?? Array(scope.routes.joined()) {
      let (met, failed) = table.conditionsMet(by: url, &compared, of: number, &budget.steps)
      budget.steps -= 1
      if budget.steps < 0 { throw tooSlow(url, at: number) }
      if let failed, met > best?.met ?? -1 { best = (number, failed, met) }
    }
    return best.map {
      let route = links.route(at: places[$0.route])
      let path = $0.failed == 0 ? route.path : nil
      return (
        route.pointer, route.condition($0.failed),
        path.flatMap { PatternSyntax($0.text).mistakeInPath }
      )
    }
  }

  /// Explains the resolution of a URL for each app in the document. If it names none, for `nil`.
  package func explanations(
    for url: String, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> [Explanation] {
    var explanations: [Explanation] = []
    for scope in scopes.isEmpty ? [everyEntry] : scopes {
      let explanation =
        if let twin = scope.twin {
          explanations[twin].forApp(scope.app)
        } else {
          try explain(url.utf8.span, in: scope, domain: domain, budget: &budget)
        }
      explanations.append(explanation)
    }
    return explanations
  }

  /// The host of a URL as written, without user information, port and trailing dot; `nil` unless it
  /// is an http or https URL with a host.
  package static func host(of url: String) -> Substring? {
    let bytes = url.utf8.span
    guard let range = URLParts(bytes)?.host(in: bytes) else { return nil }
    let start = url.utf8.index(url.startIndex, offsetBy: range.lowerBound)
    return url[start..<url.utf8.index(start, offsetBy: range.count)]
  }

  /// The host of a URL as domains are stored: in lower case, with A-labels.
  package static func storedHost(of url: String) -> String? {
    host(of: url).map { host in
      let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
      return (isASCII ? nil : DomainName(usable: String(host))?.text) ?? host.lowercased()
    }
  }
}

extension AppLinks {
  func route(at place: (entry: Int, route: Int)) -> Route {
    entries[place.entry].routes[place.route]
  }
}

extension AppLinks.Route {
  private static let mostListed = 8

  /// The conditions of the route and its defaults in words, such as `path "/buy/*"`.
  fileprivate var conditions: String {
    let count = conditionCount
    let listed = (0..<min(count, Self.mostListed)).map(condition)
    let rest = count > listed.count ? ["\((count - listed.count).counted("more condition"))"] : []
    return (listed + rest).joined(separator: " and ")
  }

  private var conditionCount: Int {
    let queryCount =
      switch query {
      case .any, .ignored: 0
      case .whole: 1
      case .items(let items): items.count
      }
    return (path == nil ? 0 : 1) + queryCount + (fragment == nil ? 0 : 1)
  }

  /// A condition in words, in the order of `RouteTable.conditionsMet`.
  fileprivate func condition(_ index: Int) -> String {
    if index == 0, let path { return "path \(path.text.quoted)" }
    let index = index - (path == nil ? 0 : 1)
    switch query {
    case .whole(let pattern) where index == 0: return "query \(pattern.text.quoted)"
    case .items(let items) where index < items.count:
      return "query item \(items[index].name.quoted) to match \(items[index].pattern.text.quoted)"
    default: return "fragment \((fragment?.text ?? "*").quoted)"
    }
  }
}
