public import JSONValue

/// The `applinks` of a document as a device reads it: entries in file order, each with its routes in
/// order, each route with all that decides whether it matches.
///
/// Reading never fails, since resolving must work on any file: what has the wrong type counts as if
/// it were not there. Saying that it is wrong is the linter's work.
public struct AppLinks: Sendable {
  /// An element of `details`, or a member of it where it is an object (the obsolete first form).
  public struct Entry: Sendable {
    /// Where the entry stands, such as `/applinks/details/0`.
    public let pointer: JSONPointer
    /// The app identifiers: `appIDs` where that is an array, otherwise `appID`; in the obsolete form
    /// the key.
    public let apps: [String]
    /// The routes in order, which are those of `paths` only if there is no `components`.
    public let routes: [Route]
  }

  /// An element of `components` or of `paths`.
  public struct Route: Sendable {
    /// Where the route stands, such as `/applinks/details/0/components/3`.
    public let pointer: JSONPointer
    /// Whether it is an element of `paths`.
    public let isLegacy: Bool
    /// Whether a URL that matches is not opened in the app.
    public let isExclusion: Bool
    /// Whether upper and lower case differ.
    public let isCaseSensitive: Bool
    /// Whether the URL is compared as it is written, with its percent-encoding; otherwise it is
    /// decoded first. The pattern is left alone either way.
    public let isPercentEncoded: Bool
    /// The condition on the path; `nil` if there is none.
    public let path: Pattern?
    /// The condition on the query.
    public let query: Query
    /// The condition on the fragment; `nil` if there is none.
    public let fragment: Pattern?
  }

  /// A condition on the query.
  public enum Query: Sendable {
    /// No condition was written.
    case any
    /// The pattern covers the whole query.
    case whole(Pattern)
    /// Every item of these names matches its pattern, an absent one as the empty string.
    case items([Item])
    /// An object with a value that is not a string, which makes the whole object not count
    /// (recorded).
    case ignored
  }

  /// A condition on the query items of one name.
  public struct Item: Sendable {
    /// The name, which is compared literally.
    public let name: String
    /// The pattern that covers the value.
    public let pattern: Pattern
  }

  /// The entries in file order.
  public let entries: [Entry]

  /// Reads a whole association file, of which other services than `applinks` do not count here.
  public init(document: JSON) {
    let root = JSONPointer.root.appending("applinks").appending("details")
    let applinks = document["applinks"]
    let variables = SubstitutionVariables(applinks?["substitutionVariables"])
    let defaults = RouteKeys().overridden(by: applinks?["defaults"], variables)
    let reader = EntryReader(variables: variables, defaults: defaults)
    entries =
      switch applinks?["details"] {
      case .array(let elements):
        elements.enumerated().compactMap { index, element in
          reader.entry(element, at: root.appending(index))
        }
      case .object(let object):
        object.members.compactMap { member in
          reader.entry(member.value, at: root.appending(member.key), app: member.key)
        }
      default: []
      }
  }
}

/// Reads the elements of `details`.
private struct EntryReader {
  let variables: SubstitutionVariables
  let defaults: RouteKeys

  /// The entry, unless the element is not an object; `app` is given in the obsolete form.
  func entry(_ json: JSON, at pointer: JSONPointer, app: String? = nil) -> AppLinks.Entry? {
    guard case .object(let object) = json else { return nil }
    return AppLinks.Entry(
      pointer: pointer, apps: app.map { [$0] } ?? apps(of: object),
      routes: routes(of: object, at: pointer))
  }

  private func apps(of entry: JSON.Object) -> [String] {
    if let apps = entry["appIDs"]?.arrayValue { return apps.compactMap(\.stringValue) }
    return entry["appID"]?.stringValue.map { [$0] } ?? []
  }

  private func routes(of entry: JSON.Object, at pointer: JSONPointer) -> [AppLinks.Route] {
    if let components = entry["components"]?.arrayValue {
      let defaults = defaults.overridden(by: entry["defaults"], variables)
      let place = pointer.appending("components")
      return components.enumerated().compactMap { index, element in
        guard case .object = element else { return nil }
        return defaults.overridden(by: element, variables).route(at: place.appending(index))
      }
    }
    let place = pointer.appending("paths")
    return (entry["paths"]?.arrayValue ?? []).enumerated().compactMap { index, element in
      element.stringValue.map { AppLinks.Route(legacyPath: $0, at: place.appending(index)) }
    }
  }
}

/// The keys of a route that count, as far as they are known on the way from `applinks.defaults`
/// through the entry's `defaults` to the route (Apple's page applinks.Defaults: the more specific
/// wins, key by key; a query object is replaced, not merged).
private struct RouteKeys {
  private var isExclusion = false
  private var isCaseSensitive = true
  private var isPercentEncoded = true
  private var path: Pattern?
  private var query = AppLinks.Query.any
  private var fragment: Pattern?

  func overridden(by json: JSON?, _ variables: SubstitutionVariables) -> RouteKeys {
    guard case .object(let object)? = json else { return self }
    let pattern = { (key: String) in
      object[key]?.stringValue.map { Pattern($0, variables: variables) }
    }
    var keys = self
    keys.isExclusion = object["exclude"]?.boolValue ?? isExclusion
    keys.isCaseSensitive = object["caseSensitive"]?.boolValue ?? isCaseSensitive
    keys.isPercentEncoded = object["percentEncoded"]?.boolValue ?? isPercentEncoded
    keys.path = pattern("/") ?? path
    keys.query = Self.query(object["?"], variables) ?? query
    keys.fragment = pattern("#") ?? fragment
    return keys
  }

  func route(at pointer: JSONPointer) -> AppLinks.Route {
    AppLinks.Route(
      pointer: pointer, isLegacy: false, isExclusion: isExclusion,
      isCaseSensitive: isCaseSensitive, isPercentEncoded: isPercentEncoded, path: path,
      query: query, fragment: fragment)
  }

  private static func query(_ json: JSON?, _ variables: SubstitutionVariables) -> AppLinks.Query? {
    switch json {
    case .string(let text): return .whole(Pattern(text, variables: variables))
    case .object(let object):
      let items = object.members.compactMap { member in
        member.value.stringValue.map {
          AppLinks.Item(name: member.key, pattern: Pattern($0, variables: variables))
        }
      }
      return items.count == object.members.count ? .items(items) : .ignored
    default: return nil
    }
  }
}

extension AppLinks.Route {
  /// An element of `paths` (App Search Programming Guide): a pattern for the path, after `NOT ` an
  /// exclusion. Defaults and variables do not count there, and case always does.
  fileprivate init(legacyPath text: String, at pointer: JSONPointer) {
    let isExclusion = text.utf8.starts(with: "NOT ".utf8)
    let pattern = isExclusion ? String(text.unicodeScalars.dropFirst(4)) : text
    self.init(
      pointer: pointer, isLegacy: true, isExclusion: isExclusion, isCaseSensitive: true,
      isPercentEncoded: true, path: Pattern(withoutVariables: pattern), query: .any, fragment: nil)
  }
}
