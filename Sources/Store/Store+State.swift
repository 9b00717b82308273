package import Association
import Synchronization

extension Revision {
  /// The action of revisions that `apply` publishes.
  package static let applying = "apply"
  /// The action of the change that a draft becomes when it is approved.
  package static let publishingDraft = "publish draft"
}

// MARK: Planning

extension Store {
  /// The domain's version; `nil` if it does not exist.
  package func version(of name: DomainName) throws -> StoredDomain.Version? {
    try read { try DomainRows.version(of: name, $0) }
  }

  /// The versions of some domains; those that do not exist are left out.
  package func versions(of names: [DomainName]) throws -> [DomainName: StoredDomain.Version] {
    try read { try DomainRows.versions(of: names, $0) }
  }

  /// The domains that serve names because a wildcard alias covers them. Names of which that is not so, or that a domain has
  /// itself, are left out.
  package func wildcardOwners(of names: [Alias]) throws -> [Alias: DomainName] {
    let wildcards = Dictionary(
      names.map { name in
        (name, DomainFilter.coveringNames(of: name.name).dropFirst().map(Alias.init(stored:)))
      }
    ) { $1 }
    let owners = try read {
      try DomainRows.owners(of: names + Set(wildcards.values.joined()), $0)
    }
    return wildcards.filter { owners[$0.key] == nil }
      .compactMapValues { $0.lazy.compactMap { owners[$0] }.first }
  }

  /// What `apply` and drafts of an author published.
  private static let own =
    "(is_applied = 1 OR author = ? AND change_id IN (SELECT id FROM recorded_change WHERE action = ?))"

  /// Whether `apply` and drafts of an author published every revision after this one.
  package func hasOnlyOwnRevisions(
    of domain: StoredDomain, after number: Int, by author: String
  ) throws -> Bool {
    try read { connection in
      // One that is not kept any more may be anybody's.
      try connection.number(
        "SELECT count(*) FROM revision WHERE domain_id = ? AND number > ? AND \(Self.own)",
        [
          .integer(domain.id), .integer(number), .text(author), .text(Revision.publishingDraft),
        ]) == Int64(domain.revision - number)
    }
  }

  /// The revision that somebody had before them who made a state of a domain, which may be deleted: the one
  /// that they name or, if that is later or the only one kept, the last one that `apply` published or, if they name none,
  /// a draft of theirs; `nil` if neither is kept.
  ///
  /// - Parameter appliesOwn: Whether only what `apply` published for the author counts, and not for others.
  package func base(
    of name: DomainName, at number: Int?, by author: String, appliesOwn: Bool = false
  ) throws -> PublishedRevision? {
    let (condition, values): (String, [Value]) =
      if number == nil {
        (Self.own, [.text(author), .text(Revision.publishingDraft)])
      } else if appliesOwn {
        ("is_applied = 1 AND author = ?", [.text(author)])
      } else {
        ("is_applied = 1", [])
      }
    return try read { connection in
      let domain = try DomainRows.history(of: name, connection)
      let applied = try connection.first(
        "SELECT max(number) FROM revision WHERE domain_id = ? AND \(condition)",
        [.integer(domain.id)] + values
      ) { $0.optionalInteger(0) }
      let numbers = [number, (applied ?? nil).map(Int.init)].compactMap(\.self)
      for number in numbers.sorted(by: >) where number <= domain.revision {
        if let found = try RevisionRows.find(number, of: domain.id, connection) { return found }
      }
      return nil
    }
  }
}

extension DomainEdit {
  /// What saving a domain will give, without the numbers of new entries and routes.
  package func preview(action: String, by context: WriteContext, now: UnixTime) -> EditedDomain {
    if let old = former.stored, let before = former.published, old.domain == domain,
      before.documents == documents
    {
      return EditedDomain(old, before.revision, over: former, isChanged: false, now: now)
    }
    let revision = Revision(
      of: self, number: former.lastNumber + 1, action: action, by: context, now: now)
    let stored = StoredDomain(
      id: former.stored?.id ?? 0, domain: domain, revision: revision.number, updatedAt: now,
      acceptedCodes: acceptedCodes)
    return EditedDomain(stored, revision, over: former, now: now)
  }
}

// MARK: Writing

extension Transaction {
  /// The first of the domains to edit, as they are until the transaction ends; see `Store.formerDomains`.
  package func formerDomains(of names: [DomainName]) throws -> [FormerDomain] {
    try FormerDomain.first(of: names, locks: !isDryRun, connection)
  }

  /// The versions of some domains; those that do not exist are left out.
  package func versions(of names: [DomainName]) throws -> [DomainName: StoredDomain.Version] {
    try DomainRows.versions(of: names, connection)
  }

  /// Whether apps and templates are still as they were read. They stay so until the transaction ends.
  package func areCurrent(_ apps: UsedApps) throws -> Bool {
    try lock(
      apps.environments.keys.map(\.id) + apps.android.keys.map(\.id), .use)
    try lock(Array(apps.templates.keys), .use)
    return try apps.areCurrent(connection, except: footprint.apps)
  }

  /// Keeps others from changing apps, or also from using them, until the transaction ends.
  ///
  /// A transaction that changes an app or a template publishes each domain that uses it. So it locks it before it
  /// looks for them, and every other one that lets a domain use it locks it, too.
  package func lock(_ apps: [LinkedApp], _ lock: RowLock) throws {
    try self.lock(AppIdentifier.rows.names, apps.compactMap(\.identifier?.text), lock)
    try self.lock(PackageName.rows.names, apps.compactMap(\.package?.text), lock)
  }

  /// The same for templates.
  package func lock(_ templates: [TemplateName], _ lock: RowLock) throws {
    try self.lock(("template", "name"), templates.map(\.text), lock)
  }

  private func lock(
    _ names: (table: String, column: String), _ values: [String], _ lock: RowLock
  ) throws {
    // In SQLite, only one transaction writes.
    if isDryRun || values.isEmpty || connection.dialect == .sqlite { return }
    try connection.run(
      """
      SELECT 1 FROM \(names.table)
      WHERE \(names.column) IN (SELECT each.value FROM json_each(?) AS each)
      ORDER BY \(names.column) \(connection.lock(lock, of: names.table))
      """, [.text(JSON.strings(values).text)])
  }

  /// The domains that have some names, as their own or as aliases; names of no domain are left out.
  package func owners(of names: [Alias]) throws -> [Alias: DomainName] {
    try DomainRows.owners(of: names, connection)
  }

  /// Releases aliases of a domain, so that others can take them. Save the domain in the same transaction:
  /// until then, a reserved name (RFC 2606, `.invalid`) stands in for each alias.
  ///
  /// - Parameter aliases: The aliases, with their positions.
  package func release(
    _ aliases: [(position: Int, alias: Alias)], of former: FormerDomain
  ) throws {
    guard let stored = former.stored else { return }
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
    package let revision: Int
    /// The SHA-256 of the file that an export writes, as 64 hexadecimal digits.
    package var sha256: String?
    fileprivate let id: Int64
  }

  package let apps: [StoredApp<AppIdentifier>]
  /// The Android apps, by package name.
  package let androidApps: [StoredApp<PackageName>]
  /// The templates, by name; with limits, those that the domains use.
  package let templates: [StoredTemplate]
  private let store: Store
  private let within: Scope
  private let label: Label?
  private let form: String
  private let view: any View
  private let last = Mutex("")

  fileprivate init(of store: Store, _ label: Label?, within: Scope, form: String) throws {
    self.store = store
    (self.within, self.label) = (within, label)
    self.form = form
    view = try store.translatingErrors(.read) { try store.engine.view() }
    apps = try Self.read(store, view) {
      try AppIdentifier.rows.used(within: within, label: label, $0)
    }
    androidApps = try Self.read(store, view) {
      try PackageName.rows.used(within: within, label: label, $0)
    }
    templates = try Self.read(store, view) {
      try TemplateRows.used(within: within, label: label, $0)
    }
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
      let after = last
      let items = try Self.read(store, view) { connection in
        try connection.all(
          """
          SELECT own.name, domain.revision, sha256, domain.id
          FROM domain_name AS own JOIN domain ON domain.id = own.domain_id
          LEFT JOIN exported_file ON exported_file.domain_id = domain.id
            AND exported_file.revision = domain.revision AND form = ?1
          WHERE own.position = 0 AND own.name > ?2 AND \(DomainFilter.within("?3"))
            AND \(DomainFilter.labelled("?4"))
          ORDER BY own.name LIMIT ?5
          """,
          [.text(form), .text(after), within.list, .optional(label?.text), .integer(limit)]
        ) { row in
          Item(
            name: DomainName(stored: row.text(0)), revision: row.int(1),
            sha256: row.optionalText(2), id: row.integer(3))
        }
      }
      if let end = items.last { last = end.name.text }
      return items
    }
  }

  /// Domains, by name.
  ///
  /// - Throws: `StoreError.database`.
  package func domains(_ items: some Sequence<Item>) throws -> [DomainName: StoredDomain] {
    let ids = items.map(\.id)
    let domains = try Self.read(store, view) { try DomainReading(ids, $0).domains() }
    return Dictionary(domains.values.map { ($0.domain.name, $0) }) { $1 }
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
  ///   - label: Only domains with this label, and the apps that they use.
  ///   - within: Only these domains, and the apps that they use.
  ///   - form: The form of the files whose SHA-256 is wanted.
  package func export(
    _ label: Label? = nil, within: Scope = Scope(), form: String = ""
  ) throws -> StateReader {
    try StateReader(of: self, label, within: within, form: form)
  }

  /// The directory for temporary files: by default that of the database, if it is a file.
  package var spoolDirectory: String { ownSpoolDirectory.withLock(\.self) ?? engine.directory }

  /// Keeps temporary files in another directory from now on.
  package func keepSpools(in directory: String?) { ownSpoolDirectory.withLock { $0 = directory } }
}
