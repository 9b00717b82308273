import Association

/// Reads and writes rows of `domain_check` and `check_schedule`.
enum CheckRows {
  /// How long after an edit a domain is checked, in seconds, so that edits in a row lead to one check.
  static let pauseAfterEdit: Int64 = 60
  /// How soon a domain is checked again after its first failure, and after later ones.
  private static let pausesAfterFailure = (first: 300, later: 3600)

  static let table = Table(
    "domain_check", keys: ["domain_id"], blank: CheckRun(),
    columns: [
      Column("id", \.id), Column("first_at", \.firstAt), Column("last_at", \.lastAt),
      Column("count", \.count), Column("status", \.status), Column("codes", \.codes),
      Column("cdn_revision", \.cdnRevision), Column("result", \.result),
    ])
  /// Without the result.
  static let brief = Table(
    "domain_check", keys: ["domain_id"], blank: CheckRun(), columns: table.columns.dropLast())

  /// Makes a domain due at a time, if it is not earlier, before others.
  static func makeDue(_ domain: Int64, at time: UnixTime, _ connection: any Connection) throws {
    try connection.insert(scheduling, [.integer(domain), .integer(time), .integer(1)])
  }

  private static let scheduling = Insertion(
    into: "check_schedule", depth: 1, ["domain_id", "due_at", "is_urgent"],
    tail: """
      ON CONFLICT (domain_id) DO UPDATE SET is_urgent = 1,
        due_at = CASE WHEN excluded.due_at < check_schedule.due_at
          THEN excluded.due_at ELSE check_schedule.due_at END
      """)

  static func due(
    isUrgent: Bool, limit: Int, _ connection: any Connection, now: UnixTime
  ) throws -> [(row: Int64, name: DomainName)] {
    if limit <= 0 { return [] }
    return try connection.all(
      """
      SELECT check_schedule.domain_id, name FROM check_schedule CROSS JOIN domain_name
      WHERE domain_name.domain_id = check_schedule.domain_id AND position = 0
        AND is_urgent = ? AND due_at <= ? ORDER BY due_at LIMIT ?
      """, [.bool(isUrgent), .integer(now), .integer(limit)]
    ) { ($0.integer(0), DomainName(stored: $0.text(1))) }
  }

  static func record(
    _ check: CheckRecord, interval: Int?, _ connection: any Connection, now: UnixTime
  ) throws -> RecordedCheck? {
    guard let stored = try DomainRows.find(check.domain, connection) else { return nil }
    let state = try state(of: stored.id, connection)
    // A clock that was set back must not stop checks from being recorded.
    if let latest = state.checkedAt, latest > check.at, latest <= now { return nil }
    let marks = try FindingRows.save(check: check.findings, of: stored, connection, now: now)
    let isSuppressed = marks.map { $0 != nil }
    let counting = zip(check.findings, isSuppressed).filter { !$0.1 }.map(\.0)
    let status = CheckStatus(worst: counting.map(\.severity).max())
    var result = check.result
    result["status"] = .string(status.rawValue)
    result["findings"] = .array(
      zip(check.findings, marks).map { ReportedFinding($0, $1).json })
    var run = CheckRun()
    (run.firstAt, run.lastAt) = (check.at, check.at)
    (run.status, run.cdnRevision) = (status, check.cdn?.revision)
    run.codes = Set(counting.map(\.code.rawValue)).sorted()
    run.result = result
    let row = try add(run, of: stored.id, isFirst: state.checkedAt == nil, connection)
    let next = try next(
      state, check, status, counting, of: stored.id, connection, now: now)
    try connection.run(
      """
      UPDATE check_schedule SET check_id = ?, checked_at = ?, failures = ?, failing_since = ?,
        is_alerted = ?, certificate_ends_at = ?, told_certificate_ends_at = ?, cdn_fetched_at = ?,
        cdn_lag = ? WHERE domain_id = ?
      """,
      [
        .integer(row), .integer(check.at), .integer(next.failures), .optional(next.failingSince),
        .bool(next.isAlerted), .optional(check.certificate?.endsAt),
        .optional(next.toldCertificate), .optional(check.cdn?.fetchedAt),
        .optional(check.cdn?.lag.map(Int64.init)), .integer(stored.id),
      ])
    if let interval {
      // An edit since, or shortly before, is looked at in its time.
      let isChanged = stored.updatedAt + pauseAfterEdit > check.at
      let due =
        isChanged
        ? stored.updatedAt + pauseAfterEdit
        : check.at + Self.pause(next, isFirst: state.checkedAt == nil, interval: interval)
      try connection.run(
        "UPDATE check_schedule SET due_at = ?, is_urgent = ? WHERE domain_id = ?",
        [.integer(due), .bool(isChanged || next.failures > 0), .integer(stored.id)])
    }
    return RecordedCheck(status: status, isSuppressed: isSuppressed, result: result)
  }

  /// How long after a check the next one is due, in seconds, spread so that all domains do not come together.
  private static func pause(_ state: State, isFirst: Bool, interval: Int) -> Int64 {
    let pause =
      switch state.failures {
      case 0: interval
      case 1: min(interval, pausesAfterFailure.first)
      default: min(interval, pausesAfterFailure.later)
      }
    let spread = isFirst && state.failures == 0 ? pause / 2 : pause / 10
    return Int64(pause - Int.random(in: 0...spread))
  }

  /// Adds a check to the last run if it has the same outcome, or begins another.
  ///
  /// - Parameter isFirst: Whether an earlier run is that of a deleted domain.
  private static func add(
    _ run: CheckRun, of domain: Int64, isFirst: Bool, _ connection: any Connection
  ) throws -> Int64 {
    let last = try connection.first(
      """
      SELECT id, status = ?2 AND codes = ?3 AND cdn_revision IS NOT DISTINCT FROM ?4 FROM domain_check
      WHERE domain_id = ?1 ORDER BY id DESC LIMIT 1
      """,
      [
        .integer(domain), .text(run.status.rawValue), run.codes.stored, run.cdnRevision.stored,
      ]
    ) { (id: $0.integer(0), isEqual: $0.bool(1)) }
    if let last, last.isEqual, !isFirst {
      try connection.run(
        """
        UPDATE domain_check SET count = count + 1, result = ?2,
          last_at = CASE WHEN ?1 > last_at THEN ?1 ELSE last_at END
        WHERE id = ?3
        """, [.integer(run.lastAt), run.result.stored, .integer(last.id)])
      return last.id
    }
    var run = run
    run.id = try connection.number("SELECT coalesce(max(id), 0) + 1 FROM domain_check") ?? 1
    return try table.add(run, [.integer(domain)], connection)
  }

  /// What decides about events.
  private struct State {
    var checkedAt: UnixTime?
    var failures = 0
    var failingSince: UnixTime?
    var isAlerted = false
    var toldCertificate: UnixTime?
  }

  private static func state(of domain: Int64, _ connection: any Connection) throws -> State {
    try connection.run(
      """
      INSERT INTO check_schedule (domain_id, due_at, is_urgent) VALUES (?, 0, 0)
      ON CONFLICT (domain_id) DO NOTHING
      """, [.integer(domain)])
    return try connection.first(
      """
      SELECT checked_at, failures, failing_since, is_alerted, told_certificate_ends_at
      FROM check_schedule WHERE domain_id = ?
      """, [.integer(domain)]
    ) { row in
      State(
        checkedAt: row.optionalTime(0), failures: row.int(1), failingSince: row.optionalTime(2),
        isAlerted: row.bool(3), toldCertificate: row.optionalTime(4))
    } ?? State()
  }

  /// The state after a check. Writes the events that follow.
  private static func next(
    _ state: State, _ check: CheckRecord, _ status: CheckStatus, _ counting: [Finding],
    of domain: Int64, _ connection: any Connection, now: UnixTime
  ) throws -> State {
    var next = state
    if status == .failing {
      next.failures += 1
      next.failingSince = state.failingSince ?? check.at
      if next.failures >= 2 && !state.isAlerted {
        next.isAlerted = true
        let (count, since) = (next.failures, next.failingSince ?? check.at)
        try WebhookRows.emit(
          .checkFailed, of: domain,
          failed(since: since, checks: count, counting.map(\.json)), connection, now: now)
      }
    } else {
      (next.failures, next.failingSince, next.isAlerted) = (0, nil, false)
      if state.isAlerted {
        try WebhookRows.emit(
          .checkRecovered, of: domain,
          [
            "status": .string(status.rawValue),
            "failedSince": .time(state.failingSince ?? check.at),
          ], connection, now: now)
      }
    }
    // Servers behind one name may have different certificates.
    if let certificate = check.certificate, certificate.endsAt > check.at,
      certificate.endsAt.seconds(since: check.at) < CheckRecord.Certificate.warning,
      state.toldCertificate.map({ certificate.endsAt < $0 || $0 <= check.at }) ?? true
    {
      next.toldCertificate = certificate.endsAt
      try WebhookRows.emit(
        .certificateExpiring, of: domain,
        [
          "expires": .time(certificate.endsAt),
          "days": .integer(max(0, certificate.endsAt.seconds(since: check.at) / 86_400)),
          "names": .strings(certificate.names), "issuer": .string(certificate.issuer),
        ], connection, now: now)
    }
    return next
  }

  /// The data of `check.failed`.
  private static func failed(since: UnixTime, checks: Int, _ findings: [JSON]) -> JSON.Object {
    let errors = findings.filter { $0["severity"]?.stringValue == Finding.Severity.error.rawValue }
    return [
      "status": .string(CheckStatus.failing.rawValue), "since": .time(since),
      "checks": .integer(checks),
      "codes": .strings(Set(errors.compactMap { $0["code"]?.stringValue }).sorted()),
      "findings": .array(
        findings.prefix(10).map { finding in
          var object: JSON.Object = [:]
          for key in ["code", "severity", "message", "help", "url"] { object[key] = finding[key] }
          return .object(object)
        }),
    ]
  }

  /// Writes `check.failed` for one webhook, for domains that others were already told of: the most recent failures
  /// first.
  ///
  /// - Parameter isNew: Whether the webhook has just begun to receive the events of a domain.
  static func tell(
    _ webhook: Int64, of isNew: (Alias) -> Bool, _ connection: any Connection, now: UnixTime
  ) throws {
    let failing = try connection.all(
      """
      SELECT check_schedule.domain_id, name FROM check_schedule
      JOIN domain_name ON domain_name.domain_id = check_schedule.domain_id AND position = 0
      WHERE is_alerted = 1 ORDER BY failing_since DESC, name
      """
    ) { (domain: $0.integer(0), name: DomainName(stored: $0.text(1))) }
    let new = failing.filter { isNew(Alias($0.name)) }.prefix(Webhook.mostFailuresAtStart)
    for (domain, name) in new {
      let data = try connection.first(
        """
        SELECT failing_since, failures, result FROM check_schedule
        JOIN domain_check ON domain_check.id = check_id WHERE check_schedule.domain_id = ?
        """, [.integer(domain)]
      ) { row in
        // The result is deleted some time after the last check.
        let findings = try JSON.Object?.read(row, 2)?["findings"]?.arrayValue ?? []
        return failed(
          since: row.time(0), checks: row.int(1), findings.filter { $0["suppressed"] == nil })
      }
      guard let data else { continue }
      let event = try EventRows.add(
        WebhookEvent.checkFailed.rawValue, WebhookRows.newMessage(), of: name.text, data,
        connection, now: now)
      try EventRows.deliver(event, to: [webhook], connection, now: now)
    }
  }
}
