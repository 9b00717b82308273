import Synchronization

/// A connection that any thread may use, one at a time.
public final class Database: Sendable {
  private let connection: Mutex<Connection>

  /// Opens a database file.
  ///
  /// - Throws: `SQLiteError`.
  public init(path: String, mode: Connection.Mode) throws(SQLiteError) {
    connection = Mutex(try Connection(path: path, mode: mode))
  }

  /// Waits for the connection and does `body` with it. Only values that may go to any thread come
  /// out, so no statement does.
  ///
  /// - Throws: what `body` throws.
  public func withConnection<Result: Sendable>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try connection.withLock { connection in try body(connection) }
  }
}
