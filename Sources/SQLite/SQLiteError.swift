import CSQLite

/// An error of SQLite. It never contains bound values.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The kinds of result codes that callers distinguish (sqlite.org/rescode.html).
  public enum Kind: Sendable, Equatable {
    /// Another connection held the lock for longer than the busy timeout.
    case busy
    /// A UNIQUE or PRIMARY KEY constraint failed.
    case unique
    /// A FOREIGN KEY constraint failed.
    case foreignKey
    /// Another constraint failed.
    case constraint
    /// The disk or a quota is full.
    case full
    /// The file or its directory is not writable.
    case readOnly
    /// The file cannot be opened.
    case cannotOpen
    /// The file is not a database, or is damaged.
    case corrupt
    /// Reading or writing failed.
    case inputOutput
    /// Anything else.
    case other
  }

  /// The extended result code.
  public let code: Int32
  /// SQLite's message.
  public let message: String
  /// The statement, with `?` for its values, if there was one.
  public let sql: String?

  init(code: Int32, connection: OpaquePointer?, sql: String? = nil) {
    self.code = code
    message =
      (connection.map(sqlite3_errmsg) ?? sqlite3_errstr(code)).map { String(cString: $0) } ?? ""
    self.sql = sql
  }

  init(code: Int32, message: String, sql: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// The kind of the result code.
  public var kind: Kind {
    // Swift does not import the extended codes: they are macros with arithmetic.
    let uniqueCodes = [SQLITE_CONSTRAINT | (8 << 8), SQLITE_CONSTRAINT | (6 << 8)]
    if uniqueCodes.contains(code) { return .unique }
    if code == SQLITE_CONSTRAINT | (3 << 8) { return .foreignKey }
    // SQLITE_IOERR_SHMSIZE: the index of the WAL could not grow, because the disk is full.
    if code == SQLITE_IOERR | (19 << 8) { return .full }
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_CONSTRAINT: return .constraint
    case SQLITE_FULL: return .full
    case SQLITE_READONLY: return .readOnly
    case SQLITE_CANTOPEN: return .cannotOpen
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
    case SQLITE_IOERR: return .inputOutput
    default: return .other
    }
  }

  /// "database is locked (5) in: SELECT …".
  public var description: String {
    "\(message) (\(code))" + (sql.map { " in: \($0)" } ?? "")
  }
}
