/// The contents of a checked database file.
package struct DatabaseContents: Sendable, Equatable {
  /// The number of domains, without deleted ones.
  package let domains: Int
  /// The number of revisions of all domains.
  package let revisions: Int
  package let schema: Int
  /// The size of the file, in bytes; 0 for a database of a server.
  package let bytes: Int

  fileprivate init(domains: Int, revisions: Int, schema: Int, bytes: Int) {
    self.domains = domains
    self.revisions = revisions
    self.schema = schema
    self.bytes = bytes
  }

  /// Checks a database: its schema, and everything that `DamageCheck` looks for. Nothing is written.
  ///
  /// - Parameters:
  ///   - path: The file, which must be writable.
  ///   - name: The name of the file in errors.
  /// - Throws: `BackupError`.
  package init(checking path: String, as name: String) throws {
    guard let size = DatabaseFile.size(path), size > 0 else { throw BackupError.foreign(name) }
    bytes = size
    do {
      let connection = try SQLiteConnection(path: path, mode: .existing)
      try connection.execute("PRAGMA query_only = ON")
      schema = try Migrator.version(connection)
      if schema == 0 { throw BackupError.foreign(name) }
      let known = Migration.last
      if schema > known { throw BackupError.newerSchema(name, found: schema, known: known) }
      try Schema.known(upTo: schema).check(connection, name)
      let faults = try DamageCheck.faults(connection)
      if !faults.isEmpty { throw BackupError.damaged(name, faults: faults) }
      // A deleted domain has no name.
      domains = try connection.count("SELECT count(*) FROM domain_name WHERE position = 0")
      revisions = try connection.count("SELECT count(*) FROM revision")
    } catch let error as SQLError {
      switch error.kind {
      case .corrupt: throw BackupError.damaged(name, faults: [error.message])
      // It has a different table named "migration".
      case .other: throw BackupError.foreign(name)
      default: throw BackupError.database(name, StoreError(error))
      }
    }
  }
}

extension Store {
  /// Whether a database has no tables yet.
  ///
  /// - Throws: `StoreError`.
  package static func isEmpty(_ location: DatabaseLocation) throws -> Bool {
    try Backup.translatingErrors {
      switch location {
      case .file(let path): return (DatabaseFile.size(path) ?? 0) == 0
      case .postgreSQL(let address):
        let connection = try PostgreSQLConnection(address)
        try Migrator.refuseForeign(connection)
        return try Migrator.version(connection) == 0
      }
    }
  }

  /// The contents of the database, without a check for damage.
  ///
  /// - Throws: `StoreError`.
  package func contents() throws -> DatabaseContents {
    try scan { connection in
      DatabaseContents(
        domains: try connection.count("SELECT count(*) FROM domain_name WHERE position = 0"),
        revisions: try connection.count("SELECT count(*) FROM revision"),
        schema: try Migrator.version(connection), bytes: 0)
    }
  }
}
