package import Association

/// Fetches of one document of a revision by one class of fetcher, to be added to the ledger.
package struct NewFetches: Sendable, Equatable {
  /// The row of the domain.
  package let domain: Int64
  package let revision: Int
  package let kind: DocumentKind
  package let fetcher: FetcherClass
  /// The number of fetches, at least 1.
  package private(set) var count: Int
  package private(set) var firstAt: UnixTime
  package private(set) var lastAt: UnixTime

  package init(
    domain: Int64, revision: Int, kind: DocumentKind = .apple, fetcher: FetcherClass, count: Int,
    firstAt: UnixTime, lastAt: UnixTime
  ) {
    self.domain = domain
    self.revision = revision
    self.kind = kind
    self.fetcher = fetcher
    self.count = count
    self.firstAt = firstAt
    self.lastAt = lastAt
  }
}

extension NewFetches {
  /// Sums fetches up to one element per revision and class, in the order of the ledger. In place, because
  /// there may be one for each of very many domains.
  package static func addUp(_ fetches: inout [NewFetches]) {
    fetches.sort { $0.key < $1.key }
    var count = 0
    for index in fetches.indices {
      let fetch = fetches[index]
      if count > 0, fetches[count - 1].key == fetch.key {
        fetches[count - 1].add(fetch)
      } else {
        fetches[count] = fetch
        count += 1
      }
    }
    fetches.removeLast(fetches.count - count)
  }

  private var key: (Int64, Int, String, String) {
    (domain, revision, kind.rawValue, fetcher.rawValue)
  }

  private mutating func add(_ other: NewFetches) {
    count += other.count
    firstAt = min(firstAt, other.firstAt)
    lastAt = max(lastAt, other.lastAt)
  }
}

/// The number of fetches, and their times.
package struct FetchCount: Sendable, Equatable {
  package let count: Int
  package let firstAt: UnixTime
  package let lastAt: UnixTime
  package let lastRevision: Int
}

/// The fetches of a domain's file.
package struct FetchReport: Sendable, Equatable {
  package let current: RevisionFetches
  /// The sums over all revisions; no element for a class without fetches.
  package let totals: [FetcherClass: FetchCount]
  /// A page of revisions, newest first.
  package let revisions: [RevisionFetches]
}

package struct RevisionFetches: Sendable, Equatable {
  package let revision: Revision
  /// No element for a class without fetches.
  package let counts: [FetcherClass: FetchCount]
  /// When Apple's CDN first fetched this document, from this revision or from earlier ones in a row with
  /// the same document; `nil` if it has not, or if it fetched another one since.
  package let collectedAt: UnixTime?
}

/// The number of domains whose bytes Apple's CDN has not fetched.
package struct WaitingDomains: Sendable, Equatable {
  package let environment: App.Environment
  /// Whether Apple's CDN has fetched earlier revisions of them.
  package let isCollectedBefore: Bool
  package let count: Int
  /// When the first of them began to serve its bytes; `nil` without any.
  package let since: UnixTime?
}

extension Store {
  /// The numbers of enabled domains whose bytes Apple's CDN has not fetched, by environment and by whether
  /// it has ever fetched any. Reads every domain.
  package func domainsWaitingForApple() throws -> [WaitingDomains] {
    let found = try readLong { try FetchRows.waiting($0) }
    return App.Environment.allCases.flatMap { environment in
      [false, true].map { isCollectedBefore in
        found.first {
          $0.environment == environment && $0.isCollectedBefore == isCollectedBefore
        }
          ?? WaitingDomains(
            environment: environment, isCollectedBefore: isCollectedBefore, count: 0, since: nil)
      }
    }
  }

  /// Adds fetches to the ledger, in one transaction. Drops those of revisions that no longer exist.
  ///
  /// This is not an edit: it is not audited and makes no server read documents again.
  ///
  /// - Throws: `StoreError.database`. In that case nothing was added.
  package func add(_ fetches: some Collection<NewFetches>) throws {
    if fetches.isEmpty { return }
    try write(.ofServer) { transaction in
      let (connection, now) = (transaction.connection, transaction.now)
      let isAwaited = try WebhookRows.wants(.appleCollected, connection)
      for fetch in fetches {
        let isByApple = fetch.kind == .apple && fetch.fetcher == .appleCDN
        let isAwaited =
          try isAwaited && isByApple && !FetchRows.isCollected(fetch.domain, connection)
        try FetchRows.add(fetch, connection)
        if isAwaited { try FetchRows.emitCollection(fetch, connection, now: now) }
      }
    }
  }

  /// Writes the event that a fetch by Apple's CDN is overdue, once for the bytes of each enabled domain of
  /// which it has fetched others. Without an enabled webhook, it reads no domain.
  ///
  /// - Parameters:
  ///   - hours: After how many hours a fetch is overdue.
  ///   - limit: The maximum number of events.
  /// - Returns: The number of domains.
  package func emitOverdue(hours: Int, limit: Int) throws -> Int {
    let before = now() - Int64(hours) * 3600
    let found = try readLong { try FetchRows.overdue(before, limit: limit, $0) }
    if found.isEmpty { return 0 }
    try write(.ofServer) { transaction in
      let (connection, now) = (transaction.connection, transaction.now)
      for domain in found {
        // Much may have happened since.
        let still = try FetchRows.overdue(before, of: domain.id, limit: 1, connection).first
        if let still { try FetchRows.emit(still, connection, now: now) }
      }
    }
    return found.count
  }

  /// The fetches of a domain's document, with a page of the revisions before `number`, newest first.
  ///
  /// - Parameter kind: The kind of document; by default, the first that the current revision has.
  /// - Throws: `StoreError.notFound`.
  package func fetches(
    of name: DomainName, _ kind: DocumentKind? = nil, before number: Int?, limit: Int
  ) throws -> FetchReport {
    try read { connection in
      let domain = try DomainRows.history(of: name, connection)
      guard let current = try RevisionRows.current(of: domain.id, connection) else {
        throw StoreError.notFound(.domain(name))
      }
      let kind = kind ?? current.documents.first?.kind ?? .apple
      let revisions = try RevisionRows.page(of: domain.id, before: number, limit: limit, connection)
      let counts = try FetchRows.counts(
        of: domain.id, kind, from: revisions.last?.number ?? .max,
        to: revisions.first?.number ?? 0, connection)
      let currentCounts = try FetchRows.counts(
        of: domain.id, kind, from: current.number, to: current.number, connection)
      let report = { (revision: Revision, counts: [FetcherClass: FetchCount]?) in
        RevisionFetches(
          revision: revision, counts: counts ?? [:],
          collectedAt: kind == .apple
            ? try FetchRows.collectedAt(revision, of: domain.id, connection) : nil)
      }
      return FetchReport(
        current: try report(current, currentCounts[current.number]),
        totals: try FetchRows.totals(of: domain.id, kind, connection),
        revisions: try revisions.map { try report($0, counts[$0.number]) })
    }
  }
}

/// Reads and adds rows of `fetch`.
enum FetchRows {
  static func add(_ fetch: NewFetches, _ connection: any Connection) throws {
    try connection.run(
      """
      INSERT INTO "fetch" (domain_id, revision, kind, fetcher, count, first_at, last_at)
      SELECT domain_id, number, ?7, ?3, ?4, ?5, ?6 FROM revision
      WHERE domain_id = ?1 AND number = ?2
      ON CONFLICT (domain_id, revision, kind, fetcher) DO UPDATE SET
        count = "fetch".count + excluded.count,
        first_at = CASE WHEN excluded.first_at < "fetch".first_at
          THEN excluded.first_at ELSE "fetch".first_at END,
        last_at = CASE WHEN excluded.last_at > "fetch".last_at
          THEN excluded.last_at ELSE "fetch".last_at END
      """,
      [
        .integer(fetch.domain), .integer(fetch.revision), .text(fetch.fetcher.rawValue),
        .integer(fetch.count), .integer(fetch.firstAt), .integer(fetch.lastAt),
        .text(fetch.kind.rawValue),
      ])
  }

  /// SQL for the newest revision of `domain` that Apple's CDN fetched; NULL if it fetched none.
  static let collected = """
    (SELECT max(revision) FROM "fetch" WHERE domain_id = domain.id AND \(byApple))
    """

  /// SQL for whether Apple's CDN fetched the current revision of `domain`.
  static let isFetched = """
    EXISTS (SELECT 1 FROM "fetch" WHERE domain_id = domain.id AND "fetch".revision = domain.revision
      AND \(byApple))
    """

  /// SQL for whether Apple's CDN has the bytes that `domain` serves: those of the newest revision that it
  /// fetched.
  static let isCollected = """
    EXISTS (SELECT 1 FROM (SELECT \(collected) AS revision) AS last
      WHERE last.revision = domain.revision
        OR \(sha256(of: "last.revision")) = \(sha256(of: "domain.revision")))
    """

  /// SQL for whether `domain` publishes Apple's file.
  static let hasApplesFile = """
    EXISTS (SELECT 1 FROM document WHERE document.domain_id = domain.id
      AND document.revision = domain.revision AND document.kind = \(apple))
    """

  /// SQL for each enabled domain that publishes Apple's file, with what Apple's CDN has of it. `others` is the
  /// newest revision with other bytes than those that are served, or 0.
  private static let copies = """
    (SELECT id, environment, revision, updated_at, \(sha256(of: "domain.revision")) AS sha256,
        \(collected) AS collected, \(isCollected) AS is_collected,
        coalesce((
          SELECT max(revision) FROM document AS other
          WHERE other.domain_id = domain.id AND other.kind = \(apple)
            AND other.sha256 <> \(sha256(of: "domain.revision"))), 0) AS others
      FROM domain WHERE is_enabled = 1 AND deleted_at IS NULL AND \(hasApplesFile)) AS copy
    """

  /// SQL for when the domain of `copies` began to serve its bytes.
  private static let servedSince = """
    CASE WHEN copy.revision = 1 THEN updated_at ELSE (
      SELECT published_at FROM revision WHERE domain_id = copy.id AND number > others
      ORDER BY number LIMIT 1) END
    """

  /// Whether Apple's CDN has the bytes that a domain serves.
  fileprivate static func isCollected(_ domain: Int64, _ connection: any Connection) throws -> Bool
  {
    try connection.first(
      "SELECT \(isCollected) FROM domain WHERE id = ?", [.integer(domain)]
    ) { $0.bool(0) } ?? false
  }

  /// Writes the event that Apple's CDN has fetched what a domain serves, if it has since these fetches.
  fileprivate static func emitCollection(
    _ fetch: NewFetches, _ connection: any Connection, now: UnixTime
  ) throws {
    let current = try connection.first(
      """
      SELECT revision, \(servedSince) FROM \(copies) WHERE id = ? AND is_collected
      """, [.integer(fetch.domain)]
    ) { (revision: $0.int(0), since: $0.time(1)) }
    guard let current else { return }
    try WebhookRows.emit(
      .appleCollected, of: fetch.domain,
      [
        "revision": .integer(current.revision), "servedSince": .time(current.since),
        "collectedAt": .time(fetch.firstAt),
      ], connection, now: now)
  }

  /// A domain whose bytes Apple's CDN has not fetched for long.
  fileprivate struct Overdue: Sendable {
    let id: Int64
    let revision: Int
    let sha256: String
    let since: UnixTime
    let collected: Int
  }

  /// The domains that serve their bytes since a time before `time`, of which Apple's CDN has fetched others,
  /// and of which no event told.
  ///
  /// - Parameter domain: The row of the only domain to look at; `nil` for all.
  fileprivate static func overdue(
    _ time: UnixTime, of domain: Int64? = nil, limit: Int, _ connection: any Connection
  ) throws -> [Overdue] {
    try connection.all(
      """
      SELECT id, revision, sha256, \(servedSince), collected FROM \(copies)
      WHERE EXISTS (SELECT 1 FROM webhook WHERE webhook.is_enabled = 1) AND NOT is_collected
        AND collected IS NOT NULL AND \(servedSince) < ?1 AND NOT EXISTS (
          SELECT 1 FROM apple_overdue AS told WHERE told.domain_id = copy.id
            AND told.sha256 = copy.sha256 AND told.revision > others)
        \(domain == nil ? "" : "AND id = ?3")
      LIMIT ?2
      """, [.integer(time), .integer(limit)] + (domain.map { [.integer($0)] } ?? [])
    ) { row in
      Overdue(
        id: row.integer(0), revision: row.int(1), sha256: row.text(2), since: row.time(3),
        collected: row.int(4))
    }
  }

  fileprivate static func emit(
    _ overdue: Overdue, _ connection: any Connection, now: UnixTime
  ) throws {
    try connection.run(
      """
      INSERT INTO apple_overdue (domain_id, revision, sha256) VALUES (?, ?, ?)
      ON CONFLICT (domain_id) DO UPDATE SET revision = excluded.revision, sha256 = excluded.sha256
      """, [.integer(overdue.id), .integer(overdue.revision), .text(overdue.sha256)])
    try WebhookRows.emit(
      .appleOverdue, of: overdue.id,
      [
        "revision": .integer(overdue.revision), "collected": .integer(overdue.collected),
        "servedSince": .time(overdue.since),
        "hours": .integer(now.seconds(since: overdue.since) / 3600),
      ], connection, now: now)
  }

  /// SQL for fetches of Apple's file by Apple's CDN.
  static let byApple = "kind = \(apple) AND fetcher = '\(FetcherClass.appleCDN.rawValue)'"
  private static let apple = "'\(DocumentKind.apple.rawValue)'"

  /// SQL for the SHA-256 of Apple's file in a revision of `domain`; NULL if it has none.
  private static func sha256(of revision: String) -> String {
    """
    (SELECT sha256 FROM document WHERE document.domain_id = domain.id
      AND document.revision = \(revision) AND document.kind = \(apple))
    """
  }

  static func waiting(_ connection: any Connection) throws -> [WaitingDomains] {
    try connection.all(
      """
      SELECT environment, count(*), min(\(servedSince)), collected IS NOT NULL AS is_collected_before
      FROM \(copies) WHERE NOT is_collected GROUP BY environment, is_collected_before
      """
    ) { row in
      WaitingDomains(
        environment: try row.enumeration(0), isCollectedBefore: row.bool(3), count: row.int(1),
        since: row.optionalTime(2))
    }
  }

  /// When Apple's CDN first fetched the document of a revision: the newest revision that it fetched by then
  /// has the same one.
  static func collectedAt(
    _ revision: Revision, of domain: Int64, _ connection: any Connection
  ) throws -> UnixTime? {
    guard let file = revision.documents.first(where: { $0.kind == .apple }) else { return nil }
    return try connection.first(
      """
      SELECT min(first_at) FROM document JOIN "fetch" USING (domain_id, revision, kind)
      WHERE domain_id = ?1 AND \(byApple)
        AND revision BETWEEN (
          SELECT coalesce(max(revision) + 1, 0) FROM document
          WHERE domain_id = ?1 AND revision < ?2 AND kind = \(apple) AND sha256 <> ?3
            AND revision IN (
              SELECT revision FROM "fetch" WHERE domain_id = ?1 AND \(byApple)))
          AND ?2 AND sha256 = ?3
      """, [.integer(domain), .integer(revision.number), .text(file.sha256)]
    ) { $0.optionalTime(0) } ?? nil
  }

  /// The counts of some revisions of a domain, by revision.
  static func counts(
    of domain: Int64, _ kind: DocumentKind, from first: Int, to last: Int,
    _ connection: any Connection
  ) throws -> [Int: [FetcherClass: FetchCount]] {
    var counts: [Int: [FetcherClass: FetchCount]] = [:]
    try connection.run(
      """
      SELECT fetcher, count, first_at, last_at, revision FROM "fetch"
      WHERE domain_id = ? AND kind = ? AND revision BETWEEN ? AND ?
      """, [.integer(domain), .text(kind.rawValue), .integer(first), .integer(last)]
    ) { row in
      let (fetcher, count) = try read(row)
      counts[count.lastRevision, default: [:]][fetcher] = count
    }
    return counts
  }

  /// The counts of all revisions of a domain, summed up.
  static func totals(
    of domain: Int64, _ kind: DocumentKind, _ connection: any Connection
  ) throws -> [FetcherClass: FetchCount] {
    let totals = try connection.all(
      """
      SELECT fetcher, CAST(sum(count) AS BIGINT), min(first_at), max(last_at),
        (SELECT revision FROM "fetch" AS last
          WHERE domain_id = ?1 AND last.kind = ?2 AND last.fetcher = "fetch".fetcher
          ORDER BY last_at DESC, revision DESC LIMIT 1)
      FROM "fetch" WHERE domain_id = ?1 AND kind = ?2 GROUP BY fetcher
      """, [.integer(domain), .text(kind.rawValue)], row: read)
    return Dictionary(uniqueKeysWithValues: totals)
  }

  private static func read(
    _ row: borrowing Row
  ) throws -> (key: FetcherClass, value: FetchCount) {
    (
      try row.enumeration(0),
      FetchCount(
        count: row.int(1), firstAt: row.time(2), lastAt: row.time(3),
        lastRevision: row.int(4))
    )
  }
}
