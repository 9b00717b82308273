import Store

extension SQLiteConnection {
  /// What SQLite finds wrong with the file; `["ok"]` for nothing.
  func faults() throws -> [String] {
    try all("PRAGMA integrity_check") { $0.text(0) }
      + all("PRAGMA foreign_key_check") { $0.text(0) }
  }
}
