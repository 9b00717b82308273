package import Association

/// What is delivered to a webhook, and how far that is.
package struct Delivery: Sendable {
  /// How far a delivery is.
  package enum Status: String, Sendable, CaseIterable {
    /// It will be attempted.
    case pending
    case delivered
    /// The target did not take it, and it is not attempted any more.
    case failed
  }

  /// The number of its event; later ones have higher numbers.
  package var id: Int64 = 0
  /// The `webhook-id`.
  package var message = ""
  /// What happened: the raw value of a `WebhookEvent`, or `test`.
  package var event = ""
  /// The domain that it happened to; `nil` for a test and for a digest.
  package var domain: String?
  /// More about it.
  package var data: JSON.Object = [:]
  package var at: UnixTime = 0
  package var status = Status.pending
  /// How often it was attempted.
  package var attempts = 0
  /// When it was last attempted.
  package var attemptedAt: UnixTime?
  /// When it is attempted next; `nil` if it has ended, or if it waits for an earlier one.
  package var dueAt: UnixTime?
  /// How long the last attempt took.
  package var milliseconds: Int?
  /// The HTTP status of the last answer; `nil` if there was none.
  package var answer: Int?
  /// Why the last attempt failed; empty if it did not.
  package var error = ""

  /// The event of a delivery of what happened in some time.
  package static let digest = "digest"
  /// The event of a delivery without a cause.
  package static let test = "webhook.test"
  /// The pauses after failed attempts, in seconds: together about `retryPeriod`.
  package static let pauses: [Int64] = [5, 30, 300, 1800, 7200, 18_000, 28_800, 28_800]
  /// How long a target that fails is tried, in seconds.
  package static let retryPeriod: Int64 = 86_400
  /// How long a delivery is kept after its end, in seconds.
  package static let retention: Int64 = 30 * 86_400
}

/// A delivery that this server attempts now.
package struct ClaimedDelivery: Sendable {
  package let delivery: Delivery
  package let webhookRow: Int64
  package let webhook: Webhook
  /// The key that signs it.
  package let secret: WebhookSecret
}

package struct DeliveryAttempt: Sendable {
  /// What follows.
  package enum Outcome: Sendable, Equatable {
    case delivered
    /// It is attempted again after some seconds.
    case retry(after: Int64)
    /// It is not attempted again.
    case failed
    /// The target is gone for good: the webhook is disabled.
    case gone
  }

  package let claimed: ClaimedDelivery
  package let at: UnixTime
  package let outcome: Outcome
  /// The HTTP status; `nil` without an answer.
  package let answer: Int?
  /// Why it failed; empty if it did not.
  package let error: String
  package let milliseconds: Int

  package init(
    _ claimed: ClaimedDelivery, at: UnixTime, _ outcome: Outcome, answer: Int? = nil,
    error: String = "", milliseconds: Int
  ) {
    self.claimed = claimed
    self.at = at
    self.outcome = outcome
    self.answer = answer
    self.error = error
    self.milliseconds = milliseconds
  }
}

extension Store {
  /// A page of the deliveries of a webhook, the newest first.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deliveries(
    of name: String, _ status: Delivery.Status?, before last: Int64?, limit: Int
  ) throws -> [Delivery] {
    try read { connection in
      let (id, webhook) = try WebhookRows.get(name, connection)
      let written = try DeliveryRows.all(
        """
        WHERE webhook_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR event_id < ?3)
        ORDER BY event_id DESC LIMIT ?4
        """,
        [.integer(id), .optional(status?.rawValue), .optional(last), .integer(limit)], connection)
      if status ?? .pending != .pending { return written }
      let waiting = try DeliveryRows.waiting(
        for: id, webhook, before: last ?? .max, limit: limit, connection)
      if waiting.isEmpty { return written }
      return Array((waiting + written).sorted { $0.id > $1.id }.prefix(limit))
    }
  }

  /// Whether any delivery is due or waits to be written.
  package func hasDueDelivery() throws -> Bool {
    try read { connection in
      try EventRows.isAnyWaiting(connection, now: now())
        || !DeliveryRows.webhooksWithDue(at: now(), connection).isEmpty
    }
  }

  /// Writes the deliveries of some events to the webhooks that receive them.
  ///
  /// - Parameter limit: The number of deliveries to write, roughly.
  /// - Returns: Whether more wait.
  /// - Throws: `StoreError`. Then nothing was written.
  package func writeDeliveries(limit: Int = 1000) throws -> Bool {
    guard try read({ try EventRows.isAnyWaiting($0, now: now()) }) else { return false }
    return try write(.ofServer) { transaction in
      let (connection, now) = (transaction.connection, transaction.now)
      // Before those of later events, which may be about the same domains.
      let hasMore =
        try EarlierDeliveries.take(limit, connection, now: now)
        || EventRows.deliver(limit, connection, now: now)
      if !hasMore { try DigestRows.sendDue(connection, now: now) }
      return hasMore
    }
  }

  /// Takes deliveries that are due, so that no other server attempts them for a while.
  ///
  /// - Parameters:
  ///   - server: A word that no other server uses.
  ///   - lease: After how many seconds other servers take them to be lost.
  ///   - limit: The maximum number for each webhook.
  ///   - underWay: How many this server attempts now, by row of the webhook.
  /// - Throws: `StoreError`.
  package func claimDeliveries(
    by server: String, lease: Int64, limit: Int, underWay: [Int64: Int] = [:]
  ) throws -> [ClaimedDelivery] {
    let due = try read { try DeliveryRows.webhooksWithDue(at: now(), $0) }
    if due.allSatisfy({ underWay[$0, default: 0] >= limit }) { return [] }
    return try write(.ofServer) { transaction in
      let (connection, now) = (transaction.connection, transaction.now)
      return try DeliveryRows.webhooksWithDue(at: now, connection).flatMap { webhook in
        try DeliveryRows.claim(
          of: webhook, limit - underWay[webhook, default: 0], by: server, until: now + lease,
          connection, now: now)
      }
    }
  }

  /// Writes what came of attempts. One that another server has taken since is left to that server.
  ///
  /// - Returns: The webhooks that were disabled because their targets are gone.
  /// - Throws: `StoreError`. Then nothing was written.
  package func finish(_ attempts: [DeliveryAttempt], by server: String) throws -> [Webhook] {
    if attempts.isEmpty { return [] }
    return try write(.ofServer) { transaction in
      var disabled: [Webhook] = []
      for attempt in attempts {
        try DeliveryRows.finish(attempt, by: server, transaction.connection, now: transaction.now)
        if attempt.outcome == .gone, try transaction.disable(attempt.claimed) {
          disabled.append(attempt.claimed.webhook)
        }
      }
      return disabled
    }
  }

  /// Gives up what a server attempts, because it stops. It is attempted again at once, by whichever server
  /// comes first.
  package func releaseDeliveries(of server: String) throws {
    try write(.ofServer) { transaction in
      try transaction.connection.run(
        "UPDATE event_delivery SET due_at = ?, claim = NULL WHERE claim = ?",
        [.integer(transaction.now), .text(server)])
    }
  }

  /// The number of deliveries that enabled webhooks wait for, and when the oldest one's event happened. An event
  /// counts once until its deliveries are written.
  package func pendingDeliveries() throws -> (count: Int, since: UnixTime?) {
    try read { connection in
      try connection.first(
        """
        SELECT count, (SELECT at FROM webhook_event WHERE id = first) FROM (
          SELECT count(*) AS count, min(event_id) AS first FROM (
            SELECT event_id FROM event_delivery WHERE status = 'pending'
              AND webhook_id IN (SELECT id FROM webhook WHERE is_enabled = 1)
            UNION ALL SELECT id FROM webhook_event WHERE is_waiting = 1 AND EXISTS (
              SELECT 1 FROM webhook WHERE is_enabled = 1 AND after_event < webhook_event.id)
          ) AS pending
        ) AS counted
        """
      ) { ($0.int(0), $0.optionalTime(1)) } ?? (0, nil)
    }
  }

  /// Ends a few deliveries that disabled webhooks have waited for too long, and deletes a few that ended
  /// long ago.
  ///
  /// - Returns: The number of deleted rows, and whether nothing is left to do.
  func pruneDeliveries(limit: Int) throws -> (deleted: Int, isDone: Bool) {
    let over = """
      SELECT event_id, webhook_id FROM webhook
      JOIN event_delivery ON webhook_id = webhook.id AND status = 'pending'
      JOIN webhook_event ON webhook_event.id = event_id
      WHERE is_enabled = 0 AND at < ?1 ORDER BY event_id LIMIT ?2
      """
    // None ended before its event happened.
    let old = """
      SELECT event_id FROM webhook_event JOIN event_delivery ON event_id = webhook_event.id
      WHERE at < ?1 AND ended_at < ?1 ORDER BY at, event_id LIMIT ?2
      """
    let (given, kept): ([Value], [Value]) = (
      [.integer(now() - Delivery.retryPeriod), .integer(limit)],
      [.integer(now() - Delivery.retention), .integer(limit)]
    )
    let isAny = try read { try $0.has(over, given) || $0.has(old, kept) }
    guard isAny else { return (0, true) }
    return try write(.ofServer) { transaction in
      let (connection, now) = (transaction.connection, transaction.now)
      let waiting = try connection.all(over, given) { ($0.integer(0), $0.integer(1)) }
      for (event, webhook) in waiting {
        try DeliveryRows.giveUp(
          event, to: webhook, error: "the webhook was disabled for a day", connection, now: now)
      }
      let events = Set(try connection.all(old, kept) { $0.integer(0) })
      let deleted = try EventRows.delete(
        events, endedBefore: now - Delivery.retention, connection)
      return (deleted, max(deleted, waiting.count) < limit)
    }
  }
}

extension Transaction {
  /// Disables a webhook whose target is gone, unless it has another target by now.
  fileprivate func disable(_ claimed: ClaimedDelivery) throws -> Bool {
    guard let webhook = try WebhookRows.find(row: claimed.webhookRow, connection),
      webhook.isEnabled, webhook.url == claimed.webhook.url
    else { return false }
    try EventRows.settle(claimed.webhookRow, webhook, connection, now: now)
    try connection.run(
      """
      UPDATE webhook SET is_enabled = 0, gone_at = ?1, updated_at = ?1
      WHERE id = ?2 AND url = ?3 AND is_enabled = 1
      """, [.integer(now), .integer(claimed.webhookRow), .text(claimed.webhook.url)])
    if connection.changes == 0 { return false }
    try record(
      "disable webhook", .webhook(claimed.webhook.name), changes: ["its target answered 410"])
    return true
  }
}

extension Delivery.Status: Storable {}

/// Reads and writes rows of `event_delivery`.
enum DeliveryRows {
  private static let table = Table(
    "delivery", keys: [], blank: Delivery(),
    columns: [
      Column("id", \.id), Column("message", \.message), Column("event", \.event),
      Column("domain", \.domain), Column("data", \.data), Column("at", \.at),
      Column("status", \.status), Column("attempts", \.attempts),
      Column("attempted_at", \.attemptedAt), Column("due_at", \.dueAt),
      Column("milliseconds", \.milliseconds), Column("answer", \.answer),
      Column("error", \.error),
    ])

  static func all(
    _ condition: String, _ values: [Value], _ connection: any Connection
  ) throws -> [Delivery] {
    try connection.all(
      """
      SELECT \(table.selection) FROM (
        SELECT * FROM event_delivery JOIN webhook_event ON id = event_id) AS delivery \(condition)
      """, values
    ) { try table.read($0) }
  }

  /// What a webhook will receive of events whose deliveries are still to be written, the newest first.
  ///
  /// - Parameter last: The event after those to return.
  static func waiting(
    for row: Int64, _ webhook: Webhook, before last: Int64, limit: Int,
    _ connection: any Connection
  ) throws -> [Delivery] {
    var (found, last): ([Delivery], Int64?) = ([], last)
    while let end = last, found.count < limit {
      let some = try connection.all(
        """
        SELECT \(table.selection) FROM (
          SELECT id, message, event, domain, data, at, 'pending' AS status, 0 AS attempts,
            NULL AS attempted_at, NULL AS due_at, NULL AS milliseconds, NULL AS answer, '' AS error
          FROM webhook_event WHERE is_waiting = 1 AND id < ?1
            AND id > (SELECT after_event FROM webhook WHERE webhook.id = ?2)
          ORDER BY id DESC LIMIT 500) AS delivery
        """, [.integer(end), .integer(row)]
      ) { try table.read($0) }
      found += some.filter {
        webhook.wants($0.event, of: Alias(DomainName(stored: $0.domain ?? "")))
      }
      last = some.last?.id
    }
    return found
  }

  /// The rows of the enabled webhooks with a delivery that is due.
  static func webhooksWithDue(at now: UnixTime, _ connection: any Connection) throws -> [Int64] {
    try connection.all(
      """
      SELECT id FROM webhook WHERE is_enabled = 1 AND EXISTS (
        SELECT 1 FROM event_delivery WHERE webhook_id = webhook.id AND due_at <= ?)
      """, [.integer(now)]
    ) { $0.integer(0) }
  }

  static func claim(
    of webhook: Int64, _ limit: Int, by server: String, until end: UnixTime,
    _ connection: any Connection, now: UnixTime
  ) throws -> [ClaimedDelivery] {
    if limit <= 0 { return [] }
    let due = try all(
      "WHERE webhook_id = ? AND due_at <= ? ORDER BY due_at, event_id LIMIT ?",
      [.integer(webhook), .integer(now), .integer(limit)], connection)
    guard let found = try WebhookRows.find(row: webhook, connection),
      let secret = try WebhookRows.secret(of: webhook, connection)
    else { return [] }
    for delivery in due {
      try connection.run(
        "UPDATE event_delivery SET claim = ?, due_at = ? WHERE event_id = ? AND webhook_id = ?",
        [.text(server), .integer(end), .integer(delivery.id), .integer(webhook)])
    }
    return due.map {
      ClaimedDelivery(delivery: $0, webhookRow: webhook, webhook: found, secret: secret)
    }
  }

  static func finish(
    _ attempt: DeliveryAttempt, by server: String, _ connection: any Connection, now: UnixTime
  ) throws {
    let (event, webhook) = (attempt.claimed.delivery.id, attempt.claimed.webhookRow)
    let (status, next): (Delivery.Status, UnixTime?) =
      switch attempt.outcome {
      case .retry(let seconds): (.pending, now + seconds)
      case .delivered: (.delivered, nil)
      case .failed, .gone: (.failed, nil)
      }
    try connection.run(
      """
      UPDATE event_delivery SET claim = NULL, attempts = attempts + 1, attempted_at = ?,
        milliseconds = ?, answer = ?, error = ?, status = ?, due_at = ?, ended_at = ?
      WHERE event_id = ? AND webhook_id = ? AND claim = ?
      """,
      [
        .integer(attempt.at), .integer(attempt.milliseconds),
        .optional(attempt.answer.map(Int64.init)), .text(attempt.error), .text(status.rawValue),
        .optional(next), .optional(next == nil ? now : nil), .integer(event), .integer(webhook),
        .text(server),
      ])
    if status != .pending && connection.changes > 0 {
      try makeDue(after: event, to: webhook, connection, now: now)
    }
  }

  /// Gives up a delivery without a further attempt. The next one about its domain is due.
  static func giveUp(
    _ event: Int64, to webhook: Int64, error: String, _ connection: any Connection, now: UnixTime
  ) throws {
    try connection.run(
      """
      UPDATE event_delivery SET status = 'failed', error = ?, ended_at = ?, due_at = NULL, claim = NULL
      WHERE event_id = ? AND webhook_id = ?
      """, [.text(error), .integer(now), .integer(event), .integer(webhook)])
    try makeDue(after: event, to: webhook, connection, now: now)
  }

  /// Makes the next delivery about the domain due.
  private static func makeDue(
    after event: Int64, to webhook: Int64, _ connection: any Connection, now: UnixTime
  ) throws {
    try connection.run(
      """
      UPDATE event_delivery SET due_at = ?1 WHERE due_at IS NULL AND webhook_id = ?3
        AND event_id = (
          SELECT next.event_id FROM event_delivery AS ended
          JOIN event_delivery AS next ON next.webhook_id = ended.webhook_id
            AND next.queue = ended.queue AND next.status = 'pending'
          WHERE ended.event_id = ?2 AND ended.webhook_id = ?3 ORDER BY next.event_id LIMIT 1)
      """, [.integer(now), .integer(event), .integer(webhook)])
  }
}
