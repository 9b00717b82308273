package import Association

/// What identifies an app of one platform: an app identifier or a package name.
package protocol AppKey: Hashable, Sendable, CustomStringConvertible {
  /// An app of the platform.
  associatedtype App: Sendable, Equatable
  /// The identifier as it is written.
  var text: String { get }
  /// The identifier beside those of the other platform.
  var id: LinkedApp { get }
  /// The rows of the platform's apps.
  static var rows: AppRows<Self> { get }
  /// An app with the defaults.
  static func app(_ key: Self) -> App
  /// An app beside those of the other platform.
  static func state(_ app: App) -> AppState
}

package struct StoredApp<Key: AppKey>: Sendable, Equatable {
  package var app: Key.App
  /// How many domains use it.
  package var domainCount: Int
  package var updatedAt: UnixTime

  package init(app: Key.App, domainCount: Int = 0, updatedAt: UnixTime = 0) {
    self.app = app
    self.domainCount = domainCount
    self.updatedAt = updatedAt
  }
}

extension Store {
  /// An app.
  ///
  /// - Throws: `StoreError.notFound`.
  package func app<Key: AppKey>(_ key: Key) throws -> StoredApp<Key> {
    try read { try Key.rows.get(key, $0) }
  }

  /// An app; `nil` if it does not exist.
  package func storedApp<Key: AppKey>(_ key: Key) throws -> StoredApp<Key>? {
    try read { try Key.rows.find(key, $0) }
  }

  /// Those apps that are stored.
  package func known<Key: AppKey>(_ keys: [Key]) throws -> [Key] {
    try read { connection in
      let missing = Set(try Key.rows.missing(keys, connection))
      return keys.filter { !missing.contains($0) }
    }
  }

  /// The domains that use an app.
  ///
  /// - Throws: `StoreError.notFound`.
  package func domains<Key: AppKey>(using key: Key) throws -> [DomainName] {
    try read { connection in
      _ = try Key.rows.get(key, connection)
      return try Key.rows.domains(naming: key, limit: Int.max, connection)
    }
  }

  /// Whether `apply` gave an app what it has now, as far as the revision says that a domain with it got at that time.
  /// What publishes nothing, such as a name, is never recognized.
  package func isApplied<Key: AppKey>(_ app: StoredApp<Key>) throws -> Bool {
    try read { connection in
      let key = app.app[keyPath: Key.rows.key]
      guard let user = try Key.rows.domains(naming: key, limit: 1, connection).first,
        let id = try DomainRows.id(of: user, connection)
      else { return false }
      let revisions = try connection.all(
        "SELECT change_id, is_applied FROM revision WHERE domain_id = ? AND published_at = ? ORDER BY number DESC",
        [.integer(id), .integer(app.updatedAt)]
      ) { (change: $0.optionalInteger(0), isApplied: $0.bool(1)) }
      // In the same second, others may have changed the app, too, or only the domain.
      for (change, isApplied) in revisions {
        guard let apps = try change.flatMap({ try RecordedChangeRows.keptApps(of: $0, connection) })
        else { return isApplied }
        if let state = apps.last(where: { $0.after?.id == key.id })?.after {
          return isApplied && state.json == Key.state(app.app).json
        }
      }
      return false
    }
  }

  /// The environment of an app; production if it is not stored.
  package func environment(of id: AppIdentifier) throws -> App.Environment {
    try environments(of: [id])[id] ?? .production
  }

  /// The environments of apps; production for those that are not stored.
  package func environments(of ids: [AppIdentifier]) throws -> [AppIdentifier: App.Environment] {
    try readToWrite { try AppIdentifier.rows.environments(of: ids, $0) }
  }

  /// A page of apps, ordered by identifier, after `last`.
  ///
  /// - Parameter text: Only apps whose name or identifier contains this, in any case.
  package func apps<Key: AppKey>(
    _: Key.Type = AppIdentifier.self, containing text: String? = nil, after last: String?,
    limit: Int
  ) throws -> [StoredApp<Key>] {
    guard let text else {
      return try read { try Key.rows.page(after: last ?? "", limit: limit, $0) }
    }
    return try scan {
      try Key.rows.page(containing: text.lowercased(), after: last ?? "", limit: limit, $0)
    }
  }
}

extension Transaction {
  /// An app; `nil` if it does not exist.
  package func app<Key: AppKey>(_ key: Key) throws -> StoredApp<Key>? {
    try Key.rows.find(key, connection)
  }

  /// The domains that use an app; none if it does not exist.
  package func domains<Key: AppKey>(using key: Key) throws -> [DomainName] {
    try Key.rows.domains(naming: key, limit: Int.max, connection)
  }

  /// The apps that so many domains use.
  package func apps<Key: AppKey>(usedBy counts: ClosedRange<Int>) throws -> [Key] {
    try Key.rows.used(within: Scope(), connection).filter { counts.contains($0.domainCount) }
      .map { $0.app[keyPath: Key.rows.key] }
  }

  /// Creates an app, or changes the one with this identifier.
  package func put<Key: AppKey>(
    _ app: Key.App, _: Key.Type = AppIdentifier.self
  ) throws -> (app: StoredApp<Key>, isNew: Bool) {
    let rows = Key.rows
    let key = app[keyPath: rows.key]
    let old = try rows.find(key, connection)
    let app = rows.written(app, old?.app, context)
    if isDryRun {
      footprint.apps.insert(key.id)
      context.proposed?.note(Key.state(app), over: old.map { Key.state($0.app) })
      return (try rows.preview(app, over: old, now: now, connection), old == nil)
    }
    if old?.app != app {
      try rows.save(app, over: old?.app, now: now, connection)
      addToChange(
        key.id, from: old.map { Key.state($0.app) }, to: Key.state(app), "put \(rows.noun)")
    }
    // Kept statements may name an app that is new.
    if old.map({ rows.haveOtherFindings($0.app, app) }) ?? true {
      try FindingRows.invalidate(using: key, connection)
    }
    return (try rows.get(key, connection), old == nil)
  }

  /// Deletes an app that no domain uses.
  ///
  /// - Throws: `StoreError.notFound`, `StoreError.appInUse`.
  package func delete<Key: AppKey>(_ key: Key) throws {
    let rows = Key.rows
    let app = try rows.get(key, connection)
    guard app.domainCount == 0 else {
      throw StoreError.appInUse(
        key.id, domains: try rows.domains(naming: key, limit: 10, connection),
        count: app.domainCount)
    }
    if isDryRun { return }
    try rows.delete(key, connection)
    footprint.noteDeleted(key.id)
    addToChange(key.id, from: Key.state(app.app), to: nil, "delete \(rows.noun)")
  }

  /// Changes the identifier of an app. Returns the domains that use it, which the caller must
  /// publish again.
  ///
  /// - Throws: `StoreError.notFound`, `StoreError.appExists`.
  package func rename<Key: AppKey>(_ old: Key, to new: Key) throws -> [DomainName] {
    let rows = Key.rows
    try lock([old.id], .change)
    let app = try rows.get(old, connection).app
    // Kept statements get the new name only when the caller publishes them.
    let domains = try rows.domains(naming: old, limit: Int.max, connection)
    if try new != old && rows.find(new, connection) != nil { throw StoreError.appExists(new.id) }
    if isDryRun {
      footprint.apps.formUnion([old.id, new.id])
      var renamed = app
      renamed[keyPath: rows.key] = new
      context.proposed?.note(renamed: Key.state(renamed))
      return domains
    }
    do {
      try rows.rename(old, to: new, now: now, connection)
    } catch let error as SQLError where error.kind == .unique {
      throw StoreError.appExists(new.id)
    }
    addToChange(
      old.id, from: Key.state(app), to: Key.state(try rows.get(new, connection).app),
      "rename \(rows.noun) to \(new)")
    return domains
  }
}

/// Reads and writes the rows of one platform's apps.
package struct AppRows<Key: AppKey>: Sendable {
  /// What an app is called in the audit log.
  let noun: String
  /// The table, and the column with the identifiers.
  var names: (table: String, column: String) { (table.name, keyColumn) }
  /// The columns; that of the identifier is the first.
  let table: Table<StoredApp<Key>>
  package let key: any WritableKeyPath<Key.App, Key> & Sendable
  package let environment: any KeyPath<Key.App, App.Environment> & Sendable
  /// Whether findings about the documents of domains may differ between two states of an app.
  let haveOtherFindings: @Sendable (Key.App, Key.App) -> Bool
  /// SQL for the distinct rows of the domains that use an app, given SQL for its row and its identifier, and for the
  /// row of the only domain to look at.
  let uses: @Sendable (_ app: String, _ identifier: String, _ domain: String?) -> String
  /// An app as an author writes it over the stored one.
  package var written: @Sendable (Key.App, Key.App?, WriteContext) -> Key.App = { app, _, _ in app }
  /// Throws for an app that cannot be saved.
  var check: @Sendable (Key.App) throws -> Void = { _ in }
  /// Reads and writes what is in other tables, for the row of an app.
  var readOthers: @Sendable (inout Key.App, Int64, any Connection) throws -> Void = { _, _, _ in }
  var writeOthers: @Sendable (Key.App, Int64, any Connection) throws -> Void = { _, _, _ in }
  /// SQL that renames the app in tables that refer to it by its identifier, with parameters for the new and
  /// the old one.
  var renameOthers: String?

  private var keyColumn: String { table.columns[0].name }

  /// SQL for a condition on the domain, before the column with the app, and between parts, so that the rows of one
  /// domain are looked at, until one names the app.
  fileprivate static func narrowed(
    to domain: String?
  ) -> (ofDomain: String, noIndex: String, union: String) {
    domain.map { ("AND domain_id = \($0)", "+", "UNION ALL") } ?? ("", "", "UNION")
  }

  /// SQL for the domains that use the app of the row that a statement looks at.
  private var rowUses: String { uses("\(table.name).id", "\(table.name).\(keyColumn)", nil) }

  /// SQL for the row of the app with an identifier, given SQL for that.
  func row(of identifier: String) -> String {
    "(SELECT id FROM \(table.name) WHERE \(keyColumn) = \(identifier))"
  }

  /// The apps for which SQL after the name of the table holds.
  ///
  /// - Parameter isCounting: Whether the domains that use them are counted, which takes longer the more there are.
  private func all(
    _ condition: String, _ values: [Value], isCounting: Bool = true, _ connection: any Connection
  ) throws -> [StoredApp<Key>] {
    try connection.all(
      """
      SELECT \(table.name).id, \(isCounting ? "(SELECT count(*) FROM (\(rowUses)) AS used)" : "0"),
        \(table.selection)
      FROM \(table.name) \(condition)
      """, values
    ) { row in
      var stored = try table.read(row, from: 2)
      stored.domainCount = row.int(1)
      return (id: row.integer(0), stored)
    }.map { id, stored in
      var stored = stored
      try readOthers(&stored.app, id, connection)
      return stored
    }
  }

  func find(_ key: Key, _ connection: any Connection) throws -> StoredApp<Key>? {
    try all("WHERE \(keyColumn) = ?", [.text(key.text)], connection).first
  }

  /// An app without the number of its domains.
  func app(_ key: Key, _ connection: any Connection) throws -> Key.App? {
    try all("WHERE \(keyColumn) = ?", [.text(key.text)], isCounting: false, connection).first?.app
  }

  /// - Throws: `StoreError.notFound`.
  func get(_ key: Key, _ connection: any Connection) throws -> StoredApp<Key> {
    guard let app = try find(key, connection) else { throw StoreError.notFound(.app(key.id)) }
    return app
  }

  func page(after last: String, limit: Int, _ connection: any Connection) throws -> [StoredApp<Key>]
  {
    try all(
      "WHERE \(keyColumn) > ? ORDER BY \(keyColumn) LIMIT ?", [.text(last), .integer(limit)],
      connection)
  }

  /// Only Swift compares names in any case and any script, on both engines in the same way.
  fileprivate func page(
    containing text: String, after last: String, limit: Int, _ connection: any Connection
  ) throws -> [StoredApp<Key>] {
    var (found, last, batch) = ([String](), last, 1000)
    while batch == 1000 && found.count < limit {
      let apps = try connection.all(
        """
        SELECT \(keyColumn), name FROM \(table.name) WHERE \(keyColumn) > ? ORDER BY \(keyColumn) LIMIT 1000
        """, [.text(last)]
      ) { (key: $0.text(0), name: $0.text(1)) }
      let fitting = apps.filter { app in
        [app.key, app.name].contains { $0.lowercased().contains(text) }
      }
      found += fitting.prefix(limit - found.count).map(\.key)
      (last, batch) = (apps.last?.key ?? last, apps.count)
    }
    let isOne = connection.isOne(of: found)
    return try all(
      "WHERE \(keyColumn) \(isOne.sql) ORDER BY \(keyColumn)", [isOne.texts], connection)
  }

  /// The apps that some domains use, by identifier; all apps without a limit to domains.
  func used(
    within: Scope, label: Label? = nil, _ connection: any Connection
  ) throws -> [StoredApp<Key>] {
    if within.isEverything && label == nil {
      return try all("ORDER BY \(keyColumn)", [], connection)
    }
    return try all(
      """
      WHERE EXISTS (
        SELECT 1 FROM (\(rowUses)) AS used
        JOIN domain_name AS own ON own.domain_id = used.domain_id AND own.position = 0
        WHERE \(DomainFilter.within("?1")) AND \(DomainFilter.labelled("?2")))
      ORDER BY \(keyColumn)
      """, [within.list, .optional(label?.text)], connection)
  }

  /// The environments of apps; production for those that are not stored.
  func environments(
    of keys: [Key], _ connection: any Connection
  ) throws -> [Key: App.Environment] {
    if keys.isEmpty { return [:] }
    let isOne = connection.isOne(of: keys.map(\.text))
    let stored = try Dictionary(
      connection.all(
        "SELECT \(keyColumn), environment FROM \(table.name) WHERE \(keyColumn) \(isOne.sql)",
        [isOne.texts]
      ) { try ($0.text(0), $0.enumeration(1) as App.Environment) }, uniquingKeysWith: { $1 })
    return keys.reduce(into: [:]) { $0[$1] = stored[$1.text] ?? .production }
  }

  /// Those that have no row, each once.
  fileprivate func missing(_ keys: [Key], _ connection: any Connection) throws -> [Key] {
    if keys.isEmpty { return [] }
    let names = keys.map(\.text).uniqued()
    let isOne = connection.isOne(of: names)
    let stored = try connection.all(
      "SELECT \(keyColumn) FROM \(table.name) WHERE \(keyColumn) \(isOne.sql)", [isOne.texts]
    ) { $0.text(0) }
    var seen = Set(stored)
    return keys.filter { seen.insert($0.text).inserted }
  }

  /// Adds the apps that have no row yet.
  func insertMissing(_ keys: [Key], now: UnixTime, _ connection: any Connection) throws {
    for key in try missing(keys, connection) {
      try save(Key.app(key), over: nil, now: now, connection)
    }
  }

  /// Refuses apps that have no row.
  ///
  /// - Throws: `StoreError.unknownApps`.
  func requireAll(_ keys: [Key], _ connection: any Connection) throws {
    let missing = try missing(keys, connection)
    if !missing.isEmpty { throw StoreError.unknownApps(missing.map(\.id)) }
  }

  func save(_ app: Key.App, over old: Key.App?, now: UnixTime, _ connection: any Connection) throws
  {
    try check(app)
    let (new, key) = (StoredApp<Key>(app: app, updatedAt: now), app[keyPath: key].text)
    if old == nil {
      try table.insert(new, [], connection)
    } else {
      try connection.run(
        "UPDATE \(table.name) SET \(table.assignments) WHERE \(keyColumn) = ?",
        table.values(new) + [.text(key)])
    }
    let row = try connection.number("SELECT \(row(of: "?"))", [.text(key)])
    if let row { try writeOthers(app, row, connection) }
  }

  /// What the app would be if it were saved.
  ///
  /// - Throws: `StoreError.unknownApps`.
  func preview(
    _ app: Key.App, over old: StoredApp<Key>?, now: UnixTime, _ connection: any Connection
  ) throws -> StoredApp<Key> {
    if let old, old.app == app { return old }
    try check(app)
    let count =
      try old?.domainCount
      ?? connection.count(
        "SELECT count(*) FROM (\(uses("NULL", "?1", nil))) AS used WHERE ?1 IS NOT NULL",
        [.text(app[keyPath: key].text)])
    return StoredApp(app: app, domainCount: count, updatedAt: now)
  }

  func delete(_ key: Key, _ connection: any Connection) throws {
    try connection.run("DELETE FROM \(table.name) WHERE \(keyColumn) = ?", [.text(key.text)])
  }

  func rename(_ old: Key, to new: Key, now: UnixTime, _ connection: any Connection) throws {
    try connection.run(
      "UPDATE \(table.name) SET \(keyColumn) = ?, updated_at = ? WHERE \(keyColumn) = ?",
      [.text(new.text), .integer(now), .text(old.text)])
    if let renameOthers {
      try connection.run(renameOthers, [.text(new.text), .text(old.text)])
    }
  }

  /// The names of the first few domains that use an app.
  func domains(
    naming key: Key, limit: Int, _ connection: any Connection
  ) throws -> [DomainName] {
    try connection.all(
      """
      SELECT domain_name.name FROM \(table.name) JOIN domain_name ON position = 0
      WHERE \(keyColumn) = ? AND domain_id IN (\(rowUses))
      ORDER BY domain_name.name LIMIT ?
      """, [.text(key.text), .integer(limit)]
    ) { DomainName(stored: $0.text(0)) }
  }
}

extension AppIdentifier: AppKey {
  /// The identifier beside those of the other platform.
  package var id: LinkedApp { .ios(self) }

  package static let rows = AppRows<AppIdentifier>(
    noun: "app",
    table: Table(
      "app", keys: [], blank: StoredApp(app: App(id: AppIdentifier(stored: ""))),
      columns: [
        Column("identifier", \.app.id), Column("name", \.app.name),
        Column("environment", \.app.environment), Column("updated_at", \.updatedAt),
      ]), key: \.id, environment: \.environment,
    haveOtherFindings: { $0.environment != $1.environment }
  ) { app, _, domain in
    let (ofDomain, noIndex, union) = AppRows<AppIdentifier>.narrowed(to: domain)
    return """
      SELECT domain_id FROM entry_app JOIN entry ON entry.id = entry_id
        WHERE \(noIndex)entry_app.app_id = \(app) \(ofDomain)
      \(union) SELECT domain_id FROM entry WHERE \(noIndex)entry.app_id = \(app) \(ofDomain)
      \(union) SELECT domain_id FROM service_app JOIN service ON service.id = service_id
        WHERE \(noIndex)service_app.app_id = \(app) \(ofDomain)
      \(union) SELECT domain_id FROM expectation WHERE \(noIndex)expectation.app_id = \(app) \(ofDomain)
      """
  }

  /// An app for production.
  package static func app(_ key: AppIdentifier) -> App { App(id: key) }

  /// The app beside Android apps.
  package static func state(_ app: App) -> AppState { .ios(app) }
}

extension PackageName: AppKey {
  /// The package name beside identifiers of the other platform.
  package var id: LinkedApp { .android(self) }

  /// The rows of `android_app`, with those of `android_certificate`.
  package static let rows = AppRows<PackageName>(
    noun: "Android app",
    table: Table(
      "android_app", keys: [], blank: StoredApp(app: AndroidApp(package: PackageName(stored: ""))),
      columns: [
        Column("package", \.app.package), Column("name", \.app.name),
        Column("environment", \.app.environment), Column("updated_at", \.updatedAt),
        Column("added_by") {
          .optional($0.app.addedBy?.name)
        } read: { row, column, stored in
          stored.app.addedBy = row.optionalText(column).map { .init(name: $0, scope: Scope()) }
        },
        Column("added_within") {
          .optional($0.app.addedBy.map { JSON.strings($0.scope.texts).text })
        } read: { row, column, stored in
          if stored.app.addedBy == nil { return }
          stored.app.addedBy?.scope = Scope(stored: try [String].read(row, column))
        },
      ]), key: \.package, environment: \.environment,
    haveOtherFindings: { ($0.environment, $0.certificates) != ($1.environment, $1.certificates) },
    uses: { app, package, domain in
      let (ofDomain, noIndex, union) = AppRows<PackageName>.narrowed(to: domain)
      return """
        SELECT domain_id FROM entry_android_app AS used JOIN entry ON entry.id = entry_id
          WHERE \(noIndex)used.app_id = \(app) \(ofDomain)
        \(union) SELECT domain_id FROM android_credential AS used WHERE \(noIndex)used.app_id = \(app) \(ofDomain)
        \(union) SELECT domain_id FROM expectation
          WHERE expectation.package = \(package) \(ofDomain)
        \(union) SELECT keeping.id FROM domain AS keeping, json_each(keeping.assetlinks_extra) AS kept
          WHERE keeping.assetlinks_extra <> '[]' AND keeping.deleted_at IS NULL
            AND json_extract(keeping.assetlinks_extra, '$[' || kept.key || '].target.package_name')
              = \(package) \(domain.map { "AND keeping.id = \($0)" } ?? "")
        """
    },
    written: { app, old, context in
      var app = app
      let isLimited = old == nil && !context.within.isEverything
      app.addedBy = isLimited ? .init(name: context.author, scope: context.within) : nil
      // Others beside them confirm nothing, and neither do the same ones, which may come from an export.
      let fingerprints = app.certificates.map(\.fingerprint)
      if let old, old.certificates.contains(where: { fingerprints.contains($0.fingerprint) }) {
        app.addedBy = old.addedBy
      }
      return app
    },
    check: { if $0.certificates.isEmpty { throw StoreError.unknownApps([$0.package.id]) } },
    readOthers: { app, row, connection in
      app.certificates = try connection.all(
        "SELECT fingerprint, label FROM android_certificate WHERE app_id = ? ORDER BY position",
        [.integer(row)]
      ) { row in
        guard let fingerprint = Fingerprint(row.text(0)) else {
          throw UnreadableColumn(text: row.text(0))
        }
        return AndroidApp.Certificate(fingerprint, label: try row.enumeration(1))
      }
    },
    writeOthers: { app, row, connection in
      try connection.run("DELETE FROM android_certificate WHERE app_id = ?", [.integer(row)])
      for (position, certificate) in app.certificates.enumerated() {
        try connection.run(
          """
          INSERT INTO android_certificate (app_id, position, fingerprint, label)
          VALUES (?, ?, ?, ?)
          """,
          [
            .integer(row), .integer(position), .text(certificate.fingerprint.description),
            .text(certificate.label.rawValue),
          ])
      }
    }, renameOthers: "UPDATE expectation SET package = ? WHERE package = ?")

  /// An app for production without certificates.
  package static func app(_ key: PackageName) -> AndroidApp { AndroidApp(package: key) }

  /// The app beside Apple's.
  package static func state(_ app: AndroidApp) -> AppState { .android(app) }
}
