import Association
import Synchronization

/// How long old revisions, deleted domains, audit records and details of checks are kept.
package struct Retention: Sendable, Equatable {
  /// The number of newest revisions kept for each domain, whatever their age. The current one is always
  /// kept.
  package var revisions: Int
  /// The number of days that all revisions are kept, and deleted domains with theirs; 0 means forever.
  package var revisionDays: Int
  /// The number of days that audit records are kept; 0 means forever.
  package var auditDays: Int
  /// The number of days that the details of checks are kept, besides those of the last one of each domain; 0
  /// means forever.
  package var checkDays: Int

  package init(
    revisions: Int = 100, revisionDays: Int = 0, auditDays: Int = 0, checkDays: Int = 0
  ) {
    self.revisions = revisions
    self.revisionDays = revisionDays
    self.auditDays = auditDays
    self.checkDays = checkDays
  }
}

/// What pruning removed.
package struct Pruned: Sendable, Equatable {
  package var revisions = 0
  /// The number of deleted domains, each with its last revision.
  package var domains = 0
  /// The number of audit records.
  package var auditRecords = 0
  /// The number of deliveries to webhooks.
  package var deliveries = 0
  /// The number of checks of which the details were removed.
  package var checks = 0
  /// Whether the round through all domains is complete.
  package var isComplete = true

  package init() {}
}

/// Removes old revisions, audit records, deliveries to webhooks and details of checks, a few at a time.
package final class Pruning: Sendable {
  /// Limits of one step, so that no edit waits long for it.
  private enum Bound {
    /// Domains examined, which does not block writers.
    static let domains = 200
    /// Rows removed. A document has at most 128 KB.
    static let rows = 50
    /// Small rows removed.
    static let deliveries = 500
  }

  /// The pause between two rounds, in seconds.
  private static let pause: Int64 = 3600
  /// After how many seconds other servers take the work of one that ended without a word.
  private static let lease: Int64 = 60

  private let store: Store
  private let takesWork: @Sendable (Int64) throws -> Bool
  private let state = Mutex(State())

  private struct State {
    /// The last domain examined in this round.
    var domain: Int64 = 0
    var isAuditDone = false
    var areChangesDone = false
    var areDeliveriesDone = false
    var areChecksDone = false
    var areDraftsDone = false
    /// When the work must be taken again.
    var takenUntil: UnixTime = 0
    /// The start of the next round.
    var next: UnixTime = 0
  }

  /// Prunes a store.
  ///
  /// - Parameter takesWork: Takes the work for some seconds from other servers; returns whether they left it.
  package init(
    _ store: Store, takesWork: @escaping @Sendable (Int64) throws -> Bool = { _ in true }
  ) {
    self.store = store
    self.takesWork = takesWork
  }

  /// Does a bounded part of the work, if any is due. Call it regularly: a round through all domains takes
  /// several calls, and the next round begins an hour after it.
  ///
  /// - Throws: `StoreError`. The next call repeats this step.
  @discardableResult
  package func step(_ retention: Retention) throws -> Pruned {
    try state.withLock { state in
      guard store.now() >= state.next else { return Pruned() }
      return try step(retention, &state)
    }
  }

  private func step(_ retention: Retention, _ state: inout State) throws -> Pruned {
    var pruned = Pruned()
    if store.now() >= state.takenUntil {
      // Another server is in its round, or has ended it within the hour.
      guard try takesWork(Self.lease) else {
        state = State(next: store.now() + Self.lease)
        return pruned
      }
      state.takenUntil = store.now() + Self.lease / 2
    }
    if !state.isAuditDone {
      pruned.auditRecords = try store.pruneAudit(retention, limit: Bound.rows)
      state.isAuditDone = pruned.auditRecords < Bound.rows
    }
    if !state.areChangesDone {
      state.areChangesDone = try store.pruneChanges(
        retention, changes: Bound.rows, domains: Bound.deliveries)
    }
    if !state.areDeliveriesDone {
      (pruned.deliveries, state.areDeliveriesDone) =
        try store.pruneDeliveries(limit: Bound.deliveries)
    }
    if !state.areChecksDone {
      pruned.checks = try store.pruneChecks(retention, limit: Bound.rows)
      state.areChecksDone = pruned.checks < Bound.rows
    }
    if !state.areDraftsDone { state.areDraftsDone = try store.pruneDrafts(limit: Bound.rows) }
    let part = try store.pruneRevisions(
      retention, after: state.domain, domains: Bound.domains, rows: Bound.rows)
    state.domain = part.last ?? state.domain
    pruned.revisions = part.revisions
    pruned.domains = part.domains
    pruned.isComplete =
      part.last == nil && state.isAuditDone && state.areChangesDone && state.areDeliveriesDone
      && state.areChecksDone && state.areDraftsDone
    if pruned.isComplete {
      _ = try takesWork(Self.pause)
      state = State(next: store.now() + Self.pause)
    }
    return pruned
  }
}

extension Store {
  private static let context = WriteContext(author: "aasa prune")
  private static let dayInSeconds: Int64 = 86_400

  /// The time before which rows are removed; `nil` to keep all.
  fileprivate func cutoff(days: Int) -> UnixTime? {
    guard days > 0 else { return nil }
    let (seconds, isTooLong) = Int64(days).multipliedReportingOverflow(by: Self.dayInSeconds)
    return isTooLong ? nil : now() - seconds
  }

  /// Removes revisions of some of the domains after `last`, and the first of these domains if it was
  /// deleted long ago.
  ///
  /// - Returns: The number of removed revisions and domains, and the last domain with nothing left to
  ///   remove; `nil` after the last domain of all.
  fileprivate func pruneRevisions(
    _ retention: Retention, after last: Int64, domains: Int, rows: Int
  ) throws -> (revisions: Int, domains: Int, last: Int64?) {
    guard let cutoff = cutoff(days: retention.revisionDays) else { return (0, 0, nil) }
    let kept = max(1, retention.revisions)
    let some = try read { connection in
      try connection.all(
        """
        SELECT id, deleted_at IS NOT NULL AND deleted_at < ?1,
          EXISTS (\(PrunedRevisions.select(of: "domain.id", limit: "1")))
        FROM domain WHERE id > ?3 ORDER BY id LIMIT ?4
        """, [.integer(cutoff), .integer(kept), .integer(last), .integer(domains)]
      ) { (id: $0.integer(0), isOver: $0.bool(1), hasSome: $0.bool(2)) }
    }
    guard let end = some.last?.id else { return (0, 0, nil) }
    guard let first = some.first(where: { $0.isOver || $0.hasSome }) else { return (0, 0, end) }
    // A restore may have replaced the domain meanwhile, so all conditions are checked again.
    let count: (revisions: Int, domains: Int) = try write(Self.context) { transaction in
      // Its last revision stays until the end: with it, the domain can still be brought back.
      try transaction.connection.run(
        first.isOver
          ? """
          DELETE FROM revision WHERE id IN (
            SELECT revision.id FROM domain JOIN revision ON domain_id = domain.id
            WHERE domain.id = ?3 AND deleted_at < ?1 AND number < domain.revision
            ORDER BY number LIMIT ?4)
          """
          : "DELETE FROM revision WHERE id IN (\(PrunedRevisions.select(of: "?3", limit: "?4")))",
        [.integer(cutoff), .integer(kept), .integer(first.id), .integer(rows)])
      let revisions = transaction.connection.changes
      if !first.isOver || revisions == rows { return (revisions, 0) }
      try transaction.connection.run(
        "DELETE FROM domain WHERE id = ? AND deleted_at < ?",
        [.integer(first.id), .integer(cutoff)])
      return (revisions, transaction.connection.changes)
    }
    return (count.revisions, count.domains, count.revisions < rows ? first.id : first.id - 1)
  }

  /// Removes the oldest audit records.
  fileprivate func pruneAudit(_ retention: Retention, limit: Int) throws -> Int {
    guard let cutoff = cutoff(days: retention.auditDays) else { return 0 }
    let values: [Value] = [.integer(cutoff), .integer(limit)]
    let rows = """
      SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT ?2) AS oldest WHERE at < ?1
      """
    if try !read({ try $0.has(rows, values) }) { return 0 }
    return try write(Self.context) { transaction in
      try transaction.connection.run("DELETE FROM audit WHERE id IN (\(rows))", values)
      return transaction.connection.changes
    }
  }
}

extension Store {
  /// Removes the oldest changes, which are kept as long as audit records, and then the domains of removed ones.
  ///
  /// - Returns: Whether nothing is left to remove.
  fileprivate func pruneChanges(_ retention: Retention, changes: Int, domains: Int) throws -> Bool {
    guard let cutoff = cutoff(days: retention.auditDays) else { return true }
    let oldest = (
      "SELECT id FROM (SELECT id, at FROM recorded_change ORDER BY id LIMIT ?2) AS oldest WHERE at < ?1",
      [Value.integer(cutoff), .integer(changes)]
    )
    let orphans = (
      """
      SELECT change_id, name FROM changed_domain
      WHERE change_id < coalesce((SELECT min(id) FROM recorded_change), 9223372036854775807)
      ORDER BY change_id LIMIT ?1
      """, [Value.integer(domains)]
    )
    let isAny = try read { try $0.has(oldest.0, oldest.1) || $0.has(orphans.0, orphans.1) }
    guard isAny else { return true }
    return try write(Self.context) { transaction in
      let connection = transaction.connection
      try connection.run("DELETE FROM recorded_change WHERE id IN (\(oldest.0))", oldest.1)
      let isLast = connection.changes < changes
      try connection.run(
        "DELETE FROM changed_domain WHERE (change_id, name) IN (\(orphans.0))", orphans.1)
      return isLast && connection.changes < domains
    }
  }

  /// Removes drafts that ended long ago.
  ///
  /// - Returns: Whether nothing is left to remove.
  fileprivate func pruneDrafts(limit: Int) throws -> Bool {
    guard let cutoff = cutoff(days: Draft.daysKept) else { return true }
    if try !read({ try DraftRows.isAny(endedBefore: cutoff, $0) }) { return true }
    return try write(Self.context) {
      try DraftRows.delete(endedBefore: cutoff, limit: limit, $0.connection)
    }
  }

  /// Removes the details of old checks, but not of the last one of a domain.
  fileprivate func pruneChecks(_ retention: Retention, limit: Int) throws -> Int {
    guard let cutoff = cutoff(days: retention.checkDays) else { return 0 }
    let rows = """
      SELECT id FROM domain_check AS old
      WHERE result IS NOT NULL AND last_at < ?1 AND EXISTS (
        SELECT 1 FROM domain_check AS newer
        WHERE newer.domain_id = old.domain_id AND newer.id > old.id)
      ORDER BY last_at LIMIT ?2
      """
    let values: [Value] = [.integer(cutoff), .integer(limit)]
    if try !read({ try $0.has(rows, values) }) { return 0 }
    return try write(Self.context) { transaction in
      try transaction.connection.run(
        "UPDATE domain_check SET result = NULL WHERE id IN (\(rows))", values)
      return transaction.connection.changes
    }
  }
}

/// The oldest revisions of a domain that need not be kept.
private enum PrunedRevisions {
  /// Selects the rows. The first parameter is the time before which they are removed, the second the number
  /// of newest revisions to keep.
  ///
  /// - Parameters:
  ///   - domain: SQL for the row of the domain.
  ///   - limit: SQL for the number of revisions to examine.
  static func select(of domain: String, limit: String) -> String {
    """
    SELECT id FROM (
      SELECT id, published_at FROM revision AS old
      WHERE old.domain_id = \(domain)
        AND old.number < (SELECT revision FROM domain AS own WHERE own.id = \(domain))
        -- The one that Apple holds, since its fetches go with it.
        AND old.number IS DISTINCT FROM (
          SELECT max("fetch".revision) FROM "fetch"
          WHERE "fetch".domain_id = \(domain) AND \(FetchRows.byApple))
        AND old.number < (
          SELECT number FROM revision AS kept WHERE kept.domain_id = \(domain)
          ORDER BY number DESC LIMIT 1 OFFSET ?2 - 1)
      ORDER BY old.number LIMIT \(limit)
    ) AS examined WHERE published_at < ?1
    """
  }
}
