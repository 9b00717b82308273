/// The JSON Schema (2020-12) of a value, from which the OpenAPI description is made. A string literal
/// names one of `components.schemas`.
package indirect enum Schema: Sendable, ExpressibleByStringLiteral {
  /// Where a schema is used. One list of members makes a schema for each.
  package enum Use: Sendable {
    /// What the server answers.
    case answer
    /// A desired state that the server exports: an answer without members that only this database
    /// knows.
    case export
    /// The body of a request. `null` is the same as leaving a member out.
    case request
    /// A merge patch (RFC 7396), where `null` also removes a member of a map.
    case patch

    package var isRequest: Bool { self == .request || self == .patch }
  }

  /// A schema that is the same for every use.
  case json(JSON.Object)
  /// One of `components.schemas`, by its name; exports and requests may have their own.
  case shared(String, export: String? = nil, request: String? = nil)
  case list(of: Schema, limit: Int? = nil, atLeast: Int? = nil)
  /// An object with any keys.
  case map(of: Schema)
  case nullable(Schema)
  /// A schema that becomes one of `components.schemas`, so that generators of clients know what to call it.
  /// Requests may have their own.
  case named(String, request: String? = nil, Schema)
  /// An object with these members and no others, unless it is open.
  case object([Member], isOpen: Bool = false)

  package init(stringLiteral name: String) { self = .shared(name) }

  /// The schema of an answer as JSON.
  package var json: JSON { .object(json(for: .answer)) }

  package func json(for use: Use) -> JSON.Object {
    switch self {
    case .json(let json): return json
    case .shared(let name, let export, let request):
      let chosen = use == .answer ? name : use == .export ? export ?? name : request ?? name
      return ["$ref": .string("#/components/schemas/\(chosen)")]
    case .list(let element, let limit, let least):
      var json: JSON.Object = ["type": "array"]
      json["maxItems"] = limit.map { .integer($0) }
      json["minItems"] = least.map { .integer($0) }
      // A merge patch replaces lists as a whole.
      json["items"] = .object(element.json(for: use == .patch ? .request : use))
      return json
    case .map(let value):
      let json = value.json(for: use)
      return [
        "type": "object", "additionalProperties": .object(use == .patch ? json.orNull : json),
      ]
    case .nullable(let schema): return schema.json(for: use).orNull
    case .named(let name, let request, let schema):
      let json = schema.json(for: use)
      let differsInPatch = use == .patch && json != schema.json(for: .request)
      let chosen = differsInPatch ? name + "Patch" : use.isRequest ? request ?? name : name
      return [NamedSchemas.key: [.string(chosen), .object(json)]]
    case .object(let members, let isOpen):
      var json: JSON.Object = ["type": "object"]
      let required = members.filter { $0.isRequired(in: use) }.map(\.name)
      if !required.isEmpty { json["required"] = .strings(required) }
      var properties = JSON.Object()
      for member in members where use != .export || !member.traits.contains(.local) {
        properties.appendNew(member.name, .object(member.json(for: use)))
      }
      json["properties"] = .object(properties)
      // True is the default, but some generators make types that lose other members if it is missing.
      json["additionalProperties"] = .bool(isOpen)
      return json
    }
  }

  package static let any = json([:])
  /// An object with any members.
  package static let object = shared("JSONObject")
  package static let string = json(["type": "string"])
  package static let bool = json(["type": "boolean"])
  package static let int64 = json(["type": "integer", "format": "int64"])
  /// A count of things or bytes.
  package static let count = integer(in: 0...Int.max)
  package static let revision = integer(in: 1...Int.max)
  package static let sha256 = json(["type": "string", "pattern": "^[0-9a-f]{64}$"])
  /// A time as answers write it.
  package static let time = json([
    "type": "string", "format": "date-time",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
  ])
  package static let app = shared("AppIdentifier")
  package static let packageName = shared("PackageName")
  package static let domain = shared("DomainName")
  package static let alias = shared("Alias")
  package static let label = shared("Label")
  package static let environment = shared("Environment")
  package static let resolution = shared("Resolution")
  package static let pointer = shared("Pointer")
  package static let codes = list(of: .shared("FindingCode"))

  package static func integer(in range: ClosedRange<Int>) -> Schema {
    var json: JSON.Object = ["type": "integer", "minimum": .integer(range.lowerBound)]
    if range.upperBound < Int.max { json["maximum"] = .integer(range.upperBound) }
    return .json(json)
  }

  package static func constant(_ value: String) -> Schema {
    .json(["type": "string", "const": .string(value)])
  }

  /// One of the two. Generators of clients know no boolean `const`.
  package static func constant(_ value: Bool) -> Schema {
    .json(["type": "boolean", "enum": [.bool(value)]])
  }

  /// A string that matches a pattern, by default one without NUL, of at most so many characters.
  package static func text(_ pattern: String = "^[^\\u0000]*$", longest: Int? = nil) -> Schema {
    var json: JSON.Object = ["type": "string", "pattern": .string(pattern)]
    json["maxLength"] = longest.map { .integer($0) }
    return .json(json)
  }

  /// A word of a closed set.
  package static func words<Words: RawRepresentable<String> & CaseIterable>(_: Words.Type) -> Schema
  {
    .words(Words.allCases.map(\.rawValue))
  }

  /// A word of a closed set, with the name that the set gets in `components.schemas`.
  package static func words<Words: RawRepresentable<String> & CaseIterable>(
    _ words: Words.Type, _ name: String
  ) -> Schema {
    .named(name, .words(words))
  }

  package static func words(_ words: [String]) -> Schema {
    .json(["type": "string", "enum": .strings(words)])
  }

  package static let documentKind = named(
    "DocumentKind",
    .json([
      "type": "string", "pattern": .string(DocumentName.pattern),
      "examples": .strings(DocumentKind.allCases.map(\.rawValue)),
    ]))
  package static let platform = words(Platform.self, "Platform")
}

extension JSON.Object {
  /// The schema with a description, if that is not empty.
  package func described(_ documentation: String) -> JSON.Object {
    var schema = self
    if !documentation.isEmpty { schema["description"] = .string(documentation) }
    return schema
  }

  /// The schema of the same values and `null`.
  fileprivate var orNull: JSON.Object {
    if ["$ref", NamedSchemas.key, "const"].contains(where: { self[$0] != nil }) {
      return ["oneOf": [.object(self), ["type": "null"]]]
    }
    var schema = self
    switch schema["type"] {
    case .array(let types): schema["type"] = .array(types + ["null"])
    case let type?: schema["type"] = [type, "null"]
    case nil: break
    }
    if let words = schema["enum"]?.arrayValue { schema["enum"] = .array(words + [.null]) }
    return schema
  }
}

/// One member of an object, as the OpenAPI description shows it.
package struct Member: Sendable {
  /// When a member is present.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Some answers leave it out.
    package static let optional = Traits(rawValue: 1)
    /// Every request must have it.
    package static let required = Traits(rawValue: 2)
    /// Ignored in a request, so that a client can send an answer back as it came.
    package static let readOnly = Traits(rawValue: 4)
    /// Known only to this database, so exports leave it out.
    package static let local = Traits(rawValue: 8)
    /// Exports write `null` where answers leave it out, so that applying an export resets it.
    package static let nullInExport = Traits(rawValue: 16)
    /// Exports write `null` where a template gives it.
    package static let nullFromTemplate = Traits(rawValue: 32)
    /// Maintained by the database itself.
    package static let kept: Traits = [.local, .readOnly]
  }

  package let name: String
  package let schema: Schema
  /// In Markdown, as OpenAPI allows.
  package let documentation: String
  package var traits: Traits

  package init(
    _ name: String, _ schema: Schema, _ documentation: String = "", _ traits: Traits = []
  ) {
    self.name = name
    self.schema = schema
    self.documentation = documentation
    self.traits = traits
  }

  fileprivate func isRequired(in use: Schema.Use) -> Bool {
    // A merge patch need not name what the current value has.
    if use == .patch { return false }
    if use.isRequest { return traits.contains(.required) }
    if use == .export && traits.contains(.nullInExport) { return true }
    return !traits.contains(.optional) && !(use == .export && traits.contains(.local))
  }

  fileprivate func json(for use: Schema.Use) -> JSON.Object {
    if use.isRequest && traits.contains(.readOnly) {
      return ["description": .string("\(documentation) Read-only: ignored in requests.")]
    }
    var json = schema.json(for: use)
    let mayBeNull =
      use.isRequest
      ? !traits.contains(.required)
      : use == .export && !traits.isDisjoint(with: [.nullInExport, .nullFromTemplate])
    if mayBeNull { json = json.orNull }
    return json.described(documentation)
  }
}

extension [Member] {
  /// The same members, of which a request must have this one.
  package func requiring(_ name: String) -> [Member] {
    map { member in
      var member = member
      if member.name == name { member.traits.insert(.required) }
      return member
    }
  }

  /// The schema of an object with these members and no others, unless it is open.
  package func schema(
    _ documentation: String = "", for use: Schema.Use = .answer, isOpen: Bool = false
  ) -> JSON {
    .object(Schema.object(self, isOpen: isOpen).json(for: use).described(documentation))
  }

  /// What the answer to a dry run adds.
  package static let dryRun = [
    Member("dryRun", .constant(true), "Present in the answer to a dry run.", .optional)
  ]
}
