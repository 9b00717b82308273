public import Association
import SQLite

/// One thing that somebody did.
public struct AuditRecord: Sendable, Equatable {
  /// Its number; later ones have higher ones.
  public let id: Int64
  /// When, in seconds since 1970.
  public let at: Int64
  /// Who: the name of a token, or of a command.
  public let author: String
  /// The address that the request came from; empty for a command.
  public let address: String
  /// What was done.
  public let action: String
  /// Why, in the words of the one who did it; may be empty.
  public let reason: String
  /// What it was done to; nil for the whole database.
  public let subject: Subject?
  /// The revision that was published.
  public let revision: Int?

  /// What something is done to.
  public enum Subject: Sendable, Equatable {
    /// A domain.
    case domain(DomainName)
    /// An app.
    case app(AppIdentifier)
    /// A token, by its name.
    case token(String)
  }
}

/// Which records are asked for.
public struct AuditFilter: Sendable {
  /// Only of this domain.
  public var domain: DomainName?
  /// Only of this author.
  public var author: String?
  /// Only records before this one; the newest come first.
  public var before: Int64?

  /// All records.
  public init(domain: DomainName? = nil, author: String? = nil, before: Int64? = nil) {
    self.domain = domain
    self.author = author
    self.before = before
  }
}

extension Store {
  /// What was done, the newest first.
  public func audit(_ filter: AuditFilter, limit: Int) throws -> [AuditRecord] {
    try read { connection in
      try connection.all(
        """
        SELECT id, at, author, address, action, reason, domain, app, token, revision FROM audit
        WHERE (?1 IS NULL OR domain = ?1) AND (?2 IS NULL OR author = ?2) AND (?3 IS NULL OR id < ?3)
        ORDER BY id DESC LIMIT ?4
        """,
        [
          .optional(filter.domain?.text), .optional(filter.author), .optional(filter.before),
          .integer(limit),
        ], row: AuditRows.read)
    }
  }
}

/// Reads and adds rows of `audit`.
enum AuditRows {
  static func add(
    _ action: String, _ subject: AuditRecord.Subject?, revision: Int? = nil,
    by context: WriteContext,
    now: Int64, _ connection: Connection
  ) throws {
    var (domain, app, token): (String?, String?, String?)
    switch subject {
    case .domain(let name): domain = name.text
    case .app(let id): app = id.text
    case .token(let name): token = name
    case nil: break
    }
    try connection.run(
      """
      INSERT INTO audit (at, author, address, action, reason, domain, app, token, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(now), .text(context.author), .text(context.address), .text(action),
        .text(context.reason), .optional(domain), .optional(app), .optional(token),
        .optional(revision.map(Int64.init)),
      ])
  }

  static func read(_ row: borrowing Row) throws -> AuditRecord {
    let domain = row.optionalText(6).map { AuditRecord.Subject.domain(DomainName(stored: $0)) }
    let app = row.optionalText(7).map { AuditRecord.Subject.app(AppIdentifier(stored: $0)) }
    let token = row.optionalText(8).map(AuditRecord.Subject.token)
    return AuditRecord(
      id: row.integer(0), at: row.integer(1), author: row.text(2), address: row.text(3),
      action: row.text(4), reason: row.text(5), subject: domain ?? app ?? token,
      revision: row.optionalInteger(9).map(Int.init))
  }
}
