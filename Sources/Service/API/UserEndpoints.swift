import Association
import HTTP
import Store

/// `/v1/users` and `/v1/groups`.
struct UserEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    endpoints(
      .user, "User", [.tokenNameTaken],
      "Users are people whom a trusted proxy names in the header that `adminUserHeader` sets.")
      + endpoints(
        .group, "Group", [],
        "Groups are those of the identity provider that a trusted proxy lists in the header that `adminGroupsHeader` "
          + "sets. A person has the most that they have by themselves or by any of their groups.")
  }

  private func endpoints(
    _ kind: UserKind, _ schema: String, _ problems: [Problem.Code], _ description: String
  ) -> [Endpoint] {
    let noun = kind.rawValue
    let (path, one) = ("/v1/\(noun)s", "/v1/\(noun)s/{\(noun)}")
    return [
      Endpoint(
        .get, path, .role(.admin),
        "list\(schema)s", .users, "List \(noun)s", description: description,
        answers: .ok(
          "All \(noun)s.",
          .named("\(schema)s", .object([Member("items", .list(of: .shared(schema)))])))
      ) { _ in
        .json(.ok, ["items": .array(try store.users(kind).map { .object(UserResource.json($0)) })])
      },
      Endpoint(
        .put, one, .role(.admin), effect: .change,
        "put\(schema)", .users, "Add or replace a \(noun), effective immediately",
        body: .json(.shared("\(schema)Input")),
        problems: [.malformedPath] + problems + [.approvalRequired],
        answers: .ok(
          "The \(noun) existed.", .shared("Changed\(schema)"), links: ["delete\(schema)"]),
        .created("The \(noun) is new.", .shared("Changed\(schema)"), links: ["delete\(schema)"])
      ) { try put($0, kind) },
      Endpoint(
        .delete, one, .role(.admin), effect: .change,
        "delete\(schema)", .users, "Delete a \(noun), effective immediately",
        description: kind == .user ? "The user's open drafts are declined." : "",
        answers: .deleted
      ) { call in
        try store.write(call.context()) { try $0.deleteUser(call.parameters[noun] ?? "", kind) }
        return Response(.noContent)
      },
    ]
  }

  private func put(_ call: Call, _ kind: UserKind) throws -> Response {
    let name = try call.newName(kind.rawValue, longest: User.longestName)
    if kind == .group && name.contains(",") {
      throw Problem(
        .malformedPath, "The name of a group has no comma: proxies put commas between groups.")
    }
    let new = try Faults.collecting(in: try call.json()) { UserResource.read($0, name) }
    if new.publishesProtected { try call.checkPublishesProtected("give that right") }
    let context = try call.context()
    let put = try store.write(context) { try $0.put(new, as: kind) }
    return .json(put.isNew ? .created : .ok, UserResource.json(put.user), to: context)
  }
}
