/// The outcome of resolving a URL.
package enum Resolution: String, Sendable, CaseIterable {
  /// The first matching route is not an exclusion: the app opens the URL.
  case match
  /// The first matching route is an exclusion: the app does not open the URL.
  case blocked
  case noMatch = "no-match"
}

/// A document compiled to resolve URLs.
///
/// The first matching route of an app, in file order, decides (Apple's pages applinks.Details and
/// applinks.Details.Components). Whatever the document and the URL, resolving ends within the steps
/// of a `MatchingBudget`. Several threads can use a matcher at the same time.
package final class Matcher: Sendable {
  /// The routes to search.
  package struct Scope: Sendable {
    /// The app that the routes belong to; `nil` for those of all apps as one list.
    package let app: String?
    /// Whether the document names the app, or without one, any app.
    package let isNamed: Bool
    /// The routes in order; consecutive entries are one range.
    fileprivate(set) var routes: [Range<Int>]
    /// The index of an earlier scope with the same routes.
    fileprivate(set) var twin: Int?

    /// The place of a route of the document among these routes.
    func place(of route: Int) -> Int {
      var start = 0
      for range in routes {
        if range.contains(route) { return start + route - range.lowerBound }
        start += range.count
      }
      return 0
    }
  }

  /// The outcome of resolving a URL in a scope.
  package struct Decision: Sendable, Equatable {
    package let resolution: Resolution
    /// The index of the deciding route among all routes of the document, in file order; `nil`
    /// without a match.
    package let route: Int?

    package static let noMatch = Decision(resolution: .noMatch, route: nil)
  }

  /// The document's entries and routes, in file order.
  package let links: AppLinks
  /// All entries that name an app, as one list.
  package let everyEntry: Scope
  /// A scope for each app that the document names, in the order of first appearance.
  package let scopes: [Scope]
  /// The indices of scopes by app, in UTF-8.
  private let numbers: [[UInt8]: Int]

  let table: RouteTable
  /// The entry of each route, and the route's index in that entry.
  let places: [(entry: Int, route: Int)]

  /// Compiles an association file. Throws if the patterns are over a limit.
  package convenience init(document: JSON) throws(TooComplex) {
    try self.init(AppLinks(document: document))
  }

  package init(_ links: AppLinks) throws(TooComplex) {
    if let error = links.complexity { throw error }
    self.links = links
    table = RouteTable(links.entries.lazy.flatMap(\.routes))
    places = links.entries.enumerated().flatMap { index, entry in
      entry.routes.indices.map { (index, $0) }
    }
    (everyEntry, scopes, numbers) = Self.scopes(links.entries)
  }

  /// The routes of an app; none if the document does not name it. App identifiers are compared scalar
  /// by scalar. Without an app, the routes of all.
  package func scope(of app: String?) -> Scope {
    guard let app else { return everyEntry }
    return numbers[Array(app.utf8)].map { scopes[$0] }
      ?? Scope(app: app, isNamed: false, routes: [])
  }

  /// Resolves a URL by the routes of a scope, within a budget.
  ///
  /// The URL is not normalized. If the URL and the routes are ASCII, this allocates nothing, unless a
  /// route decodes the URL and it is percent-encoded, or a route has variables with very many values.
  ///
  /// - Parameters:
  ///   - url: The URL in UTF-8. Anything but an http or https URL with a host matches nothing.
  ///   - scope: One of this matcher's scopes.
  ///   - domain: If given, a URL with another host matches nothing. Case, port and a trailing dot of
  ///     the host are ignored.
  /// - Throws: `TooComplex` if the URL is too long or takes more steps than one URL may.
  package func resolve(
    _ url: Span<UInt8>, in scope: Scope, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Decision {
    guard url.count <= MatchingBudget.mostURLBytes else { throw .tooLong(url) }
    guard let parts = URLParts(url), domain.map({ parts.isHost(of: $0, in: url) }) ?? true else {
      return .noMatch
    }
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let head = table.head(of: compared.path, in: url)
    for number in scope.routes.indices {
      let range = scope.routes[number]
      let route = table.firstMatch(in: range, url, &compared, head, &budget.steps)
      if budget.steps < 0 { throw tooSlow(url, at: route) }
      if let route {
        let isExclusion = table.routes[route].isExclusion
        return Decision(resolution: isExclusion ? .blocked : .match, route: route)
      }
    }
    return .noMatch
  }

  /// The error for a URL that took too many steps, up to a route.
  func tooSlow(_ url: Span<UInt8>, at route: Int?) -> TooComplex {
    .tooSlow(url, at: route.map { links.route(at: places[$0]).pointer } ?? .root)
  }

  private static func scopes(
    _ entries: [AppLinks.Entry]
  ) -> (every: Scope, scopes: [Scope], numbers: [[UInt8]: Int]) {
    var every = Scope(app: nil, isNamed: entries.contains { !$0.apps.isEmpty }, routes: [])
    var scopes: [Scope] = []
    var numbers: [[UInt8]: Int] = [:]
    var start = 0
    for entry in entries {
      let routes = start..<start + entry.routes.count
      start = routes.upperBound
      if !entry.apps.isEmpty { every.append(routes) }
      for app in entry.apps {
        let key = Array(app.utf8)
        let number = numbers[key] ?? scopes.count
        if numbers.updateValue(number, forKey: key) == nil {
          scopes.append(Scope(app: app, isNamed: true, routes: []))
        }
        scopes[number].append(routes)
      }
    }
    var seen: [[Range<Int>]: Int] = [:]
    for number in scopes.indices {
      scopes[number].twin = seen[scopes[number].routes]
      seen[scopes[number].routes, default: number] = seen[scopes[number].routes] ?? number
    }
    return (every, scopes, numbers)
  }
}

extension Matcher.Scope {
  /// Adds the routes of an entry, unless an entry that names the app twice has added them already.
  fileprivate mutating func append(_ range: Range<Int>) {
    guard let last = routes.last else { return routes.append(range) }
    if last.upperBound == range.lowerBound {
      routes[routes.count - 1] = last.lowerBound..<range.upperBound
    } else if range.lowerBound > last.upperBound {
      routes.append(range)
    }
  }
}

extension Domain {
  /// All names that serve the domain's file.
  package var names: [Alias] { [Alias(name)] + aliases }

  /// The host to resolve a URL with: the URL's own host if it serves this domain's file, otherwise
  /// the domain's name, so that the URL matches nothing.
  package func host(for url: String) -> String {
    let host = Matcher.storedHost(of: url) ?? ""
    return names.contains { $0.covers(host: host) } ? host : name.text
  }
}
