import SQLite

extension Store {
  /// Moves what is in the WAL into the database file and empties the WAL, as far as other processes'
  /// readers allow it (sqlite.org/pragma.html#pragma_wal_checkpoint).
  ///
  /// - Throws: `StoreError`.
  public func checkpoint() throws {
    try onWriter { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Moves what is in the WAL into the database file if there were enough commits since the last time,
  /// while others go on writing. To be called now and then, so that no edit has to do it.
  ///
  /// - Throws: `StoreError`.
  public func moveLog() throws {
    if !writer.takeCommits(atLeast: 50) { return }
    try translatingErrors(.checkpoint) {
      // Never `.create`: an empty file where the database was moved away from would be in the way of a
      // restore.
      try Database(path: path, mode: .existing).withConnection {
        try $0.run("PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }
}
