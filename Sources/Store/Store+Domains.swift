public import Association
import CSodium
import JSONValue
import SQLite

/// What a caller demands of the state that it changes (RFC 9110 section 13.1).
public enum Precondition: Sendable, Equatable {
  /// Nothing.
  case none
  /// The domain must be there.
  case exists
  /// The domain must not be there.
  case absent
  /// The domain must have one of these revisions.
  case revision([Int])
}

/// What a domain shall become, with the document that is published for it.
public struct DomainEdit: Sendable {
  /// The domain.
  public var domain: Domain
  /// The rendered document.
  public var document: [UInt8]
  /// The codes of the errors that were accepted.
  public var acceptedCodes: [String]

  /// An edit.
  public init(domain: Domain, document: [UInt8], acceptedCodes: [String] = []) {
    self.domain = domain
    self.document = document
    self.acceptedCodes = acceptedCodes
  }
}

/// A domain after an edit.
public struct EditedDomain: Sendable {
  /// The domain as it is stored now.
  public let stored: StoredDomain
  /// The revision that is served now.
  public let revision: Revision
  /// Whether the domain is new.
  public let isNew: Bool
  /// Whether anything changed. Where nothing did, no revision was published.
  public let isChanged: Bool
}

extension Store {
  /// One domain.
  ///
  /// - Throws: `StoreError.notFound`.
  public func domain(_ name: DomainName) throws -> StoredDomain {
    try read { connection in
      guard let stored = try DomainRows.find(name, &connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return stored
    }
  }

  /// Changes, or adds, one domain and publishes a revision, in one transaction.
  ///
  /// - Parameters:
  ///   - author: Who does it.
  ///   - reason: What is done.
  ///   - body: Given the domain as it is, or `nil` where there is none, returns what it shall become.
  /// - Throws: `StoreError.staleRevision`, `.alreadyExists`, `.notFound`, `.nameTaken`, `.database`,
  ///   and what `body` throws. Nothing is changed then.
  public func edit(
    _ name: DomainName, if precondition: Precondition = .none, author: String, reason: String,
    _ body: (StoredDomain?) throws -> DomainEdit
  ) throws -> EditedDomain {
    try write { connection in
      let old = try DomainRows.find(name, &connection)
      try check(precondition, against: old?.revision, of: name)
      let edit = try body(old)
      if let old, let current = try RevisionRows.find(old, &connection),
        old.domain == edit.domain, current.document == edit.document
      {
        return EditedDomain(
          stored: old, revision: current.revision, isNew: false, isChanged: false)
      }
      let rows = DomainRows(id: try old?.id ?? DomainRows.insert(now: now(), &connection))
      try rows.save(edit.domain, over: old?.domain, now: now(), &connection)
      let revision = try RevisionRows.publish(
        edit, number: (old?.revision ?? 0) + 1, of: rows.id, author: author, reason: reason,
        now: now(), &connection)
      try ChangeRows.add(rows.id, &connection)
      guard let stored = try rows.load(&connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return EditedDomain(
        stored: stored, revision: revision, isNew: old == nil, isChanged: true)
    }
  }

  /// Removes a domain with its revisions. Apps stay.
  ///
  /// - Throws: `StoreError.notFound`, `.staleRevision`, `.database`.
  public func delete(_ name: DomainName, if precondition: Precondition = .none) throws {
    try write { connection in
      guard let old = try DomainRows.find(name, &connection) else {
        throw StoreError.notFound(.domain(name))
      }
      try check(precondition, against: old.revision, of: name)
      try connection.run("DELETE FROM domain WHERE id = ?", [.integer(old.id)])
      try ChangeRows.add(old.id, &connection)
    }
  }

  /// The names of domains in order, from the one after `last`.
  public func domains(after last: String?, limit: Int) throws -> [DomainSummary] {
    try read { connection in
      try connection.all(
        """
        SELECT name, is_enabled, format, revision, updated_at
        FROM domain_name JOIN domain ON domain.id = domain_id
        WHERE domain_name.position = 0 AND name > ? ORDER BY name LIMIT ?
        """, [.text(last ?? ""), .integer(limit)]
      ) { row in
        DomainSummary(
          name: DomainName(stored: row.text(0)), isEnabled: row.bool(1),
          format: try row.enumeration(2), revision: row.int(3), updatedAt: row.integer(4))
      }
    }
  }

  /// How many domains there are.
  public func domainCount() throws -> Int {
    try read { try $0.first("SELECT count(*) FROM domain") { $0.int(0) } ?? 0 }
  }

  private func check(
    _ precondition: Precondition, against revision: Int?, of name: DomainName
  ) throws {
    switch (precondition, revision) {
    case (.none, _), (.exists, _?), (.absent, nil): return
    case (.exists, nil), (.revision, nil): throw StoreError.notFound(.domain(name))
    case (.absent, let current?): throw StoreError.alreadyExists(current: current)
    case (.revision(let expected), let current?):
      if !expected.contains(current) { throw StoreError.staleRevision(current: current) }
    }
  }
}

/// A domain in a list.
public struct DomainSummary: Sendable, Equatable {
  /// The name.
  public let name: DomainName
  /// Whether the file is served.
  public let isEnabled: Bool
  /// How entries are written that do not say it themselves.
  public let format: Domain.Format
  /// The number of the revision that is served.
  public let revision: Int
  /// When it was last changed, in seconds since 1970.
  public let updatedAt: Int64
}

extension DomainRows {
  /// Adds the row of a new domain and returns it; `save` writes what it is made of.
  fileprivate static func insert(now: Int64, _ connection: inout Connection) throws -> Int64 {
    try connection.run(
      """
      INSERT INTO domain (is_enabled, format, cache_seconds, details_form, has_apps,
        applinks_extra, extra, revision, created_at, updated_at)
      VALUES (0, 'modern', 0, 'array', 0, '{}', '{}', 0, ?1, ?1)
      """, [.integer(now)])
    return connection.lastInsertRowID
  }
}
