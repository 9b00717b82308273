public import JSONValue

/// Why a URL resolves as it does.
public struct Explanation: Sendable {
  /// A condition of a route.
  public enum Condition: Sendable {
    /// On the path.
    case path
    /// On the whole query.
    case query
    /// On the query items of this name.
    case queryItem(String)
    /// On the fragment.
    case fragment
  }

  /// A route that does not match, but nearly.
  public struct Closest: Sendable {
    /// Where the route stands.
    public let route: JSONPointer
    /// The first of its conditions that failed.
    public let failed: Condition
  }

  /// The app; `nil` for all entries of the document as one list.
  public let app: String?
  /// The outcome.
  public let resolution: Resolution
  /// Where the deciding entry stands; `nil` without a match.
  public let entry: JSONPointer?
  /// Where the deciding route stands; `nil` without a match.
  public let route: JSONPointer?
  /// Without a match, the route of which the most conditions are met, and of several the first;
  /// `nil` if no route was looked at.
  public let closest: Closest?
  /// The reason in plain words, a sentence.
  public let reason: String
}

extension Matcher {
  /// Why a URL resolves as it does. Slower than `resolve`, which gives the same outcome.
  ///
  /// - Parameters:
  ///   - url: the URL, in UTF-8.
  ///   - scope: which routes count; one of this matcher's.
  ///   - domain: a URL with another host matches nothing.
  public func explain(_ url: Span<UInt8>, in scope: Scope, domain: String? = nil) -> Explanation {
    let decision = resolve(url, in: scope, domain: domain)
    if let number = decision.route { return explainMatch(decision.resolution, number, scope) }
    guard let parts = URLParts(url) else {
      return .noMatch(scope, "This is not an http or https URL with a host.")
    }
    if let domain, !parts.isHost(of: domain, in: url) {
      let host = String(decoding: parts.host(in: url).map { url[$0] }, as: UTF8.self)
      return .noMatch(scope, "The host \(host) is not \(domain), for which the document is served.")
    }
    guard scope.isNamed else {
      return .noMatch(scope, "The document has no entry for the app \(scope.app ?? "").")
    }
    guard let (number, condition) = closest(in: scope, url, parts) else {
      return .noMatch(scope, "No entry that counts has a route.")
    }
    let route = links.route(at: places[number])
    return .noMatch(
      scope,
      "No route matches. The closest is \(route.pointer), which asks for \(condition.text(in: route)).",
      Explanation.Closest(route: route.pointer, failed: condition))
  }

  /// Why a URL resolves as it does.
  public func explain(_ url: String, in scope: Scope, domain: String? = nil) -> Explanation {
    explain(url.utf8.span, in: scope, domain: domain)
  }

  private func explainMatch(
    _ resolution: Resolution, _ number: Int, _ scope: Scope
  ) -> Explanation {
    let route = links.route(at: places[number])
    let conditions = route.conditions.map { $0.text(in: route) }
    let what = conditions.isEmpty ? "every URL" : conditions.joined(separator: " and ")
    let kind = resolution == .blocked ? "exclusion" : "route"
    return Explanation(
      app: scope.app, resolution: resolution, entry: links.entries[places[number].entry].pointer,
      route: route.pointer, closest: nil,
      reason: "The first route that matches is \(route.pointer): \(kind) for \(what).")
  }

  /// The route of the scope that meets the most of its conditions, and the first that it does not.
  private func closest(
    in scope: Scope, _ url: Span<UInt8>, _ parts: URLParts
  ) -> (route: Int, failed: Explanation.Condition)? {
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    var best: (route: Int, failed: Int, met: Int)?
    for number in scope.routes.joined() {
      let (met, failed) = table.conditionsMet(by: url, &compared, of: number)
      if let failed, met > best?.met ?? -1 { best = (number, failed, met) }
    }
    return best.map { ($0.route, links.route(at: places[$0.route]).conditions[$0.failed]) }
  }
}

extension Explanation {
  fileprivate static func noMatch(
    _ scope: Matcher.Scope, _ reason: String, _ closest: Closest? = nil
  ) -> Explanation {
    Explanation(
      app: scope.app, resolution: .noMatch, entry: nil, route: nil, closest: closest,
      reason: reason)
  }
}

extension AppLinks {
  fileprivate func route(at place: (entry: Int, route: Int)) -> Route {
    entries[place.entry].routes[place.route]
  }
}

extension AppLinks.Route {
  /// The conditions that are written, of its own or by default, in the order in which
  /// `RouteTable.conditionsMet` counts them.
  fileprivate var conditions: [Explanation.Condition] {
    let query: [Explanation.Condition] =
      switch query {
      case .any, .ignored: []
      case .whole: [.query]
      case .items(let items): items.map { .queryItem($0.name) }
      }
    return (path == nil ? [] : [.path]) + query + (fragment == nil ? [] : [.fragment])
  }
}

extension Explanation.Condition {
  /// The condition in words, such as `path "/buy/*"`.
  fileprivate func text(in route: AppLinks.Route) -> String {
    switch (self, route.query) {
    case (.path, _): return "path \(quoted(route.path))"
    case (.fragment, _): return "fragment \(quoted(route.fragment))"
    case (.query, .whole(let pattern)): return "query \(quoted(pattern))"
    case (.queryItem(let name), .items(let items)):
      let item = items.first { sameScalars($0.name, name) }
      return "query item \(name) \(quoted(item?.pattern))"
    case (.query, _), (.queryItem, _): return "query"
    }
  }

  private func quoted(_ pattern: Pattern?) -> String { "\"\(pattern?.text ?? "*")\"" }
}
