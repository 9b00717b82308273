import CSQLite

/// What SQLite refused, and why. Bound values are never part of it.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The kinds of result codes that callers tell apart (sqlite.org/rescode.html).
  public enum Kind: Sendable, Equatable {
    /// Another connection holds the lock for longer than the busy timeout.
    case busy
    /// A UNIQUE or PRIMARY KEY constraint.
    case unique
    /// A FOREIGN KEY constraint.
    case foreignKey
    /// Another constraint.
    case constraint
    /// The disk, or a quota on it, is full.
    case full
    /// The file or its directory cannot be written.
    case readOnly
    /// The file cannot be opened.
    case cannotOpen
    /// The file is no database, or a damaged one.
    case corrupt
    /// Reading or writing failed.
    case inputOutput
    /// Anything else.
    case other
  }

  /// The extended result code.
  public let code: Int32
  /// SQLite's words.
  public let message: String
  /// The statement, with `?` for its values; `nil` where there was none.
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
    // The extended codes are macros with arithmetic, which Swift does not import.
    let uniqueCodes = [SQLITE_CONSTRAINT | (8 << 8), SQLITE_CONSTRAINT | (6 << 8)]
    if uniqueCodes.contains(code) { return .unique }
    if code == SQLITE_CONSTRAINT | (3 << 8) { return .foreignKey }
    // The index of the WAL could not grow, which is what a full disk does to it (sqlite.org/rescode.html).
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
