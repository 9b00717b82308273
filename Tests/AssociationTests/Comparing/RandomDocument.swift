import Association

/// A small random document, which can be written in many ways that mean the same.
struct RandomDocument {
  struct Route {
    var path: String?
    var query: String?
    var fragment: String?
    var isExclusion = false
    var isCaseSensitive = true
    var isPercentEncoded = true
  }

  struct Entry {
    var apps: [String]
    var isLegacy: Bool
    var routes: [Route]
  }

  var entries: [Entry]
  var values: [String]

  init(_ generator: inout SeededGenerator) {
    let isEncodingMixed = generator.once(in: 5)
    entries = (0..<Int(1 + generator.next() % 3)).map { _ in
      let isLegacy = generator.once(in: 5)
      return Entry(
        apps: generator.pick([["a"], ["b"], ["a", "b"]]), isLegacy: isLegacy,
        routes: (0..<Int(1 + generator.next() % 4)).map { _ in
          Self.route(isLegacy: isLegacy, isEncodingMixed: isEncodingMixed, &generator)
        })
    }
    values = generator.pick(Self.valueLists)
  }

  private static let valueLists = [["a"], ["a", "b"], ["a*", "b"], ["ab", "?"]]
  private static let paths = [
    "/a", "/b", "/a/*", "/*", "*", "/a*", "/a/b", "/?", "/$(v)", "/$(v)/*", "/b/", "*b", "/A",
  ]

  private static func route(
    isLegacy: Bool, isEncodingMixed: Bool, _ generator: inout SeededGenerator
  ) -> Route {
    var route = Route()
    route.path = generator.pick(paths)
    route.isExclusion = generator.once(in: 3)
    if isLegacy { return route }
    if generator.once(in: 5) { route.path = nil }
    if generator.once(in: 4) { route.query = generator.pick(["", "x=a", "?*", "$(v)"]) }
    if generator.once(in: 4) { route.fragment = generator.pick(["", "a", "?*", "A"]) }
    route.isCaseSensitive = !generator.once(in: 4)
    route.isPercentEncoded = !(isEncodingMixed && generator.once(in: 3))
    return route
  }

  // MARK: - Edits

  /// The document after one to three random edits.
  func edited(_ generator: inout SeededGenerator) -> RandomDocument {
    var copy = self
    for _ in 0...generator.next() % 3 { copy.edit(&generator) }
    return copy
  }

  private mutating func edit(_ generator: inout SeededGenerator) {
    let entry = Int(generator.next() % UInt64(entries.count))
    let index = Int(generator.next() % UInt64(entries[entry].routes.count))
    let other = Int(generator.next() % UInt64(entries[entry].routes.count))
    switch generator.next() % 9 {
    case 0, 1: entries[entry].routes.swapAt(index, other)
    case 2: entries[entry].routes.insert(newRoute(in: entry, &generator), at: index)
    case 3 where entries[entry].routes.count > 1: entries[entry].routes.remove(at: index)
    case 4: entries[entry].routes[index].isExclusion.toggle()
    case 5: entries[entry].routes[index].path = generator.pick(Self.paths)
    case 6 where !entries[entry].isLegacy:
      entries[entry].routes[index].isCaseSensitive.toggle()
    case 7: entries[entry].apps = generator.pick([["a"], ["b"], ["a", "b"], ["c"]])
    default: values = generator.pick(Self.valueLists)
    }
  }

  private func newRoute(in entry: Int, _ generator: inout SeededGenerator) -> Route {
    Self.route(isLegacy: entries[entry].isLegacy, isEncodingMixed: false, &generator)
  }

  // MARK: - Writing

  /// The document written in a random way.
  func json(_ generator: inout SeededGenerator) -> JSON {
    var defaults = settings(&generator)
    var written: [JSON] = []
    for entry in entries {
      let parts = generator.once(in: 2) ? entry.apps.map { [$0] } : [entry.apps]
      for apps in parts { written.append(json(of: entry, apps, defaults, &generator)) }
    }
    if generator.once(in: 2) { defaults["comment"] = nil }
    var applinks: JSON.Object = [
      "details": .array(written), "substitutionVariables": ["v": .strings(values)],
    ]
    if !defaults.isEmpty { applinks["defaults"] = .object(defaults) }
    return Self.shuffled(["applinks": .object(applinks)], &generator)
  }

  private func settings(_ generator: inout SeededGenerator) -> JSON.Object {
    var settings: JSON.Object = [:]
    for key in ["exclude", "caseSensitive", "percentEncoded"] where generator.once(in: 3) {
      settings[key] = .bool(generator.once(in: 2))
    }
    if generator.once(in: 4) { settings["#"] = "a" }
    return settings
  }

  private func json(
    of entry: Entry, _ apps: [String], _ outer: JSON.Object, _ generator: inout SeededGenerator
  ) -> JSON {
    var object: JSON.Object = [:]
    if apps.count == 1, generator.once(in: 2) {
      object["appID"] = .string(apps[0])
    } else {
      object["appIDs"] = .strings(apps)
    }
    let defaults = settings(&generator)
    if !defaults.isEmpty { object["defaults"] = .object(defaults) }
    if entry.isLegacy {
      object["paths"] = .strings(
        entry.routes.map { ($0.isExclusion ? "NOT " : "") + ($0.path ?? "*") })
    } else {
      let inherited = defaults.members.reduce(into: outer) { $0[$1.key] = $1.value }
      var routes: [JSON] = []
      for route in entry.routes { routes.append(json(of: route, inherited, &generator)) }
      object["components"] = .array(routes)
    }
    return .object(object)
  }

  private func json(
    of route: Route, _ inherited: JSON.Object, _ generator: inout SeededGenerator
  ) -> JSON {
    var object: JSON.Object = [:]
    let values: [(String, JSON, apple: JSON)] = [
      ("/", .string(route.path ?? "*"), "*"), ("?", .string(route.query ?? "*"), "*"),
      ("#", .string(route.fragment ?? "*"), "*"), ("exclude", .bool(route.isExclusion), false),
      ("caseSensitive", .bool(route.isCaseSensitive), true),
      ("percentEncoded", .bool(route.isPercentEncoded), true),
    ]
    for (key, value, apple) in values {
      if value != inherited[key] ?? apple || generator.once(in: 4) { object[key] = value }
    }
    return .object(object)
  }

  private static func shuffled(_ json: JSON, _ generator: inout SeededGenerator) -> JSON {
    switch json {
    case .array(let elements):
      var result: [JSON] = []
      for element in elements { result.append(shuffled(element, &generator)) }
      return .array(result)
    case .object(let object):
      var result: JSON.Object = [:]
      for member in object.members.shuffled(using: &generator) {
        result[member.key] = shuffled(member.value, &generator)
      }
      return .object(result)
    default: return json
    }
  }
}
