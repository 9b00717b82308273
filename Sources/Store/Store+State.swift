package import Association
import Synchronization

extension Revision {
  /// The action of revisions that `apply` publishes.
  package static let applying = "apply"
}

// MARK: Planning

extension Store {
  /// The domain's version; `nil` if it does not exist.
  package func version(of name: DomainName) throws -> StoredDomain.Version? {
    try read { try DomainRows.version(of: name, $0) }
  }

  /// The revision that somebody had before them who made a state of a domain: the one that they name, or
  /// else the last one that `apply` published; `nil` if neither is kept.
  package func base(of domain: StoredDomain, at number: Int?) throws -> PublishedRevision? {
    try read { connection in
      if let number, number < domain.revision,
        let named = try RevisionRows.find(number, of: domain.id, connection)
      {
        return named
      }
      let applied = try connection.first(
        "SELECT max(number) FROM revision WHERE domain_id = ? AND is_applied = 1",
        [.integer(domain.id)]
      ) { $0.optionalInteger(0) }
      guard let number = applied ?? nil else { return nil }
      return try RevisionRows.find(Int(number), of: domain.id, connection)
    }
  }
}

extension DomainEdit {
  /// What saving a domain will give, without the numbers of new entries and routes.
  package func preview(action: String, by context: WriteContext, now: UnixTime) -> EditedDomain {
    if let old = basis.stored, let before = basis.published, old.domain == domain,
      before.documents == documents
    {
      return EditedDomain(old, before.revision, over: basis, isChanged: false, now: now)
    }
    let revision = Revision(
      of: self, number: basis.lastNumber + 1, action: action, by: context, now: now)
    let stored = StoredDomain(
      id: basis.stored?.id ?? 0, domain: domain, revision: revision.number, updatedAt: now,
      acceptedCodes: acceptedCodes)
    return EditedDomain(stored, revision, over: basis, now: now)
  }
}

// MARK: Writing

extension Transaction {
  /// A domain to edit, as it is in this transaction.
  package func basis(of name: DomainName) throws -> DomainBasis {
    try DomainBasis(name, connection)
  }

  /// The domain's version; `nil` if it does not exist.
  package func version(of name: DomainName) throws -> StoredDomain.Version? {
    try DomainRows.version(of: name, connection)
  }

  /// The environment of an app; production if it is not stored.
  package func environment(of app: AppIdentifier) throws -> App.Environment {
    try AppIdentifier.rows.environment(of: app, connection)
  }

  /// The apps that a domain names.
  package func apps(of domain: Domain) throws -> UsedApps {
    try UsedApps(of: domain, connection)
  }

  /// Whether apps are still as they were read.
  package func areCurrent(_ apps: UsedApps) throws -> Bool {
    try apps.areCurrent(connection, except: footprint.apps)
  }

  /// The domain that has a name, as its own or as an alias.
  package func owner(of name: Alias) throws -> DomainName? {
    try DomainRows.owner(of: name, connection)?.name
  }

  /// Releases aliases of a domain, so that others can take them. Save the domain in the same transaction:
  /// until then, a reserved name (RFC 2606, `.invalid`) stands in for each alias.
  ///
  /// - Parameter aliases: The aliases, with their positions.
  package func release(
    _ aliases: [(position: Int, alias: Alias)], of basis: DomainBasis
  ) throws {
    guard let stored = basis.stored else { return }
    for (position, alias) in aliases {
      try connection.run(
        "UPDATE domain_name SET name = ? WHERE name = ?",
        [.text("released-\(stored.id)-\(position).invalid"), .text(alias.description)])
    }
  }
}

// MARK: Exporting

/// Reads everything in one consistent state, a few domains at a time.
package final class StateReader: Sendable {
  /// A domain in the order of names, and the SHA-256 of its file, if that is known.
  package struct Item: Sendable {
    package let name: DomainName
    /// The current revision.
    package let revision: Int
    /// The SHA-256 of the file that an export writes, as 64 hexadecimal digits.
    package var sha256: String?
    fileprivate let id: Int64
  }

  package let apps: [StoredApp<AppIdentifier>]
  /// The Android apps, by package name.
  package let androidApps: [StoredApp<PackageName>]
  private let store: Store
  private let within: [Alias]
  private let form: String
  private let view: any View
  private let last = Mutex("")

  fileprivate init(of store: Store, within: [Alias], form: String) throws {
    self.store = store
    self.within = within
    self.form = form
    view = try store.translatingErrors(.read) { try store.engine.view() }
    apps = try Self.read(store, view) { try AppIdentifier.rows.used(within: within, $0) }
    androidApps = try Self.read(store, view) { try PackageName.rows.used(within: within, $0) }
  }

  private static func read<Result: Sendable>(
    _ store: Store, _ view: any View, _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try store.translatingErrors(.read) { try view.read(body) }
  }

  /// The next domains by name; empty after the last one.
  ///
  /// - Throws: `StoreError.database`.
  package func next(_ limit: Int = 1000) throws -> [Item] {
    try last.withLock { last in
      while true {
        let after = last
        let items = try Self.read(store, view) { connection in
          try connection.all(
            """
            SELECT name, domain.revision, sha256, domain.id
            FROM domain_name JOIN domain ON domain.id = domain_name.domain_id
            LEFT JOIN exported_file ON exported_file.domain_id = domain.id
              AND exported_file.revision = domain.revision AND form = ?
            WHERE position = 0 AND name > ? ORDER BY name LIMIT ?
            """, [.text(form), .text(after), .integer(limit)]
          ) { row in
            Item(
              name: DomainName(stored: row.text(0)), revision: row.int(1),
              sha256: row.optionalText(2), id: row.integer(3))
          }
        }
        guard let end = items.last else { return [] }
        last = end.name.text
        let covered = items.filter { item in
          within.isEmpty || within.contains { $0.covers(Alias(item.name)) }
        }
        if !covered.isEmpty { return covered }
      }
    }
  }

  /// A domain; `nil` if it cannot be found.
  ///
  /// - Throws: `StoreError.database`.
  package func domain(_ item: Item) throws -> StoredDomain? {
    try Self.read(store, view) { try DomainRows(id: item.id).load($0) }
  }

  /// Keeps the SHA-256 of files, so that they need not be made again.
  ///
  /// - Throws: `StoreError`.
  package func remember(_ items: [Item]) throws {
    if items.isEmpty { return }
    try store.write(WriteContext(author: "")) { transaction in
      for item in items {
        try transaction.connection.run(
          """
          INSERT INTO exported_file (domain_id, revision, form, sha256)
          SELECT id, ?, ?, ? FROM domain WHERE id = ?
          ON CONFLICT (domain_id) DO UPDATE SET revision = excluded.revision,
            form = excluded.form, sha256 = excluded.sha256
          """,
          [
            .integer(item.revision), .text(form), .optional(item.sha256), .integer(item.id),
          ])
      }
    }
  }
}

extension Store {
  /// Apps and domains, in the state that is stored now.
  ///
  /// - Parameters:
  ///   - within: The domains; empty for all. The apps are those that they use.
  ///   - form: The form of the files whose SHA-256 is wanted.
  package func export(within: [Alias] = [], form: String = "") throws -> StateReader {
    try StateReader(of: self, within: within, form: form)
  }

  /// The directory for temporary files: by default that of the database, if it is a file.
  package var spoolDirectory: String { ownSpoolDirectory.withLock(\.self) ?? engine.directory }

  /// Keeps temporary files in another directory from now on.
  package func keepSpools(in directory: String?) { ownSpoolDirectory.withLock { $0 = directory } }
}
