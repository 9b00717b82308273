import Association
import HTTP
import Store

/// `/v1/audit`.
struct AuditEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/audit", .role(.admin), query: .numberedPage + [.domainFilter, .author],
        "listAudit", .audit, "List who did what, when and from where",
        answers: .ok(
          "A page, newest first.", "AuditRecords"), handle: listAudit)
    ]
  }

  private func listAudit(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = AuditFilter(
      domain: try call.query(.domainFilter).map { try Call.name($0, DomainName.init(_:)) },
      author: call.query(.author), before: try call.numberAfter(page.after).map(Int64.init))
    let records = try store.audit(filter, limit: page.limit + 1)
    return .page(records, limit: page.limit, item: AuditResource.json, cursor: { String($0.id) })
  }
}
