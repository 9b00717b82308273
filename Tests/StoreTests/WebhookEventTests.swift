import Association
import Publishing
import Store
import TestSupport
import Testing

/// An event is written exactly if its cause is.
@Suite struct WebhookEventTests {
  let hooks: WebhookStore
  var store: Store { hooks.store }
  let name: DomainName

  init() throws {
    hooks = try WebhookStore()
    name = try DomainName("example.com")
  }

  @Test func aPublishedRevisionIsTold() throws {
    try hooks.put("all")
    try store.put(.example(aliases: ["www.example.com"]))
    let delivery = try #require(try hooks.deliveries("all").first)
    #expect(
      delivery.data == [
        "domain": "example.com", "revision": 1, "action": "test", "author": "test", "reason": "",
        "changes": [],
      ])
    #expect(delivery.event == "revision.published" && delivery.status == .pending)
    #expect(delivery.message.hasPrefix("msg_") && delivery.message.utf8.count == 26)
    #expect(delivery.at == TemporaryStore.time)
    try store.put(.example())
    let next = try #require(try hooks.deliveries("all").last)
    #expect(next.data["changes"]?.arrayValue?.isEmpty == false && next.data["revision"] == 2)
    #expect(next.message != delivery.message)
  }

  @Test func anEditThatChangesNothingIsNotTold() throws {
    try hooks.put("all")
    let stored = try store.put(.example()).stored
    for _ in 1...3 { try store.put(stored.domain) }
    #expect(try hooks.events("all") == ["revision.published example.com"])
  }

  @Test func disablingAndDeletingADomainAreTold() throws {
    try hooks.put("all")
    var domain = try Domain.example()
    try store.put(domain)
    domain.isEnabled = false
    try store.put(domain)
    try store.put(
      {
        domain.cacheSeconds += 1; return domain
      }())
    try store.delete(name)
    #expect(
      try hooks.events("all") == [
        "revision.published example.com", "revision.published example.com",
        "domain.disabled example.com", "revision.published example.com",
        "domain.deleted example.com",
      ])
    let last = try #require(try hooks.deliveries("all").last)
    #expect(last.data["revision"] == 3 && last.data["names"] == ["example.com"])
  }

  @Test func anEditThatIsRolledBackIsNotTold() throws {
    struct Stop: Error {}
    try hooks.put("all")
    let edit = try store.edit(to: .example())
    #expect(throws: Stop.self) {
      try store.write(WriteContext(author: "test")) { transaction -> Void in
        _ = try transaction.save(edit, action: "test")
        throw Stop()
      }
    }
    _ = try store.write(WriteContext(author: "test", isDryRun: true)) {
      try $0.save(edit, action: "test").revision
    }
    #expect(try hooks.events("all").isEmpty)
  }

  @Test func aWebhookIsToldOnlyOfItsEventsAndDomains() throws {
    try hooks.put("deleted", events: [.domainDeleted])
    try hooks.put("brand", domains: ["*.brand.example", "example.com"])
    try hooks.put("off", isEnabled: false)
    try hooks.put("all")
    for domain in ["a.brand.example", "brand.example", "example.com", "www.example.com"] {
      try store.put(.example(domain))
    }
    try store.delete(name)
    #expect(try hooks.events("deleted") == ["domain.deleted example.com"])
    #expect(
      try hooks.events("brand") == [
        "revision.published a.brand.example", "revision.published example.com",
        "domain.deleted example.com",
      ])
    #expect(try hooks.events("off").isEmpty)
    #expect(try hooks.events("all").count == 5)
    let messages = try ["all", "brand", "deleted"].map { try hooks.deliveries($0).last?.message }
    #expect(Set(messages).count == 1, "one event has one message")
  }

  @Test func whatApplesCDNFetchesIsToldOnceForItsBytes() throws {
    try hooks.put("apple", events: [.appleCollected])
    let domain = try store.put(.example()).stored.id
    let fetch = { (revision: Int, fetcher: FetcherClass) in
      NewFetches(
        domain: domain, revision: revision, fetcher: fetcher, count: 1,
        firstAt: TemporaryStore.time + 60, lastAt: TemporaryStore.time + 70)
    }
    try store.add([fetch(1, .device), fetch(1, .other)])
    #expect(try hooks.events("apple").isEmpty)
    try store.add([fetch(1, .appleCDN)])
    try store.add([fetch(1, .appleCDN)])
    #expect(
      try hooks.deliveries("apple").map(\.data) == [
        [
          "domain": "example.com", "revision": 1, "servedSince": "2023-11-14T22:13:20Z",
          "collectedAt": "2023-11-14T22:14:20Z",
        ]
      ])
    // The same bytes again, then others, which Apple takes late, from another server.
    try store.put(
      {
        var other = try Domain.example(); other.cacheSeconds += 1; return other
      }())
    try store.add([fetch(2, .appleCDN)])
    try store.put(.example(paths: ["/b"]))
    try store.add([fetch(2, .appleCDN)])
    #expect(try hooks.events("apple").count == 1)
    try hooks.open().add([fetch(3, .appleCDN)])
    #expect(try hooks.deliveries("apple").map { $0.data["revision"] } == [1, 3])
  }

  @Test func anOverdueFetchByApplesCDNIsToldOnceForItsBytes() throws {
    try hooks.put("apple", events: [.appleOverdue])
    let domain = try store.put(.example()).stored.id
    try store.put(.example("new.example"))
    try store.add([
      NewFetches(
        domain: domain, revision: 1, fetcher: .appleCDN, count: 1, firstAt: store.now(),
        lastAt: store.now())
    ])
    hooks.wait(30 * 3600)
    #expect(try store.emitOverdue(hours: 24, limit: 10) == 0, "it is collected, or never was")
    try store.put(.example(paths: ["/b"]))
    hooks.wait(23 * 3600)
    #expect(try store.emitOverdue(hours: 24, limit: 10) == 0)
    hooks.wait(3600 + 1)
    #expect(try store.emitOverdue(hours: 24, limit: 10) == 1)
    #expect(try store.emitOverdue(hours: 24, limit: 10) == 0)
    try store.put(
      {
        var same = try Domain.example(paths: ["/b"]); same.cacheSeconds += 1; return same
      }())
    #expect(try hooks.open().emitOverdue(hours: 24, limit: 10) == 0, "the same bytes")
    try store.put(.example(paths: ["/c"]))
    try store.put(.example(paths: ["/b"]))
    hooks.wait(25 * 3600)
    #expect(try store.emitOverdue(hours: 24, limit: 10) == 1)
    let told = try hooks.deliveries("apple").map(\.data)
    #expect(told.map { $0["revision"] } == [2, 5])
    #expect(told.map { $0["hours"] } == [24, 25] && told.allSatisfy { $0["collected"] == 1 })
  }
}
