import Migrations
import SQLite

/// The contents of a checked database file.
public struct DatabaseContents: Sendable, Equatable {
  /// The number of domains.
  public let domains: Int
  /// The number of revisions of all domains.
  public let revisions: Int
  /// The version of the schema.
  public let schema: Int
  /// The size of the file, in bytes.
  public let bytes: Int

  /// The number of faults reported for a damaged file.
  private static let mostFaults = 5

  /// Checks a file that is not in use: its structure, its references, and the SHA-256 of each
  /// current document.
  ///
  /// - Parameter name: The name of the file in errors.
  /// - Throws: `BackupError`.
  init(checking path: String, as name: String) throws {
    self = try BackupError.naming(name) { try Self(path: path, name: name) }
  }

  private init(path: String, name: String) throws {
    guard let size = FileIdentity(path)?.size, size > 0 else { throw BackupError.foreign(name) }
    bytes = size
    let connection = try Connection(path: path, mode: .readOnly)
    schema = try Self.schema(connection, name)
    if schema == 0 { throw BackupError.foreign(name) }
    let known = migrations.last?.version ?? 0
    if schema > known { throw BackupError.newerSchema(name, found: schema, known: known) }
    let faults = try Self.faults(connection)
    if !faults.isEmpty { throw BackupError.damaged(name, faults: faults) }
    domains = try connection.first("SELECT count(*) FROM domain") { $0.int(0) } ?? 0
    revisions = try connection.first("SELECT count(*) FROM revision") { $0.int(0) } ?? 0
  }

  private static func schema(_ connection: Connection, _ name: String) throws -> Int {
    do {
      return try Migrator.version(connection)
    } catch let error as SQLiteError {
      if error.kind == .corrupt { throw BackupError.damaged(name, faults: [error.message]) }
      // It has a different table named "migration".
      if error.kind == .other { throw BackupError.foreign(name) }
      throw error
    }
  }

  private static func faults(_ connection: Connection) throws -> [String] {
    do {
      // With a damaged structure, the other checks would only repeat these faults.
      let structure = try connection.all("PRAGMA integrity_check(\(mostFaults))") { $0.text(0) }
        .filter { $0 != "ok" }
      if !structure.isEmpty { return structure }
      let references = try connection.all("PRAGMA foreign_key_check") {
        "a row of \"\($0.text(0))\" refers to a missing row of \"\($0.text(2))\""
      }
      return Array((references + (try documentFaults(connection))).prefix(mostFaults))
    } catch let error as SQLiteError where [.corrupt, .other].contains(error.kind) {
      return [error.message]
    }
  }

  private static func documentFaults(_ connection: Connection) throws -> [String] {
    var faults: [String] = []
    try connection.run(
      """
      SELECT name, domain.revision, document, sha256 FROM domain
      LEFT JOIN domain_name ON domain_name.domain_id = domain.id AND position = 0
      LEFT JOIN revision ON revision.domain_id = domain.id AND number = domain.revision
      """
    ) { row in
      guard let name = row.optionalText(0) else { return faults.append("a domain has no name") }
      guard let sha256 = row.optionalText(3) else {
        return faults.append("revision \(row.int(1)) of \(name) is missing")
      }
      if SHA256.hexadecimal(of: row.blob(2)) != sha256 {
        faults.append("the document of \(name) was changed after it was published")
      }
    }
    return faults
  }
}
