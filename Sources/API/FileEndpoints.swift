import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains/{domain}/file`.
struct FileEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    [
      Endpoint(.get, "/v1/domains/{domain}/file", .role(.viewer), get),
      Endpoint(.put, "/v1/domains/{domain}/file", .role(.editor), put),
    ]
  }

  private func get(_ call: Call) throws -> Response {
    let (document, revision) = try publisher.store.currentDocument(of: call.domain())
    return Response(
      .ok,
      fields: [
        Field("Content-Type", "application/json"), Field("ETag", "\"\(revision.number)\""),
      ], body: document)
  }

  /// Adopts a file. Its media type does not count: such files are often sent without a right one.
  private func put(_ call: Call) throws -> Response {
    try call.putting {
      let publication = try publisher.adopt(
        call.request.body, for: call.domain(), if: call.precondition(),
        by: call.attribution("adopt file"), accepting: call.acceptedCodes())
      return publication.response(status: publication.edited.isNew ? .created : .ok) { _ in
        ["domain": DomainResource.json(publication.edited.stored)]
      }
    }
  }
}
