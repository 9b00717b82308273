package import Association
package import JSONValue
package import Store

/// A token in JSON.
package enum TokenResource {
  /// A token that is asked for.
  package struct New {
    package let name: String
    package let role: Role
    package let domains: [Alias]
    package let expiresAt: Int64?
  }

  package static func json(_ token: Token) -> JSON {
    [
      "name": .string(token.name), "role": .string(token.role.rawValue),
      "domains": .strings(token.domains.map(\.description)),
      "createdAt": .string(Timestamp.text(token.createdAt)),
      "expiresAt": .optional(token.expiresAt.map(Timestamp.text)),
      "lastUsedAt": .optional(token.lastUsedAt.map(Timestamp.text)),
    ]
  }

  package static func read(_ input: Input) -> New? {
    guard let object = input.object(["name", "role", "domains", "expiresAt"]),
      let name = object.required("name")?.name(longest: 100),
      let role = object.required("role")?.word(Role.self)
    else { return nil }
    return New(
      name: name, role: role, domains: object["domains"]?.list { $0.parse(Alias.init(_:)) } ?? [],
      expiresAt: object["expiresAt"]?.time)
  }
}
