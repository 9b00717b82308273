import Association
import HTTP
import Publishing
import Store
import Synchronization

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
        .get, "/v1/export", .role(.viewer), query: [.label], isFilteredByToken: true,
        hasOwnTurns: true,
        "exportState", .state, "Export all apps and domains",
        description:
          "A token that is limited to domains gets those, and the apps that they use; so does `label`. If the database "
          + "file was deleted or replaced while the server ran, the state is what the server still has, "
          + "and the answer has the header field `X-Aasa-Database: replaced`.",
        answers: .ok("A state that `apply` accepts.", "State")
      ) { try export($0, onlyHashes: false) },
      Endpoint(
        .get, "/v1/export/hashes", .role(.viewer), query: [.label], isFilteredByToken: true,
        hasOwnTurns: true,
        "exportHashes", .state, "List what an export has",
        description:
          "Lists the SHA-256 of the file that `aasa export DIR` writes for each domain, so that a client "
          + "can tell which of its files differ.",
        answers: .ok("All apps, and the hash of each domain.", "StateHashes")
      ) { try export($0, onlyHashes: true) },
      Endpoint(
        .post, "/v1/apply", .role(.editor), roleForDryRun: .viewer, effect: .publications,
        query: [.prune, .table, .overwrite, .listRefusals], isFilteredByToken: true,
        isHeavy: false,
        "apply", .state, "Apply a desired state",
        description:
          "Applies all of it, or nothing. In an existing domain, members that are left out stay as they "
          + "are. A domain that others have changed since it was exported stays as it is if the state has it as "
          + "it was exported. A token that is limited to domains can apply only those; it can add apps that they "
          + "use, but not change existing ones. A state of any size can be sent as `application/x-ndjson`: one app, "
          + "one Android app, one template, one domain, "
          + "`{\"keep\": […]}` or `{\"delete\": […]}` per line.",
        body: .json("DesiredState", size: .state),
        problems: [.changedElsewhere, .tooMuchWork, .notAdoptable, .templateNotFound],
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
      call.label(), within: call.scope, form: "\(AdminAPI.programVersion) \(StateResource.form)")
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
    let items = try reader.next(onlyHashes ? 1000 : 100)
    var (domains, unread) = ([DomainName: StoredDomain](), items[...])
    for var item in items {
      unread = unread.dropFirst()
      if item.sha256 == nil || !onlyHashes {
        if domains[item.name] == nil {
          domains = try reader.domains(
            [item] + unread.lazy.filter { $0.sha256 == nil || !onlyHashes }.prefix(99))
        }
        guard let stored = domains[item.name] else { continue }
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

  /// What was done, the domains in the order of the answer, and its members besides the plan.
  typealias Outcome = (applied: AppliedState, domains: [DomainName], members: JSON.Object)

  /// Does work on many domains in its turn, and answers with the plan that it reports.
  ///
  /// - Parameter share: What the temporary files of the request may have together.
  func answer(
    _ call: Call, within share: Spool.Share? = nil, isDryRun: Bool? = nil,
    _ work: (@escaping AppliedState.Report) throws -> Outcome
  ) throws -> Response {
    let isDryRun = try isDryRun ?? (call.proposed != nil || call.flag(.dryRun))
    let share = try share ?? self.share(of: call.token, unless: call.request.clientHasGone)
    let turn = try (isDryRun ? dryRuns : applies).turn(
      for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    return try withExtendedLifetime(turn) {
      let steps = PlannedSteps(beside: publisher.store, within: share)
      return steps.response(try work { try steps.add($0, $1, $2) }, isDryRun: isDryRun)
    }
  }

  /// Plans something without changing it, in its turn.
  func planning<Result>(_ call: Call, _ work: () throws -> Result) throws -> Result {
    let turn = try dryRuns.turn(
      for: call.token?.sharer ?? "", unless: call.request.clientHasGone)
    return try withExtendedLifetime(turn) { try work() }
  }

  /// The outcome of an edit of domains, of which some may be skipped.
  static func outcome(_ applied: AppliedState, _ domains: [DomainName]) -> Outcome {
    var members: JSON.Object = [:]
    if !applied.refused.isEmpty {
      members.set(
        "skipped", more: "moreSkipped", Excerpt(of: applied.refused) { .string($0.text) })
      members.set(
        "problems", more: "moreProblems",
        Excerpt(of: applied.skipReasons, total: applied.refused.count, atMost: Faults.limit) {
          Problem.of($0).json
        })
    }
    let refused = Set(applied.refused)
    return (applied, domains.filter { !refused.contains($0) }, members)
  }

  func share(
    of token: Token?, unless isUnwanted: () -> Bool = { false }
  ) throws(Problem) -> Spool.Share {
    let turn = try receptions.turn(for: token?.sharer ?? "", unless: isUnwanted)
    return ReceivedState.share(of: token, keeping: turn)
  }

  private func apply(_ call: Call) throws -> Response {
    let share =
      try call.request.spool?.share ?? share(of: call.token, unless: call.request.clientHasGone)
    return try answer(call, within: share) { try apply(call, within: share, report: $0) }
  }

  private func apply(
    _ call: Call, within share: Spool.Share, report: @escaping AppliedState.Report
  ) throws -> Outcome {
    let table = try call.query(.table).map { try Call.name($0, TemplateName.init(_:)) }
    let received = try ReceivedState(
      call, beside: publisher.store, of: table.map { try publisher.store.template($0).template },
      within: share)
    var options = ApplyOptions(
      prune: try call.flag(.prune), overwrite: try call.flag(.overwrite),
      accepted: try call.acceptedCodes(),
      listsRefusals: try call.flag(.listRefusals) && call.flag(.dryRun))
    options.table = table
    return try apply(
      received, of: call.token, overwrites: options.overwrite, listsRefusals: options.listsRefusals
    ) {
      try publisher.apply($0, options, by: call.context(), report: report)
    }
  }

  /// Applies a state within the limits of a token.
  ///
  /// - Parameters:
  ///   - reader: Who reads the answer, if that is somebody else.
  ///   - work: Applies it.
  func apply(
    _ received: ReceivedState, of token: Token?, readBy reader: Token? = nil,
    overwrites: Bool = true, listsRefusals: Bool = false,
    _ work: (DesiredState) throws -> AppliedState
  ) throws -> Outcome {
    let foreignAliases = Mutex<[DomainName: Problem]>([:])
    let limited = (reader ?? token).flatMap { $0.scope.isEverything ? nil : $0 }
    let (applied, domains) = try checked(received, of: token, overwrites: overwrites) {
      domain, problem in
      if !listsRefusals { throw problem }
      foreignAliases.withLock { $0[domain] = problem }
    } _: { state in
      (try work(state), state.domains)
    }
    let refusals =
      foreignAliases.withLock(\.self).sorted { $0.key < $1.key }.map(\.value) as [any Error]
      + applied.refusals
    let refused = try problems(refusals, more: applied.moreRefusals, limited)
    // A domain that the state leaves to others may depend on its Android apps.
    let listed = Set(applied.dependents).intersection(applied.leftOut)
    return (
      applied, domains.filter { !listed.contains($0) },
      refused.isEmpty ? [:] : ["refused": .array(refused)]
    )
  }

  /// Works on a state that a token may apply.
  ///
  /// - Parameter refuse: Takes what stops a domain with a new alias outside the token's limits. Unless it throws, the
  ///   work goes on.
  /// - Throws: `Problem`, `InvalidInput`, and what `work` throws.
  func checked<Result>(
    _ received: ReceivedState, of token: Token?, overwrites: Bool = false,
    refuse: @escaping @Sendable (DomainName, Problem) throws -> Void = { throw $1 },
    _ work: (DesiredState) throws -> Result
  ) throws -> Result {
    let token = token.flatMap { $0.scope.isEverything ? nil : $0 }
    try token?.check(received.reading, overwrites: overwrites, publisher.store)
    let state = received.desired { domain, old in
      // A token may keep existing aliases outside its limits.
      let before = Set(old?.domain.aliases ?? [])
      for alias in domain.aliases where !before.contains(alias) {
        do {
          try token?.check(newName: alias)
        } catch let problem as Problem {
          try refuse(domain.name, problem)
        }
      }
    }
    do {
      return try work(state)
    } catch let error as DesiredState.UnusedApps {
      throw explained(error, to: token)
    }
  }

  // MARK: Listing refusals

  /// The number of problems that a dry run lists.
  private static let mostRefusals = 100

  /// - Parameter more: The number of refusals besides these.
  private func problems(
    _ refusals: [any Error], more: Int, _ token: Token?
  ) throws(InternalError) -> [JSON] {
    var problems: [JSON] = []
    for error in refusals.prefix(Self.mostRefusals) {
      problems.append(try publisher.problem(of: explained(error, to: token), for: token).json)
    }
    let more = more + refusals.count - problems.count
    if more > 0 {
      let detail = "Applying the state would be refused for \(more.counted("more reason"))."
      problems.append(
        Problem(.severalRefused, detail, members: ["moreProblems": .integer(more)]).json)
    }
    return problems
  }

  private func explained(_ error: any Error, to token: Token?) -> any Error {
    guard let unused = error as? DesiredState.UnusedApps, let token else { return error }
    return token.refusal(
      of: unused.apps.map(\.text),
      "so it can only add apps that a domain of the state uses. No domain uses")
  }
}

extension Call {
  /// Whether domains that would be refused are left as they are.
  func skipsRefused() throws -> Bool {
    enum Skip: String, CaseIterable {
      case refused
    }
    return try word(.skipRefused, Skip.self) == .refused
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
    _ domain: DomainName, _ action: AppliedState.Action, _ publication: Publication?
  ) throws {
    places[domain] = try spool.append(Plan.text(of: domain, action, publication))
  }

  /// The plan: apps, deleted domains, domains whose Android apps changed, then the others in their order.
  func response(_ outcome: StateEndpoints.Outcome, isDryRun: Bool) -> Response {
    let applied = outcome.applied
    var rest = (applied.deleted + applied.dependents + outcome.domains)[...]
    var text = Plan.text(of: applied, isDryRun: isDryRun, outcome.members) { [self] in
      let batch = rest.prefix(100)
      rest = rest.dropFirst(100)
      return try batch.map { name in
        try places[name].map { try spool.bytes($0) }
          ?? Plan.text(of: name, .unchanged, isLeftOut: applied.leftOut.contains(name))
      }
    }
    return .json(.ok) { try text.next() }
  }
}

extension Token {
  /// Checks that a token that is limited to domains covers those of a state, and does not change apps.
  ///
  /// - Throws: `Problem`, 403.
  fileprivate func check(
    _ state: StateReading, overwrites: Bool, _ store: Store
  ) throws {
    let foreign = try (state.domains + state.deleted).filter { try !store.has($0, scope) }
    try refuse(foreign.map(\.text), "which does not cover")
    let changed =
      try changed(state.apps, overwrites, store) + changed(state.androidApps, overwrites, store)
    try refuse(changed, "so it cannot change the app")
    let templates = try state.templates.filter {
      try store.storedTemplate($0.name)?.template != $0
    }
    try refuse(templates.map(\.name.text), "so it cannot change the template")
  }

  /// The apps that a state changes.
  private func changed<Key>(
    _ apps: [DesiredApp<Key>], _ overwrites: Bool, _ store: Store
  ) throws -> [String] {
    try apps.filter { app in
      guard let stored = try store.storedApp(app.id) else { return false }
      // It stays as others have made it.
      if try !overwrites && app.stays(stored, store, by: applier) { return false }
      let old = stored.app
      return app.app(over: old) != old
    }.map(\.id.text)
  }

  /// - Throws: `Problem`, 403, if there are any names.
  func refuse(_ names: [String], _ reason: String) throws(Problem) {
    if !names.isEmpty { throw refusal(of: names, reason) }
  }

  fileprivate func refusal(of names: [String], _ reason: String) -> Problem {
    let listed = names.prefix(20).map(\.quoted).joined(separator: ", ")
    return Problem(
      .tokenLimited,
      "The \(noun) \(name.quoted) is limited to \(scope.words), \(reason) \(listed)"
        + (names.count > 20 ? " and \(names.count - 20) more." : "."))
  }
}
