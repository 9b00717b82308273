import Association
import HTTP
import Publishing
import Store

/// `/v1/changes`.
struct ChangeEndpoints: Sendable {
  let publisher: Publisher
  let state: StateEndpoints
  private var store: Store { publisher.store }

  var all: [Endpoint] {
    let path = "/v1/changes/{change}"
    return [
      Endpoint(
        .get, "/v1/changes", .role(.viewer), query: .numberedPage + [.author, .domainFilter],
        isFilteredByToken: true,
        "listChanges", .changes, "List changes",
        description:
          "A change is what one author did at once to one domain or many. A token that is limited to domains sees "
          + "the changes of those; its pages may have fewer of them than `limit`, or none, before the last one.",
        answers: .ok("A page, newest first.", "Changes"),
        handle: list),
      Endpoint(
        .get, path, .role(.viewer), query: .page, isFilteredByToken: true,
        "getChange", .changes, "Read a change with its domains",
        answers: .ok(
          "The change, and a page of its domains, by name.", "ChangeWithDomains",
          links: ["revertChange"]),
        handle: get),
      Endpoint(
        .post, path + "/revert", .role(.editor), roleForDryRun: .viewer, effect: .publications,
        query: [.skipChanged, .detach], isFilteredByToken: true, isHeavy: false,
        "revertChange", .changes, "Undo a change",
        description:
          "Each domain goes back to its revision before the change, with all of its settings and expectations. A domain "
          + "that the change created is deleted, and one that it deleted is restored. Apps and templates go back as well, but "
          + "none is deleted. All of it is undone, or nothing. A token that is limited to domains must cover all domains of the "
          + "change.",
        problems: [
          .changedSince, .notRevertible, .tooMuchWork, .revisionPruned, .templateChanged,
        ],
        answers: .ok("What changed or, for a dry run, would change.", "Plan"), handle: revert),
    ]
  }

  private func list(_ call: Call) throws -> Response {
    let page = try call.page()
    let domain = try call.query(.domainFilter).map { try Call.name($0, DomainName.init(_:)) }
    if let domain { try call.token?.check(domain, in: store) }
    let (changes, next) = try store.changes(
      ChangeFilter(
        author: call.query(.author), domain: domain,
        before: try call.numberAfter(page.after).map(Int64.init),
        within: call.token?.scope ?? Scope()), limit: page.limit)
    return .json(
      .ok,
      [
        "items": .array(changes.map { ChangeResource.json($0) }),
        "next": .optional(next.map { String($0) }),
      ])
  }

  private func get(_ call: Call) throws -> Response {
    let (id, page) = (try call.row("change"), try call.page())
    let within = call.token?.scope ?? Scope()
    let change = try store.change(id, within: within)
    let domains = try store.changedDomains(
      of: id, within: within, after: page.after, limit: page.limit + 1)
    let apps = try within.isEverything ? store.changedApps(of: id) : []
    let templates = try within.isEverything ? store.changedTemplates(of: id) : []
    return .page(
      domains, limit: page.limit, beside: ChangeResource.members(change, apps, templates),
      item: { ChangeResource.json($0) }, cursor: \.name.text)
  }

  private enum Skip: String, CaseIterable {
    case changed
  }

  private func revert(_ call: Call) throws -> Response {
    let id = try call.row("change")
    let options = ReversalOptions(
      skipsChanged: try call.word(.skipChanged, Skip.self) == .changed,
      detaches: try call.flag(.detach),
      accepted: try call.acceptedCodes())
    try call.token?.checkMayRevert(id, store)
    return try state.answer(call) { report in
      let reverted = try publisher.revert(
        id, options, by: call.context(), checking: call.checkAlias, report: report)
      var members: JSON.Object = [:]
      if !reverted.skipped.isEmpty {
        members.set(
          "skipped", more: "moreSkipped", Excerpt(of: reverted.skipped) { .string($0.text) })
      }
      return (reverted.applied, reverted.domains, members)
    }
  }
}

extension Token {
  /// Checks that a token that is limited to domains covers everything that a change changed.
  ///
  /// - Throws: `Problem`, 403; `StoreError.notFound`.
  fileprivate func checkMayRevert(_ id: Int64, _ store: Store) throws {
    let visible = try store.change(id, within: scope)
    if scope.isEverything { return }
    let count = try store.change(id).domainCount
    let others = count - visible.domainCount
    if others > 0 {
      throw Problem(
        .tokenLimited,
        "The \(noun) \(name.quoted) is limited to \(scope.words). Change \(id) also changed "
          + "\(others.counted("other domain")), so somebody with more rights must undo it.")
    }
    let apps = try store.changedApps(of: id).filter { $0.before != nil }
    try refuse(
      apps.compactMap { $0.before?.id.text }, "so it cannot undo a change of the app")
    let templates = try store.changedTemplates(of: id).filter { $0.before != nil }
    try refuse(templates.map(\.name.text), "so it cannot undo a change of the template")
  }
}
