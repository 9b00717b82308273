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

/// What changed since a place in the order of all changes.
public struct Changes: Sendable {
  /// The place in the order up to which the changes go.
  public let sequence: Int64
  /// The domains that changed: rows, each once. `nil` where so much changed that all must be read.
  public let domains: [Int64]?
}

extension Store {
  /// Reads everything that is to be served, in one consistent state, and returns the place in the
  /// order of changes that it belongs to.
  public func readServed(_ body: (ServedDomain) throws -> Void) throws -> Int64 {
    try follow { connection in
      let sequence = try ChangeRows.last(connection)
      var names = try NamesByDomain(connection)
      try connection.run(ServedRows.select + " ORDER BY domain.id") { row in
        try body(ServedRows.read(row, names: names.take(row.integer(0))))
      }
      return sequence
    }
  }

  /// What is to be served for one domain; `nil` if it is disabled or not there.
  public func served(_ domain: Int64) throws -> ServedDomain? {
    try follow { connection in
      let names = try DomainRows(id: domain).names(connection)
      return try connection.first(ServedRows.select + " AND domain.id = ?", [.integer(domain)]) {
        ServedRows.read($0, names: names)
      }
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
      return Changes(sequence: last, domains: domains)
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
    SELECT domain.id, document, sha256, published_at, cache_seconds, number
    FROM domain JOIN revision ON domain_id = domain.id AND number = domain.revision
    WHERE is_enabled = 1
    """

  static func read(_ row: borrowing Row, names: [Alias]) -> ServedDomain {
    ServedDomain(
      id: row.integer(0), names: names, revision: row.int(5), document: row.blob(1), sha256: row.text(2),
      publishedAt: row.integer(3), cacheSeconds: row.int(4))
  }
}

/// All names of all domains.
private struct NamesByDomain {
  private var names: [Int64: [Alias]] = [:]

  init(_ connection: Connection) throws {
    try connection.run("SELECT domain_id, name FROM domain_name ORDER BY domain_id, position") {
      names[$0.integer(0), default: []].append(Alias(stored: $0.text(1)))
    }
  }

  mutating func take(_ domain: Int64) -> [Alias] { names.removeValue(forKey: domain) ?? [] }
}

/// Reads and writes rows of `change`.
enum ChangeRows {
  /// How many rows are kept for servers that look now and then.
  private static let kept = 10_000

  static func add(_ domain: Int64, _ connection: Connection) throws {
    try connection.run("INSERT INTO change (domain_id) VALUES (?)", [.integer(domain)])
    try connection.run(
      "DELETE FROM change WHERE sequence <= ?",
      [.integer(connection.lastInsertRowID - Int64(kept))])
  }

  static func last(_ connection: Connection) throws -> Int64 {
    try connection.first("SELECT max(sequence) FROM change") { $0.integer(0) } ?? 0
  }
}
