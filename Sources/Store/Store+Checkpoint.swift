import SQLite

extension Store {
  /// Moves what is in the WAL into the database file and empties the WAL, as far as other processes'
  /// readers allow it (sqlite.org/pragma.html#pragma_wal_checkpoint).
  ///
  /// - Throws: `StoreError`.
  public func checkpoint() throws {
    try onWriter { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }
}
