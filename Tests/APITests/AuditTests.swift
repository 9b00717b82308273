import Association
import HTTP
import Service
import Store
import TestSupport
import Testing

/// What happened can be found out, and lists stay right while rows change.
@Suite struct AuditTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws { running = try RunningService() }

  @Test func everyChangeIsAuditedWithItsAuthorTimeReasonAndRevision() throws {
    let put = try admin.send("PUT", "/v1/domains/a.example?reason=launch", json: [:])
    #expect(put.status == 201)
    #expect(try admin.send("PUT", "/v1/domains/b.example", json: [:]).status == 201)
    #expect(try admin.send("DELETE", "/v1/domains/a.example").status == 200)
    let records = try admin.send("GET", "/v1/audit?domain=a.example").json["items"]
    #expect(records?.arrayValue?.map { $0["action"] ?? .null } == ["delete domain", "put domain"])
    let launch = records?[1]
    #expect(launch?["reason"] == "launch")
    #expect(launch?["author"] == "test")
    #expect(launch?["address"] == "127.0.0.1")
    #expect(launch?["revision"] == 1)
    let all = try admin.send("GET", "/v1/audit?author=test").json["items"]
    #expect(all?.arrayValue?.count == 4)
  }

  @Test func theAuditOfSomeTimeIsFound() throws {
    #expect(try admin.send("PUT", "/v1/domains/a.example", json: [:]).status == 201)
    func audit(_ query: String) throws -> RawResponse {
      try admin.send("GET", "/v1/audit?domain=a.example\(query)")
    }
    let record = try audit("").json["items"]?[0]
    let at = try #require(record?["at"]?.stringValue.flatMap { UnixTime($0) })
    let cases: [(since: Int64, until: Int64, count: Int)] = [
      (-1, 1, 1), (0, 1, 1), (1, 2, 0), (-1, 0, 0),
    ]
    for (since, until, count) in cases {
      let found = try audit("&since=\((at + since).text)&until=\((at + until).text)").json["items"]
      #expect(found?.arrayValue?.count == count, "from \(since) to \(until)")
    }
    for query in ["&since=yesterday", "&until=2026-11-21"] {
      let refused = try audit(query)
      #expect(try refused.status == 400 && refused.code == "unknown-value", "\(refused.text)")
    }
  }

  /// Lines of a request, and the address in the audit. 192.0.2.0/24 and the peer, 127.0.0.1, are trusted proxies.
  @Test(arguments: [
    ([], "127.0.0.1"),
    (["X-Forwarded-For: 203.0.113.7"], "203.0.113.7"),
    (["X-Forwarded-For: 198.51.100.1, 203.0.113.7, 192.0.2.9"], "203.0.113.7"),
    (["X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.7:4711"], "203.0.113.7"),
    (["X-Forwarded-For: 203.0.113.7, 2001:db8::7"], "2001:db8::7"),
    (["Forwarded: for=198.51.100.1, For=\"[2001:DB8::7]:4711\";proto=https"], "2001:db8::7"),
    (["Forwarded: proto=https;for=203.0.113.7", "X-Forwarded-For: 203.0.113.7"], "203.0.113.7"),
    (["Forwarded: for=203.0.113.7", "X-Forwarded-For: 198.51.100.1"], "127.0.0.1"),
    (["X-Forwarded-For: 203.0.113.7, unknown"], "127.0.0.1"),
    (["X-Forwarded-For: 203.0.113.7, unknown, 192.0.2.9"], "192.0.2.9"),
    (["Forwarded: for=_hidden"], "127.0.0.1"), (["X-Forwarded-For: ,"], "127.0.0.1"),
    (["Forwarded: proto=https"], "127.0.0.1"),
  ])
  func theAuditShowsTheClientBehindTrustedProxies(lines: [String], client: String) throws {
    let running = try RunningService { _ in
    } configure: {
      $0.trustedProxies = ["127.0.0.1", "192.0.2.0/24"].compactMap { AddressRange($0) }
    }
    let behind = Client(port: running.admin.port, lines: running.admin.lines + lines)
    #expect(try behind.send("PUT", "/v1/domains/a.example", json: [:]).status == 201)
    let records = try running.admin.send("GET", "/v1/audit?domain=a.example").json["items"]
    #expect(records?[0]?["address"] == .string(client))
  }

  @Test func nobodyElseCanChooseTheAddressInTheAudit() throws {
    let client = Client(port: admin.port, lines: admin.lines + ["X-Forwarded-For: 203.0.113.7"])
    #expect(try client.send("PUT", "/v1/domains/a.example", json: [:]).status == 201)
    let records = try admin.send("GET", "/v1/audit?domain=a.example").json["items"]
    #expect(records?[0]?["address"] == "127.0.0.1")
  }

  @Test func failedAndEmptyChangesAreNotAudited() throws {
    #expect(try admin.send("PUT", "/v1/domains/a.example", json: [:]).status == 201)
    let before = try admin.send("GET", "/v1/audit").body
    #expect(
      try admin.send("PUT", "/v1/domains/a.example", json: [:], "If-Match: *").status == 200)
    #expect(try admin.send("PUT", "/v1/domains/a.example", json: ["x": 1]).status == 422)
    #expect(try admin.send("DELETE", "/v1/domains/c.example").status == 404)
    #expect(try admin.send("GET", "/v1/audit").body == before)
  }

  @Test func pagesStayCorrectWhileDomainsAreAddedAndDeleted() throws {
    for index in 10..<30 { try running.put("d\(index).example", [:]) }
    var seen: [String] = []
    var cursor = ""
    repeat {
      let page = try admin.send("GET", "/v1/domains?limit=6\(cursor)").json
      let names = (page["items"]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
      if seen.isEmpty {
        #expect(page["total"] == 20)
        try running.put("d00.example", [:])
        #expect(try admin.send("DELETE", "/v1/domains/\(names[0])").status == 200)
      }
      seen += names
      cursor = (page["next"]?.stringValue).map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(seen == (10..<30).map { "d\($0).example" })
  }

  @Test func domainsAreFiltered() throws {
    try running.put("a.example", ["webcredentials": ["ABCDE12345.x"], "aliases": ["shop.example"]])
    try running.put("b.example", ["environment": "staging", "enabled": false])
    let find = { (query: String) in
      try (admin.send("GET", "/v1/domains?\(query)").json["items"]?.arrayValue ?? [])
        .compactMap { $0["domain"]?.stringValue }
    }
    #expect(try find("q=SHOP") == ["a.example"])
    #expect(try find("app=ABCDE12345.x") == ["a.example"])
    #expect(try find("environment=staging") == ["b.example"])
    #expect(try find("enabled=false") == ["b.example"])
    #expect(try find("finding=www-sibling-missing") == ["a.example", "b.example"])
    #expect(try find("finding=not-json").isEmpty)
    for wrong in ["app=x", "environment=x", "enabled=x", "finding=x", "limit=0", "limit=x"] {
      #expect(try admin.send("GET", "/v1/domains?\(wrong)").status == 400, "\(wrong)")
    }
  }

  @Test func aLimitedTokenListsItsOwnDomains() throws {
    for name in ["a.brand.example", "brand.example", "other.example"] { try running.put(name, [:]) }
    let limited = try running.client(.viewer, domains: ["*.brand.example", "brand.example"])
    let list = try limited.send("GET", "/v1/domains").json
    #expect(list["total"] == 2)
  }

  @Test func aTokenIsShownOnceListedAndRevoked() throws {
    let made = try admin.send(
      "POST", "/v1/tokens",
      json: ["name": "ci", "role": "editor", "domains": ["*.brand.example"]])
    #expect(made.status == 201)
    let secret = try made.json["token"]?.stringValue ?? ""
    let client = Client(
      port: admin.port, lines: ["Host: x", "Authorization: Bearer \(secret)"])
    #expect(try client.send("GET", "/v1/domains").status == 200)
    running.service.follow()
    let list = try admin.send("GET", "/v1/tokens")
    #expect(!list.text.contains(secret))
    let listed = try list.json["items"]?.arrayValue?.first { $0["name"] == "ci" }
    #expect(listed?["lastUsedAt"] != .null)
    #expect(try admin.send("DELETE", "/v1/tokens/ci").status == 204)
    #expect(try client.send("GET", "/v1/domains").status == 401)
    #expect(try admin.send("DELETE", "/v1/tokens/ci").status == 404)
  }

  @Test func aTokenExpires() throws {
    let made = try admin.send(
      "POST", "/v1/tokens",
      json: ["name": "old", "role": "admin", "expiresAt": "2020-01-01T00:00:00Z"])
    let secret = try made.json["token"]?.stringValue ?? ""
    let client = Client(
      port: admin.port, lines: ["Host: x", "Authorization: Bearer \(secret)"])
    #expect(try client.send("GET", "/v1/domains").status == 401)
  }
}
