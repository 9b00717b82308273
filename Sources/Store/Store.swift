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
  private let writer: Database
  private let path: String
  /// When tokens were last used that is not written down yet, by name.
  let tokenUses = Mutex<[String: Int64]>([:])
  /// Tells the time, in seconds since 1970.
  public let now: @Sendable () -> Int64

  /// Opens a store, creating the file if there is none and bringing its schema up to date.
  ///
  /// - Parameters:
  ///   - path: The file; its directory must exist.
  ///   - now: Tells the time, in seconds since 1970.
  /// - Throws: `StoreError.newerSchema`, `StoreError.database`.
  public init(path: String, now: @escaping @Sendable () -> Int64) throws {
    self.now = now
    self.path = path
    do {
      writer = try Database(path: path, mode: .create)
      try writer.withConnection { connection in
        // A commit is on the disk before it is acknowledged (sqlite.org/pragma.html#pragma_synchronous).
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try Migrator.migrate(connection, now: now())
      }
      reader = try Database(path: path, mode: .readOnly)
      follower = try Database(path: path, mode: .readOnly)
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
  }

  /// Does `body` in a transaction that writes: all of it, or nothing where `body` throws or the
  /// context is a dry run.
  ///
  /// - Throws: `StoreError`, and what `body` throws.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    try translatingErrors {
      try writer.withConnection { connection in
        try connection.transaction(.write, isTrial: context.isDryRun) { connection in
          try body(Transaction(connection: connection, context: context, now: now()))
        }
      }
    }
  }

  /// Does `body` in a transaction that sees one state.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors {
      try reader.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Does `body` in a transaction that sees one state, on the connection that reads what is served.
  func follow<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors {
      try follower.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Does `body` on the connection that reads what is served, without a transaction.
  func followOnce<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors { try follower.withConnection(body) }
  }

  /// Does `body` on the connection that writes, without a transaction.
  func onWriter<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors { try writer.withConnection(body) }
  }

  /// Does `body`, which takes its time, in a transaction that sees one state, on a connection of its
  /// own.
  func readLong<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors {
      let database = try Database(path: path, mode: .readOnly)
      return try database.withConnection { try $0.transaction(.read, body) }
    }
  }

  private func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error)
    } catch let error as UnreadableColumn {
      throw StoreError.database(.damaged, detail: "a column holds “\(error.text)”")
    }
  }
}
