public import Association
import JSONValue
import SQLite

/// A revision with everything that was published.
public struct PublishedRevision: Sendable, Equatable {
  /// The document.
  public let document: [UInt8]
  /// Its number, and who published it when.
  public let revision: Revision
  /// Everything else that decides what visitors get; `nil` if an earlier version of the program, which
  /// did not record it, published the revision.
  public let settings: DomainSettings?
}

extension Store {
  /// The current revision of a domain with its document.
  ///
  /// - Throws: `StoreError.notFound`.
  public func currentDocument(of name: DomainName) throws -> PublishedRevision {
    try read { connection in
      guard let version = try DomainRows.version(of: name, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      return try RevisionRows.get(nil, of: version, connection)
    }
  }

  /// A revision of a domain, which may be deleted; `nil` for the last one.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revision(_ number: Int?, of name: DomainName) throws -> PublishedRevision {
    try read { try RevisionRows.get(number, of: DomainRows.history(of: name, $0), $0) }
  }

  /// A revision of a domain with its document.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revision(_ number: Int, of domain: StoredDomain) throws -> PublishedRevision {
    try read { try RevisionRows.get(number, of: domain.version, $0) }
  }

  /// A page of the revisions of a domain, which may be deleted: the newest first, before `number`.
  ///
  /// - Throws: `StoreError.notFound`.
  public func revisions(
    of name: DomainName, before number: Int?, limit: Int
  ) throws -> [Revision] {
    try read { connection in
      let id = try DomainRows.history(of: name, connection).id
      return try RevisionRows.page(of: id, before: number, limit: limit, connection)
    }
  }
}

/// Reads and writes rows of `revision`.
enum RevisionRows {
  static let table = Table(
    "revision", keys: ["domain_id", "document", "settings"],
    blank: Revision(
      number: 0, size: 0, sha256: "", publishedAt: 0, author: "", reason: "", acceptedCodes: []),
    columns: [
      Column("number", \.number),
      Column("sha256", \.sha256),
      Column("published_at", \.publishedAt),
      Column("author", \.author),
      Column("reason", \.reason),
      Column("accepted_codes", \.acceptedCodes),
      Column("is_applied", \.isApplied),
    ])

  /// The columns that `read` reads, then the document and the settings; the first parameter is the domain.
  static let select = """
    SELECT length(document), \(table.selection), document, settings FROM revision
    WHERE domain_id = ?
    """

  static func read(_ row: borrowing Row) throws -> Revision {
    var revision = try table.read(row, from: 1)
    revision.size = row.int(0)
    return revision
  }

  /// A revision of a domain with its document.
  static func find(
    _ number: Int, of domain: Int64, _ connection: Connection
  ) throws -> PublishedRevision? {
    try connection.first(select + " AND number = ?", [.integer(domain), .integer(number)]) { row in
      let next = Int32(1 + table.columns.count)
      return PublishedRevision(
        document: row.blob(next), revision: try read(row),
        settings: row.isNull(next + 1) ? nil : try settings(row, next + 1))
    }
  }

  private static func settings(_ row: borrowing Row, _ column: Int32) throws -> DomainSettings {
    guard let settings = DomainSettings(json: try row.json(column)) else {
      throw UnreadableColumn(text: row.text(column))
    }
    return settings
  }

  /// A page of the revisions of a domain, the newest first, before `number`.
  static func page(
    of domain: Int64, before number: Int?, limit: Int, _ connection: Connection
  ) throws -> [Revision] {
    try connection.all(
      select + " AND number < ? ORDER BY number DESC LIMIT ?",
      [.integer(domain), .integer(number ?? Int.max), .integer(limit)], row: read)
  }

  /// The current revision of a domain.
  static func current(of domain: Int64, _ connection: Connection) throws -> Revision? {
    try connection.first(
      select + " AND number = (SELECT revision FROM domain WHERE id = domain_id)",
      [.integer(domain)], row: read)
  }

  /// A revision of a domain with its document; `nil` for the last one. Edits skip no numbers, so a missing
  /// revision below the last one was pruned.
  ///
  /// - Throws: `StoreError.notFound`.
  static func get(
    _ number: Int?, of domain: StoredDomain.Version, _ connection: Connection
  ) throws -> PublishedRevision {
    let number = number ?? domain.revision
    if let found = try find(number, of: domain.id, connection) { return found }
    let wasPruned = (1..<max(1, domain.revision)).contains(number)
    throw StoreError.notFound(wasPruned ? .prunedRevision(number) : .revision(number))
  }

  /// Adds a revision and makes it the current one.
  static func publish(
    _ edit: DomainEdit, number: Int, of domain: Int64, action: String, by context: WriteContext,
    now: Int64, _ connection: Connection
  ) throws -> Revision {
    let revision = Revision(of: edit, number: number, action: action, by: context, now: now)
    let settings = DomainSettings(of: edit.domain).json.text
    try table.insert(
      revision, [.integer(domain), .blob(edit.document), .text(settings)], connection)
    try connection.run(
      "UPDATE domain SET revision = ?, updated_at = ? WHERE id = ?",
      [.integer(number), .integer(now), .integer(domain)])
    return revision
  }
}

extension Revision {
  /// The revision that an edit publishes.
  init(
    of edit: DomainEdit, number: Int, action: String, by context: WriteContext, now: Int64
  ) {
    self.init(
      number: number, size: edit.document.count, sha256: SHA256.hexadecimal(of: edit.document),
      publishedAt: now, author: context.author,
      reason: context.reason.isEmpty ? action : context.reason, acceptedCodes: edit.acceptedCodes,
      isApplied: action == Self.applying)
  }
}
