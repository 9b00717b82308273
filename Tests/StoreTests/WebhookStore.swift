import Association
import Store
import Synchronization
import TestSupport
import Testing

/// A store with webhooks and a clock that the test sets.
final class WebhookStore: Sendable {
  private let temporary: TemporaryStore
  let store: Store
  private let seconds: Clock

  /// Seconds after the start.
  final class Clock: Sendable {
    fileprivate let value = Atomic<Int64>(0)
    var now: UnixTime { TemporaryStore.time + value.load(ordering: .relaxed) }
  }

  init() throws {
    let clock = Clock()
    seconds = clock
    temporary = try TemporaryStore { clock.now }
    store = temporary.store
  }

  /// A connection to the database, past the store.
  func connect() throws -> any Connection { try temporary.connect() }

  /// Another server on the same file.
  func open() throws -> Store {
    let clock = seconds
    return try temporary.open { clock.now }
  }

  func wait(_ time: Int64) { seconds.value.add(time, ordering: .relaxed) }

  /// Adds or changes a webhook, and returns its secret if it is new.
  @discardableResult
  func put(
    _ name: String, events: [WebhookEvent] = [], domains: [String] = [], isEnabled: Bool = true,
    digestSeconds: Int? = nil
  ) throws -> WebhookSecret? {
    var webhook = Webhook(name: name)
    webhook.url = "https://\(name).example/"
    webhook.events = events
    webhook.domains = try domains.map { try Alias($0) }
    webhook.isEnabled = isEnabled
    webhook.digestSeconds = digestSeconds
    return try store.write(WriteContext(author: "test")) { [webhook] in
      try $0.put(webhook).secret
    }
  }

  /// What is delivered to a webhook, oldest first.
  func deliveries(_ name: String) throws -> [Delivery] {
    try store.deliveries(of: name, nil, before: nil, limit: 1000).reversed()
  }

  /// The events of a webhook with their domains, oldest first.
  func events(_ name: String) throws -> [String] {
    try deliveries(name).map { "\($0.event) \($0.domain ?? "-")" }
  }

  /// Writes the deliveries of all events, and takes what is due.
  func claim(
    _ server: String = "a", limit: Int = 10, underWay: [Int64: Int] = [:], in store: Store? = nil
  ) throws -> [ClaimedDelivery] {
    let store = store ?? self.store
    while try store.writeDeliveries() {}
    return try store.claimDeliveries(
      by: server, lease: 60, limit: limit, underWay: underWay)
  }

  /// Ends attempts.
  @discardableResult
  func finish(
    _ claimed: [ClaimedDelivery], _ outcome: DeliveryAttempt.Outcome, by server: String = "a"
  ) throws -> [Webhook] {
    let attempts = claimed.map {
      DeliveryAttempt($0, at: store.now(), outcome, answer: 200, milliseconds: 1)
    }
    return try store.finish(attempts, by: server)
  }
}

extension [ClaimedDelivery] {
  /// The domains with the revisions, in order.
  var revisions: [String] {
    map { "\($0.delivery.domain ?? "-") \($0.delivery.data["revision"]?.integerValue ?? 0)" }
  }
}
