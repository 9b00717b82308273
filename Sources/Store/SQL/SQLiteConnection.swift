import CSQLite

/// An open SQLite database with its prepared statements.
package final class SQLiteConnection: Connection {
  /// How to open a database.
  package enum Mode: Sendable {
    /// For reading and writing; creates the file if it does not exist.
    case create
    /// For reading and writing an existing file.
    case existing
    case readOnly

    fileprivate var access: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .existing: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    }
  }

  /// Turns off SQLite's memory statistics, which take a lock per allocation. This works only before
  /// SQLite is first used; if it fails, SQLite is only slower.
  private static let isUncounted = aasa_sqlite_stop_counting_memory() == SQLITE_OK

  private let handle: OpaquePointer
  private(set) var statements: [String: SQLiteStatement] = [:]
  /// The number of statements that are remembered. Those with filters have many forms.
  private static let mostStatements = 500

  /// Opens a database file. Foreign keys are enforced.
  ///
  /// - Parameter busyMilliseconds: How long to wait for a lock that another connection holds.
  package init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(SQLError) {
    _ = Self.isUncounted
    var handle: OpaquePointer?
    let flags = mode.access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var code = sqlite3_open_v2(path, &handle, flags, nil)
    if code == SQLITE_OK {
      sqlite3_busy_timeout(handle, busyMilliseconds)
      // SQLite opens the WAL by its path at the first read. From then on, a connection can read what it
      // has open whatever happens to the paths, so one that reads for long does so at once.
      let read = mode == .readOnly ? "; PRAGMA schema_version" : ""
      code = sqlite3_exec(handle, "PRAGMA foreign_keys = ON" + read, nil, nil, nil)
    }
    guard code == SQLITE_OK, let handle else {
      let error = SQLError(code: code, connection: handle)
      sqlite3_close_v2(handle)  // SQLite returns a connection even if it cannot open the file
      throw error
    }
    self.handle = handle
  }

  deinit {
    // The statements are finalized after this; `close_v2` waits for the last one.
    sqlite3_close_v2(handle)
  }

  /// Sets how long to wait for a lock that another connection holds.
  package func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  package var dialect: Dialect { .sqlite }

  /// Runs a script of statements without parameters, and ignores their rows.
  package func execute(_ script: String) throws(SQLError) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK { throw SQLError(code: code, connection: handle, sql: script) }
  }

  /// Runs one statement and calls `row` with each row.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func run(
    _ sql: String, _ values: [Value], row: (borrowing Row) throws -> Void
  ) throws {
    try statement(sql).run(values, row: row)
  }

  /// Runs one statement, and ignores its rows.
  ///
  /// - Throws: `SQLError`.
  package func submit(_ sql: String, _ values: [Value]) throws { try run(sql, values) { _ in } }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Whether a transaction has begun and not ended.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Begins a transaction.
  ///
  /// - Throws: `SQLError`.
  package func begin(_ kind: TransactionKind) throws {
    switch kind {
    case .read: try run("BEGIN")
    // Takes the write lock at the start, so that nothing it has read is stale when it writes.
    case .write, .bulk, .schema: try run("BEGIN IMMEDIATE")
    }
  }

  package func update(_ sql: String, _ values: [Value]) throws { try submit(sql, values) }

  package func insert(_ insertion: Insertion, _ values: [Value]) throws {
    try submit(insertion.sql, values)
  }

  /// SQLite creates a temporary table for each `RETURNING`, which takes longer than inserting the row.
  package func add(_ insertion: Insertion, _ values: [Value]) throws -> Int64 {
    try insert(insertion, values)
    return sqlite3_last_insert_rowid(handle)
  }

  package var isPipelining: Bool { false }

  package func newID(in table: String) -> Int64? { nil }

  private func statement(_ sql: String) throws(SQLError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    let statement = try SQLiteStatement(sql, on: handle)
    if statements.count < Self.mostStatements { statements[sql] = statement }
    return statement
  }

  /// Copies the whole database over another one that nothing else uses (sqlite.org/backup.html).
  ///
  /// All pages are copied in one read transaction, which blocks no writer. Without it, a copy in several steps
  /// restarts whenever another process writes in between, and may never finish.
  ///
  /// - Parameter progress: Called now and then with the work, and how much of it is done in percent.
  package func copy(
    to other: SQLiteConnection, progress: (String, Int?) -> Void = { _, _ in }
  ) throws(SQLError) {
    if isInTransaction { return try copyPages(to: other, progress) }
    try execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    do {
      try copyPages(to: other, progress)
    } catch {
      try execute("ROLLBACK")
      throw error
    }
    try execute("COMMIT")
  }

  private func copyPages(
    to other: SQLiteConnection, _ progress: (String, Int?) -> Void
  ) throws(SQLError) {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLError(code: sqlite3_extended_errcode(other.handle), connection: other.handle)
    }
    var step = SQLITE_OK
    while step == SQLITE_OK {
      step = sqlite3_backup_step(backup, 4096)
      let total = Int(sqlite3_backup_pagecount(backup))
      let done = total - Int(sqlite3_backup_remaining(backup))
      progress("Copying", done * 100 / max(1, total))
    }
    let finish = sqlite3_backup_finish(backup)
    if finish != SQLITE_OK { throw SQLError(code: finish, connection: other.handle) }
    // `finish` does not report a failure to take a lock.
    if step != SQLITE_DONE { throw SQLError(code: step, connection: nil) }
  }
}
