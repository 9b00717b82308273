import CSQLite

/// An open database with the statements that were prepared on it. It is for one thread at a time;
/// `Database` sees to that.
public final class Connection {
  /// How a database is opened.
  public enum Mode: Sendable {
    /// For reading and writing; the file is created if it is missing.
    case create
    /// For reading and writing a file that is there.
    case existing
    /// For reading only.
    case readOnly

    fileprivate var access: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .existing: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    }
  }

  /// Whether SQLite does without counting its memory, for which each allocation would take a lock. It can
  /// be told only before it is first used; where it is refused, nothing but time is lost.
  private static let isUncounted = aasa_sqlite_stop_counting_memory() == SQLITE_OK

  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a database file. Foreign keys are enforced.
  ///
  /// - Parameter busyMilliseconds: How long a lock is waited for that another connection holds.
  /// - Throws: `SQLiteError`.
  public init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(SQLiteError) {
    _ = Self.isUncounted
    var handle: OpaquePointer?
    let flags = mode.access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var code = sqlite3_open_v2(path, &handle, flags, nil)
    if code == SQLITE_OK {
      sqlite3_busy_timeout(handle, busyMilliseconds)
      code = sqlite3_exec(handle, "PRAGMA foreign_keys = ON", nil, nil, nil)
    }
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code, connection: handle)
      sqlite3_close_v2(handle)  // SQLite hands out a connection even where it could not open
      throw error
    }
    self.handle = handle
  }

  deinit {
    // The statements go after this; `close_v2` waits for the last of them.
    sqlite3_close_v2(handle)
  }

  /// Changes how long a lock is waited for that another connection holds.
  public func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs a text of any number of statements that give no rows.
  ///
  /// - Throws: `SQLiteError`.
  public func execute(_ script: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK { throw SQLiteError(code: code, connection: handle, sql: script) }
  }

  /// Runs one statement and gives each row to `row`.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func run(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    try statement(sql).run(values, row: row)
  }

  /// Runs one statement and returns what `row` makes of each row.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func all<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    try run(sql, values) { elements.append(try row($0)) }
    return elements
  }

  /// Runs one statement and returns what `row` makes of its only row, or `nil` without a row.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func first<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> Element? {
    var element: Element?
    try run(sql, values) { element = try row($0) }
    return element
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// How many rows statements of this connection have changed since it was opened, also those that were
  /// undone since, those of triggers and those of foreign keys.
  public var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// The rowid of the last INSERT.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Does `body` in a transaction, which is rolled back when `body` throws and otherwise committed.
  /// `.write` takes the lock at once, so that no read in it is stale when it writes.
  ///
  /// - Throws: `SQLiteError`, and what `body` throws.
  public func transaction<Result>(
    _ kind: TransactionKind, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try run(kind.rawValue)
    do {
      let result = try body(self)
      try run("COMMIT")
      return result
    } catch {
      // After some errors (a full disk) SQLite has rolled back by itself, and says so.
      if isInTransaction { try run("ROLLBACK") }
      throw error
    }
  }

  /// Whether a transaction is open that statements are part of.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Checks that SQLite has not rolled back the transaction by itself, as it does after some errors.
  ///
  /// - Throws: `SQLiteError`.
  public func checkTransaction() throws(SQLiteError) {
    if isInTransaction { return }
    throw SQLiteError(code: SQLITE_ABORT, message: "the transaction was rolled back")
  }

  /// What a transaction is for.
  public enum TransactionKind: String, Sendable {
    /// Reading one consistent state.
    case read = "BEGIN"
    /// Writing.
    case write = "BEGIN IMMEDIATE"
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: handle)
    statements[sql] = statement
    return statement
  }
}
