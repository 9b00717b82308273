public import Association
import SQLite

/// What is served for an enabled domain.
public struct ServedDomain: Sendable {
  /// The row of the domain.
  public let id: Int64
  /// The domain's name, then its aliases.
  public let names: [Alias]
  /// The number of the current revision.
  public let revision: Int
  /// The document.
  public let document: [UInt8]
  /// The SHA-256 of the document, 64 lower-case hexadecimal digits.
  public let sha256: String
  /// The time of publication, in seconds since 1970.
  public let publishedAt: Int64
  /// The `max-age` of answers, in seconds.
  public let cacheSeconds: Int
}

/// The changes after a position in the order of all changes.
public struct Changes: Sendable {
  /// A domain that changed.
  public struct Change: Sendable {
    /// The row of the domain.
    public let domain: Int64
    /// What is served for it now; `nil` if it is disabled or deleted.
    public let served: ServedDomain?
  }

  /// The position of the last change.
  public let sequence: Int64
  /// Each changed domain once. `nil` if the changes are no longer known and everything must be read.
  public let domains: [Change]?
}

extension Store {
  /// Reads a part of everything that is served, in one consistent state, on a separate connection, so that
  /// several threads can read parts at the same time.
  ///
  /// - Parameters:
  ///   - part: The number of the part, from 0. Every domain is in exactly one part.
  ///   - body: Called with each domain.
  /// - Returns: The position of that state in the order of changes.
  public func readServed(
    part: Int = 0, of parts: Int = 1, _ body: (ServedDomain) throws -> Void
  ) throws -> Int64 {
    try readLong { connection in
      let sequence = try ChangeRows.known(connection).upperBound
      try connection.run(
        ServedRows.select + " AND domain.id % ? = ? ORDER BY domain.id",
        [.integer(parts), .integer(part)]
      ) { row in
        try body(ServedRows.read(row))
      }
      return sequence
    }
  }

  /// The changes after a position in the order, made by any process.
  public func changes(after sequence: Int64) throws -> Changes {
    try follow { connection in
      let known = try ChangeRows.known(connection)
      if known.upperBound == sequence { return Changes(sequence: sequence, domains: []) }
      // Old rows are deleted, so the changes are known only if the next one still exists.
      guard known.contains(sequence + 1) else {
        return Changes(sequence: known.upperBound, domains: nil)
      }
      let domains = try connection.all(
        "SELECT DISTINCT domain_id FROM change WHERE sequence > ?", [.integer(sequence)]
      ) { $0.integer(0) }
      return Changes(
        sequence: known.upperBound,
        domains: try domains.map {
          Changes.Change(domain: $0, served: try ServedRows.find($0, connection))
        })
    }
  }
}

/// Reads rows of `domain` with their current documents.
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

/// Reads and adds rows of `change`, from which running servers learn what to read again.
enum ChangeRows {
  /// The number of rows kept for servers that are behind.
  private static let kept = 10_000

  static func add(_ domain: Int64, _ connection: Connection) throws {
    try connection.run("INSERT INTO change (domain_id) VALUES (?)", [.integer(domain)])
    try connection.run(
      "DELETE FROM change WHERE sequence <= ?",
      [.integer(connection.lastInsertRowID - Int64(kept))])
  }

  /// The first and the last position in the table; 0 if it is empty.
  static func known(_ connection: Connection) throws -> ClosedRange<Int64> {
    // One aggregate per SELECT: with both in one, SQLite reads the whole table.
    try connection.first(
      "SELECT (SELECT min(sequence) FROM change), (SELECT max(sequence) FROM change)"
    ) { $0.integer(0)...$0.integer(1) } ?? 0...0
  }
}
