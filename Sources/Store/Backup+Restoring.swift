import Glibc
import Migrations
import SQLite

/// What was restored.
public struct Restored: Sendable, Equatable {
  /// What was in the backup.
  public let contents: DatabaseContents
  /// The version of the schema that the database has now.
  public let schema: Int
  /// Domains whose document was published again under a new number, because the database had come
  /// further than the backup.
  public let republished: Int
  /// The names of tokens that the database had not, and that are valid again.
  public let revivedTokens: [String]
  /// Whether the backup is of another database than the one that it replaced, as far as their audits
  /// tell. That of the database stays then, and nothing of the backup's is added.
  public let isOfOtherDatabase: Bool
}

extension Backup {
  /// Makes a database what a backup says, after both were checked. All of it or nothing is done,
  /// also if the program or the machine stops meanwhile.
  ///
  /// A database that is there may be in use: it is changed in one transaction, and servers serve the
  /// restored documents as they serve any other change of another process.
  ///
  /// - Parameters:
  ///   - path: The backup. It is not changed.
  ///   - database: The path of the database.
  ///   - replacing: Whether what a database holds that is there is replaced.
  ///   - now: The time, in seconds since 1970.
  /// - Throws: `BackupError`. Nothing was changed.
  public static func restore(
    _ path: String, to database: String, replacing: Bool, now: Int64
  ) throws -> Restored {
    if DatabaseFile.isPart(path, of: database) { throw BackupError.sameFile(path) }
    if FileIdentity(path) == nil { throw BackupError.file(path, code: ENOENT) }
    let isThere = FileIdentity(database) != nil
    if isThere && !replacing { throw BackupError.alreadyThere(database) }
    for suffix in DatabaseFile.companions where !isThere && FileIdentity(database + suffix) != nil {
      throw BackupError.leftover(database + suffix)
    }
    let file = try CompleteFile(at: database)
    try copy(path, to: file, mayWrite: false)
    let contents = try DatabaseContents(checking: file.temporaryPath, as: path)
    let schema = try BackupError.naming(path) { try migrate(file.temporaryPath, path, now) }
    guard isThere else {
      try BackupError.naming(path) {
        try Replacement.record(now: now, Connection(path: file.temporaryPath, mode: .existing))
      }
      try file.put(replacing: false)
      return Restored(
        contents: contents, schema: schema, republished: 0, revivedTokens: [],
        isOfOtherDatabase: false)
    }
    return try BackupError.naming(database) {
      let replacement = try Replacement(of: database, by: file.temporaryPath, now: now)
      return try replacement.perform(contents: contents, schema: schema)
    }
  }

  /// Brings a copy of a backup to the schema of this program, and returns that.
  private static func migrate(_ copy: String, _ name: String, _ now: Int64) throws -> Int {
    let connection = try Connection(path: copy, mode: .existing)
    try Migrator.migrate(connection, now: now)
    try Schema.known(now).check(connection, name)
    return try Migrator.version(connection)
  }
}

/// The tables, indexes and triggers that this program makes.
struct Schema {
  /// An object by its name, with the statement that made it.
  private let objects: [String: String]
  /// The names of the tables.
  let tables: [String]

  /// What the migrations make of an empty database.
  static func known(_ now: Int64) throws -> Schema {
    let connection = try Connection(path: ":memory:", mode: .create)
    try Migrator.migrate(connection, now: now)
    return try Schema(connection)
  }

  private init(_ connection: Connection) throws {
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

  /// The table of steps is not part of any step, so its text may be another one after an upgrade.
  /// Objects of other programs are of no concern; Litestream, for one, has tables of its own.
  ///
  /// - Throws: `BackupError.otherSchema` if one of this program's is missing or another one.
  func check(_ connection: Connection, _ name: String) throws {
    let found = try Schema(connection).objects
    let different = objects.filter { $0.key != "migration" && found[$0.key] != $0.value }
      .keys.sorted()
    if !different.isEmpty { throw BackupError.otherSchema(name, objects: different) }
  }
}
