import SQLite
import Synchronization

/// The rows that documents are rendered from, in one SQLite file. It is the only place that knows
/// that there is SQL.
///
/// Several processes may have the same file open. One writes at a time; readers never wait.
public final class Store: Sendable {
  /// The connection that reads, which no writer keeps waiting. Those that read go before the one that
  /// writes: only a last connection that may write leaves one file, without a WAL beside it.
  private let reader: Database
  /// The connection that reads what is served, which no other reader keeps waiting.
  private let follower: Database
  /// The connection that writes.
  let writer: Writer
  let path: String
  /// When tokens were last used that is not written down yet, by name.
  let tokenUses = Mutex<[String: Int64]>([:])
  /// Counts transactions.
  public let counts = DatabaseCounts()
  /// Tells the time, in seconds since 1970.
  public let now: @Sendable () -> Int64

  /// Opens a store, creating the file if there is none and bringing its schema up to date.
  ///
  /// - Parameters:
  ///   - path: The file; its directory must exist.
  ///   - now: Tells the time, in seconds since 1970.
  /// - Throws: `StoreError.foreign`, `StoreError.newerSchema`, `StoreError.database`.
  public convenience init(path: String, now: @escaping @Sendable () -> Int64) throws {
    try self.init(path: path, patience: .milliseconds(5), now: now)
  }

  /// Opens a store whose edits wait for so long for others to share a commit with.
  package init(path: String, patience: Duration, now: @escaping @Sendable () -> Int64) throws {
    self.now = now
    self.path = path
    do {
      let connection = try Connection(path: path, mode: .create)
      try Migrator.refuseForeign(connection)
      // A commit is on the disk before it is acknowledged (sqlite.org/pragma.html#pragma_synchronous).
      // Whoever serves moves the WAL into the file beside the edits (`moveLog`), so that they need not
      // do it but where that is not enough, or for those who do not serve.
      // What an edit among others may have to undo is kept in memory: there may be no place for
      // temporary files.
      try connection.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; "
          + "PRAGMA wal_autocheckpoint = 16000")
      try Migrator.migrate(connection, now: now())
      writer = Writer(connection, patience: patience)
      reader = try Database(path: path, mode: .readOnly)
      follower = try Database(path: path, mode: .readOnly)
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
  }

  /// Does `body` in a transaction that writes: all of it, or nothing where `body` throws or the
  /// context is a dry run. Returns when it is on the disk.
  ///
  /// Several that write at the same time share a commit. An edit that takes long among them is begun
  /// again when they have theirs, so `body` may be called twice.
  ///
  /// - Parameter handOver: Called with what was committed, of this edit and of others that shared the
  ///   commit, before any of them returns. All that write at the same time must have the same one.
  ///   Where it fails, those that gave one throw `StoreError.notServedYet`; what is committed stays.
  /// - Throws: `StoreError`, and what `body` throws.
  public func write<Result: Sendable>(
    _ context: WriteContext, handOver: (@Sendable (Commit) throws -> Void)? = nil,
    _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    try translatingErrors(.write) {
      try writer.write(isTrial: context.isDryRun, handOver: handOver) { connection, turn in
        try body(Transaction(connection: connection, turn: turn, context: context, now: now()))
      }
    }
  }

  /// How many wait for their turn to write.
  package var waitingWriters: Int { writer.waitingCount }

  /// Does `body` in a transaction that sees one state.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try reader.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Does `body`, which runs one statement, without a transaction around it.
  func readOnce<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try reader.withConnection(body) }
  }

  /// Does `body` in a transaction that sees one state, on the connection that reads what is served.
  func follow<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.follow) {
      try follower.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Does `body` on the connection that reads what is served, without a transaction.
  func followOnce<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.follow) { try follower.withConnection(body) }
  }

  /// Does `body` on the connection that writes, without a transaction.
  func onWriter<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.checkpoint) { try writer.withoutTransaction(body) }
  }

  /// Does `body`, which takes its time, in a transaction that sees one state, on a connection of its
  /// own.
  func readLong<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      let database = try Database(path: path, mode: .readOnly)
      return try database.withConnection { try $0.transaction(.read, body) }
    }
  }

  func translatingErrors<Result>(
    _ kind: DatabaseCounts.Kind, _ body: () throws -> Result
  ) throws -> Result {
    try counts.time(kind) {
      do {
        return try body()
      } catch let error as SQLiteError {
        throw StoreError(error)
      } catch let error as UnreadableColumn {
        throw StoreError.database(.damaged, detail: "a column holds “\(error.text)”")
      }
    }
  }
}
