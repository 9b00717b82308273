import Association
import PostgreSQLMigrations
import SQLiteMigrations

/// A migration of the schema. The engines have the same ones, each in its own SQL.
package struct Migration: Sendable {
  /// The version, from 1: the number in the file name.
  package let version: Int
  /// The file name without the extension.
  package let name: String
  package let sql: String

  /// All migrations, oldest first.
  package static func all(of dialect: Dialect) -> [Migration] {
    let files =
      switch dialect {
      case .sqlite: sqliteMigrations
      case .postgreSQL: postgreSQLMigrations
      }
    return zip(1..., files).map { version, file in
      Migration(version: version, name: file.name, sql: String(decoding: file.sql, as: UTF8.self))
    }
  }

  /// The version of the current schema.
  package static var last: Int { sqliteMigrations.count }
}

/// Migrates databases to the current schema.
enum Migrator {
  /// Applies the missing migrations, each in a transaction that also records it.
  ///
  /// - Parameter last: The last one to apply.
  /// - Throws: `StoreError.newerSchema` without touching the database; `SQLError`.
  static func migrate(
    _ connection: any Connection, upTo last: Int = .max, now: UnixTime
  ) throws {
    let current = try version(connection)
    if current > Migration.last {
      throw StoreError.newerSchema(found: current, known: Migration.last)
    }
    for migration in Migration.all(of: connection.dialect)
    where migration.version > current && migration.version <= last {
      try apply(migration, to: connection, now: now)
    }
  }

  /// Refuses a database of an earlier version. An empty one is none.
  ///
  /// - Throws: `StoreError.olderSchema`; `SQLError`.
  static func refuseOlder(_ connection: any Connection) throws {
    let (found, known) = (try version(connection), Migration.last)
    if found > 0 && found < known { throw StoreError.olderSchema(found: found, known: known) }
  }

  /// Refuses a database whose schema is not the current one.
  ///
  /// - Throws: `StoreError.newerSchema`, `.olderSchema`; `SQLError`.
  static func checkCurrent(_ connection: any Connection) throws {
    let (found, known) = (try version(connection), Migration.last)
    if found > known { throw StoreError.newerSchema(found: found, known: known) }
    if found < known { throw StoreError.olderSchema(found: found, known: known) }
  }

  /// Refuses a database with tables but without the table of migrations. Tables of Litestream are
  /// ignored: it adds them to an empty database, too.
  ///
  /// - Throws: `StoreError.foreign` without touching the database; `SQLError`.
  static func refuseForeign(_ connection: any Connection) throws {
    let columns = "('version', 'name', 'applied_at')"
    let sql =
      switch connection.dialect {
      case .sqlite:
        """
        SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view')
          AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'
          AND (SELECT count(*) FROM pragma_table_info('migration') WHERE name IN \(columns)) < 3
        LIMIT 1
        """
      case .postgreSQL:
        """
        SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()
          AND (SELECT count(*) FROM information_schema.columns
            WHERE table_schema = current_schema() AND table_name = 'migration'
              AND column_name IN \(columns)) < 3
        LIMIT 1
        """
      }
    if try connection.has(sql) { throw StoreError.foreign }
  }

  /// The version of the schema; 0 for an empty database.
  static func version(_ connection: any Connection) throws -> Int {
    let table =
      switch connection.dialect {
      case .sqlite: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
      case .postgreSQL: "SELECT 1 WHERE to_regclass('migration') IS NOT NULL"
      }
    guard try connection.has(table) else { return 0 }
    return Int(try connection.number("SELECT max(version) FROM migration") ?? 0)
  }

  private static func apply(
    _ migration: Migration, to connection: any Connection, now: UnixTime
  ) throws {
    try connection.transaction(.schema) { connection in
      // Another process may have applied it while this one waited for the lock.
      guard try version(connection) < migration.version else { return }
      try connection.execute(table(connection.dialect))
      try connection.execute(migration.sql)
      try connection.run(
        "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)",
        [.integer(migration.version), .text(migration.name), .integer(now)])
      guard connection.dialect == .sqlite else { return }
      let violations = try connection.all("PRAGMA foreign_key_check") { $0.text(0) }
      guard violations.isEmpty else {
        throw StoreError.brokenReferences(migration: migration.name, tables: violations)
      }
    }
  }

  private static func table(_ dialect: Dialect) -> String {
    switch dialect {
    case .sqlite:
      """
      CREATE TABLE IF NOT EXISTS migration (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
      ) STRICT
      """
    case .postgreSQL:
      """
      CREATE TABLE IF NOT EXISTS migration (
        version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL
      )
      """
    }
  }
}

/// The tables, indexes and triggers that the migrations create.
struct Schema {
  /// The statement that creates each object, by name.
  private let objects: [String: String]
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
