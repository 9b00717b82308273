package import Association
import CSodium

/// A program elsewhere that receives events.
package struct Webhook: Sendable, Equatable {
  /// The shape of what it gets.
  package enum Format: String, Sendable, CaseIterable {
    /// The JSON of Standard Webhooks (standardwebhooks.com).
    case standard
    /// The JSON that Slack's incoming webhooks take.
    case slack
  }

  package var name: String
  /// Where events are sent: an `https` URL, or an `http` URL whose host is an address.
  package var url = ""
  /// The events that it receives; empty for all.
  package var events: [WebhookEvent] = []
  /// The domains whose events it receives, such as `*.brand.example`; empty for all.
  package var domains: [Alias] = []
  /// The shape of what it gets.
  package var format = Format.standard
  package var isEnabled = true
  /// How long events are collected for one message, in seconds; `nil` to send each by itself.
  package var digestSeconds: Int?
  /// When its target answered 410, which disabled it; `nil` if it did not.
  package var goneAt: UnixTime?
  package var createdAt: UnixTime = 0
  package var updatedAt: UnixTime = 0

  /// There are no more webhooks than this.
  package static let limit = 100
  /// The longest name, in characters.
  package static let longestName = 100
  /// The range of `digestSeconds`: up to a day.
  package static let digestSecondsRange = 10...86_400
  /// A webhook that begins to receive `check.failed` hears of no more domains that fail already.
  package static let mostFailuresAtStart = 1000

  /// Whether it receives an event of a domain.
  ///
  /// - Parameter event: The raw value of a `WebhookEvent`, perhaps of a later version of the program.
  func wants(_ event: String, of domain: Alias) -> Bool {
    isEnabled && (events.isEmpty || events.contains { $0.rawValue == event })
      && (domains.isEmpty || domains.contains { $0.covers(domain) })
  }

  /// A webhook for everything, without a URL.
  package init(name: String) { self.name = name }
}

/// The key that signs what a webhook gets.
package struct WebhookSecret: Sendable, Equatable {
  fileprivate let bytes: [UInt8]

  /// The prefix of every secret.
  package static let prefix = "whsec_"
  /// How many bytes a secret may have.
  package static let lengths = 24...64

  /// A new secret of 256 random bits.
  package init() throws {
    try Sodium.start()
    var random = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&random, random.count)
    bytes = random
  }

  /// A secret as it is written: the prefix, and 24 to 64 bytes in base64.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let encoded = Array(text.utf8.dropFirst(Self.prefix.utf8.count)).map { CChar(bitPattern: $0) }
    var decoded = [UInt8](repeating: 0, count: Self.lengths.upperBound)
    var count = 0
    let code = sodium_base642bin(
      &decoded, decoded.count, encoded, encoded.count, nil, &count, nil,
      Int32(sodium_base64_VARIANT_ORIGINAL))
    guard code == 0, Self.lengths.contains(count) else { return nil }
    bytes = Array(decoded.prefix(count))
  }

  fileprivate init(stored bytes: [UInt8]) { self.bytes = bytes }

  /// The secret as it is written.
  package var text: String { Self.prefix + Sodium.base64(bytes, sodium_base64_VARIANT_ORIGINAL) }

  /// The `webhook-signature` of a message (Standard Webhooks, "Signature scheme").
  package func signature(_ message: String, at time: UnixTime, _ body: [UInt8]) -> String {
    let signed = Array("\(message).\(time.seconds).".utf8) + body
    var state = crypto_auth_hmacsha256_state()
    var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_init(&state, bytes, bytes.count)
    crypto_auth_hmacsha256_update(&state, signed, UInt64(signed.count))
    crypto_auth_hmacsha256_final(&state, &digest)
    return "v1," + Sodium.base64(digest, sodium_base64_VARIANT_ORIGINAL)
  }
}

/// The webhook's secret is not shown where it would be by accident.
extension WebhookSecret: CustomStringConvertible {
  package var description: String { Self.prefix + "…" }
}

extension Store {
  /// All webhooks, ordered by name.
  package func webhooks() throws -> [Webhook] {
    try read { connection in
      try connection.all("\(WebhookRows.select) ORDER BY name") { try WebhookRows.table.read($0) }
    }
  }

  /// - Throws: `StoreError.notFound`.
  package func webhook(_ name: String) throws -> Webhook {
    try read { try WebhookRows.get(name, $0).webhook }
  }
}

extension Transaction {
  /// Adds or replaces a webhook. Pending deliveries are attempted again at once. It hears of domains whose
  /// checks fail already, unless it received their events before.
  ///
  /// - Parameter secret: Its secret; `nil` to keep the one that it has, or to make one.
  /// - Returns: The webhook, and its secret if it got one now, which cannot be read again.
  /// - Throws: `StoreError.tooManyWebhooks`.
  package func put(
    _ new: Webhook, secret: WebhookSecret? = nil
  ) throws -> (webhook: Webhook, isNew: Bool, secret: WebhookSecret?) {
    if !isDryRun { try EventRows.waitForWriters(connection) }
    var new = new
    (new.createdAt, new.updatedAt, new.goneAt) = (now, now, nil)
    guard let (id, old) = try WebhookRows.find(new.name, connection) else {
      let count = try connection.count("SELECT count(*) FROM webhook")
      if count >= Webhook.limit { throw StoreError.tooManyWebhooks }
      let secret = try secret ?? WebhookSecret()
      if isDryRun { return (new, true, secret) }
      try connection.run(
        """
        INSERT INTO webhook (secret, \(WebhookRows.columns))
        VALUES (?\(WebhookRows.table.columns.map { _ in ", ?" }.joined()))
        """, [.blob(secret.bytes)] + WebhookRows.table.values(new))
      try EventRows.begin(WebhookRows.get(new.name, connection).id, connection)
      try tellOfFailures(new, before: nil)
      try record("add webhook", .webhook(new.name))
      return (new, true, secret)
    }
    new.createdAt = old.createdAt
    if !new.isEnabled && !old.isEnabled { new.goneAt = old.goneAt }
    let isSecretNew = try secret.map { try $0 != WebhookRows.secret(of: id, connection) } ?? false
    var changes = old.words(changingTo: new)
    if isSecretNew { changes.append("secret changed") }
    if isDryRun { return (changes.isEmpty ? old : new, false, isSecretNew ? secret : nil) }
    try connection.run(
      """
      UPDATE event_delivery SET due_at = ?
      WHERE webhook_id = ? AND due_at IS NOT NULL AND claim IS NULL
      """, [.integer(now), .integer(id)])
    if changes.isEmpty { return (old, false, nil) }
    try EventRows.settle(id, old, connection, now: now)
    try WebhookRows.table.update(new, is: .integer(id), connection)
    if let secret, isSecretNew {
      try connection.run(
        "UPDATE webhook SET secret = ? WHERE id = ?", [.blob(secret.bytes), .integer(id)])
    }
    try tellOfFailures(new, before: old)
    try record("change webhook", .webhook(new.name), changes: changes)
    return (new, false, isSecretNew ? secret : nil)
  }

  private func tellOfFailures(_ webhook: Webhook, before old: Webhook?) throws {
    let isNew = { (domain: Alias) in
      let event = WebhookEvent.checkFailed.rawValue
      return webhook.wants(event, of: domain) && old?.wants(event, of: domain) != true
    }
    let id = try WebhookRows.get(webhook.name, connection).id
    try CheckRows.tell(id, of: isNew, connection, now: now)
  }

  /// Deletes a webhook with its deliveries.
  ///
  /// - Throws: `StoreError.notFound`.
  package func deleteWebhook(_ name: String) throws {
    let id = try WebhookRows.get(name, connection).id
    if isDryRun { return }
    try EventRows.delete(onlyFor: id, connection)
    try connection.run("DELETE FROM webhook WHERE id = ?", [.integer(id)])
    try record("delete webhook", .webhook(name))
  }

  /// Adds a delivery without a cause, to try a webhook out.
  ///
  /// - Throws: `StoreError.notFound`, `StoreError.webhookDisabled`.
  package func testWebhook(_ name: String) throws -> Delivery {
    let (id, webhook) = try WebhookRows.get(name, connection)
    if !webhook.isEnabled { throw StoreError.webhookDisabled(name) }
    let (message, data): (String, JSON.Object) = (
      try WebhookRows.newMessage(), ["webhook": .string(name)]
    )
    if isDryRun {
      var delivery = Delivery()
      (delivery.event, delivery.message, delivery.data) = (Delivery.test, message, data)
      (delivery.at, delivery.dueAt) = (now, now)
      delivery.id = try connection.number("SELECT coalesce(max(id), 0) + 1 FROM webhook_event") ?? 1
      return delivery
    }
    let event = try EventRows.add(
      Delivery.test, message, of: nil, data, connection, now: now)
    try EventRows.deliver(event, to: [id], isAtOnce: true, connection, now: now)
    let added = try DeliveryRows.all(
      "WHERE event_id = ? AND webhook_id = ?", [.integer(event), .integer(id)], connection)
    guard let delivery = added.first else { throw StoreError.notFound(.webhook(name)) }
    try record("test webhook", .webhook(name))
    return delivery
  }
}

extension Webhook {
  /// What changes, in words that keep the URL to themselves: it may have a secret of its own.
  fileprivate func words(changingTo new: Webhook) -> [String] {
    var words: [String] = []
    if !url.utf8.elementsEqual(new.url.utf8) { words.append("URL changed") }
    if Set(events) != Set(new.events) { words.append("events changed") }
    if Set(domains) != Set(new.domains) { words.append("domains changed") }
    if format != new.format { words.append("format changed") }
    if digestSeconds != new.digestSeconds { words.append("digestSeconds changed") }
    if isEnabled != new.isEnabled { words.append(new.isEnabled ? "enabled" : "disabled") }
    return words
  }
}

extension Webhook.Format: Storable {}

extension WebhookRows {
  fileprivate static let table = Table(
    "webhook", keys: [], blank: Webhook(name: ""),
    columns: [
      Column("name", \.name), Column("url", \.url),
      Column("events") {
        $0.events.map(\.rawValue).stored
      } read: {
        // Events of a later version of the program are left out.
        $2.events = try [String].read($0, $1).compactMap(WebhookEvent.init(rawValue:))
      },
      Column("domains") {
        $0.domains.map(\.description).stored
      } read: {
        $2.domains = try [String].read($0, $1).map { Alias(stored: $0) }
      },
      Column("format", \.format),
      Column("digest_seconds", \.digestSeconds),
      Column("is_enabled", \.isEnabled), Column("gone_at", \.goneAt),
      Column("created_at", \.createdAt), Column("updated_at", \.updatedAt),
    ])

  fileprivate static let columns = table.columns.map(\.name).joined(separator: ", ")
  fileprivate static let select = "SELECT \(table.selection) FROM webhook"

  static func find(
    _ name: String, _ connection: any Connection
  ) throws -> (id: Int64, webhook: Webhook)? {
    try connection.first(
      "SELECT id, \(table.selection) FROM webhook WHERE name = ?", [.text(name)]
    ) { ($0.integer(0), try table.read($0, from: 1)) }
  }

  static func find(row: Int64, _ connection: any Connection) throws -> Webhook? {
    try connection.first("\(select) WHERE id = ?", [.integer(row)]) { try table.read($0) }
  }

  /// - Throws: `StoreError.notFound`.
  static func get(
    _ name: String, _ connection: any Connection
  ) throws -> (id: Int64, webhook: Webhook) {
    guard let found = try find(name, connection) else {
      throw StoreError.notFound(.webhook(name))
    }
    return found
  }

  /// The enabled webhooks: the row of each, and the last event that it does not receive any more.
  static func enabled(
    _ connection: any Connection
  ) throws -> [(id: Int64, after: Int64, webhook: Webhook)] {
    try connection.all(
      "SELECT id, after_event, \(table.selection) FROM webhook WHERE is_enabled = 1 ORDER BY id"
    ) { ($0.integer(0), $0.integer(1), try table.read($0, from: 2)) }
  }

  /// The secret of the webhook with a row.
  static func secret(of id: Int64, _ connection: any Connection) throws -> WebhookSecret? {
    try connection.first("SELECT secret FROM webhook WHERE id = ?", [.integer(id)]) {
      WebhookSecret(stored: $0.blob(0))
    }
  }
}
