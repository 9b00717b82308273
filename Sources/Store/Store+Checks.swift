package import Association

/// How a check ended: by its worst finding that no suppression covers.
package enum CheckStatus: String, Sendable, CaseIterable {
  /// Nothing worse than notes.
  case ok
  case warning
  /// Errors: something keeps links from opening.
  case failing

  /// By the worst of some severities.
  package init(worst: Finding.Severity?) {
    switch worst {
    case .error: self = .failing
    case .warning: self = .warning
    case .note, nil: self = .ok
    }
  }
}

extension CheckStatus: Storable {}

/// How the last check of a domain ended, if there was one.
package enum CheckOutcome: String, Sendable, CaseIterable {
  case ok, warning, failing
  /// The domain was never checked.
  case unchecked
}

/// A check of a domain, to be recorded.
package struct CheckRecord: Sendable {
  package let domain: DomainName
  /// When it began.
  package let at: UnixTime
  /// What it found, the worst first.
  package let findings: [Finding]
  /// All of it, as the API answers, before suppressions.
  package let result: JSON.Object
  /// What Apple's CDN has; `nil` if that is nothing, or unknown.
  package var cdn: Copy?
  /// The certificate of the origin.
  package var certificate: Certificate?

  /// A copy in Apple's CDN.
  package struct Copy: Sendable {
    /// The revision that it is; `nil` if it is none of ours.
    package var revision: Int?
    /// By how many revisions that is behind.
    package var lag: Int?
    package var fetchedAt: UnixTime?

    package init(revision: Int?, lag: Int?, fetchedAt: UnixTime?) {
      self.revision = revision
      self.lag = lag
      self.fetchedAt = fetchedAt
    }
  }

  /// What webhooks get about a certificate that expires soon.
  package struct Certificate: Sendable {
    /// How long before it ends it is reported, in seconds.
    package static let warning: Int64 = 14 * 86_400

    /// The names that it is for.
    package var names: [String]
    package var issuer: String
    package var endsAt: UnixTime

    package init(names: [String], issuer: String, endsAt: UnixTime) {
      self.names = names
      self.issuer = issuer
      self.endsAt = endsAt
    }
  }

  package init(_ domain: DomainName, at: UnixTime, findings: [Finding], result: JSON.Object) {
    self.domain = domain
    self.at = at
    self.findings = findings
    self.result = result
  }
}

package struct RecordedCheck: Sendable {
  /// The status after suppressions.
  package let status: CheckStatus
  /// Whether a suppression covers each finding.
  package let isSuppressed: [Bool]
  /// All of it, as the API answers, with `suppressed` and the status after suppressions.
  package let result: JSON.Object
}

/// Checks of a domain in a row that had the same outcome.
package struct CheckRun: Sendable {
  package var id: Int64 = 0
  /// When the first of them began.
  package var firstAt: UnixTime = 0
  /// When the last of them began.
  package var lastAt: UnixTime = 0
  package var count = 1
  package var status = CheckStatus.ok
  /// The codes of the findings that count.
  package var codes: [String] = []
  /// The revision that Apple's CDN had; `nil` for none of ours.
  package var cdnRevision: Int?
  /// The last of them; `nil` if that was too long ago.
  package var result: JSON.Object?
}

/// How the last check of a domain ended.
package struct CheckState: Sendable {
  package let domain: DomainName
  package let at: UnixTime
  /// The checks in a row that had its outcome, without the result.
  package let run: CheckRun
  /// The number of failing checks in a row, and when the first of them was.
  package let failures: Int
  /// When the first of them was.
  package let failingSince: UnixTime?
  package let certificateEndsAt: UnixTime?
  /// By how many revisions Apple's CDN is behind.
  package let cdnLag: Int?
  /// When Apple's CDN fetched what it has.
  package let cdnFetchedAt: UnixTime?
}

extension Store {
  /// Records checks: the findings, the history, and the events for webhooks.
  ///
  /// - Parameter interval: How often each domain is checked, in seconds; `nil` if these checks were not due.
  /// - Returns: `nil` for each domain that is not published here, or that a later check was recorded of.
  /// - Throws: `StoreError`. Then nothing was recorded.
  @discardableResult
  package func record(
    _ checks: [CheckRecord], interval: Int? = nil
  ) throws -> [RecordedCheck?] {
    if checks.isEmpty { return [] }
    // Somebody waits for checks that were not due.
    let context = interval == nil ? WriteContext(author: "aasa serve") : .ofServer
    return try write(context) { transaction in
      try checks.map {
        try CheckRows.record($0, interval: interval, transaction.connection, now: transaction.now)
      }
    }
  }

  /// Takes domains that are due, so that no other server checks them for a while: first those that fail or
  /// have changed.
  ///
  /// - Parameters:
  ///   - urgent: The maximum number of these.
  ///   - others: The maximum number of others.
  ///   - limit: The maximum number of all.
  ///   - lease: After how many seconds other servers take them to be lost.
  /// - Throws: `StoreError`.
  package func claimChecks(
    urgent: Int, others: Int, limit: Int, lease: Int64
  ) throws -> (urgent: [DomainName], others: [DomainName]) {
    let due = { (connection: any Connection, now: UnixTime) in
      let urgent = try CheckRows.due(
        isUrgent: true, limit: min(urgent, limit), connection, now: now)
      let others = try CheckRows.due(
        isUrgent: false, limit: min(others, limit - urgent.count), connection, now: now)
      return (urgent: urgent, others: others)
    }
    // Usually, nothing is due, and no writer needs to wait.
    let isAny = try read { connection in
      let due = try due(connection, now())
      return !due.urgent.isEmpty || !due.others.isEmpty
    }
    if !isAny { return ([], []) }
    return try write(.ofServer) { transaction in
      let claimed = try due(transaction.connection, transaction.now)
      for domain in claimed.urgent + claimed.others {
        try transaction.connection.run(
          "UPDATE check_schedule SET due_at = ? WHERE domain_id = ?",
          [.integer(transaction.now + lease), .integer(domain.row)])
      }
      return (claimed.urgent.map(\.name), claimed.others.map(\.name))
    }
  }

  /// Makes domains due again that were claimed and not checked.
  ///
  /// - Throws: `StoreError`.
  package func releaseChecks(_ names: some Collection<DomainName>) throws {
    if names.isEmpty { return }
    try write(.ofServer) { transaction in
      for name in names {
        guard let domain = try DomainRows.id(of: name, transaction.connection) else { continue }
        try transaction.connection.run(
          "UPDATE check_schedule SET due_at = ?1 WHERE domain_id = ?2 AND due_at > ?1",
          [.integer(transaction.now), .integer(domain)])
      }
    }
  }

  /// The number of domains that are checked by schedule.
  ///
  /// - Throws: `StoreError.database`.
  package func scheduledDomains() throws -> Int {
    try read { try $0.count("SELECT count(*) FROM check_schedule") }
  }

  /// A page of the checks of a domain, as runs of equal outcomes, the newest first.
  ///
  /// - Throws: `StoreError.notFound`.
  package func checks(
    of name: DomainName, before last: Int64?, limit: Int
  ) throws -> [CheckRun] {
    try read { connection in
      let domain = try DomainRows.history(of: name, connection).id
      return try connection.all(
        """
        SELECT \(CheckRows.table.selection) FROM domain_check
        WHERE domain_id = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3
        """, [.integer(domain), .optional(last), .integer(limit)]
      ) { try CheckRows.table.read($0) }
    }
  }

  /// The first `limit` domains by name after `last`, with how their last checks ended, and the number of all.
  ///
  /// - Parameter within: The domains that a token is limited to.
  /// - Throws: `StoreError.database`.
  package func checks(
    _ status: CheckStatus? = nil, label: Label? = nil, within: Scope = Scope(),
    after last: String? = nil, limit: Int
  ) throws -> (page: [CheckState], total: Int) {
    let from = """
      FROM domain_name AS own
      JOIN check_schedule ON check_schedule.domain_id = own.domain_id AND own.position = 0
      JOIN domain_check ON domain_check.id = check_id
      WHERE (?1 IS NULL OR status = ?1) AND \(DomainFilter.within("?2"))
        AND \(DomainFilter.labelled("?3"))
      """
    let values: [Value] = [
      .optional(status?.rawValue), within.list, .optional(label?.text),
    ]
    return try scan { connection in
      let page = try connection.all(
        """
        SELECT own.name, checked_at, failures, failing_since, certificate_ends_at, cdn_lag,
          cdn_fetched_at, \(CheckRows.brief.selection)
        \(from) AND own.name > ?4 ORDER BY own.name LIMIT ?5
        """, values + [.text(last ?? ""), .integer(limit)]
      ) { row in
        CheckState(
          domain: DomainName(stored: row.text(0)), at: row.time(1),
          run: try CheckRows.brief.read(row, from: 7), failures: row.int(2),
          failingSince: row.optionalTime(3), certificateEndsAt: row.optionalTime(4),
          cdnLag: try Int?.read(row, 5), cdnFetchedAt: row.optionalTime(6))
      }
      return (page, try connection.count("SELECT count(*) \(from)", values))
    }
  }
}

/// The numbers of domains by how their last checks ended.
package struct CheckSummary: Sendable {
  /// The number of domains by status.
  package var statuses: [CheckStatus: Int] = [:]
  /// The number of domains that were never checked.
  package var unchecked = 0
  /// The number of domains by the code of a finding that counts.
  package var codes: [String: Int] = [:]
  /// When each certificate ends, in order.
  package var certificateEnds: [UnixTime] = []
  /// The number of domains by how many revisions Apple's CDN is behind.
  package var cdnLags: [Int: Int] = [:]
  /// The number of domains of which Apple's CDN has none of our revisions.
  package var withoutRevision = 0
  /// How old each copy in Apple's CDN was when it was checked, in seconds, in order.
  package var cdnAges: [Int64] = []
  /// When the last check of all was.
  package var last: UnixTime?
}

extension Store {
  /// The numbers of domains by how their last checks ended. Reads every domain.
  ///
  /// - Throws: `StoreError.database`.
  package func checkSummary() throws -> CheckSummary {
    try readLong { connection in
      var summary = CheckSummary()
      try connection.run(
        """
        SELECT status, certificate_ends_at, cdn_lag, cdn_fetched_at, checked_at
        FROM check_schedule LEFT JOIN domain_check ON domain_check.id = check_id
        """
      ) { row in
        guard let status = try CheckStatus?.read(row, 0), let at = row.optionalTime(4) else {
          summary.unchecked += 1
          return
        }
        summary.statuses[status, default: 0] += 1
        if let end = row.optionalTime(1) { summary.certificateEnds.append(end) }
        if let fetched = row.optionalTime(3) { summary.cdnAges.append(at.seconds(since: fetched)) }
        if let lag = try Int?.read(row, 2) {
          summary.cdnLags[lag, default: 0] += 1
        } else {
          summary.withoutRevision += 1
        }
        summary.last = max(summary.last ?? at, at)
      }
      summary.certificateEnds.sort()
      summary.cdnAges.sort()
      let shared = try SharedSuppressionRows.covering(at: "?1", connection)
      try connection.run(
        """
        SELECT finding.code, count(DISTINCT finding.domain_id) FROM finding
        LEFT JOIN suppression ON suppression.domain_id = finding.domain_id
          AND suppression.number = finding.suppression AND suppression.ends_at > ?1
        WHERE source = 'check' AND suppression.number IS NULL AND \(shared) IS NULL
        GROUP BY finding.code
        """, [.integer(now())]
      ) { summary.codes[$0.text(0)] = $0.int(1) }
      return summary
    }
  }
}
