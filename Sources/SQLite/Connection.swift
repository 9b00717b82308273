import CSQLite
import Dispatch
import Synchronization

/// A connection that threads share: one of them uses it at a time.
public final class Database: Sendable {
  private let connection: Mutex<Connection>

  /// Opens a database file.
  ///
  /// - Throws: `SQLiteError`.
  public init(path: String, mode: Connection.Mode) throws(SQLiteError) {
    connection = Mutex(try Connection(path: path, mode: mode))
  }

  /// Waits for the connection and runs `body` with it. Only `Sendable` values can leave, so no
  /// statement can.
  ///
  /// - Throws: what `body` throws.
  public func withConnection<Result: Sendable>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try connection.withLock { connection in try body(connection) }
  }
}

/// A bounded number of connections for reading, of which each thread uses one that is free.
public final class Databases: Sendable {
  private let free: Mutex<[Database]>
  private let count: DispatchSemaphore

  /// Opens a database file several times.
  ///
  /// - Throws: `SQLiteError`.
  public init(_ count: Int, path: String) throws(SQLiteError) {
    var databases: [Database] = []
    for _ in 0..<count { databases.append(try Database(path: path, mode: .readOnly)) }
    free = Mutex(databases)
    self.count = DispatchSemaphore(value: count)
  }

  /// Waits for a connection and runs `body` with it.
  ///
  /// - Throws: what `body` throws.
  public func withConnection<Result: Sendable>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    count.wait()
    defer { count.signal() }
    // There is one: no more threads than there are connections come past `count`.
    let database = free.withLock { $0.removeLast() }
    defer { free.withLock { $0.append(database) } }
    return try database.withConnection(body)
  }
}

/// An open database with its prepared statements, for one thread at a time (see `Database`).
public final class Connection {
  /// How to open a database.
  public enum Mode: Sendable {
    /// For reading and writing; creates the file if it does not exist.
    case create
    /// For reading and writing an existing file.
    case existing
    /// For reading.
    case readOnly

    fileprivate var access: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .existing: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    }
  }

  /// The kind of transaction.
  public enum TransactionKind: String, Sendable {
    /// Reads one consistent state.
    case read = "BEGIN"
    /// Takes the write lock at the start, so that nothing it has read is stale when it writes.
    case write = "BEGIN IMMEDIATE"
  }

  /// Turns off SQLite's memory statistics, which take a lock per allocation. This works only before
  /// SQLite is first used; if it fails, SQLite is only slower.
  private static let isUncounted = aasa_sqlite_stop_counting_memory() == SQLITE_OK

  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a database file. Foreign keys are enforced.
  ///
  /// - Parameter busyMilliseconds: How long to wait for a lock that another connection holds.
  /// - Throws: `SQLiteError`.
  public init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(SQLiteError) {
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
      let error = SQLiteError(code: code, connection: handle)
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
  public func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs a script of statements without parameters, and ignores their rows.
  ///
  /// - Throws: `SQLiteError`.
  public func execute(_ script: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    if code != SQLITE_OK { throw SQLiteError(code: code, connection: handle, sql: script) }
  }

  /// Runs one statement and calls `row` with each row.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func run(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Void = { _ in }
  ) throws {
    try statement(sql).run(values, row: row)
  }

  /// Runs one statement and maps each row.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func all<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    try run(sql, values) { elements.append(try row($0)) }
    return elements
  }

  /// Runs one statement and maps its only row; `nil` without a row.
  ///
  /// - Throws: `SQLiteError`, and what `row` throws.
  public func first<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> Element? {
    var element: Element?
    try run(sql, values) { element = try row($0) }
    return element
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The rowid of the last INSERT.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs `body` in a transaction: commits it afterwards, or rolls it back if `body` throws.
  ///
  /// - Parameter keeping: Whether to commit. If `false`, the transaction is rolled back in any case.
  /// - Throws: `SQLiteError`, and what `body` throws.
  public func transaction<Result>(
    _ kind: TransactionKind, keeping: Bool = true, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try run(kind.rawValue)
    return try finish(keeping: keeping, after: body)
  }

  /// Begins a transaction. Returns `false` if another connection held the lock for longer than the busy
  /// timeout.
  ///
  /// - Throws: `SQLiteError`.
  public func begin(_ kind: TransactionKind) throws -> Bool {
    do {
      try run(kind.rawValue)
      return true
    } catch let error as SQLiteError where error.kind == .busy {
      return false
    }
  }

  /// Runs `body` in the transaction that has begun, and ends it like `transaction`.
  ///
  /// - Throws: `SQLiteError`, and what `body` throws.
  public func finish<Result>(
    keeping: Bool, after body: (Connection) throws -> Result
  ) throws -> Result {
    do {
      let result = try body(self)
      try run(keeping ? "COMMIT" : "ROLLBACK")
      return result
    } catch {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
      throw error
    }
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: handle)
    statements[sql] = statement
    return statement
  }

  /// Copies the whole database over another one that nothing else uses (sqlite.org/backup.html).
  ///
  /// All pages are copied in one step, in one read transaction, which blocks no writer. A copy in
  /// several steps restarts whenever another process writes in between, and may never finish.
  ///
  /// - Throws: `SQLiteError`.
  public func copy(to other: Connection) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(code: sqlite3_extended_errcode(other.handle), connection: other.handle)
    }
    let step = sqlite3_backup_step(backup, -1)
    let finish = sqlite3_backup_finish(backup)
    if finish != SQLITE_OK { throw SQLiteError(code: finish, connection: other.handle) }
    // `finish` does not report a failure to take a lock.
    if step != SQLITE_DONE { throw SQLiteError(code: step, connection: nil) }
  }
}
