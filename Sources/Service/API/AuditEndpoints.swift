import Association
import HTTP
import Store

/// `/v1/audit`.
struct AuditEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/audit", .role(.admin),
        query: .numberedPage + [.domainFilter, .author, .changeFilter, .since, .until],
        "listAudit", .audit, "List who did what, when and from where",
        description:
          "A change of several domains is one record. `domain` and `change` find the records of its parts, and of a change "
          + "of one domain its only record.",
        answers: .ok(
          "A page, newest first.", "AuditRecords"), handle: listAudit)
    ]
  }

  private func listAudit(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = AuditFilter(
      domain: try call.query(.domainFilter).map { try Call.name($0, DomainName.init(_:)) },
      author: call.query(.author), change: try call.number(.changeFilter),
      since: try call.time(.since), until: try call.time(.until),
      before: try call.numberAfter(page.after).map(Int64.init))
    let records = try store.audit(filter, limit: page.limit + 1)
    return .page(records, limit: page.limit, item: AuditResource.json, cursor: { String($0.id) })
  }
}

extension Call {
  /// The number of a change in the query.
  fileprivate func number(_ parameter: Parameter) throws(Problem) -> Int64? {
    guard let text = query(parameter) else { return nil }
    guard let number = Int64(text), number > 0 else {
      throw Problem(.unknownValue, "\"\(parameter.name)\" must be the number of a change.")
    }
    return number
  }

  /// A time in the query.
  fileprivate func time(_ parameter: Parameter) throws(Problem) -> UnixTime? {
    guard let text = query(parameter) else { return nil }
    guard let time = UnixTime(text) else {
      throw Problem(
        .unknownValue,
        "\"\(parameter.name)\" must be a time such as 2026-11-21T10:00:00Z, not \(text.quoted).")
    }
    return time
  }
}
