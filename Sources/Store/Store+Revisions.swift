public import Association
import JSONValue
import SQLite

extension Store {
  /// The document that is served for a domain, with its revision.
  ///
  /// - Throws: `StoreError.notFound`.
  public func currentDocument(
    of name: DomainName
  ) throws -> (document: [UInt8], revision: Revision) {
    try revision(nil, of: name)
  }

  /// A revision of a domain with its document; `nil` stands for the one that is served.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revision(
    _ number: Int?, of name: DomainName
  ) throws -> (document: [UInt8], revision: Revision) {
    try read { connection in
      guard let domain = try DomainRows.find(name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      let number = number ?? domain.revision
      return try RevisionRows.get(number, of: domain, connection)
    }
  }

  /// Revisions of a domain, the newest first, from the one before `number`.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revisions(
    of name: DomainName, before number: Int?, limit: Int
  ) throws -> [Revision] {
    try read { connection in
      guard let id = try DomainRows.id(of: name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return try RevisionRows.page(of: id, before: number, limit: limit, connection)
    }
  }
}

extension Transaction {
  /// A revision of a domain with its document.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revision(
    _ number: Int, of domain: StoredDomain
  ) throws -> (document: [UInt8], revision: Revision) {
    try RevisionRows.get(number, of: domain, connection)
  }
}

/// Reads and writes rows of `revision`.
enum RevisionRows {
  /// The columns that `read` reads; the first parameter is the domain.
  static let select = """
    SELECT number, length(document), sha256, published_at, author, reason, accepted_codes, document
    FROM revision WHERE domain_id = ?
    """

  static func read(_ row: borrowing Row) throws -> Revision {
    Revision(
      number: row.int(0), size: row.int(1), sha256: row.text(2), publishedAt: row.integer(3),
      author: row.text(4), reason: row.text(5), acceptedCodes: try row.strings(6))
  }

  /// A revision of a domain with its document.
  static func find(
    _ number: Int, of domain: Int64, _ connection: Connection
  ) throws -> (document: [UInt8], revision: Revision)? {
    try connection.first(select + " AND number = ?", [.integer(domain), .integer(number)]) {
      ($0.blob(7), try read($0))
    }
  }

  /// Revisions of a domain, the newest first, from the one before `number`.
  static func page(
    of domain: Int64, before number: Int?, limit: Int, _ connection: Connection
  ) throws -> [Revision] {
    try connection.all(
      select + " AND number < ? ORDER BY number DESC LIMIT ?",
      [.integer(domain), .integer(number ?? Int.max), .integer(limit)], row: read)
  }

  /// The revision of a domain that is served.
  static func current(of domain: Int64, _ connection: Connection) throws -> Revision? {
    try connection.first(
      select + " AND number = (SELECT revision FROM domain WHERE id = domain_id)",
      [.integer(domain)], row: read)
  }

  /// A revision of a domain with its document. Numbers are never skipped by edits, so a lower one than
  /// the current one was there.
  ///
  /// - Throws: `StoreError.notFound`.
  static func get(
    _ number: Int, of domain: StoredDomain, _ connection: Connection
  ) throws -> (document: [UInt8], revision: Revision) {
    if let found = try find(number, of: domain.id, connection) { return found }
    let wasThere = (1..<max(1, domain.revision)).contains(number)
    throw StoreError.notFound(wasThere ? .prunedRevision(number) : .revision(number))
  }

  /// Adds a revision and makes it the one that is served.
  static func publish(
    _ edit: DomainEdit, number: Int, of domain: Int64, action: String, by context: WriteContext,
    now: Int64, _ connection: Connection
  ) throws -> Revision {
    let revision = Revision(
      number: number, size: edit.document.count, sha256: SHA256.hexadecimal(of: edit.document),
      publishedAt: now,
      author: context.author, reason: context.reason.isEmpty ? action : context.reason,
      acceptedCodes: edit.acceptedCodes)
    try connection.run(
      """
      INSERT INTO revision (domain_id, number, document, sha256, published_at, author, reason,
        accepted_codes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(domain), .integer(number), .blob(edit.document), .text(revision.sha256),
        .integer(now), .text(revision.author), .text(revision.reason),
        .text(JSON.strings(edit.acceptedCodes).text),
      ])
    try connection.run(
      "UPDATE domain SET revision = ?, updated_at = ? WHERE id = ?",
      [.integer(number), .integer(now), .integer(domain)])
    return revision
  }
}
