package import Association
package import Store

extension Publisher {
  /// The action of `apply`, for revisions and the audit.
  static let applying = Revision.applying

  /// Creates and changes apps and domains as a state describes them, all of it or nothing.
  ///
  /// Every domain is planned before the store's lock is taken, and only what its review found is kept. Then
  /// the rows are written, with the lock; that takes longer the more domains change. A dry run compares the
  /// plan with one state of the database instead.
  ///
  /// - Parameter report: Takes what will be published for a domain that changes, before it is written, and
  ///   perhaps again if another edit was faster.
  /// - Throws: `PublicationError` with the errors of every domain; `DesiredState.Invalid`; what the state and
  ///   `report` throw.
  package func apply(
    _ state: DesiredState, _ options: ApplyOptions = ApplyOptions(), by context: WriteContext,
    report: @escaping (DomainName, AppliedState.Action, Publication) throws -> Void = { _, _, _ in }
  ) throws -> AppliedState {
    let applied = try store.edit(context) { (earlier: StatePlan?) in
      var planning = StatePlanning(self, state, options, by: context, report: report)
      return try planning.plan(reusing: earlier)
    } write: { transaction, plan in
      try transaction.apply(state, plan, options)
    }
    try serve(context)
    return applied
  }
}

extension Transaction {
  fileprivate func apply(
    _ state: DesiredState, _ plan: StatePlan, _ options: ApplyOptions
  ) throws -> AppliedState {
    let dependents = try state.dependents(
      app: { try app($0)?.app }, domains: { try domains(using: $0) })
    if dependents != plan.dependents { throw Outdated() }
    let apps = try state.apps.map { ($0.id, try apply($0, plan)) }
    let androidApps = try state.androidApps.map { ($0.id, try apply($0, plan)) }
    if try !areCurrent(plan.apps) { throw Outdated() }
    for (index, found) in plan.unchanged where try version(of: state.domains[index]) != found {
      throw Outdated()
    }
    // Frees names before they are taken, because one may move from one domain to another.
    if options.prune {
      let unlisted = state.unlisted(of: try domainNames(), by: context)
      if unlisted != plan.deletions.map(\.name) { throw Outdated() }
    }
    if context.isDryRun {
      try check(plan)
    } else {
      try write(plan, of: state, within: options.longestWrite)
    }
    return AppliedState(
      apps: apps + (try prune(state.apps, plan, options)),
      androidApps: androidApps + (try prune(state.androidApps, plan, options)),
      deleted: plan.deletions.map(\.name),
      dependents: plan.edits.filter { $0.index == nil }.map(\.name))
  }

  private func write(_ plan: StatePlan, of state: DesiredState, within longest: Duration) throws {
    let start = ContinuousClock.now
    let count = plan.deletions.count + plan.edits.count
    func begin(_ done: Int) throws {
      if .now - start <= longest { return }
      throw PublicationError.tooMuchWork(
        .written, done: done, of: count, longest: longest, slowest: [])
    }
    for (done, deletion) in plan.deletions.enumerated() {
      try begin(done)
      try delete(try basis(of: deletion.name, at: deletion.version))
    }
    for edit in plan.edits where !edit.released.isEmpty {
      try begin(plan.deletions.count)
      try release(edit.released, of: try basis(of: edit.name, at: edit.version))
    }
    for (done, edit) in plan.edits.enumerated() {
      try begin(plan.deletions.count + done)
      try apply(edit, of: state)
    }
  }

  /// Does without writing what `write` does: finds out whether the plan is outdated, and whether names are taken.
  private func check(_ plan: StatePlan) throws {
    for deletion in plan.deletions where try version(of: deletion.name) != deletion.version {
      throw Outdated()
    }
    let deleted = Set(plan.deletions.map(\.name))
    var released: [Alias: DomainName] = [:]
    for edit in plan.edits { for (_, alias) in edit.released { released[alias] = edit.name } }
    var taken: [Alias: DomainName] = [:]
    for edit in plan.edits {
      try goOn()
      if try version(of: edit.name) != edit.version { throw Outdated() }
      for name in (edit.version == nil ? [Alias(edit.name)] : []) + edit.taken {
        let owner =
          try taken[name]
          ?? owner(of: name).flatMap { owner in
            deleted.contains(owner) || released[name] == owner ? nil : owner
          }
        if let owner, owner != edit.name {
          throw PublicationError.nameTaken(name.description, for: edit.name, by: owner)
        }
        taken[name] = edit.name
      }
    }
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
    if !options.prune || !context.within.isEmpty { return [] }
    let listed = Set(listed.map(\.id))
    let unused = try unusedApps(after: plan).filter { !listed.contains($0) }
    if !context.isDryRun { for id in unused { try delete(id) } }
    return unused.map { ($0, .delete) }
  }

  private func apply<Key>(
    _ app: DesiredApp<Key>, _ plan: StatePlan
  ) throws -> AppliedState.Action {
    let old = try self.app(app.id)?.app
    let new = app.app(over: old)
    if old == new { return .unchanged }
    // Somebody limited to domains adds apps that domains of the state use, and changes none. So since that was
    // checked, the app was created, or deleted.
    if !context.within.isEmpty && (old != nil || !plan.named.contains(app.id.id)) {
      throw Outdated()
    }
    _ = try put(new, Key.self)
    return old == nil ? .create : .update
  }

  private func apply(_ edit: StatePlan.Edit, of state: DesiredState) throws {
    var basis = try basis(of: edit.name, at: edit.version)
    // Until now, reserved names stood in for released ones.
    for (position, alias) in edit.released { basis.stored?.domain.aliases[position] = alias }
    let found =
      if let index = edit.index {
        try state.domain(index, basis.stored)?.domain
      } else { basis.stored?.domain }
    guard var domain = found else { throw Outdated() }
    if let kept = edit.keptStatements { domain.assetLinksExtra = kept }
    domain.document = domain.document.keepingRows(
      of: basis.stored?.domain.document ?? Document())
    let whole = DomainEdit(
      domain, over: basis, documents: domain.rendered(try apps(of: domain)),
      acceptedCodes: edit.acceptedCodes, findings: edit.findings)
    do {
      _ = try save(whole, action: Publisher.applying)
    } catch StoreError.nameTaken(let name, let owner) {
      throw PublicationError.nameTaken(name, for: edit.name, by: owner)
    }
  }

  /// A domain as a review found it.
  private func basis(
    of name: DomainName, at version: StoredDomain.Version?
  ) throws -> DomainBasis {
    let basis = try basis(of: name)
    if basis.stored?.version != version { throw Outdated() }
    return basis
  }
}
