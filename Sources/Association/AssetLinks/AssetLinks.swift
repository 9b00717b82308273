/// The one reading of an assetlinks.json file: its statements with their types and places, and the values
/// that no reader accepts.
///
/// Reading never fails. As Google's compatibility tests ask, a statement with a fault is skipped and the
/// others stay; a malformed dynamic rule drops the rules and not the statement. `json` keeps everything.
package struct AssetLinks: Sendable {
  package struct Element: Sendable {
    /// Where it is, such as `/0`.
    package let pointer: JSONPointer
    package let json: JSON
    package let meaning: Meaning
    /// The values in it that readers do not read.
    let unread: [UnreadValue]
  }

  /// What readers make of an element.
  package enum Meaning: Sendable {
    case statement(Statement)
    /// The statements of another list, which has this https URL.
    case include(String)
    /// Readers skip the element.
    case nothing
  }

  /// What a target may do.
  package struct Statement: Sendable {
    /// Where it is in its list.
    package let pointer: JSONPointer
    /// What it permits; may be empty.
    package let relations: [Relation]
    package let target: Target
    /// Which links the app opens, where the statement is about links and an app.
    package let rules: Rules
  }

  /// Whom a statement is about.
  package enum Target: Sendable {
    /// The app with this package that is signed with one of these certificates, of which there is one or
    /// more.
    case app(PackageName, [Fingerprint])
    case site(WebSite)
  }

  package let json: JSON
  /// The elements in file order.
  package let elements: [Element]
  /// Whether the file is so large that nothing of it was read.
  let isTooLarge: Bool

  /// The number of included files that Google reads for a list.
  package static let mostIncludes = 10

  package init(_ json: JSON) {
    self.json = json
    isTooLarge = !json.isReadable
    let list = isTooLarge ? [] : json.arrayValue ?? []
    elements = list.enumerated().map { Element($1, at: .root.appending($0)) }
  }

  /// The statements, without those of included lists.
  package var statements: [Statement] {
    elements.compactMap {
      if case .statement(let statement) = $0.meaning { statement } else { nil }
    }
  }
}

extension AssetLinks {
  /// The elements that add the statements of another list.
  var includes: [Element] {
    elements.filter { if case .include = $0.meaning { true } else { false } }
  }
}

extension AssetLinks.Statement {
  /// Whether the statement is for passkeys alone: the app gets the relation for links, which Google wants for
  /// passkeys, too, and the rules keep every link out of it.
  package var keepsLinksOut: Bool {
    guard relations.contains(.getLoginCredentials), case .list(let rules) = rules else {
      return false
    }
    return rules.allSatisfy(\.isExclusion) && rules.contains(where: \.isForEveryURL)
  }
}

extension AssetLinks.Rule {
  /// Whether the only condition is a path that every URL has, unless its path is empty.
  var isForEveryURL: Bool {
    guard conditions.count == 1, case .path(let pattern) = conditions[0] else { return false }
    return pattern.text == "*" || pattern.text == "/*"
  }
}

extension Sequence<AssetLinks.Statement> {
  /// Whether a statement grants the relation to the app with this package and this certificate.
  package func link(
    _ relation: Relation, to package: PackageName, signedWith certificate: Fingerprint
  ) -> Bool {
    contains { statement in
      guard case .app(package, let fingerprints) = statement.target else { return false }
      return statement.relations.contains(relation) && fingerprints.contains(certificate)
    }
  }
}

extension AssetLinks.Element {
  fileprivate init(_ json: JSON, at pointer: JSONPointer) {
    (self.json, self.pointer) = (json, pointer)
    guard case .object(let object) = json else {
      (meaning, unread) = (.nothing, [])
      return
    }
    var reader = StatementReader(object, at: pointer)
    meaning = object["include"] == nil ? reader.statement() : reader.include()
    unread = reader.unread
  }
}

private struct StatementReader {
  private var reader: ObjectReader
  /// The unread values of objects in the element.
  private var inner: [UnreadValue] = []

  init(_ json: JSON.Object, at pointer: JSONPointer) {
    reader = ObjectReader(json, at: pointer, as: json["include"] == nil ? .statement : .include)
  }

  var unread: [UnreadValue] { reader.unread + inner }

  mutating func include() -> AssetLinks.Meaning {
    let url = reader.value("include", \.stringValue)
    let isAlone = reader.json["relation"] == nil && reader.json["target"] == nil
    if !isAlone { reader.note("include", .null, at: reader.pointer, .noEffect) }
    guard let url else { return .nothing }
    guard URLParts(url.utf8.span) != nil, url.lowercased().hasPrefix("https:") else {
      reader.note("include", .string(url), .malformed)
      return .nothing
    }
    return isAlone ? .include(url) : .nothing
  }

  mutating func statement() -> AssetLinks.Meaning {
    let relations = relations()
    let target = target()
    let rules = AssetLinks.Rules(of: &reader, &inner)
    guard let relations, let target else { return .nothing }
    return .statement(
      AssetLinks.Statement(
        pointer: reader.pointer, relations: relations, target: target, rules: rules))
  }

  /// The relations; `nil` if one of them is malformed.
  private mutating func relations() -> [Relation]? {
    let values: [Relation]? = reader.all("relation") { Relation($0) }
    if values?.isEmpty == true { reader.note("relation", .array([]), .noEffect) }
    return values
  }

  private mutating func target() -> AssetLinks.Target? {
    guard let target = reader.required("target", \.objectValue) else { return nil }
    let namespace = target["namespace"]?.stringValue
    let part: DocumentPart =
      switch namespace {
      case "android_app"?: .appTarget
      case "web"?: .siteTarget
      default: .target
      }
    var inside = ObjectReader(target, at: reader.pointer.appending("target"), as: part)
    defer { inner += inside.unread }
    switch part {
    case .appTarget:
      let package = inside.required("package_name", \.stringValue)
      let name = package.flatMap { PackageName($0) }
      if let package, name == nil { inside.note("package_name", .string(package), .malformed) }
      let key = "sha256_cert_fingerprints"
      let fingerprints: [Fingerprint]? = inside.all(key) { Fingerprint($0) }
      if fingerprints?.isEmpty == true { inside.note(key, .array([]), .noEffect) }
      guard let name, let fingerprints, !fingerprints.isEmpty else { return nil }
      return .app(name, fingerprints)
    case .siteTarget:
      guard let text = inside.required("site", \.stringValue) else { return nil }
      if let site = WebSite(text) { return .site(site) }
      inside.note("site", .string(text), .malformed)
      return nil
    default:
      if let value = inside.required("namespace", \.self) {
        inside.note("namespace", value, .malformed)
      }
      return nil
    }
  }
}

extension ObjectReader {
  /// The member as `convert` takes it; `nil` if it is missing or has the wrong type, which is noted.
  fileprivate mutating func required<Value>(_ key: String, _ convert: (JSON) -> Value?) -> Value? {
    if json[key] == nil { note(key, .null, at: pointer, .missing) }
    return value(key, convert)
  }

  /// The strings of an array as values; `nil` if it is missing or `make` does not take one of them, which
  /// is noted.
  fileprivate mutating func all<Value>(_ key: String, _ make: (String) -> Value?) -> [Value]? {
    guard let elements = required(key, \.arrayValue) else { return nil }
    let texts = strings(of: elements, key, at: pointer.appending(key))
    let values = texts.elements.compactMap { index, text in
      let value = make(text)
      if value == nil {
        note(key, .string(text), at: texts.pointer(at: index), isElement: true, .malformed)
      }
      return value
    }
    return values.count == elements.count ? values : nil
  }
}
