public import Association
import JSONValue
import SQLite

/// A stored app.
public struct StoredApp: Sendable, Equatable {
  /// The app.
  public package(set) var app: App
  /// How many domains use it.
  public package(set) var domainCount: Int
  /// When it last changed, in seconds since 1970.
  public package(set) var updatedAt: Int64

  package init(app: App, domainCount: Int = 0, updatedAt: Int64 = 0) {
    self.app = app
    self.domainCount = domainCount
    self.updatedAt = updatedAt
  }
}

extension Store {
  /// An app.
  ///
  /// - Throws: `StoreError.notFound`.
  public func app(_ id: AppIdentifier) throws -> StoredApp {
    try read { connection in
      guard let app = try AppRows.find(id, connection) else {
        throw StoreError.notFound(.app(id))
      }
      return app
    }
  }

  /// An app; `nil` if it does not exist.
  package func storedApp(_ id: AppIdentifier) throws -> StoredApp? {
    try read { try AppRows.find(id, $0) }
  }

  /// The domains that use an app.
  ///
  /// - Throws: `StoreError.notFound`.
  public func domains(using id: AppIdentifier) throws -> [DomainName] {
    try read { connection in
      guard try AppRows.find(id, connection) != nil else { throw StoreError.notFound(.app(id)) }
      return try AppRows.domains(naming: id, limit: Int.max, connection)
    }
  }

  /// The environment of an app; production if it is not stored.
  public func environment(of id: AppIdentifier) throws -> App.Environment {
    try read { try AppRows.environment(of: id, $0) }
  }

  /// A page of apps, ordered by identifier, after `last`.
  public func apps(after last: String?, limit: Int) throws -> [StoredApp] {
    try read { connection in
      try connection.all(
        AppRows.select + " WHERE identifier > ? ORDER BY identifier LIMIT ?",
        [.text(last ?? ""), .integer(limit)], row: AppRows.read)
    }
  }
}

extension Transaction {
  /// An app; `nil` if it does not exist.
  public func app(_ id: AppIdentifier) throws -> StoredApp? { try AppRows.find(id, connection) }

  /// The apps that no domain uses.
  public func unusedApps() throws -> [AppIdentifier] {
    try connection.all(AppRows.select + " ORDER BY identifier", row: AppRows.read)
      .filter { $0.domainCount == 0 }.map(\.app.id)
  }

  /// Creates an app, or updates the name and the environment of the one with this identifier.
  public func put(_ app: App) throws -> (app: StoredApp, isNew: Bool) {
    let old = try AppRows.find(app.id, connection)
    let new = StoredApp(app: app, updatedAt: now)
    if old == nil {
      try AppRows.table.insert(new, [], connection)
    } else if old?.app != app {
      try AppRows.table.update(new, where: "identifier", is: .text(app.id.text), connection)
    }
    if let old, old.app.environment != app.environment {
      try FindingRows.invalidate(using: app.id, connection)
    }
    if old?.app != app { try record("put app", .app(app.id)) }
    guard let stored = try AppRows.find(app.id, connection) else {
      throw StoreError.notFound(.app(app.id))
    }
    return (stored, old == nil)
  }

  /// Deletes an app that no domain uses.
  ///
  /// - Throws: `StoreError.notFound`, `StoreError.appInUse`.
  public func delete(_ id: AppIdentifier) throws {
    guard let app = try AppRows.find(id, connection) else { throw StoreError.notFound(.app(id)) }
    guard app.domainCount == 0 else {
      throw StoreError.appInUse(
        id, domains: try AppRows.domains(naming: id, limit: 10, connection),
        count: app.domainCount)
    }
    try connection.run("DELETE FROM app WHERE identifier = ?", [.text(id.text)])
    try record("delete app", .app(id))
  }

  /// Changes the identifier of an app. Returns the domains that use it, which the caller must
  /// publish again.
  ///
  /// - Throws: `StoreError.notFound`, `StoreError.appExists`.
  public func rename(_ old: AppIdentifier, to new: AppIdentifier) throws -> [DomainName] {
    guard try AppRows.find(old, connection) != nil else { throw StoreError.notFound(.app(old)) }
    do {
      try connection.run(
        "UPDATE app SET identifier = ?, updated_at = ? WHERE identifier = ?",
        [.text(new.text), .integer(now), .text(old.text)])
    } catch let error as SQLiteError where error.kind == .unique {
      throw StoreError.appExists(new)
    }
    try record("rename app to \(new)", .app(old))
    return try AppRows.domains(naming: new, limit: Int.max, connection)
  }
}

/// Reads and writes rows of `app`.
enum AppRows {
  /// SQL for the distinct rows of the domains that use an app. `app` is SQL for the row of the app.
  static func uses(of app: String) -> String {
    """
    SELECT domain_id FROM entry_app JOIN entry ON entry.id = entry_id WHERE entry_app.app_id = \(app)
    UNION SELECT domain_id FROM entry WHERE entry.app_id = \(app)
    UNION SELECT domain_id FROM service_app JOIN service ON service.id = service_id
      WHERE service_app.app_id = \(app)
    UNION SELECT domain_id FROM expectation WHERE expectation.app_id = \(app)
    """
  }

  static let table = Table(
    "app", keys: [], blank: StoredApp(app: App(id: AppIdentifier(stored: ""))),
    columns: [
      Column("identifier", \.app.id),
      Column("name", \.app.name),
      Column("environment", \.app.environment),
      Column("updated_at", \.updatedAt),
    ])

  /// The columns that `read` reads.
  static let select = """
    SELECT (SELECT count(*) FROM (\(uses(of: "app.id")))), \(table.selection) FROM app
    """

  static func read(_ row: borrowing Row) throws -> StoredApp {
    var app = try table.read(row, from: 1)
    app.domainCount = row.int(0)
    return app
  }

  /// The apps that some domains use, by identifier; all apps without a limit to domains.
  static func used(within: [Alias], _ connection: Connection) throws -> [StoredApp] {
    if within.isEmpty { return try connection.all(select + " ORDER BY identifier", row: read) }
    return try connection.all(
      """
      \(select) WHERE EXISTS (
        SELECT 1 FROM (\(uses(of: "app.id"))) AS used
        JOIN domain_name AS own ON own.domain_id = used.domain_id AND own.position = 0
        JOIN json_each(?) ON value = own.name
          OR (value GLOB '[*]*' AND own.name GLOB '*' || substr(value, 2)))
      ORDER BY identifier
      """, [.text(JSON.strings(within.map(\.description)).text)], row: read)
  }

  static func find(_ id: AppIdentifier, _ connection: Connection) throws -> StoredApp? {
    try connection.first(select + " WHERE identifier = ?", [.text(id.text)], row: read)
  }

  /// The environment of an app; production if it is not stored.
  static func environment(
    of id: AppIdentifier, _ connection: Connection
  ) throws -> App.Environment {
    try connection.first("SELECT environment FROM app WHERE identifier = ?", [.text(id.text)]) {
      try $0.enumeration(0)
    } ?? .production
  }

  /// Adds the apps that have no row yet.
  static func insertMissing(
    _ apps: [AppIdentifier], now: Int64, _ connection: Connection
  ) throws {
    for app in Set(apps) {
      let isStored = try connection.first(
        "SELECT 1 FROM app WHERE identifier = ?", [.text(app.text)]
      ) { _ in true }
      if isStored == nil {
        try table.insert(StoredApp(app: App(id: app), updatedAt: now), [], connection)
      }
    }
  }

  /// The names of the first few domains that use an app.
  static func domains(
    naming id: AppIdentifier, limit: Int, _ connection: Connection
  ) throws -> [DomainName] {
    try connection.all(
      """
      SELECT domain_name.name FROM app JOIN domain_name ON position = 0
      WHERE identifier = ? AND domain_id IN (\(uses(of: "app.id"))) ORDER BY domain_name.name LIMIT ?
      """, [.text(id.text), .integer(limit)]
    ) { DomainName(stored: $0.text(0)) }
  }
}
