public import JSONValue

/// The outcome of resolving a URL.
public enum Resolution: String, Sendable, CaseIterable {
  /// The first matching route is not an exclusion: the app opens the URL.
  case match
  /// The first matching route is an exclusion: the app does not open the URL.
  case blocked
  /// No route matches.
  case noMatch = "no-match"
}

/// A document compiled to resolve URLs.
///
/// The first matching route of an app, in file order, decides (Apple's pages applinks.Details and
/// applinks.Details.Components). Resolving never fails, whatever the document and the URL. Several
/// threads can use a matcher at the same time.
public final class Matcher: Sendable {
  /// The routes to search.
  public struct Scope: Sendable {
    /// The app that the routes belong to; `nil` for all entries of the document as one list.
    public let app: String?
    /// Whether the document names the app.
    public let isNamed: Bool
    /// The routes in order; consecutive entries are one range.
    fileprivate(set) var routes: [Range<Int>]
    /// The index of an earlier scope with the same routes.
    fileprivate(set) var first: Int?
  }

  /// The outcome of resolving a URL in a scope.
  public struct Decision: Sendable, Equatable {
    /// The outcome.
    public let resolution: Resolution
    /// The index of the deciding route among all routes of the document, in file order; `nil`
    /// without a match.
    public let route: Int?

    /// No route matches.
    public static let noMatch = Decision(resolution: .noMatch, route: nil)
  }

  /// The document's entries and routes, in file order.
  public let links: AppLinks
  /// All entries of the document as one list, whatever their apps.
  public let everyEntry: Scope
  /// A scope for each app that the document names, in the order of first appearance.
  public let scopes: [Scope]

  let table: RouteTable
  /// The entry of each route, and the route's index in that entry.
  let places: [(entry: Int, route: Int)]

  /// Compiles an association file.
  public convenience init(document: JSON) {
    self.init(AppLinks(document: document))
  }

  /// Compiles the links of an association file.
  public init(_ links: AppLinks) {
    self.links = links
    table = RouteTable(links.entries)
    places = links.entries.enumerated().flatMap { index, entry in
      entry.routes.indices.map { (index, $0) }
    }
    everyEntry = Scope(app: nil, isNamed: true, routes: [0..<places.count])
    scopes = Self.scopes(links.entries)
  }

  /// The routes of an app; none if the document does not name it. App identifiers are compared scalar
  /// by scalar.
  public func scope(of app: String) -> Scope {
    scopes.first { $0.app.map { sameScalars($0, app) } ?? false }
      ?? Scope(app: app, isNamed: false, routes: [])
  }

  /// Resolves a URL by the routes of a scope.
  ///
  /// The URL is not normalized. If the URL and the routes are ASCII, this allocates nothing, unless a
  /// route decodes the URL and it is percent-encoded, or a route has variables with very many values.
  ///
  /// - Parameters:
  ///   - url: The URL in UTF-8. Anything but an http or https URL with a host matches nothing.
  ///   - scope: One of this matcher's scopes.
  ///   - domain: If given, a URL with another host matches nothing. Case, port and a trailing dot of
  ///     the host are ignored.
  public func resolve(_ url: Span<UInt8>, in scope: Scope, domain: String? = nil) -> Decision {
    var steps = 0
    return resolve(url, in: scope, domain: domain, steps: &steps)
  }

  /// Resolves a URL by the routes of a scope.
  public func resolve(_ url: String, in scope: Scope, domain: String? = nil) -> Decision {
    resolve(url.utf8.span, in: scope, domain: domain)
  }

  /// Resolves a URL for each app that the document names.
  ///
  /// - Parameters:
  ///   - url: The URL in UTF-8.
  ///   - domain: As for one scope.
  ///   - decisions: Set to the decisions in the order of `scopes`. Passing the same array again saves
  ///     allocating one.
  public func resolve(
    _ url: Span<UInt8>, domain: String? = nil, into decisions: inout [Decision]
  ) {
    decisions.removeAll(keepingCapacity: true)
    for scope in scopes {
      if let first = scope.first {
        decisions.append(decisions[first])
      } else {
        decisions.append(resolve(url, in: scope, domain: domain))
      }
    }
  }

  /// Resolves a URL by the routes of a scope, and counts the bytes and states visited.
  func resolve(
    _ url: Span<UInt8>, in scope: Scope, domain: String?, steps: inout Int
  ) -> Decision {
    guard let parts = URLParts(url), domain.map({ parts.isHost(of: $0, in: url) }) ?? true else {
      return .noMatch
    }
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let head = table.head(of: compared.path, in: url)
    for number in scope.routes.indices {
      let range = scope.routes[number]
      if let route = table.firstMatch(in: range, url, &compared, head, &steps) {
        let isExclusion = table.routes[route].isExclusion
        return Decision(resolution: isExclusion ? .blocked : .match, route: route)
      }
    }
    return .noMatch
  }

  private static func scopes(_ entries: [AppLinks.Entry]) -> [Scope] {
    var scopes: [Scope] = []
    var numbers: [[UInt8]: Int] = [:]
    var start = 0
    for entry in entries {
      let routes = start..<start + entry.routes.count
      start = routes.upperBound
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
      scopes[number].first = seen[scopes[number].routes]
      seen[scopes[number].routes, default: number] = seen[scopes[number].routes] ?? number
    }
    return scopes
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
  public var names: [Alias] { [Alias(name)] + aliases }

  /// The host to resolve a URL with: the URL's own host if it serves this domain's file, otherwise
  /// the domain's name, so that the URL matches nothing.
  public func host(for url: String) -> String {
    let host = Matcher.host(of: url).map { $0.lowercased() } ?? ""
    return names.contains { $0.covers(host: host) } ? host : name.text
  }
}
