import Association
import Foundation
import HTTP
import Service
import Store
import Synchronization
import TestSupport
import Testing

/// Events reach real servers, over real sockets.
@Suite(.serialized) struct WebhookDeliveryTests {
  private let hooked: HookedServer
  private let target: Target
  /// Of a webhook that takes no digests.
  private let single: Target

  init() throws {
    hooked = try HookedServer()
    target = try Target()
    single = try Target()
  }

  /// Runs the housekeeping until something holds.
  private func becomesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
    try TestSupport.becomesTrue {
      hooked.follow()
      return try condition()
    }
  }

  @Test func anEventIsSignedAsTheSpecificationSays() throws {
    let secret = try hooked.put("a", ["url": .string(target.url + "/hook?x=1")])
    try hooked.publish("example.com")
    #expect(becomesTrue { !target.received.isEmpty })
    let request = try #require(target.received.first)
    #expect(request.line == "POST /hook?x=1 HTTP/1.1")
    #expect(request.fields["content-type"] == "application/json")
    #expect(request.fields["user-agent"]?.hasPrefix("aasa/") == true)
    #expect(try request.json["type"] == "revision.published")
    #expect(try request.json["timestamp"]?.stringValue?.hasSuffix("Z") == true)
    #expect(try request.json["data"]?["domain"] == "example.com")
    #expect(try request.json.objectValue?.keys == ["type", "timestamp", "data"])
    let id = try #require(request.fields["webhook-id"])
    let time = try #require(request.fields["webhook-timestamp"])
    #expect(Int64(time) == hooked.clock.now.seconds)
    let expected = try OpenSSL.signature(secret, Array("\(id).\(time).".utf8) + request.body)
    #expect(request.fields["webhook-signature"] == "v1,\(expected)")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
    let delivery = try #require(try hooked.deliveries("a").first)
    #expect(delivery["message"]?.stringValue == id && delivery["answer"] == 204)
    #expect(try delivery["data"] == request.json["data"] && delivery["attempts"] == 1)
  }

  @Test func whatFailsIsSentAgainWithTheSameIDAndANewSignature() throws {
    try hooked.put("a", ["url": .string(target.url)])
    target.answer { _ in .status(500, body: "no \u{1B}[31m disk\n") }
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    let failed = try #require(try hooked.deliveries("a").first)
    #expect(failed["status"] == "pending" && failed["answer"] == 500)
    #expect(failed["error"] == "HTTP 500: no [31m disk")
    #expect(target.received.count == 1, "it waits for 5 seconds")
    target.answer { _ in .status(200) }
    hooked.clock.wait(5)
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
    let requests = target.received
    #expect(requests.count == 2 && requests[0].body == requests[1].body)
    #expect(Set(requests.compactMap { $0.fields["webhook-id"] }).count == 1)
    #expect(Set(requests.compactMap { $0.fields["webhook-signature"] }).count == 2)
    #expect(try hooked.deliveries("a").first?["error"] == nil)
  }

  @Test func aPutSendsAgainAtOnceEvenWithoutAChange() throws {
    try hooked.put("a", ["url": .string(target.url)])
    target.answer { _ in .status(500) }
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    target.answer { _ in .status(200) }
    let same = try hooked.client.send("PUT", "/v1/webhooks/a", json: ["url": .string(target.url)])
    #expect(same.status == 200)
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
  }

  @Test func aTargetThatFailsForADayIsGivenUp() throws {
    try hooked.put("a", ["url": .string(target.url)])
    target.answer { _ in .close }
    let start = hooked.clock.now
    try hooked.publish("example.com")
    var attempts = 0
    while try hooked.deliveries("a").first?["status"] == "pending" {
      attempts += 1
      #expect(
        try becomesTrue {
          try hooked.deliveries("a").first?["attempts"]?.integerValue ?? 0 >= attempts
        })
      if attempts > 20 { break }
      if let next = try hooked.nextAttempt("a") {
        hooked.clock.wait(next.seconds(since: hooked.clock.now))
      }
    }
    let hours = Double(hooked.clock.now.seconds(since: start)) / 3600
    #expect(attempts == 9 && (23...27).contains(hours), "\(attempts) in \(hours) h")
    let failed = try #require(try hooked.deliveries("a").first)
    #expect(failed["status"] == "failed" && failed["error"]?.stringValue?.isEmpty == false)
    #expect(becomesTrue { hooked.log.contains("Gave up on a webhook delivery.") })
    // The next event is attempted.
    target.answer { _ in .status(200) }
    try hooked.publish("example.com", "/b")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
  }

  @Test func eventsOfADomainArriveInOrder() throws {
    let failures = Atomic(0)
    target.answer { _ in
      failures.add(1, ordering: .relaxed).newValue % 3 == 0 ? .status(503) : .status(200)
    }
    try hooked.put("a", ["url": .string(target.url)])
    for number in 1...6 {
      for domain in ["a.example", "b.example", "c.example"] {
        try hooked.publish(domain, "/\(number)")
      }
    }
    #expect(
      try becomesTrue {
        try hooked.waitUnlessSending(5)
        return try hooked.deliveries("a").allSatisfy { $0["status"] != "pending" }
      })
    var arrived: [String: [Int]] = [:]
    for request in target.received {
      let data = try request.json["data"]
      let revision = data?["revision"]?.integerValue ?? 0
      let domain = data?["domain"]?.stringValue ?? ""
      if arrived[domain]?.last != revision { arrived[domain, default: []].append(revision) }
    }
    #expect(arrived.count == 3 && arrived.values.allSatisfy { $0 == [1, 2, 3, 4, 5, 6] })
    #expect(target.received.count > 18, "some failed")
  }

  // MARK: - Digests

  /// Publishes domains, and waits until the events are taken up.
  private func publish(_ domains: [String], reason: String = "") throws {
    let before = try hooked.deliveries("single").count
    for domain in domains { try hooked.publish(domain, reason: reason) }
    let isTaken = try becomesTrue {
      let deliveries = try hooked.deliveries("single")
      return deliveries.count == before + domains.count
        && deliveries.allSatisfy { $0["status"] == "delivered" }
    }
    #expect(isTaken)
  }

  private func digests(_ format: String = "standard") throws {
    try hooked.put("single", ["url": .string(single.url)])
    try hooked.put(
      "a", ["url": .string(target.url), "digestSeconds": 60, "format": .string(format)])
  }

  @Test func aDigestHasWhatHappenedInItsTimeGroupedByCause() throws {
    try digests()
    try publish(["a.example", "b.example"], reason: "launch")
    hooked.clock.wait(59)
    try publish(["c.example"], reason: "other")
    #expect(target.received.isEmpty)
    hooked.clock.wait(1)
    #expect(becomesTrue { target.received.count == 1 })
    let message = try #require(target.received.first).json
    #expect(message["type"] == "digest")
    let data = message["data"]
    #expect(data?["events"] == 3 && data?["domain"] == nil && data?["moreEvents"] == nil)
    let from = try #require(data?["from"]?.stringValue.flatMap { UnixTime($0) })
    #expect(data?["to"] == .time(from + 59))
    let groups = data?["groups"]?.arrayValue ?? []
    #expect(groups.map { $0["domains"] } == [["a.example", "b.example"], ["c.example"]])
    #expect(groups.map { $0["events"] } == [2, 1])
    #expect(groups.allSatisfy { $0["type"] == "revision.published" })
    #expect(
      groups.first?["cause"] == ["action": "put domain", "author": "admin", "reason": "launch"])
    #expect(groups.first?["example"]?["domain"] == "a.example")
    #expect(single.received.count == 3, "another webhook gets each by itself")
    let delivery = try hooked.deliveries("a")
    #expect(delivery.count == 1 && delivery[0]["event"] == "digest" && delivery[0]["domain"] == nil)

    try publish(["d.example"])
    hooked.clock.wait(60)
    #expect(becomesTrue { target.received.count == 2 })
    #expect(try target.received.last?.json["data"]?["events"] == 1)
  }

  @Test func aDigestThatFailsIsSentAgainAsItWasAndLaterOnesWait() throws {
    try digests()
    target.answer { _ in .status(500) }
    try publish(["a.example"])
    hooked.clock.wait(60)
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    try publish(["b.example"])
    hooked.clock.wait(60)
    #expect(try becomesTrue { try hooked.deliveries("a").count == 2 })
    target.answer { _ in .status(200) }
    #expect(
      try becomesTrue {
        try hooked.waitUnlessSending(5)
        return try hooked.deliveries("a").allSatisfy { $0["status"] == "delivered" }
      })
    let domains = try target.received.map {
      try $0.json["data"]?["groups"]?[0]?["domains"]?[0]?.stringValue ?? ""
    }
    #expect(domains.last == "b.example" && domains.dropLast().allSatisfy { $0 == "a.example" })
    #expect(Set(target.received.dropLast().map(\.body)).count == 1)
    #expect(Set(target.received.map { $0.fields["webhook-id"] }).count == 2)
  }

  @Test func whatADigestHasCollectedSurvivesARestart() throws {
    try digests()
    try publish(["a.example"])
    try hooked.restart()
    try publish(["b.example"])
    hooked.clock.wait(60)
    #expect(becomesTrue { target.received.count == 1 })
    #expect(try target.received.first?.json["data"]?["events"] == 2)
  }

  @Test func aChangedWebhookGetsAtOnceWhatItHasCollected() throws {
    try digests()
    try publish(["a.example"])
    let url = JSON.string(target.url)
    let changed = try hooked.client.send("PUT", "/v1/webhooks/a", json: ["url": url])
    #expect(try changed.status == 200 && changed.json["digestSeconds"] == nil)
    #expect(becomesTrue { target.received.count == 1 })
    #expect(try target.received.first?.json["type"] == "digest")
    try publish(["b.example"])
    #expect(becomesTrue { target.received.count == 2 })
    #expect(try target.received.last?.json["type"] == "revision.published")
    let audit = try hooked.client.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    let change = audit.first { $0["action"] == "change webhook" }
    #expect(change?["changes"] == "digestSeconds changed")
  }

  @Test func aTestIsInNoDigest() throws {
    try digests()
    #expect(try hooked.client.send("POST", "/v1/webhooks/a/test").status == 201)
    #expect(becomesTrue { target.received.count == 1 })
    #expect(try target.received.first?.json["type"] == "webhook.test")
  }

  @Test func aDigestForSlackHasALineForEachCause() throws {
    try digests("slack")
    try publish(["a.example", "b.example", "c.example", "d.example"], reason: "launch")
    try publish(["e.example"], reason: "other")
    hooked.clock.wait(60)
    #expect(becomesTrue { target.received.count == 1 })
    let text = try target.received.first?.json["text"]?.stringValue ?? ""
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("5 events since 20"))
    #expect(
      lines[1]
        == "• 4 domains: admin published (launch): a.example, b.example, c.example and 1 more")
    #expect(lines[2] == "• e.example: admin published revision 1 (other).", "\(text)")
  }

  @Test func aDigestNamesAHundredDomainsAndCountsTheOthers() throws {
    try digests()
    try publish((0..<103).map { "d\($0).example" }, reason: "launch")
    hooked.clock.wait(60)
    #expect(becomesTrue { target.received.count == 1 })
    let data = try target.received.first?.json["data"]
    let group = data?["groups"]?[0]
    #expect(group?["events"] == 103 && group?["moreDomains"] == 3)
    #expect(group?["domains"]?.arrayValue?.count == 100 && data?["moreEvents"] == nil)
  }

  @Test func aDigestHasAHundredCausesAndCountsTheOthers() throws {
    try digests()
    for number in 0..<102 { try hooked.publish("d\(number).example", reason: "\(number)") }
    #expect(try becomesTrue { try hooked.deliveries("single").count == 102 })
    try publish(["last.example"], reason: "0")
    hooked.clock.wait(60)
    #expect(becomesTrue { target.received.count == 1 })
    let data = try target.received.first?.json["data"]
    #expect(data?["events"] == 103 && data?["moreEvents"] == 2)
    #expect(data?["groups"]?.arrayValue?.count == 100)
    #expect(data?["groups"]?[0]?["domains"] == ["d0.example", "last.example"])
  }

  @Test(arguments: [9, 86_401, 0, -1]) func anInvalidTimeOfADigestIsRefused(seconds: Int) throws {
    let answer = try hooked.client.send(
      "PUT", "/v1/webhooks/a",
      json: ["url": .string(target.url), "digestSeconds": .integer(seconds)])
    #expect(try answer.status == 422 && answer.faults.count == 1, "\(answer.text)")
  }

  @Test func aTargetThatHangsDelaysNoOther() throws {
    let hanging = try Target { _ in .hang }
    try hooked.put("hanging", ["url": .string(hanging.url)])
    try hooked.put("good", ["url": .string(target.url)])
    for number in 0..<30 { try hooked.publish("d\(number).example") }
    #expect(becomesTrue { target.received.count == 30 })
    #expect(becomesTrue { hanging.received.count >= 4 }, "\(hanging.received.count)")
    #expect(hanging.mostAtOnce == 4 && target.mostAtOnce <= 4)
    #expect(try hooked.deliveries("hanging").allSatisfy { $0["status"] == "pending" })
  }

  @Test func whatARestartInterruptsIsSentAgain() throws {
    target.answer { _ in .hang }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.publish("example.com")
    #expect(becomesTrue { target.received.count == 1 })
    target.answer { _ in .status(200) }
    try hooked.restart()
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
    #expect(Set(target.received.compactMap { $0.fields["webhook-id"] }).count == 1)
    #expect(target.received.count == 2)
  }

  @Test func redirectsAreNotFollowed() throws {
    let other = try Target()
    target.answer { [url = other.url] _ in .status(307, ["Location: \(url)/secret"]) }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    let error = try hooked.deliveries("a").first?["error"]?.stringValue ?? ""
    #expect(error.hasPrefix("HTTP 307 to http://127.0.0.1:") && error.contains("not followed"))
    #expect(other.received.isEmpty)
  }

  @Test func privateAddressesAreRefusedUnlessAllowed() throws {
    let strict = try HookedServer(allowing: "10.0.0.0/8")
    try strict.put("literal", ["url": .string(target.url)])
    let port = target.url.split(separator: ":").last ?? ""
    try strict.put("name", ["url": .string("https://localhost:\(port)/")])
    try strict.publish("example.com")
    for name in ["literal", "name"] {
      #expect(
        try TestSupport.becomesTrue {
          strict.follow()
          return try strict.deliveries(name).first?["attempts"] == 1
        })
      let delivery = try #require(try strict.deliveries(name).first)
      #expect(delivery["answer"] == nil, "\(name)")
      #expect(delivery["error"]?.stringValue?.contains("address") == true, "\(delivery)")
    }
    #expect(target.received.isEmpty)
  }

  @Test func aTargetThatAnswers410IsNotToldAnyMore() throws {
    target.answer { _ in .status(410) }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.webhook("a")["enabled"] == false })
    #expect(try hooked.webhook("a")["goneAt"] != nil)
    #expect(
      becomesTrue { hooked.log.contains("Disabled a webhook because its target answered 410.") })
    try hooked.publish("other.example")
    #expect(try hooked.deliveries("a").count == 1)
    let refused = try hooked.client.send("POST", "/v1/webhooks/a/test")
    #expect(try refused.status == 409 && refused.code == "webhook-disabled")
  }

  @Test(arguments: [false, true]) func aTargetThatWantsTimeGetsIt(isDate: Bool) throws {
    let date = HTTPDate(seconds: hooked.clock.now.seconds + 600)
    target.answer { _ in .status(429, ["Retry-After: \(isDate ? date.description : "600")"]) }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    #expect(try hooked.nextAttempt("a") == hooked.clock.now + 600)
  }

  @Test func aLargeAnswerIsOnlyReadALittle() throws {
    target.answer { _ in .status(500, body: String(repeating: "x", count: 5_000_000)) }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["attempts"] == 1 })
    let delivery = try #require(try hooked.deliveries("a").first)
    #expect(delivery["answer"] == 500 && delivery["error"]?.stringValue?.utf8.count == 210)
  }

  @Test func slackGetsASentence() throws {
    try hooked.put("slack", ["url": .string(target.url), "format": "slack"])
    try hooked.publish("example.com", reason: "new <shop> & more")
    _ = try hooked.client.send("POST", "/v1/webhooks/slack/test")
    #expect(becomesTrue { target.received.count == 2 })
    let texts = try target.received.map { try $0.json }
    #expect(
      texts.contains([
        "text": "example.com: admin published revision 1 (new &lt;shop&gt; &amp; more)."
      ]), "\(texts)")
    #expect(texts.contains(["text": #"This is a test of the webhook "slack". It works."#]))
  }

  @Test func theLogMasksSecrets() throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    _ = try hooked.client.send("GET", "/v1/webhooks/\(secret)")
    #expect(becomesTrue { hooked.log.contains("/v1/webhooks/whsec_********") })
    #expect(!hooked.log.contains("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    // A word that is too short for a secret is shown.
    _ = try hooked.client.send("GET", "/v1/webhooks/whsec_short")
    #expect(becomesTrue { hooked.log.contains("/v1/webhooks/whsec_short") })
  }

  @Test func aDryRunOfATestSendsNothing() throws {
    try hooked.put("a", ["url": .string(target.url)])
    let dry = try hooked.client.send("POST", "/v1/webhooks/a/test?dryRun=true")
    #expect(try dry.status == 201 && dry.json["dryRun"] == true)
    #expect(try hooked.deliveries("a").isEmpty)
    #expect(try hooked.client.send("POST", "/v1/webhooks/a/test").status == 201)
    #expect(becomesTrue { !target.received.isEmpty })
    let request = try #require(target.received.first)
    #expect(try request.json["type"] == "webhook.test" && request.json["data"] == ["webhook": "a"])
    #expect(target.received.count == 1)
  }

  @Test func metricsCountAttemptsAndWhatIsPending() throws {
    let hanging = try Target { _ in .hang }
    try hooked.put("a", ["url": .string(target.url)])
    try hooked.put("b", ["url": .string(hanging.url)])
    try hooked.publish("example.com")
    #expect(try becomesTrue { try hooked.deliveries("a").first?["status"] == "delivered" })
    let pending = "aasa_webhook_deliveries_pending 1\n"
    let delivered = #"aasa_webhook_deliveries_total{outcome="delivered"} 1"#
    // What is delivered is counted once that is stored.
    let isCounted = try becomesTrue {
      let metrics = try hooked.metrics()
      return metrics.contains(pending) && metrics.contains(delivered)
    }
    #expect(isCounted)
    #expect(
      try hooked.metrics().contains("aasa_webhook_deliveries_pending_since_timestamp_seconds 1"))
  }
}

/// OpenSSL's HMAC, which is not the one that signs.
private enum OpenSSL {
  /// The Base64 of the HMAC-SHA256 with the key of a secret.
  static func signature(_ secret: String, _ bytes: [UInt8]) throws -> String {
    let key = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
    let hexadecimal = key.map { String(format: "%02x", $0) }.joined()
    let result = try Program.run(
      "/usr/bin/openssl",
      ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hexadecimal)", "-binary"],
      input: bytes)
    return Data(result.bytes).base64EncodedString()
  }
}

/// A service with webhooks whose clock the test sets and whose housekeeping it runs.
private final class HookedServer: Sendable {
  struct Running: Sendable {
    let service: Service
    let client: Client

    func follow() { service.follow() }

    func stop() {
      service.stop(within: 0.1)
      service.writeRest()
    }
  }

  let clock = SettableClock()
  private let directory: TemporaryDirectory
  private let location: DatabaseLocation
  private let configuration: Configuration
  private let secret: String
  private let running: Mutex<Running>
  /// Of the log. It is never closed, because a delivery may end after its server, and write to it.
  private let output: CInt

  init(allowing ranges: String = "127.0.0.0/8") throws {
    directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.publicAddress = SocketAddress(host: "127.0.0.1", port: 0)
    configuration.adminAddress = SocketAddress(host: "127.0.0.1", port: 0)
    configuration.allowPrivateAddresses = [try #require(AddressRange(ranges))]
    self.configuration = configuration
    _ = try directory.write("", to: "log")
    output = Glibc.open(directory.path("log"), O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(output >= 0)
    location = try TemporaryDatabase.create(in: directory)
    let store = try Self.open(location, clock)
    secret = try store.write(WriteContext(author: "test")) {
      try $0.createToken(name: "admin", role: .admin)
    }.text
    running = Mutex(
      try Self.run(configuration, store, secret, descriptor: output))
  }

  deinit {
    running.withLock { $0.stop() }
    TemporaryDatabase.remove(location)
  }

  private static func open(_ location: DatabaseLocation, _ clock: SettableClock) throws -> Store {
    try Store(location) { clock.now }
  }

  private static func run(
    _ configuration: Configuration, _ store: Store, _ secret: String, descriptor: Int32
  ) throws -> Running {
    let service = try Service(configuration, store: store, log: Log(descriptor: descriptor))
    return Running(
      service: service,
      client: Client(
        port: service.adminAddress.port,
        lines: ["Host: admin", "Authorization: Bearer \(secret)"]))
  }

  /// Another server on the same database.
  func another() throws -> Running {
    let store = try Self.open(location, clock)
    return try Self.run(configuration, store, secret, descriptor: output)
  }

  func restart() throws {
    running.withLock { $0.stop() }
    let new = try another()
    running.withLock { $0 = new }
  }

  func follow() { running.withLock { $0 }.follow() }
  var client: Client { running.withLock { $0 }.client }

  /// Everything that was logged.
  var log: String {
    do { return try directory.text("log") } catch { return "\(error)" }
  }

  /// Adds a webhook and returns its secret.
  @discardableResult
  func put(_ name: String, _ json: JSON) throws -> String {
    let response = try client.send("PUT", "/v1/webhooks/\(name)", json: json)
    guard let secret = try response.json["secret"]?.stringValue else {
      throw Unexpected(response: response)
    }
    return secret
  }

  func publish(_ domain: String, _ path: String = "/a", reason: String = "") throws {
    let escaped = reason.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let response = try client.send(
      "PUT", "/v1/domains/\(domain)?reason=\(escaped)",
      json: ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]])
    if response.status == 428 {
      _ = try client.send(
        "PUT", "/v1/domains/\(domain)",
        json: ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]],
        "If-Match: *")
    } else if response.status != 201 {
      throw Unexpected(response: response)
    }
  }

  func webhook(_ name: String) throws -> JSON {
    try client.send("GET", "/v1/webhooks/\(name)").json
  }

  /// Newest first.
  func deliveries(_ name: String) throws -> [JSON] {
    try client.send("GET", "/v1/webhooks/\(name)/deliveries?limit=1000").json["items"]?.arrayValue
      ?? []
  }

  /// Lets time pass, but not for an attempt under way: its lease would end while a busy machine makes it wait.
  func waitUnlessSending(_ seconds: Int64) throws {
    let claims = "SELECT count(*) FROM event_delivery WHERE claim IS NOT NULL"
    if try location.connect().first(claims, row: { $0.int(0) }) == 0 { clock.wait(seconds) }
  }

  /// When the newest delivery is attempted next.
  func nextAttempt(_ name: String) throws -> UnixTime? {
    guard let text = try deliveries(name).first?["nextAt"]?.stringValue else { return nil }
    return UnixTime(text)
  }

  func metrics() throws -> String { try client.send("GET", "/metrics").text }
}
