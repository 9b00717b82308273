package import Association

/// The author of a write, the client's address, the reason, and whether it is a dry run.
package struct WriteContext: Sendable {
  /// The name of a token, or of a command.
  package var author: String
  /// The author whose own `apply` differs from that of others. `nil` counts every `apply` as own: for commands on the
  /// database, and for viewers, who plan what somebody else will apply.
  package var applier: String?
  /// The client's address; empty for a command.
  package let address: String
  /// The only domains that the author may change.
  package var within: Scope
  /// The only domains that the person may change who approved it.
  package var approvedWithin = Scope()
  /// The only documents that the author may change; empty for everything.
  package var documents: [DocumentName]
  /// The protected domains that the author publishes without a second person; `nil` for none.
  package var unapproved: Scope?
  /// The author's reason; may be empty.
  package var reason: String
  /// Whether to answer as if it were written, and to write nothing.
  package var isDryRun: Bool
  /// Takes what a dry run would write; `nil` for nothing.
  package var proposed: ProposedState?
  /// Whether the client has gone. Then a write that still waits for its turn is not made.
  package let isAbandoned: @Sendable () -> Bool
  /// Called when all that is left is to write, before that waits for its turn.
  package let willWrite: @Sendable () -> Void
  /// Whether the server itself writes, for nobody who waits for an answer.
  private(set) var isOfServer = false

  /// What a server writes by itself: what was fetched, used, checked and delivered.
  package static let ofServer = {
    var context = WriteContext(author: "aasa serve")
    context.isOfServer = true
    return context
  }()

  package init(
    author: String, address: String = "", within: Scope = Scope(),
    documents: [DocumentName] = [], unapproved: Scope? = nil, reason: String = "",
    isDryRun: Bool = false, proposed: ProposedState? = nil,
    isAbandoned: @escaping @Sendable () -> Bool = { false },
    willWrite: @escaping @Sendable () -> Void = {}
  ) {
    self.author = author
    self.address = address
    self.within = within
    self.documents = documents
    self.unapproved = unapproved
    self.reason = reason
    self.isDryRun = isDryRun
    self.proposed = proposed
    self.isAbandoned = isAbandoned
    self.willWrite = willWrite
  }
}

/// What a caller requires of the domain or the template that it changes (RFC 9110 section 13.1).
package enum Precondition: Sendable, Equatable {
  case none
  case exists
  /// It does not exist.
  case absent
  /// It has one of these revisions.
  case revision([Int])

  /// - Parameter revision: The current revision; `nil` if the item does not exist.
  /// - Throws: `StoreError.staleRevision`, `.alreadyExists` or `.notFound`.
  package func check(_ revision: Int?, of item: StoreError.Item) throws(StoreError) {
    switch (self, revision) {
    case (.none, _), (.exists, _?), (.absent, nil): return
    case (.exists, nil), (.revision, nil): throw StoreError.notFound(item)
    case (.absent, let current?): throw StoreError.alreadyExists(current: current)
    case (.revision(let expected), let current?):
      if !expected.contains(current) { throw StoreError.staleRevision(current: current) }
    }
  }
}

/// A domain as an edit found it.
package struct FormerDomain: Sendable {
  /// The domain; `nil` if it does not exist.
  package var stored: StoredDomain?
  package let published: PublishedRevision?
  /// The number of the last revision, perhaps from before a deletion; 0 without any.
  package let lastNumber: Int
  let suppressions: [Suppression]
  /// Those of several domains, perhaps not of this one.
  let sharedSuppressions: [SharedSuppression]
  /// Whether a second person must approve what changes the domain, by itself or by one of its labels.
  package let isProtected: Bool
  /// What is stored besides, if nobody else can change the domain until the transaction ends.
  fileprivate let locked: LockedRows?

  /// Domains with some names, which need not exist, in the order of the names: the first of them, as many as take little
  /// memory, and at least one.
  ///
  /// - Parameter locks: Whether they stay so until the transaction ends.
  static func first(
    of names: [DomainName], locks: Bool = false, _ connection: any Connection
  ) throws -> [FormerDomain] {
    let all = try DomainRows.versions(of: names, locks: locks, connection)
    let names = try fitting(names, all, connection)
    let versions = names.reduce(into: [:]) { $0[$1] = all[$1] }
    let reading = DomainReading(versions.values.map(\.id), connection)
    let (stored, published, suppressions) =
      versions.isEmpty
      ? ([:], [:], [:])
      : (try reading.domains(), try reading.revisions(), try SuppressionRows.all(reading))
    let locked = locks && !versions.isEmpty ? try reading.locked() : [:]
    let deleted = try DomainRows.lastRevisions(
      ofDeleted: names.filter { versions[$0] == nil }, connection)
    let shared = try SharedSuppressionRows.all(connection)
    let protected = try ProtectedLabelRows.all(connection)
    return names.map { name in
      let domain = versions[name].flatMap { stored[$0.id] }
      return FormerDomain(
        stored: domain, published: domain.flatMap { published[$0.id] },
        lastNumber: domain?.revision ?? deleted[name] ?? 0,
        suppressions: domain.flatMap { suppressions[$0.id] } ?? [], sharedSuppressions: shared,
        isProtected: domain.map {
          $0.domain.isProtected || !protected.isDisjoint(with: $0.domain.labels)
        } ?? false,
        locked: locks ? domain.flatMap { locked[$0.id] } ?? LockedRows() : nil)
    }
  }

  /// The first names whose documents together take little memory, and at least one name.
  private static func fitting(
    _ names: [DomainName], _ versions: [DomainName: StoredDomain.Version],
    _ connection: any Connection
  ) throws -> ArraySlice<DomainName> {
    if names.count <= 1 || versions.isEmpty { return names[...] }
    let sizes = try DomainReading(versions.values.map(\.id), connection).sizes()
    return names.fitting { name in versions[name].flatMap { sizes[$0.id] } ?? 0 }
  }

  /// - Parameter locks: Whether it stays so until the transaction ends.
  fileprivate func isCurrent(
    _ name: DomainName, locks: Bool = false, _ connection: any Connection
  ) throws -> Bool {
    if locked != nil { return true }
    return try DomainRows.version(of: name, locks: locks, connection) == stored?.version
  }
}

extension Array {
  /// The first elements that together have at most 1 MB, and at least one.
  func fitting(_ bytes: (Element) -> Int) -> ArraySlice<Element> {
    var sum = 0
    let fitting = prefix { element in
      sum += bytes(element)
      return sum <= 1_000_000
    }
    return prefix(Swift.max(1, fitting.count))
  }
}

/// The new state of a domain, with the documents to publish for it.
package struct DomainEdit: Sendable {
  package let domain: Domain
  /// The domain as the edit found it.
  package let former: FormerDomain
  package let apps: UsedApps
  package let documents: Documents
  package let acceptedCodes: [String]
  /// The linter's findings about the document; `nil` if they are made later.
  package let findings: [Finding]?

  package init(
    _ domain: Domain, over former: FormerDomain, apps: UsedApps = UsedApps(),
    documents: Documents, acceptedCodes: [String] = [], findings: [Finding]? = []
  ) {
    self.domain = domain
    self.former = former
    self.apps = apps
    self.documents = documents
    self.acceptedCodes = acceptedCodes
    self.findings = findings
  }

  /// The linter that made the findings; 0 for none.
  var lintedBy: Int { findings == nil ? 0 : Linter.version }

  /// The rendered documents that differ from those before, in words for the audit.
  fileprivate func changedDocuments(since before: Documents) -> [String] {
    DocumentKind.allCases.compactMap { kind in
      switch (before[kind], documents[kind]) {
      case (let old?, let new?): old == new ? nil : "\(kind.rawValue) changed"
      case (nil, _?): "\(kind.rawValue) added"
      case (_?, nil): "\(kind.rawValue) removed"
      case (nil, nil): nil
      }
    }
  }
}

/// What an edit was based on has changed. `Store.edit` plans it again.
package struct Outdated: Error {
  package init() {}
}

package struct EditedDomain: Sendable {
  package internal(set) var stored: StoredDomain
  package internal(set) var revision: Revision
  /// Whether anything changed. If not, no revision was published.
  package let isChanged: Bool
  /// The suppressions of findings that have not ended.
  package internal(set) var suppressions: Suppressions
  private let former: FormerDomain

  /// A domain after an edit of what `former` has.
  package init(
    _ stored: StoredDomain, _ revision: Revision, over former: FormerDomain, isChanged: Bool = true,
    now: UnixTime
  ) {
    (self.stored, self.revision, self.isChanged) = (stored, revision, isChanged)
    self.former = former
    suppressions = Suppressions(
      own: former.suppressions.filter { $0.decision.endsAt > now },
      shared: former.sharedSuppressions.active(for: stored.domain, at: now))
  }

  /// The documents of the previous revision; `nil` if nothing was served before.
  package var documentsBefore: Documents? { former.published?.documents }
  /// The domain before the edit; `nil` if nothing was served before.
  package var domainBefore: Domain? { former.stored?.domain }
  /// The last revision before the edit, perhaps of a deleted domain; 0 without any.
  package var revisionBefore: Int { former.lastNumber }
  package var isNew: Bool { former.stored == nil }
}

/// What a transaction has changed so far.
final class Footprint {
  /// The apps that a dry run would have changed, so that they are not as they were read.
  var apps: Set<LinkedApp> = []
  /// The rows of domains whose documents changed.
  var domains: [Int64] = []
  /// The apps that are known to have rows.
  private var storedApps: Set<LinkedApp> = []
  /// The Android apps that are known to be anybody's.
  var confirmedApps: Set<PackageName> = []
  /// Whether any webhook wants an event, once that was asked.
  var wantedEvents: [WebhookEvent: Bool] = [:]
  var change = PendingChange()

  /// Adds the Apple apps of domains that have no row yet, and refuses Android apps that have none.
  ///
  /// - Throws: `StoreError.unknownApps`.
  func requireApps(of domains: [Domain], now: UnixTime, _ connection: any Connection) throws {
    let apple = domains.flatMap {
      $0.associationFile.appIdentifiers + $0.expectations.compactMap(\.app.identifier)
    }
    let android = domains.flatMap { $0.associationFile.androidApps + $0.androidCredentials }
    try AppIdentifier.rows.insertMissing(
      apple.filter { !storedApps.contains($0.id) }, now: now, connection)
    try PackageName.rows.requireAll(android.filter { !storedApps.contains($0.id) }, connection)
    storedApps.formUnion(apple.map(\.id) + android.map(\.id))
  }

  func noteDeleted(_ app: LinkedApp) { storedApps.remove(app) }
}

/// An open write transaction, or one that only reads for a dry run. `Store.write` lends it to its body.
package struct Transaction: ~Copyable {
  /// Who writes, and why.
  package let context: WriteContext
  let connection: any Connection
  let now: UnixTime
  let footprint = Footprint()
  /// Whether it has kept others waiting for too long.
  private let isOverdue: () -> Bool

  init(
    connection: any Connection, context: WriteContext, now: UnixTime,
    isOverdue: @escaping () -> Bool = { false }
  ) {
    self.connection = connection
    self.context = context
    self.now = now
    self.isOverdue = isOverdue
  }

  /// Called before each of many steps.
  ///
  /// - Throws: `StoreError.tookTooLong` if others have waited for too long; `StoreError.busy` if nobody waits for
  ///   the result.
  package func goOn() throws {
    if context.isAbandoned() { throw StoreError.busy }
    if isOverdue() { throw StoreError.tookTooLong }
  }

  /// Tells servers what changed. It comes last, since from here on writers of PostgreSQL wait for the commit.
  func announce() throws { try ChangeRows.add(footprint.domains, connection) }

  /// Whether it cannot write. Then each function returns what it would if it had written.
  var isDryRun: Bool { context.isDryRun }

  /// Adds an audit record.
  ///
  /// - Parameter changes: What changed besides the document, in words.
  func record(
    _ action: String, _ subject: AuditRecord.Subject, revision: Int? = nil,
    changes: [String] = []
  ) throws {
    try AuditRows.add(
      action, subject, revision: revision, changes: changes, by: context, now: now, connection)
  }
}

extension Store {
  /// A domain to edit.
  ///
  /// - Throws: `StoreError.staleRevision`, `.alreadyExists` or `.notFound` if the precondition fails.
  package func formerDomain(
    of name: DomainName, if precondition: Precondition = .none
  ) throws -> FormerDomain {
    let former = try readToWrite { try FormerDomain.first(of: [name], $0)[0] }
    try precondition.check(former.stored?.revision, of: .domain(name))
    return former
  }

  /// The first of the domains to edit, in the order of their names: as many as take little memory, and at least one.
  package func formerDomains(of names: [DomainName]) throws -> [FormerDomain] {
    try read { try FormerDomain.first(of: names, $0) }
  }

  /// The names of some domains, in order.
  package func domainNames(within: Scope = Scope()) throws -> [DomainName] {
    try scan { try DomainRows.names(within: within, $0) }
  }

  /// Whether a scope has a domain as it is now. One that does not exist has no labels.
  package func has(_ name: DomainName, _ scope: Scope) throws -> Bool {
    if scope.covers(Alias(name)) { return true }
    if !scope.hasLabels { return false }
    return try read { scope.covers(Alias(name), labels: try DomainRows.labels(of: name, $0)) }
  }

  /// Whether an edit is still based on what is stored.
  package func isCurrent(_ edit: DomainEdit) throws -> Bool {
    try read { try edit.former.isCurrent(edit.domain.name, $0) }
  }

  /// The last revision of a deleted domain.
  ///
  /// - Throws: `StoreError.notFound` if no such domain was deleted, `.notDeleted`, or
  ///   `.staleRevision` if the precondition fails.
  package func lastRevision(
    ofDeleted name: DomainName, if precondition: Precondition
  ) throws -> PublishedRevision {
    try read { connection in
      if let version = try DomainRows.version(of: name, connection) {
        throw StoreError.notDeleted(name, current: version.revision)
      }
      let version = try DomainRows.history(of: name, connection)
      if case .revision(let expected) = precondition, !expected.contains(version.revision) {
        throw StoreError.staleRevision(current: version.revision)
      }
      return try RevisionRows.get(nil, of: version, connection)
    }
  }
}

extension Transaction {
  /// Writes a new or changed domain and publishes a revision. An edit that changes nothing writes
  /// nothing.
  ///
  /// - Parameter action: The action for the audit.
  /// - Throws: `StoreError.nameTaken`; `Outdated` if the domain or its apps are no longer as the edit
  ///   found them.
  package func save(_ edit: DomainEdit, action: String) throws -> EditedDomain {
    try goOn()
    // Apps and templates first, as edits of many domains lock them.
    let isCurrent =
      try areCurrent(edit.apps)
      && edit.former.isCurrent(edit.domain.name, locks: !isDryRun, connection)
    if !isCurrent { throw Outdated() }
    let (old, before) = (edit.former.stored, edit.former.published)
    var edited = edit.preview(action: action, by: context, now: now)
    if !edited.isChanged { return edited }
    if isDryRun {
      try complete(&edited, by: edit)
      return edited
    }
    try confirmAndroidApps(of: edit)
    try footprint.requireApps(of: [edit.domain], now: now, connection)
    let isFirst = edit.former.locked != nil && edit.former.lastNumber == 0
    let known =
      try old.map { DomainRows(id: $0.id) }
      ?? (isFirst ? nil : DomainRows.revive(edit.domain, connection))
    let rows = try known ?? DomainRows.add(edit, edited.revision, connection)
    var locked = LockedRows()
    if known != nil {
      // A domain that returns has given numbers.
      let read = old == nil ? nil : edit.former.locked
      locked = try read ?? DomainReading([rows.id], connection).locked()[rows.id] ?? LockedRows()
    }
    let domain = try rows.save(edit.domain, over: old?.domain, &locked, connection)
    edited.revision.change = try currentChange(action)
    let revision = edited.revision
    try RevisionRows.publish(revision, edit.documents, domain, of: rows.id, connection)
    if known != nil { try rows.publish(revision, edit, locked, connection) }
    try FindingRows.save(
      edit.findings, over: locked, of: rows.id, domain.associationFile, connection)
    edited.suppressions.own = locked.suppressions.filter { $0.decision.endsAt > now }
    try CheckRows.makeDue(rows.id, at: now + CheckRows.pauseAfterEdit, connection)
    var changes = old?.domain.words(changingTo: domain) ?? []
    changes += before.map { edit.changedDocuments(since: $0.documents) } ?? []
    try addToChange(
      domain.name, from: old?.revision, to: revision.number, action, changes: changes)
    try emit(
      revision.number, of: domain.name, action: action, changes: changes,
      isDisabled: old?.domain.isEnabled == true && !domain.isEnabled)
    footprint.domains.append(rows.id)
    edited.stored = StoredDomain(
      id: rows.id, domain: domain, revision: revision.number, updatedAt: now,
      acceptedCodes: edit.acceptedCodes)
    return edited
  }

  /// Adds the Apple apps that domains need before they are saved, which `save` would do for each by itself.
  ///
  /// - Throws: `StoreError.unknownApps`.
  package func requireApps(of domains: [Domain]) throws {
    try footprint.requireApps(of: domains, now: now, connection)
  }

  /// Does without writing what `save` does: checks names, and numbers new entries and routes.
  private func complete(_ edited: inout EditedDomain, by edit: DomainEdit) throws {
    let old = edit.former.stored
    let row = try old?.id ?? DomainRows.deleted(edit.domain.name, connection)?.id
    let rows = DomainRows(id: row ?? 0)
    try rows.refuseTakenNames(of: edit.domain, connection)
    try rows.number(
      &edited.stored.domain.associationFile.entries,
      over: old?.domain.associationFile.entries ?? [], connection)
  }

  /// Deletes a domain. Its revisions and its apps are kept.
  ///
  /// - Throws: `Outdated` if the domain is no longer as it was found.
  package func delete(_ former: FormerDomain) throws {
    try goOn()
    guard let old = former.stored,
      try former.isCurrent(old.domain.name, locks: !isDryRun, connection)
    else { throw Outdated() }
    if isDryRun { return }
    try DomainRows(id: old.id).delete(old.domain.name, now: now, connection)
    let names = old.domain.names.map { "\($0) no longer served" }
    let more = names.count - 20
    try addToChange(
      old.domain.name, from: old.revision, to: nil, "delete domain",
      changes: names.prefix(20) + (more > 0 ? ["\(more) more"] : []))
    try emitDeletion(of: old)
    footprint.domains.append(old.id)
  }

  /// The names of some domains, in order.
  package func domainNames(within: Scope = Scope()) throws -> [DomainName] {
    try DomainRows.names(within: within, connection)
  }
}
