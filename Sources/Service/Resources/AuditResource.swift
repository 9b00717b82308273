package import Association
package import Store

/// A record of the audit in JSON.
package enum AuditResource {
  private static let fields: [Field<AuditRecord>] = [
    Field("id", .row, \.id, "The number of the record; it increases."),
    Field("at", .time, \.at, "When it happened."),
    Field(
      "author", .string, \.author, "Who did it: the name of a token, of a user, or of a command."),
    Field(
      "address", .string, \.address,
      "The address of the client, which `trustedProxies` name for those behind them; empty for a command."
    ),
    Field("action", .string, \.action, "What was done."),
    Field("reason", .string, \.reason, "The reason, as given in `?reason=`."),
    Field("domain", .domain, \.domain, "The domain that was changed."),
    Field("app", .app, \.app, "The app that was changed."),
    Field("androidApp", .packageName, \.androidApp, "The Android app that was changed."),
    Field(
      "token", .string, \.token,
      "The name of the token that was created or revoked, or used to sign in or out."),
    Field(
      "webhook", .string, \.webhook,
      "The name of the webhook that was added, changed, tested, disabled or deleted."),
    Field("user", .string, \.user, "The name of the user who was added, changed or deleted."),
    Field("template", .template, \.template, "The template that was changed or deleted."),
    Field("group", .string, \.group, "The name of the group that was added, changed or deleted."),
    Field("revision", .revision, \.revision, "The revision that was published."),
    Field(
      "changes", .string, \.changes,
      "What changed in the domain, in words: each changed setting, and whether the document changed. "
        + "The revision's `diff` has the details.", unless: \.isEmpty),
    Field("change", .row, \.change, "The change of domains that it is about."),
    Field(
      "domainCount", .count, \.domainCount,
      "In the one record for a change of several domains: their number. `?domain=` and `?change=` find the records of "
        + "its parts."),
  ]

  static let schemas: JSON.Object = ["AuditRecord": fields.members().schema()]

  package static func json(_ record: AuditRecord) -> JSON { .object(fields.json(of: record)) }
}
