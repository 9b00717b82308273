package import Association
import Glibc

/// Tells what is being done, and how much of it is done, if that is known.
package typealias BackupProgress = (_ work: String, _ percent: Int?) -> Void

/// Saves a database to a file.
package enum Backup {
  /// Removes the files of what is not complete. Call it when the process is about to end before its work has.
  package static func removeUnfinished() { AtomicFile.removeUnfinished() }

  /// Saves a snapshot of a database, which others may edit meanwhile, and checks the copy. The copy
  /// is a single file without a WAL, so it can be opened read-only anywhere.
  ///
  /// - Parameters:
  ///   - database: An existing database. Its schema is not migrated.
  ///   - path: The path of the copy. Nothing changes there until the copy is complete and checked.
  ///   - replacing: Whether to replace an existing file.
  ///   - now: The time.
  /// - Throws: `BackupError`, `StoreError`.
  package static func save(
    _ database: DatabaseLocation, to path: String, replacing: Bool, now: UnixTime,
    progress: BackupProgress = { _, _ in }
  ) throws -> DatabaseContents {
    switch database {
    case .file(let database):
      return try save(file: database, to: path, replacing: replacing, progress)
    case .postgreSQL(let address):
      if !replacing && FileIdentity(path) != nil { throw BackupError.alreadyExists(path) }
      let file = try AtomicFile(at: path)
      try translatingErrors {
        let source = try SharedDatabase.connect(address, creatingAt: nil)
        try source.transaction(.read) { try TableCopy().save($0, to: file, now: now, progress) }
      }
      progress("Checking the copy", nil)
      let contents = try DatabaseContents(checking: file.temporaryPath, as: path)
      try file.commit(replacing: replacing)
      return contents
    }
  }

  /// Runs `body`, and turns the errors of engines into those of the store.
  static func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLError {
      throw StoreError(error)
    }
  }

  private static func save(
    file database: String, to path: String, replacing: Bool, _ progress: BackupProgress
  ) throws -> DatabaseContents {
    if DatabaseFile.isPart(path, of: database) { throw BackupError.sameFile(path) }
    if !replacing && FileIdentity(path) != nil { throw BackupError.alreadyExists(path) }
    let file = try AtomicFile(at: path)
    // When the last connection to a database closes, it removes the WAL if it may write.
    try copy(database, to: file.temporaryPath, mayWrite: access(database, W_OK) == 0, progress)
    progress("Checking the copy", nil)
    let contents = try DatabaseContents(checking: file.temporaryPath, as: database)
    try leaveOutServers(file.temporaryPath)
    try file.commit(replacing: replacing)
    return contents
  }

  /// The tables that belong to the servers on a database, not to its copies. A server would believe the sessions of people
  /// who have signed out since, and wait for servers that run elsewhere.
  static let ofServers = ["session", "replica", "lease"]

  /// Empties the tables of servers in a copy.
  ///
  /// - Throws: `BackupError`.
  static func leaveOutServers(_ path: String) throws {
    try BackupError.naming(path) {
      let copy = try SQLiteConnection(path: path, mode: .existing)
      for table in ofServers {
        // The schema may be older.
        let exists = try copy.first(
          "SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]
        ) { _ in true }
        if exists != nil { try copy.execute("DELETE FROM \(table)") }
      }
    }
  }

  /// Copies a database to one file.
  static func copy(
    _ database: String, to path: String, mayWrite: Bool, _ progress: BackupProgress
  ) throws {
    let source = try BackupError.naming(database) {
      try SQLiteConnection(path: database, mode: mayWrite ? .existing : .readOnly)
    }
    try BackupError.naming(path) { try copy(source, of: database, to: path, progress) }
  }

  /// Copies an open database to one file.
  static func copy(
    _ source: SQLiteConnection, of database: String, to path: String,
    _ progress: BackupProgress = { _, _ in }
  ) throws {
    let copy = try SQLiteConnection(path: path, mode: .existing)
    // An incomplete copy is deleted, and `commit` syncs a complete one.
    try copy.execute("PRAGMA synchronous = OFF")
    do {
      try source.copy(to: copy, progress: progress)
    } catch  where [.corrupt, .busy].contains(error.kind) {
      // Nothing else uses the copy, so the database is locked or damaged.
      throw BackupError.database(database, StoreError(error))
    }
    // The copy has inherited the journal mode WAL from the original.
    try copy.execute("PRAGMA journal_mode = DELETE")
  }
}

/// Why a database was not saved or restored. Nothing was changed.
package enum BackupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file exists and must not be replaced.
  case alreadyExists(String)
  /// The backup and the database are the same file.
  case sameFile(String)
  /// The operating system failed to read or write a file.
  case file(String, code: Int32)
  /// The file is not a database of this program.
  case foreign(String)
  /// The schema of the file is newer than this program.
  case newerSchema(String, found: Int, known: Int)
  /// The schema of the file differs from the one that this program creates.
  case otherSchema(String, objects: [String])
  /// The file is damaged; has the first few faults.
  case damaged(String, faults: [String])
  /// The database does not exist, but a file of a deleted database does.
  case leftover(String)
  /// SQLite failed.
  case database(String, StoreError)
  /// Servers that may write run on the database; has their URLs.
  case inUse(String, servers: [String])
  /// The database has contents already.
  case notEmpty(String)
  /// The copy is not what was copied; has the tables that differ.
  case different(String, tables: [String])

  /// What failed and what to do.
  package var description: String {
    switch self {
    case .alreadyExists(let path):
      "\"\(path)\" already exists. Choose another path, or replace it with --force."
    case .sameFile(let path): "\"\(path)\" is the database itself."
    case .file(let path, let code): "\"\(path)\": \(String(cString: strerror(code)))."
    case .foreign(let path): "\"\(path)\" is not an aasa database."
    case .newerSchema(let path, let found, let known):
      "\"\(path)\" has schema \(found), but this version of aasa only knows schemas up to \(known). Use a "
        + "newer version of aasa. To replace the file, move it away first."
    case .otherSchema(let path, let objects):
      "\"\(path)\" does not have the schema that aasa creates: \(objects.joined(separator: ", "))."
    case .damaged(let path, let faults):
      "\"\(path)\" is damaged: \(faults.joined(separator: "; "))."
    case .leftover(let path):
      "\"\(path)\" is left over from a deleted database. Move it away first: SQLite would read it as part "
        + "of the restored database."
    case .database(let path, let error): "\"\(path)\" cannot be used: \(error)"
    case .inUse(let name, let servers):
      "Servers run on \"\(name)\" and could write meanwhile: \(servers.joined(separator: ", ")). Stop them, or "
        + "restart them with --read-only. A killed server is forgotten after 15 seconds, or 180 with SQLite."
    case .notEmpty(let name):
      "\"\(name)\" has contents already. Choose an empty database, or replace the contents with 'aasa restore "
        + "--force'."
    case .different(let name, let tables):
      "The copy in \"\(name)\" was undone, because it differs in \(tables.joined(separator: ", ")). Try again."
    }
  }

  /// Runs `body`, and adds the path of the file to SQLite's errors.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLError {
      throw database(path, StoreError(error))
    } catch let error as StoreError {
      throw database(path, error)
    }
  }
}
