import Association
import HTTP
import Publishing
import Store

/// `/v1/findings`, `/v1/domains/{domain}/suppressions` and `/v1/suppressions`.
struct FindingEndpoints: Sendable {
  /// How long a request makes findings again that are out of date, before it answers with the others.
  private static let longestWait = Duration.seconds(2)

  let store: Store

  var all: [Endpoint] {
    let path = "/v1/domains/{domain}/suppressions"
    return [
      Endpoint(
        .get, "/v1/findings", .role(.viewer),
        query: [
          .limit, .findingCursor, .domainFindings, .label, .code, .severity, .minimumSeverity,
          .source,
          .suppressed,
        ], isFilteredByToken: true, isHeavy: true,
        "listFindings", .findings, "List the findings of all domains",
        description:
          "The linter's findings about what each domain serves, and those of its last check from outside.",
        answers: .ok(
          "A page, by domain. A token that is limited to domains sees only those.", "Findings"),
        handle: list),
      Endpoint(
        .get, path, .role(.viewer),
        "listSuppressions", .findings, "List the suppressions of a domain",
        answers: .ok(
          "All suppressions, including those that have ended.",
          .named("Suppressions", .object([Member("items", .list(of: "Suppression"))])))
      ) { call in
        let items = try store.suppressions(of: call.domain())
          .map { JSON.object(SuppressionResource.json($0)) }
        return .json(.ok, ["items": .array(items)])
      },
      Endpoint(
        .post, path, .role(.editor), effect: .change,
        "suppressFindings", .findings, "Suppress findings of a domain",
        description: "Findings of this code at this place are listed as suppressed until the given "
          + "time. Nothing is published. Errors of the linter cannot be suppressed, only accepted with "
          + "`accept`; errors of checks can. A domain whose errors are suppressed does not fail from the next "
          + "check on.",
        body: .json("NewSuppression"),
        answers: .created("The suppression.", "Suppression", links: ["deleteSuppression"]),
        handle: suppress),
      Endpoint(
        .delete, path + "/{suppression}", .role(.editor), effect: .change,
        "deleteSuppression", .findings, "End a suppression",
        answers: .deleted
      ) { call in
        let number = try call.row("suppression")
        let name = try call.domain()
        try store.write(call.context()) { try $0.deleteSuppression(number, of: name) }
        return Response(.noContent)
      },
      Endpoint(
        .get, "/v1/suppressions", .role(.viewer), isHeavy: true,
        "listSharedSuppressions", .findings, "List the suppressions of several domains",
        answers: .ok(
          "All of them, including those that have ended.",
          .named("SharedSuppressions", .object([Member("items", .list(of: "SharedSuppression"))])))
      ) { _ in
        let items = try store.sharedSuppressions().map { JSON.object(SuppressionResource.json($0)) }
        return .json(.ok, ["items": .array(items)])
      },
      Endpoint(
        .post, "/v1/suppressions", .role(.editor), effect: .change,
        "suppressShared", .findings, "Suppress findings of several domains",
        description:
          "Findings of this code are suppressed in all domains that a wildcard covers or that have a label, "
          + "also in those that are added, or get the label, later. `pointer` is a place in the document of each; it "
          + "follows no entry or route. Otherwise as for a single domain.",
        body: .json("NewSharedSuppression"),
        answers: .created(
          "The suppression.", "SharedSuppression", links: ["deleteSharedSuppression"]),
        handle: suppressShared),
      Endpoint(
        .delete, "/v1/suppressions/{suppression}", .role(.editor), effect: .change,
        "deleteSharedSuppression", .findings, "End a suppression of several domains",
        answers: .deleted
      ) { call in
        let number = try call.row("suppression")
        try store.write(call.context()) { try $0.deleteSharedSuppression(number) }
        return Response(.noContent)
      },
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = FindingFilter(
      domain: try call.query(.domainFindings).map { try Call.name($0, DomainName.init(_:)) },
      code: try call.word(.code, Finding.Code.self),
      severity: try call.word(.severity, Finding.Severity.self),
      source: try call.word(.source, Finding.Source.self),
      isSuppressed: try call.condition(.suppressed), label: try call.label(), within: call.scope,
      minimumSeverity: try call.word(.minimumSeverity, Finding.Severity.self) ?? .note)
    let last = try page.after.map(Self.place)
    try lintAgain(for: call)
    let list = try store.findings(filter, after: last, limit: page.limit + 1)
    var counts = JSON.Object()
    for (code, count) in list.counts { counts.appendNew(code, .integer(count)) }
    let total = list.counts.reduce(list.suppressed) { $0 + $1.count }
    return .page(
      list.page, limit: page.limit, total: total,
      beside: [
        "counts": .object(counts), "suppressed": .integer(list.suppressed),
        "pending": .integer(list.pendingDomains),
      ], item: \.json, cursor: { "\($0.position) \($0.domain)" })
  }

  /// Makes findings again that are out of date, for a short time. Usually none are.
  private func lintAgain(for call: Call) throws {
    let deadline = ContinuousClock.now + Self.longestWait
    do {
      try Relinting(store).run { .now > deadline || call.request.clientHasGone() }
    } catch StoreError.busy, StoreError.database, StoreError.readOnlyStore {
      // The answer says how many domains are pending.
    }
  }

  /// The place after which a page begins.
  private static func place(_ cursor: String) throws(Problem) -> (domain: String, position: Int) {
    let parts = cursor.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let position = Int(parts[0]) else {
      throw Problem(.malformedCursor, "\"cursor\" must be the \"next\" of a page.")
    }
    return (String(parts[1]), position)
  }

  private func suppressShared(_ call: Call) throws -> Response {
    let new = try Faults.collecting(in: try call.json()) {
      SuppressionResource.readShared($0, now: store.now())
    }
    let context = try call.context()
    let report = try store.write(context) { transaction in
      let (report, count) = try transaction.suppress(new)
      try SuppressionResource.check(report)
      if count > SharedSuppression.limit {
        throw InvalidInput(
          .tooMany,
          "There are \(SharedSuppression.limit) suppressions of several domains, the limit. Delete those that have ended."
        )
      }
      return report
    }
    return .json(.created, SuppressionResource.json(report), to: context)
  }

  private func suppress(_ call: Call) throws -> Response {
    let name = try call.domain()
    let new = try Faults.collecting(in: try call.json()) {
      SuppressionResource.read($0, now: store.now())
    }
    let context = try call.context()
    let report = try store.edit(context, of: name) { _ in
      try Relinting(store).run(for: name)
    } write: { transaction, _ in
      let (report, count) = try transaction.suppress(new, in: name)
      try SuppressionResource.check(report, in: name)
      if count > Suppression.limit {
        throw InvalidInput(
          .tooMany,
          "\"\(name)\" has \(Suppression.limit) suppressions, the limit. Delete those that have ended."
        )
      }
      return report
    }
    return .json(.created, SuppressionResource.json(report), to: context)
  }
}
