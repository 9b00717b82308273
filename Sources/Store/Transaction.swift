public import Association
import SQLite

/// What can be done together, all of it or nothing. It is lent by `Store.write` and not kept.
public struct Transaction: ~Copyable {
  /// Who writes, and why.
  public let context: WriteContext
  let connection: Connection
  let now: Int64
  private let turn: Turn

  init(connection: Connection, turn: Turn, context: WriteContext, now: Int64) {
    self.connection = connection
    self.turn = turn
    self.context = context
    self.now = now
  }

  /// To be called before work that takes more than some milliseconds. Where others wait for the commit
  /// of this transaction, it ends here and begins again when they have it.
  ///
  /// - Throws: what `Store.write` begins again for, and nobody else is to catch.
  public func prepareForLongWork() throws {
    if turn.isShared { throw Turn.IsLong() }
  }

  /// Notes that a domain changed, for this process and for others.
  private func noteChange(of domain: Int64, _ served: ServedDomain?) throws {
    let sequence = try ChangeRows.add(domain, connection)
    turn.notes.add(Commit.Change(domain: domain, served: served), at: sequence)
  }

  /// Writes down what is done.
  func record(
    _ action: String, _ subject: AuditRecord.Subject, revision: Int? = nil
  ) throws {
    try AuditRows.add(
      action, subject, revision: revision, by: context, now: now, connection)
  }
}

extension Transaction {
  /// One domain; `nil` if it is not there.
  public func domain(_ name: DomainName) throws -> StoredDomain? {
    try DomainRows.find(name, connection)
  }

  /// Changes, or adds, one domain and publishes a revision.
  ///
  /// - Parameters:
  ///   - action: What is done.
  ///   - body: Given the domain as it is, or `nil` where there is none, returns what it shall become.
  /// - Throws: `StoreError.staleRevision`, `.alreadyExists`, `.notFound`, `.nameTaken`, and what
  ///   `body` throws.
  public func edit(
    _ name: DomainName, if precondition: Precondition = .none, action: String,
    _ body: (StoredDomain?) throws -> DomainEdit
  ) throws -> EditedDomain {
    let known = try turn.recent.domain(name, connection)
    let old = try known?.stored ?? DomainRows.find(name, connection)
    try precondition.check(old?.revision, of: name)
    let edit = try body(old)
    turn.recent.noticeChanges(connection)
    let before = try known ?? old.flatMap { try published($0) }
    if let before, before.stored.domain == edit.domain, before.document == edit.document {
      return EditedDomain(before, before: before, isNew: false, isChanged: false)
    }
    let rows =
      try old.map { DomainRows(id: $0.id) }
      ?? DomainRows.insert(edit.domain, now: now, connection)
    try rows.save(edit.domain, over: old?.domain, now: now, connection)
    let revision = try RevisionRows.publish(
      edit, number: (old?.revision ?? 0) + 1, of: rows.id, action: action, by: context, now: now,
      connection)
    try rows.saveFindings(edit.findingCodes, connection)
    try noteChange(
      of: rows.id, edit.domain.isEnabled ? ServedDomain(rows.id, edit, revision) : nil)
    try record(action, .domain(name), revision: revision.number)
    let expected = old.flatMap { $0.published(edit, as: revision) }
    guard let stored = try expected ?? rows.load(connection) else {
      throw StoreError.notFound(.domain(name))
    }
    let edited = RecentEdits.Domain(
      stored: stored, revision: revision, document: edit.document, read: edit.read)
    turn.recent.keep(edited, insteadOf: name, connection)
    return EditedDomain(edited, before: before, isNew: old == nil, isChanged: true)
  }

  /// What is served for a domain; `nil` if its revision is not there.
  private func published(_ stored: StoredDomain) throws -> RecentEdits.Domain? {
    try RevisionRows.find(stored.revision, of: stored.id, connection).map {
      RecentEdits.Domain(stored: stored, revision: $0.revision, document: $0.document, read: nil)
    }
  }

  /// Removes a domain with its revisions. Apps stay.
  ///
  /// - Throws: `StoreError.notFound`, `.staleRevision`.
  public func delete(_ name: DomainName, if precondition: Precondition = .none) throws {
    guard let old = try DomainRows.find(name, connection) else {
      throw StoreError.notFound(.domain(name))
    }
    try precondition.check(old.revision, of: name)
    try connection.run("DELETE FROM domain WHERE id = ?", [.integer(old.id)])
    try noteChange(of: old.id, nil)
    try record("delete domain", .domain(name))
  }
}

extension Transaction {
  /// The names of all domains, in order.
  public func domainNames() throws -> [DomainName] {
    try connection.all("SELECT name FROM domain_name WHERE position = 0 ORDER BY name") {
      DomainName(stored: $0.text(0))
    }
  }

  /// Takes from stored domains the aliases that they shall not keep, so that others can have them.
  /// Each of these domains is to be edited in the same transaction: until then a name that nobody
  /// can have (RFC 2606, `.invalid`) stands in the place of the alias.
  public func releaseAliases(for domains: [Domain]) throws {
    for domain in domains {
      guard let id = try DomainRows.id(of: domain.name, connection) else { continue }
      for (position, alias) in try DomainRows(id: id).names(connection).enumerated()
      where position > 0 && !domain.aliases.contains(alias) {
        try connection.run(
          "UPDATE domain_name SET name = ? WHERE name = ?",
          [.text("released-\(id)-\(position).invalid"), .text(alias.description)])
      }
    }
  }
}

extension Precondition {
  fileprivate func check(_ revision: Int?, of name: DomainName) throws(StoreError) {
    switch (self, revision) {
    case (.none, _), (.exists, _?), (.absent, nil): return
    case (.exists, nil), (.revision, nil): throw StoreError.notFound(.domain(name))
    case (.absent, let current?): throw StoreError.alreadyExists(current: current)
    case (.revision(let expected), let current?):
      if !expected.contains(current) { throw StoreError.staleRevision(current: current) }
    }
  }
}
