import Association
import HTTP
import Publishing
import Store

/// `/v1/export` and `/v1/apply`.
struct StateEndpoints: Sendable {
  let publisher: Publisher
  /// Each export keeps the database from forgetting old states until the client has read all of it.
  private let exports = HeavyWork(atOnce: 5)
  private let applies = HeavyWork(atOnce: 2)
  /// Separate turns, so that a viewer keeps nobody from applying.
  private let dryRuns = HeavyWork(atOnce: 2)
  /// From before the body is read until the answer is sent, each token has one `apply`.
  private let receptions = HeavyWork(atOnce: 16, share: 1)

  init(publisher: Publisher) { self.publisher = publisher }

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/export", .role(.viewer), isFilteredByToken: true, hasOwnTurns: true,
        "exportState", .state, "Export all apps and domains",
        description:
          "A token that is limited to domains gets those, and the apps that they use. If the database "
          + "file was deleted or replaced while the server ran, the state is what the server still has, "
          + "and the answer has the header field `X-Aasa-Database: replaced`.",
        answers: .ok("A state that `apply` accepts.", "State")
      ) { try export($0, onlyHashes: false) },
      Endpoint(
        .get, "/v1/export/hashes", .role(.viewer), isFilteredByToken: true, hasOwnTurns: true,
        "exportHashes", .state, "List what an export has",
        description:
          "Lists the SHA-256 of the file that `aasa export DIR` writes for each domain, so that a client "
          + "can tell which of its files differ.",
        answers: .ok("All apps, and the hash of each domain.", "StateHashes")
      ) { try export($0, onlyHashes: true) },
      Endpoint(
        .post, "/v1/apply", .role(.editor), roleForDryRun: .viewer, effect: .publications,
        query: [.prune, .overwrite], isFilteredByToken: true, isHeavy: false,
        "apply", .state, "Apply a desired state",
        description:
          "Applies all of it, or nothing. In an existing domain, members that are left out stay as they "
          + "are. A token that is limited to domains can apply only those; it can add apps that they "
          + "use, but not change existing ones. A state of any size can be sent as `application/x-ndjson`: one app, "
          + "one Android app, one domain or `{\"keep\": […]}` per line.",
        body: .json("DesiredState", size: .state),
        problems: [.changedElsewhere, .tooMuchWork],
        answers: .ok("What changed or, for a dry run, would change.", "Plan"),
        receiveLines: { token in
          ReceivedState.spool(beside: publisher.store, within: try share(of: token))
        },
        handle: apply),
    ]
  }

  // MARK: Exporting

  private func export(_ call: Call, onlyHashes: Bool) throws -> Response {
    let turn = try exports.turn(for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    let isReplaced = publisher.store.replacedFile != nil
    let reader = try publisher.store.export(
      within: call.token?.domains ?? [], form: "\(AdminAPI.programVersion) \(StateResource.form)")
    var text = StateResource.text(of: reader) {
      try Self.next(of: reader, onlyHashes: onlyHashes)
    }
    var response = Response.json(.ok) { try withExtendedLifetime(turn) { try text.next() } }
    if isReplaced { response.fields.append(HeaderField("X-Aasa-Database", "replaced")) }
    return response
  }

  /// The next domains of an export, or their hashes. Hashes that are made are kept for the next export.
  private static func next(of reader: StateReader, onlyHashes: Bool) throws -> [JSON] {
    var elements: [JSON] = []
    var made: [StateReader.Item] = []
    // Of full domains, only as many as fit into memory easily.
    for var item in try reader.next(onlyHashes ? 1000 : 100) {
      if item.sha256 == nil || !onlyHashes {
        guard let stored = try reader.domain(item) else { continue }
        let json = StateResource.json(stored)
        if !onlyHashes { elements.append(json) }
        if item.sha256 == nil {
          item.sha256 = SHA256.hexadecimal(of: StateResource.file(json))
          made.append(item)
        }
      }
      if onlyHashes { elements.append(StateResource.hash(item)) }
    }
    do {
      try reader.remember(made)
    } catch is StoreError {
      // Nothing is lost but time: the next export makes them again.
    }
    return elements
  }

  // MARK: Applying

  private func share(
    of token: Token?, unless isUnwanted: () -> Bool = { false }
  ) throws(Problem) -> Spool.Share {
    let turn = try receptions.turn(for: token?.sharer ?? "", unless: isUnwanted)
    return ReceivedState.share(of: token, keeping: turn)
  }

  private func apply(_ call: Call) throws -> Response {
    let share =
      try call.request.spool?.share ?? share(of: call.token, unless: call.request.clientHasGone)
    let work = try call.flag(.dryRun) ? dryRuns : applies
    let turn = try work.turn(
      for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    return try withExtendedLifetime(turn) { try applyInTurn(call, within: share) }
  }

  private func applyInTurn(_ call: Call, within share: Spool.Share) throws -> Response {
    let received = try ReceivedState(call, beside: publisher.store, within: share)
    let token = call.token.flatMap { $0.domains.isEmpty ? nil : $0 }
    try token?.check(received.reading, publisher.store)
    let state = received.desired { domain, old in
      // A token may keep existing aliases outside its limits.
      let before = Set(old?.domain.aliases ?? [])
      for alias in domain.aliases where !before.contains(alias) { try token?.check(alias) }
    }
    let context = try call.context()
    let options = ApplyOptions(
      prune: try call.flag(.prune), overwrite: try call.flag(.overwrite),
      accepted: try call.acceptedCodes())
    let steps = PlannedSteps(beside: publisher.store, within: share)
    do {
      let applied = try publisher.apply(state, options, by: context) {
        try steps.add($0, $1, $2)
      }
      return steps.response(applied, state, isDryRun: context.isDryRun)
    } catch let error as DesiredState.UnusedApps {
      try token?.refuse(
        error.apps.map(\.text),
        "so it can only add apps that a domain of the state uses. No domain uses")
      throw error
    } catch is DesiredState.Invalid {
      try received.reading.faults.check()
      throw InvalidInput(faults: [])
    }
  }
}

/// The steps of a plan, in a spool until they are sent.
private final class PlannedSteps {
  private let spool: Spool
  private var places: [DomainName: Range<Int>] = [:]

  init(beside store: Store, within share: Spool.Share) {
    spool = ReceivedState.spool(beside: store, within: share)
  }

  func add(
    _ domain: DomainName, _ action: AppliedState.Action, _ publication: Publication
  ) throws {
    places[domain] = try spool.append(Plan.text(of: domain, action, publication))
  }

  /// The plan: apps, deleted domains, domains whose Android apps changed, then those of the state in its order.
  func response(_ applied: AppliedState, _ state: DesiredState, isDryRun: Bool) -> Response {
    var rest = (applied.deleted + applied.dependents + state.domains)[...]
    var text = Plan.text(of: applied, isDryRun: isDryRun) { [self] in
      let batch = rest.prefix(100)
      rest = rest.dropFirst(100)
      return try batch.map { name in
        try places[name].map { try spool.bytes($0) } ?? Plan.text(of: name, .unchanged)
      }
    }
    return .json(.ok) { try text.next() }
  }
}

extension Token {
  /// Checks that a token that is limited to domains covers those of a state, and does not change apps.
  ///
  /// - Throws: `Problem`, 403.
  fileprivate func check(_ state: StateReading, _ store: Store) throws {
    let foreign = state.domains.filter { !covers(Alias($0)) }
    try refuse(foreign.map(\.text), "which does not cover")
    let changed = try changed(state.apps, store) + changed(state.androidApps, store)
    try refuse(changed, "so it cannot change the app")
  }

  /// The apps that a state changes.
  private func changed<Key>(_ apps: [DesiredApp<Key>], _ store: Store) throws -> [String] {
    try apps.filter { app in
      guard let old = try store.storedApp(app.id)?.app else { return false }
      return app.app(over: old) != old
    }.map(\.id.text)
  }

  fileprivate func refuse(_ names: [String], _ reason: String) throws(Problem) {
    if names.isEmpty { return }
    let listed = names.prefix(20).map(\.quoted).joined(separator: ", ")
    throw Problem(
      .tokenLimited,
      "The \(noun) \(name.quoted) is limited to \(domainList), \(reason) \(listed)"
        + (names.count > 20 ? " and \(names.count - 20) more." : "."))
  }
}
