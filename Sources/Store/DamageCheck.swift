import Association
import Glibc

/// Looks for damage in a database: its structure, CHECK constraints, references, and the SHA-256 of
/// each current document.
enum DamageCheck {
  /// The number of faults reported for a damaged file.
  private static let most = 5
  /// The number of documents compared in one step.
  private static let step = 500

  /// The first few faults of a database; empty if it is whole.
  ///
  /// - Parameters:
  ///   - connection: Not a read-only one, on which SQLite 3.40 knows no CHECK constraints
  ///     (`sqlite3AddCheckConstraint`). It writes nothing.
  ///   - pause: Called between steps, which hold no lock and no old state of the database. `nil` to
  ///     check the structure in a single step, with free pages.
  /// - Throws: `SQLError`, and what `pause` throws.
  static func faults(
    _ connection: SQLiteConnection, pausing pause: (() throws -> Void)? = nil
  ) throws -> [String] {
    do {
      // With a damaged structure, the other checks would only repeat these faults.
      let structure = try structureFaults(connection, pause)
      if !structure.isEmpty { return structure }
      let references = try connection.all("PRAGMA foreign_key_check") {
        "a row of \"\($0.text(0))\" refers to a missing row of \"\($0.text(2))\""
      }
      try pause?()
      return Array((references + (try documentFaults(connection, pause))).prefix(most))
    } catch let error as SQLError where [.corrupt, .other].contains(error.kind) {
      return [error.message]
    }
  }

  private static func structureFaults(
    _ connection: SQLiteConnection, _ pause: (() throws -> Void)?
  ) throws -> [String] {
    func faults(_ argument: String) throws -> [String] {
      try connection.all("PRAGMA integrity_check(\(argument))") { $0.text(0) }
        .filter { $0 != "ok" }
    }
    guard let pause else { return try faults("\(most)") }
    let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      $0.text(0)
    }
    for table in tables {
      let found = try faults("\"\(table.replacing("\"", with: "\"\""))\"")
      if !found.isEmpty { return Array(found.prefix(most)) }
      try pause()
    }
    return []
  }

  /// The domains whose current documents are missing or changed.
  static func documentFaults(
    _ connection: any Connection, _ pause: (() throws -> Void)?
  ) throws -> [String] {
    let version = try Migrator.version(connection)
    // Earlier schemas keep nothing of a deleted domain.
    let deletedName = version < 5 ? "NULL" : "deleted_name"
    // In earlier schemas, Apple's file is a part of the revision.
    let kind = version < 9 ? "'\(DocumentKind.apple.rawValue)'" : "kind"
    let content = version < 9 ? "document" : "content"
    let documents =
      version < 9
      ? ""
      : """
      LEFT JOIN document ON document.domain_id = domain.id
        AND document.revision = domain.revision
      """
    var faults: [String] = []
    var last: Int64? = Int64.min
    while let domain = last, faults.count < most {
      last = nil
      try connection.run(
        """
        SELECT domain.id, coalesce(name, \(deletedName)), domain.revision, \(content), sha256,
          EXISTS (SELECT 1 FROM revision WHERE domain_id = domain.id AND number > domain.revision),
          \(kind)
        FROM domain
        LEFT JOIN domain_name ON domain_name.domain_id = domain.id AND position = 0
        LEFT JOIN revision ON revision.domain_id = domain.id AND number = domain.revision
        \(documents)
        WHERE domain.id IN (SELECT id FROM domain WHERE id > ? ORDER BY id LIMIT \(step))
        ORDER BY domain.id
        """, [.integer(domain)]
      ) { row in
        last = row.integer(0)
        guard let name = row.optionalText(1) else { return faults.append("a domain has no name") }
        guard let sha256 = row.optionalText(4) else {
          return faults.append("revision \(row.int(2)) of \(name) is missing")
        }
        if SHA256.hexadecimal(of: row.blob(3)) != sha256 {
          faults.append("\(row.text(6)) of \(name) was changed after it was published")
        }
        if row.bool(5) { faults.append("\(name) has a revision after its current one") }
      }
      try pause?()
    }
    return faults
  }
}

extension Store {
  /// Looks for damage in many short steps, on a connection of its own that writes nothing.
  ///
  /// - Parameter pause: Called between steps.
  /// - Returns: The first few faults, as sentences; empty if the database is whole.
  /// - Throws: `StoreError`, and what `pause` throws.
  package func faults(pausing pause: () throws -> Void) throws -> [String] {
    do {
      return try withoutActuallyEscaping(pause) { try engine.faults(pausing: $0) }
    } catch let error as SQLError {
      throw StoreError(error)
    }
  }
}
