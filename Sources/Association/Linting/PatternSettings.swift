import JSONValue

/// What decides how a pattern is compared.
struct PatternSettings {
  /// Whether upper and lower case differ.
  var isCaseSensitive = true
  /// Whether the pattern is compared with the URL as it is written; otherwise with what it decodes to.
  var isPercentEncoded = true
  /// Whether the pattern is one of `paths`.
  var isLegacy = false
  /// Whether the route and the defaults for it have no condition.
  var isWithoutCondition = false

  /// The settings of all routes, by their places.
  static func all(_ links: AppLinks) -> [JSONPointer: PatternSettings] {
    var result: [JSONPointer: PatternSettings] = [:]
    for route in links.entries.lazy.flatMap(\.routes) {
      let hasQuery =
        switch route.query {
        case .any: false
        case .items(let items): !items.isEmpty
        case .whole, .ignored: true
        }
      result[route.pointer] = PatternSettings(
        isCaseSensitive: route.isCaseSensitive, isPercentEncoded: route.isPercentEncoded,
        isLegacy: route.isLegacy,
        isWithoutCondition: route.path == nil && route.fragment == nil && !hasQuery)
    }
    return result
  }
}
