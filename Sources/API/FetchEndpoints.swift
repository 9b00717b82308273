import APITypes
import Association
import HTTP
import JSONValue
import Store

/// `/v1/domains/{domain}/fetches`.
struct FetchEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/domains/{domain}/fetches", .role(.viewer), query: QueryParameter.page, report)
    ]
  }

  /// Of the domain as a whole, of the revision that is served, and of a page of revisions, the newest
  /// first.
  private func report(_ call: Call) throws -> Response {
    let page = try call.page()
    let domain = try call.domain()
    let report = try store.fetches(
      of: domain, before: try call.numberAfter(page.after), limit: page.limit + 1)
    return .page(
      report.revisions, limit: page.limit, beside: FetchResource.members(report, of: domain),
      item: FetchResource.json, cursor: { String($0.revision.number) })
  }
}
