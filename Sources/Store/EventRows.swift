import Association

/// Reads and writes rows of `webhook_event`, and adds the deliveries of events.
enum EventRows {
  private static let columns = [
    "message", "event", "domain", "data", "at", "is_waiting", "queue",
  ]
  private static let insertion = Insertion(into: "webhook_event", depth: 0, columns)

  /// Adds an event whose deliveries are written at once, and returns its row. The member `domain`, with its name, is
  /// put in front of the data.
  static func add(
    _ event: String, _ message: String, of domain: String?, _ data: JSON.Object,
    _ connection: any Connection, now: UnixTime
  ) throws -> Int64 {
    try connection.add(
      insertion, values(event, message, of: domain, data, isWaiting: false, now: now))
  }

  /// Adds an event for which `deliver` is called later, for all webhooks that receive it.
  static func addWaiting(
    _ event: WebhookEvent, of domain: String?, _ data: JSON.Object, _ connection: any Connection,
    now: UnixTime
  ) throws {
    try connection.insert(
      insertion,
      values(
        event.rawValue, WebhookRows.newMessage(), of: domain, data, isWaiting: true, now: now))
  }

  private static func values(
    _ event: String, _ message: String, of domain: String?, _ data: JSON.Object, isWaiting: Bool,
    now: UnixTime
  ) -> [Value] {
    var members: JSON.Object = [:]
    if let domain { members["domain"] = .string(domain) }
    for member in data.members { members[member.key] = member.value }
    return [
      .text(message), .text(event), .optional(domain), .text(JSON.object(members).text),
      .integer(now), .integer(isWaiting ? 1 : 0), isWaiting ? .nullInteger : .integer(0),
    ]
  }

  /// Whether the deliveries of any event, or a digest, are still to be written.
  static func isAnyWaiting(_ connection: any Connection, now: UnixTime) throws -> Bool {
    if try DigestRows.isAnyDue(connection, now: now) { return true }
    return try connection.has(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM webhook_event WHERE is_waiting = 1)
        OR EXISTS (SELECT 1 FROM webhook_delivery)
      """)
  }

  /// Writes the deliveries of the first events that wait for it.
  ///
  /// - Parameter limit: The number of deliveries to write, roughly.
  /// - Returns: Whether more wait.
  static func deliver(_ limit: Int, _ connection: any Connection, now: UnixTime) throws -> Bool {
    let webhooks = try WebhookRows.enabled(connection)
    let count = max(1, limit / max(1, webhooks.count))
    let events = try waiting(after: 0, limit: count, connection)
    for event in events {
      let receivers = webhooks.filter {
        $0.after < event.id && $0.webhook.wants(event.event, of: event.domain)
      }
      try deliver(event.id, to: receivers.map(\.id), connection, now: now)
      try connection.run(
        "UPDATE webhook_event SET is_waiting = 0 WHERE id = ?", [.integer(event.id)])
      if receivers.isEmpty {
        // A webhook that changed since may have a delivery.
        try connection.run(
          """
          DELETE FROM webhook_event WHERE id = ?1
            AND NOT EXISTS (SELECT 1 FROM event_delivery WHERE event_id = ?1)
            AND NOT EXISTS (SELECT 1 FROM digest_event WHERE event_id = ?1)
          """, [.integer(event.id)])
      }
    }
    return events.count == count
  }

  /// Adds deliveries of an event. Each is due when no earlier one about the domain is pending. A webhook that takes
  /// digests receives it in the next one.
  ///
  /// - Parameters:
  ///   - webhooks: Rows of webhooks.
  ///   - isAtOnce: Whether it is in no digest.
  ///   - queue: The queue of the event; `nil` for that of its domain.
  static func deliver(
    _ event: Int64, to webhooks: [Int64], isAtOnce: Bool = false, queue: Int64? = nil,
    _ connection: any Connection, now: UnixTime
  ) throws {
    try connection.run(
      """
      UPDATE webhook_event SET queue = coalesce(?2,
        (SELECT earlier.queue FROM webhook_event AS earlier
          WHERE earlier.domain = webhook_event.domain AND earlier.queue IS NOT NULL
            AND earlier.id <> webhook_event.id LIMIT 1), id)
      WHERE id = ?1
      """, [.integer(event), .optional(queue)])
    if webhooks.isEmpty { return }
    let list = Value.text(JSON.array(webhooks.map { .integer($0) }).text)
    try connection.run(
      """
      INSERT INTO event_delivery (event_id, webhook_id, queue, status, due_at, attempts, error)
      SELECT webhook_event.id, webhook.id, queue, 'pending', CASE WHEN EXISTS (
        SELECT 1 FROM event_delivery AS earlier
        WHERE earlier.webhook_id = webhook.id AND earlier.queue = webhook_event.queue
          AND earlier.status = 'pending') THEN NULL ELSE ?3 END, 0, ''
      FROM webhook_event, webhook WHERE webhook_event.id = ?1 AND webhook.id IN (
        SELECT CAST(each.value AS BIGINT) FROM json_each(?2) AS each)
        AND (?4 = 1 OR digest_seconds IS NULL)
      """, [.integer(event), list, .integer(now), .bool(isAtOnce)])
    if isAtOnce { return }
    try connection.run(
      """
      INSERT INTO digest_event (webhook_id, event_id) SELECT webhook.id, ?1 FROM webhook
      WHERE digest_seconds IS NOT NULL AND webhook.id IN (
        SELECT CAST(each.value AS BIGINT) FROM json_each(?2) AS each)
      """, [.integer(event), list])
  }

  /// Lets a new webhook, or one that changes, receive only later events.
  static func begin(_ webhook: Int64, _ connection: any Connection) throws {
    try connection.run(
      """
      UPDATE webhook SET after_event = (SELECT coalesce(max(id), 0) FROM webhook_event)
      WHERE id = ?
      """, [.integer(webhook)])
  }

  /// Writes what a webhook receives of the events so far, before it changes.
  ///
  /// - Parameter old: The webhook before the change.
  static func settle(
    _ row: Int64, _ old: Webhook, _ connection: any Connection, now: UnixTime
  ) throws {
    if old.isEnabled {
      let after = try connection.number(
        "SELECT after_event FROM webhook WHERE id = ?", [.integer(row)])
      for event in try waiting(after: after ?? 0, connection)
      where old.wants(event.event, of: event.domain) {
        try deliver(event.id, to: [row], connection, now: now)
      }
      try DigestRows.send(row, connection, now: now)
    }
    try begin(row, connection)
  }

  /// Waits for those who have added events and not committed them, so that none with a lower number appears later. It
  /// comes first in a transaction, because PostgreSQL fixes what that sees at the first query.
  static func waitForWriters(_ connection: any Connection) throws {
    if connection.dialect == .postgreSQL {
      try connection.execute("LOCK TABLE webhook_event IN SHARE ROW EXCLUSIVE MODE")
    }
  }

  private static func waiting(
    after last: Int64, limit: Int = .max, _ connection: any Connection
  ) throws -> [(id: Int64, event: String, domain: Alias)] {
    try connection.all(
      """
      SELECT id, event, domain FROM webhook_event WHERE is_waiting = 1 AND id > ?
      ORDER BY id LIMIT ?
      """, [.integer(last), .integer(limit)]
    ) { ($0.integer(0), $0.text(1), Alias(DomainName(stored: $0.text(2)))) }
  }

  /// Deletes the events that only one webhook received.
  static func delete(onlyFor webhook: Int64, _ connection: any Connection) throws {
    try connection.run(
      """
      DELETE FROM webhook_event WHERE is_waiting = 0
        AND id IN (SELECT event_id FROM event_delivery WHERE webhook_id = ?1)
        AND NOT EXISTS (
          SELECT 1 FROM event_delivery WHERE event_id = webhook_event.id AND webhook_id <> ?1)
        AND NOT EXISTS (
          SELECT 1 FROM digest_event WHERE event_id = webhook_event.id AND webhook_id <> ?1)
      """, [.integer(webhook)])
    try delete(digestedBy: webhook, connection)
  }

  /// Forgets what a webhook would receive in its next digest, with the events that nobody else receives.
  static func delete(digestedBy webhook: Int64, _ connection: any Connection) throws {
    try connection.run(
      """
      DELETE FROM webhook_event WHERE is_waiting = 0
        AND id IN (SELECT event_id FROM digest_event WHERE webhook_id = ?1)
        AND NOT EXISTS (SELECT 1 FROM event_delivery WHERE event_id = webhook_event.id)
        AND NOT EXISTS (
          SELECT 1 FROM digest_event WHERE event_id = webhook_event.id AND webhook_id <> ?1)
      """, [.integer(webhook)])
    try connection.run("DELETE FROM digest_event WHERE webhook_id = ?", [.integer(webhook)])
  }

  /// Deletes deliveries of some events that ended long ago, and those of the events that have none any more.
  ///
  /// - Returns: The number of deleted deliveries.
  static func delete(
    _ events: Set<Int64>, endedBefore time: UnixTime, _ connection: any Connection
  ) throws -> Int {
    let these = "(SELECT CAST(each.value AS BIGINT) FROM json_each(?1) AS each)"
    let list = Value.text(JSON.array(events.map { .integer($0) }).text)
    try connection.run(
      "DELETE FROM event_delivery WHERE event_id IN \(these) AND ended_at < ?2",
      [list, .integer(time)])
    let deleted = connection.changes
    try connection.run(
      """
      DELETE FROM webhook_event WHERE id IN \(these) AND is_waiting = 0
        AND NOT EXISTS (SELECT 1 FROM event_delivery WHERE event_id = webhook_event.id)
        AND NOT EXISTS (SELECT 1 FROM digest_event WHERE event_id = webhook_event.id)
      """, [list])
    return deleted
  }
}
