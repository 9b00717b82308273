package import Association

/// What is served for a domain.
package struct ServedDomain: Sendable {
  /// The domain's name, then its aliases.
  package let names: [Alias]
  /// The files in the order of kinds; none if the domain is disabled. Then its names have no file, even
  /// if another domain has a wildcard for them.
  package let files: [ServedFile]
  /// Where `/.well-known/change-password` redirects to.
  package var changePassword: SecureURL?
  /// What people without an app get, as `ServedFallback` reads it; `nil` for nothing.
  package var fallback: String?
}

/// A file of an enabled domain.
package struct ServedFile: Sendable {
  /// The kind, of which a domain has at most one file.
  package let kind: DocumentKind
  package let revision: Int
  package let document: [UInt8]
  /// The SHA-256 of the document, 64 lower-case hexadecimal digits.
  package let sha256: String
  package let publishedAt: UnixTime
  /// The `max-age` of answers, in seconds.
  package let cacheSeconds: Int
  /// The media type of a document that is not rendered; `nil` for JSON.
  package var mediaType: MediaType?
}

extension ServedFile {
  /// When the document ends by what it says; `nil` if that is unknown.
  package var expiresAt: UnixTime? {
    guard case .named(let name) = kind else { return nil }
    return NamedDocument(stored: name, mediaType ?? .json, bytes: document).expiresAt
  }
}

package enum ReadDomain: Sendable {
  /// It does not exist.
  case deleted
  /// What to serve. If the current revision is damaged, it is an older one, and the fault says so.
  case served(ServedDomain, fault: String?)
  /// Nothing can be read; the fault says why.
  case unreadable(fault: String)
}

/// The changes after a position in the order of all changes.
package struct Changes: Sendable {
  package struct Change: Sendable {
    /// The row of the domain.
    package let domain: Int64
    /// What is served for it now.
    package let now: ReadDomain
  }

  /// The position of the last change.
  package let sequence: Int64
  /// Each changed domain once. `nil` if the changes are no longer known and everything must be read.
  package let domains: [Change]?
}

extension Store {
  /// Reads a part of everything that is served, in one consistent state, on a separate connection, so that
  /// several threads can read parts at the same time.
  ///
  /// - Parameters:
  ///   - part: The number of the part, from 0. Every domain is in exactly one part.
  ///   - body: Called with each domain.
  /// - Returns: The position of that state in the order of changes.
  package func readServed(
    part: Int = 0, of parts: Int = 1, _ body: (Changes.Change) throws -> Void
  ) throws -> Int64 {
    try readLong { connection in
      let sequence = try ChangeRows.known(connection).upperBound
      // Neighbours are in one part, so that the threads read different pages of a file. A server is asked less
      // often, for more.
      let size: Int64 = connection.dialect == .sqlite ? 64 : 1024
      let blocks = try connection.all(
        "SELECT DISTINCT id / ?1 FROM domain WHERE id / ?1 % ?2 = ?3",
        [.integer(size), .integer(parts), .integer(part)]
      ) { $0.integer(0) * size }
      for block in blocks {
        for change in try ServedRows.read(block...block + size - 1, connection) { try body(change) }
      }
      return sequence
    }
  }

  /// The changes after a position in the order, made by any process.
  package func changes(after sequence: Int64) throws -> Changes {
    try follow(short: { try ChangeRows.few(after: sequence, $0) }) { connection in
      if let few = try ChangeRows.few(after: sequence, connection) { return few }
      let known = try ChangeRows.known(connection)
      if known.upperBound == sequence { return Changes(sequence: sequence, domains: []) }
      // Old rows are deleted, so the changes are known only if the next one still exists.
      guard known.contains(sequence + 1) else {
        return Changes(sequence: known.upperBound, domains: nil)
      }
      let domains = try connection.all(
        "SELECT DISTINCT domain_id FROM change WHERE sequence > ?", [.integer(sequence)]
      ) { $0.integer(0) }
      return try Changes(sequence: known.upperBound, of: domains, connection)
    }
  }
}

extension Changes {
  /// What is served now for domains that changed.
  fileprivate init(
    sequence: Int64, of domains: [Int64], _ connection: any Connection
  ) throws {
    self.init(
      sequence: sequence,
      domains: try neighbours(domains).flatMap { domains in
        let read = try ServedRows.read(domains, connection)
        let found = Dictionary(read.map { ($0.domain, $0) }) { $1 }
        return domains.map { found[$0] ?? Changes.Change(domain: $0, now: .deleted) }
      })
  }
}

/// Groups numbers that follow each other.
private func neighbours(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
  // Documents of more domains would take too much memory together.
  let most = 64
  return numbers.sorted().reduce(into: []) { ranges, number in
    if let last = ranges.last, last.upperBound + 1 == number, last.count < most {
      ranges[ranges.count - 1] = last.lowerBound...number
    } else {
      ranges.append(number...number)
    }
  }
}

/// Reads rows of `domain` with their current documents. A document is served only if it is the one
/// whose SHA-256 was stored: its entity tag is made from that.
enum ServedRows {
  /// A revision after the current one, which only damage leaves, yields a row, too.
  private static let rows = """
    SELECT domain.id, is_enabled, cache_seconds, domain.revision, change_password, served_fallback,
      \(fileColumns)
    FROM domain
    LEFT JOIN revision ON revision.domain_id = domain.id AND number >= domain.revision
    LEFT JOIN document ON document.domain_id = domain.id AND document.revision = number
    WHERE domain.id BETWEEN ? AND ? AND deleted_at IS NULL
    ORDER BY domain.id
    """
  /// Read separately, so that one scan of an index covers neighbouring domains.
  private static let names = """
    SELECT domain_id, name FROM domain_name WHERE domain_id BETWEEN ? AND ?
    ORDER BY domain_id, position
    """
  /// What `file` reads.
  private static let fileColumns = "number, published_at, kind, content, sha256, media_type"
  private static let firstFileColumn: Int32 = 6
  private static let revisions = """
    SELECT \(fileColumns) FROM revision
    LEFT JOIN document ON document.domain_id = revision.domain_id AND document.revision = number
    WHERE revision.domain_id = ? ORDER BY number DESC
    """

  /// A domain whose rows are being read, one for each document.
  private struct Reading {
    let domain: Int64
    var names: [Alias] = []
    let isEnabled: Bool
    let cacheSeconds: Int
    let revision: Int
    let changePassword: SecureURL?
    let fallback: String?
    var files: [ServedFile] = []
    /// Whether the current revision is the last one, and every document so far is there and whole.
    var isWhole = true
  }

  /// Reads the domains in a range that exist. Damage costs only the domains that it hits.
  static func read(
    _ domains: ClosedRange<Int64>, _ connection: any Connection
  ) throws -> [Changes.Change] {
    var name = "the domain with ID \(domains.lowerBound)"
    do {
      var all: [Reading] = []
      let range = [Value.integer(domains.lowerBound), .integer(domains.upperBound)]
      try connection.run(rows, range) { row in
        if all.last?.domain != row.integer(0) { all.append(try reading(row)) }
        let last = all.count - 1
        guard all[last].isEnabled else { return }
        if try Int?.read(row, firstFileColumn) == all[last].revision,
          let file = try file(row, from: firstFileColumn, all[last].cacheSeconds)
        {
          all[last].files.append(file)
        } else {
          all[last].isWhole = false
        }
      }
      // Damage of names that no domain has any more costs nothing.
      if all.isEmpty { return [] }
      var index = 0
      try connection.run(names, range) { row in
        let domain = row.integer(0)
        while index < all.count, all[index].domain < domain { index += 1 }
        if index < all.count, all[index].domain == domain {
          all[index].names.append(Alias(stored: row.text(1)))
        }
      }
      return try all.map {
        Changes.Change(domain: $0.domain, now: try served($0, &name, connection))
      }
    } catch let error as SQLError where [.corrupt, .other].contains(error.kind) {
      if domains.count > 1 { return try domains.flatMap { try read($0...$0, connection) } }
      let now = ReadDomain.unreadable(fault: "\(name) cannot be read: \(error.message)")
      return [Changes.Change(domain: domains.lowerBound, now: now)]
    }
  }

  private static func reading(_ row: borrowing Row) throws -> Reading {
    Reading(
      domain: row.integer(0), isEnabled: row.bool(1), cacheSeconds: row.int(2),
      revision: row.int(3), changePassword: try SecureURL?.read(row, 4),
      fallback: row.optionalText(5))
  }

  private static func served(
    _ read: Reading, _ name: inout String, _ connection: any Connection
  ) throws -> ReadDomain {
    guard let first = read.names.first else {
      return .unreadable(fault: "the domain with ID \(read.domain) has no name")
    }
    if !read.isEnabled || read.isWhole {
      let files = read.files.sorted { $0.kind < $1.kind }
      return .served(
        ServedDomain(
          names: read.names, files: files,
          changePassword: read.isEnabled ? read.changePassword : nil, fallback: read.fallback),
        fault: nil)
    }
    name = first.description
    let whole = try newestWhole(of: read, connection)
    let fault = "revision \(read.revision) of \(name) is damaged"
    guard let revision = whole.first?.revision else {
      return .unreadable(fault: fault + ", and no older one is intact")
    }
    return .served(
      ServedDomain(
        names: read.names, files: whole, changePassword: read.changePassword,
        fallback: read.fallback),
      fault: fault + "; revision \(revision) is served")
  }

  /// The files of the newest revision of which all are intact; none if there is no such revision.
  private static func newestWhole(
    of read: Reading, _ connection: any Connection
  ) throws -> [ServedFile] {
    var whole: [ServedFile] = []
    var (number, isWhole) = (Int.max, false)
    try connection.run(revisions, [.integer(read.domain)]) { row in
      if row.int(0) < number {
        if isWhole { return }
        (number, isWhole, whole) = (row.int(0), true, [])
      }
      if let file = try file(row, from: 0, read.cacheSeconds) {
        whole.append(file)
      } else {
        isWhole = false
      }
    }
    return isWhole ? whole.sorted { $0.kind < $1.kind } : []
  }

  /// The file in the columns from an index on; `nil` if it is damaged or missing.
  private static func file(
    _ row: borrowing Row, from first: Int32, _ cacheSeconds: Int
  ) throws -> ServedFile? {
    guard !row.isNull(first + 2), let kind = DocumentKind(rawValue: row.text(first + 2)) else {
      return nil
    }
    let (document, sha256) = (row.blob(first + 3), row.text(first + 4))
    guard SHA256.hexadecimal(of: document) == sha256 else { return nil }
    let mediaType = try MediaType?.read(row, first + 5)
    // A kind of a later version, which stores no media type with it.
    if case .named = kind, mediaType == nil { return nil }
    return ServedFile(
      kind: kind, revision: row.int(first), document: document,
      sha256: sha256, publishedAt: row.time(first + 1), cacheSeconds: cacheSeconds,
      mediaType: mediaType)
  }
}

/// Reads and adds rows of `change`, from which running servers learn what to read again.
enum ChangeRows {
  /// The number of rows kept for servers that are behind.
  private static let kept = 10_000

  /// Adds a change of each domain.
  static func add(_ domains: [Int64], _ connection: any Connection) throws {
    if domains.isEmpty { return }
    // Transactions commit in the order of their numbers: whoever has one holds the lock until it commits. In
    // SQLite, only one transaction writes.
    if connection.dialect == .postgreSQL {
      try connection.execute("SELECT pg_advisory_xact_lock(1633776482); NOTIFY aasa")
    }
    var numbers: [Int64] = []
    for start in stride(from: 0, to: domains.count, by: 1000) {
      let (isChanged, ids) = connection.isOne(of: Array(domains[start...].prefix(1000)))
      numbers += try connection.all(
        "INSERT INTO change (domain_id) SELECT id FROM domain WHERE id \(isChanged) RETURNING sequence",
        [ids]
      ) { $0.integer(0) }
    }
    // Now and then, because transactions that delete the same rows exclude each other.
    guard let last = numbers.max(), numbers.contains(where: { $0 % 100 == 0 }) else { return }
    try connection.run("DELETE FROM change WHERE sequence <= ?", [.integer(last - Int64(kept))])
  }

  /// The changes after a position, if they are few. `nil` if there are more, or if the change at that position was
  /// deleted, as others may be then.
  static func few(after sequence: Int64, _ connection: any Connection) throws -> Changes? {
    let few = 8
    let rows = try connection.all(
      "SELECT sequence, domain_id FROM change WHERE sequence >= ? ORDER BY sequence LIMIT ?",
      [.integer(sequence), .integer(few + 2)]
    ) { (sequence: $0.integer(0), domain: $0.integer(1)) }
    guard rows.count <= few + 1, rows.first?.sequence == sequence, let last = rows.last else {
      return nil
    }
    let domains = Set(rows.dropFirst().map(\.domain))
    return try Changes(sequence: last.sequence, of: Array(domains), connection)
  }

  /// The first and the last position in the table; 0 if it is empty.
  static func known(_ connection: any Connection) throws -> ClosedRange<Int64> {
    // One aggregate per SELECT: with both in one, SQLite reads the whole table.
    try connection.first(
      "SELECT (SELECT min(sequence) FROM change), (SELECT max(sequence) FROM change)"
    ) { $0.integer(0)...$0.integer(1) } ?? 0...0
  }
}
