import CSQLite

/// The row that a statement stands on. It cannot be copied and is only lent, so it is not there any
/// more when the statement goes on. Columns count from 0.
public struct Row: ~Copyable {
  private let statement: OpaquePointer

  init(statement: OpaquePointer) { self.statement = statement }

  /// Whether the column is NULL.
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The column as INTEGER; 0 where it is none.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The column as INTEGER; 0 where it is none.
  public func int(_ column: Int32) -> Int { Int(integer(column)) }

  /// Whether the column is an INTEGER other than 0.
  public func bool(_ column: Int32) -> Bool { integer(column) != 0 }

  /// The column as TEXT; empty where it is NULL.
  public func text(_ column: Int32) -> String {
    // SQLite wants the pointer asked for before the count; both hold until the next step.
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The column as BLOB; empty where it is NULL.
  public func blob(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The column as TEXT, or `nil` for NULL.
  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The column as a boolean, or `nil` for NULL.
  public func optionalBool(_ column: Int32) -> Bool? { isNull(column) ? nil : bool(column) }

  /// The column as INTEGER, or `nil` for NULL.
  public func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }
}
