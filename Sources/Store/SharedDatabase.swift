package import Association
import FoundationEssentials
import Glibc

/// Copies and restores databases of a PostgreSQL server. Every other operation on rows is the same for both
/// engines; these go through an SQLite file, which is what a backup is.
enum SharedDatabase {
  /// Connects to a database with the current schema.
  ///
  /// - Parameter now: The time at which tables are created in an empty one, or old ones migrated; `nil` if nothing
  ///   may be written.
  /// - Throws: `StoreError`, `SQLError`.
  static func connect(
    _ address: PostgreSQLAddress, creatingAt now: UnixTime?
  ) throws -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection(address)
    try Migrator.refuseForeign(connection)
    if let now { try Migrator.migrate(connection, now: now) }
    try Migrator.checkCurrent(connection)
    return connection
  }

  /// Whether a database has neither domains nor anything that ever happened to one.
  static func isEmpty(_ connection: any Connection) throws -> Bool {
    try connection.first(
      "SELECT EXISTS (SELECT 1 FROM domain) OR EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM token)"
    ) { !$0.bool(0) } ?? true
  }

  /// - Throws: `BackupError.alreadyExists` for a database that is not empty, `StoreError`, `SQLError`.
  private static func refuseUsed(_ address: PostgreSQLAddress) throws {
    let connection = try PostgreSQLConnection(address)
    try Migrator.refuseForeign(connection)
    if try Migrator.version(connection) > 0 && !isEmpty(connection) {
      throw BackupError.alreadyExists(address.description)
    }
  }

  /// Restores a backup like one of SQLite: the present contents become a file, that is restored, and the result
  /// replaces them, all in one transaction, for which other writers wait.
  static func restore(
    _ path: String, to address: PostgreSQLAddress, replacing: Bool, now: UnixTime,
    _ progress: BackupProgress
  ) throws -> Restored {
    // Before tables are created in an empty database, and those of an earlier version changed.
    if !replacing { try refuseUsed(address) }
    let directory = FileManager.default.temporaryDirectory.path
    let backup = try AtomicFile(at: "\(directory)/aasa-backup")
    let checked = try Backup.checkedCopy(of: path, to: backup.temporaryPath, progress)
    let saved = backup.temporaryPath
    let connection = try connect(address, creatingAt: now)
    let restored = try connection.transaction(.write) { connection in
      // Before anything is read, so that nothing that others commit until then is lost.
      try connection.execute(
        """
        SET LOCAL idle_in_transaction_session_timeout = 0;
        LOCK TABLE domain, domain_name, revision, token, session, named_user, audit, change, webhook
          IN EXCLUSIVE MODE
        """)
      let wasEmpty = try isEmpty(connection)
      if !wasEmpty && !replacing { throw BackupError.alreadyExists(address.description) }
      let copy = try TableCopy()
      let file = try AtomicFile(at: "\(directory)/aasa-restore")
      if wasEmpty {
        unlink(file.temporaryPath)
      } else {
        try copy.save(connection, to: file, now: now, progress)
      }
      let restored = try Backup.restore(
        saved, toFile: file.temporaryPath, replacing: true, now: now, checked: checked, progress)
      let source = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
      try copy.clear(connection)
      let contents = try copy.copy(from: source, to: connection, progress)
      try copy.check(contents, connection, address.description, progress)
      try connection.wakeOthers()
      return restored
    }
    connection.analyzeGrownTables()
    withExtendedLifetime(backup) {}
    return restored
  }
}

extension TableCopy {
  /// Copies a database into an empty file.
  func save(
    _ source: any Connection, to file: borrowing AtomicFile, now: UnixTime,
    _ progress: BackupProgress
  ) throws {
    let target = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
    try target.execute("PRAGMA synchronous = OFF")
    try Migrator.migrate(target, now: now)
    try target.transaction(.write) { target in
      try check(copy(from: source, to: target, progress), target, file.temporaryPath, progress)
    }
  }

  /// - Throws: `BackupError.different` if a database has not these contents.
  func check(
    _ contents: [String: Content], _ connection: any Connection, _ name: String,
    _ progress: BackupProgress
  ) throws {
    let found = try self.contents(of: connection, progress)
    let different = contents.filter { found[$0.key] != $0.value }.keys.sorted()
    if !different.isEmpty { throw BackupError.different(name, tables: different) }
  }
}

/// What `Backup.copy` copied.
package struct CopiedDatabase: Sendable, Equatable {
  /// The number of rows, by table.
  package let rows: [String: Int]
}

extension Backup {
  /// Copies a database with its whole history into an empty one, completely or not at all. No server may write to
  /// either of them.
  ///
  /// - Parameters:
  ///   - source: The database, which is not changed. The schema of a file may be an older one.
  ///   - target: A file that does not exist, or an empty database of a server.
  ///   - now: The time.
  /// - Throws: `BackupError`, `StoreError`.
  package static func copy(
    from source: DatabaseLocation, to target: DatabaseLocation, now: UnixTime,
    progress: BackupProgress = { _, _ in }
  ) throws -> CopiedDatabase {
    try translatingErrors {
      switch source {
      case .postgreSQL(let address):
        return try copy(
          SharedDatabase.connect(address, creatingAt: nil), source, to: target, now: now, progress)
      case .file(let path):
        if FileIdentity(path) == nil { throw BackupError.file(path, code: ENOENT) }
        // A copy of it can be migrated.
        let file = try AtomicFile(at: "\(FileManager.default.temporaryDirectory.path)/aasa-copy")
        try copy(path, to: file.temporaryPath, mayWrite: access(path, W_OK) == 0, progress)
        progress("Checking the database", nil)
        _ = try DatabaseContents(checking: file.temporaryPath, as: path)
        let connection = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
        try Migrator.migrate(connection, now: now)
        return try copy(connection, source, to: target, now: now, progress)
      }
    }
  }

  private static func copy(
    _ source: any Connection, _ name: DatabaseLocation, to target: DatabaseLocation, now: UnixTime,
    _ progress: BackupProgress
  ) throws -> CopiedDatabase {
    let copy = try TableCopy()
    try checkUnused(source, name, now)
    switch target {
    case .file(let path):
      if FileIdentity(path) != nil { throw BackupError.alreadyExists(path) }
      if let leftover = DatabaseFile.leftover(of: path) { throw BackupError.leftover(leftover) }
      let file = try AtomicFile(at: path)
      try source.transaction(.read) { try copy.save($0, to: file, now: now, progress) }
      try file.commit(replacing: false)
      let target = try SQLiteConnection(path: path, mode: .readOnly)
      return CopiedDatabase(rows: try target.transaction(.read, copy.rows))
    case .postgreSQL(let address):
      let connection = try SharedDatabase.connect(address, creatingAt: now)
      let copied = try connection.transaction(.write) { connection in
        try connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        try checkUnused(connection, target, now)
        if try !SharedDatabase.isEmpty(connection) {
          throw BackupError.notEmpty(target.description)
        }
        try copy.clear(connection)
        let contents = try source.transaction(.read) {
          try copy.copy(from: $0, to: connection, progress)
        }
        try copy.check(contents, connection, target.description, progress)
        try connection.wakeOthers()
        return CopiedDatabase(rows: contents.mapValues(\.rows))
      }
      connection.analyzeGrownTables()
      return copied
    }
  }

  private static func checkUnused(
    _ connection: any Connection, _ name: DatabaseLocation, _ now: UnixTime
  ) throws {
    let servers = try connection.all(
      "SELECT url FROM replica WHERE ends_at >= ? ORDER BY url", [.integer(now)]
    ) { $0.text(0) }
    if !servers.isEmpty { throw BackupError.inUse(name.description, servers: servers) }
  }
}

extension TableCopy {
  /// The number of rows, by table.
  fileprivate func rows(_ connection: any Connection) throws -> [String: Int] {
    try contents(of: connection) { _, _ in }.mapValues(\.rows)
  }
}
