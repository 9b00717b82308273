package import Association

/// A finding about the document that a domain serves, or about what a check saw of it.
package struct StoredFinding: Sendable {
  package let domain: DomainName
  /// Its place among the findings of the domain, from 0.
  package let position: Int
  /// What was found.
  package let finding: ReportedFinding
}

/// Conditions on findings.
package struct FindingFilter: Sendable {
  /// Only findings of this domain.
  package var domain: DomainName?
  /// Only findings with this code.
  package var code: Finding.Code?
  /// Only findings of this severity.
  package var severity: Finding.Severity?
  /// Only findings of this source.
  package var source: Finding.Source?
  /// Only suppressed findings, or only those that count.
  package var isSuppressed: Bool?
  /// The domains that a token is limited to; empty for all.
  package var within: [Alias]

  /// Conditions; none of them by default.
  package init(
    domain: DomainName? = nil, code: Finding.Code? = nil, severity: Finding.Severity? = nil,
    source: Finding.Source? = nil, isSuppressed: Bool? = nil, within: [Alias] = []
  ) {
    self.domain = domain
    self.code = code
    self.severity = severity
    self.source = source
    self.isSuppressed = isSuppressed
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
      // The page begins with the last domain of the one before, of which it may have a part.
      let first = max(filter.domain?.text ?? "", last?.domain ?? "")
      let page = try connection.all(
        """
        SELECT own.name, finding.position, \(FindingRows.table.selection),
          suppression.number IS NOT NULL, \(SuppressionRows.table.selection)
        FROM domain_name AS own CROSS JOIN finding
        \(FindingFilter.suppression)
        WHERE finding.domain_id = own.domain_id AND \(FindingFilter.names)
          AND \(FindingFilter.sql) AND \(FindingFilter.domains)
          AND (own.name > ?9 OR finding.position > ?10)
        ORDER BY own.name, finding.position LIMIT ?11
        """,
        [.text(first)] + conditions.dropFirst() + [
          .text(last?.domain ?? ""), .integer(last?.position ?? -1), .integer(limit),
        ], row: Self.readFinding)
      // Without a condition on names, the index by code has everything that is counted. For the many
      // domains of a token, too, one pass over it is faster than a search for each (the `+`).
      let isAny = filter.domain == nil && filter.within.isEmpty
      let domains = """
        \(filter.domain == nil ? "+" : "")finding.domain_id IN (
          SELECT domain_id FROM domain_name AS own WHERE \(FindingFilter.names))
        """
      var counts: [(code: String, count: Int)] = []
      var suppressed = 0
      try connection.run(
        """
        SELECT finding.code, count(*) - count(suppression.number), count(suppression.number)
        FROM finding \(FindingFilter.suppression)
        WHERE \(isAny ? "?1 = ?1 AND ?2 = ?2 AND ?3 = ?3" : domains) AND \(FindingFilter.sql)
        GROUP BY finding.code ORDER BY finding.code
        """, conditions
      ) { row in
        if row.int(1) > 0 { counts.append((row.text(0), row.int(1))) }
        suppressed += row.int(2)
      }
      let pending = try connection.first(
        """
        SELECT count(*) FROM domain CROSS JOIN domain_name AS own
        WHERE own.domain_id = domain.id AND linted_by < ?4 AND \(FindingFilter.names)
        """, Array(conditions.prefix(3)) + [.integer(Linter.version)]
      ) { $0.int(0) }
      return FindingList(
        page: page, counts: counts, suppressed: suppressed, pendingDomains: pending ?? 0)
    }
  }

  private static func readFinding(_ row: borrowing Row) throws -> StoredFinding {
    var finding = try FindingRows.table.read(row, from: 2)
    let next = Int32(2 + FindingRows.table.columns.count)
    finding.suppression =
      row.bool(next) ? try SuppressionRows.table.read(row, from: next + 1).mark : nil
    return StoredFinding(
      domain: DomainName(stored: row.text(0)), position: row.int(1), finding: finding)
  }
}

extension FindingFilter {
  /// Adds the suppression that covers a finding now. The parameter 7 is the time.
  fileprivate static let suppression = """
    LEFT JOIN suppression ON suppression.domain_id = finding.domain_id
      AND suppression.number = finding.suppression AND suppression.ends_at > ?7
    """

  /// The names of domains that meet the conditions, which are the parameters 1 to 3.
  fileprivate static let names = """
    own.position = 0 AND own.name BETWEEN ?1 AND ?2 AND \(DomainFilter.within("?3"))
    """

  /// The findings that meet the conditions, which are the parameters 4 to 6 and 8.
  fileprivate static let sql = """
    (?4 IS NULL OR finding.code = ?4) AND (?5 IS NULL OR finding.severity = ?5)
      AND (?6 IS NULL OR CASE WHEN suppression.number IS NULL THEN 0 ELSE 1 END = ?6)
      AND (?8 IS NULL OR finding.source = ?8)
    """

  /// The domains that have such findings, so that a page of rare ones does not search all domains.
  fileprivate static let domains = """
    (coalesce(?4, ?5) IS NULL OR own.domain_id IN (
      SELECT domain_id FROM finding AS other
      WHERE (?4 IS NULL OR other.code = ?4) AND (?5 IS NULL OR other.severity = ?5)))
    AND (coalesce(?6, 0) = 0 OR own.domain_id IN (SELECT domain_id FROM suppression))
    """

  /// The parameters 1 to 8.
  fileprivate func conditions(now: UnixTime) -> [Value] {
    [
      // Every name is between these.
      .text(domain?.text ?? ""), .text(domain?.text ?? "\u{7F}"),
      .text(JSON.strings(within.map(\.description)).text), .optional(code?.rawValue),
      .optional(severity?.rawValue), .optional(isSuppressed), .integer(now),
      .optional(source?.rawValue),
    ]
  }
}
