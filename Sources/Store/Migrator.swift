import Migrations
import SQLite

/// Brings a database to the schema that this program knows.
enum Migrator {
  /// Applies what is missing, each step in a transaction of its own that records it.
  ///
  /// - Throws: `StoreError.newerSchema` without touching the database; `SQLiteError`.
  static func migrate(_ connection: Connection, now: Int64) throws {
    let current = try version(connection)
    let known = migrations.last?.version ?? 0
    if current > known { throw StoreError.newerSchema(found: current, known: known) }
    for migration in migrations where migration.version > current {
      try apply(migration, to: connection, now: now)
    }
  }

  /// Refuses a database that has tables, and not the one of steps. Litestream may have put its own into
  /// an empty one.
  ///
  /// - Throws: `StoreError.foreign` without touching the database; `SQLiteError`.
  static func refuseForeign(_ connection: Connection) throws {
    let isForeign = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') "
        + "AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*' "
        + "AND (SELECT count(*) FROM pragma_table_info('migration') "
        + "WHERE name IN ('version', 'name', 'applied_at')) < 3 LIMIT 1"
    ) { _ in true }
    if isForeign == true { throw StoreError.foreign }
  }

  /// The version of the schema; 0 for an empty database.
  static func version(_ connection: Connection) throws -> Int {
    let isRecorded = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    ) { _ in true }
    guard isRecorded == true else { return 0 }
    return try connection.first("SELECT max(version) FROM migration") { $0.int(0) } ?? 0
  }

  private static func apply(
    _ migration: Migration, to connection: Connection, now: Int64
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
