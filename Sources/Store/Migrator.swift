import Migrations
import SQL

/// Migrates databases to the current schema.
enum Migrator {
  /// Applies the missing migrations, each in a transaction that also records it.
  ///
  /// - Parameter last: The last one to apply.
  /// - Throws: `StoreError.newerSchema` without touching the database; `SQLError`.
  static func migrate(_ connection: any Connection, upTo last: Int = .max, now: Int64) throws {
    let current = try version(connection)
    let known = migrations.last?.version ?? 0
    if current > known { throw StoreError.newerSchema(found: current, known: known) }
    for migration in migrations where migration.version > current && migration.version <= last {
      try apply(migration, to: connection, now: now)
    }
  }

  /// Refuses a database with tables but without the table of migrations. Tables of Litestream are
  /// ignored: it adds them to an empty database, too.
  ///
  /// - Throws: `StoreError.foreign` without touching the database; `SQLError`.
  static func refuseForeign(_ connection: any Connection) throws {
    let isForeign = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') "
        + "AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*' "
        + "AND (SELECT count(*) FROM pragma_table_info('migration') "
        + "WHERE name IN ('version', 'name', 'applied_at')) < 3 LIMIT 1"
    ) { _ in true }
    if isForeign == true { throw StoreError.foreign }
  }

  /// The version of the schema; 0 for an empty database.
  static func version(_ connection: any Connection) throws -> Int {
    let isRecorded = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    ) { _ in true }
    guard isRecorded == true else { return 0 }
    return try connection.first("SELECT max(version) FROM migration") { $0.int(0) } ?? 0
  }

  private static func apply(
    _ migration: Migration, to connection: any Connection, now: Int64
  ) throws {
    try connection.transaction(.write) { connection in
      // Another process may have applied it while this one waited for the lock.
      guard try version(connection) < migration.version else { return }
      try connection.execute(
        """
        CREATE TABLE IF NOT EXISTS migration (
          version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
        ) STRICT
        """)
      try connection.execute(migration.sql)
      try connection.run(
        "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)",
        [.integer(migration.version), .text(migration.name), .integer(now)])
      let violations = try connection.all("PRAGMA foreign_key_check") { $0.text(0) }
      guard violations.isEmpty else {
        throw StoreError.brokenReferences(migration: migration.name, tables: violations)
      }
    }
  }
}

/// The tables, indexes and triggers that the migrations create.
struct Schema {
  /// The statement that creates each object, by name.
  private let objects: [String: String]
  /// The names of the tables.
  let tables: [String]

  /// The schema that the migrations create in an empty database, up to a version.
  static func known(upTo version: Int = .max) throws -> Schema {
    let connection = try SQLiteConnection(path: ":memory:", mode: .create)
    try Migrator.migrate(connection, upTo: version, now: 0)
    return try Schema(connection)
  }

  private init(_ connection: any Connection) throws {
    var objects: [String: String] = [:]
    var tables: [String] = []
    try connection.run("SELECT name, sql, type FROM sqlite_schema WHERE sql IS NOT NULL") { row in
      let name = row.text(0)
      objects[name] = row.text(1)
      if row.text(2) == "table" && !name.hasPrefix("sqlite_") { tables.append(name) }
    }
    self.objects = objects
    self.tables = tables
  }

  /// Checks that a database has these objects. It may have others, such as the tables of Litestream. The
  /// table of migrations itself is not compared: no migration creates it, so its statement may differ.
  ///
  /// - Throws: `BackupError.otherSchema`.
  func check(_ connection: any Connection, _ name: String) throws {
    let found = try Schema(connection).objects
    let different = objects.filter { $0.key != "migration" && found[$0.key] != $0.value }
      .keys.sorted()
    if !different.isEmpty { throw BackupError.otherSchema(name, objects: different) }
  }
}
