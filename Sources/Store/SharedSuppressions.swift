package import Association

/// A suppression of findings of several domains: of all that it matches, whenever they were added. Other than that of
/// one domain, it follows no entry and no route.
package struct SharedSuppression: Sendable, Equatable {
  /// Its number, from 1.
  package var id: Int64 = 0
  package var decision = SuppressionDecision()
  /// What covers the names of its domains; `nil` if a label chooses them.
  package var domain: Alias?
  /// The label of its domains.
  package var label: Label?

  /// There are no more than these.
  package static let limit = 200

  package init() {}

  fileprivate func covers(_ domain: Domain) -> Bool {
    self.domain?.covers(Alias(domain.name)) == true || label.map(domain.labels.contains) == true
  }

  /// As the findings that it covers show it.
  fileprivate var mark: ReportedFinding.Suppression {
    var mark = decision.mark(id)
    (mark.domain, mark.label) = (domain, label)
    return mark
  }
}

/// A suppression of several domains with what it covers now.
package struct SharedSuppressionReport: Sendable {
  package let suppression: SharedSuppression
  /// The number of findings that have its code and are there.
  package let findings: Int
  /// The number of domains that have such findings.
  package let domains: Int
  /// Whether one of them is an error of the linter, which cannot be suppressed.
  package let coversError: Bool
  /// Whether it has not ended yet.
  package let isActive: Bool
}

/// What suppresses findings of one domain.
package struct Suppressions: Sendable {
  /// Those of the domain itself.
  var own: [Suppression]
  /// Those of several domains, among them this one.
  var shared: [SharedSuppression]

  /// The mark of a finding of a document; `nil` if it counts.
  package func mark(
    of finding: ReportedFinding, in document: AssociationFile
  ) -> ReportedFinding.Suppression? {
    own.covering(finding, in: document)?.mark ?? shared.mark(of: finding)
  }
}

extension [SharedSuppression] {
  /// Those that have not ended, and that have a domain.
  func active(for domain: Domain, at now: UnixTime) -> [SharedSuppression] {
    filter { $0.decision.endsAt > now && $0.covers(domain) }
  }

  /// The mark of a finding of a domain that all of these have.
  func mark(of finding: ReportedFinding) -> ReportedFinding.Suppression? {
    if finding.isLintError { return nil }
    return filter { $0.decision.covers(finding, at: finding.pointer) }
      .max { $0.decision.endsAt < $1.decision.endsAt }?.mark
  }
}

extension ReportedFinding {
  /// Errors of the linter cannot be suppressed, only accepted.
  var isLintError: Bool { severity == .error && source == .lint }
}

extension Store {
  /// The suppressions of several domains, by number.
  package func sharedSuppressions() throws -> [SharedSuppressionReport] {
    try read { connection in
      try SharedSuppressionRows.all(connection).map {
        try SharedSuppressionRows.report($0, connection, now: now())
      }
    }
  }
}

extension Transaction {
  /// Creates a suppression of several domains. If it covers an error of the linter, the caller should throw.
  ///
  /// - Returns: What it covers now, and the number of all.
  package func suppress(
    _ new: SharedSuppression
  ) throws -> (report: SharedSuppressionReport, count: Int) {
    var new = new
    (new.decision.createdAt, new.decision.author) = (now, context.author)
    let count = try SharedSuppressionRows.all(connection).count + 1
    if isDryRun {
      new.id = try connection.number("SELECT coalesce(max(id), 0) + 1 FROM shared_suppression") ?? 1
    } else {
      new.id = try SharedSuppressionRows.table.add(new, [], connection)
      try SharedSuppressionRows.checkSoon(new, connection, now: now)
      try record("suppress", new)
    }
    return (try SharedSuppressionRows.report(new, connection, now: now), count)
  }

  /// Deletes a suppression of several domains, so that its findings count again.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deleteSharedSuppression(_ id: Int64) throws {
    let all = try SharedSuppressionRows.all(connection)
    guard let suppression = all.first(where: { $0.id == id }) else {
      throw StoreError.notFound(.sharedSuppression(id, existing: all.map(\.id)))
    }
    if isDryRun { return }
    try connection.run("DELETE FROM shared_suppression WHERE id = ?", [.integer(id)])
    try SharedSuppressionRows.checkSoon(suppression, connection, now: now)
    try record("end suppression of", suppression)
  }

  private func record(_ action: String, _ suppression: SharedSuppression) throws {
    let domains =
      suppression.domain?.description ?? "label \(suppression.label.map(\.text) ?? "")"
    try AuditRows.add(
      "\(action) \(suppression.decision.code) in \(domains) (\(suppression.id))", nil, by: context,
      now: now,
      connection)
  }
}

/// Reads and writes rows of `shared_suppression`.
enum SharedSuppressionRows {
  fileprivate static let table = Table(
    "shared_suppression", keys: [], blank: SharedSuppression(),
    columns: [
      Column("code", \.decision.code), Column("kind", \.decision.kind),
      Column("pointer", \.decision.place), Column("glob", \.domain), Column("label", \.label),
      Column("reason", \.decision.reason), Column("owner", \.decision.owner),
      Column("ends_at", \.decision.endsAt), Column("created_at", \.decision.createdAt),
      Column("author", \.decision.author),
    ])

  static func all(_ connection: any Connection) throws -> [SharedSuppression] {
    try connection.all("SELECT id, \(table.selection) FROM shared_suppression ORDER BY id") {
      var suppression = try table.read($0, from: 1)
      suppression.id = $0.integer(0)
      return suppression
    }
  }

  /// The marks of findings, by number.
  static func marks(
    _ connection: any Connection
  ) throws -> [Int64: ReportedFinding.Suppression] {
    try all(connection).reduce(into: [:]) { $0[$1.id] = $1.mark }
  }

  /// SQL for the number of the suppression that covers the row `finding` for the longest time; `NULL` if it counts.
  ///
  /// - Parameter time: SQL for the time.
  static func covering(at time: String, _ connection: any Connection) throws -> String {
    // Nearly always there are none, and a list of all findings is faster without.
    let isAny = try connection.has("SELECT 1 FROM shared_suppression LIMIT 1")
    if !isAny { return "CAST(NULL AS BIGINT)" }
    return """
      (SELECT shared.id FROM shared_suppression AS shared
        WHERE \(isCovered { "shared.\($0)" }) AND shared.ends_at > \(time)
          AND (finding.severity <> 'error' OR finding.source <> 'lint')
        ORDER BY shared.ends_at DESC, shared.id LIMIT 1)
      """
  }

  /// SQL for whether the row `finding` has the code and the place of a suppression, and one of its domains.
  ///
  /// - Parameter column: SQL for a column of the suppression.
  private static func isCovered(_ column: (String) -> String) -> String {
    let (pointer, label) = (column("pointer"), column("label"))
    return """
      finding.code = \(column("code")) AND finding.kind = \(column("kind"))
        AND (finding.pointer = \(pointer)
          OR substr(finding.pointer, 1, length(\(pointer)) + 1) = \(pointer) || '/')
        AND (EXISTS (
            SELECT 1 FROM domain_label
            WHERE domain_label.domain_id = finding.domain_id AND domain_label.label = \(label))
          OR EXISTS (
            SELECT 1 FROM domain_name AS own
            WHERE own.domain_id = finding.domain_id AND own.position = 0
              AND \(DomainFilter.covers(column("glob")))))
      """
  }

  private static let parameters = [
    "code": "?1", "kind": "?2", "pointer": "?3", "label": "?4", "glob": "?5",
  ]
  private static let isCoveredByParameters = isCovered { parameters[$0] ?? "" }

  private static func values(_ suppression: SharedSuppression) -> [Value] {
    [
      .text(suppression.decision.code), .text(suppression.decision.kind.rawValue),
      .text(suppression.decision.place),
      .optional(suppression.label?.text), .optional(suppression.domain?.description),
    ]
  }

  static func report(
    _ suppression: SharedSuppression, _ connection: any Connection, now: UnixTime
  ) throws -> SharedSuppressionReport {
    let counts = try connection.first(
      """
      SELECT count(*), count(DISTINCT finding.domain_id),
        count(CASE WHEN severity = 'error' AND source = 'lint' THEN 1 END)
      FROM finding WHERE \(isCoveredByParameters)
      """, values(suppression)
    ) { ($0.int(0), $0.int(1), $0.int(2)) }
    return SharedSuppressionReport(
      suppression: suppression, findings: counts?.0 ?? 0, domains: counts?.1 ?? 0,
      coversError: (counts?.2 ?? 0) > 0, isActive: suppression.decision.endsAt > now)
  }

  /// Has domains checked soon whose findings of checks begin to count, or cease to: only a check changes their status.
  fileprivate static func checkSoon(
    _ suppression: SharedSuppression, _ connection: any Connection, now: UnixTime
  ) throws {
    let domains = try connection.all(
      """
      SELECT DISTINCT finding.domain_id FROM finding
      WHERE source = 'check' AND \(isCoveredByParameters)
      """, values(suppression)
    ) { $0.integer(0) }
    for domain in domains { try CheckRows.makeDue(domain, at: now, connection) }
  }
}
