import CPostgreSQL
import CSQLite

/// An error of an engine. It never contains bound values.
package struct SQLError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors that callers distinguish.
  package enum Kind: Sendable, Equatable {
    /// Another connection held a lock for longer than allowed.
    case busy
    /// Another transaction has changed what this one has read or written. Nothing is changed.
    case conflict
    /// A UNIQUE or PRIMARY KEY constraint failed.
    case unique
    /// A FOREIGN KEY constraint failed.
    case foreignKey
    /// Another constraint failed.
    case constraint
    /// The disk or a quota is full.
    case full
    /// The database may not be written.
    case readOnly
    case cannotOpen
    /// The connection to the server is gone, or there was none.
    case disconnected
    /// The file is not a database, or is damaged.
    case corrupt
    case inputOutput
    case other
  }

  package let kind: Kind
  /// SQLite's extended result code (sqlite.org/rescode.html), or PostgreSQL's SQLSTATE.
  package let code: String
  package let message: String
  /// The statement, with `?` for its values, if there was one.
  package let sql: String?

  init(_ kind: Kind, code: String, message: String, sql: String? = nil) {
    self.kind = kind
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// "database is locked (5)", without the statement, which helps nobody who reads it.
  package var description: String { "\(message) (\(code))" }
}

extension SQLError {
  /// The lines of a text as one.
  private static func line(_ text: String, _ separator: String) -> String {
    text.split(whereSeparator: \.isNewline)
      .map { String($0.drop(while: \.isWhitespace)) }.joined(separator: separator)
  }
}

// SQLite.
extension SQLError {
  init(code: Int32, connection: OpaquePointer?, sql: String? = nil) {
    let message = (connection.map(sqlite3_errmsg) ?? sqlite3_errstr(code)).map {
      String(cString: $0)
    }
    self.init(code: code, message: message ?? "", sql: sql)
  }

  init(code: Int32, message: String, sql: String? = nil) {
    self.init(Self.kind(code), code: String(code), message: message, sql: sql)
  }

  private static func kind(_ code: Int32) -> Kind {
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
    // Without memory, nothing is damaged.
    case SQLITE_IOERR, SQLITE_NOMEM: return .inputOutput
    default: return .other
    }
  }
}

// PostgreSQL.
extension SQLError {
  /// What a connection says about itself.
  init(_ kind: Kind, connection: OpaquePointer?, sql: String? = nil) {
    let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    self.init(kind, code: "08000", message: Self.line(message, "; "), sql: sql)
  }

  /// Why no connection was made. The server's refusals have no SQLSTATE here; those that pass by themselves are
  /// known by their words.
  init(connecting connection: OpaquePointer) {
    let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    let passing = [
      "starting up", "shutting down", "recovery", "not accepting", "not yet accepting", "too many",
      "connection slots", "terminating", "server_login_retry", "server login has been failing",
      "cannot connect to server", "server conn crashed",
    ]
    let isRefused =
      (message.contains("FATAL") || message.contains("password"))
      && !passing.contains(where: message.contains)
    let isMistaken = [
      "definition of service", "service file", "certificate file", "private key file",
    ]
    .contains(where: message.contains)
    self.init(isRefused || isMistaken ? .cannotOpen : .disconnected, connection: connection)
  }

  /// What a result says. A connection that has gone says nothing in its results.
  init(result: OpaquePointer, connection: OpaquePointer, sql: String) {
    guard let state = PQresultErrorField(result, Self.sqlstate) else {
      self.init(
        PQstatus(connection) == CONNECTION_BAD ? .disconnected : .other, connection: connection,
        sql: sql)
      return
    }
    let code = String(cString: state)
    let message = PQresultErrorField(result, Self.primaryMessage).map { String(cString: $0) } ?? ""
    self.init(Self.kind(sqlstate: code), code: code, message: message, sql: sql)
  }

  // Swift does not import these: they are character constants (PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY).
  private static let sqlstate = Int32(UInt8(ascii: "C"))
  private static let primaryMessage = Int32(UInt8(ascii: "M"))

  /// The kind of a SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html).
  private static func kind(sqlstate: String) -> Kind {
    switch sqlstate {
    case "23505": .unique
    case "23503": .foreignKey
    case "40001", "40P01": .conflict
    case "55P03", "57014": .busy
    case "53100": .full
    case "25006", "42501": .readOnly
    // Too many connections, starting up, shutting down, or idle for too long in a transaction: it passes.
    case "53300", "57P03", "57P01", "57P02", "57P05", "25P03": .disconnected
    case "XX001", "XX002": .corrupt
    case "58030": .inputOutput
    default:
      switch sqlstate.prefix(2) {
      case "23": .constraint
      case "08": .disconnected
      case "28", "3D": .cannotOpen
      default: .other
      }
    }
  }
}
