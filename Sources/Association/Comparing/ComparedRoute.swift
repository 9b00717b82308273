import JSONValue

/// A route with all that its comparison with others needs.
struct ComparedRoute {
  /// An object that the route's keys come from: the route itself, or `defaults` of its entry or of
  /// the domain.
  struct Layer {
    let values: JSON.Object
    let pointer: JSONPointer

    /// Whether the same is written at the same place.
    func isWritten(like other: Layer) -> Bool {
      sameScalars(pointer.description, other.pointer.description)
        && values.isWritten(like: other.values)
    }
  }

  let route: AppLinks.Route
  /// What the route says with all that it inherits and without what is the default: an object like an
  /// element of `components`, or for an element of `paths` a string.
  let meaning: JSON
  /// The same for no other meaning.
  let meaningNumber: Int
  /// The same for no route whose conditions say something else, be it an exclusion or not.
  let conditionsNumber: Int
  /// The same for no other path.
  let pathNumber: Int
  /// Where the keys come from, the route itself first; none for an element of `paths`.
  let layers: [Layer]
  /// The names of the variables in its patterns, in UTF-8.
  let variables: Set<[UInt8]>
  let comment: JSON?
  let extras: [ExtraMember]

  /// An element of `components`.
  init(_ route: AppLinks.Route, layers: [Layer], _ interning: Interning) {
    let own = layers.first?.values ?? [:]
    self.init(
      route, meaning: Self.meaning(of: route, layers), layers: layers, comment: own["comment"],
      extras: own.members.compactMap { member in
        if member.key == "comment" || Self.counts(member.key, member.value) { return nil }
        return ExtraMember(
          key: member.key, value: member.value, pointer: route.pointer.appending(member.key))
      }, interning)
  }

  /// An element of `paths`.
  init(_ route: AppLinks.Route, legacyPath: String, _ interning: Interning) {
    self.init(
      route, meaning: .string(legacyPath), layers: [], comment: nil, extras: [], interning)
  }

  private init(
    _ route: AppLinks.Route, meaning: JSON, layers: [Layer], comment: JSON?,
    extras: [ExtraMember], _ interning: Interning
  ) {
    (self.route, self.meaning, self.layers) = (route, meaning, layers)
    (self.comment, self.extras) = (comment, extras)
    variables = Set(
      route.patterns.lazy.flatMap(\.tokens).compactMap(\.variable).map { Array($0.utf8) })
    let path = route.path?.text ?? "*"
    meaningNumber = interning.number(of: meaning.serialized())
    if route.isExclusion {
      var conditions = route.isLegacy ? .string(path) : meaning
      if case .object(var object) = conditions {
        object["exclude"] = nil
        conditions = .object(object)
      }
      conditionsNumber = interning.number(of: conditions.serialized())
    } else {
      conditionsNumber = meaningNumber
    }
    pathNumber = interning.number(of: Array(path.utf8))
  }

  /// Whether a device reads a value of this kind at a key of a route or of `defaults`.
  static func counts(_ key: String, _ value: JSON) -> Bool {
    switch (key, value) {
    case ("/", .string), ("#", .string), ("?", .string), ("?", .object): true
    case ("exclude", .bool), ("caseSensitive", .bool), ("percentEncoded", .bool): true
    default: false
    }
  }

  /// The keys that decide what a route does.
  static let keys = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded"]

  /// Which of the layers gives the key its value.
  func layer(giving key: String) -> Int? { Self.layer(giving: key, layers) }

  /// The value of a key in one of the layers, if it counts.
  func value(of key: String, inLayer index: Int) -> JSON? {
    guard layers.indices.contains(index), let value = layers[index].values[key],
      Self.counts(key, value)
    else { return nil }
    return value
  }

  private static func layer(giving key: String, _ layers: [Layer]) -> Int? {
    layers.firstIndex { $0.values[key].map { counts(key, $0) } ?? false }
  }

  private static func meaning(of route: AppLinks.Route, _ layers: [Layer]) -> JSON {
    var object: JSON.Object = [:]
    let text = { (pattern: Pattern?) in
      pattern.flatMap { sameScalars($0.text, "*") ? nil : JSON.string($0.text) }
    }
    object["/"] = text(route.path)
    switch route.query {
    case .any: break
    case .whole(let pattern): object["?"] = text(pattern)
    case .items, .ignored:
      object["?"] = layer(giving: "?", layers).flatMap { layers[$0].values["?"] }?.sorted
    }
    object["#"] = text(route.fragment)
    if route.isExclusion { object["exclude"] = true }
    if !route.isCaseSensitive { object["caseSensitive"] = false }
    if !route.isPercentEncoded { object["percentEncoded"] = false }
    return .object(object)
  }
}

extension Pattern.Token {
  /// The name of the variable that this is.
  fileprivate var variable: String? {
    switch self {
    case .one(let characterClass): characterClass.rawValue
    case .values(let variable): variable.name
    case .nothing(let variable): variable
    case .literal, .anyOne, .anyRun: nil
    }
  }
}

extension JSON {
  /// The same value with the members of all objects in the order of their keys.
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
