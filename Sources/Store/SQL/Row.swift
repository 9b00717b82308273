import CPostgreSQL
import CSQLite

/// The current row of a result, valid until the next one is read. Columns are numbered from 0.
package struct Row: ~Copyable {
  enum Source {
    /// A statement that stands on the row.
    case sqlite(OpaquePointer)
    /// A result with all of its rows, in binary format, and the number of the row.
    case postgreSQL(OpaquePointer, Int32)
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  /// Whether the column is NULL.
  package func isNull(_ column: Int32) -> Bool {
    switch source {
    case .sqlite(let statement): sqlite3_column_type(statement, column) == SQLITE_NULL
    case .postgreSQL(let result, let row): PQgetisnull(result, row, column) == 1
    }
  }

  /// The column as a number; 0 for NULL.
  package func integer(_ column: Int32) -> Int64 {
    switch source {
    case .sqlite(let statement): sqlite3_column_int64(statement, column)
    case .postgreSQL:
      // In binary format, a number of any size is big-endian, and a boolean is one byte.
      bytes(column).first.map { first in
        bytes(column).dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
      } ?? 0
    }
  }

  /// The column as a number; 0 for NULL.
  package func int(_ column: Int32) -> Int { Int(integer(column)) }

  /// Whether the column is a number other than 0, or true.
  package func bool(_ column: Int32) -> Bool { integer(column) != 0 }

  /// The column as text; empty for NULL.
  package func text(_ column: Int32) -> String {
    switch source {
    case .sqlite: String(decoding: bytes(column), as: UTF8.self)
    case .postgreSQL: PostgreSQLText.read(bytes(column))
    }
  }

  /// The column as bytes; empty for NULL.
  package func blob(_ column: Int32) -> [UInt8] { Array(bytes(column)) }

  /// The column as text; `nil` for NULL.
  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The column as a number; `nil` for NULL.
  package func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// Sound: nothing changes them while the row is valid, and callers copy them at once.
  private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    switch source {
    case .sqlite(let statement):
      // SQLite requires this order of the two calls. A number becomes text; a blob stays as it is.
      let isBlob = sqlite3_column_type(statement, column) == SQLITE_BLOB
      let start =
        isBlob
        ? sqlite3_column_blob(statement, column)
        : UnsafeRawPointer(sqlite3_column_text(statement, column))
      return UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(statement, column)))
    case .postgreSQL(let result, let row):
      return UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
  }
}
