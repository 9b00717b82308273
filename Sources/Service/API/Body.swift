import Association
import HTTP

/// The body that an endpoint reads, as it is checked and described.
struct Body: Sendable {
  enum Kind: Sendable {
    /// JSON, refused with 415 under another media type, and with 422 if values are invalid.
    case json
    /// JSON that RFC 7396 merges into the current value.
    case mergePatch
    /// Any bytes under any media type.
    case file
    /// A text under any media type.
    case text
  }

  /// The largest body that an endpoint reads. A larger one is answered 413 before it is read.
  enum Size: Sendable {
    /// A few values.
    case small
    /// A document of 128 KB as rows with row identifiers, and a thousand expectations.
    case document
    /// Many domains: as much as the setting `maxBodyBytes` allows, which limits the others too.
    case state

    /// The limit in bytes; `nil` if only the setting limits it.
    var bytes: Int? {
      switch self {
      case .small: Limits.smallBody
      case .document: 2_097_152
      case .state: nil
      }
    }
  }

  let kind: Kind
  let schema: Schema
  var size = Size.small
  var isRequired = true

  static func json(_ schema: Schema, size: Size = .small) -> Body {
    Body(kind: .json, schema: schema, size: size)
  }

  static func patch(_ schema: Schema, size: Size = .small) -> Body {
    Body(kind: .mergePatch, schema: schema, size: size)
  }

  static func file(_ schema: Schema, isRequired: Bool = true) -> Body {
    Body(kind: .file, schema: schema, size: .document, isRequired: isRequired)
  }

  /// A text for people, of which nothing is stored.
  static let text = Body(kind: .text, schema: .string, size: .document)

  var mediaTypes: [String] {
    switch kind {
    case .json, .file: ["application/json"]
    case .mergePatch: ["application/merge-patch+json", "application/json"]
    case .text: ["text/plain"]
    }
  }
}
