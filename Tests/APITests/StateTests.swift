import Association
import TestSupport
import Testing

/// Many domains are changed together, all of them or none.
@Suite struct StateTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    for index in 0..<5 { try running.put("d\(index).example", domain(index)) }
  }

  private func domain(_ index: Int) -> JSON {
    ["entries": [["apps": [.string(app)], "routes": [["path": .string("/p\(index)/*")]]]]]
  }

  private func plan(_ response: RawResponse) throws -> [String] {
    try (response.json["domains"]?.arrayValue ?? []).map {
      "\($0["domain"]?.stringValue ?? "?"): \($0["action"]?.stringValue ?? "?")"
    }
  }

  @Test func applyingAnExportPlansNothing() throws {
    let export = try admin.send("GET", "/v1/export")
    let response = try admin.send("POST", "/v1/apply?prune=true", body: export.body)
    #expect(response.status == 200)
    #expect(try plan(response) == (0..<5).map { "d\($0).example: unchanged" })
    #expect(try admin.send("GET", "/v1/domains/d0.example")["ETag"] == "\"1\"")
    #expect(try admin.send("GET", "/v1/export").body == export.body)
  }

  @Test func aStateIsAppliedAsAWholeAndServed() throws {
    var state = try admin.send("GET", "/v1/export").json.objectValue ?? [:]
    var domains = state["domains"]?.arrayValue ?? []
    domains.removeLast()
    domains[0] = .object(
      (domains[0].objectValue ?? [:]).setting("aliases", ["moved.example"]))
    domains.append(["domain": "new.example", "webcredentials": [.string(app)]])
    state["domains"] = .array(domains)
    let kept = try admin.send("POST", "/v1/apply", json: .object(state))
    #expect(
      try plan(kept) == [
        "d0.example: update", "d1.example: unchanged", "d2.example: unchanged",
        "d3.example: unchanged", "new.example: create",
      ])
    #expect(try running.serve("moved.example").status == 200)
    #expect(try running.serve("d4.example").status == 200)
    let pruned = try admin.send(
      "POST", "/v1/apply?prune=true&accept=opens-nothing", json: .object(state))
    #expect(try plan(pruned).first == "d4.example: delete")
    #expect(try running.serve("d4.example").status == 404)
  }

  /// The order of members means nothing, but it is in the bytes that are served.
  @Test func aStateWithMembersInAnotherOrderIsPublishedAndUndone() throws {
    let texts: [JSON] = [
      ["enroll": "https://a.example/e", "manage": "https://a.example/m"],
      ["manage": "https://a.example/m", "enroll": "https://a.example/e"],
    ]
    let served = { try running.serve("a.example", "passkey-endpoints").text }
    for (number, order) in (texts + [texts[1]]).enumerated() {
      let state: JSON = ["domains": [["domain": "a.example", "passkeyEndpoints": order]]]
      let applied = try admin.send("POST", "/v1/apply", json: state)
      #expect(try plan(applied) == ["a.example: \(["create", "update", "unchanged"][number])"])
      #expect(try served() == order.text)
    }
    #expect(try admin.send("GET", "/v1/domains/a.example")["ETag"] == "\"2\"")
    let change = try #require(try admin.send("GET", "/v1/changes").json["items"]?[0]?["id"])
    let undone = try admin.send("POST", "/v1/changes/\(change.integerValue ?? 0)/revert")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try served() == texts[0].text)
  }

  @Test func aDomainThatReturnsGivesItsRoutesNumbersThatItNeverGave() throws {
    let state: JSON = [
      "domains": [["domain": "back.example", "entries": domain(0)["entries"] ?? []]]
    ]
    func numbers() throws -> [JSON?] {
      #expect(try admin.send("POST", "/v1/apply", json: state).status == 200)
      let entry = try admin.send("GET", "/v1/domains/back.example").json["entries"]?[0]
      return [entry?["id"], entry?["routes"]?[0]?["id"]]
    }
    #expect(try numbers() == [1, 1])
    let deleted = try admin.send("DELETE", "/v1/domains/back.example?accept=opens-nothing")
    #expect(deleted.status == 200)
    #expect(try numbers() == [2, 1])
    #expect(try admin.send("GET", "/v1/domains/back.example")["ETag"] == "\"2\"")
  }

  @Test func oneApplyCanMoveAnAliasToAnotherDomain() throws {
    let change = { (first: JSON, second: JSON) in
      try admin.send(
        "POST", "/v1/apply?accept=opens-nothing",
        json: [
          "domains": [
            ["domain": "d0.example", "aliases": first],
            ["domain": "d1.example", "aliases": second],
          ]
        ])
    }
    #expect(try change([], ["x.example"]).status == 200)
    let swapped = try change(["x.example"], [])
    #expect(swapped.status == 200, "\(swapped.text)")
    #expect(try running.serve("x.example").body == running.serve("d0.example").body)
    #expect(try change([], []).status == 200)
    #expect(try running.serve("x.example").status == 404)
  }

  @Test func aStateWithoutExpectationsKeepsThem() throws {
    let expectation: JSON = [
      "url": "https://d0.example/p0/1", "app": .string(app), "resolution": "match",
    ]
    let patch: JSON = ["expectations": [expectation]]
    #expect(try admin.send("PATCH", "/v1/domains/d0.example", json: patch).status == 200)
    let broken = try admin.send(
      "POST", "/v1/apply", json: ["domains": [["domain": "d0.example", "entries": []]]])
    #expect(broken.status == 409)
    var kept = domain(0).objectValue ?? [:]
    kept["domain"] = "d0.example"
    let applied = try admin.send("POST", "/v1/apply", json: ["domains": [.object(kept)]])
    #expect(applied.status == 200, "\(applied.text)")
    let domain = try admin.send("GET", "/v1/domains/d0.example").json
    #expect(domain["expectations"] == [expectation])
    let reset = try admin.send(
      "PATCH", "/v1/domains/d0.example", json: ["expectations": .null])
    #expect(try reset.json["domain"]?["expectations"] == [])
  }

  @Test func oneRefusedDomainStopsTheWholeState() throws {
    let before = try admin.send("GET", "/v1/export").body
    let bad: JSON = [["apps": [.string(app)], "routes": [["path": "/$(nowhere)"]]]]
    let response = try admin.send(
      "POST", "/v1/apply?overwrite=true&accept=opens-nothing",
      json: [
        "apps": [["app": "ABCDE12345.new", "name": "New"]],
        "domains": [
          ["domain": "d0.example", "cacheSeconds": 7], ["domain": "d1.example", "entries": bad],
          ["domain": "d2.example", "entries": bad],
        ],
      ])
    #expect(response.status == 422)
    #expect(try response.json["problems"]?.arrayValue?.count == 2)
    #expect(try response.json["problems"]?[1]?["domain"] == "d2.example")
    #expect(try admin.send("GET", "/v1/export").body == before)
  }

  @Test func everyFaultOfAStateIsNamed() throws {
    let response = try admin.send(
      "POST", "/v1/apply",
      json: [
        "apps": [["app": "nodot"]], "domains": [["domain": "a b"], [:], ["domain": "d0.example"]],
      ])
    #expect(response.status == 422)
    let faults = try response.faults
    #expect(faults.contains("/apps/0/app: malformed-app-identifier"))
    #expect(faults.contains("/domains/0/domain: domain-malformed"))
    #expect(faults.contains("/domains/1: missing-member"))
  }

  @Test func anAppIsRenamedInAllItsDomainsOrInNone() throws {
    let path = "/v1/apps/\(app)/rename"
    let renamed = try admin.send("POST", path, json: ["to": "ABCDE12345.renamed"])
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(try renamed.json["domains"]?.arrayValue?.count == 5)
    for index in 0..<5 {
      #expect(try running.serve("d\(index).example").text.contains("ABCDE12345.renamed"))
      #expect(try admin.send("GET", "/v1/domains/d\(index).example")["ETag"] == "\"2\"")
    }
    #expect(try admin.send("POST", path, json: ["to": "ABCDE12345.x"]).code == "app-not-found")
    #expect(try admin.send("PUT", "/v1/apps/ABCDE12345.other", json: [:]).status == 201)
    let taken = try admin.send(
      "POST", "/v1/apps/ABCDE12345.renamed/rename", json: ["to": "ABCDE12345.other"])
    #expect(try taken.status == 409 && taken.code == "app-exists")
  }

  @Test func aRefusedRenameNamesEveryDomainAndChangesNone() throws {
    let staging: JSON = ["environment": "staging"]
    for index in 1...2 {
      let path = "/v1/domains/d\(index).example"
      #expect(try admin.send("PATCH", path, json: ["strict": true]).status == 200)
    }
    #expect(try admin.send("PUT", "/v1/apps/\(app)", json: staging).status == 200)
    let before = try admin.send("GET", "/v1/export").body
    let refused = try admin.send("POST", "/v1/apps/\(app)/rename", json: ["to": "ABCDE12345.x"])
    #expect(try refused.status == 422 && refused.code == "several-refused")
    let domains = try refused.json["problems"]?.arrayValue?.map { $0["domain"] ?? .null }
    #expect(domains == ["d1.example", "d2.example"])
    #expect(try admin.send("GET", "/v1/export").body == before)
  }

  @Test func ofManyRefusedDomainsAHundredAreNamedAndAllAreCounted() throws {
    let domains = (0..<150).map { index -> JSON in
      [
        "domain": .string("r\(index).example"), "strict": true,
        "entries": [["apps": [.string(app)]]],
      ]
    }
    let state: JSON = [
      "apps": [["app": .string(app), "environment": "staging"]], "domains": .array(domains),
    ]
    let refused = try admin.send("POST", "/v1/apply", json: state)
    #expect(try refused.status == 422 && refused.code == "several-refused")
    #expect(try refused.json["problems"]?.arrayValue?.count == 100)
    #expect(try refused.json["moreProblems"] == 50)
  }

  @Test func aStagingAppOnAProductionDomainIsAFinding() throws {
    let staging: JSON = ["environment": "staging"]
    #expect(try admin.send("PUT", "/v1/apps/\(app)", json: staging).status == 200)
    let path = "/v1/domains/d0.example"
    let warned = try admin.send("PATCH", path, json: ["cacheSeconds": 1])
    #expect(try codes(warned).contains("environment-mismatch"))
    let strict = try admin.send("PATCH", path, json: ["strict": true])
    #expect(try strict.status == 422 && strict.code == "environment-mismatch")
    let fitting = try admin.send(
      "PATCH", path, json: ["strict": true, "environment": "staging"])
    #expect(fitting.status == 200)
    #expect(try !codes(fitting).contains("environment-mismatch"))
  }

  private func codes(_ response: RawResponse) throws -> [String] {
    try (response.json["findings"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue }
  }
}

extension JSON.Object {
  fileprivate func setting(_ key: String, _ value: JSON) -> JSON.Object {
    var object = self
    object[key] = value
    return object
  }
}
