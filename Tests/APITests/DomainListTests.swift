import Association
import Store
import TestSupport
import Testing

/// What a list of domains says of each at a glance.
@Suite struct DomainListTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws { running = try RunningService() }

  private func put(
    _ name: String, _ paths: [String] = ["/a"], _ members: JSON.Object = [:]
  ) throws {
    let entry: JSON = [
      "apps": [.string(app)], "routes": .array(paths.map { ["path": .string($0)] }),
    ]
    var domain = members
    domain["entries"] = [entry]
    try running.put(name, .object(domain))
  }

  private func list(_ query: String = "", _ client: Client? = nil) throws -> [JSON] {
    let answer = try (client ?? admin).send("GET", "/v1/domains?\(query)")
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.json["items"]?.arrayValue ?? []
  }

  private func summary(_ name: String, _ query: String = "") throws -> JSON {
    try #require(try list(query).first { $0["domain"] == .string(name) })
  }

  private func fetch(_ name: String, _ revision: Int) throws {
    let id = try running.store.domain(DomainName(name)).id
    try running.store.add([
      NewFetches(
        domain: id, revision: revision, fetcher: .appleCDN, count: 1, firstAt: 1_700_000_000,
        lastAt: 1_700_000_000)
    ])
  }

  private func check(_ name: String, _ codes: [Finding.Code], certificate: UnixTime?) throws {
    let findings = codes.map {
      var finding = Finding($0, at: .root, "It is so.", help: "Mend it.")
      finding.source = .check
      return finding
    }
    var check = CheckRecord(
      try DomainName(name), at: 1_700_000_000, findings: findings, result: [:])
    check.certificate = certificate.map { .init(names: [name], issuer: "Example CA", endsAt: $0) }
    _ = try running.store.record([check])
  }

  private func suppress(_ code: String, of name: String) throws {
    let response = try admin.send(
      "POST", "/v1/domains/\(name)/suppressions",
      json: [
        "code": .string(code), "pointer": "", "reason": "known", "owner": "web",
        "until": "2100-01-01T00:00:00Z",
      ])
    #expect(response.status == 201, "\(response.text)")
  }

  @Test func findingsAreCountedAsTheListOfFindingsCountsThem() throws {
    try put("a.example", ["/x?y=1", "/x%c3"], ["aliases": ["www.a.example"]])
    try put("b.example", ["/ok"], ["aliases": ["www.b.example"]])
    try check("a.example", [.botBlocked, .slow], certificate: nil)
    #expect(try summary("a.example")["findings"] == ["error": 1, "warning": 3, "note": 0])
    #expect(try summary("b.example")["findings"] == ["error": 0, "warning": 0, "note": 0])
    try suppress("bot-blocked", of: "a.example")
    #expect(try summary("a.example")["findings"] == ["error": 0, "warning": 3, "note": 0])
    let list = try admin.send("GET", "/v1/findings?domain=a.example").json
    #expect(list["counts"] == ["lower-case-escape": 1, "query-in-path": 1, "slow": 1])
    // The check's stay until the next one.
    try put("a.example", ["/ok"], ["aliases": ["www.a.example"]])
    #expect(try summary("a.example")["findings"] == ["error": 0, "warning": 1, "note": 0])
  }

  @Test func theKindsOfDocumentsAreListedInTheirOrder() throws {
    let fingerprint = (0..<32).map { String(128 + $0 * $0 * 11 % 128, radix: 16) }.joined(
      separator: ":")
    let android = try admin.send(
      "PUT", "/v1/android-apps/com.example.shop",
      json: ["fingerprints": [["sha256": .string(fingerprint), "label": "play-signing"]]])
    #expect(android.status == 201, "\(android.text)")
    try put(
      "all.example", ["/a"],
      ["webauthnOrigins": ["https://example.co.uk"], "androidCredentials": ["com.example.shop"]])
    try put("apple.example")
    try running.put("passkeys.example", ["webauthnOrigins": ["https://example.co.uk"]])
    let apple: JSON = "apple-app-site-association"
    #expect(try summary("all.example")["documents"] == [apple, "assetlinks.json", "webauthn"])
    #expect(try summary("apple.example")["documents"] == [apple])
    #expect(try summary("passkeys.example")["documents"] == ["webauthn"])
    #expect(try summary("passkeys.example")["apple"] == nil)
    #expect(try list("collected=false").map { $0["domain"] } == ["all.example", "apple.example"])
  }

  @Test func applesCopyIsWhatTheLedgerAndTheFilterSay() throws {
    for name in ["behind.example", "current.example", "never.example", "settings.example"] {
      try put(name)
    }
    try put("off.example", ["/a"], ["enabled": false])
    for name in ["behind.example", "current.example", "off.example", "settings.example"] {
      try fetch(name, 1)
    }
    for path in ["/b", "/c"] { try put("behind.example", [path]) }
    try put("current.example", ["/b"])
    try fetch("current.example", 2)
    try put("settings.example", ["/a"], ["cacheSeconds": 60])
    // What a check has seen of the CDN is another matter.
    try check("never.example", [], certificate: nil)

    for (name, copy) in [
      ("behind.example", ["collected": false, "behind": 2]),
      ("current.example", ["collected": true, "behind": 0]),
      ("never.example", ["collected": false, "behind": .null]),
      ("settings.example", ["collected": true, "behind": 0]),
    ] as [(String, JSON)] {
      let shown = try summary(name)["apple"]
      #expect(shown == copy, "\(name)")
      let fetches = try admin.send("GET", "/v1/domains/\(name)/fetches").json
      #expect(fetches["current"]?["collected"] == shown?["collected"], "\(name)")
      let filter = "collected=\(shown?["collected"] == true)"
      #expect(try list(filter).contains { $0["domain"] == .string(name) }, "\(name)")
    }
    #expect(try summary("off.example")["apple"] == nil)
  }

  @Test func aCheckSaysWhenTheCertificateExpires() throws {
    try put("a.example")
    #expect(try summary("a.example")["check"] == nil)
    try check("a.example", [], certificate: 1_800_000_000)
    #expect(
      try summary("a.example")["check"] == [
        "status": "ok", "at": "2023-11-14T22:13:20Z", "certificateExpires": "2027-01-15T08:00:00Z",
      ])
    try check("a.example", [.botBlocked], certificate: nil)
    #expect(
      try summary("a.example")["check"] == ["status": "failing", "at": "2023-11-14T22:13:20Z"])
  }

  @Test func aDeletedDomainHasOnlyTheDocumentsOfItsLastRevision() throws {
    try put("a.example", ["/x%c3"])
    try fetch("a.example", 1)
    try check("a.example", [.slow], certificate: 1_800_000_000)
    let deleted = try admin.send("DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    let shown = try summary("a.example", "deleted=true")
    #expect(shown["documents"] == ["apple-app-site-association"])
    #expect(shown["findings"] == nil && shown["apple"] == nil && shown["check"] == nil)
  }

  @Test func everyPageSaysItOfItsOwnDomains() throws {
    for (name, path) in [("a.example", "/x%c3"), ("b.example", "/ok"), ("c.example", "/x%c3")] {
      try put(name, [path], ["aliases": [.string("www.\(name)")]])
    }
    try fetch("b.example", 1)
    var seen: [JSON] = []
    var query = "limit=1"
    while true {
      let page = try admin.send("GET", "/v1/domains?\(query)").json
      seen += page["items"]?.arrayValue ?? []
      guard let next = page["next"]?.stringValue else { break }
      query = "limit=1&cursor=\(next)"
    }
    #expect(seen.map { $0["findings"]?["warning"] } == [1, 0, 1])
    #expect(seen.map { $0["apple"]?["collected"] } == [false, true, false])
    #expect(try list() == seen)
    let limited = try running.client(.viewer, domains: ["c.example"])
    #expect(try list("", limited) == [seen[2]])
  }

  @Test func aCursorOfOneOrderIsRefusedInAnother() throws {
    let long = Array(repeating: String(repeating: "a", count: 61), count: 4).joined(separator: ".")
    for name in ["a.example", "b.example", long] { try put(name) }
    let orders = ["name", "-name", "updated", "-updated"]
    for order in orders {
      let first = try admin.send("GET", "/v1/domains?limit=2&sort=\(order)").json
      let next = try #require(first["next"]?.stringValue).replacing(" ", with: "%20")
      for other in orders {
        let page = try admin.send("GET", "/v1/domains?limit=2&sort=\(other)&cursor=\(next)")
        #expect(page.status == (order == other ? 200 : 400), "\(order) \(other)")
        if order == other {
          #expect(try page.json["items"]?.arrayValue?.count == 1)
        } else {
          #expect(try page.code == "malformed-cursor" && page.text.contains("sort"))
        }
      }
    }
  }

  @Test(arguments: [
    ("münch", ["münchen.example"]), ("ÜNCHEN", ["münchen.example"]),
    ("xn--mnch", ["münchen.example"]),
    ("bücher", ["a.example"]), ("ö", []), ("https://LINKS.a.example:8443/buy?x#y", ["a.example"]),
    ("https://a.example/" + String(repeating: "x", count: 1900), ["a.example"]),
    ("http://münchen.example", ["münchen.example"]), ("https://b.example", []), ("https://", []),
  ])
  func aTextIsFoundInUnicodeAndAURLByItsHost(text: String, found: [String]) throws {
    try put("xn--mnchen-3ya.example")
    try put("a.example", ["/a"], ["aliases": ["*.a.example", "bücher.example"]])
    let query = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let names = try found.map { JSON.string(try DomainName($0).text) }
    #expect(try list("q=\(query)").map { $0["domain"] } == names)
    let page = try admin.send("GET", "/v1/domains?q=\(query)&limit=1").json
    #expect(page["total"] == .integer(found.count))
  }

  @Test func aDeletedDomainIsFoundByItsUnicodeName() throws {
    try put("xn--mnchen-3ya.example")
    try put("a.example")
    for name in ["xn--mnchen-3ya.example", "a.example"] {
      let deletion = try admin.send(
        "DELETE", "/v1/domains/\(name)?accept=opens-nothing")
      #expect(deletion.status == 200, "\(deletion.text)")
    }
    #expect(
      try list("deleted=true&q=m%C3%BCn").map { $0["domain"] } == ["xn--mnchen-3ya.example"])
    #expect(
      try list("deleted=true&q=https://xn--mnchen-3ya.example/x").map { $0["domain"] } == [
        "xn--mnchen-3ya.example"
      ])
  }

  @Test func filtersCombine() throws {
    for name in ["a.example", "b.example"] {
      try put(name, ["/x%c3"], ["environment": "staging"])
      try check(name, [.slow], certificate: nil)
    }
    try fetch("b.example", 1)
    try put("c.example")
    let matching = [
      "q=example", "app=\(app)", "finding=lower-case-escape", "check=warning", "collected=false",
      "enabled=true", "environment=staging", "kind=apple-app-site-association", "deleted=false",
      "host=a.example",
    ]
    let all = matching.joined(separator: "&")
    #expect(try list(all).map { $0["domain"] } == ["a.example"])
    for (filter, other) in [
      ("q=example", "q=b.example"), ("app=\(app)", "app=\(otherApp)"),
      ("finding=lower-case-escape", "finding=query-in-path"), ("check=warning", "check=ok"),
      ("collected=false", "collected=true"), ("enabled=true", "enabled=false"),
      ("environment=staging", "environment=production"),
      ("kind=apple-app-site-association", "kind=webauthn"), ("deleted=false", "deleted=true"),
      ("host=a.example", "host=b.example"),
    ] {
      let query = all.replacing(filter, with: other)
      #expect(try list(query).isEmpty, "\(query)")
    }
  }
}
