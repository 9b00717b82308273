package import Association
import Store

/// What to write for a state. Of each domain that changes it has only what its review found: when it is
/// written, the domain is read and rendered again.
struct StatePlan {
  /// A domain that changes.
  struct Edit {
    /// The index in the state; `nil` for a domain that it does not list, but whose Android apps it changes.
    let index: Int?
    let name: DomainName
    /// The stored domain as the review found it; `nil` if there was none.
    let version: StoredDomain.Version?
    /// The kept statements of a domain that the state does not list.
    let keptStatements: [JSON]?
    let acceptedCodes: [String]
    /// `nil` if the linter makes them later.
    let findings: [Finding]?
    /// The aliases that the domain loses, with their positions.
    let released: [(position: Int, alias: Alias)]
    /// The aliases that it gets.
    let taken: [Alias]
  }

  /// A domain that is deleted.
  struct Deletion {
    let name: DomainName
    let version: StoredDomain.Version?
  }

  fileprivate(set) var edits: [Edit] = []
  /// The domains that are published as they should be, by their index in the state.
  fileprivate(set) var unchanged: [(index: Int, version: StoredDomain.Version?)] = []
  fileprivate(set) var deletions: [Deletion] = []
  /// The apps that the reviews depend on.
  fileprivate(set) var apps = UsedApps()
  /// The apps that domains of the state, and those that it changes, name, also in expectations.
  fileprivate(set) var named: Set<LinkedApp> = []
  /// The domains that name Android apps whose certificates change.
  fileprivate(set) var dependents: Set<DomainName> = []
}

/// Makes the plan for a state, one domain after the other.
struct StatePlanning {
  typealias Report = (DomainName, AppliedState.Action, Publication) throws -> Void

  let publisher: Publisher
  let state: DesiredState
  let options: ApplyOptions
  let context: WriteContext
  let report: Report

  private var store: Store { publisher.store }
  private let environments: [AppIdentifier: App.Environment]
  private let androidApps: [PackageName: DesiredApp<PackageName>]
  private var plan = StatePlan()
  private var errors: [PublicationError] = []
  private var errorCount = 0
  private var foreignChanges: [ForeignChange] = []
  private var foreignCount = 0
  private var hasInvalid = false
  private var findingCount = 0
  private var work: StateWork

  /// The number of domains that a problem names.
  private static let mostNamed = 100
  /// The number of findings that a plan keeps in memory.
  private static let mostFindings = 200_000
  /// The number of changes that it names for each.
  private static let mostUndone = 1000

  init(
    _ publisher: Publisher, _ state: DesiredState, _ options: ApplyOptions,
    by context: WriteContext, report: @escaping Report
  ) {
    self.publisher = publisher
    self.state = state
    self.options = options
    self.context = context
    self.report = report
    environments = Dictionary(
      state.apps.compactMap { app in app.environment.map { (app.id, $0) } },
      uniquingKeysWith: { $1 })
    androidApps = Dictionary(state.androidApps.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    work = StateWork(longest: options.longest, count: state.domains.count)
  }

  /// The plan.
  ///
  /// - Parameter earlier: A plan that is outdated in part.
  /// - Throws: `PublicationError`, `StoreError`, `DesiredState.Invalid`.
  mutating func plan(reusing earlier: StatePlan?) throws -> StatePlan {
    let earlier = try reusable(earlier)
    let edits = Dictionary(
      (earlier?.edits ?? []).compactMap { edit in edit.index.map { ($0, edit) } }
    ) { $1 }
    let unchanged = Dictionary((earlier?.unchanged ?? []).map { ($0.index, $0) }) { $1 }
    for index in state.domains.indices {
      if context.isAbandoned() { throw StoreError.busy }
      let name = state.domains[index]
      if let edit = edits[index], try store.version(of: name) == edit.version {
        plan.edits.append(edit)
        continue
      }
      if let same = unchanged[index], try store.version(of: name) == same.version {
        plan.unchanged.append(same)
        continue
      }
      try work.begin()
      try add(index, name)
      work.end(name)
    }
    if hasInvalid { throw DesiredState.Invalid() }
    try refuseUnusedApps()
    if foreignCount > 0 {
      throw PublicationError.changedElsewhere(foreignChanges, count: foreignCount)
    }
    try addDeletions()
    try addDependents()
    if errorCount == 1, let error = errors.first { throw error }
    if errorCount > 1 { throw PublicationError.several(errors, count: errorCount) }
    try reportMoves()
    return plan
  }

  /// Somebody limited to domains adds an app only with a domain that uses it.
  private func refuseUnusedApps() throws {
    if context.within.isEmpty { return }
    let added = try unusedApps(state.apps) + unusedApps(state.androidApps)
    if !added.isEmpty { throw DesiredState.UnusedApps(apps: added) }
  }

  /// The apps that are neither stored nor used by a domain of the state.
  private func unusedApps<Key>(_ apps: [DesiredApp<Key>]) throws -> [LinkedApp] {
    try apps.map(\.id).filter { try !plan.named.contains($0.id) && store.storedApp($0) == nil }
      .map(\.id)
  }

  /// The earlier plan, if apps are still as it found them.
  private mutating func reusable(_ earlier: StatePlan?) throws -> StatePlan? {
    guard let earlier else { return nil }
    guard try appSource.has(earlier.apps) else { return nil }
    (plan.apps, plan.named) = (earlier.apps, earlier.named)
    return earlier
  }

  private mutating func add(_ index: Int, _ name: DomainName) throws {
    let basis = try store.basis(of: name)
    guard let desired = try state.domain(index, basis.stored) else {
      hasInvalid = true
      return
    }
    if hasInvalid { return }
    plan.named.formUnion(desired.domain.namedApps)
    if try isUnchanged(desired.domain, basis) {
      return plan.unchanged.append((index, basis.stored?.version))
    }
    if let change = try foreignChange(to: desired, basis) {
      foreignCount += 1
      if foreignCount <= Self.mostNamed { foreignChanges.append(change) }
    }
    if foreignCount > 0 { return }
    try add(desired, name, basis, at: index)
  }

  private mutating func add(
    _ desired: DesiredDomain, _ name: DomainName, _ basis: DomainBasis, at index: Int?
  ) throws {
    var review: Review
    do {
      review = try self.review(desired, basis)
    } catch let error as PublicationError {
      return note(error)
    }
    if errorCount > 0 || index == nil && !review.publication.edited.isChanged { return }
    review.publication.compare()
    plan.named.formUnion(review.edit.domain.namedApps)
    findingCount += review.edit.findings?.count ?? 0
    let (old, new) = (basis.stored?.domain.aliases ?? [], review.edit.domain.aliases)
    let (before, after) = (Set(old), Set(new))
    plan.edits.append(
      StatePlan.Edit(
        index: index, name: name, version: basis.stored?.version,
        keptStatements: index == nil ? review.edit.domain.assetLinksExtra : nil,
        acceptedCodes: review.edit.acceptedCodes,
        // A dry run writes none.
        findings: !context.isDryRun && findingCount <= Self.mostFindings
          ? review.edit.findings : nil,
        released: old.enumerated().filter { !after.contains($1) }.map { ($0, $1) },
        taken: new.filter { !before.contains($0) }))
    try report(name, review.publication.action, review.publication)
  }

  /// Publishes the domains that the state does not list, but whose Android apps it changes.
  private mutating func addDependents() throws {
    plan.dependents = try state.dependents(
      app: store.androidApp(_:), domains: store.domains(using:))
    let others = Set(plan.deletions.map(\.name)).union(state.domains)
    for name in plan.dependents.subtracting(others).sorted() {
      if context.isAbandoned() { throw StoreError.busy }
      try work.begin()
      let basis = try store.basis(of: name)
      // If not, it was deleted after the list was read.
      if let stored = basis.stored {
        var domain = stored.domain
        for app in state.androidApps {
          guard let old = try store.androidApp(app.id) else { continue }
          domain.replaceKeptCertificates(of: old, by: app.app(over: old))
        }
        try add((domain, nil), name, basis, at: nil)
      }
      work.end(name)
    }
  }

  private mutating func addDeletions() throws {
    guard options.prune else { return }
    for name in state.unlisted(of: try store.domainNames(), by: context) {
      if context.isAbandoned() { throw StoreError.busy }
      try work.begin()
      let basis = try store.basis(of: name)
      // If not, it was deleted after the list was read.
      if basis.stored != nil {
        do {
          var deletion = try Publication(deleting: name, basis, accepting: options.accepted)
          deletion.compare()
          plan.deletions.append(StatePlan.Deletion(name: name, version: basis.stored?.version))
          try report(name, .delete, deletion)
        } catch let error as PublicationError {
          note(error)
        }
      }
      work.end(name)
    }
  }

  /// Goes on after an error, so that the problem names every domain that is refused.
  private mutating func note(_ error: PublicationError) {
    errorCount += 1
    if errorCount <= Self.mostNamed { errors.append(error) }
  }

  private mutating func review(_ desired: DesiredDomain, _ basis: DomainBasis) throws -> Review {
    let review = try Review(
      Proposal(domain: desired.domain, accepted: options.accepted), over: basis, apps: appSource,
      action: Publisher.applying, by: context, now: store.now())
    plan.apps.environments.merge(review.edit.apps.environments) { $1 }
    plan.apps.android.merge(review.edit.apps.android) { $1 }
    return review
  }

  /// The apps as the state leaves them.
  private var appSource: AppSource {
    AppSource { app in
      try environments[app] ?? plan.apps.environments[app] ?? store.environment(of: app)
    } androidApp: { package in
      if let found = plan.apps.android[package] { return found }
      let stored = try store.androidApp(package)
      return androidApps[package].map {
        PackageName.rows.written($0.app(over: stored), stored, context)
      } ?? stored
    }
  }

  /// Whether a domain is published as it should be. It is not linted again then.
  private func isUnchanged(_ domain: Domain, _ basis: DomainBasis) throws -> Bool {
    guard let old = basis.stored?.domain, let published = basis.published else { return false }
    var domain = domain
    domain.document = domain.document.keepingRows(of: old.document)
    if domain != old { return false }
    let apps = try appSource.apps(of: [domain])
    return try domain.rendered(apps) == published.documents && store.appSource.has(apps)
  }

  // MARK: Changes of others

  /// What applying a domain would undo of changes that others made.
  private func foreignChange(
    to desired: DesiredDomain, _ basis: DomainBasis
  ) throws -> ForeignChange? {
    if options.overwrite { return nil }
    if basis.stored == nil, desired.revision != nil, basis.lastNumber > 0 {
      let name = desired.domain.name
      return ForeignChange(
        domain: name, current: try store.revision(basis.lastNumber, of: name).revision,
        expected: desired.revision, undone: ["domain \(name) deleted"], isDeleted: true)
    }
    guard let stored = basis.stored, let published = basis.published,
      desired.revision != stored.revision, !published.revision.isApplied
    else { return nil }
    let undone = try undone(by: desired, stored, published)
    if undone.isEmpty { return nil }
    return ForeignChange(
      domain: stored.domain.name, current: published.revision, expected: desired.revision,
      undone: Array(undone.prefix(Self.mostUndone)))
  }

  /// The differences to the current revision that the author of the state has not made: those to the
  /// revision that the state was made from are missing. If that one is unknown, the last one that
  /// `apply` published takes its place. Without either, whatever the domain would lose was made by others.
  private func undone(
    by desired: DesiredDomain, _ stored: StoredDomain, _ published: PublishedRevision
  ) throws -> [String] {
    let name = stored.domain.name
    let documents = desired.domain.documents(try appSource.apps(of: [desired.domain]))
    let new = DomainComparison.State(
      ReadDocuments(documents), desired.domain)
    let current = try published.state(stored.domain)
    let base = try store.base(of: stored, at: desired.revision).map { try $0.state($0.domain()) }
    do throws(TooComplex) {
      let changes = try DomainComparison(
        of: name, from: current, to: new, findsExamples: false
      ).changes
      guard let base else { return changes.filter(\.loses).map(\.summary) }
      let own = try DomainComparison(of: name, from: base, to: new, findsExamples: false)
      let made = Set(own.changes.map(\.identity))
      return changes.filter { change in
        !made.contains(change.identity)
          && (own.areSettingsKnown || !change.concernsSettings || change.loses)
      }.map(\.summary)
    } catch {
      return ["the document, which is too complex to compare"]
    }
  }

  // MARK: Moved names

  /// Reports the domains between which names move once more, now that both sides are known.
  private mutating func reportMoves() throws {
    var givers: Set<Alias> = []
    for edit in plan.edits { givers.formUnion(edit.released.map(\.alias)) }
    for deletion in plan.deletions {
      givers.insert(Alias(deletion.name))
      givers.formUnion(try store.basis(of: deletion.name).stored?.domain.aliases ?? [])
    }
    if givers.isEmpty { return }
    let moved = Set(plan.edits.flatMap(\.taken).filter(givers.contains))
    if moved.isEmpty { return }
    var publications: [Publication] = []
    for deletion in plan.deletions {
      let basis = try store.basis(of: deletion.name)
      let names = basis.stored.map { [Alias($0.domain.name)] + $0.domain.aliases } ?? []
      guard publications.count < Self.mostNamed, names.contains(where: moved.contains) else {
        continue
      }
      publications.append(
        try Publication(deleting: deletion.name, basis, accepting: options.accepted))
    }
    for edit in plan.edits where publications.count < Self.mostNamed {
      guard (edit.taken + edit.released.map(\.alias)).contains(where: moved.contains) else {
        continue
      }
      let basis = try store.basis(of: edit.name)
      guard let index = edit.index, let desired = try state.domain(index, basis.stored) else {
        throw Outdated()
      }
      publications.append(try review(desired, basis).publication)
    }
    for publication in publications.comparingMoves() {
      try report(publication.edited.stored.domain.name, publication.action, publication)
    }
  }
}

extension DesiredState {
  /// A domain of the state is invalid.
  package struct Invalid: Error {}

  /// No domain of the state uses apps that somebody limited to domains would add.
  package struct UnusedApps: Error {
    package let apps: [LinkedApp]
  }

  /// The domains that name Android apps whose certificates the state changes. Their documents change with
  /// them.
  ///
  /// - Parameters:
  ///   - app: The stored app.
  ///   - domains: The domains that use an app.
  func dependents(
    app: (PackageName) throws -> AndroidApp?, domains: (PackageName) throws -> [DomainName]
  ) throws -> Set<DomainName> {
    var names: Set<DomainName> = []
    for desired in androidApps {
      guard let old = try app(desired.id) else { continue }
      if desired.app(over: old).certificates == old.certificates { continue }
      names.formUnion(try domains(desired.id))
    }
    return names
  }

  /// The domains that pruning deletes.
  func unlisted(of names: [DomainName], by context: WriteContext) -> [DomainName] {
    let listed = Set(domains)
    return names.filter { name in
      !listed.contains(name) && !kept.contains(name)
        && (context.within.isEmpty || context.within.contains { $0.covers(Alias(name)) })
    }
  }
}

/// Measures the work on a state, and ends it when it takes too long.
private struct StateWork {
  let longest: Duration
  let count: Int
  private let start = ContinuousClock.now
  private var begun = ContinuousClock.now
  private var done = 0
  /// The domains that took longest, the slowest first.
  private var slowest: [(domain: DomainName, time: Duration)] = []

  init(longest: Duration, count: Int) {
    self.longest = longest
    self.count = count
  }

  /// - Throws: `PublicationError.tooMuchWork`.
  mutating func begin() throws {
    begun = .now
    if begun - start <= longest { return }
    throw PublicationError.tooMuchWork(
      .checked, done: done, of: count, longest: longest, slowest: slowest.map(\.domain))
  }

  mutating func end(_ name: DomainName) {
    done += 1
    slowest.append((name, .now - begun))
    slowest.sort { $0.time > $1.time }
    if slowest.count > 5 { slowest.removeLast() }
  }
}

extension Domain {
  /// The apps that it uses, as the store counts them.
  fileprivate var namedApps: [LinkedApp] {
    document.appIdentifiers.map(\.id) + (androidApps + keptAndroidApps).map(\.id)
      + expectations.map(\.app)
  }
}

extension Publication {
  var action: AppliedState.Action {
    isDeletion ? .delete : edited.isNew ? .create : edited.isChanged ? .update : .unchanged
  }
}

extension PublishedRevision {
  /// What it published, to be compared.
  ///
  /// - Throws: `JSON.SyntaxError` if the stored document is damaged.
  fileprivate func state(_ domain: Domain?) throws -> DomainComparison.State {
    DomainComparison.State(try ReadDocuments(stored: documents), domain)
  }
}

extension DocumentChange {
  /// Whether the second state lacks something that somebody put into the first. A setting with its default
  /// was not set by anybody.
  fileprivate var loses: Bool {
    switch kind {
    case .added: false
    case .removed, .moved: true
    case .changed: before == nil || before != Self.defaults[what]
    }
  }

  fileprivate var concernsSettings: Bool {
    Self.defaults[what] != nil || what == .alias || what == .expectation
  }

  private static let defaults: [What: JSON] = [
    .enabled: true, .cacheSeconds: .integer(Domain.defaultCacheSeconds),
    .environment: .string(App.Environment.production.rawValue), .strict: false,
  ]

  /// The same change, wherever the thing is in the document.
  fileprivate var identity: String {
    [kind.rawValue, what.rawValue, summary, before?.text ?? "", after?.text ?? ""]
      .joined(separator: "\0") + apps.joined(separator: "\0")
  }
}
