import Association
import HTTP
import Store

/// `/v1/users`.
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
        problems: [.malformedPath, .tokenNameTaken],
        answers: .ok("The user existed.", "ChangedUser", links: ["deleteUser"]),
        .created("The user is new.", "ChangedUser", links: ["deleteUser"]),
        handle: put),
      Endpoint(
        .delete, "/v1/users/{user}", .role(.admin), effect: .change,
        "deleteUser", .users, "Delete a user, effective immediately", answers: .deleted
      ) { call in
        try store.write(call.context()) { try $0.deleteUser(call.parameters["user"] ?? "") }
        return Response(.noContent)
      },
    ]
  }

  private func put(_ call: Call) throws -> Response {
    let name = try call.newName("user", longest: User.longestName)
    let new = try Faults.collecting(in: try call.json()) { UserResource.read($0, name) }
    let context = try call.context()
    let put = try store.write(context) { try $0.put(new) }
    var object = UserResource.json(put.user)
    if context.isDryRun { object["dryRun"] = true }
    return .json(put.isNew ? .created : .ok, .object(object))
  }
}
