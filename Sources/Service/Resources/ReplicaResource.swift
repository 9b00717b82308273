package import Association
package import Store

/// A server on the database in JSON.
package enum ReplicaResource {
  private static let fields: [Field<Replica>] = [
    Field("name", .string, \.name, "The name of its machine."),
    Field("url", .string, \.url, "Where its JSON API is reached."),
    Field("version", .string, \.version, "Its version."),
    Field("startedAt", .time, \.startedAt, "When it started."),
    Field("seenAt", .time, \.seenAt, "When it was last seen."),
    Field("applied", .position, \.applied, "The number of the last change that it serves."),
    Field(
      "lag", .position, \.lag,
      "How many changes behind it was when it was last seen."),
  ]

  static let schemas: JSON.Object = ["Replica": fields.members().schema()]

  package static func json(_ replica: Replica) -> JSON { .object(fields.json(of: replica)) }
}
