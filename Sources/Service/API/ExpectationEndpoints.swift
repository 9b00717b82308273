import Association
import HTTP
import Publishing
import Store

/// `/v1/domains/{domain}/expectations`.
struct ExpectationEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/expectations"
    return [
      Endpoint(
        .get, path, .role(.viewer),
        "getExpectations", .expectations, "Read the expectations of a domain",
        answers: .ok("All expectations.", "Expectations", isTagged: true)
      ) { call in
        let stored = try publisher.store.domain(call.domain())
        return .json(.ok, .object(Self.list(stored.domain)), fields: [stored.entityTag])
      },
      Endpoint(
        .put, path, .role(.editor), effect: .publication,
        "setExpectations", .expectations, "Replace the expectations of a domain",
        description: "The current document must meet each of them.",
        body: .json("Expectations", size: .document),
        answers: .ok(
          "All expectations.", "PublishedExpectations"), handle: put),
    ]
  }

  private static func list(_ domain: Domain) -> JSON.Object {
    ["expectations": .array(domain.own.expectations.map(ExpectationResource.json))]
  }

  /// Sets the whole list, which the current document must meet.
  private func put(_ call: Call) throws -> Response {
    let body = try call.json()
    return try publisher.edit(call, "set expectations") { domain in
      let old = domain.expectations
      domain.expectations = try Faults.collecting(in: body) { input in
        input.object(["expectations"])?.required("expectations").flatMap(
          ExpectationResource.readList)
      }
      try Faults.collecting(in: body) {
        DomainResource.checkExpectations(domain, at: $0, keeping: old)
      }
    } answer: {
      Self.list($0.domain)
    }
  }
}
