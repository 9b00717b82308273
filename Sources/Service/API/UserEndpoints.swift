import Association
import HTTP
import Store

/// `/v1/users` and `/v1/groups`.
struct UserEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/users", .role(.admin),
        "listUsers", .users, "List users",
        description:
          "Users are people whom a trusted proxy names in the header that `adminUserHeader` sets.",
        answers: .ok("All users.", .named("Users", .object([Member("items", .list(of: "User"))])))
      ) { _ in
        .json(.ok, ["items": .array(try store.users().map { .object(UserResource.json($0)) })])
      },
      Endpoint(
        .put, "/v1/users/{user}", .role(.admin), effect: .change,
        "putUser", .users, "Add or replace a user, effective immediately",
        body: .json("UserInput"),
        problems: [.malformedPath, .tokenNameTaken, .approvalRequired],
        answers: .ok("The user existed.", "ChangedUser", links: ["deleteUser"]),
        .created("The user is new.", "ChangedUser", links: ["deleteUser"]),
        handle: { try put($0, .user) }),
      Endpoint(
        .delete, "/v1/users/{user}", .role(.admin), effect: .change,
        "deleteUser", .users, "Delete a user, effective immediately", answers: .deleted
      ) { call in
        try store.write(call.context()) { try $0.deleteUser(call.parameters["user"] ?? "") }
        return Response(.noContent)
      },
      Endpoint(
        .get, "/v1/groups", .role(.admin),
        "listGroups", .users, "List groups",
        description:
          "Groups are those of the identity provider that a trusted proxy lists in the header that `adminGroupsHeader` "
          + "sets. A person has the most that they have by themselves or by any of their groups.",
        answers: .ok(
          "All groups.", .named("Groups", .object([Member("items", .list(of: "Group"))])))
      ) { _ in
        let groups = try store.users(.group)
        return .json(.ok, ["items": .array(groups.map { .object(UserResource.json($0)) })])
      },
      Endpoint(
        .put, "/v1/groups/{group}", .role(.admin), effect: .change,
        "putGroup", .users, "Add or replace a group, effective immediately",
        body: .json("GroupInput"), problems: [.malformedPath, .approvalRequired],
        answers: .ok("The group existed.", "ChangedGroup", links: ["deleteGroup"]),
        .created("The group is new.", "ChangedGroup", links: ["deleteGroup"])
      ) { try put($0, .group) },
      Endpoint(
        .delete, "/v1/groups/{group}", .role(.admin), effect: .change,
        "deleteGroup", .users, "Delete a group, effective immediately", answers: .deleted
      ) { call in
        try store.write(call.context()) {
          try $0.deleteUser(call.parameters["group"] ?? "", .group)
        }
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
    var object = UserResource.json(put.user)
    if context.isDryRun { object["dryRun"] = true }
    return .json(put.isNew ? .created : .ok, .object(object))
  }
}
