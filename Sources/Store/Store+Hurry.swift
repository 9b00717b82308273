import SQLite

extension Store {
  /// From now on the connection that writes waits only so long for a lock that another process holds:
  /// for who is about to end.
  ///
  /// - Throws: `StoreError`.
  public func limitLockWaits(milliseconds: Int32) throws {
    try onWriter { $0.setBusyTimeout(milliseconds: milliseconds) }
  }
}
