import Association
import CSodium
import Glibc

/// What webhooks receive.
package enum WebhookEvent: String, Sendable, CaseIterable {
  /// A domain has a new revision.
  case revisionPublished = "revision.published"
  case domainDisabled = "domain.disabled"
  case domainDeleted = "domain.deleted"
  /// Checks of a domain fail.
  case checkFailed = "check.failed"
  /// Checks of a domain that failed do not fail any more.
  case checkRecovered = "check.recovered"
  /// Apple's CDN has fetched what a domain serves now.
  case appleCollected = "apple.collected"
  /// Apple's CDN has not fetched what a domain serves for long.
  case appleOverdue = "apple.overdue"
  /// The certificate of a domain ends soon.
  case certificateExpiring = "certificate.expiring"
  /// Somebody asks for the approval of a draft.
  case draftCreated = "draft.created"
  case draftApproved = "draft.approved"
  case draftDeclined = "draft.declined"
}

extension JSON {
  /// Texts, of which a message has only the first few.
  fileprivate static func excerpt(_ texts: [String]) -> JSON {
    let more = texts.count - 20
    return .strings(texts.prefix(20) + (more > 0 ? ["\(more) more"] : []))
  }
}

/// Writes events for the webhooks that want them.
enum WebhookRows {
  static func wants(_ event: WebhookEvent, _ connection: any Connection) throws -> Bool {
    try connection.has("SELECT 1 FROM webhook WHERE \(isTold) LIMIT 1", [.text(event.rawValue)])
  }

  /// SQL for whether a webhook receives the event that is the first parameter.
  private static let isTold = """
    is_enabled = 1
      AND (events = '[]' OR EXISTS (SELECT 1 FROM json_each(events) AS each WHERE each.value = ?1))
    """

  /// Writes an event if any enabled webhook wants it, perhaps of other domains. Call it in the transaction of its
  /// cause, so that neither exists without the other. It reads nothing that deliveries change, so that they and
  /// edits never wait for each other.
  ///
  /// - Parameters:
  ///   - domain: The row of the domain, which may be deleted.
  ///   - data: The event's data. The member `domain`, with its name, is put in front.
  static func emit(
    _ event: WebhookEvent, of domain: Int64, _ data: @autoclosure () throws -> JSON.Object,
    _ connection: any Connection, now: UnixTime
  ) throws {
    if try !wants(event, connection) { return }
    let name = try connection.first(
      """
      SELECT coalesce(name, deleted_name) FROM domain
      LEFT JOIN domain_name ON domain_id = id AND position = 0 WHERE id = ?
      """, [.integer(domain)]
    ) { $0.optionalText(0) }
    guard case let name?? = name else { return }
    try EventRows.addWaiting(event, of: name, data(), connection, now: now)
  }

  /// A new `webhook-id`.
  static func newMessage() throws -> String {
    try Sodium.start()
    var random = [UInt8](repeating: 0, count: 16)
    randombytes_buf(&random, random.count)
    return "msg_" + Sodium.base64(random, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
  }
}

extension Transaction {
  /// Writes what publishing a revision means for webhooks.
  ///
  /// - Parameter isDisabled: Whether the revision disabled the domain.
  func emit(
    _ revision: Int, of domain: DomainName, action: String, changes: [String], isDisabled: Bool
  ) throws {
    let members: JSON.Object = [
      "revision": .integer(revision), "action": .string(action),
      "author": .string(context.author), "reason": .string(context.reason),
    ]
    var published = members
    published["changes"] = .excerpt(changes)
    try emit(.revisionPublished, of: domain, published)
    if isDisabled { try emit(.domainDisabled, of: domain, members) }
  }

  /// Writes that a domain was deleted.
  func emitDeletion(of domain: StoredDomain) throws {
    try emit(
      .domainDeleted, of: domain.domain.name,
      [
        "revision": .integer(domain.revision),
        "names": .excerpt(domain.domain.names.map(\.description)),
        "author": .string(context.author), "reason": .string(context.reason),
      ])
  }

  private func emit(_ event: WebhookEvent, of domain: DomainName, _ data: JSON.Object) throws {
    let isWanted =
      try footprint.wantedEvents[event] ?? WebhookRows.wants(event, connection)
    footprint.wantedEvents[event] = isWanted
    if isWanted { try EventRows.addWaiting(event, of: domain.text, data, connection, now: now) }
  }
}
