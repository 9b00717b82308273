import Association
import HTTP
import Store

/// `/v1/checks`, and `/v1/domains/{domain}/checks`.
struct CheckHistoryEndpoints: Sendable {
  let store: Store

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/checks", .role(.viewer), query: .page + [.checkStatus, .label],
        isFilteredByToken: true,
        "listChecks", .checks, "List how the last check of each domain ended",
        answers: .ok(
          "A page, by domain. A token that is limited to domains sees only those.", "CheckStates"),
        handle: list),
      Endpoint(
        .get, "/v1/domains/{domain}/checks", .role(.viewer), query: .numberedPage,
        "listChecksOfDomain", .checks, "List how the checks of a domain ended",
        description:
          "Consecutive checks with the same outcome form one item. Items are kept forever, even if the domain is "
          + "deleted.",
        answers: .ok("A page, newest first.", "CheckRuns"),
        handle: history),
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let (states, total) = try store.checks(
      call.word(.checkStatus, CheckStatus.self), label: call.label(),
      within: call.scope, after: page.after, limit: page.limit + 1)
    return .page(
      states, limit: page.limit, total: total, item: CheckHistoryResource.json,
      cursor: \.domain.text)
  }

  private func history(_ call: Call) throws -> Response {
    let page = try call.page()
    let runs = try store.checks(
      of: call.domain(), before: call.numberAfter(page.after).map(Int64.init),
      limit: page.limit + 1)
    return .page(
      runs, limit: page.limit, item: CheckHistoryResource.json, cursor: { String($0.id) })
  }
}
