import Association

/// Takes over what servers of the previous version write into `webhook_delivery` while they still run.
enum EarlierDeliveries {
  private struct Row {
    let id: Int64
    let message: String
    let domain: String?
  }

  /// Moves some rows, the oldest first. Those that another server attempts now stay with it, and so do later
  /// ones about the domain.
  ///
  /// - Returns: Whether any was moved.
  static func take(_ limit: Int, _ connection: any Connection, now: UnixTime) throws -> Bool {
    let rows = try connection.all(
      """
      SELECT id, message, domain FROM webhook_delivery AS own WHERE NOT EXISTS (
        SELECT 1 FROM webhook_delivery AS other
        WHERE other.webhook_id = own.webhook_id AND other.status = 'pending'
          AND (other.id = own.id OR other.domain = own.domain)
          AND other.claim IS NOT NULL AND other.due_at > ?)
      ORDER BY id LIMIT ?
      """, [.integer(now), .integer(limit)]
    ) { Row(id: $0.integer(0), message: $0.text(1), domain: $0.optionalText(2)) }
    var event: (message: String, id: Int64)?
    for row in rows {
      if event?.message != row.message {
        event = try addEvent(of: row, connection).map { (row.message, $0) }
      }
      guard let id = event?.id else { continue }
      try connection.run(
        """
        INSERT INTO event_delivery (event_id, webhook_id, queue, status, due_at, attempts,
          attempted_at, milliseconds, answer, error, ended_at)
        SELECT webhook_event.id, own.webhook_id, queue, own.status,
          CASE WHEN own.status = 'pending' AND NOT EXISTS (
            SELECT 1 FROM event_delivery AS earlier WHERE earlier.webhook_id = own.webhook_id
              AND earlier.queue = webhook_event.queue AND earlier.status = 'pending')
          THEN coalesce(own.due_at, ?3) END,
          own.attempts, own.attempted_at, own.milliseconds, own.answer, own.error, own.ended_at
        FROM webhook_delivery AS own, webhook_event WHERE own.id = ?1 AND webhook_event.id = ?2
        """, [.integer(row.id), .integer(id), .integer(now)])
      try connection.run("DELETE FROM webhook_delivery WHERE id = ?", [.integer(row.id)])
    }
    return !rows.isEmpty
  }

  private static func addEvent(of row: Row, _ connection: any Connection) throws -> Int64? {
    let event = try connection.number(
      """
      INSERT INTO webhook_event (message, event, domain, data, at, is_waiting, queue)
      SELECT message, event, domain, data, at, 0, 0 FROM webhook_delivery WHERE id = ?
      RETURNING id
      """, [.integer(row.id)])
    if let event { try EventRows.deliver(event, to: [], connection, now: 0) }
    return event
  }
}
