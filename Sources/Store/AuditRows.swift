package import Association

/// One recorded action.
package struct AuditRecord: Sendable, Equatable {
  /// Its number; later records have higher ones.
  package var id: Int64 = 0
  package var at: UnixTime = 0
  /// Who: the name of a token, of a user, or of a command.
  package var author = ""
  /// The client's address; empty for a command.
  package var address = ""
  package var action = ""
  /// The author's reason; may be empty.
  package var reason = ""
  /// The changed domain. Without a domain, app, token, webhook, user or group, the whole database was changed.
  package var domain: DomainName?
  package var app: AppIdentifier?
  package var androidApp: PackageName?
  /// The name of the token that was created or revoked, or that somebody signed in or out with.
  package var token: String?
  /// The name of the webhook that was added, changed, tried out or deleted.
  package var webhook: String?
  /// The name of the user who was added, changed or deleted.
  package var user: String?
  package var template: TemplateName?
  /// The name of the group that was added, changed or deleted.
  package var group: String?
  /// The revision that was published.
  package var revision: Int?
  /// What changed of a domain, in words; may be empty.
  package var changes = ""
  /// The change of domains that it is about.
  package var change: Int64?
  /// The number of domains, if it stands for a change of several.
  package var domainCount: Int?

  /// The object of an action.
  package enum Subject: Sendable, Equatable {
    case domain(DomainName)
    case app(LinkedApp)
    case token(String)
    case webhook(String)
    case user(String)
    case template(TemplateName)
    case group(String)
  }
}

/// Selects audit records. A change of several domains is one record, unless a domain or that change is asked for.
package struct AuditFilter: Sendable {
  /// Only records of this domain.
  package var domain: DomainName?
  /// Only records of this author.
  package var author: String?
  /// Only the records of this change that say what it did to one domain, app or template.
  package var change: Int64?
  /// Only records from this time on.
  package var since: UnixTime?
  /// Only records before this time.
  package var until: UnixTime?
  /// Only records before this one; the newest come first.
  package var before: Int64?

  /// All records.
  package init(
    domain: DomainName? = nil, author: String? = nil, change: Int64? = nil,
    since: UnixTime? = nil, until: UnixTime? = nil, before: Int64? = nil
  ) {
    self.domain = domain
    self.author = author
    self.change = change
    self.since = since
    self.until = until
    self.before = before
  }

  /// Conditions that need no further parameter.
  fileprivate func parts(_ connection: any Connection) throws -> String {
    guard let change else { return domain == nil ? "is_part = 0" : "1 = 1" }
    let domains = try connection.first(
      "SELECT domain_count FROM recorded_change WHERE id = ?", [.integer(change)]
    ) { $0.int(0) }
    // What a change did to one domain has no other record. An index finds it by the domain; that of a template alone is
    // looked for among all.
    let whole =
      switch domains {
      case 0:
        "UNION ALL SELECT id FROM audit WHERE change_id = ?4 AND is_part = 0 AND domain_count IS NULL"
      case 1:
        """
        UNION ALL SELECT audit.id FROM changed_domain
          JOIN audit ON domain = name AND audit.change_id = ?4 AND is_part = 0 WHERE changed_domain.change_id = ?4
        """
      default: ""
      }
    return "id IN (SELECT id FROM audit WHERE change_id = ?4 AND is_part = 1 \(whole))"
  }
}

extension Store {
  /// Records, the newest first.
  package func audit(_ filter: AuditFilter, limit: Int) throws -> [AuditRecord] {
    try read { connection in
      // SQLite chooses an index before it knows the values.
      let isOfDomain = filter.domain == nil ? "?1 IS NULL" : "domain = ?1"
      return try connection.all(
        """
        \(AuditRows.select)
        WHERE \(isOfDomain) AND (?2 IS NULL OR author = ?2) AND (?3 IS NULL OR id < ?3)
          AND (?4 IS NULL OR change_id = ?4) AND (?5 IS NULL OR "at" >= ?5)
          AND (?6 IS NULL OR "at" < ?6) AND \(filter.parts(connection))
        ORDER BY id DESC LIMIT ?7
        """,
        [
          .optional(filter.domain?.text), .optional(filter.author), .optional(filter.before),
          .optional(filter.change), .optional(filter.since), .optional(filter.until),
          .integer(limit),
        ], row: AuditRows.read)
    }
  }
}

extension Store {
  /// Who changed an app last; `nil` if the audit no longer says.
  package func lastAuthor(of app: LinkedApp) throws -> String? {
    try read { connection in
      let column: StaticString = app.package == nil ? "app" : "android_app"
      return try connection.first(
        "SELECT author FROM audit WHERE \(column) = ? ORDER BY id DESC LIMIT 1", [.text(app.text)]
      ) { $0.text(0) }
    }
  }
}

extension Store {
  /// The number of the newest record; 0 if there is none.
  package func lastAuditRecord() throws -> Int64 {
    try follow { try $0.number("SELECT max(id) FROM audit") ?? 0 }
  }

  /// The oldest records of commands in a range, which have no client, and the number of the others.
  /// Those of servers themselves are left out.
  package func commandRecords(
    after first: Int64, upTo last: Int64, limit: Int
  ) throws -> (records: [AuditRecord], more: Int) {
    let condition =
      "WHERE id > ? AND id <= ? AND address = '' AND author <> 'aasa serve' AND is_part = 0"
    let range: [Value] = [.integer(first), .integer(last)]
    return try follow { connection in
      let records = try connection.all(
        "\(AuditRows.select) \(condition) ORDER BY id LIMIT ?", range + [.integer(limit)],
        row: AuditRows.read)
      let count = try connection.count("SELECT count(*) FROM audit \(condition)", range)
      return (records, count - records.count)
    }
  }
}

/// Reads and adds rows of `audit`.
enum AuditRows {
  private static let table = Table(
    "audit", keys: ["is_part"], blank: AuditRecord(),
    columns: [
      Column("at", \.at),
      Column("author", \.author),
      Column("address", \.address),
      Column("action", \.action),
      Column("reason", \.reason),
      Column("domain", \.domain),
      Column("app", \.app),
      Column("android_app", \.androidApp),
      Column("token", \.token),
      Column("webhook", \.webhook),
      Column("named_user", \.user),
      Column("named_group", \.group),
      Column("template", \.template),
      Column("revision", \.revision),
      Column("changes", \.changes),
      Column("change_id", \.change),
      Column("domain_count", \.domainCount),
    ])

  static let select = "SELECT id, \(table.selection) FROM audit"

  static func add(
    _ action: String, _ subject: AuditRecord.Subject?, revision: Int? = nil,
    changes: [String] = [], by context: WriteContext, now: UnixTime, _ connection: any Connection
  ) throws {
    try add(
      AuditRecord(
        action, subject, revision: revision, changes: changes, by: context, now: now), connection)
  }

  /// - Parameter isPart: Whether another record stands for its change.
  static func add(
    _ record: AuditRecord, isPart: Bool = false, _ connection: any Connection
  ) throws {
    try table.insert(record, [.bool(isPart)], connection)
  }

  static func read(_ row: borrowing Row) throws -> AuditRecord {
    var record = try table.read(row, from: 1)
    record.id = row.integer(0)
    return record
  }
}

extension AuditRecord {
  init(
    _ action: String, _ subject: Subject?, revision: Int? = nil, changes: [String] = [],
    by context: WriteContext, now: UnixTime
  ) {
    self.init(
      at: now, author: context.author, address: context.address, action: action,
      reason: context.reason, revision: revision, changes: changes.joined(separator: "; "))
    switch subject {
    case .domain(let name): domain = name
    case .app(.ios(let id)): app = id
    case .app(.android(let package)): androidApp = package
    case .token(let name): token = name
    case .webhook(let name): webhook = name
    case .user(let name): user = name
    case .template(let name): template = name
    case .group(let name): group = name
    case nil: break
    }
  }
}
