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
          "The token. Its secret is never shown again.", "CreatedToken",
          links: ["rotateToken", "revokeToken"]),
        handle: create),
      rotation,
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

  private var rotation: Endpoint {
    var body = Body.json("TokenRotation")
    body.isRequired = false
    return Endpoint(
      .post, "/v1/tokens/{token}/rotate", .role(.admin), effect: .change,
      "rotateToken", .tokens, "Give a token a new secret",
      description:
        "The old secret, and the sessions that began with it, are refused from then on. The name, the role, the limits and "
        + "the open drafts of the token stay.",
      body: body, problems: [.approvalRequired],
      answers: .ok("The token. Its secret is never shown again.", "CreatedToken"), handle: rotate)
  }

  private func rotate(_ call: Call) throws -> Response {
    let isEmpty = call.request.body.isEmpty
    let rotation =
      try isEmpty
      ? TokenResource.Rotation()
      : Faults.collecting(in: try call.json(), TokenResource.readRotation)
    try checkIsLater(rotation.expiresAt)
    let (name, context) = (call.parameters["token"] ?? "", try call.context())
    let (token, secret) = try store.write(context) { transaction in
      // Whoever has the secret has the right.
      if try transaction.token(name).publishesProtected {
        try call.checkPublishesProtected("rotate the token of one")
      }
      return try transaction.rotateToken(name, expiresAt: rotation.expiresAt)
    }
    var object = TokenResource.created(token)
    if !context.isDryRun { object["token"] = .string(secret.text) }
    return .json(.ok, object, to: context)
  }

  private func checkIsLater(_ end: UnixTime?) throws {
    guard let end, end <= store.now() else { return }
    throw InvalidInput(
      .timePassed, at: JSONPointer.root.appending("expiresAt"),
      "\(end.text) has passed. Set a time in the future.")
  }

  private func create(_ call: Call) throws -> Response {
    let new = try Faults.collecting(in: try call.json(), TokenResource.read)
    if new.publishesProtected { try call.checkPublishesProtected("give that right") }
    try checkIsLater(new.expiresAt)
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
