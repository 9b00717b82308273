import Association
import HTTP
import Publishing
import Store

/// The history of a domain: `/v1/domains/{domain}/revisions`, `…/diff` and `…/fetches`.
struct RevisionEndpoints: Sendable {
  let publisher: Publisher

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/revisions"
    return [
      Endpoint(
        .get, path, .role(.viewer), query: .numberedPage,
        "listRevisions", .revisions, "List the revisions of a domain",
        answers: .ok("A page, newest first.", "Revisions"),
        handle: list),
      Endpoint(
        .get, path + "/{revision}", .role(.viewer),
        "getRevision", .revisions, "Read a revision",
        answers: .ok("The revision.", "PublishedRevision")
      ) { call in .json(.ok, try RevisionResource.json(find(call))) },
      Endpoint(
        .get, path + "/{revision}/file", .role(.viewer),
        "getRevisionFile", .revisions, "Read Apple's file of a revision",
        problems: [.documentNotFound],
        answers: .ok("The document, byte for byte.", .object, isTagged: true)
      ) { call in try .file(.apple, of: find(call)) },
      Endpoint(
        .get, path + "/{revision}/documents/{kind}", .role(.viewer),
        "getRevisionDocument", .revisions, "Read a document of a revision",
        answers: .ok("The document, byte for byte.", .any, isTagged: true)
      ) { call in try .file(call.kind(), of: find(call)) },
      Endpoint(
        .post, path + "/{revision}/restore", .role(.editor), effect: .publication,
        query: [.detach],
        "restoreRevision", .revisions, "Roll back to a revision",
        description:
          "Brings back its documents and what was published with them: `aliases`, `enabled`, `cacheSeconds`, `fallback`, "
          + "`changePassword`. `environment`, `strict`, `protected`, `labels`, `managedBy` and the expectations stay as "
          + "they are, and the old documents must meet these expectations. If the `settings` of "
          + "the revision are null, only the documents come back. A domain goes on using the template that it used "
          + "then; if that has changed, so that something would stay different, this needs `detach=true`.",
        problems: [.templateChanged],
        answers: .ok("The new revision.", "PublishedDomain"),
        handle: restore),
      Endpoint(
        .get, "/v1/domains/{domain}/diff", .role(.viewer), query: [.from, .to], isHeavy: true,
        "compareRevisions", .revisions, "Compare two revisions by meaning",
        answers: .ok(
          "What changed from `from` to `to`: the documents, and all other settings.",
          "RevisionComparison"),
        handle: compareRevisions),
      Endpoint(
        .post, "/v1/domains/{domain}/diff", .role(.viewer), query: [.from],
        "compareDocument", .revisions, "Compare a document with a revision by meaning",
        description:
          "Nothing is stored. The kind of the document is detected from its content; the other documents stay "
          + "as they are in the revision.",
        body: .json(.any, size: .document),
        answers: .ok("What changed from the revision to the document.", "RevisionComparison"),
        handle: compareDocument),
      Endpoint(
        .get, "/v1/domains/{domain}/fetches", .role(.viewer), query: [.kind] + .numberedPage,
        "listFetches", .fetches,
        "Show who fetched which revision, and whether Apple has the current one",
        description:
          "Of one kind of document: by default, the first that the domain publishes. "
          + "Fetchers are recognized by their User-Agent, which anyone can fake. Fetches are counted in "
          + "memory and stored every 2 to 30 seconds, so their times are up to 30 seconds late.",
        answers: .ok(
          "Totals for the domain, its current revision, and a page of revisions, newest first.",
          "Fetches"), handle: listFetches),
    ]
  }

  private func find(_ call: Call) throws -> PublishedRevision {
    try publisher.store.revision(Int(call.row("revision")), of: call.domain())
  }

  /// Newest first; the cursor is the last number of the previous page.
  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let before = try call.numberAfter(page.after)
    let revisions = try publisher.store.revisions(
      of: call.domain(), before: before, limit: page.limit + 1)
    return .page(
      revisions, limit: page.limit, item: RevisionResource.json, cursor: { String($0.number) })
  }

  /// By default, `to` is the current revision, and `from` the previous one that still exists.
  private func compareRevisions(_ call: Call) throws -> Response {
    let store = publisher.store
    let to = try store.revision(call.number(.to), of: call.domain())
    let number =
      try call.number(.from)
      ?? store.revisions(of: call.domain(), before: to.revision.number, limit: 1).first?.number
      ?? to.revision.number
    let from = try store.revision(number, of: call.domain())
    return try compare(call, from, to.revision.number, try to.state())
  }

  /// By default, `from` is the revision that is served.
  private func compareDocument(_ call: Call) throws -> Response {
    let from = try publisher.store.revision(call.number(.from), of: call.domain())
    var documents = try ReadDocuments(stored: from.documents).json
    let document = try call.json()
    documents[DocumentKind(ofFile: call.request.body)] = document
    return try compare(
      call, from, nil, DomainComparison.State(ReadDocuments(documents), from.domain()))
  }

  private func compare(
    _ call: Call, _ from: PublishedRevision, _ number: Int?, _ to: DomainComparison.State
  ) throws -> Response {
    let comparison: DomainComparison
    do {
      comparison = try DomainComparison(of: call.domain(), from: from.state(), to: to)
    } catch let error as TooComplex {
      throw InvalidInput(.tooComplex, "\(error) \(error.help)")
    }
    var object: JSON.Object = ["from": .integer(from.revision.number)]
    object["to"] = number.map { .integer($0) }
    for member in FindingResource.json(comparison).members { object[member.key] = member.value }
    return .json(.ok, .object(object))
  }

  private func restore(_ call: Call) throws -> Response {
    try call.answer(
      publisher.restore(
        Int(call.row("revision")), of: call.domain(), if: call.precondition(),
        accepting: call.acceptedCodes(), detaching: call.flag(.detach), by: call.context(),
        checking: call.checkAlias))
  }

  /// The totals of the domain, the revision that is served, and a page of revisions, newest first.
  private func listFetches(_ call: Call) throws -> Response {
    let page = try call.page()
    let domain = try call.domain()
    let report = try publisher.store.fetches(
      of: domain, try call.word(.kind, DocumentKind.self),
      before: try call.numberAfter(page.after), limit: page.limit + 1)
    return .page(
      report.revisions, limit: page.limit, beside: FetchResource.members(report, of: domain),
      item: FetchResource.json, cursor: { String($0.revision.number) })
  }
}

extension PublishedRevision {
  fileprivate func state() throws -> DomainComparison.State {
    try DomainComparison.State(ReadDocuments(stored: documents), domain())
  }
}

extension Call {
  /// A revision number in the query.
  fileprivate func number(_ parameter: Parameter) throws(Problem) -> Int? {
    guard let text = query(parameter) else { return nil }
    guard let number = Int(text), number > 0 else {
      throw Problem(.malformedRevision, "\"\(parameter.name)\" must be a revision number.")
    }
    return number
  }
}
