import Association
import Store
import TestSupport
import Testing

/// A deleted domain is no longer served, but its history stays, and it can come back.
@Suite struct DeletionTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }
  private let expectation: JSON = [
    "url": "https://example.com/a", "app": .string(app), "resolution": "match",
  ]
  private var domain: JSON {
    [
      "aliases": ["www.example.com"], "cacheSeconds": 60, "environment": "staging",
      "entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]],
    ]
  }

  init() throws {
    running = try RunningService()
    try running.put("example.com", [:])
    try running.put("example.com", domain)
  }

  private func delete() throws {
    let answer = try admin.send("DELETE", target + "?accept=opens-nothing&reason=sold")
    #expect(answer.status == 200, "\(answer.text)")
  }

  private func deleted(_ query: String = "") throws -> [String] {
    try (admin.send("GET", "/v1/domains?deleted=true\(query)").json["items"]?.arrayValue ?? [])
      .compactMap { $0["domain"]?.stringValue }
  }

  @Test func itsHistoryIsKeptAndItComesBackWithTheNextNumber() throws {
    let file = try admin.send("GET", "\(target)/revisions/2/file").body
    let before = try admin.send("GET", target).json
    #expect(try deleted() == [])
    try delete()
    for method in ["GET", "DELETE"] {
      let missing = try admin.send(method, target)
      #expect(try missing.status == 404 && missing.code == "domain-not-found")
      let advice = "was deleted. To bring it back, send POST \(target)/restore."
      #expect(missing.text.contains(advice), "\(missing.text)")
    }
    #expect(try admin.send("GET", "\(target)/file").status == 404)
    #expect(try admin.send("GET", "/v1/domains").json["total"] == 0)
    #expect(try running.serve("example.com").status == 404)
    #expect(try running.serve("www.example.com").status == 404)
    let item = try admin.send("GET", "/v1/domains?deleted=true").json["items"]?[0]
    #expect(item?["domain"] == "example.com" && item?["revision"] == 2)
    #expect(item?["deletedAt"]?.stringValue?.hasSuffix("Z") == true)
    let revisions = try admin.send("GET", "\(target)/revisions").json["items"]
    #expect(revisions?.arrayValue?.map { $0["revision"] } == [2, 1])
    #expect(try admin.send("GET", "\(target)/revisions/2/file").body == file)
    #expect(try admin.send("GET", "\(target)/diff").json["to"] == 2)
    #expect(try admin.send("GET", "/v1/export").json["domains"] == [])

    let dry = try admin.send("POST", "\(target)/restore?dryRun=true")
    #expect(try dry.status == 201 && dry.json["revision"] == 3)
    #expect(try running.serve("example.com").status == 404)
    let answer = try admin.send("POST", "\(target)/restore?reason=bought+back")
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer["ETag"] == "\"3\"" && answer["Location"] == target)
    for key in ["aliases", "cacheSeconds", "environment", "enabled", "expectations"] {
      #expect(try answer.json["domain"]?[key] == before[key], "\(key)")
    }
    #expect(try running.serve("www.example.com").body == file)
    #expect(try deleted() == [])
    let list = try admin.send("GET", "\(target)/revisions").json["items"]
    #expect(list?.arrayValue?.map { $0["revision"] } == [3, 2, 1])
    let audit = try admin.send("GET", "/v1/audit?domain=example.com").json["items"]
    #expect(audit?[0]?["action"] == "restore domain")
    #expect(audit?[1]?["action"] == "delete domain" && audit?[1]?["reason"] == "sold")
    #expect(
      audit?[1]?["changes"] == "example.com no longer served; www.example.com no longer served")
  }

  @Test func aNewDomainOfTheSameNameContinuesItsNumbers() throws {
    try delete()
    let answer = try admin.send("PUT", target, json: ["webcredentials": [.string(app)]])
    #expect(try answer.status == 201 && answer.json["revision"] == 3)
    #expect(try answer.json["domain"]?["aliases"] == [] && answer.json["diff"] == nil)
    #expect(try admin.send("GET", "\(target)/revisions/1").status == 200)
    #expect(try admin.send("GET", "\(target)/diff?from=2").json["affectsLinks"] == true)
    #expect(try deleted() == [])
    #expect(try admin.send("POST", "\(target)/revisions/2/restore").status == 200)
    #expect(try running.serve("www.example.com").status == 200)
  }

  @Test func aDeletionSaysWhatEndsWithoutDoingIt() throws {
    let answer = try admin.send("DELETE", target + "?accept=opens-nothing&dryRun=true")
    let diff = try answer.json["diff"]
    #expect(try answer.status == 200 && answer.json["dryRun"] == true)
    #expect(try answer.json["domain"] == "example.com" && answer.json["revision"] == 2)
    #expect(
      diff?["changes"]?.arrayValue?.map { $0["summary"] } == [
        "domain example.com deleted", "alias www.example.com removed",
      ])
    #expect(diff?["affectsLinks"] == true)
    #expect(diff?["changes"]?[0]?["example"]?["url"] == "https://example.com/a")
    #expect(diff?["changes"]?[1]?["example"]?["url"] == "https://www.example.com/a")
    #expect(try running.serve("example.com").status == 200)
  }

  @Test func aDeletionIsHeldToExpectations() throws {
    let patch: JSON = ["expectations": [expectation]]
    #expect(try admin.send("PATCH", target, json: patch).status == 200)
    for path in [target, target + "?accept=opens-nothing"] {
      let answer = try admin.send("DELETE", path)
      #expect(try answer.status == 409 && answer.code == "expectation-broken")
      #expect(
        try answer.json["expectations"]?[0]?["reason"]?.stringValue?.contains("deleted") == true)
    }
    let state: JSON = ["domains": [["domain": "b.example"]]]
    let prune = try admin.send("POST", "/v1/apply?prune=true&accept=opens-nothing", json: state)
    #expect(try prune.code == "expectation-broken" && prune.json["domain"] == "example.com")
    #expect(try admin.send("PATCH", target, json: ["expectations": []]).status == 200)
    try delete()
  }

  @Test func theDomainThatTakesItsNameKeepsItsExpectations() throws {
    let alias: JSON = [
      "url": "https://www.example.com/a", "app": .string(app), "resolution": "match",
    ]
    func rename(
      to routes: JSON, _ aliases: JSON = ["example.com"], expecting expectations: JSON
    ) throws -> RawResponse {
      let expecting: JSON = ["expectations": expectations]
      #expect(try admin.send("PATCH", target, json: expecting).status == 200)
      let new: JSON = [
        "domain": "new.example", "aliases": aliases,
        "entries": [["apps": [.string(app)], "routes": routes]],
      ]
      return try admin.send(
        "POST", "/v1/apply?prune=true&dryRun=true", json: ["domains": [new]])
    }
    let same: JSON = [["path": "/a"]]
    let kept = try rename(to: same, expecting: [expectation])
    #expect(kept.status == 200, "\(kept.text)")
    let broken = try rename(to: [["path": "/b"]], expecting: [expectation])
    #expect(try broken.code == "expectation-broken", "\(broken.text)")
    #expect(broken.text.contains("No route matches."), "the new file is explained")
    let lost = try rename(to: same, expecting: [alias])
    #expect(try lost.code == "expectation-broken", "nobody takes the alias: \(lost.text)")
    let names: JSON = ["www.example.com", "example.com"]
    let both = try rename(to: same, names, expecting: [alias, expectation])
    #expect(both.status == 200, "\(both.text)")
    // Another domain takes only the alias, so links to the deleted name open nothing.
    let only = try rename(to: same, ["www.example.com"], expecting: [alias])
    #expect(try only.code == "opens-nothing", "\(only.text)")
  }

  @Test func anAppThatOnlyDeletedDomainsUseCanGoAndComesBackWithThem() throws {
    try delete()
    #expect(try admin.send("DELETE", "/v1/apps/\(app)").status == 204)
    #expect(try admin.send("POST", "\(target)/restore").status == 201)
    #expect(try admin.send("GET", "/v1/apps/\(app)").json["domains"] == 1)
  }

  @Test func itDoesNotComeBackWhileAnotherDomainHasItsName() throws {
    try delete()
    try running.put("b.example", ["aliases": ["www.example.com"]])
    let answer = try admin.send("POST", "\(target)/restore")
    #expect(try answer.status == 409 && answer.code == "name-taken")
    #expect(try answer.json["domain"] == "b.example" && answer.text.contains("www.example.com"))
    let limited = try running.client(.editor, domains: ["example.com"])
    #expect(try limited.send("POST", "\(target)/restore").code == "token-limited")
    try running.put("b.example", [:])
    #expect(try admin.send("POST", "\(target)/restore").status == 201)
  }

  @Test func onlyADeletedDomainCanBeRestored() throws {
    let answer = try admin.send("POST", "\(target)/restore")
    #expect(try answer.status == 409 && answer.code == "not-deleted")
    #expect(try admin.send("POST", "/v1/domains/x.example/restore").code == "domain-not-found")
    try delete()
    let stale = Client(port: admin.port, lines: admin.lines + ["If-Match: \"1\""])
    #expect(try stale.send("POST", "\(target)/restore").code == "stale-revision")
    let current = Client(port: admin.port, lines: admin.lines + ["If-Match: \"2\""])
    #expect(try current.send("POST", "\(target)/restore").status == 201)
  }

  @Test func deletedDomainsAreListedLikeOthers() throws {
    try delete()
    try running.put("shop.brand.example", [:])
    #expect(try admin.send("DELETE", "/v1/domains/shop.brand.example").status == 200)
    #expect(try deleted() == ["example.com", "shop.brand.example"])
    #expect(try deleted("&limit=1") == ["example.com"])
    #expect(try deleted("&q=SHOP") == ["shop.brand.example"])
    #expect(try deleted("&environment=staging") == ["example.com"])
    #expect(try deleted("&app=\(app)") == [])
    let limited = try running.client(.viewer, domains: ["*.brand.example"])
    let list = try limited.send("GET", "/v1/domains?deleted=true").json
    #expect(list["items"]?.arrayValue?.map { $0["domain"] } == ["shop.brand.example"])
    #expect(list["total"] == 1)
    #expect(try admin.send("GET", "/v1/domains?deleted=false").json["total"] == 0)
    #expect(try admin.send("GET", "/v1/domains?deleted=yes").code == "unknown-value")
  }

  @Test func acceptedErrorsComeBackWithTheDomain() throws {
    let file: JSON = ["applinks": ["details": [["components": [["/": "/*"]]]]]]
    let path = "/v1/domains/e.example/file?accept=entry-without-app"
    #expect(try admin.send("PUT", path, json: file).status == 201)
    #expect(try admin.send("DELETE", "/v1/domains/e.example").status == 200)
    let answer = try admin.send("POST", "/v1/domains/e.example/restore")
    #expect(try answer.status == 201 && answer.json["accepted"] == ["entry-without-app"])
  }
}
