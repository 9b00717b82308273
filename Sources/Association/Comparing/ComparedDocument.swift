/// A document prepared for comparison.
struct ComparedDocument {
  struct App {
    let name: String
    /// The indices of its entries.
    var entries: [Int]
  }

  struct Variable {
    let name: String
    /// The values that devices read, in file order.
    let values: [String]
    let pointer: JSONPointer
  }

  /// An app of a service other than `applinks`.
  typealias ServiceApp = (name: String, pointer: JSONPointer)

  let read: ReadDocument
  let matcher: Matcher
  let routes: [[ComparedRoute]]
  /// The apps in order of first appearance.
  let apps: [App]
  /// The indices of the entries that name no app.
  let entriesWithoutApp: [Int]
  let variables: [Variable]

  var entries: [AppLinks.Entry] { read.links.entries }

  /// - Parameter other: A probably similar document with the same interning. Routes that are equal
  ///   at the same position are reused from it.
  init(
    _ read: ReadDocument, like other: ComparedDocument? = nil, _ interning: Interning
  ) throws(TooComplex) {
    let links = read.links
    self.read = read
    matcher = try Matcher(links)
    let outer = links.defaults
    // A pattern changes its meaning if its variables or its defaults change.
    let isSimilar =
      other.map { other in
        other.read.links.json?["substitutionVariables"] == links.json?["substitutionVariables"]
          && RouteMembers.areSame(other.read.links.defaults, outer)
      } ?? false
    routes = links.entries.enumerated().map { index, entry in
      let others = isSimilar ? other?.routes(like: entry, at: index) ?? [] : []
      return entry.routes.enumerated().map { index, route in
        if others.indices.contains(index), route.isWritten(like: others[index].route) {
          return others[index]
        }
        let layers = [route.members, entry.defaults, outer]
        return ComparedRoute(route, layers: route.isLegacy ? [] : layers, interning)
      }
    }
    apps = Self.apps(links.entries)
    entriesWithoutApp = links.entries.indices.filter { links.entries[$0].apps.isEmpty }
    variables = links.variables.compactMap { variable in
      variable.values.map {
        Variable(
          name: variable.name, values: $0.texts.filter { !$0.isEmpty }, pointer: variable.pointer)
      }
    }
  }

  /// The routes of some entries as one list.
  func routes(of entries: [Int]) -> [ComparedRoute] { entries.flatMap { routes[$0] } }

  /// The routes of the entry at an index, if they inherit the same defaults as those of `entry`.
  private func routes(like entry: AppLinks.Entry, at index: Int) -> [ComparedRoute] {
    guard entries.indices.contains(index),
      RouteMembers.areSame(entries[index].defaults, entry.defaults)
    else { return [] }
    return routes[index]
  }

  private static func apps(_ entries: [AppLinks.Entry]) -> [App] {
    var apps: [App] = []
    var places: [[UInt8]: Int] = [:]
    for (index, entry) in entries.enumerated() {
      for name in entry.apps {
        let place = places[Array(name.utf8)] ?? apps.count
        if place == apps.count {
          places[Array(name.utf8)] = place
          apps.append(App(name: name, entries: []))
        }
        if apps[place].entries.last != index { apps[place].entries.append(index) }
      }
    }
    return apps
  }

  /// The apps of a service other than `applinks`, each once.
  func apps(ofService name: String) -> [ServiceApp] {
    var seen: Set<[UInt8]> = []
    guard let apps = read.services.first(where: { $0.name == name })?.apps else { return [] }
    return apps.elements.compactMap { index, app in
      seen.insert(Array(app.utf8)).inserted ? (app, apps.pointer(at: index)) : nil
    }
  }
}

/// A route prepared for comparison.
struct ComparedRoute {
  let route: AppLinks.Route
  /// The content of the route with everything it inherits and without Apple's defaults: an object
  /// like an element of `components`, or for an element of `paths`, a string.
  let meaning: JSON
  let identity: RouteIdentity
  /// The objects that the route's keys come from, the most specific first: the route itself, the
  /// defaults of its entry and those of the domain. Empty for an element of `paths`.
  let layers: [RouteMembers?]
  /// The names of the variables in its patterns, in UTF-8.
  let variables: Set<[UInt8]>

  /// The keys that decide what a route does.
  static let keys = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded"]

  init(_ route: AppLinks.Route, layers: [RouteMembers?], _ interning: Interning) {
    (self.route, self.layers) = (route, layers)
    meaning = route.isLegacy ? route.json : Self.meaning(of: route, layers)
    variables = route.variableNames
    let path = route.path?.text ?? "*"
    let number = interning.number(of: meaning.serialized())
    // An element of `paths` has the conditions of an element of `components` with that path; `nil` is the meaning.
    var conditions: JSON?
    if route.isLegacy && path.mayNameVariable {
      conditions = .string(path)
    } else if route.isLegacy || route.isExclusion,
      case .object(var object) = route.isLegacy ? Self.meaning(of: route, []) : meaning
    {
      object["exclude"] = nil
      conditions = .object(object)
    }
    identity = RouteIdentity(
      meaning: number,
      conditions: conditions.map { interning.number(of: $0.serialized()) } ?? number,
      path: interning.number(of: Array(path.utf8)), pathText: path)
  }

  /// The comment, whatever its type.
  var comment: JSON? { route.members?.json["comment"] }

  /// The index of the layer that gives the key its value.
  func layer(giving key: String) -> Int? { layers.firstIndex { $0?.value(of: key) != nil } }

  /// The value of a key in one of the layers, if devices read it.
  func value(of key: String, inLayer index: Int) -> JSON? {
    layers.indices.contains(index) ? layers[index]?.value(of: key) : nil
  }

  private static func meaning(of route: AppLinks.Route, _ layers: [RouteMembers?]) -> JSON {
    var object: JSON.Object = [:]
    let text = { (pattern: Pattern?) in
      pattern.flatMap { sameScalars($0.text, "*") ? nil : JSON.string($0.text) }
    }
    object["/"] = text(route.path)
    switch route.query {
    case .any: break
    case .whole(let pattern): object["?"] = text(pattern)
    case .items, .ignored:
      object["?"] = layers.lazy.compactMap { $0?.value(of: "?") }.first?.sorted
    }
    object["#"] = text(route.fragment)
    if route.isExclusion { object["exclude"] = true }
    if !route.isCaseSensitive { object["caseSensitive"] = false }
    if !route.isPercentEncoded { object["percentEncoded"] = false }
    return .object(object)
  }
}

extension AppLinks.Route {
  /// Whether both are equal elements of `components` at the same place.
  fileprivate func isWritten(like other: AppLinks.Route) -> Bool {
    members != nil && pointer == other.pointer && RouteMembers.areSame(members, other.members)
  }
}

extension RouteMembers {
  /// Whether both are equal, or neither exists.
  fileprivate static func areSame(_ one: RouteMembers?, _ other: RouteMembers?) -> Bool {
    one === other || one?.json == other?.json && one?.pointer == other?.pointer
  }
}

extension JSON {
  /// The same value with the members of all objects sorted by key.
  var sorted: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(
        object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
          .reduce(into: Object()) { $0.appendNew($1.key, $1.value.sorted) })
    case .null, .bool, .number, .string: self
    }
  }
}

/// Numbers for byte strings, so that they compare as fast as numbers.
final class Interning {
  private var numbers: [Bytes: Int] = [:]

  /// Hashed in one piece, unlike an array.
  private struct Bytes: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// The number of these bytes.
  func number(of bytes: [UInt8]) -> Int {
    let key = Bytes(bytes: bytes)
    if let number = numbers[key] { return number }
    numbers[key] = numbers.count
    return numbers.count - 1
  }
}
