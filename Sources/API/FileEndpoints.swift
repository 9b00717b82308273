import APITypes
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
      Endpoint(
        .put, "/v1/domains/{domain}/file", .role(.editor), query: QueryParameter.publication, put),
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
      let name = try call.domain()
      let publication = try publisher.publish(call) {
        try $0.adopt(
          call.request.body, for: name, if: call.precondition(), accepting: call.acceptedCodes())
      }
      return try call.response(publication) { publication in
        ["domain": DomainResource.json(publication.edited.stored)]
      }
    }
  }
}
