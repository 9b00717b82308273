import SQLite
import Synchronization

/// What is kept of the past.
public struct Retention: Sendable, Equatable {
  /// How many of the newest revisions of each domain are kept, whatever their age; the one that is
  /// served always is.
  public var revisions: Int
  /// For how many days all revisions are kept; 0 keeps them for ever.
  public var revisionDays: Int
  /// For how many days the audit is kept; 0 keeps it for ever.
  public var auditDays: Int

  /// What is kept.
  public init(revisions: Int = 100, revisionDays: Int = 0, auditDays: Int = 0) {
    self.revisions = revisions
    self.revisionDays = revisionDays
    self.auditDays = auditDays
  }
}

/// How much of the past went.
public struct Pruned: Sendable, Equatable {
  /// Revisions.
  public var revisions = 0
  /// Records of the audit.
  public var auditRecords = 0
  /// Whether everything was looked at.
  public var isComplete = true

  /// Nothing.
  public init() {}
}

/// Removes what is not kept, a little at a time.
public final class Pruning: Sendable {
  /// What one step does at most, so that an edit never waits long for it.
  private enum Bound {
    /// Domains that are looked at, without keeping writers waiting.
    static let domains = 200
    /// Rows that are removed. A document has at most 128 KB.
    static let rows = 50
  }

  /// How long after the end of a round the next one begins, in seconds.
  private static let pause: Int64 = 3600

  private let store: Store
  private let state = Mutex(State())

  private struct State {
    /// The row of the domain that was looked at last in this round.
    var domain: Int64 = 0
    var isAuditDone = false
    /// When the next round begins.
    var next: Int64 = .min
  }

  /// Of a store.
  public init(_ store: Store) { self.store = store }

  /// Does a bounded part of the work if there is any to be done now. To be called now and then. A round
  /// through all domains takes several calls; an hour after it the next one begins.
  ///
  /// - Returns: What went in this call, and whether the round has ended.
  /// - Throws: `StoreError`. The next call goes on where this one began.
  @discardableResult
  public func step(_ retention: Retention) throws -> Pruned {
    try state.withLock { state in
      guard store.now() >= state.next else { return Pruned() }
      return try step(retention, &state)
    }
  }

  private func step(_ retention: Retention, _ state: inout State) throws -> Pruned {
    var pruned = Pruned()
    if !state.isAuditDone {
      pruned.auditRecords = try store.pruneAudit(retention, limit: Bound.rows)
      state.isAuditDone = pruned.auditRecords < Bound.rows
    }
    let part = try store.pruneRevisions(
      retention, after: state.domain, domains: Bound.domains, rows: Bound.rows)
    state.domain = part.last ?? state.domain
    pruned.revisions = part.count
    pruned.isComplete = part.last == nil && state.isAuditDone
    if pruned.isComplete {
      (state.domain, state.isAuditDone, state.next) = (0, false, store.now() + Self.pause)
    }
    return pruned
  }
}

extension Store {
  private static let context = WriteContext(author: "aasa prune")
  private static let secondsOfDay: Int64 = 86_400

  /// What is older than some days goes; `nil` where nothing does.
  private func cutoff(days: Int) -> Int64? {
    guard days > 0 else { return nil }
    let (seconds, isTooLong) = Int64(days).multipliedReportingOverflow(by: Self.secondsOfDay)
    return isTooLong ? nil : now() - seconds
  }

  /// Removes revisions of some domains, those with the rows after `last`.
  ///
  /// - Returns: How many went, and the domain up to which there is nothing left to remove; `nil` where
  ///   that is the last.
  fileprivate func pruneRevisions(
    _ retention: Retention, after last: Int64, domains: Int, rows: Int
  ) throws -> (count: Int, last: Int64?) {
    guard let cutoff = cutoff(days: retention.revisionDays) else { return (0, nil) }
    let kept = max(1, retention.revisions)
    let some = try read { connection in
      try connection.all(
        """
        SELECT id, EXISTS (\(PrunedRevisions.select(of: "domain.id", limit: "1"))) FROM domain
        WHERE id > ?3 ORDER BY id LIMIT ?4
        """, [.integer(cutoff), .integer(kept), .integer(last), .integer(domains)]
      ) { (id: $0.integer(0), hasSome: $0.bool(1)) }
    }
    guard let end = some.last?.id else { return (0, nil) }
    guard let first = some.first(where: \.hasSome)?.id else { return (0, end) }
    // A restore may have put another domain into the row meanwhile: all conditions are looked at again.
    let count = try write(Self.context) { transaction in
      try transaction.connection.run(
        "DELETE FROM revision WHERE id IN (\(PrunedRevisions.select(of: "?3", limit: "?4")))",
        [.integer(cutoff), .integer(kept), .integer(first), .integer(rows)])
      return transaction.connection.changes
    }
    return (count, count < rows ? first : first - 1)
  }

  /// Removes records of the audit, the oldest first.
  fileprivate func pruneAudit(_ retention: Retention, limit: Int) throws -> Int {
    guard let cutoff = cutoff(days: retention.auditDays) else { return 0 }
    let values: [Value] = [.integer(cutoff), .integer(limit)]
    let rows = """
      SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT ?2) WHERE at < ?1
      """
    let isAny = try read { try $0.first(rows, values) { _ in true } ?? false }
    guard isAny else { return 0 }
    return try write(Self.context) { transaction in
      try transaction.connection.run("DELETE FROM audit WHERE id IN (\(rows))", values)
      return transaction.connection.changes
    }
  }
}

/// The oldest revisions of a domain that are not kept.
private enum PrunedRevisions {
  /// Selects the rows. The first parameter is the time before which they go, the second how many of the
  /// newest are kept.
  ///
  /// - Parameters:
  ///   - domain: SQL for the row of the domain.
  ///   - limit: SQL for how many of the oldest are looked at.
  static func select(of domain: String, limit: String) -> String {
    """
    SELECT id FROM (
      SELECT id, published_at FROM revision AS old
      WHERE old.domain_id = \(domain)
        AND old.number < (SELECT revision FROM domain AS own WHERE own.id = \(domain))
        AND old.number < (
          SELECT number FROM revision AS kept WHERE kept.domain_id = \(domain)
          ORDER BY number DESC LIMIT 1 OFFSET ?2 - 1)
      ORDER BY old.number LIMIT \(limit)
    ) WHERE published_at < ?1
    """
  }
}
