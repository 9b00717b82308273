import Association
@testable import Store
import Synchronization
import TestSupport
import Testing

/// An edit writes one event, however many webhooks receive it; their deliveries follow.
@Suite struct EventDeliveryTests {
  let hooks: WebhookStore
  var store: Store { hooks.store }

  init() throws {
    hooks = try WebhookStore()
    try hooks.put("a")
  }

  private func publish(_ domains: String..., path: String = "/a") throws {
    for domain in domains { try store.put(.example(domain, paths: [path])) }
  }

  private func writeAll() throws { while try store.writeDeliveries() {} }

  private func count(_ table: String) throws -> Int? {
    try hooks.connect().first("SELECT count(*) FROM \(table)") { $0.int(0) }
  }

  @Test func anEditWritesOneEventForAllWebhooksWithOneCopyOfItsData() throws {
    for number in 1...9 { try hooks.put("w\(number)") }
    try publish("x.example")
    #expect(try count("webhook_event") == 1 && count("event_delivery") == 0)
    try writeAll()
    #expect(try count("webhook_event") == 1 && count("event_delivery") == 10)
    #expect(try hooks.claim().count == 10)
  }

  @Test func deliveriesAreWrittenAFewAtATime() throws {
    try hooks.put("b")
    for number in 1...10 { try publish("d\(number).example") }
    #expect(try store.writeDeliveries(limit: 6) && count("event_delivery") == 6)
    #expect(try store.writeDeliveries(limit: 6) && count("event_delivery") == 12)
    try writeAll()
    #expect(try count("event_delivery") == 20 && !store.writeDeliveries())
  }

  @Test func deliveriesAreListedBeforeTheyAreWritten() throws {
    try hooks.put("b", domains: ["*.b.example"])
    try publish("x.example", "x.b.example")
    while try store.writeDeliveries() {}
    try publish("x.example", "x.b.example", path: "/b")
    let listed = try hooks.deliveries("a")
    let first = try store.deliveries(of: "a", .pending, before: nil, limit: 3)
    let rest = try store.deliveries(of: "a", .pending, before: first.last?.id, limit: 3)
    #expect((first + rest).map(\.id) == listed.reversed().map(\.id))
    #expect(try hooks.deliveries("b").map(\.domain) == ["x.b.example", "x.b.example"])
    #expect(try store.deliveries(of: "a", .failed, before: nil, limit: 3).isEmpty)
    #expect(try store.pendingDeliveries().count == 5, "two events count once, three are written")
    #expect(try store.hasDueDelivery())
    try writeAll()
    #expect(try hooks.deliveries("a").map(\.message) == listed.map(\.message))
    #expect(try store.pendingDeliveries().count == 6)
  }

  @Test func aWebhookThatIsAddedOrEnabledAfterAnEventDoesNotReceiveIt() throws {
    try hooks.put("off", isEnabled: false)
    try publish("x.example")
    try hooks.put("new")
    try hooks.put("off")
    try publish("y.example")
    for _ in 1...2 {
      #expect(try hooks.deliveries("a").map(\.domain) == ["x.example", "y.example"])
      #expect(try hooks.deliveries("new").map(\.domain) == ["y.example"])
      #expect(try hooks.deliveries("off").map(\.domain) == ["y.example"])
      try writeAll()
    }
  }

  @Test func aWebhookThatChangesReceivesWhatItWantedBeforeAndOnlyOnce() throws {
    try hooks.put("b", domains: ["x.example"])
    try publish("x.example", "y.example")
    try hooks.put("a", isEnabled: false)
    try hooks.put("b", domains: ["y.example"])
    try publish("x.example", "y.example", path: "/b")
    for _ in 1...2 {
      #expect(try hooks.deliveries("a").map(\.domain) == ["x.example", "y.example"])
      #expect(try hooks.deliveries("b").map(\.domain) == ["x.example", "y.example"])
      try writeAll()
    }
    #expect(try hooks.claim().map(\.webhook.name) == ["b", "b"], "a is disabled")
    try hooks.put("a")
    #expect(try hooks.claim().revisions == ["x.example 1", "y.example 1"])
  }

  @Test func whatAWebhookThatIsGoneWasToGetIsKeptForItsReturn() throws {
    try publish("x.example")
    let claimed = try hooks.claim()
    try publish("y.example")
    try hooks.finish(claimed, .gone)
    try writeAll()
    try hooks.put("a")
    #expect(try hooks.claim().revisions == ["y.example 1"])
  }

  @Test func ofADeletedWebhookNoEventIsKept() throws {
    try hooks.put("b", domains: ["x.example"])
    try publish("x.example", "y.example")
    try writeAll()
    try publish("z.example")
    try store.write(WriteContext(author: "test")) { try $0.deleteWebhook("a") }
    try writeAll()
    #expect(try count("webhook_event") == 1 && count("event_delivery") == 1)
    #expect(try hooks.claim().revisions == ["x.example 1"])
  }

  @Test func anEventThatNoWebhookReceivesIsNotKept() throws {
    try hooks.put("a", domains: ["x.example"])
    try publish("x.example", "y.example")
    try writeAll()
    #expect(try count("webhook_event") == 1)
    try hooks.put("a", events: [.domainDeleted])
    try publish("x.example", path: "/b")
    #expect(try count("webhook_event") == 1)
  }

  @Test func anEventIsDeletedWithItsLastDelivery() throws {
    try hooks.put("b")
    try publish("x.example", "y.example")
    let claimed = try hooks.claim()
    try hooks.finish(claimed.filter { $0.webhook.name == "a" }, .delivered)
    hooks.wait(3600)
    try hooks.finish([claimed.filter { $0.webhook.name == "b" }[0]], .delivered)
    let pruning = Pruning(store)
    hooks.wait(Delivery.retention - 1800)
    #expect(try pruning.step(Retention()).deliveries == 2)
    #expect(try count("webhook_event") == 2 && count("event_delivery") == 2)
    hooks.wait(3601)
    #expect(try pruning.step(Retention()).deliveries == 1)
    #expect(try count("webhook_event") == 1 && count("event_delivery") == 1)
  }

  @Test func aTestOvertakesEventsThatAreNotWrittenYet() throws {
    try publish("x.example")
    _ = try store.write(WriteContext(author: "test")) { try $0.testWebhook("a") }
    #expect(try hooks.events("a") == ["revision.published x.example", "webhook.test -"])
    try writeAll()
    #expect(try hooks.events("a") == ["revision.published x.example", "webhook.test -"])
  }

  @Test func severalServersWriteEachDeliveryOnce() throws {
    try hooks.put("b")
    for number in 1...30 { try publish("d\(number).example", "same.example", path: "/\(number)") }
    let other = try hooks.open()
    let threads = Threads(
      [store, other].map { store in
        {
          do { while try store.writeDeliveries(limit: 8) {} } catch { Issue.record(error) }
        }
      })
    #expect(threads.end())
    try writeAll()
    #expect(try hooks.deliveries("a").count == 60 && hooks.deliveries("b").count == 60)
    #expect(try hooks.claim(limit: 100).count == 2 * 31, "of same.example, the first one each")
  }

  @Test func whatAServerOfThePreviousVersionWritesIsSentInItsOrder() throws {
    let connection = try hooks.connect()
    let add = { (id: Int, revision: Int, claim: String, due: String) in
      try connection.run(
        """
        INSERT INTO webhook_delivery (id, webhook_id, message, event, domain, data, at, status,
          due_at, claim, attempts, error)
        SELECT \(id), id, 'msg_\(id)', 'revision.published', 'x.example', '{"revision": \(revision)}',
          \(TemporaryStore.time.seconds), 'pending', \(due), \(claim), 0, '' FROM webhook
        """)
    }
    let lease = "\(TemporaryStore.time.seconds + 60)"
    try add(1, 1, "'old'", lease)
    try add(2, 2, "NULL", "NULL")
    #expect(try hooks.claim().isEmpty, "the old server attempts the first one")
    hooks.wait(60)
    let first = try hooks.claim()
    try publish("x.example")
    #expect(first.revisions == ["x.example 1"] && first[0].delivery.message == "msg_1")
    try hooks.finish(first, .delivered)
    let second = try hooks.claim()
    #expect(second.revisions == ["x.example 2"])
    try hooks.finish(second, .delivered)
    #expect(try hooks.claim().revisions == ["x.example 1"], "of the new server")
    #expect(try count("webhook_delivery") == 0)
  }
}

/// Deliveries of earlier versions.
@Suite struct DeliveryUpgradeTests {
  @Test func anUpgradeKeepsDeliveriesAndTheirOrder() throws {
    let directory = try TemporaryDirectory()
    let location = try TemporaryDatabase.createEmpty(in: directory)
    do {
      let connection = try location.connect(.create)
      try Migrator.migrate(connection, upTo: 16, now: 0)
      for webhook in 1...2 {
        try connection.run(
          """
          INSERT INTO webhook (id, name, url, events, domains, format, is_enabled, secret, created_at,
            updated_at)
          VALUES (\(webhook), 'w\(webhook)', 'https://w.example/', '[]', '[]', 'standard', 1,
            ?, 0, 0)
          """, [.blob(Array(repeating: 0, count: 32))])
      }
      // Two webhooks, two domains, the second event of x.example waits; and a test.
      let rows: [(Int, Int, String, String, String, String)] = [
        (3, 1, "m1", "'x.example'", "delivered", "NULL"),
        (4, 2, "m1", "'x.example'", "pending", "90"),
        (5, 1, "m2", "'y.example'", "failed", "NULL"), (6, 2, "m2", "'y.example'", "pending", "0"),
        (7, 1, "m3", "'x.example'", "pending", "0"), (8, 2, "m3", "'x.example'", "pending", "NULL"),
        (9, 1, "m4", "NULL", "pending", "0"),
      ]
      for (id, webhook, message, domain, status, due) in rows {
        try connection.run(
          """
          INSERT INTO webhook_delivery (id, webhook_id, message, event, domain, data, at, status,
            due_at, attempts, error, ended_at)
          VALUES (\(id), \(webhook), '\(message)', 'revision.published', \(domain),
            '{"revision": \(id)}', 0, '\(status)', \(due), 1, '',
            \(status == "pending" ? "NULL" : "0"))
          """)
      }
    }
    let clock = Atomic<Int64>(0)
    let store = try Store(location) { UnixTime(clock.load(ordering: .relaxed)) }
    func listed(_ webhook: String) throws -> [String] {
      try store.deliveries(of: webhook, nil, before: nil, limit: 9).map {
        "\($0.message) \($0.domain ?? "-") \($0.status.rawValue) \($0.dueAt?.seconds ?? -1)"
      }
    }
    #expect(
      try listed("w1") == [
        "m4 - pending 0", "m3 x.example pending 0", "m2 y.example failed -1",
        "m1 x.example delivered -1",
      ])
    #expect(
      try listed("w2") == [
        "m3 x.example pending -1", "m2 y.example pending 0", "m1 x.example pending 90",
      ])
    clock.store(90, ordering: .relaxed)
    try store.put(.example("x.example"))
    while try store.writeDeliveries() {}
    func next() throws -> [String] {
      let claimed = try store.claimDeliveries(by: "a", lease: 60, limit: 9)
      _ = try store.finish(
        claimed.map { DeliveryAttempt($0, at: 90, .delivered, milliseconds: 1) }, by: "a")
      return claimed.map { "\($0.webhook.name) \($0.delivery.message.prefix(3))" }
    }
    #expect(try next() == ["w1 m3", "w1 m4", "w2 m2", "w2 m1"])
    #expect(try next() == ["w1 msg", "w2 m3"])
    #expect(try next() == ["w2 msg"])
  }
}
