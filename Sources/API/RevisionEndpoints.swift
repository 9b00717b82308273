import APITypes
import Association
import HTTP
import JSONValue
import Publishing
import Store

/// `/v1/domains/{domain}/revisions` and `/v1/domains/{domain}/diff`.
struct RevisionEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/revisions"
    return [
      Endpoint(.get, path, .role(.viewer), query: QueryParameter.page, list),
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
      Endpoint(
        .post, path + "/{revision}/restore", .role(.editor), query: QueryParameter.publication,
        restore),
      Endpoint(
        .get, "/v1/domains/{domain}/diff", .role(.viewer), query: [.from, .to], compareRevisions),
      Endpoint(
        .post, "/v1/domains/{domain}/diff", .role(.viewer), query: [.from], compareDocument),
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

  /// What the revision `to` (the one that is served) says differently than `from` (the one that is kept
  /// before it).
  private func compareRevisions(_ call: Call) throws -> Response {
    let to = try document(call.number(.to), call)
    let before = try publisher.store.revisions(of: call.domain(), before: to.number, limit: 1).first
    let from = try document(call.number(.from) ?? before?.number ?? to.number, call)
    return try compare(call, from, to)
  }

  /// What the document in the body says differently than the revision `from` (the one that is served).
  private func compareDocument(_ call: Call) throws -> Response {
    let from = try document(call.number(.from), call)
    return try compare(call, from, (nil, try call.json()))
  }

  private func document(
    _ number: Int?, _ call: Call
  ) throws -> (number: Int, document: JSON) {
    let (bytes, revision) = try publisher.store.revision(number, of: call.domain())
    return (revision.number, try JSON.parse(bytes).value)
  }

  private func compare(
    _ call: Call, _ from: (number: Int, document: JSON), _ to: (number: Int?, document: JSON)
  ) throws -> Response {
    let comparison = DocumentComparison(
      from: from.document, to: to.document, domain: try call.domain().text)
    var object: JSON.Object = ["from": .integer(from.number)]
    object["to"] = to.number.map { .integer($0) }
    for member in comparison.json.objectValue?.members ?? [] { object[member.key] = member.value }
    return .json(.ok, .object(object))
  }

  private func restore(_ call: Call) throws -> Response {
    let name = try call.domain()
    let number = Int(try call.row("revision"))
    let publication = try publisher.publish(call) {
      try $0.restore(
        number, of: name, if: call.precondition(), accepting: call.acceptedCodes())
    }
    return try call.response(publication) { publication in
      ["domain": DomainResource.json(publication.edited.stored)]
    }
  }
}

extension Call {
  /// A parameter of the query that is a number of a revision; `nil` without it.
  fileprivate func number(_ parameter: QueryParameter) throws(Problem) -> Int? {
    guard let text = query(parameter) else { return nil }
    guard let number = Int(text), number > 0 else {
      throw Problem(
        .badRequest, "malformed-revision",
        "“\(parameter.rawValue)” must be the number of a revision.")
    }
    return number
  }

  /// A cursor that is a number.
  func numberAfter(_ cursor: String?) throws(Problem) -> Int? {
    guard let cursor else { return nil }
    guard let number = Int(cursor) else {
      throw Problem(.badRequest, "malformed-cursor", "“cursor” must be the “next” of a page.")
    }
    return number
  }
}
