/// Where a value of a template stands, and so which parameters may be in it. A value that is put there stays what its
/// type says: it is one string of parsed JSON, and what is special in a pattern is refused in literal text.
indirect enum TemplatePlace: Sendable {
  /// Published or used as it is, without parameters.
  case fixed
  /// A comment or a URL.
  case text
  /// A URL in which `{path}` and `{query}` are those of a request.
  case target
  case pattern
  case app
  case package
  /// The app of an expectation.
  case linkedApp
  case origin
  case list(TemplatePlace)
  /// An object with any keys.
  case map(TemplatePlace)
  /// A pattern, or an object with a pattern by key.
  case query
  /// An object without which the rest makes sense: it is left out if a value in it is.
  case item([String: TemplatePlace])
  case entry

  /// The members that a template may have.
  static let members: [String: TemplatePlace] = [
    "format": .fixed, "cacheSeconds": .fixed, "strict": .fixed, "defaults": .fixed,
    "substitutionVariables": .map(.list(.pattern)), "entries": .list(.entry),
    "webcredentials": .list(.app), "appclips": .list(.app), "activitycontinuation": .list(.app),
    "androidCredentials": .list(.package), "dynamicAppLinks": .fixed,
    "webauthnOrigins": .list(.origin), "passkeyEndpoints": .map(.text),
    "fallback": .item(["web": .target, "apple": .target, "android": .target, "page": .fixed]),
    "expectations": .list(
      .item(["url": .text, "platform": .fixed, "app": .linkedApp, "resolution": .fixed])),
  ]

  /// Those of them that a domain has instead of the template's, not beside them.
  static let ownable = Set(members.keys).subtracting(["entries", "expectations"])

  /// The members of an entry. Those that are not here have no parameters.
  static let entryMembers: [String: TemplatePlace] = [
    "apps": .list(.app), "androidApps": .list(.package), "appID": .app, "routes": .list(.route),
  ]

  private static let route = TemplatePlace.item(routeMembers)

  /// Those of a route.
  static let routeMembers: [String: TemplatePlace] = [
    "path": .pattern, "query": .query, "fragment": .pattern, "comment": .text, "fallback": .target,
  ]

  /// Whether a parameter may stand here, as all of a string or as a part of it.
  ///
  /// - Parameter isItem: Whether the string is an item of a list, so that several can take its place.
  func allows(_ parameter: TemplateParameter, isWhole: Bool, isItem: Bool) -> Bool {
    if parameter == .domain { return takesParts || kinds.contains(.origin) }
    if parameter.kind.isList && !(isWhole && isItem) { return false }
    return (takesParts || isWhole) && kinds.contains(parameter.kind)
  }

  /// The kinds of the parameters that may stand here.
  private var kinds: [TemplateParameter.Kind] {
    switch self {
    case .text, .target: [.text, .path, .origin]
    case .pattern: [.path, .pattern]
    case .app: [.app, .apps]
    case .package: [.package, .packages]
    case .linkedApp: [.app, .package]
    case .origin: [.origin, .origins]
    case .fixed, .list, .map, .query, .item, .entry: []
    }
  }

  /// Whether a parameter may be a part of the string.
  private var takesParts: Bool {
    switch self {
    case .text, .target, .pattern: true
    case .app, .package, .linkedApp, .origin, .fixed, .list, .map, .query, .item, .entry: false
    }
  }

  /// The names in braces that are no parameters here.
  var ownNames: [Substring] { if case .target = self { ["path", "query"] } else { [] } }

  /// What may stand here, in words.
  var allowed: String {
    switch self {
    case .text, .target: "text, path or origin, and {domain}"
    case .pattern, .query: "path or pattern, and {domain}"
    case .app: "app or apps, as the whole string"
    case .package: "package or packages, as the whole string"
    case .linkedApp: "app or package, as the whole string"
    case .origin: "origin or origins, as the whole string, and {domain}"
    default: ""
    }
  }
}
