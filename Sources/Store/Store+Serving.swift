public import Association
import SQLite

/// What is to be served for a domain that is enabled.
public struct ServedDomain: Sendable {
  /// The row of the domain.
  public let id: Int64
  /// The domain's own name, then its aliases.
  public let names: [Alias]
  /// The number of the revision that is served.
  public let revision: Int
  /// The document.
  public let document: [UInt8]
  /// The SHA-256 of the document, 64 lower-case hexadecimal digits.
  public let sha256: String
  /// When the document was published, in seconds since 1970.
  public let publishedAt: Int64
  /// The `max-age` of the answers, in seconds.
  public let cacheSeconds: Int
}

extension ServedDomain {
  /// What is to be served for a domain that was edited.
  init(_ id: Int64, _ edit: DomainEdit, _ revision: Revision) {
    self.id = id
    names = [Alias(edit.domain.name)] + edit.domain.aliases
    self.revision = revision.number
    document = edit.document
    sha256 = revision.sha256
    publishedAt = revision.publishedAt
    cacheSeconds = edit.domain.cacheSeconds
  }
}

/// What changed since a place in the order of all changes.
public struct Changes: Sendable {
  /// The place in the order up to which the changes go.
  public let sequence: Int64
  /// The domains that changed, each once, as they are at that place. `nil` where so much changed that
  /// all must be read.
  public let domains: [Commit.Change]?
}

extension Store {
  /// Reads a part of everything that is to be served, in one consistent state, on a connection of its
  /// own, so that the parts can be read at the same time.
  ///
  /// - Parameters:
  ///   - part: Which of the parts, from 0; every domain is in one of them.
  ///   - body: Called with each domain.
  /// - Returns: The place in the order of changes that the state belongs to.
  public func readServed(
    part: Int = 0, of parts: Int = 1, _ body: (ServedDomain) throws -> Void
  ) throws -> Int64 {
    try readLong { connection in
      let sequence = try ChangeRows.last(connection)
      try connection.run(
        ServedRows.select + " AND domain.id % ? = ? ORDER BY domain.id",
        [.integer(parts), .integer(part)]
      ) { row in
        try body(ServedRows.read(row))
      }
      return sequence
    }
  }

  /// What changed after a place in the order, by whatever process.
  public func changes(after sequence: Int64) throws -> Changes {
    try follow { connection in
      let last = try ChangeRows.last(connection)
      let first = try connection.first("SELECT min(sequence) FROM change") { $0.integer(0) } ?? 0
      // Rows go when they are old: without the next one, what lies between is not known.
      if last > sequence && first > sequence + 1 || last < sequence {
        return Changes(sequence: last, domains: nil)
      }
      let domains = try connection.all(
        "SELECT DISTINCT domain_id FROM change WHERE sequence > ?", [.integer(sequence)]
      ) { $0.integer(0) }
      return Changes(
        sequence: last,
        domains: try domains.map {
          Commit.Change(domain: $0, served: try ServedRows.find($0, connection))
        })
    }
  }

  /// A number that differs when another connection has changed the database since it was last asked
  /// for (sqlite.org/pragma.html#pragma_data_version).
  public func dataVersion() throws -> Int64 {
    try followOnce { try $0.first("PRAGMA data_version") { $0.integer(0) } ?? 0 }
  }
}

/// Reads rows of `domain` with the document that is served.
private enum ServedRows {
  static let select = """
    SELECT domain.id, document, sha256, published_at, cache_seconds, number,
      (SELECT group_concat(name, ' ') FROM (
        SELECT name FROM domain_name WHERE domain_id = domain.id ORDER BY position))
    FROM domain JOIN revision ON domain_id = domain.id AND number = domain.revision
    WHERE is_enabled = 1
    """

  static func find(_ domain: Int64, _ connection: Connection) throws -> ServedDomain? {
    try connection.first(select + " AND domain.id = ?", [.integer(domain)]) { read($0) }
  }

  static func read(_ row: borrowing Row) -> ServedDomain {
    let names = row.text(6).utf8.split(separator: UInt8(ascii: " ")).map {
      Alias(stored: String(Substring($0)))
    }
    return ServedDomain(
      id: row.integer(0), names: names, revision: row.int(5), document: row.blob(1),
      sha256: row.text(2), publishedAt: row.integer(3), cacheSeconds: row.int(4))
  }
}

/// Reads and writes rows of `change`.
enum ChangeRows {
  /// How many rows are kept for servers that look now and then.
  private static let kept = 10_000

  /// Adds a row and returns its place in the order.
  static func add(_ domain: Int64, _ connection: Connection) throws -> Int64 {
    try connection.run("INSERT INTO change (domain_id) VALUES (?)", [.integer(domain)])
    let sequence = connection.lastInsertRowID
    try connection.run(
      "DELETE FROM change WHERE sequence <= ?", [.integer(sequence - Int64(kept))])
    return sequence
  }

  static func last(_ connection: Connection) throws -> Int64 {
    try connection.first("SELECT max(sequence) FROM change") { $0.integer(0) } ?? 0
  }
}
