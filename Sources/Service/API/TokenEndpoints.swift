import Association
import HTTP
import Store

/// `/v1/tokens`.
struct TokenEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/tokens", .role(.admin),
        "listTokens", .tokens, "List tokens",
        answers: .ok(
          "All tokens, without their secrets.",
          .named("Tokens", .object([Member("items", .list(of: "Token"))])))
      ) { _ in .json(.ok, ["items": .array(try store.tokens().map(TokenResource.json))]) },
      Endpoint(
        .post, "/v1/tokens", .role(.admin), effect: .change,
        "createToken", .tokens, "Create a token",
        body: .json("NewToken"), problems: [.tokenNameTaken, .approvalRequired],
        answers: .created(
          "The token. Its secret is never shown again.", "CreatedToken", links: ["revokeToken"]),
        handle: create),
      Endpoint(
        .delete, "/v1/tokens/{token}", .role(.admin), effect: .change,
        "revokeToken", .tokens, "Revoke a token, effective immediately",
        description: "Its open drafts are declined.", answers: .deleted
      ) { call in
        let name = call.parameters["token"] ?? ""
        try store.write(call.context()) { try $0.revokeToken(name) }
        return Response(.noContent)
      },
    ]
  }

  private func create(_ call: Call) throws -> Response {
    let new = try Faults.collecting(in: try call.json(), TokenResource.read)
    if new.publishesProtected { try call.checkPublishesProtected("give that right") }
    if let end = new.expiresAt, end <= store.now() {
      throw InvalidInput(
        .timePassed, at: JSONPointer.root.appending("expiresAt"),
        "\(end.text) has passed. Set a time in the future.")
    }
    let context = try call.context()
    let secret = try store.write(context) {
      try $0.createToken(
        name: new.name, role: new.role, domains: new.domains, labels: new.labels,
        documents: new.documents, publishesProtected: new.publishesProtected,
        expiresAt: new.expiresAt)
    }
    var object: JSON.Object = ["name": .string(new.name), "role": .string(new.role.rawValue)]
    object["domains"] = .strings(new.domains.map(\.description))
    if !new.labels.isEmpty { object["labels"] = .strings(new.labels.map(\.text)) }
    if !new.documents.isEmpty { object["documents"] = .strings(new.documents.map(\.text)) }
    if new.publishesProtected { object["publishesProtected"] = true }
    object["expiresAt"] = new.expiresAt.map(JSON.time) ?? .null
    if !context.isDryRun { object["token"] = .string(secret.text) }
    return .json(.created, object, to: context)
  }
}
