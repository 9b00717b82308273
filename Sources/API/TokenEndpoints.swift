import APITypes
import Association
import HTTP
import JSONValue
import Store

/// `/v1/tokens`.
struct TokenEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(.get, "/v1/tokens", .role(.admin)) { _ in
        .json(.ok, ["items": .array(try store.tokens().map(TokenResource.json))])
      },
      Endpoint(.post, "/v1/tokens", .role(.admin), query: QueryParameter.change, create),
      Endpoint(
        .delete, "/v1/tokens/{token}", .role(.admin), query: QueryParameter.change
      ) { call in
        let name = call.parameters["token"] ?? ""
        try store.write(call.context()) { try $0.revokeToken(name) }
        return Response(.noContent)
      },
    ]
  }

  /// The only answer that has the secret.
  private func create(_ call: Call) throws -> Response {
    let new = try Faults.collecting(in: try call.json(), TokenResource.read)
    let secret = try store.write(call.context()) {
      try $0.createToken(
        name: new.name, role: new.role, domains: new.domains, expiresAt: new.expiresAt)
    }
    let isDryRun = try call.context().isDryRun
    var object: JSON.Object = ["name": .string(new.name), "role": .string(new.role.rawValue)]
    object["domains"] = .strings(new.domains.map(\.description))
    object["expiresAt"] = .optional(new.expiresAt.map(Timestamp.text))
    if isDryRun { object["dryRun"] = true } else { object["token"] = .string(secret.text) }
    return .json(.created, .object(object))
  }
}
