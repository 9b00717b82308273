package import Association
package import Store

/// Users in JSON, and groups, which have the same members.
package enum UserResource {
  private static let fields: [Field<User>] = [
    Field("name", .string, \.name, "The name, as the proxy sends it."),
    Field(
      "role", .word("Role"), \.role, "What the user, or everybody in the group, may do.", .required),
    Field(
      "domains", .list(of: .alias, limit: 100), \.domains,
      "The domains the user is limited to; empty for all. Default: all."),
    Field(
      "labels", .labels, \.labels,
      "Labels of which each of these domains has one; left out or empty for any domain. With labels, the user cannot "
        + "add domains or names, or change labels.", unless: \.isEmpty),
    Field(
      "publishesProtected", .bool, \.publishesProtected,
      "\(TokenResource.protectedDocumentation) Left out if false, the default.",
      unless: { !$0 }),
    Field("createdAt", .time, \.createdAt, "When the user was added.", .readOnly),
    Field("updatedAt", .time, \.updatedAt, "When the user last changed.", .readOnly),
  ]

  static let schemas: JSON.Object = [
    "User": fields.members().schema(),
    "UserInput": fields.members().schema(for: .request),
    "ChangedUser": (fields.members() + .dryRun).schema(),
    "Group": fields.members().schema(),
    "GroupInput": fields.members().schema(for: .request),
    "ChangedGroup": (fields.members() + .dryRun).schema(),
  ]

  package static func json(_ user: User) -> JSON.Object { fields.json(of: user) }

  /// Reads a user whose name is in the path.
  package static func read(_ body: BodyValue, _ name: String) -> User? {
    var user = User(name: name)
    let isComplete = body.read(fields, into: &user)
    body.check(name: user.name, isThatOfPath: name)
    return isComplete ? user : nil
  }
}
