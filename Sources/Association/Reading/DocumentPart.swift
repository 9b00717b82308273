/// The kinds of objects in association files, with the members that their formats document.
enum DocumentPart: Sendable, CaseIterable {
  case document, service, applinks, entry, route, defaults
  /// An entry of the obsolete `details` object, whose key is the app.
  case keyedEntry
  // Of assetlinks.json.
  case statement, include, target, appTarget, siteTarget, ruleList, rule
  // Of webauthn.
  case relatedOrigins

  static func parts(of kind: DocumentKind) -> [DocumentPart] {
    allCases.filter { $0.kind == kind }
  }

  /// The kind of file that has the part.
  var kind: DocumentKind {
    switch self {
    case .document, .service, .applinks, .entry, .keyedEntry, .route, .defaults: .apple
    case .statement, .include, .target, .appTarget, .siteTarget, .ruleList, .rule: .assetLinks
    case .relatedOrigins: .webAuthn
    }
  }

  /// The services (Apple's pages Configuring an associated domain, Creating a message filter app extension, and
  /// SMS and call spam reporting; Handoff Programming Guide).
  static let services = [
    "applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv", "messagefilter",
    "classificationreport",
  ]
  /// The services that only list apps.
  static let appListServices = services.dropFirst()

  /// The key of a documented member, and the JSON type that it must have.
  typealias Member = (key: String, type: String)

  var members: [Member] {
    switch self {
    case .document: Self.documentMembers
    case .service: Self.serviceMembers
    case .applinks: Self.applinksMembers
    case .entry: Self.entryMembers
    case .keyedEntry: Self.keyedEntryMembers
    case .route, .defaults: Self.routeMembers
    case .statement: Self.statementMembers
    case .include: [("include", "a string")] + Self.statementMembers
    case .target: Self.appTargetMembers + [("site", "a string")]
    case .appTarget: Self.appTargetMembers
    case .siteTarget: [("namespace", "a string"), ("site", "a string")]
    case .ruleList: [("dynamic_app_link_components", "an array")]
    case .rule: Self.ruleMembers
    case .relatedOrigins: [("origins", "an array")]
    }
  }

  private static let documentMembers: [Member] = services.map { ($0, "an object") }
  private static let serviceMembers: [Member] = [("apps", "an array")]
  private static let applinksMembers: [Member] = [
    ("details", "an array"), ("defaults", "an object"),
    ("substitutionVariables", "an object"), ("apps", "an array"),
  ]
  private static let entryMembers: [Member] =
    [("appIDs", "an array"), ("appID", "a string")] + keyedEntryMembers
  private static let keyedEntryMembers: [Member] = [
    ("components", "an array"), ("paths", "an array"), ("defaults", "an object"),
  ]
  private static let routeMembers: [Member] = [
    ("/", "a string"), ("?", "a string or an object"), ("#", "a string"),
    ("exclude", "true or false"), ("comment", "a string"), ("caseSensitive", "true or false"),
    ("percentEncoded", "true or false"),
  ]
  private static let statementMembers: [Member] = [
    ("relation", "an array"), ("target", "an object"), ("relation_extensions", "an object"),
  ]
  private static let appTargetMembers: [Member] = [
    ("namespace", "a string"), ("package_name", "a string"),
    ("sha256_cert_fingerprints", "an array"),
  ]
  // AOSP's parser names `comments`, no document does.
  private static let ruleMembers: [Member] = [
    ("/", "a string"), ("?", "an object"), ("#", "a string"), ("exclude", "true or false"),
    ("comments", "a string"),
  ]

  /// The type that the member must have; `nil` for an unknown key.
  func type(of key: String) -> String? { members.first { sameScalars($0.key, key) }?.type }

  /// The name of the object in messages.
  var name: String {
    switch self {
    case .document: "the file"
    case .service: "a service"
    case .applinks: "`applinks`"
    case .entry, .keyedEntry: "an element of `details`"
    case .route: "an element of `components`"
    case .defaults: "`defaults`"
    case .statement, .include: "a statement"
    case .target: "`target`"
    case .appTarget: "the `target` of an app"
    case .siteTarget: "the `target` of a site"
    case .ruleList: "the extension of a relation"
    case .rule: "a dynamic rule"
    case .relatedOrigins: "the file"
    }
  }
}

/// A member or an array element that devices do not read.
struct UnreadValue: Sendable {
  enum Reason: Sendable {
    /// The format does not define the key here.
    case unknownKey
    /// The value has the wrong JSON type; `expected` is the right one, such as "an array".
    case wrongType(expected: String)
    /// The value is valid and has no effect.
    case noEffect
    /// The value has the right type, but not the form that it needs. Only in assetlinks.json.
    case malformed
    /// There is no value, and the object needs one. Only in assetlinks.json.
    case missing
  }

  /// The object that it belongs to.
  let part: DocumentPart
  /// Its key in that object; for an element of an array, the key of the array.
  let key: String
  let value: JSON
  let pointer: JSONPointer
  let reason: Reason
  var isElement = false
}

/// The strings of an array, each with its index.
struct IndexedStrings: Sendable {
  let pointer: JSONPointer
  let elements: [(index: Int, text: String)]

  var texts: [String] { elements.map(\.text) }

  func pointer(at index: Int) -> JSONPointer { pointer.appending(index) }
}

/// Reads the members of one object by type, and collects the values that devices do not read.
struct ObjectReader {
  let json: JSON.Object
  let pointer: JSONPointer
  private let part: DocumentPart
  private(set) var unread: [UnreadValue] = []

  init(_ json: JSON.Object, at pointer: JSONPointer, as part: DocumentPart) {
    (self.json, self.pointer, self.part) = (json, pointer, part)
    let known = part.members
    for member in json.members where !known.contains(where: { sameScalars($0.key, member.key) }) {
      note(member.key, member.value, .unknownKey)
    }
  }

  /// Records a value that devices do not read: a member, or something inside it.
  mutating func note(
    _ key: String, _ value: JSON, at place: JSONPointer? = nil, isElement: Bool = false,
    _ reason: UnreadValue.Reason
  ) {
    unread.append(
      UnreadValue(
        part: part, key: key, value: value, pointer: place ?? pointer.appending(key),
        reason: reason, isElement: isElement))
  }

  /// The member as `convert` takes it; `nil` if it is missing or has the wrong type.
  mutating func value<Value>(_ key: String, _ convert: (JSON) -> Value?) -> Value? {
    guard let member = json[key] else { return nil }
    if let value = convert(member) { return value }
    note(key, member, .wrongType(expected: part.type(of: key) ?? ""))
    return nil
  }

  /// The objects of an array, without elements of other types.
  mutating func objects<Value>(
    _ key: String, _ convert: (JSON.Object, JSONPointer) -> Value
  ) -> [Value]? {
    guard let elements = value(key, \.arrayValue) else { return nil }
    let place = pointer.appending(key)
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      let pointer = place.appending(index)
      if case .object(let object) = element {
        values.append(convert(object, pointer))
      } else {
        note(key, element, at: pointer, isElement: true, .wrongType(expected: "an object"))
      }
    }
    return values
  }

  /// The strings of an array, without elements of other types.
  mutating func strings(_ key: String) -> IndexedStrings? {
    value(key, \.arrayValue).map { strings(of: $0, key, at: pointer.appending(key)) }
  }

  mutating func strings(
    of elements: [JSON], _ key: String, at pointer: JSONPointer
  ) -> IndexedStrings {
    var strings: [(index: Int, text: String)] = []
    strings.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      if case .string(let text) = element {
        strings.append((index, text))
      } else {
        let place = pointer.appending(index)
        note(key, element, at: place, isElement: true, .wrongType(expected: "a string"))
      }
    }
    return IndexedStrings(pointer: pointer, elements: strings)
  }
}
