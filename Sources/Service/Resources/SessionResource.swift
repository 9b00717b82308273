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
}

/// Who is signed in, in JSON.
package enum SessionResource {
  private static let fields: [Field<Identity>] = [
    Field("name", .string, get: \.token.name, "The name of the token or of the user."),
    Field("role", .word("Role"), get: \.token.role, "What it may do."),
    Field(
      "domains", .list(of: .alias), get: \.token.domains,
      "The domains it is limited to; empty for all."),
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
