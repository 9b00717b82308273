import Association
import Store
import Synchronization
import TestSupport
import Testing

/// Deliveries go out in order, at least once, and end.
@Suite struct DeliveryTests {
  let hooks: WebhookStore
  var store: Store { hooks.store }

  init() throws {
    hooks = try WebhookStore()
    try hooks.put("a")
  }

  /// Publishes revisions of some domains, one after the other.
  private func publish(_ count: Int, _ domains: String...) throws {
    for number in 1...count {
      for domain in domains { try store.put(.example(domain, paths: ["/\(number)"])) }
    }
  }

  @Test func aLaterEventOfADomainWaitsForTheEarlierOne() throws {
    try publish(3, "x.example", "y.example")
    let first = try hooks.claim()
    #expect(first.revisions == ["x.example 1", "y.example 1"])
    #expect(try hooks.claim().isEmpty)
    try hooks.finish([first[0]], .delivered)
    #expect(try hooks.claim().revisions == ["x.example 2"])
    try hooks.finish([first[1]], .retry(after: 30))
    hooks.wait(29)
    #expect(try hooks.claim().isEmpty)
    hooks.wait(1)
    let again = try hooks.claim()
    #expect(again.revisions == ["y.example 1"])
    #expect(again[0].delivery.message == first[1].delivery.message)
    #expect(again[0].delivery.attempts == 1)
    try hooks.finish(again, .failed)
    #expect(try hooks.claim().revisions == ["y.example 2"])
  }

  @Test func eachWebhookHasFewDeliveriesUnderWay() throws {
    try hooks.put("b")
    try publish(1, "x.example", "y.example", "z.example")
    let first = try hooks.claim(limit: 2)
    #expect(first.map(\.webhook.name) == ["a", "a", "b", "b"])
    let hanging = Dictionary(grouping: first.filter { $0.webhook.name == "a" }, by: \.webhookRow)
      .mapValues(\.count)
    try hooks.finish(first.filter { $0.webhook.name == "b" }, .delivered)
    let second = try hooks.claim(limit: 2, underWay: hanging)
    #expect(second.map(\.webhook.name) == ["b"] && second.revisions == ["z.example 1"])
  }

  @Test func twoServersNeverAttemptOneDeliveryAtOnce() throws {
    let domains = (0..<40).map { "d\($0).example" }
    for domain in domains { try publish(1, domain) }
    let other = try hooks.open()
    let taken = Mutex<[Int64]>([])
    let threads = Threads(
      [("a", store), ("b", other)].map { server, store in
        {
          var isDone = false
          while !isDone {
            do {
              let claimed = try hooks.claim(server, limit: 3, in: store)
              taken.withLock { $0 += claimed.map(\.delivery.id) }
              isDone = claimed.isEmpty
            } catch {
              Issue.record(error)
              isDone = true
            }
          }
        }
      })
    #expect(threads.end())
    let all = taken.withLock { $0 }
    #expect(all.count == 40 && Set(all).count == 40)
  }

  @Test func whatAServerTookAndLostIsTakenAgain() throws {
    try publish(1, "x.example")
    let lost = try hooks.claim("killed")
    hooks.wait(59)
    #expect(try hooks.claim("b").isEmpty)
    hooks.wait(1)
    let again = try hooks.claim("b")
    #expect(again.map(\.delivery.message) == lost.map(\.delivery.message))
    // The first server was only slow: what it says does not count any more.
    try hooks.finish(lost, .failed, by: "killed")
    #expect(try hooks.deliveries("a")[0].status == .pending)
    try hooks.finish(again, .delivered, by: "b")
    #expect(try hooks.deliveries("a")[0].status == .delivered)
  }

  @Test func whatAStoppingServerReleasesIsTakenAtOnce() throws {
    try publish(1, "x.example")
    _ = try hooks.claim("stopping")
    try store.releaseDeliveries(of: "stopping")
    #expect(try hooks.claim("b").count == 1)
  }

  @Test func aDeletedWebhookIsForgottenWithWhatIsUnderWay() throws {
    try publish(2, "x.example", "y.example")
    let claimed = try hooks.claim()
    try store.write(WriteContext(author: "test")) { try $0.deleteWebhook("a") }
    try hooks.finish(claimed, .delivered)
    #expect(try hooks.claim().isEmpty && store.pendingDeliveries().count == 0)
    #expect(throws: StoreError.notFound(.webhook("a"))) { try hooks.deliveries("a") }
    // A new one of that name begins with nothing.
    try hooks.put("a")
    #expect(try hooks.deliveries("a").isEmpty)
  }

  @Test func aTargetThatIsGoneDisablesItsWebhook() throws {
    try publish(2, "x.example")
    let gone = try hooks.finish(try hooks.claim(), .gone)
    #expect(gone.map(\.name) == ["a"])
    let webhook = try store.webhook("a")
    #expect(!webhook.isEnabled && webhook.goneAt == store.now())
    #expect(try hooks.deliveries("a").map(\.status) == [.failed, .pending])
    #expect(try hooks.claim().isEmpty && store.pendingDeliveries().count == 0)
    #expect(
      try store.audit(AuditFilter(author: "aasa serve"), limit: 10).map(\.changes)
        == ["its target answered 410"])
    try publish(1, "y.example")
    try hooks.put("a")
    #expect(try store.webhook("a").goneAt == nil)
    #expect(try hooks.claim().revisions == ["x.example 2"], "what happened meanwhile is not told")
  }

  @Test func aTargetThatWasReplacedMeanwhileStaysEnabled() throws {
    try publish(1, "x.example")
    let claimed = try hooks.claim()
    var webhook = try store.webhook("a")
    webhook.url = "https://new.example/"
    _ = try store.write(WriteContext(author: "test")) { [webhook] in
      try $0.put(webhook).isNew
    }
    #expect(try hooks.finish(claimed, .gone).isEmpty)
    #expect(try store.webhook("a").isEnabled)
  }

  @Test func aChangedWebhookIsTriedAtOnce() throws {
    try publish(1, "x.example")
    try hooks.finish(try hooks.claim(), .retry(after: 30_000))
    #expect(try hooks.claim().isEmpty)
    try hooks.put("a", events: [.domainDeleted])
    #expect(try hooks.claim().revisions == ["x.example 1"])
  }

  @Test func deliveriesArePrunedAMonthAfterTheirEnd() throws {
    try publish(2, "x.example")
    try hooks.finish(try hooks.claim(), .delivered)
    let pruning = Pruning(store)
    func prune() throws -> Int {
      hooks.wait(3601)
      return try pruning.step(Retention()).deliveries
    }
    #expect(try prune() == 0)
    hooks.wait(Delivery.retention)
    #expect(try prune() == 1)
    #expect(try hooks.deliveries("a").map(\.status) == [.pending])
  }

  @Test func whatADisabledWebhookWaitsForEndsAfterADay() throws {
    try publish(1, "x.example")
    hooks.wait(3600)
    try publish(1, "x.example")
    try hooks.put("a", isEnabled: false)
    hooks.wait(Delivery.retryPeriod - 3600 + 1)
    _ = try Pruning(store).step(Retention())
    let ended = try hooks.deliveries("a")
    #expect(ended.map(\.status) == [.failed, .pending])
    #expect(ended[0].error.contains("disabled"))
    try hooks.put("a")
    #expect(try hooks.claim().revisions == ["x.example 2"])
  }

  @Test func deliveriesHavePagesByStatus() throws {
    for number in 0..<5 { try publish(1, "d\(number).example") }
    try hooks.finish(try hooks.claim(limit: 2), .delivered)
    let first = try store.deliveries(of: "a", .pending, before: nil, limit: 2)
    #expect(first.map(\.domain) == ["d4.example", "d3.example"])
    let rest = try store.deliveries(of: "a", .pending, before: first.last?.id, limit: 9)
    #expect(rest.map(\.domain) == ["d2.example"])
    #expect(try store.deliveries(of: "a", .delivered, before: nil, limit: 9).count == 2)
  }

  @Test func aSecretIsWrittenInItsFormAndKeptUntilAnotherIsSet() throws {
    let secret = try #require(try hooks.put("new"))
    #expect(secret.text.hasPrefix("whsec_") && WebhookSecret(secret.text) == secret)
    #expect("\(secret)" == "whsec_…")
    #expect(try hooks.put("new", events: [.checkFailed]) == nil)
    // The example of the specification's libraries.
    let known = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    #expect(
      known.signature(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, Array(#"{"test": 2432232314}"#.utf8))
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    for text in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_!!!!"] {
      #expect(WebhookSecret(text) == nil)
    }
  }

  @Test func thereAreNoMoreWebhooksThanTheLimit() throws {
    for number in 1..<Webhook.limit { try hooks.put("w\(number)") }
    #expect(throws: StoreError.tooManyWebhooks) { try hooks.put("one more") }
    try hooks.put("w1", events: [.checkFailed])
  }
}
