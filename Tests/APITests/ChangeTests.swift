import Association
import Store
import TestSupport
import Testing

/// What one author did at once to many domains is one change, and can be undone at once.
@Suite struct ChangeTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    let state: JSON = ["domains": .array((0..<3).map { domain($0, path: "/old/*") })]
    let applied = try admin.send("POST", "/v1/apply", json: state)
    #expect(applied.status == 200, "\(applied.text)")
  }

  private func domain(_ index: Int, path: String) -> JSON {
    [
      "domain": .string("d\(index).example"),
      "entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]],
    ]
  }

  /// Changes all three domains, and returns the change.
  private func change(_ path: String = "/new/*", _ query: String = "") throws -> Int {
    let state: JSON = ["domains": .array((0..<3).map { domain($0, path: path) })]
    let answer = try admin.send("POST", "/v1/apply?overwrite=true\(query)", json: state)
    return try #require(try answer.json["change"]?.integerValue, "\(answer.text)")
  }

  private func revert(_ change: Int, _ query: String = "", by client: Client? = nil) throws
    -> RawResponse
  {
    try (client ?? admin).send("POST", "/v1/changes/\(change)/revert\(query)")
  }

  private func get(_ change: Int, by client: Client? = nil) throws -> JSON {
    try (client ?? admin).send("GET", "/v1/changes/\(change)").json
  }

  private func served() throws -> [JSON] {
    try (0..<3).map { try running.served("d\($0).example") }
  }

  private func words(_ plan: JSON) -> [String] {
    (plan["domains"]?.arrayValue ?? []).map {
      "\($0["action"]?.stringValue ?? "?") \($0["domain"]?.stringValue ?? "?")"
    }
  }

  @Test func aChangeOfManyDomainsIsUndoneAsOne() throws {
    let before = try served()
    let change = try change()
    #expect(try served() != before)
    let dry = try revert(change, "?dryRun=true")
    #expect(try dry.json["dryRun"] == true && dry.json["change"] == nil)
    #expect(try served() != before)
    let undone = try revert(change, "?reason=wrong%20path")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try words(undone.json) == (0..<3).map { "update d\($0).example" })
    #expect(try words(dry.json) == words(undone.json))
    #expect(try served() == before)
    let own = try #require(try undone.json["change"]?.integerValue)
    #expect(try get(own)["reverts"] == .integer(change))
    #expect(try get(change)["revertedBy"] == .integer(own))
    #expect(try get(own)["reason"] == "wrong path")
    let revision = try admin.send("GET", "/v1/domains/d1.example/revisions/3").json
    #expect(revision["change"] == .integer(own) && revision["reason"] == "wrong path")
    // Undoing that does the change again.
    #expect(try revert(own).status == 200)
    #expect(try served() != before)
  }

  @Test func aChangeSaysWhatItChanged() throws {
    let id = try change("/new/*", "&reason=spring")
    let change = try get(id)
    #expect(change["action"] == "apply" && change["author"] == "test")
    #expect(change["domainCount"] == 3 && change["reason"] == "spring")
    #expect(change["domain"] != nil)
    #expect(
      change["items"]?[1] == [
        "domain": "d1.example", "before": 1, "after": 2, "changedSince": false,
      ])
    let page = try admin.send("GET", "/v1/changes/\(id)?limit=2").json
    #expect(page["items"]?.arrayValue?.count == 2 && page["next"] == "d1.example")
    let rest = try admin.send("GET", "/v1/changes/\(id)?limit=2&cursor=d1.example").json
    #expect(rest["items"]?[0]?["domain"] == "d2.example" && rest["next"] == .null)
    try running.put("other.example", [:])
    let list = { (query: String) in
      try (admin.send("GET", "/v1/changes?\(query)").json["items"]?.arrayValue ?? [])
        .map { $0["action"] }
    }
    #expect(try list("limit=1") == ["put domain"])
    #expect(try list("domain=d0.example") == ["apply", "apply"])
    #expect(try list("author=nobody").isEmpty)
    #expect(try list("cursor=\(id)") == ["apply"])
    #expect(try admin.send("GET", "/v1/changes/999").json["code"] == "change-not-found")
    #expect(try revert(999).json["code"] == "change-not-found")
  }

  @Test func everyAnswerToAnEditNamesItsChange() throws {
    let last = { try admin.send("GET", "/v1/changes?limit=1").json["items"]?[0]?["id"] }
    let path = "/v1/domains/d0.example"
    let edit = try admin.send("PATCH", path, json: ["cacheSeconds": 60]).json
    #expect(try edit["change"] != nil && edit["change"] == last())
    let same = try admin.send("PATCH", path, json: ["cacheSeconds": 60]).json
    #expect(same["changed"] == false && same["change"] == nil)
    let deleted = try admin.send("DELETE", "\(path)?accept=opens-nothing").json
    #expect(try deleted["change"] != nil && deleted["change"] == last())
    let restored = try admin.send("POST", "\(path)/restore").json
    #expect(try restored["change"] != nil && restored["change"] == last())
    let renamed = try admin.send(
      "POST", "/v1/apps/\(app)/rename", json: ["to": .string(otherApp)]
    ).json
    #expect(try renamed["change"] != nil && renamed["change"] == last())
    #expect(renamed["domains"]?[1]?["change"] == renamed["change"])
  }

  @Test func domainsThatChangedSinceAreNamedOrLeftAsTheyAre() throws {
    let before = try served()
    let change = try change()
    let patch = try admin.send("PATCH", "/v1/domains/d1.example", json: ["cacheSeconds": 60])
    #expect(patch.status == 200)
    let now = try served()
    let refused = try revert(change)
    #expect(refused.status == 409)
    #expect(try refused.json["code"] == "changed-since")
    #expect(try refused.json["domains"] == ["d1.example"])
    #expect(try served() == now)
    #expect(try get(change)["items"]?[1]?["changedSince"] == true)
    let skipped = try revert(change, "?skip=changed")
    #expect(try skipped.json["skipped"] == ["d1.example"])
    #expect(try words(skipped.json) == ["update d0.example", "update d2.example"])
    #expect(try served() == [before[0], now[1], before[2]])
    #expect(try revert(change, "?skip=refused").status == 400)
  }

  @Test func aDomainThatWasCreatedIsDeletedAndOneThatWasDeletedIsRestored() throws {
    let patch = try admin.send(
      "PATCH", "/v1/domains/d2.example", json: ["aliases": ["www.d2.example"], "cacheSeconds": 77])
    #expect(patch.status == 200)
    let state: JSON = ["domains": [domain(0, path: "/old/*"), domain(3, path: "/x")]]
    let applied = try admin.send(
      "POST", "/v1/apply?prune=true&accept=opens-nothing", json: state
    ).json
    let change = try #require(applied["change"]?.integerValue)
    #expect(try get(change)["domainCount"] == 3)
    #expect(try running.serve("www.d2.example").status == 404)
    #expect(try revert(change).json["code"] == "opens-nothing")
    let undone = try revert(change, "?accept=opens-nothing").json
    #expect(
      words(undone) == ["delete d3.example", "create d1.example", "create d2.example"])
    #expect(try running.serve("www.d2.example").status == 200)
    #expect(try running.serve("d3.example").status == 404)
    let restored = try admin.send("GET", "/v1/domains/d2.example").json
    #expect(restored["cacheSeconds"] == 77 && restored["revision"] == 3)
    let own = try #require(undone["change"]?.integerValue)
    #expect(try revert(own, "?accept=opens-nothing").status == 200)
    #expect(try running.serve("d3.example").status == 200)
  }

  @Test func domainsOfATemplateThatIsGoneOrHasChangedComeBackDetached() throws {
    func template(_ path: String) -> JSON {
      ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]]
    }
    for name in ["gone", "changed"] {
      #expect(try admin.send("PUT", "/v1/templates/\(name)", json: template("/t/*")).status == 201)
      try running.put("\(name).example", ["template": .string(name), "cacheSeconds": 77])
    }
    let before = try ["gone", "changed"].map { try running.serve("\($0).example").body }
    let applied = try admin.send(
      "POST", "/v1/apply?prune=true&overwrite=true&accept=opens-nothing",
      json: ["domains": [domain(0, path: "/old/*")], "keep": ["d1.example", "d2.example"]])
    let change = try #require(try applied.json["change"]?.integerValue, "\(applied.text)")
    #expect(try admin.send("GET", "/v1/templates/gone").status == 404)
    #expect(try admin.send("PUT", "/v1/templates/changed", json: template("/u/*")).status == 201)

    let refused = try revert(change)
    #expect(refused.status == 422 && refused.text.contains("detach=true"), "\(refused.text)")
    let undone = try revert(change, "?detach=true")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try ["gone", "changed"].map { try running.serve("\($0).example").body } == before)
    let domain = try admin.send("GET", "/v1/domains/gone.example").json
    #expect(domain["template"] == nil && domain["cacheSeconds"] == 77)
  }

  @Test func namesThatMovedGoBack() throws {
    let patch = try admin.send(
      "PATCH", "/v1/domains/d0.example", json: ["aliases": ["x.example"]])
    #expect(patch.status == 200)
    let file = try running.served("x.example")
    let state: JSON = [
      "domains": [
        ["domain": "d0.example", "aliases": []],
        [
          "domain": "d1.example", "aliases": ["x.example"],
          "entries": domain(1, path: "/moved")["entries"] ?? .null,
        ],
      ]
    ]
    let moved = try admin.send("POST", "/v1/apply?overwrite=true", json: state).json
    #expect(try running.served("x.example") != file)
    let undone = try revert(try #require(moved["change"]?.integerValue))
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try running.served("x.example") == file)
  }

  @Test func expectationsComeBack() throws {
    let expectation: JSON = [
      "url": "https://d0.example/old/1", "app": .string(app), "resolution": "match",
    ]
    let path = "/v1/domains/d0.example"
    let set = try admin.send("PATCH", path, json: ["expectations": [expectation]])
    #expect(set.status == 200)
    let cleared = try admin.send(
      "PATCH", path,
      json: ["expectations": [], "entries": domain(0, path: "/new")["entries"] ?? []]
    ).json
    #expect(try revert(try #require(cleared["change"]?.integerValue)).status == 200)
    #expect(try admin.send("GET", path).json["expectations"] == [expectation])
  }

  @Test func theAuditShowsAChangeOnce() throws {
    let change = try change()
    let audit = { (query: String) in
      try admin.send("GET", "/v1/audit?\(query)").json["items"]?.arrayValue ?? []
    }
    let line = try #require(try audit("limit=1").first)
    #expect(line["action"] == "apply" && line["domainCount"] == 3)
    #expect(line["change"] == .integer(change) && line["domain"] == nil)
    #expect(try audit("limit=10").count { $0["action"] == "apply" } == 2)
    let parts = try audit("change=\(change)")
    #expect(parts.map { $0["domain"] } == ["d2.example", "d1.example", "d0.example"])
    let part = try #require(try audit("domain=d1.example&limit=1").first)
    #expect(part["revision"] == 2 && part["change"] == .integer(change))
    #expect(part["changes"] == "apple-app-site-association changed")
    #expect(try admin.send("GET", "/v1/audit?change=x").status == 400)
    let single = try admin.send("PATCH", "/v1/domains/d0.example", json: ["cacheSeconds": 60])
    let last = try #require(try audit("limit=1").first)
    #expect(try last["change"] == single.json["change"] && last["domain"] == "d0.example")
    #expect(last["domainCount"] == nil)
    let own = try #require(last["change"]?.integerValue)
    #expect(try audit("change=\(own)") == [last])
    #expect(try audit("change=\(own)&domain=d1.example").isEmpty)
    #expect(try audit("change=\(own)&cursor=\(last["id"]?.integerValue ?? 0)").isEmpty)
  }

  @Test func theAuditFindsWhateverAChangeOfOneDomainOrOfATemplateAloneDid() throws {
    let audit = { (answer: RawResponse) in
      let change = try #require(try answer.json["change"]?.integerValue, "\(answer.text)")
      return try admin.send("GET", "/v1/audit?change=\(change)").json["items"]?.arrayValue ?? []
    }
    let deleted = try admin.send("DELETE", "/v1/domains/d0.example?accept=opens-nothing")
    #expect(try audit(deleted).map { $0["domain"] } == ["d0.example"])
    let template = { (seconds: Int) in
      try admin.send("PUT", "/v1/templates/own", json: ["cacheSeconds": .integer(seconds)])
    }
    #expect(try template(60).status == 201)
    let alone = try template(61)
    #expect(try audit(alone).map { $0["template"] } == ["own"])
    let use: JSON = ["template": "own", "cacheSeconds": .null]
    let used = try admin.send("PATCH", "/v1/domains/d1.example", json: use)
    #expect(try audit(used).map { $0["domain"] } == ["d1.example"])
    let one = try template(62)
    let records = try audit(one)
    #expect(records.count == 2 && records.contains { $0["domain"] == "d1.example" })
    #expect(records.allSatisfy { $0["template"] == "own" })
  }

  @Test func aRenamedAppGetsItsIdentifierBackIfNothingElseHappened() throws {
    let before = try served()
    let rename = {
      try admin.send("POST", "/v1/apps/\(app)/rename", json: ["to": .string(otherApp)]).json
    }
    let first = try #require(try rename()["change"]?.integerValue)
    #expect(try served() != before)
    let undone = try revert(first)
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try served() == before)
    #expect(try undone.json["apps"]?[0]?["app"] == .string(app))
    #expect(try get(try #require(try undone.json["change"]?.integerValue))["reverts"] != nil)

    let second = try #require(try rename()["change"]?.integerValue)
    try running.put("late.example", ["webcredentials": [.string(otherApp)]])
    let refused = try revert(second, "?skip=changed")
    #expect(try refused.json["code"] == "not-revertible")
    #expect(try refused.json["domains"] == ["late.example"])
    #expect(refused.text.contains("/v1/apps/\(otherApp)/rename"))
  }

  @Test func theCertificatesOfAnAndroidAppGoBackWithItsDomains() throws {
    let print = { (first: Int) in
      (0..<32).map { String(first * 16 + $0 * 73 % 199, radix: 16).uppercased() }
        .map { "0\($0)".suffix(2) }.joined(separator: ":")
    }
    let put = { (byte: Int) in
      try admin.send(
        "PUT", "/v1/android-apps/com.example.app",
        json: ["fingerprints": [["sha256": .string(print(byte)), "label": "play-signing"]]])
    }
    #expect(try put(1).status == 201)
    for name in ["a.example", "b.example"] {
      try running.put(name, ["entries": [["androidApps": ["com.example.app"]]]])
    }
    let before = try running.served("a.example", "assetlinks.json")
    let changed = try put(2).json
    #expect(changed["publications"]?.arrayValue?.count == 2)
    let change = try #require(changed["change"]?.integerValue)
    #expect(try get(change)["apps"]?[0]?["before"]?["package"] == "com.example.app")
    let undone = try revert(change)
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try running.served("a.example", "assetlinks.json") == before)
    let app = try admin.send("GET", "/v1/android-apps/com.example.app").json
    #expect(app["fingerprints"]?[0]?["sha256"] == .string(print(1)))
    // Rows render it, as before: nothing was kept as it was in the revision.
    #expect(try admin.send("GET", "/v1/domains/a.example").json["assetlinksExtra"] == nil)
    #expect(try admin.send("GET", "/v1/audit?limit=1").json["items"]?[0]?["domainCount"] == 2)

    let again = try #require(try put(3).json["change"]?.integerValue)
    let named = try admin.send(
      "PUT", "/v1/android-apps/com.example.app",
      json: [
        "name": "Shop", "fingerprints": [["sha256": .string(print(3)), "label": "upload"]],
      ])
    #expect(named.status == 200)
    #expect(try revert(again).status == 409)
  }

  @Test func aChangeWhoseEarlierRevisionsArePrunedCannotBeUndone() throws {
    let clock = SettableClock()
    let running = try RunningService(clock: clock)
    try running.put("a.example", [:])
    let patch = try running.admin.send(
      "PATCH", "/v1/domains/a.example", json: ["cacheSeconds": 60])
    let change = try #require(try patch.json["change"]?.integerValue)
    clock.wait(30 * 86_400)
    try Pruning(running.store).step(Retention(revisions: 1, revisionDays: 10))
    let refused = try running.admin.send("POST", "/v1/changes/\(change)/revert?skip=changed")
    #expect(try refused.status == 404 && refused.json["code"] == "revision-pruned")
    #expect(try refused.json["domains"] == ["a.example"])
  }

  @Test func aLimitedTokenSeesAndUndoesOnlyItsOwn() throws {
    let change = try change()
    let limited = try running.client(.editor, domains: ["d0.example", "d1.example"])
    let seen = try get(change, by: limited)
    #expect(seen["domainCount"] == 2)
    #expect(seen["items"]?.arrayValue?.map { $0["domain"] } == ["d0.example", "d1.example"])
    let list = try limited.send("GET", "/v1/changes").json["items"]
    #expect(list?.arrayValue?.map { $0["domainCount"] } == [2, 2])
    let second = try running.client(.editor, domains: ["d1.example"])
    let own = try second.send("GET", "/v1/changes").json["items"]
    #expect(own?.arrayValue?.map { $0["domain"] } == ["d1.example", "d1.example"])
    #expect(try limited.send("GET", "/v1/changes?domain=d2.example").status == 403)
    for query in ["", "?skip=changed", "?dryRun=true"] {
      #expect(try revert(change, query, by: limited).json["code"] == "token-limited")
    }
    let other = try running.client(.editor, domains: ["other.example"])
    #expect(try other.send("GET", "/v1/changes").json["items"] == [])
    #expect(try get(change, by: other)["code"] == "change-not-found")
    #expect(try revert(change, by: other).json["code"] == "change-not-found")
    let all = try running.client(.editor, domains: ["*.example"])
    #expect(try revert(change, by: try running.client(.viewer)).status == 403)
    #expect(try revert(change, "?dryRun=true", by: try running.client(.viewer)).status == 200)
    #expect(try revert(change, by: all).status == 200)
  }

  @Test func amongManyChangesOfOthersALimitedTokenFindsItsOwnPageByPage() throws {
    let connection = try running.connect()
    // Every other one has many domains.
    func addOthers(_ count: Int, domains: Int = 1) throws {
      try connection.run(
        """
        WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?)
        INSERT INTO recorded_change (at, author, action, reason, domain_count, apps)
        SELECT 1, 'other', 'edit', '', CASE n % 2 WHEN 0 THEN 1 ELSE ? END, '[]' FROM each
        """, [.integer(count), .integer(domains)])
      try connection.run(
        """
        INSERT INTO changed_domain (change_id, name, revision_before, revision_after)
        SELECT id, 'elsewhere.example', 1, 2 FROM recorded_change
        WHERE id NOT IN (SELECT change_id FROM changed_domain)
        """)
    }
    var own: [JSON] = []
    for index in 1...3 {
      try addOthers(12_000)
      let put = try admin.send("PUT", "/v1/domains/own\(index).example", json: ["entries": []])
      own.insert(try #require(put.json["change"], "\(put.text)"), at: 0)
    }
    try addOthers(40, domains: 5_000)
    let limited = try running.client(.viewer, domains: (1...3).map { "own\($0).example" })
    var (found, pages, query) = ([JSON](), 0, "?limit=2")
    while pages < 100 {
      let page = try limited.send("GET", "/v1/changes" + query).json
      found += page["items"]?.arrayValue?.compactMap { $0["id"] } ?? []
      pages += 1
      guard let next = page["next"]?.stringValue else { break }
      query = "?limit=2&cursor=\(next)"
    }
    #expect(found == own && (14...40).contains(pages), "\(pages)")
    let last = try limited.send("GET", "/v1/changes?domain=own1.example").json
    #expect(last["items"]?[0]?["id"] == own.last)
  }

  @Test func anUndoThatLeftAnEditAsItWasCancelsNothingOut() throws {
    let template = { (seconds: Int) -> JSON in
      [
        "template": "t", "cacheSeconds": .integer(seconds),
        "entries": [["apps": [.string(app)], "routes": [["path": "/t/*"]]]],
      ]
    }
    #expect(try admin.send("PUT", "/v1/templates/t", json: template(60)).status == 201)
    try running.put("used.example", ["template": "t"])
    let patch = { (path: String) in
      try admin.send(
        "PATCH", "/v1/domains/used.example",
        json: ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]])
    }
    let first = try #require(try patch("/first/*").json["change"]?.integerValue)
    let put = try admin.send("PUT", "/v1/templates/t", json: template(61))
    let second = try #require(
      try put.json["change"]?.integerValue
        ?? admin.send("GET", "/v1/changes").json["items"]?[0]?["id"]?.integerValue, "\(put.text)")
    #expect(try patch("/second/*").status == 200)
    let skipped = try revert(second, "?skip=changed")
    #expect(skipped.status == 200, "\(skipped.text)")
    let refused = try revert(first)
    #expect(refused.status == 409, "\(refused.text)")
    #expect(try running.served("used.example").text.contains("/second/"))
  }

  @Test func aDomainThatWasDeletedAgainIsAsItsDeletionLeftIt() throws {
    let deletion = try admin.send("DELETE", "/v1/domains/d0.example?accept=opens-nothing")
    #expect(deletion.status < 300, "\(deletion.text)")
    let number = {
      try admin.send("GET", "/v1/changes").json["items"]?[0]?["id"]?.integerValue ?? 0
    }
    let deleted = try number()
    try running.put("d0.example", ["cacheSeconds": 60])
    #expect(try revert(number(), "?accept=opens-nothing").status == 200)
    let restored = try revert(deleted)
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try running.served("d0.example").text.contains("/old/"))
  }
}
