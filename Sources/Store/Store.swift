import SQLite
import Synchronization

/// The rows that documents are rendered from, in one SQLite file. All SQL is in this module.
///
/// Several processes may open the same file. One of them writes at a time; readers never wait.
public final class Store: Sendable {
  /// Reads for API requests; no writer blocks it. The readers are closed before the writer: only if the
  /// last connection to close may write does SQLite delete the WAL.
  private let reader: Database
  /// Reads documents to serve, so that no API request delays them.
  private let follower: Database
  private let writer: Database
  let path: String
  /// The token uses that are not written yet, by token name.
  let tokenUses = Mutex<[String: Int64]>([:])
  /// Commits since the last checkpoint by `moveLog`.
  private let commits = Atomic<Int>(0)
  /// Durations and errors of transactions.
  public let counts = DatabaseCounts()
  /// The current time in seconds since 1970.
  public let now: @Sendable () -> Int64

  /// Opens a store. Creates the file if it does not exist, and migrates its schema.
  ///
  /// - Parameters:
  ///   - path: The file; its directory must exist.
  ///   - now: Returns the current time in seconds since 1970.
  /// - Throws: `StoreError.foreign`, `StoreError.newerSchema`, `StoreError.database`.
  public init(path: String, now: @escaping @Sendable () -> Int64) throws {
    self.now = now
    self.path = path
    do {
      writer = try Database(path: path, mode: .create)
      try writer.withConnection { connection in
        try Migrator.refuseForeign(connection)
        // FULL makes a commit durable before it is acknowledged
        // (sqlite.org/pragma.html#pragma_synchronous). The server checkpoints with `moveLog`, so an
        // edit does so itself only when that falls behind, or in a process that is not a server. There
        // may be no place for temporary files.
        try connection.execute(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; "
            + "PRAGMA wal_autocheckpoint = 16000")
        try Migrator.migrate(connection, now: now())
      }
      reader = try Database(path: path, mode: .readOnly)
      follower = try Database(path: path, mode: .readOnly)
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
  }

  /// Runs `body` in a write transaction. When this returns, all of it is on the disk. If `body`
  /// throws, or for a dry run, nothing is.
  ///
  /// - Throws: `StoreError`, and what `body` throws.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    let result = try translatingErrors(.write) {
      try writer.withConnection { connection in
        try connection.transaction(.write, keeping: !context.isDryRun) { connection in
          try body(Transaction(connection: connection, context: context, now: now()))
        }
      }
    }
    if !context.isDryRun { commits.add(1, ordering: .relaxed) }
    return result
  }

  /// Runs `body` in a transaction that sees one state.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try reader.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Runs `body`, which must run a single statement, without a transaction.
  func readOnce<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try reader.withConnection(body) }
  }

  /// Runs a long `body` in a transaction that sees one state, on a separate connection.
  func readLong<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try Database(path: path, mode: .readOnly).withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Runs `body` in a transaction that sees one state, on the connection for documents to serve.
  func follow<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.follow) {
      try follower.withConnection { try $0.transaction(.read, body) }
    }
  }

  private func translatingErrors<Result>(
    _ kind: DatabaseCounts.Kind, _ body: () throws -> Result
  ) throws -> Result {
    try counts.time(kind) {
      do {
        return try body()
      } catch let error as SQLiteError {
        throw StoreError(error)
      } catch let error as UnreadableColumn {
        throw StoreError.database(.damaged, detail: "a column has the value \"\(error.text)\"")
      }
    }
  }
}

extension Store {
  /// Moves the WAL into the database file and empties it, as far as readers in other processes allow
  /// (sqlite.org/pragma.html#pragma_wal_checkpoint).
  ///
  /// - Throws: `StoreError`.
  public func checkpoint() throws {
    try translatingErrors(.checkpoint) {
      try writer.withConnection { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
  }

  /// Moves the WAL into the database file after every 50 commits, without blocking writers. Call it
  /// regularly, so that no edit has to wait for a checkpoint.
  ///
  /// - Throws: `StoreError`.
  public func moveLog() throws {
    if commits.load(ordering: .relaxed) < 50 { return }
    commits.store(0, ordering: .relaxed)
    try translatingErrors(.checkpoint) {
      // Not `.create`: if the database was moved away, an empty file would block a restore.
      try Database(path: path, mode: .existing).withConnection {
        try $0.run("PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }

  /// Sets how long writes wait for a lock that another process holds. The default is 5 seconds.
  /// Limits the duration of a shutdown.
  public func setLockTimeout(milliseconds: Int32) throws {
    try writer.withConnection { $0.setBusyTimeout(milliseconds: milliseconds) }
  }
}
