import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains` and `/v1/domains/{domain}`.
struct DomainEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    [
      Endpoint(.get, "/v1/domains", .role(.viewer), list),
      Endpoint(.get, "/v1/domains/{domain}", .role(.viewer), get),
      Endpoint(.put, "/v1/domains/{domain}", .role(.editor), put),
      Endpoint(.patch, "/v1/domains/{domain}", .role(.editor), patch),
      Endpoint(.delete, "/v1/domains/{domain}", .role(.editor)) { call in
        let name = try call.domain()
        try publisher.write(call.context()) { try $0.delete(name, if: call.precondition()) }
        return Response(.noContent)
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let domains = try publisher.store.domains(after: page.after, limit: page.limit + 1)
    return .page(
      domains, limit: page.limit, total: try publisher.store.domainCount(),
      item: DomainResource.summary, cursor: \.name.text)
  }

  private func get(_ call: Call) throws -> Response {
    let stored = try publisher.store.domain(call.domain())
    return .json(.ok, DomainResource.json(stored), fields: [stored.entityTag])
  }

  private func put(_ call: Call) throws -> Response {
    let name = try call.domain()
    let json = try call.json()
    return try publisher.respond(to: call, "put domain") { old in
      try read(json, name, old?.domain, call)
    } answer: { publication in
      ["domain": DomainResource.json(publication.edited.stored)]
    }
  }

  /// RFC 7396: members of the body replace those of the domain, `null` resets them.
  private func patch(_ call: Call) throws -> Response {
    let name = try call.domain()
    guard case .object(let patch) = try call.json() else {
      throw Problem(.unprocessableContent, "invalid-input", "The body must be an object.")
    }
    return try publisher.respond(to: call, "patch domain") { old in
      guard let old else { throw StoreError.notFound(.domain(name)) }
      return try read(DomainResource.json(old).merging(patch), name, old.domain, call)
    } answer: { publication in
      ["domain": DomainResource.json(publication.edited.stored)]
    }
  }

  private func read(
    _ json: JSON, _ name: DomainName, _ old: Domain?, _ call: Call
  ) throws -> Domain {
    var domain = try Faults.collecting(in: json) {
      DomainResource.read($0, name: name, keeping: old?.expectations ?? [])
    }
    if let old { domain.document = domain.document.keepingRows(of: old.document) }
    for alias in domain.aliases { try call.token?.check(alias) }
    return domain
  }
}

extension JSON {
  /// The object after a merge patch (RFC 7396).
  fileprivate func merging(_ patch: JSON.Object) -> JSON {
    var members = objectValue ?? [:]
    for member in patch.members {
      switch member.value {
      case .null: members[member.key] = nil
      case .object(let inner):
        members[member.key] = (members[member.key] ?? [:]).merging(inner)
      default: members[member.key] = member.value
      }
    }
    return .object(members)
  }
}

extension StoredDomain {
  /// The revision as an entity tag.
  var entityTag: Field { Field("ETag", "\"\(revision)\"") }
}
