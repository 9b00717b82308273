package import Association

/// A finding about the document that a domain serves, or about what a check saw of it.
package struct StoredFinding: Sendable {
  package let domain: DomainName
  /// Its place among the findings of the domain, from 0.
  package let position: Int
  package let finding: ReportedFinding
}

package struct FindingFilter: Sendable {
  /// Only findings of this domain.
  package var domain: DomainName?
  /// Only findings with this code.
  package var code: Finding.Code?
  /// Only findings of this severity.
  package var severity: Finding.Severity?
  /// Only findings of this severity and worse ones.
  package var minimumSeverity = Finding.Severity.note
  /// Only findings of this source.
  package var source: Finding.Source?
  /// Only suppressed findings, or only those that count.
  package var isSuppressed: Bool?
  /// Only findings of domains with this label.
  package var label: Label?
  /// The domains that a token is limited to.
  package var within: Scope

  /// Conditions; none of them by default.
  package init(
    domain: DomainName? = nil, code: Finding.Code? = nil, severity: Finding.Severity? = nil,
    source: Finding.Source? = nil, isSuppressed: Bool? = nil, label: Label? = nil,
    within: Scope = Scope(), minimumSeverity: Finding.Severity = .note
  ) {
    self.minimumSeverity = minimumSeverity
    self.domain = domain
    self.code = code
    self.severity = severity
    self.source = source
    self.isSuppressed = isSuppressed
    self.label = label
    self.within = within
  }
}

/// A page of findings, and the numbers of all.
package struct FindingList: Sendable {
  /// The page, by domain.
  package let page: [StoredFinding]
  /// The findings that count, by code.
  package let counts: [(code: String, count: Int)]
  /// The number of suppressed findings.
  package let suppressed: Int
  /// The number of domains whose findings are out of date and will be made again.
  package let pendingDomains: Int
}

extension Store {
  /// The first `limit` findings after a place in the list, by domain, and the numbers of all.
  ///
  /// - Throws: `StoreError.database`.
  package func findings(
    _ filter: FindingFilter, after last: (domain: String, position: Int)? = nil, limit: Int
  ) throws -> FindingList {
    try scan { connection in
      let conditions = filter.conditions(now: now())
      let shared = try SharedSuppressionRows.covering(at: "?8", connection)
      let sharedMarks = try SharedSuppressionRows.marks(connection)
      // The page begins with the last domain of the one before, of which it may have a part.
      let first = max(filter.domain?.text ?? "", last?.domain ?? "")
      let page = try connection.all(
        """
        SELECT own.name, finding.position, \(FindingRows.table.selection),
          suppression.number IS NOT NULL, \(SuppressionRows.table.selection), \(shared)
        FROM domain_name AS own CROSS JOIN finding
        \(FindingFilter.suppression)
        WHERE finding.domain_id = own.domain_id AND \(FindingFilter.names)
          AND \(filter.sql(shared)) AND \(FindingFilter.domains)
          AND (own.name > ?10 OR finding.position > ?11)
        ORDER BY own.name, finding.position LIMIT ?12
        """,
        [.text(first)] + conditions.dropFirst() + [
          .text(last?.domain ?? ""), .integer(last?.position ?? -1), .integer(limit),
        ]
      ) { try Self.readFinding($0, sharedMarks) }
      // Without a condition on names, the index by code has everything that is counted. For the many
      // domains of a token, too, one pass over it is faster than a search for each (the `+`).
      let isAny = filter.domain == nil && filter.within.isEverything && filter.label == nil
      let domains = """
        \(filter.domain == nil ? "+" : "")finding.domain_id IN (
          SELECT domain_id FROM domain_name AS own WHERE \(FindingFilter.names))
        """
      let isSuppressed = "CASE WHEN \(FindingFilter.isSuppressed(shared)) THEN 1 END"
      var counts: [(code: String, count: Int)] = []
      var suppressed = 0
      try connection.run(
        """
        SELECT finding.code, count(*) - count(\(isSuppressed)), count(\(isSuppressed))
        FROM finding \(FindingFilter.suppression)
        WHERE \(isAny ? "?1 = ?1 AND ?2 = ?2 AND ?3 = ?3 AND ?4 IS NULL" : domains) AND \(filter.sql(shared))
        GROUP BY finding.code ORDER BY finding.code
        """, conditions
      ) { row in
        if row.int(1) > 0 { counts.append((row.text(0), row.int(1))) }
        suppressed += row.int(2)
      }
      let pending = try connection.count(
        """
        SELECT count(*) FROM domain CROSS JOIN domain_name AS own
        WHERE own.domain_id = domain.id AND linted_by < ?5 AND \(FindingFilter.names)
        """, Array(conditions.prefix(4)) + [.integer(Linter.version)])
      return FindingList(
        page: page, counts: counts, suppressed: suppressed, pendingDomains: pending)
    }
  }

  /// - Parameter shared: The marks of suppressions of several domains.
  private static func readFinding(
    _ row: borrowing Row, _ shared: [Int64: ReportedFinding.Suppression]
  ) throws -> StoredFinding {
    var finding = try FindingRows.table.read(row, from: 2)
    let next = Int32(2 + FindingRows.table.columns.count)
    let last = next + 1 + Int32(SuppressionRows.table.columns.count)
    finding.suppression =
      row.bool(next)
      ? try SuppressionRows.table.read(row, from: next + 1).mark
      : row.optionalInteger(last).flatMap { shared[$0] }
    return StoredFinding(
      domain: DomainName(stored: row.text(0)), position: row.int(1), finding: finding)
  }
}

extension FindingFilter {
  /// Adds the suppression that covers a finding now. The parameter 8 is the time.
  fileprivate static let suppression = """
    LEFT JOIN suppression ON suppression.domain_id = finding.domain_id
      AND suppression.number = finding.suppression AND suppression.ends_at > ?8
    """

  /// The names of domains that meet the conditions, which are the parameters 1 to 4.
  fileprivate static let names = """
    own.position = 0 AND own.name BETWEEN ?1 AND ?2 AND \(DomainFilter.within("?3"))
      AND \(DomainFilter.labelled("?4"))
    """

  /// The findings that meet the conditions, which are the parameters 5 to 7 and 9.
  ///
  /// - Parameter shared: SQL for the suppression of several domains that covers a finding.
  fileprivate func sql(_ shared: String) -> String {
    let milder = Finding.Severity.allCases.filter { $0 < minimumSeverity }
      .map { " AND finding.severity <> '\($0.rawValue)'" }.joined()
    return """
      (?5 IS NULL OR finding.code = ?5) AND (?6 IS NULL OR finding.severity = ?6)\(milder)
        AND (?7 IS NULL OR CASE WHEN \(Self.isSuppressed(shared)) THEN 1 ELSE 0 END = ?7)
        AND (?9 IS NULL OR finding.source = ?9)
      """
  }

  /// SQL for whether any suppression covers a finding.
  fileprivate static func isSuppressed(_ shared: String) -> String {
    "(suppression.number IS NOT NULL OR \(shared) IS NOT NULL)"
  }

  /// The domains that have such findings, so that a page of rare ones does not search all domains.
  fileprivate static let domains = """
    (coalesce(?5, ?6) IS NULL OR own.domain_id IN (
      SELECT domain_id FROM finding AS other
      WHERE (?5 IS NULL OR other.code = ?5) AND (?6 IS NULL OR other.severity = ?6)))
    AND (coalesce(?7, 0) = 0 OR own.domain_id IN (SELECT domain_id FROM suppression)
      OR EXISTS (SELECT 1 FROM shared_suppression))
    """

  /// The parameters 1 to 9.
  fileprivate func conditions(now: UnixTime) -> [Value] {
    [
      // Every name is between these.
      .text(domain?.text ?? ""), .text(domain?.text ?? "\u{7F}"),
      within.list, .optional(label?.text), .optional(code?.rawValue),
      .optional(severity?.rawValue), .optional(isSuppressed), .integer(now),
      .optional(source?.rawValue),
    ]
  }
}
