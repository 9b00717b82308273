import Association
import Store
import TestSupport
import Testing

/// `/v1/webhooks`.
@Suite struct WebhookTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  private func put(_ json: JSON, _ name: String = "a", _ query: String = "") throws -> RawResponse {
    try running.admin.send("PUT", "/v1/webhooks/\(name)\(query)", json: json)
  }

  @Test func aWebhookIsAddedReplacedListedAndDeleted() throws {
    let added = try put(["url": "https://hooks.example.com/a"])
    #expect(added.status == 201)
    var webhook = try #require(try added.json.objectValue)
    let secret = try #require(webhook["secret"]?.stringValue)
    webhook["secret"] = nil
    #expect(
      webhook["events"] == [] && webhook["domains"] == [] && webhook["format"] == "standard"
        && webhook["enabled"] == true)
    #expect(try running.admin.send("GET", "/v1/webhooks/a").json == .object(webhook))
    #expect(
      try running.admin.send("GET", "/v1/webhooks").json == ["items": [.object(webhook)]])
    let replaced = try put([
      "url": "https://hooks.example.com/b", "events": ["domain.deleted"],
      "domains": ["*.Brand.example"], "format": "slack", "enabled": false,
    ])
    #expect(replaced.status == 200)
    #expect(try replaced.json["domains"] == ["*.brand.example"])
    #expect(try replaced.json["secret"] == nil, "it keeps its secret")
    // What is read can be sent back, and resets nothing.
    let same = try put(running.admin.send("GET", "/v1/webhooks/a").json)
    #expect(try same.status == 200 && same.json == replaced.json)
    // A webhook without its members is one for everything.
    let all = try put(["url": "https://hooks.example.com/b"])
    #expect(try all.json["events"] == [] && all.json["enabled"] == true)
    #expect(try running.admin.send("DELETE", "/v1/webhooks/a").status == 204)
    for path in ["", "/deliveries"] {
      let gone = try running.admin.send("GET", "/v1/webhooks/a\(path)")
      #expect(try gone.status == 404 && gone.code == "webhook-not-found")
    }
    #expect(!secret.isEmpty)
  }

  @Test func aSecretIsShownOnceAndNowhereElse() throws {
    let own = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    let added = try put(["url": "https://hooks.example.com/a", "secret": .string(own)])
    #expect(try added.json["secret"]?.stringValue == own)
    _ = try put(["url": "https://hooks.example.com/a", "secret": .string(own)])
    try running.put("example.com", [:])
    _ = try running.admin.send("POST", "/v1/webhooks/a/test")
    let bare = String(own.dropFirst("whsec_".count))
    for path in [
      "/v1/webhooks", "/v1/webhooks/a", "/v1/webhooks/a/deliveries", "/v1/audit", "/v1/export",
      "/metrics", "/openapi.json",
    ] {
      let response = try running.admin.send("GET", path)
      #expect(response.status == 200 && !response.text.contains(bare), "\(path)")
    }
    let again = try put(["url": "https://hooks.example.com/new", "secret": .string(own)])
    #expect(try again.status == 200 && again.json["secret"] == nil, "it has not changed")
    let other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let changed = try put(["url": "https://hooks.example.com/new", "secret": .string(other)])
    #expect(try changed.json["secret"]?.stringValue == other)
    let audit = try running.admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(audit.contains { $0["changes"] == "secret changed" })
    #expect(audit.contains { $0["action"] == "add webhook" && $0["webhook"] == "a" })
    #expect(!audit.contains { "\($0)".contains("hooks.example.com") }, "a URL may be a secret, too")
  }

  @Test func aDryRunChangesNothingAndMakesNoSecret() throws {
    let dry = try put(["url": "https://hooks.example.com/a"], "a", "?dryRun=true")
    #expect(try dry.status == 201 && dry.json["dryRun"] == true && dry.json["secret"] == nil)
    #expect(try running.admin.send("GET", "/v1/webhooks").json == ["items": []])
    _ = try put(["url": "https://hooks.example.com/a"])
    #expect(try running.admin.send("DELETE", "/v1/webhooks/a?dryRun=true").status == 204)
    #expect(try running.admin.send("GET", "/v1/webhooks/a").status == 200)
    let edit = try running.admin.send("PUT", "/v1/domains/example.com?dryRun=true", json: [:])
    #expect(edit.status == 201)
    #expect(
      try running.admin.send("GET", "/v1/webhooks/a/deliveries").json
        == ["items": [], "next": .null])
  }

  @Test(arguments: [
    #"{}"#, #"{"url": "ftp://hooks.example.com/"}"#, #"{"url": "hooks.example.com"}"#,
    #"{"url": "https://"}"#, #"{"url": "https://user:word@hooks.example.com/"}"#,
    #"{"url": "https://hooks.example.com/#part"}"#, #"{"url": "https://hooks.example.com/a b"}"#,
    #"{"url": "https://hooks.example.com:0/"}"#, #"{"url": "https://hooks.example.com:http/"}"#,
    #"{"url": "http://hooks.example.com/"}"#, #"{"url": "http://localhost/"}"#,
    #"{"url": "http://2130706433/"}"#, #"{"url": "https://0x7f.1/"}"#, #"{"url": "http://127.1/"}"#,
    #"{"url": "https://h\u00FCtte.example/"}"#, #"{"url": "https://a.example/", "secret": "x"}"#,
    #"{"url": "https://a.example/", "secret": "whsec_AAAA"}"#,
    #"{"url": "https://a.example/", "events": ["revision.made"]}"#,
    #"{"url": "https://a.example/", "events": ["webhook.test"]}"#,
    #"{"url": "https://a.example/", "domains": ["a.*.example"]}"#,
    #"{"url": "https://a.example/", "format": "teams"}"#,
    #"{"url": "https://a.example/", "speed": 1}"#,
  ])
  func anInvalidWebhookIsRefused(body: String) throws {
    let response = try running.admin.send("PUT", "/v1/webhooks/a", body: Array(body.utf8))
    #expect(try response.status == 422 && response.code == "invalid-input", "\(response.text)")
    #expect(!response.text.contains("whsec_AAAA"))
    #expect(try running.admin.send("GET", "/v1/webhooks/a").status == 404)
  }

  @Test(arguments: [
    "https://hooks.slack.com/services/T0/B0/x", "https://hooks.example.com:8443/a?b=c%20d",
    "https://hooks.example.com", "http://10.0.0.5:9000/hook", "http://[fd00::1]:9000/",
  ])
  func aURLWithHTTPSOrAnAddressIsTaken(url: String) throws {
    #expect(try put(["url": .string(url)]).status == 201)
  }

  @Test func onlyAdministratorsSeeWebhooks() throws {
    _ = try put(["url": "https://hooks.example.com/a"])
    for client in [
      try running.client(.editor), try running.client(.admin, domains: ["*.brand.example"]),
    ] {
      for (method, path) in [
        ("GET", ""), ("GET", "/a"), ("PUT", "/a"), ("DELETE", "/a"), ("GET", "/a/deliveries"),
        ("POST", "/a/test"),
      ] {
        let response = try client.send(method, "/v1/webhooks\(path)", json: [:])
        #expect(response.status == 403, "\(method) \(path)")
      }
    }
  }

  @Test func namesHaveALimit() throws {
    let long = String(repeating: "n", count: 101)
    let response = try put(["url": "https://hooks.example.com/a"], long)
    #expect(try response.status == 400 && response.code == "malformed-path")
    #expect(try put(["url": "https://a.example/"], "with%20space%20%C3%A9").status == 201)
    #expect(try running.admin.send("GET", "/v1/webhooks/with%20space%20%C3%A9").status == 200)
  }

  @Test func deliveriesHavePages() throws {
    _ = try put(["url": "https://hooks.example.com/a"])
    for number in 1...5 { try running.put("d\(number).example", [:]) }
    let path = "/v1/webhooks/a/deliveries?limit=2"
    let first = try running.admin.send("GET", path).json
    #expect(first["items"]?.arrayValue?.map { $0["domain"] } == ["d5.example", "d4.example"])
    let next = try #require(first["next"]?.stringValue)
    let second = try running.admin.send("GET", "\(path)&cursor=\(next)&status=pending").json
    #expect(second["items"]?.arrayValue?.map { $0["domain"] } == ["d3.example", "d2.example"])
    #expect(try running.admin.send("GET", "\(path)&status=delivered").json["items"] == [])
    #expect(try running.admin.send("GET", "\(path)&status=lost").code == "unknown-value")
  }
}
