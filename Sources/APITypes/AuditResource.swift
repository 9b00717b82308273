import Association
package import JSONValue
package import Store

/// A record of the audit in JSON.
package enum AuditResource {
  private static let fields: [Field<AuditRecord>] = [
    Field(
      "id", .integer(in: 1...Int.max), "Later records have higher numbers.",
      write: { .integer($0.id) }),
    Field("at", .time, "When it happened.", write: { .string(Timestamp.text($0.at)) }),
    Field(
      "author", .string, "Who did it: the name of a token, or of a command.",
      write: { .string($0.author) }),
    Field(
      "address", .string, "The address of the client; empty for a command.",
      write: { .string($0.address) }),
    Field("action", .string, "What was done.", write: { .string($0.action) }),
    Field("reason", .string, "Why, as given in `?reason=`.", write: { .string($0.reason) }),
    Field(
      "domain", .domain, "The domain that was changed.", .optional,
      write: { if case .domain(let name) = $0.subject { .string(name.text) } else { nil } }),
    Field(
      "app", .app, "The app that was changed.", .optional,
      write: { if case .app(let id) = $0.subject { .string(id.text) } else { nil } }),
    Field(
      "token", .string, "The name of the token that was created or revoked.", .optional,
      write: { if case .token(let name) = $0.subject { .string(name) } else { nil } }),
    Field(
      "revision", .revision, "The revision that was published.", .optional,
      write: { $0.revision.map { .integer($0) } }),
  ]

  static let schemas: JSON.Object = ["AuditRecord": fields.members().schema()]

  package static func json(_ record: AuditRecord) -> JSON { .object(fields.json(of: record)) }
}
