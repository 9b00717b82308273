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
      Endpoint(
        .get, "/v1/domains", .role(.viewer),
        query: QueryParameter.page + [.q, .app, .environment, .enabled, .finding],
        isFilteredByToken: true, list),
      Endpoint(.get, "/v1/domains/{domain}", .role(.viewer), get),
      Endpoint(
        .put, "/v1/domains/{domain}", .role(.editor), query: QueryParameter.publication, put),
      Endpoint(
        .patch, "/v1/domains/{domain}", .role(.editor), query: QueryParameter.publication, patch),
      Endpoint(
        .delete, "/v1/domains/{domain}", .role(.editor), query: QueryParameter.change
      ) { call in
        let name = try call.domain()
        try publisher.write(call.context()) { try $0.delete(name, if: call.precondition()) }
        return Response(.noContent)
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = try call.domainFilter()
    let domains = try publisher.store.domains(filter, after: page.after, limit: page.limit + 1)
    return .page(
      domains, limit: page.limit, total: try publisher.store.domainCount(filter),
      item: DomainResource.summary, cursor: \.name.text)
  }

  private func get(_ call: Call) throws -> Response {
    let stored = try publisher.store.domain(call.domain())
    return .json(.ok, DomainResource.json(stored), fields: [stored.entityTag])
  }

  private func put(_ call: Call) throws -> Response {
    let name = try call.domain()
    let json = try call.json()
    return try call.putting {
      try publisher.respond(to: call, "put domain") { old in
        try read(json, name, over: old, call)
      } answer: { publication in
        ["domain": DomainResource.json(publication.edited.stored)]
      }
    }
  }

  /// RFC 7396: members of the body replace those of the domain, `null` resets them.
  private func patch(_ call: Call) throws -> Response {
    let name = try call.domain()
    let patch = try call.json()
    return try publisher.respond(to: call, "patch domain") { old in
      guard let old else { throw StoreError.notFound(.domain(name)) }
      var merged = DomainResource.json(old).merging(patch)
      // Left out, expectations stay; `null` resets them as it does any other member.
      if patch["expectations"] == .null { merged = merged.merging(["expectations": []]) }
      return try read(merged, name, over: old, call)
    } answer: { publication in
      ["domain": DomainResource.json(publication.edited.stored)]
    }
  }

  private func read(
    _ json: JSON, _ name: DomainName, over old: StoredDomain?, _ call: Call
  ) throws -> Domain {
    let domain = try Faults.collecting(in: json) {
      DomainResource.read($0, name: name, keeping: old?.domain.expectations ?? [])
    }
    // An alias that is there already was allowed by whoever added it.
    let before = Set(old?.domain.aliases ?? [])
    for alias in domain.aliases where !before.contains(alias) { try call.token?.check(alias) }
    return domain
  }
}

extension Call {
  /// The filters of a list of domains: `q`, `app`, `environment`, `enabled`, `finding`, and what the
  /// token is limited to.
  fileprivate func domainFilter() throws -> DomainFilter {
    do {
      return DomainFilter(
        text: query(.q), app: try query(.app).map { try AppIdentifier($0) },
        environment: try word(.environment, App.Environment.self),
        isEnabled: try word(.enabled, Flag.self).map { $0 == .true },
        finding: try word(.finding, Finding.Code.self)?.rawValue, within: token?.domains ?? [])
    } catch let error as ValidationError {
      throw Problem(.badRequest, error.code.rawValue, error.message)
    }
  }

  private enum Flag: String, CaseIterable {
    case `true`, `false`
  }

  private func word<Words: RawRepresentable<String> & CaseIterable>(
    _ parameter: QueryParameter, _: Words.Type
  ) throws(Problem) -> Words? {
    guard let text = query(parameter) else { return nil }
    if let word = Words(rawValue: text) { return word }
    let words = Words.allCases.map(\.rawValue).joined(separator: ", ")
    throw Problem(
      .badRequest, "unknown-value", "“\(parameter.rawValue)” must be one of \(words).")
  }
}

extension StoredDomain {
  /// The revision as an entity tag.
  var entityTag: Field { Field("ETag", "\"\(revision)\"") }
}
