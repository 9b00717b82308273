import Association

/// What happened to many domains, as one message: events with one cause are one group.
struct Digest {
  /// A message has no more groups, and a group names no more domains.
  private static let most = 100

  private struct Group {
    let event: String
    /// The members of the data that make the cause.
    let cause: JSON.Object
    /// The data of the first event.
    let example: JSON.Object
    let first: UnixTime
    var last: UnixTime
    var count = 0
    var domains: [String] = []
    var seen: Set<String> = []
  }

  private var groups: [Group] = []
  private var places: [String: Int] = [:]
  private var (count, others): (Int, Int) = (0, 0)
  private var (first, last): (UnixTime?, UnixTime) = (nil, 0)

  /// Adds an event; later ones come later.
  mutating func add(_ event: String, of domain: String?, _ data: JSON.Object, at time: UnixTime) {
    count += 1
    (first, last) = (first ?? time, time)
    let cause = WebhookEvent(rawValue: event)?.cause(data) ?? [:]
    let key = "\(event) \(JSON.object(cause).text)"
    guard let place = places[key] ?? newPlace(for: key) else {
      others += 1
      return
    }
    if place == groups.count {
      groups.append(
        Group(event: event, cause: cause, example: data, first: time, last: time))
    }
    groups[place].count += 1
    groups[place].last = time
    if let domain, groups[place].seen.insert(domain).inserted {
      groups[place].domains.append(domain)
    }
  }

  private mutating func newPlace(for key: String) -> Int? {
    if groups.count == Self.most { return nil }
    places[key] = groups.count
    return groups.count
  }

  /// The data of the message.
  var data: JSON.Object {
    var object: JSON.Object = [
      "from": .time(first ?? last), "to": .time(last), "events": .integer(count),
      "groups": .array(
        groups.map { group in
          var object: JSON.Object = [
            "type": .string(group.event), "events": .integer(group.count),
            "from": .time(group.first), "to": .time(group.last), "cause": .object(group.cause),
            "domains": .strings(group.domains.prefix(Self.most)),
          ]
          let more = group.domains.count - Self.most
          if more > 0 { object["moreDomains"] = .integer(more) }
          object["example"] = .object(group.example)
          return .object(object)
        }),
    ]
    if others > 0 { object["moreEvents"] = .integer(others) }
    return object
  }
}

extension WebhookEvent {
  /// What is equal in the data of two events of this kind that have one cause.
  fileprivate func cause(_ data: JSON.Object) -> JSON.Object {
    var cause: JSON.Object = [:]
    switch self {
    case .revisionPublished, .domainDisabled, .domainDeleted:
      for key in ["action", "author", "reason"] { cause[key] = data[key] }
    case .checkFailed:
      // The worst finding, as in the dashboard: others follow from it, or differ by domain.
      let error = data["findings"]?.arrayValue?.first {
        $0["severity"]?.stringValue == Finding.Severity.error.rawValue
      }
      cause["code"] = error?["code"] ?? data["codes"]?.arrayValue?.first
    case .certificateExpiring: for key in ["expires", "issuer"] { cause[key] = data[key] }
    case .draftCreated, .draftApproved, .draftDeclined: cause["draft"] = data["draft"]
    case .checkRecovered, .appleCollected, .appleOverdue: break
    }
    return cause
  }
}

/// Reads and writes rows of `digest_event`: events that a webhook receives in its next digest.
enum DigestRows {
  /// SQL for the webhooks whose digest is due at the time that is the first parameter. Events have their order by number.
  private static let due = """
    SELECT id FROM webhook WHERE is_enabled = 1 AND digest_seconds IS NOT NULL AND (
      SELECT at FROM digest_event JOIN webhook_event ON webhook_event.id = event_id
      WHERE webhook_id = webhook.id ORDER BY event_id LIMIT 1) <= ?1 - digest_seconds
    """

  static func isAnyDue(_ connection: any Connection, now: UnixTime) throws -> Bool {
    try connection.has("\(due) LIMIT 1", [.integer(now)])
  }

  /// Makes each digest that is due a delivery.
  static func sendDue(_ connection: any Connection, now: UnixTime) throws {
    for webhook in try connection.all(due, [.integer(now)], row: { $0.integer(0) }) {
      try send(webhook, connection, now: now)
    }
  }

  /// Makes what a webhook would receive in its next digest a delivery now.
  static func send(_ webhook: Int64, _ connection: any Connection, now: UnixTime) throws {
    var (digest, isEmpty) = (Digest(), true)
    try connection.run(
      """
      SELECT event, domain, data, at FROM digest_event
      JOIN webhook_event ON webhook_event.id = event_id WHERE webhook_id = ? ORDER BY event_id
      """, [.integer(webhook)]
    ) { row in
      isEmpty = false
      digest.add(
        row.text(0), of: row.optionalText(1), try JSON.Object.read(row, 2), at: row.time(3))
    }
    if isEmpty { return }
    // Digests of a webhook are sent in their order.
    let queue = try connection.number(
      """
      SELECT event_delivery.queue FROM event_delivery
      JOIN webhook_event ON webhook_event.id = event_id
      WHERE webhook_id = ? AND event = ? ORDER BY event_id DESC LIMIT 1
      """, [.integer(webhook), .text(Delivery.digest)])
    let event = try EventRows.add(
      Delivery.digest, WebhookRows.newMessage(), of: nil, digest.data, connection,
      now: now)
    try EventRows.deliver(event, to: [webhook], isAtOnce: true, queue: queue, connection, now: now)
    try EventRows.delete(digestedBy: webhook, connection)
  }
}
