package import Association

/// A file with everything that a server serves, so that it can start without its database. A change of it is
/// complete or not made, even if the program or the machine stops meanwhile.
package final class Snapshot: Sendable {
  private let path: String

  /// A snapshot in a file, which need not exist yet.
  package init(path: String) { self.path = path }

  package var exists: Bool { (DatabaseFile.size(path) ?? 0) > 0 }

  private static let schema = """
    CREATE TABLE snapshot (program TEXT NOT NULL, version INTEGER NOT NULL, taken_at INTEGER NOT NULL) STRICT;
    INSERT INTO snapshot VALUES ('aasa', 2, 0);
    CREATE TABLE domain (
      id INTEGER PRIMARY KEY, names TEXT NOT NULL, change_password TEXT, fallback TEXT
    ) STRICT;
    CREATE TABLE file (
      domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE, kind TEXT NOT NULL,
      revision INTEGER NOT NULL, content BLOB NOT NULL, sha256 TEXT NOT NULL,
      published_at INTEGER NOT NULL, cache_seconds INTEGER NOT NULL, media_type TEXT,
      PRIMARY KEY (domain_id, kind)
    ) STRICT;
    """

  /// Writes everything that a store serves now.
  ///
  /// - Parameter goesOn: Is asked before each domain; the file stays as it is if it says no.
  /// - Throws: `StoreError`, `BackupError`; `CancellationError`.
  package func replace(by store: Store, while goesOn: () -> Bool = { true }) throws {
    try Backup.translatingErrors {
      let file = try AtomicFile(at: path)
      let connection = try SQLiteConnection(path: file.temporaryPath, mode: .existing)
      try connection.execute("PRAGMA synchronous = OFF")
      try connection.transaction(.write) { connection in
        try connection.execute(Self.schema)
        _ = try store.readServed {
          if !goesOn() { throw CancellationError() }
          try Self.save($0, connection)
        }
        try Self.note(store.now(), connection)
      }
      try file.commit(replacing: true)
    }
  }

  /// Adds changes, in their order.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - goesOn: Is asked before each of them; the file stays as it is if it says no.
  /// - Throws: `StoreError`; `CancellationError`.
  package func add(
    _ changes: [Changes.Change], now: UnixTime, while goesOn: () -> Bool = { true }
  ) throws {
    try Backup.translatingErrors {
      let connection = try SQLiteConnection(path: path, mode: .existing)
      try connection.transaction(.write) { connection in
        for change in changes {
          if !goesOn() { throw CancellationError() }
          try Self.save(change, connection)
        }
        try Self.note(now, connection)
      }
    }
  }

  /// Calls `body` with each domain. A file that is damaged is left out, and the fault says so.
  ///
  /// - Returns: When the snapshot was taken.
  /// - Throws: `StoreError`, and what `body` throws.
  package func read(_ body: (Changes.Change) throws -> Void) throws -> UnixTime {
    try Backup.translatingErrors {
      let connection = try SQLiteConnection(path: path, mode: .existing)
      return try connection.transaction(.read) { connection in
        let found = try connection.first(
          "SELECT taken_at, version FROM snapshot WHERE program = 'aasa' AND version IN (1, 2)"
        ) { (takenAt: $0.time(0), version: $0.int(1)) }
        guard let found else { throw StoreError.foreign }
        // The last snapshot of an earlier version knows neither redirects, nor media types, nor what people without an app get.
        let isEarlier = found.version == 1
        let columns = isEarlier ? "NULL, NULL" : "change_password, fallback"
        try connection.run("SELECT id, names, \(columns) FROM domain ORDER BY id") { row in
          let names = row.text(1).split(separator: " ").map { Alias(stored: String($0)) }
          let redirect = try SecureURL?.read(row, 2)
          try body(
            try Self.read(
              row.integer(0), names, redirect, row.optionalText(3),
              mediaType: isEarlier ? "NULL" : "media_type",
              connection))
        }
        return found.takenAt
      }
    }
  }

  private static func read(
    _ domain: Int64, _ names: [Alias], _ redirect: SecureURL?, _ fallback: String?,
    mediaType: StaticString, _ connection: any Connection
  ) throws -> Changes.Change {
    var fault: String?
    let files = try connection.all(
      """
      SELECT kind, revision, content, sha256, published_at, cache_seconds, \(mediaType) FROM file
      WHERE domain_id = ?
      """, [.integer(domain)]
    ) { row -> ServedFile? in
      let (content, sha256) = (row.blob(2), row.text(3))
      guard let kind = DocumentKind(rawValue: row.text(0)),
        SHA256.hexadecimal(of: content) == sha256
      else {
        fault = "\(row.text(0)) of \(names.first?.description ?? "") is damaged in the snapshot"
        return nil
      }
      return ServedFile(
        kind: kind, revision: row.int(1), document: content, sha256: sha256,
        publishedAt: row.time(4), cacheSeconds: row.int(5),
        mediaType: try MediaType?.read(row, 6))
    }
    if let fault, files.allSatisfy({ $0 == nil }) {
      return Changes.Change(domain: domain, now: .unreadable(fault: fault))
    }
    let served = ServedDomain(
      names: names, files: files.compactMap(\.self).sorted { $0.kind < $1.kind },
      changePassword: redirect, fallback: fallback)
    return Changes.Change(domain: domain, now: .served(served, fault: fault))
  }

  private static func save(_ change: Changes.Change, _ connection: any Connection) throws {
    if case .unreadable = change.now { return }
    try connection.run("DELETE FROM domain WHERE id = ?", [.integer(change.domain)])
    guard case .served(let served, _) = change.now else { return }
    let names = served.names.map(\.description).joined(separator: " ")
    try connection.run(
      "INSERT INTO domain (id, names, change_password, fallback) VALUES (?, ?, ?, ?)",
      [
        .integer(change.domain), .text(names), served.changePassword.stored,
        .optional(served.fallback),
      ])
    for file in served.files {
      try connection.run(
        """
        INSERT INTO file
          (domain_id, kind, revision, content, sha256, published_at, cache_seconds, media_type)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(change.domain), .text(file.kind.rawValue), .integer(file.revision),
          .blob(file.document), .text(file.sha256), .integer(file.publishedAt),
          .integer(file.cacheSeconds), file.mediaType.stored,
        ])
    }
  }

  private static func note(_ now: UnixTime, _ connection: any Connection) throws {
    try connection.run("UPDATE snapshot SET taken_at = ?", [.integer(now)])
  }
}
