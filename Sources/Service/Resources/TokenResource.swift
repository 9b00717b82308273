package import Association
package import Store

package enum TokenResource {
  /// A token to be created.
  package struct New {
    package fileprivate(set) var name = ""
    package fileprivate(set) var role = Role.viewer
    package fileprivate(set) var domains: [Alias] = []
    /// `nil` for never.
    package fileprivate(set) var expiresAt: UnixTime?
  }

  private static let domainsDocumentation = "The domains it is limited to; empty for all."

  private static let fields: [Field<Token>] = [
    Field("name", .string, \.name, "The name of the token."),
    Field("role", .word("Role"), \.role, "What it may do."),
    Field("domains", .list(of: .alias), \.domains, domainsDocumentation),
    Field("createdAt", .time, \.createdAt, "When it was created."),
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
    Field("expiresAt", .anyTime, \.expiresAt, "When it expires (RFC 3339). Without it, never."),
  ]

  static let schemas: JSON.Object = [
    "Token": fields.members().schema(),
    "NewToken": newFields.members().schema(for: .request),
    "CreatedToken":
      (fields.members().filter { !["createdAt", "lastUsedAt"].contains($0.name) } + [
        Member(
          "token", .json(["type": "string", "pattern": .string("^\(TokenSecret.prefix)")]),
          "The secret. It is never shown again; a dry run creates none.", .optional)
      ] + .dryRun).schema(),
  ]

  package static func json(_ token: Token) -> JSON { .object(fields.json(of: token)) }

  package static func read(_ body: BodyValue) -> New? {
    var new = New()
    return body.read(newFields, into: &new) ? new : nil
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
