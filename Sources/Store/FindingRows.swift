package import Association

/// What the linter needs to look at a domain's document again.
package struct DomainToLint: Sendable {
  package let stored: StoredDomain
  package let apps: UsedApps
}

extension Store {
  /// Some domains whose findings are out of date, because an earlier linter made them or because an app
  /// has moved to another environment since; none once all are up to date.
  ///
  /// - Returns: Those that can be read, and the rows of the others.
  package func staleDomains(
    _ limit: Int
  ) throws -> (domains: [DomainToLint], damaged: [Int64]) {
    let ids = try read { connection in
      // A domain without names was deleted.
      try connection.all(
        """
        SELECT id FROM domain JOIN domain_name ON domain_id = id AND position = 0
        WHERE linted_by < ? LIMIT ?
        """, [.integer(Linter.version), .integer(limit)]
      ) { $0.integer(0) }
    }
    var (domains, damaged): ([DomainToLint], [Int64]) = ([], [])
    for id in ids {
      do {
        // Each in a transaction of its own, since PostgreSQL ends one with a fault.
        try read { try FindingRows.domainToLint(id, $0) }.map { domains.append($0) }
      } catch StoreError.database(.damaged, _) {
        damaged.append(id)
      }
    }
    return (domains, damaged)
  }

  /// A domain if its findings are out of date.
  package func staleDomain(_ name: DomainName) throws -> DomainToLint? {
    try read { connection in
      guard let id = try DomainRows.id(of: name, connection),
        try FindingRows.isStale(id, connection)
      else { return nil }
      return try FindingRows.domainToLint(id, connection)
    }
  }
}

extension Transaction {
  /// Leaves the findings of domains that cannot be read as they are, so that nobody tries again in vain.
  package func skipLinting(of damaged: [Int64]) throws {
    for id in damaged { try DomainRows(id: id).noteLinter(Linter.version, connection) }
  }

  /// Writes findings of a document that was linted again, unless the domain or the environment of an
  /// app has changed meanwhile. Publishes nothing.
  package func save(_ findings: [Finding], for stale: DomainToLint) throws {
    let stored = stale.stored
    let isCurrent =
      try DomainRows.version(of: stored.domain.name, connection) == stored.version
      && stale.apps.areCurrent(connection)
    if !isCurrent { return }
    let locked = LockedRows(
      findings: try FindingRows.all(of: stored.id, connection),
      suppressions: try SuppressionRows.all(of: stored.id, connection))
    try DomainRows(id: stored.id).noteLinter(Linter.version, connection)
    try FindingRows.save(
      findings, over: locked, of: stored.id, stored.domain.associationFile, connection)
  }
}

extension Finding.Severity: Storable {}
extension DocumentKind: Storable {}
extension Finding.Source: Storable {}

/// Reads and writes rows of `finding`. Of a suppression they have only the number, also after its end.
enum FindingRows {
  /// The number of findings of a domain that are stored, besides the first of each code.
  private static let limit = 1000

  static let table = Table(
    "finding", keys: ["domain_id", "position"], blank: ReportedFinding(),
    columns: [
      Column("code", \.code), Column("severity", \.severity), Column("kind", \.kind),
      Column("pointer", \.pointer),
      Column("message", \.message), Column("help", \.help), Column("source", \.source),
      Column("url", \.url), Column("apple_code", \.appleCode),
      Column("suppression", bind: { $0.suppression.map { .integer($0.id) } ?? .null }) {
        $2.suppression = try Int64?.read($0, $1).map { ReportedFinding.Suppression(id: $0) }
      },
    ])

  /// The position of the first finding of a source.
  private static func firstPosition(_ source: Finding.Source) -> Int {
    source == .lint ? 0 : 1_000_000
  }

  static func all(of domain: Int64, _ connection: any Connection) throws -> [ReportedFinding] {
    try table.all(
      "domain_id", "FROM finding WHERE domain_id = ? ORDER BY position", .integer(domain),
      connection
    ).map(\.value)
  }

  /// Writes the findings of the current linter about a document; with `nil`, it has none until the linter
  /// makes them. The row of the domain tells which linter that was.
  static func save(
    _ findings: [Finding]?, over locked: LockedRows, of domain: Int64, _ document: AssociationFile,
    _ connection: any Connection
  ) throws {
    var codes: Set<Finding.Code> = []
    let kept = (findings ?? []).enumerated().filter { index, finding in
      codes.insert(finding.code).inserted || index < limit
    }
    try write(
      kept.map { ReportedFinding($0.element) }, .lint, over: locked.findings, locked.suppressions,
      of: domain, document, connection)
  }

  /// Writes the findings of the last check.
  ///
  /// - Returns: For each finding, the mark of the suppression that covers it now.
  static func save(
    check findings: [Finding], of stored: StoredDomain, _ connection: any Connection, now: UnixTime
  ) throws -> [ReportedFinding.Suppression?] {
    let rows = findings.map { ReportedFinding($0) }
    let own = try write(
      Array(rows.prefix(limit)), .check, over: all(of: stored.id, connection),
      SuppressionRows.all(of: stored.id, connection), of: stored.id, stored.domain.associationFile,
      connection)
    let shared = try SharedSuppressionRows.all(connection).active(for: stored.domain, at: now)
    return rows.enumerated().map { index, row in
      let own = index < own.count ? own[index] : nil
      return own.flatMap { $0.decision.endsAt > now ? $0.mark : nil } ?? shared.mark(of: row)
    }
  }

  /// Writes anew which findings are suppressed. A domain with findings of a check is checked soon, since only
  /// a check changes its status.
  static func mark(
    of domain: Int64, _ document: AssociationFile, _ connection: any Connection, now: UnixTime
  ) throws {
    let suppressions = try SuppressionRows.all(of: domain, connection)
    let all = try all(of: domain, connection)
    for source in Finding.Source.allCases {
      let rows = all.filter { $0.source == source }
      try write(rows, source, over: all, suppressions, of: domain, document, connection)
      if source == .check && !rows.isEmpty {
        try CheckRows.makeDue(domain, at: now, connection)
      }
    }
  }

  /// Writes the findings of one source, each with the suppression that covers it, unless they are there.
  ///
  /// - Returns: The suppression of each.
  @discardableResult
  private static func write(
    _ new: [ReportedFinding], _ source: Finding.Source, over all: [ReportedFinding],
    _ suppressions: [Suppression], of domain: Int64, _ document: AssociationFile,
    _ connection: any Connection
  ) throws -> [Suppression?] {
    let covering = new.map { suppressions.covering($0, in: document) }
    let marked = zip(new, covering).map { finding, suppression in
      var finding = finding
      finding.suppression = suppression?.mark
      return finding
    }
    let old = all.filter { $0.source == source }
    if old.map(table.values) == marked.map(table.values) { return covering }
    if !old.isEmpty {
      try connection.run(
        "DELETE FROM finding WHERE domain_id = ? AND source = ?",
        [.integer(domain), .text(source.rawValue)])
    }
    for (position, finding) in marked.enumerated() {
      try table.insert(
        finding, [.integer(domain), .integer(firstPosition(source) + position)], connection)
    }
    return covering
  }

  /// A domain with its apps; `nil` if it was deleted.
  static func domainToLint(_ domain: Int64, _ connection: any Connection) throws -> DomainToLint? {
    try DomainRows(id: domain).load(connection).map { stored in
      DomainToLint(stored: stored, apps: try UsedApps(of: stored.domain, connection))
    }
  }

  /// Whether a domain's findings must be made again.
  static func isStale(_ domain: Int64, _ connection: any Connection) throws -> Bool {
    try connection.first(
      "SELECT linted_by < ? FROM domain WHERE id = ?",
      [
        .integer(Linter.version), .integer(domain),
      ]
    ) { $0.bool(0) } ?? false
  }

  /// Makes the findings of every domain that uses an app out of date.
  static func invalidate<Key: AppKey>(using app: Key, _ connection: any Connection) throws {
    try connection.run(
      """
      UPDATE domain SET linted_by = 0
      WHERE id IN (\(Key.rows.uses(Key.rows.row(of: "?1"), "?1", nil)))
      """, [.text(app.text)])
  }
}
