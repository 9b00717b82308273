import CSQLite

/// A value to bind (sqlite.org/datatype3.html).
public enum Value: Sendable, Equatable {
  /// NULL.
  case null
  /// INTEGER.
  case integer(Int64)
  /// TEXT. It may contain U+0000.
  case text(String)
  /// BLOB.
  case blob([UInt8])

  /// Whether both are the same value to SQLite. Texts are compared by bytes, because `String`
  /// treats two encodings of an accented letter as equal.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// INTEGER, 1 for true.
  public static func bool(_ value: Bool) -> Value { .integer(value ? 1 : 0) }

  /// INTEGER.
  public static func integer(_ value: Int) -> Value { .integer(Int64(value)) }

  /// INTEGER, 1 for true, or NULL.
  public static func optional(_ value: Bool?) -> Value { value.map(Value.bool) ?? .null }

  /// TEXT or NULL.
  public static func optional(_ value: String?) -> Value { value.map(Value.text) ?? .null }

  /// INTEGER or NULL.
  public static func optional(_ value: Int64?) -> Value { value.map(Value.integer) ?? .null }
}

/// The current row of a statement, valid until the statement moves on. Columns are numbered from 0.
public struct Row: ~Copyable {
  private let statement: OpaquePointer

  init(statement: OpaquePointer) { self.statement = statement }

  /// Whether the column is NULL.
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The column as INTEGER; 0 for NULL.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The column as INTEGER; 0 for NULL.
  public func int(_ column: Int32) -> Int { Int(integer(column)) }

  /// Whether the column is an INTEGER other than 0.
  public func bool(_ column: Int32) -> Bool { integer(column) != 0 }

  /// The column as TEXT; empty for NULL.
  public func text(_ column: Int32) -> String {
    // SQLite requires this order of the two calls. Both results are valid until the next step.
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The column as BLOB; empty for NULL.
  public func blob(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The column as TEXT; `nil` for NULL.
  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The column as INTEGER; `nil` for NULL.
  public func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }
}

/// A prepared statement; its connection keeps it for reuse.
final class Statement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let sql: String

  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code, connection: connection, sql: sql)
    }
    guard let handle else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the text has no statement", sql: sql)
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
      case SQLITE_ROW: try row(Row(statement: handle))
      case SQLITE_DONE: return
      case let code: throw SQLiteError(code: code, connection: connection, sql: sql)
      }
    }
  }

  private func bind(_ values: [Value]) throws(SQLiteError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw SQLiteError(
        code: SQLITE_RANGE, message: "\(values.count) values for \(expected) parameters",
        sql: sql)
    }
    for (index, value) in zip(Int32(1)..., values) {
      let code = bind(value, at: index)
      if code != SQLITE_OK { throw SQLiteError(code: code, connection: connection, sql: sql) }
    }
  }

  /// Binds texts with their byte count, so that they may contain U+0000. SQLite copies the bytes.
  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
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
