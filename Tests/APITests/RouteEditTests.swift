import Association
import Store
import TestSupport
import Testing

/// Routes of many domains are edited at once, whatever their apps.
@Suite struct RouteEditTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    try put("a.brand.example", app)
    try put("b.brand.example", otherApp)
    try put("other.example", app)
  }

  private func put(_ domain: String, _ app: String) throws {
    try running.put(
      domain,
      [
        "entries": [
          [
            "apps": [.string(app)],
            "routes": [
              ["path": "/shop/*"], ["path": "/help/*", "comment": "articles"],
              ["path": "/web/*", "exclude": true],
            ],
          ]
        ]
      ])
  }

  private func edit(
    _ edits: JSON, _ query: String = "", domains: JSON = ["*.brand.example"],
    by client: Client? = nil
  ) throws -> RawResponse {
    try (client ?? admin).send(
      "POST", "/v1/routes\(query)", json: ["domains": domains, "edits": edits])
  }

  private func paths(_ domain: String) throws -> [String] {
    let routes = try admin.send("GET", "/v1/domains/\(domain)").json["entries"]?[0]?["routes"]
    return (routes?.arrayValue ?? []).compactMap { $0["path"]?.stringValue }
  }

  @Test func aRouteThatIsReplacedByOneThatIsThereStandsThereOnce() throws {
    #expect(
      try edit([["replace": ["path": "/shop/*"], "with": ["path": "/help/*"]]]).status == 200)
    #expect(try paths("a.brand.example") == ["/help/*", "/web/*"])
    #expect(
      try edit([["replace": ["path": "/shop/*"], "with": ["path": "/web/*"]]]).status == 200)
    #expect(try paths("a.brand.example") == ["/help/*", "/web/*"])
  }

  @Test func manyWildcardsChooseTheDomainsBelowThem() throws {
    let names = (0..<5000).map { JSON.string("*.n\($0).example") } + ["*.example"]
    let all = try edit([["add": ["path": "/gift/*"]]], "?dryRun=true", domains: .array(names))
    #expect(try plan(all).count == 3, "\(all.text)")
    let some = try edit(
      [["add": ["path": "/gift/*"]]], "?dryRun=true", domains: ["*.brand.example", "other.example"])
    #expect(try plan(some).count == 3, "\(some.text)")
    let one = try edit(
      [["add": ["path": "/gift/*"]]], "?dryRun=true", domains: ["*.a.brand.example"])
    #expect(try one.code == "domain-not-found", "\(one.text)")
  }

  private func plan(_ response: RawResponse) throws -> [String] {
    try (response.json["domains"]?.arrayValue ?? []).map {
      "\($0["domain"]?.stringValue ?? "?") \($0["action"]?.stringValue ?? "?")"
    }
  }

  @Test func oneRequestEditsTheRoutesOfManyDomains() throws {
    let edits: JSON = [
      ["add": ["path": "/gift/*"], "position": "first"],
      ["add": ["path": "/last/*"]],
      ["add": ["path": "/admin/*", "exclude": true], "before": ["path": "/help/*"]],
      ["remove": ["path": "/shop/*"]],
      ["replace": ["path": "/help/*"], "with": ["path": "/support/*"]],
      ["move": ["path": "/web/*", "exclude": true], "position": "first"],
      ["remove": ["path": "/web/*"]],
    ]
    let dry = try edit(edits, "?dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try paths("a.brand.example").count == 3)
    let done = try edit(edits, "?reason=spring")
    #expect(try plan(done) == ["a.brand.example update", "b.brand.example update"])
    #expect(try plan(dry) == plan(done))
    let expected = ["/web/*", "/gift/*", "/admin/*", "/support/*", "/last/*"]
    #expect(try paths("a.brand.example") == expected)
    #expect(try paths("b.brand.example") == expected)
    #expect(try paths("other.example").count == 3)
    let again = try edit([["add": ["path": "/gift/*"]]])
    #expect(try again.json["change"] == nil)
    #expect(try plan(again) == ["a.brand.example unchanged", "b.brand.example unchanged"])
    let line = try admin.send("GET", "/v1/audit?limit=1").json["items"]?[0]
    #expect(line?["action"] == "edit routes" && line?["domainCount"] == 2)
    #expect(line?["reason"] == "spring")
    let change = try #require(try done.json["change"]?.integerValue)
    #expect(try admin.send("POST", "/v1/changes/\(change)/revert").status == 200)
    #expect(try paths("a.brand.example") == ["/shop/*", "/help/*", "/web/*"])
  }

  @Test func domainsAreChosenByNameWildcardAndFilter() throws {
    let add: JSON = [["add": ["path": "/x"]]]
    let send = { (body: JSON) in try admin.send("POST", "/v1/routes?dryRun=true", json: body) }
    #expect(
      try plan(edit(add, "?dryRun=true", domains: ["other.example", "a.brand.example"]))
        == ["a.brand.example update", "other.example update"])
    let filtered = try send(["filter": ["app": .string(app)], "edits": add])
    #expect(try plan(filtered) == ["a.brand.example update", "other.example update"])
    let both = try send([
      "domains": ["*.example"], "filter": ["q": "brand", "app": .string(app)], "edits": add,
    ])
    #expect(try plan(both) == ["a.brand.example update"])
    let entries = try send([
      "domains": ["*.brand.example"], "app": .string(app),
      "edits": [["remove": ["path": "/shop/*"]]],
    ])
    #expect(try plan(entries) == ["a.brand.example update", "b.brand.example unchanged"])
    let missing = try edit(add, domains: ["a.brand.example", "none.example"])
    #expect(try missing.json["code"] == "domain-not-found")
  }

  @Test func domainsThatWouldBeRefusedCanBeLeftOutByName() throws {
    let patch = try admin.send(
      "PATCH", "/v1/domains/b.brand.example",
      json: [
        "expectations": [
          [
            "url": "https://b.brand.example/shop/1", "app": .string(otherApp),
            "resolution": "match",
          ]
        ]
      ])
    #expect(patch.status == 200)
    let remove: JSON = [["remove": ["path": "/shop/*"]]]
    let refused = try edit(remove)
    #expect(try refused.status == 409 && refused.json["code"] == "expectation-broken")
    #expect(try paths("a.brand.example").count == 3)
    let skipped = try edit(remove, "?skip=refused")
    #expect(skipped.status == 200, "\(skipped.text)")
    #expect(try plan(skipped) == ["a.brand.example update"])
    #expect(try skipped.json["skipped"] == ["b.brand.example"])
    #expect(try skipped.json["problems"]?[0]?["code"] == "expectation-broken")
    #expect(try paths("b.brand.example").count == 3)
    let place: JSON = [["add": ["path": "/n"], "after": ["path": "/shop/*"]]]
    let misfit = try edit(place)
    #expect(try misfit.json["code"] == "not-editable" && misfit.json["domain"] == "a.brand.example")
    try running.put(
      "legacy.brand.example", ["format": "legacy", "entries": [["apps": [.string(app)]]]])
    let query: JSON = [["add": ["path": "/q", "query": "a=1"]]]
    #expect(try edit(query, domains: ["legacy.brand.example"]).json["code"] == "not-editable")
    try running.put("empty.brand.example", [:])
    #expect(try edit(query, domains: ["empty.brand.example"]).json["code"] == "not-editable")
  }

  @Test(arguments: [
    #"{"domains": ["a.example"]}"#, #"{"edits": [{"remove": {"path": "/"}}]}"#,
    #"{"domains": [], "edits": [{"remove": {"path": "/"}}]}"#,
    #"{"filter": {}, "edits": [{"remove": {"path": "/"}}]}"#,
    #"{"domains": ["a.example"], "edits": []}"#,
    #"{"domains": ["a.example"], "edits": [{}]}"#,
    #"{"domains": ["a.example"], "edits": [{"add": {"path": "/"}, "remove": {"path": "/"}}]}"#,
    #"{"domains": ["a.example"], "edits": [{"replace": {"path": "/"}}]}"#,
    #"{"domains": ["a.example"], "edits": [{"move": {"path": "/"}}]}"#,
    #"{"domains": ["a.example"], "edits": [{"remove": {"path": "/"}, "position": "last"}]}"#,
    #"{"domains": ["a.example"], "edits": [{"add": {"path": "/"}, "position": "middle"}]}"#,
    #"{"domains": ["a.example"], "edits": [{"add": {"path": "/"}, "position": {}}]}"#,
    #"{"domains": ["a.example"], "edits": [{"add": {"path": 1}}]}"#,
    #"{"domains": ["a b"], "edits": [{"add": {"path": "/"}}]}"#,
  ])
  func badRequestsAreRefused(body: String) throws {
    let response = try admin.send("POST", "/v1/routes", body: Array(body.utf8))
    #expect(try response.status == 422 && response.json["code"] == "invalid-input")
  }

  @Test func aLimitedTokenEditsOnlyItsOwn() throws {
    let limited = try running.client(.editor, domains: ["a.brand.example"])
    let add: JSON = [["add": ["path": "/x"]]]
    #expect(try plan(edit(add, by: limited)) == ["a.brand.example update"])
    #expect(try edit(add, domains: ["other.example"], by: limited).json["code"] == "token-limited")
    let viewer = try running.client(.viewer)
    #expect(try edit(add, by: viewer).status == 403)
    #expect(try edit(add, "?dryRun=true", by: viewer).status == 200)
  }
}
