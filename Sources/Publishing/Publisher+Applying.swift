import Association
package import Store

extension Publisher {
  /// Creates and changes apps and domains as a state describes them, all of it or nothing.
  ///
  /// Every domain is planned before the store's lock is taken, and only what its review found is kept. Then
  /// the rows are written, with the lock; that takes longer the more domains change. A dry run compares the
  /// plan with one state of the database instead.
  ///
  /// - Parameter report: Takes what will be published for a domain that changes, before it is written, and
  ///   perhaps again if another edit was faster.
  /// - Throws: `PublicationError` with the errors of every domain; what the state and `report` throw.
  package func apply(
    _ state: DesiredState, _ options: ApplyOptions = ApplyOptions(), by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> AppliedState {
    try apply(options, by: context, report: report) {
      try options.overwrite
        ? state
        : state.leavingToOthers(
          store, by: context, goesOn: options.listsRefusals && context.isDryRun)
    }.applied
  }

  /// Applies a state that is made from what is stored, again if that has changed meanwhile.
  ///
  /// - Returns: What was done, and the domains of the state.
  func apply(
    _ options: ApplyOptions, by context: WriteContext, report: @escaping AppliedState.Report,
    _ state: () throws -> DesiredState
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    let result = try store.edit(context) { (earlier: PlannedState?) in
      try plan(try state(), options, reusing: earlier, by: context, report: report)
    } write: { transaction, planned in
      (try transaction.apply(planned.state, planned.plan, options), planned.state.domains)
    }
    try serve(context)
    return result
  }

  /// Plans a state that was made from what is stored.
  ///
  /// - Parameter earlier: A plan that is outdated in part.
  func plan(
    _ state: DesiredState, _ options: ApplyOptions, reusing earlier: PlannedState?,
    by context: WriteContext, report: @escaping AppliedState.Report
  ) throws -> PlannedState {
    var planning = StatePlanning(self, state, options, by: context, report: report)
    let isSame = earlier?.state.domains == state.domains
    return PlannedState(
      state: state, plan: try planning.plan(reusing: isSame ? earlier?.plan : nil))
  }
}

/// A state that was made from what is stored, and the plan for it.
struct PlannedState {
  let state: DesiredState
  let plan: StatePlan
}

extension Transaction {
  /// Writes a plan for a state.
  ///
  /// - Throws: `Outdated`, `PublicationError`, `StoreError`.
  func apply(
    _ state: DesiredState, _ plan: StatePlan, _ options: ApplyOptions
  ) throws -> AppliedState {
    beginChange(options.action, reverting: options.reverted)
    let edited = try state.templates.filter {
      try state.publishesTemplates || template($0.name)?.template != $0
    }
    try lock(edited.map(\.name), .change)
    try lock(try changing(state.apps) + changing(state.androidApps), .change)
    let dependents = try state.dependents(
      app: { try app($0)?.app }, domains: { try domains(using: $0) },
      template: { try template($0) },
      domains: { try domains(using: $0) })
    if dependents != plan.dependents { throw Outdated() }
    for (template, revision) in zip(state.templates, plan.templates)
    where try self.template(template.name)?.revision != revision {
      throw Outdated()
    }
    let templates = try state.templates.map { try apply($0, of: state, options) }
    let leftTemplates = try state.leftTemplates.map { name in
      // It was stored when it was left to others.
      guard let left = try template(name) else { throw Outdated() }
      return (template: left, action: AppliedState.Action.unchanged)
    }
    let apps = try state.apps.map { ($0.id, try apply($0, plan)) }
    let androidApps = try state.androidApps.map { ($0.id, try apply($0, plan)) }
    if try !areCurrent(plan.apps) { throw Outdated() }
    let unchanged = try versions(of: plan.unchanged.map { state.domains[$0.index] })
    for same in plan.unchanged where unchanged[state.domains[same.index]] != same.version {
      throw Outdated()
    }
    if try versions(of: Array(plan.servers.keys)) != plan.servers { throw Outdated() }
    // Frees names before they are taken, because one may move from one domain to another.
    if options.prune {
      let unlisted = state.unlisted(
        of: try domainNames(within: context.within),
        using: try options.table.map { try domains(using: $0) })
      if unlisted != plan.deletions.map(\.name) { throw Outdated() }
    }
    let taken = try check(plan, of: state)
    if let error = taken.first, !options.listsRefusals || !context.isDryRun { throw error }
    if !context.isDryRun { try write(plan, of: state, options) }
    for (template, action) in templates where state.publishesTemplates || action != .unchanged {
      try renameParameters(of: plan.refused, state, options.action)
      try noteBehind(template.template.name, plan.refused)
    }
    return AppliedState(
      apps: apps + (try prune(state.apps, plan, options)),
      androidApps: androidApps + (try prune(state.androidApps, plan, options)),
      templates: templates + leftTemplates + (try pruneTemplates(state, plan, options)),
      deleted: plan.deletions.map(\.name),
      dependents: plan.edits.filter { $0.index == nil }.map(\.name), change: change,
      refused: plan.refused, skipReasons: plan.skipReasons, leftOut: plan.leftOut(of: state),
      leftApps: state.leftApps.union(state.deletedApps.subtracting(plan.named)),
      leftTemplates: Set(state.leftTemplates),
      refusals: plan.refusals + taken, moreRefusals: plan.moreRefusals)
  }

  /// The apps of a state that exist and are not as it has them.
  private func changing<Key>(_ apps: [DesiredApp<Key>]) throws -> [LinkedApp] {
    try apps.filter { app in try self.app(app.id).map { app.app(over: $0.app) != $0.app } ?? false }
      .map(\.id.id)
  }

  private func apply(
    _ template: Template, of state: DesiredState, _ options: ApplyOptions
  ) throws -> (template: StoredTemplate, action: AppliedState.Action) {
    let old = try self.template(template.name)
    let (stored, isNew) = try put(
      template, isApplied: options.action == Revision.applying, renaming: state.renamedParameters)
    return (stored, isNew ? .create : old?.revision == stored.revision ? .unchanged : .update)
  }

  private func write(_ plan: StatePlan, of state: DesiredState, _ options: ApplyOptions) throws {
    let (start, longest) = (ContinuousClock.now, options.longestWrite)
    let count = plan.deletions.count + plan.edits.count
    func begin(_ done: Int) throws {
      if .now - start <= longest { return }
      throw PublicationError.tooMuchWork(
        .written, done: done, of: count, longest: longest, slowest: [])
    }
    func check(_ former: FormerDomain, _ version: StoredDomain.Version?) throws -> FormerDomain {
      if former.stored?.version != version { throw Outdated() }
      return former
    }
    var deleted = ReadAhead<DomainName, FormerDomain>(plan.deletions.map(\.name))
    for (done, deletion) in plan.deletions.enumerated() {
      try begin(done)
      try delete(
        check(try deleted.value(at: done) { try formerDomains(of: $0) }, deletion.version))
    }
    let releasing = plan.edits.filter { !$0.released.isEmpty }
    var released = ReadAhead<DomainName, FormerDomain>(releasing.map(\.name))
    for (index, edit) in releasing.enumerated() {
      try begin(plan.deletions.count)
      let former = try released.value(at: index) { try formerDomains(of: $0) }
      try release(edit.released, of: check(former, edit.version))
    }
    try writeEdits(of: plan, state, options.action) { done in
      try begin(plan.deletions.count + done)
    }
  }

  /// How many edits are resolved while as many before them are written.
  private static var resolvedAtOnce: Int { 32 }

  /// Writes the edits in their order. The next ones are made beside that, because nobody else can write meanwhile.
  ///
  /// - Parameter begin: Called before each, with the number of those before it.
  private func writeEdits(
    of plan: StatePlan, _ state: DesiredState, _ action: String, begin: (Int) throws -> Void
  ) throws {
    var apps = plan.apps
    for app in state.androidApps { apps.android[app.id] = try self.app(app.id)?.app }
    var templates: [TemplateName: Template] = [:]
    var formerDomains = ReadAhead<DomainName, FormerDomain>(plan.edits.map(\.name))
    var resolved: [Result<DomainEdit, any Error>] = []
    var (read, written) = (0, 0)
    func writeResolved() throws {
      try requireApps(
        of: resolved.compactMap { if case .success(let edit) = $0 { edit.domain } else { nil } })
      for edit in resolved {
        try begin(written)
        _ = try save(try edit.get(), action: action)
        written += 1
      }
    }
    while read < plan.edits.count {
      let next = try plan.edits[read...].prefix(Self.resolvedAtOnce).map { edit in
        let former = try formerDomains.value(at: read) { try self.formerDomains(of: $0) }
        read += 1
        if let name = edit.template, templates[name] == nil,
          edit.keepsOwnPart || !state.isResolved
        {
          templates[name] = try template(name)?.template
        }
        return try unresolved(edit, former)
      }
      let (names, isResolved) = (state.renamedParameters, state.isResolved)
      (resolved, _) = try beside {
        [apps, templates, read = state.domain, isAbandoned = context.isAbandoned] in
        next.map { edit in
          Result {
            if isAbandoned() { throw StoreError.busy }
            return try edit.resolved(
              read, with: apps, templates, isResolved: isResolved, renaming: names)
          }
        }
      } _: {
        try writeResolved()
      }
    }
    try writeResolved()
  }

  /// Finds out before anything is written whether the plan is outdated, and which names are taken.
  private func check(_ plan: StatePlan, of state: DesiredState) throws -> [any Error] {
    var refusals: [any Error] = []
    let leftOut = plan.leftOut(of: state)
    let deletions = try versions(of: plan.deletions.map(\.name))
    for deletion in plan.deletions where deletions[deletion.name] != deletion.version {
      throw Outdated()
    }
    let edits = try versions(of: plan.edits.map(\.name))
    let taking = plan.edits.flatMap { edit in
      (edit.version == nil ? [Alias(edit.name)] : []) + edit.taken
    }
    let owners = try owners(of: taking)
    let deleted = Set(plan.deletions.map(\.name))
    var released: [Alias: DomainName] = [:]
    for edit in plan.edits { for (_, alias) in edit.released { released[alias] = edit.name } }
    var taken: [Alias: DomainName] = [:]
    for edit in plan.edits {
      try goOn()
      if edits[edit.name] != edit.version { throw Outdated() }
      for name in (edit.version == nil ? [Alias(edit.name)] : []) + edit.taken {
        let owner =
          taken[name]
          ?? owners[name].flatMap { owner in
            deleted.contains(owner) || released[name] == owner ? nil : owner
          }
        if let owner, owner != edit.name {
          if refusals.count == Self.mostNamesTaken { return refusals }
          refusals.append(
            Self.refusal(of: name.description, for: edit.name, ownedBy: owner, leftOut))
        }
        taken[name] = edit.name
      }
    }
    return refusals
  }

  /// The number of names that a dry run reports.
  private static var mostNamesTaken: Int { 100 }

  /// The error about a name of another domain, which the state has too, or leaves to others.
  private static func refusal(
    of name: String, for claimant: DomainName, ownedBy owner: DomainName,
    _ leftOut: Set<DomainName>
  ) -> any Error {
    leftOut.contains(owner)
      ? StoreError.nameTaken(name, by: owner)
      : PublicationError.nameTaken(name, for: claimant, by: owner)
  }

  /// The apps that no domain uses when the plan is written.
  private func unusedApps<Key: AppKey>(after plan: StatePlan) throws -> [Key] {
    if !context.isDryRun { return try apps(usedBy: 0...0) }
    let changed = Set(plan.deletions.map(\.name)).union(plan.edits.map(\.name))
    return try apps(usedBy: 0...changed.count).filter { (app: Key) in
      try !plan.named.contains(app.id) && changed.isSuperset(of: domains(using: app))
    }
  }

  /// Deletes the apps that no domain uses and the state does not list.
  private func prune<Key>(
    _ listed: [DesiredApp<Key>], _ plan: StatePlan, _ options: ApplyOptions
  ) throws -> [(Key, AppliedState.Action)] {
    if !options.prune || options.table != nil || !context.within.isEverything { return [] }
    let listed = Set(listed.map(\.id))
    let unused = try unusedApps(after: plan).filter { !listed.contains($0) }
    if !context.isDryRun { for id in unused { try delete(id) } }
    return unused.map { ($0, .delete) }
  }

  /// Deletes the templates that the state does not list and no domain uses any more.
  private func pruneTemplates(
    _ state: DesiredState, _ plan: StatePlan, _ options: ApplyOptions
  ) throws -> [(template: StoredTemplate, action: AppliedState.Action)] {
    if !options.prune || options.table != nil || !context.within.isEverything { return [] }
    let listed = Set(state.templates.map(\.name) + state.leftTemplates)
    let changed = Set(plan.deletions.map(\.name)).union(plan.edits.map(\.name))
    let unused = try templates().filter { stored in
      let name = stored.template.name
      if listed.contains(name) { return false }
      // A dry run has not changed the domains.
      return try stored.domainCount == 0
        || context.isDryRun && stored.domainCount <= changed.count
          && !plan.templatesInUse.contains(name) && changed.isSuperset(of: domains(using: name))
    }
    if !context.isDryRun { for template in unused { try delete(template.template.name) } }
    return unused.map { ($0, .delete) }
  }

  private func apply<Key>(
    _ app: DesiredApp<Key>, _ plan: StatePlan
  ) throws -> AppliedState.Action {
    let old = try self.app(app.id)?.app
    // It was stored when it was left to others.
    if old == nil && app.isLeft { throw Outdated() }
    if old == nil && app.isDeleted && !plan.named.contains(app.id.id) { return .unchanged }
    let new = app.app(over: old)
    if old == new { return .unchanged }
    // Somebody limited to domains adds apps that domains of the state use, and changes none. So since that was
    // checked, the app was created, or deleted.
    if !context.within.isEverything && (old != nil || !plan.named.contains(app.id.id)) {
      throw Outdated()
    }
    _ = try put(new, Key.self)
    return old == nil ? .create : .update
  }

  /// An edit over what is stored now.
  ///
  /// - Throws: `Outdated` if that is not what was planned for; what `goOn` throws.
  private func unresolved(
    _ edit: StatePlan.Edit, _ former: FormerDomain
  ) throws -> UnresolvedEdit {
    try goOn()
    if former.stored?.version != edit.version { throw Outdated() }
    var former = former
    // Until now, reserved names stood in for released ones.
    for (position, alias) in edit.released { former.stored?.domain.aliases[position] = alias }
    return UnresolvedEdit(edit: edit, former: former)
  }

  /// Gives the values of domains that are left behind the names that their template has for them now. Nothing else of
  /// them changes: otherwise nobody could edit them, and the next edit of the template would lose the values.
  private func renameParameters(
    of names: [DomainName], _ state: DesiredState, _ action: String
  ) throws {
    if state.renamedParameters.isEmpty || context.isDryRun { return }
    var formerDomains = ReadAhead<DomainName, FormerDomain>(names)
    for index in names.indices {
      let former = try formerDomains.value(at: index) { try self.formerDomains(of: $0) }
      guard let stored = former.stored, let published = former.published else { continue }
      var domain = stored.domain
      domain.renameParameters(state.renamedParameters)
      let renamed = DomainEdit(
        domain, over: former, documents: published.documents, acceptedCodes: stored.acceptedCodes,
        findings: nil)
      _ = try save(renamed, action: action)
    }
  }
}

/// An edit of a plan before the domain is made that it writes.
private struct UnresolvedEdit: Sendable {
  let edit: StatePlan.Edit
  let former: FormerDomain

  /// - Parameters:
  ///   - read: Reads a domain of the state.
  ///   - apps: Those of the plan.
  ///   - templates: Those of the domains.
  ///   - isResolved: Whether domains of the state already have what their templates give them.
  ///   - names: The new names of parameters, by their old ones.
  /// - Throws: `Outdated`, `InvalidInput`, and what `read` throws.
  func resolved(
    _ read: (Int, StoredDomain?) throws -> DesiredDomain, with apps: UsedApps,
    _ templates: [TemplateName: Template], isResolved: Bool, renaming names: [String: String]
  ) throws -> DomainEdit {
    // What the state says of a domain is not read again without need: an undo reads an earlier revision for it. Members of
    // JSON may be in another order there, which counts as the same own part, and gives other bytes.
    if edit.keepsOwnPart {
      let kept = try resolved(
        former.stored?.domain, with: apps, templates, isResolved: false, renaming: names)
      if edit.index == nil || kept.documents.hashValue == edit.documentsHash { return kept }
    }
    return try resolved(
      edit.index.map { try read($0, former.stored).domain }, with: apps, templates,
      isResolved: isResolved, renaming: names)
  }

  private func resolved(
    _ found: Domain?, with apps: UsedApps, _ templates: [TemplateName: Template],
    isResolved: Bool, renaming names: [String: String]
  ) throws -> DomainEdit {
    guard var domain = found else { throw Outdated() }
    if let kept = edit.keptStatements { domain.assetLinksExtra = kept }
    if let use = domain.template, !isResolved {
      guard let template = templates[use.name] else { throw Outdated() }
      if edit.index == nil { domain.keepParameters(of: template, renaming: names) }
      domain = try domain.resolved(with: template)
    }
    domain.associationFile = domain.associationFile.keepingRows(
      of: former.stored?.domain.associationFile ?? AssociationFile())
    if !domain.androidApps.allSatisfy({ apps.android[$0] != nil }) { throw Outdated() }
    return DomainEdit(
      domain, over: former, documents: domain.rendered(apps), acceptedCodes: edit.acceptedCodes,
      findings: edit.findings)
  }
}
