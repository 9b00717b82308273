import Association
import HTTP
import Publishing
import Store

/// `/v1/routes`.
struct RouteEditEndpoint: Sendable {
  let publisher: Publisher
  let state: StateEndpoints

  var edit: Endpoint {
    Endpoint(
      .post, "/v1/routes", .role(.editor), roleForDryRun: .viewer, effect: .publications,
      query: [.skipRefused], isFilteredByToken: true, isHeavy: false,
      "editRoutes", .routes, "Edit routes of many domains",
      description:
        "Adds, removes, replaces and moves routes in the entries of all domains that the request chooses, or in none. A token "
        + "that is limited to domains edits only those.",
      body: .json("RouteEdits", size: .document),
      problems: [.notEditable, .tooMuchWork, .domainNotFound],
      answers: .ok("What changed or, for a dry run, would change.", "Plan"), handle: edit)
  }

  private func edit(_ call: Call) throws -> Response {
    var editing = try Faults.collecting(in: try call.json(), RouteEditing.read)
    let skipsRefused = try call.skipsRefused()
    editing.selection = try call.limited(editing.selection, publisher.store)
    let (selection, app, edits) = (editing.selection, editing.app, editing.edits)
    return try state.answer(call) { report in
      let (applied, domains) = try publisher.edit(
        edits, ofEntriesWith: app, in: selection, skippingRefused: skipsRefused,
        accepting: call.acceptedCodes(), by: call.context(), report: report)
      return StateEndpoints.outcome(applied, domains)
    }
  }
}

extension Call {
  /// The selection without domains that the token does not cover.
  ///
  /// - Throws: `Problem`, 403, if it names one of them.
  func limited(_ selection: DomainSelection, _ store: Store) throws -> DomainSelection {
    guard let token, !token.scope.isEverything else { return selection }
    let names = try selection.names.filter {
      try !$0.isWildcard && !store.has($0.name, token.scope)
    }
    try token.refuse(names.map(\.description), "which does not cover")
    var limited = selection
    limited.filter.within = token.scope
    return limited
  }
}
