import CSQLite

extension Connection {
  /// Makes another database, which nobody else uses, the same as this one is at one moment
  /// (sqlite.org/backup.html).
  ///
  /// All pages are copied in one step, which reads them in one transaction: a copy in several steps
  /// begins anew whenever another process writes between them, and may never end. With a WAL, writers
  /// go on meanwhile.
  ///
  /// - Throws: `SQLiteError`.
  public func copy(to other: Connection) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(code: sqlite3_extended_errcode(other.handle), connection: other.handle)
    }
    let step = sqlite3_backup_step(backup, -1)
    let finish = sqlite3_backup_finish(backup)
    if finish != SQLITE_OK { throw SQLiteError(code: finish, connection: other.handle) }
    // `finish` is silent about a lock that was not had.
    if step != SQLITE_DONE { throw SQLiteError(code: step, connection: nil) }
  }
}
