public import JSONValue

/// A document compiled to resolve URLs.
///
/// Apple's pages applinks.Details and applinks.Details.Components: of an app's routes in file order
/// the first that matches decides. A matcher never fails, whatever the document and the URL; it
/// can be used from many threads at once.
public final class Matcher: Sendable {
  /// The entries of which the routes are searched.
  public struct Scope: Sendable {
    /// The app whose entries these are; `nil` for all entries of the document as one list.
    public let app: String?
    /// Whether the document names the app.
    public let isNamed: Bool
    /// The routes in order, where consecutive entries make one range.
    fileprivate(set) var routes: [Range<Int>]
    /// The number of the first scope with the same routes.
    fileprivate(set) var first: Int?
  }

  /// What the routes of a scope say of a URL.
  public struct Decision: Sendable, Equatable {
    /// The outcome.
    public let resolution: Resolution
    /// The number of the deciding route among all routes of the document, counted from 0 in file
    /// order; `nil` without a match.
    public let route: Int?

    /// No route matches.
    public static let noMatch = Decision(resolution: .noMatch, route: nil)
  }

  /// What the document says, in the order of the file.
  public let links: AppLinks
  /// All entries of the document as one list, whatever their apps.
  public let everyEntry: Scope
  /// A scope for each app that the document names, in the order of first appearance.
  public let scopes: [Scope]

  let table: RouteTable
  /// Where each route of the document stands: its entry and its place there.
  let places: [(entry: Int, route: Int)]

  /// Compiles an association file.
  public convenience init(document: JSON) {
    self.init(AppLinks(document: document))
  }

  /// Compiles what was read from an association file.
  public init(_ links: AppLinks) {
    self.links = links
    table = RouteTable(links.entries)
    places = links.entries.enumerated().flatMap { index, entry in
      entry.routes.indices.map { (index, $0) }
    }
    everyEntry = Scope(app: nil, isNamed: true, routes: [0..<places.count])
    scopes = Self.scopes(links.entries)
  }

  /// The entries of an app. If the document does not name the app, there are none, and nothing
  /// matches. App identifiers are the same only if their characters are.
  public func scope(of app: String) -> Scope {
    scopes.first { $0.app.map { sameScalars($0, app) } ?? false }
      ?? Scope(app: app, isNamed: false, routes: [])
  }

  /// What the routes of a scope say of a URL.
  ///
  /// The URL is taken as it is written. For a URL and routes of ASCII characters nothing is
  /// allocated, unless a route asks for decoding what is encoded in the URL, or has variables with
  /// very many values.
  ///
  /// - Parameters:
  ///   - url: the URL in UTF-8. What is no http or https URL with a host matches nothing.
  ///   - scope: which routes count; one of this matcher's.
  ///   - domain: a URL with another host matches nothing. Case, port and the dot at the end do not
  ///     count. Without it hosts do not count.
  public func resolve(_ url: Span<UInt8>, in scope: Scope, domain: String? = nil) -> Decision {
    var steps = 0
    return resolve(url, in: scope, domain: domain, steps: &steps)
  }

  /// What the routes of a scope say of a URL.
  public func resolve(_ url: String, in scope: Scope, domain: String? = nil) -> Decision {
    resolve(url.utf8.span, in: scope, domain: domain)
  }

  /// What the document says of a URL for each app that it names.
  ///
  /// - Parameters:
  ///   - url: the URL in UTF-8.
  ///   - domain: as for one scope.
  ///   - decisions: is set to the decisions in the order of `scopes`. Given the same array again,
  ///     nothing is allocated for it.
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

  /// What the routes of a scope say of a URL, with a count of the bytes and states looked at.
  func resolve(
    _ url: Span<UInt8>, in scope: Scope, domain: String?, steps: inout Int
  ) -> Decision {
    guard let parts = URLParts(url), domain.map({ parts.isHost(of: $0, in: url) }) ?? true else {
      return .noMatch
    }
    var compared = ComparedURL(url, parts, hasForms: table.hasForms)
    let heads = table.heads(of: compared.path, in: url)
    for number in scope.routes.indices {
      let range = scope.routes[number]
      if let route = table.firstMatch(in: range, url, &compared, heads, &steps) {
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
  /// Adds the routes of an entry, unless they are in, as for an app that an entry names twice.
  fileprivate mutating func append(_ range: Range<Int>) {
    guard let last = routes.last else { return routes.append(range) }
    if last.upperBound == range.lowerBound {
      routes[routes.count - 1] = last.lowerBound..<range.upperBound
    } else if range.lowerBound > last.upperBound {
      routes.append(range)
    }
  }
}
