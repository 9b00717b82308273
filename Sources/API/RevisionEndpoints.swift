import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains/{domain}/revisions`.
struct RevisionEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/revisions"
    return [
      Endpoint(.get, path, .role(.viewer), list),
      Endpoint(.get, path + "/{revision}", .role(.viewer)) { call in
        .json(.ok, RevisionResource.json(try find(call).revision))
      },
      Endpoint(.get, path + "/{revision}/file", .role(.viewer)) { call in
        let (document, revision) = try find(call)
        return Response(
          .ok,
          fields: [
            Field("Content-Type", "application/json"), Field("ETag", "\"\(revision.number)\""),
          ], body: document)
      },
      Endpoint(.post, path + "/{revision}/restore", .role(.editor), restore),
    ]
  }

  private func find(_ call: Call) throws -> (document: [UInt8], revision: Revision) {
    try publisher.store.revision(Int(call.row("revision")), of: call.domain())
  }

  /// The newest first; the cursor is the number of the last one of the page before.
  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let before = try call.numberAfter(page.after)
    let revisions = try publisher.store.revisions(
      of: call.domain(), before: before, limit: page.limit + 1)
    return .page(
      revisions, limit: page.limit, item: RevisionResource.json, cursor: { String($0.number) })
  }

  private func restore(_ call: Call) throws -> Response {
    let name = try call.domain()
    let number = Int(try call.row("revision"))
    let publication = try publisher.write(call.context()) {
      try $0.restore(
        number, of: name, if: call.precondition(), accepting: call.acceptedCodes())
    }
    return try call.response(publication) { publication in
      ["domain": DomainResource.json(publication.edited.stored)]
    }
  }
}

extension Call {
  /// A cursor that is a number.
  func numberAfter(_ cursor: String?) throws(Problem) -> Int? {
    guard let cursor else { return nil }
    guard let number = Int(cursor) else {
      throw Problem(.badRequest, "malformed-cursor", "“cursor” must be the “next” of a page.")
    }
    return number
  }
}
