package import Association
package import Store

package enum TokenResource {
  package struct New {
    package fileprivate(set) var name = ""
    package fileprivate(set) var role = Role.viewer
    package fileprivate(set) var domains: [Alias] = []
    package fileprivate(set) var labels: [Label] = []
    package fileprivate(set) var documents: [DocumentName] = []
    package fileprivate(set) var publishesProtected = false
    /// `nil` for never.
    package fileprivate(set) var expiresAt: UnixTime?
  }

  package struct Rotation {
    /// `nil` to leave it as it is.
    package fileprivate(set) var expiresAt: UnixTime?
  }

  private static let domainsDocumentation = "The domains it is limited to; empty for all."
  private static let labelsDocumentation =
    "Labels of which each of its domains has one; empty for any domain. With labels, it cannot add domains or names, "
    + "or change labels."

  private static let documentsDocumentation =
    "Names of documents, such as `security.txt`, that it may replace and remove with its role. Everything else it can "
    + "only read. Empty for no such limit."

  static let protectedDocumentation =
    "Whether changes of protected domains need no approval of a second person. Only an admin with this right can give "
    + "it."

  private static let fields: [Field<Token>] = [
    Field("name", .string, \.name, "The name of the token."),
    Field("role", .word("Role"), \.role, "What it may do."),
    Field("domains", .list(of: .alias), get: \.scope.domains, domainsDocumentation),
    .labels(\.scope.labels, "\(labelsDocumentation) Left out if there are none."),
    Field(
      "documents", .documentNames, \.documents,
      "\(documentsDocumentation) Left out without that limit.", unless: \.isEmpty),
    Field(
      "publishesProtected", .bool, \.publishesProtected,
      "\(protectedDocumentation) Left out if false.", unless: { !$0 }),
    Field("createdAt", .time, \.createdAt, "When its secret was created."),
    Field("expiresAt", .nullable(.time), \.expiresAt, "When it expires; null for never."),
    Field(
      "lastUsedAt", .nullable(.time), \.lastUsedAt,
      "When it was last used, to the minute; null for never."),
  ]

  private static let newFields: [Field<New>] = [
    Field(
      "name", .name, \.name, "The name that revisions and the audit log show.", .required),
    Field("role", .word("Role"), \.role, "What it may do.", .required),
    Field("domains", .list(of: .alias, limit: 100), \.domains, domainsDocumentation),
    Field("labels", .labels, \.labels, labelsDocumentation),
    Field("documents", .documentNames, \.documents, documentsDocumentation),
    Field("publishesProtected", .bool, \.publishesProtected, protectedDocumentation),
    Field("expiresAt", .anyTime, \.expiresAt, "When it expires (RFC 3339). Without it, never."),
  ]

  private static let rotationFields: [Field<Rotation>] = [
    Field(
      "expiresAt", .anyTime, \.expiresAt,
      "When it expires from now on (RFC 3339). Without it, that stays as it is.")
  ]

  /// What only a stored token has.
  private static let stored = ["createdAt", "lastUsedAt"]

  static let schemas: JSON.Object = [
    "Token": fields.members().schema(),
    "NewToken": newFields.members().schema(for: .request),
    "TokenRotation": rotationFields.members().schema(for: .request),
    "CreatedToken":
      (fields.members().filter { !stored.contains($0.name) } + [
        Member(
          "token", .json(["type": "string", "pattern": .string("^\(TokenSecret.prefix)")]),
          "The secret. It is never shown again; a dry run creates none.", .optional)
      ] + .dryRun).schema(),
  ]

  package static func json(_ token: Token) -> JSON { .object(fields.json(of: token)) }

  /// A token beside its new secret.
  static func created(_ token: Token) -> JSON.Object {
    var object = fields.json(of: token)
    for name in stored { object[name] = nil }
    return object
  }

  static func readRotation(_ body: BodyValue) -> Rotation? {
    var rotation = Rotation()
    return body.read(rotationFields, into: &rotation) ? rotation : nil
  }

  package static func read(_ body: BodyValue) -> New? {
    var new = New()
    return body.read(newFields, into: &new) ? new : nil
  }
}

extension Coding<[DocumentName]> {
  /// Names of documents that are published as bytes.
  static var documentNames: Coding {
    .list(
      of: Coding<DocumentName>(
        .named("DocumentName", .text(DocumentName.pattern)),
        read: { $0.parse(DocumentName.init(_:)) },
        write: { .string($0.text) }), limit: NamedDocument.mostPerDomain)
  }
}

extension Coding<String> {
  private static let longest = 100

  /// The name of a token.
  fileprivate static var name: Coding {
    Coding(NewName.schema(longest: longest)) { value in
      guard let name = value.name(longest: longest) else { return nil }
      if NewName.allows(name) { return name }
      value.fault(
        .malformedName, "The name of a token has at most \(longest) characters, \(NewName.rule).")
      return nil
    } write: {
      .string($0)
    }
  }
}
