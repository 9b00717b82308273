import Association
import Store

/// Makes the plan for a state. Domains are read and reviewed some at a time, on all processors.
struct StatePlanning {
  let publisher: Publisher
  let state: DesiredState
  let options: ApplyOptions
  let context: WriteContext
  let report: AppliedState.Report

  var store: Store { publisher.store }
  private let environments: [AppIdentifier: App.Environment]
  private let androidApps: [PackageName: DesiredApp<PackageName>]
  private let templates: [TemplateName: Template]
  /// Those of them whose domains are published with them.
  private var changedTemplates: Set<TemplateName> = []
  var plan = StatePlan()
  private let processors = processorCount()
  /// The edits of an earlier plan of domains that the state does not list.
  private var dependents: [DomainName: StatePlan.Edit] = [:]
  private var errors: [PublicationError] = []
  private var errorCount = 0
  private var foreignChanges: [ForeignChange] = []
  private var foreignCount = 0
  private var unknownApps: Set<LinkedApp> = []
  /// The faults of domains of the state.
  private let faults = Faults()
  private var findingCount = 0
  private var hasRefusedHidden = false
  private let shared = SharedDocuments()
  private var work: StateWork
  /// The domains of the state, or those that change with it.
  private var formerDomains = ReadAhead<DomainName, FormerDomain>([])
  /// Domains of the state that are read next.
  private var unread: [(index: Int, former: FormerDomain)] = []
  /// The domains that wait to be reviewed, several at the same time.
  private var waiting: [Candidate] = []
  private var waitingRoutes = 0

  /// The number of domains that a problem names.
  static let mostNamed = 100
  /// The number of findings that a plan keeps in memory.
  private static let mostFindings = 200_000
  /// How many domains are read together, and how many wait to be reviewed, for each processor and at most. All of them
  /// are in memory.
  private static let mostRead = (each: 8, all: 16)
  private static let mostWaiting = (each: 16, all: 32)
  /// Reviews begin once the domains that wait have this many routes for each processor.
  private static let mostRoutes = 4_000

  init(
    _ publisher: Publisher, _ state: DesiredState, _ options: ApplyOptions,
    by context: WriteContext, report: @escaping AppliedState.Report
  ) {
    self.publisher = publisher
    self.state = state
    self.options = options
    self.context = context
    self.report = report
    plan.refusals = state.conflicts
    environments = Dictionary(
      state.apps.compactMap { app in app.environment.map { (app.id, $0) } },
      uniquingKeysWith: { $1 })
    androidApps = Dictionary(state.androidApps.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    templates = Dictionary(state.templates.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    work = StateWork(longest: options.longest, count: state.domains.count)
  }

  /// The plan.
  ///
  /// - Parameter earlier: A plan that is outdated in part.
  /// - Throws: `PublicationError`, `StoreError`, and what the state throws.
  mutating func plan(reusing earlier: StatePlan?) throws -> StatePlan {
    let earlier = try reusable(earlier)
    for template in state.templates {
      let stored = try store.storedTemplate(template.name)
      if let compared = state.comparedTemplates[template.name], compared != stored?.revision ?? 0 {
        throw Outdated()
      }
      plan.templates.append(stored?.revision)
      try state.precondition.check(stored?.revision, of: .template(template.name))
      if state.publishesTemplates || stored?.template != template {
        changedTemplates.insert(template.name)
      }
    }
    let edits = Dictionary(
      (earlier?.edits ?? []).compactMap { edit in edit.index.map { ($0, edit) } }
    ) { $1 }
    // What becomes of kept statements depends on more than the domain.
    if state.androidApps.isEmpty {
      dependents = Dictionary(
        (earlier?.edits ?? []).filter { $0.index == nil }.map { ($0.name, $0) }
      ) { $1 }
    }
    let unchanged = Dictionary((earlier?.unchanged ?? []).map { ($0.index, $0) }) { $1 }
    let versions = try earlier.map { _ in try store.versions(of: state.domains) } ?? [:]
    formerDomains = ReadAhead(state.domains, atOnce: earlier != nil ? 1 : 128)
    for index in state.domains.indices {
      if context.isAbandoned() { throw StoreError.busy }
      let name = state.domains[index]
      if let edit = edits[index], versions[name] == edit.version {
        plan.edits.append(edit)
        continue
      }
      if let same = unchanged[index], versions[name] == same.version {
        plan.unchanged.append(same)
        continue
      }
      unread.append(
        (index, try formerDomains.value(at: index, read: store.formerDomains(of:))))
      if unread.count >= min(Self.mostRead.each * processors, Self.mostRead.all) {
        try addUnread()
      }
    }
    try addUnread()
    try reviewWaiting()
    try faults.check()
    try refuseUnusedApps()
    if foreignCount > 0 {
      try refuse(PublicationError.changedElsewhere(foreignChanges, count: foreignCount))
    }
    try addDeletions()
    try addDependents()
    try reviewWaiting()
    if errorCount == 0 || goesOn { try checkTakenNames() }
    // Those of an earlier plan came first. Two edits of the same domains lock them in one order.
    plan.edits.sort { ($0.index ?? .max, $0.name) < ($1.index ?? .max, $1.name) }
    if goesOn {
      plan.refusals += errors as [any Error]
      if !unknownApps.isEmpty {
        plan.refusals.append(StoreError.unknownApps(unknownApps.sorted { $0.text < $1.text }))
      }
      plan.moreRefusals = errorCount - errors.count
    } else {
      if errorCount == 1, let error = errors.first { throw error }
      if errorCount > 1 { throw PublicationError.several(errors, count: errorCount) }
    }
    try reportMoves()
    return plan
  }

  /// Whether the plan goes on after what would be refused.
  var goesOn: Bool { options.listsRefusals && context.isDryRun }

  private mutating func refuse(_ error: any Error) throws {
    if !goesOn { throw error }
    plan.refusals.append(error)
  }

  /// Somebody limited to domains adds an app only with a domain that uses it.
  private mutating func refuseUnusedApps() throws {
    if context.within.isEverything { return }
    let added = try unusedApps(state.apps) + unusedApps(state.androidApps)
    if !added.isEmpty { try refuse(DesiredState.UnusedApps(apps: added)) }
  }

  /// The apps that are neither stored nor used by a domain of the state.
  private func unusedApps<Key>(_ apps: [DesiredApp<Key>]) throws -> [LinkedApp] {
    try apps.filter { !$0.isDeleted }.map(\.id)
      .filter { try !plan.named.contains($0.id) && store.storedApp($0) == nil }.map(\.id)
  }

  /// The earlier plan, if apps are still as it found them.
  private mutating func reusable(_ earlier: StatePlan?) throws -> StatePlan? {
    guard let earlier else { return nil }
    guard try appSource.has(earlier.apps),
      try earlier.templates == state.templates.map({ try store.storedTemplate($0.name)?.revision })
    else { return nil }
    (plan.apps, plan.named) = (earlier.apps, earlier.named)
    plan.templatesInUse = earlier.templatesInUse
    return earlier
  }

  /// Reads domains of the state over what is stored of them, on all processors, and adds them to the plan in their order.
  private mutating func addUnread() throws {
    let places = unread
    unread = []
    if places.isEmpty { return }
    try work.begin()
    let (read, work, isAbandoned) = (state.domain, work, context.isAbandoned)
    let domains = concurrently(places.count, threads: processors, nice: 10) { number in
      let start = ContinuousClock.now
      let domain = Result {
        if work.isOverdue || isAbandoned() { throw StoreError.busy }
        return try read(places[number].index, places[number].former.stored)
      }
      return (domain, ContinuousClock.now - start)
    }
    for ((index, former), (domain, time)) in zip(places, domains) {
      let name = state.domains[index]
      try self.work.begin()
      let start = ContinuousClock.now
      let before = self.work.done + waiting.count
      do {
        try add(index, name, former, domain)
      } catch StoreError.unknownApps(let apps) where goesOn {
        unknownApps.formUnion(apps)
        try report(name, store.version(of: name) == nil ? .create : .update, nil)
      }
      // One that waits ends with its review.
      if self.work.done + waiting.count == before {
        self.work.end(name, after: time + (.now - start))
      }
    }
  }

  private mutating func add(
    _ index: Int, _ name: DomainName, _ former: FormerDomain,
    _ read: Result<DesiredDomain, any Error>
  ) throws {
    var desired: DesiredDomain
    var base: PublishedRevision?
    var (mayUndo, isLeftOut, isResolved) = (false, false, state.isResolved)
    do {
      if let table = options.table, let other = former.stored?.domain.template?.name, other != table
      {
        throw PublicationError.notAdoptable(name, table, .uses(other))
      }
      desired = try read.get()
      let isAsStored = Self.isAsStored(desired.domain, former)
      mayUndo = try !isAsStored && self.mayUndo(since: desired.revision, former)
      base = mayUndo ? try store.base(of: name, at: desired.revision, by: context.author) : nil
      if desired.revision != nil {
        isLeftOut = try isAsBefore(index, base)
        if !isLeftOut, let applier = context.applier,
          mayUndo || !isAsStored && isAppliedByOthers(since: desired.revision, former)
        {
          // The author may never have had what others applied.
          isLeftOut = try isAsBefore(
            index, store.base(of: name, at: desired.revision, by: applier, appliesOwn: true))
        }
      }
      // One that is left to others may not even fit its template as it is now.
      // A new domain is resolved by its review, unless it matters before which apps its template gives it.
      if !isLeftOut && !state.isResolved
        && (former.stored != nil || !context.within.isEverything)
      {
        isResolved = try resolve(&desired.domain, isAsStored, former)
      }
    } catch let error as PublicationError {
      // Those before it are refused first.
      try reviewWaiting()
      return refuse(name, error)
    } catch let error as InvalidInput {
      return faults.add(error)
    }
    if faults.count > 0 { return }
    if !isLeftOut { plan.named.formUnion(desired.domain.namedApps) }
    if let template = desired.domain.template { plan.templatesInUse.insert(template.name) }
    if try isLeftOut || Self.isStored(desired.domain, former) && isUnchanged(desired.domain, former)
    {
      return plan.unchanged.append(
        StatePlan.Unchanged(index: index, version: former.stored?.version, isLeftOut: isLeftOut))
    }
    if mayUndo, let change = try foreignChange(to: desired, former, since: base) {
      foreignCount += 1
      if foreignCount <= Self.mostNamed { foreignChanges.append(change) }
    }
    if foreignCount > 0 && !goesOn { return }
    try review(desired, name, former, at: index, isResolved: isResolved)
  }

  /// Adds to a domain of the state what its template gives it. One that is stored like this stays as it is unless the
  /// state changes its template: it may be behind an edit of the template, which is nothing that this state is about.
  ///
  /// - Returns: Whether it has what its template gives it now.
  private mutating func resolve(
    _ domain: inout Domain, _ isAsStored: Bool, _ former: FormerDomain
  ) throws -> Bool {
    if isAsStored, let old = former.stored?.domain, let template = domain.template,
      !changedTemplates.contains(template.name)
    {
      domain = old
      return false
    }
    var used = UsedApps()
    used.templates = try appSource.resolve(&domain)
    try plan.apps.add(used)
    return true
  }

  /// Whether a domain is stored like this, whatever its template gives.
  private static func isAsStored(_ desired: Domain, _ former: FormerDomain) -> Bool {
    guard let old = former.stored?.domain else { return false }
    return desired == old || desired.isSame(as: old.ownPart)
  }

  /// Reviews a domain of the state, or one that changes with it, beside the next ones.
  private mutating func review(
    _ desired: DesiredDomain, _ name: DomainName, _ former: FormerDomain, at index: Int?,
    isResolved: Bool = false
  ) throws {
    waiting.append(
      Candidate(
        index: index, name: name, former: former,
        proposal: Proposal(
          domain: desired.domain, isResolved: isResolved,
          accepted: options.accepted.union(state.accepted(name, former.stored?.domain)))))
    waitingRoutes += desired.domain.associationFile.entries.reduce(0) { $0 + $1.routes.count }
    if waiting.count >= mostWaiting || waitingRoutes >= Self.mostRoutes * processors {
      try reviewWaiting()
    }
  }

  private var mostWaiting: Int { min(Self.mostWaiting.each * processors, Self.mostWaiting.all) }

  /// Reviews the domains that wait, on all processors, and adds them to the plan in their order. The next ones are read
  /// meanwhile.
  private mutating func reviewWaiting() throws {
    let candidates = waiting
    (waiting, waitingRoutes) = ([], 0)
    let upcoming = candidates.isEmpty ? [] : formerDomains.upcoming(left: mostWaiting)
    let reviewed: [TimedReview]
    if upcoming.isEmpty {
      reviewed = try reviews(of: candidates)
    } else {
      let read: Result<[FormerDomain], any Error>
      (read, reviewed) = try beside { [store] in
        Result { try store.formerDomains(of: upcoming) }
      } _: {
        try reviews(of: candidates)
      }
      formerDomains.take(read)
    }
    for (candidate, (result, time)) in zip(candidates, reviewed) {
      try self.work.begin()
      if try refuseHidden(candidate, result) {
        self.work.end(candidate.name, after: time)
        continue
      }
      do {
        try add(candidate, result.get())
      } catch let error as PublicationError {
        refuse(candidate.name, error)
      } catch StoreError.unknownApps(let apps) where goesOn {
        unknownApps.formUnion(apps)
        try report(candidate.name, candidate.former.stored == nil ? .create : .update, nil)
      }
      self.work.end(candidate.name, after: time)
    }
  }

  /// Whether the reader may not see a domain. If the domain would change or be refused, the plan is refused once, without
  /// its name.
  private mutating func refuseHidden(
    _ candidate: Candidate, _ result: Result<Reviewed, any Error>
  ) throws -> Bool {
    guard candidate.index == nil, let hidden = state.hidden,
      hidden.isHidden(candidate.proposal.domain)
    else { return false }
    if case .success(let reviewed) = result, reviewed.refusals.isEmpty,
      !reviewed.review.publication.edited.isChanged
    {
      return true
    }
    if !hasRefusedHidden { try refuse(hidden.error) }
    hasRefusedHidden = true
    return true
  }

  /// What reviewing a domain gives, and how long it took.
  private typealias TimedReview = (Result<Reviewed, any Error>, Duration)

  private func reviews(of candidates: [Candidate]) throws -> [TimedReview] {
    // It has the apps of the plan, which would be copied if they were added to while it is there.
    let (reviewer, goesOn, work) = try (reviewer.reading(candidates), goesOn, work)
    let compares = goesOn || errorCount == 0 || state.check != nil
    return concurrently(candidates.count, threads: processors, nice: 10) { number in
      let start = ContinuousClock.now
      let result = Result {
        if work.isOverdue || reviewer.context.isAbandoned() { throw StoreError.busy }
        return try reviewer.review(candidates[number], goesOn: goesOn, compares: compares)
      }
      return (result, ContinuousClock.now - start)
    }
  }

  private mutating func add(_ candidate: Candidate, _ reviewed: Reviewed) throws {
    let (review, former) = (reviewed.review, candidate.former)
    for error in reviewed.refusals { note(error) }
    try plan.apps.add(review.edit.apps)
    // One that is refused already is named once.
    if reviewed.refusals.isEmpty { try state.check?(review.publication) }
    if errorCount > 0 && !goesOn { return }
    if candidate.index == nil && !review.publication.edited.isChanged { return }
    try context.proposed?.note(review.publication, followsTemplate: candidate.index == nil)
    plan.named.formUnion(review.edit.domain.namedApps)
    findingCount += review.edit.findings?.count ?? 0
    let (old, new) = (former.stored?.domain.aliases ?? [], review.edit.domain.aliases)
    let (before, after) = (Set(old), Set(new))
    plan.edits.append(
      StatePlan.Edit(
        index: candidate.index, name: candidate.name, version: former.stored?.version,
        keepsOwnPart: reviewed.keepsOwnPart, documentsHash: review.edit.documents.hashValue,
        keptStatements: candidate.index == nil ? review.edit.domain.assetLinksExtra : nil,
        template: review.edit.domain.template?.name, acceptedCodes: review.edit.acceptedCodes,
        // A dry run writes none.
        findings: !context.isDryRun && findingCount <= Self.mostFindings
          ? review.edit.findings : nil,
        released: old.enumerated().filter { !after.contains($1) }.map { ($0, $1) },
        taken: new.filter { !before.contains($0) }))
    try report(candidate.name, review.publication.action, review.publication)
  }

  /// Publishes the domains that the state does not list, but whose Android apps or templates it changes.
  private mutating func addDependents() throws {
    plan.dependents = try state.dependents(
      app: store.androidApp(_:), domains: store.domains(using:),
      template: store.storedTemplate(_:), domains: store.domains(using:))
    let others = Set(plan.deletions.map(\.name)).union(state.domains)
      .subtracting(plan.leftOut(of: state))
    let names = plan.dependents.subtracting(others).sorted()
    let versions = dependents.isEmpty ? [:] : try store.versions(of: names)
    formerDomains = ReadAhead(names, atOnce: !dependents.isEmpty ? 1 : 128)
    for (index, name) in names.enumerated() {
      if context.isAbandoned() { throw StoreError.busy }
      if let edit = dependents[name], versions[name] == edit.version {
        plan.edits.append(edit)
        continue
      }
      try work.begin()
      let former = try formerDomains.value(at: index, read: store.formerDomains(of:))
      // If not, it was deleted after the list was read.
      if let stored = former.stored {
        var domain = stored.domain
        for app in state.androidApps {
          guard let old = try store.androidApp(app.id) else { continue }
          domain.replaceKeptCertificates(of: old, by: app.app(over: old))
        }
        if let template = domain.template.flatMap({ templates[$0.name] }) {
          domain.keepParameters(of: template, renaming: state.renamedParameters)
        }
        try review((domain, nil), name, former, at: nil)
      }
    }
  }

  private mutating func addDeletions() throws {
    let deleted =
      options.prune
      ? state.unlisted(
        of: try store.domainNames(within: context.within),
        using: try options.table.map { try store.domains(using: $0) }) : state.deleted
    var formerDomains = ReadAhead<DomainName, FormerDomain>(deleted)
    var takers = Takers(plan.edits)
    for (index, name) in deleted.enumerated() {
      if context.isAbandoned() { throw StoreError.busy }
      try work.begin()
      let former = try formerDomains.value(at: index, read: store.formerDomains(of:))
      // If not, it was deleted after the list was read.
      if former.stored != nil {
        // Also if it is refused: then nothing is written.
        plan.deletions.append(StatePlan.Deletion(name: name, version: former.stored?.version))
        do {
          try context.refuse(from: former.stored?.domain, to: nil)
          var refusals: [PublicationError] = []
          let taker = try takers.publication(
            of: former.stored?.domain.names ?? [], publication(of:))
          var deletion = try Publication(
            deleting: name, former, toBeServedBy: taker, accepting: options.accepted, by: context,
            sharing: shared
          ) {
            if !goesOn { throw $0 }
            refusals.append($0)
          }
          for error in refusals { note(error) }
          deletion.compare(sharing: shared)
          try state.check?(deletion)
          try context.proposed?.note(deletion)
          try report(name, .delete, deletion)
        } catch let error as PublicationError {
          note(error)
        }
      }
      work.end(name)
    }
  }

  /// Leaves a domain of the state out, or refuses all of them.
  private mutating func refuse(_ name: DomainName, _ error: PublicationError) {
    if !options.skipsRefused { return note(error) }
    plan.refused.append(name)
    if plan.skipReasons.count < Self.mostNamed { plan.skipReasons.append(error) }
  }

  /// Goes on after an error, so that the problem names every domain that is refused.
  mutating func note(_ error: PublicationError) {
    errorCount += 1
    if errorCount <= Self.mostNamed { errors.append(error) }
  }

  /// Reviews domains with the apps as the state leaves them.
  var reviewer: StateReviewer {
    StateReviewer(
      apps: StateReviewer.Apps(
        environments: environments, android: androidApps, templates: templates, known: plan.apps),
      store: store, action: options.action, context: context, shared: shared)
  }

  var appSource: AppSource { reviewer.appSource }

  /// Whether a stored domain is published as it should be. It is not linted again then.
  private func isUnchanged(_ domain: Domain, _ former: FormerDomain) throws -> Bool {
    guard let old = former.stored?.domain, let published = former.published else { return false }
    var domain = domain
    domain.associationFile = domain.associationFile.keepingRows(of: old.associationFile)
    let apps = try appSource.apps(of: [domain])
    return try domain.rendered(apps) == published.documents && store.appSource.has(apps)
  }

  private static func isStored(_ domain: Domain, _ former: FormerDomain) -> Bool {
    former.stored.map { domain.isSame(as: $0.domain) } ?? false
  }
}

extension Domain {
  /// Whether it is the same domain, whatever numbers its entries and routes have.
  func isSame(as other: Domain) -> Bool {
    var domain = self
    domain.associationFile = domain.associationFile.keepingRows(of: other.associationFile)
    return domain == other
  }

  /// The apps that it uses, as the store counts them.
  fileprivate var namedApps: [LinkedApp] {
    associationFile.appIdentifiers.map(\.id) + (androidApps + keptAndroidApps).map(\.id)
      + expectations.map(\.app)
  }
}

extension Publication {
  var action: AppliedState.Action {
    isDeletion ? .delete : edited.isNew ? .create : edited.isChanged ? .update : .unchanged
  }
}
