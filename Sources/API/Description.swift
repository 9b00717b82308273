import HTTP
import JSONValue

/// The body of a request. Examples, here and below, are JSON texts.
struct Body: Sendable {
  enum Kind: Sendable {
    /// JSON, refused with 415 under another media type, and with 422 if values are invalid.
    case json
    /// JSON that RFC 7396 merges into the current value.
    case mergePatch
    /// Any bytes under any media type.
    case file
  }

  let kind: Kind
  let schema: Schema
  var isRequired = true
  let example: String

  static func json(_ schema: Schema, _ example: String) -> Body {
    Body(kind: .json, schema: schema, example: example)
  }

  static func patch(_ schema: Schema, _ example: String) -> Body {
    Body(kind: .mergePatch, schema: schema, example: example)
  }

  static func file(_ schema: Schema, isRequired: Bool = true, _ example: String) -> Body {
    Body(kind: .file, schema: schema, isRequired: isRequired, example: example)
  }

  var mediaTypes: [String] {
    kind == .mergePatch
      ? ["application/merge-patch+json", "application/json"] : ["application/json"]
  }
}

/// A successful answer.
struct Answer: Sendable {
  let status: Status
  let description: String
  var mediaType = "application/json"
  var schema: Schema?
  /// Whether it has the revision as its `ETag`, as every answer to a publication of one domain has.
  var isTagged = false
  /// The operations that can follow: their path parameters are those of this request, or the `id`,
  /// `revision` or `name` of this answer.
  var links: [String] = []
  var example: String?

  static func ok(
    _ description: String, _ schema: Schema, isTagged: Bool = false, links: [String] = [],
    _ example: String? = nil
  ) -> Answer {
    Answer(
      status: .ok, description: description, schema: schema, isTagged: isTagged, links: links,
      example: example)
  }

  static func created(
    _ description: String, _ schema: Schema, links: [String] = [], _ example: String? = nil
  ) -> Answer {
    Answer(
      status: .created, description: description, schema: schema, links: links, example: example)
  }

  static let deleted = Answer(status: .noContent, description: "Deleted.")
}

/// A JSON Schema. A string literal names one of the schemas of the resources.
struct Schema: Sendable, ExpressibleByStringLiteral {
  let json: JSON

  init(_ json: JSON) { self.json = json }

  init(stringLiteral name: String) { json = ["$ref": .string("#/components/schemas/\(name)")] }

  static let boolean = Schema(["type": "boolean"])
  static let int64 = Schema(["type": "integer", "format": "int64"])
  static let positive = Schema(["type": "integer", "minimum": 1])
  static let anyObject = Schema(["type": "object"])

  static func constant(_ value: String) -> Schema { Schema(["const": .string(value)]) }

  /// A string that matches a pattern; by default one without NUL.
  static func text(_ pattern: String = "^[^\\u0000]*$") -> Schema {
    Schema(["type": "string", "pattern": .string(pattern)])
  }

  static func list(_ element: Schema) -> Schema {
    Schema(["type": "array", "items": element.json])
  }

  /// An object that has all these members and no others.
  static func object(_ members: KeyValuePairs<String, Schema>) -> Schema {
    var properties = JSON.Object()
    for (name, schema) in members { properties[name] = schema.json }
    return Schema([
      "type": "object", "required": .strings(members.map(\.key)), "properties": .object(properties),
      "additionalProperties": false,
    ])
  }
}
