import APITypes
import Association
import HTTP
import JSONValue
import Store

/// `/v1/audit`.
struct AuditEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/audit", .role(.admin), query: QueryParameter.page + [.domain, .author], list)
    ]
  }

  /// The newest first; `?domain=` and `?author=` filter.
  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let filter = AuditFilter(
      domain: try call.query(.domain).map { try DomainName(inPath: $0) },
      author: call.query(.author), before: try call.numberAfter(page.after).map(Int64.init))
    let records = try store.audit(filter, limit: page.limit + 1)
    return .page(records, limit: page.limit, item: AuditResource.json, cursor: { String($0.id) })
  }
}
