import CSQLite

/// A prepared statement; its connection keeps it for reuse.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let sql: String

  init(_ sql: String, on connection: OpaquePointer) throws(SQLError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK else {
      throw SQLError(code: code, connection: connection, sql: sql)
    }
    guard let handle else {
      throw SQLError(code: SQLITE_MISUSE, message: "the text has no statement", sql: sql)
    }
    self.handle = handle
    self.connection = connection
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  /// Runs the statement with these values and calls `row` with each row.
  func run(_ values: [Value], row: (borrowing Row) throws -> Void) throws {
    // Always releases the statement's locks and the memory of its values.
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    try bind(values)
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: try row(Row(.sqlite(handle)))
      case SQLITE_DONE: return
      case let code: throw SQLError(code: code, connection: connection, sql: sql)
      }
    }
  }

  private func bind(_ values: [Value]) throws(SQLError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw SQLError(
        code: SQLITE_RANGE, message: "\(values.count) values for \(expected) parameters",
        sql: sql)
    }
    for (index, value) in zip(Int32(1)..., values) {
      let code = bind(value, at: index)
      if code != SQLITE_OK { throw SQLError(code: code, connection: connection, sql: sql) }
    }
  }

  /// Binds texts with their byte count, so that they may contain U+0000. SQLite copies the bytes.
  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null, .nullText, .nullInteger: return sqlite3_bind_null(handle, index)
    case .integer(let value): return sqlite3_bind_int64(handle, index, value)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          // An empty buffer may have no address, which would bind NULL.
          $0.isEmpty
            ? sqlite3_bind_text(handle, index, "", 0, aasa_sqlite_transient())
            : sqlite3_bind_text64(
              handle, index, $0.baseAddress, UInt64($0.count), aasa_sqlite_transient(),
              UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      return bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : sqlite3_bind_blob64(
          handle, index, bytes, UInt64(bytes.count), aasa_sqlite_transient())
    }
  }
}
