package import Association
package import Store

/// The authenticated sender of a request: its rights, and the credential that proved them.
package struct Identity: Sendable {
  /// How the server knows who sends a request.
  package enum Source: String, Sendable, CaseIterable {
    /// `Authorization: Bearer`.
    case token
    /// The cookie of a session.
    case session
    /// A trusted proxy's header field.
    case user
  }

  /// The rights of the caller.
  package let token: Token
  package let source: Source
  /// When it is no longer valid; `nil` for never.
  package let expiresAt: UnixTime?

  package init(_ token: Token, by source: Source, expiresAt: UnixTime? = nil) {
    self.token = token
    self.source = source
    self.expiresAt = expiresAt
  }

  fileprivate var documents: [DocumentName]? { token.documents.isEmpty ? nil : token.documents }

  /// What the user has without a group comes first.
  fileprivate var grants: [Token.Grant]? {
    token.isUser ? token.grants.sorted { $0.group ?? "" < $1.group ?? "" } : nil
  }

  /// The same with the rights that count where a role is needed.
  func limited(to role: Role) -> Identity {
    Identity(token.limited(to: role), by: source, expiresAt: expiresAt)
  }
}

/// Who is signed in, in JSON.
package enum SessionResource {
  private static let grantFields: [Field<Token.Grant>] = [
    Field("group", .string, get: \.group, "The group; left out for what the user has without one."),
    Field("role", .word("Role"), get: \.role, "What the user may do."),
    Field(
      "domains", .list(of: .alias), get: \.scope.domains, "With which domains; empty for all."),
    .labels(
      \.scope.labels,
      "Labels of which each of these domains has one; left out for any domain."),
    Field(
      "publishesProtected", .bool, "\(TokenResource.protectedDocumentation) Left out if false.",
      .optional, write: { $0.publishesProtected ? true : nil }),
  ]

  private static let fields: [Field<Identity>] = [
    Field("name", .string, get: \.token.name, "The name of the token or of the user."),
    Field(
      "role", .word("Role"), get: \.token.role,
      "What it may do; of a user, the highest role in `grants`, which may hold for fewer domains."),
    Field(
      "domains", .list(of: .alias), get: \.token.scope.domains,
      "The domains it is limited to; empty for all. Of a user, those of all `grants`."),
    .labels(
      \.token.scope.labels,
      "The labels it is limited to: each of its domains has one. Left out without that limit. Of a user, those of all "
        + "`grants`."),
    Field(
      "documents", .documentNames, get: \.documents,
      "The documents it is limited to: everything else it can only read. Left out without that limit."
    ),
    Field(
      "groups", .list(of: .string),
      "The groups whose rights the user has, if a proxy lists any that are known.", .optional,
      write: { identity in
        let groups = identity.token.grants.compactMap(\.group)
        return groups.isEmpty ? nil : .strings(groups.sorted())
      }),
    Field(
      "grants", .list(of: .written("Grant", grantFields)), get: \.grants,
      "What a user has, and by which group: for a domain, the highest role of those that cover it counts. Left out for a "
        + "token."),
    Field(
      "by", .word("IdentitySource"), get: \.source,
      "How the request was authenticated: by the `Authorization` header, by a session cookie, or by the user whom a "
        + "proxy names."),
    Field(
      "expiresAt", .nullable(.time), get: \.expiresAt,
      "When the session or the token ends; null for never."),
  ]

  private static let signInFields: [Field<String>] = [
    Field("token", .text(longest: 1000), \.self, "The secret of a token.", .required)
  ]

  static let schemas: JSON.Object = [
    "Session":
      (fields.members() + [Member("version", .string, "The version of the server.")] + .dryRun)
      .schema(),
    "SignIn": signInFields.members().schema(for: .request),
  ]

  package static func json(_ identity: Identity, version: String) -> JSON.Object {
    var object = fields.json(of: identity)
    object["version"] = .string(version)
    return object
  }

  /// Reads the token to sign in with.
  package static func read(_ body: BodyValue) -> TokenSecret? {
    var text = ""
    return body.read(signInFields, into: &text) ? TokenSecret(text) : nil
  }
}
