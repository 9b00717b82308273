import Association
import Store
import TestSupport
import Testing

/// Many domains as one: a template with the values of each domain, through the API and the public listener.
@Suite struct TemplateTests {
  let running: RunningService
  var admin: Client { running.admin }
  let path = "/v1/templates/white-label"

  static let template: JSON = [
    "parameters": [
      ["name": "app", "type": "app"], ["name": "slug", "type": "path", "default": "gift"],
    ],
    "cacheSeconds": 600,
    "entries": [["apps": ["{app}"], "routes": [["path": "/{slug}/*"]]]],
  ]

  init() throws {
    running = try RunningService()
    try put(path, Self.template)
    for index in 1...3 { try put(domain(index), use(index)) }
  }

  func app(_ index: Int) -> String { "ABCDE12345.com.example.app\(index)" }
  func domain(_ index: Int) -> String { "/v1/domains/city\(index).example" }
  func use(_ index: Int) -> JSON {
    ["template": "white-label", "parameters": ["app": .string(app(index))]]
  }

  @discardableResult
  func put(_ target: String, _ json: JSON, _ status: Int = 201) throws -> RawResponse {
    let answer = try admin.send("PUT", target, body: json.serialized(), "If-Match: *")
    if answer.status == 412 {
      let created = try admin.send("PUT", target, json: json)
      #expect(created.status == status, "\(created.text)")
      return created
    }
    #expect(answer.status == (status == 201 ? 200 : status), "\(answer.text)")
    return answer
  }

  func changed(_ change: (inout JSON.Object) -> Void) -> JSON {
    var json = Self.template.objectValue ?? [:]
    change(&json)
    return .object(json)
  }

  func with(paths: [String]) -> JSON {
    changed {
      if !paths.contains(where: { $0.contains("{slug}") }) {
        $0["parameters"] = [["name": "app", "type": "app"]]
      }
      $0["entries"] = [
        ["apps": ["{app}"], "routes": .array(paths.map { ["path": .string($0)] })]
      ]
    }
  }

  func paths(_ index: Int) throws -> [String] {
    let file = try running.serve("city\(index).example")
    guard file.status == 200 else { return [] }
    let details = try file.json["applinks"]?["details"]?.arrayValue ?? []
    return details.flatMap { $0["components"]?.arrayValue ?? [] }.compactMap {
      $0["/"]?.stringValue
    }
  }

  func revision(_ index: Int) throws -> JSON? {
    try admin.send("GET", domain(index)).json["revision"]
  }

  // MARK: One set of rules

  @Test func aDomainServesWhatItsTemplateGivesWithItsValues() throws {
    let file = try running.serve("city2.example")
    #expect(try file.json["applinks"]?["details"]?[0]?["appIDs"] == [.string(app(2))])
    #expect(try paths(2) == ["/gift/*"])
    #expect(file["Cache-Control"] == "public, max-age=600")
  }

  @Test func anEditOfATemplatePublishesEveryDomainAndShowsEachEffectOnce() throws {
    let new = with(paths: ["/{slug}/*", "/news/*"])
    let dryRun = try admin.send("PUT", path + "?dryRun=true", json: new)
    #expect(dryRun.status == 200, "\(dryRun.text)")
    #expect(try paths(1) == ["/gift/*"], "a dry run changes nothing")
    let answer = try admin.send("PUT", path, json: new)
    for json in [try dryRun.json, try answer.json] {
      #expect(json["domains"] == 3)
      #expect(json["published"] == 3)
      #expect(json["effects"]?.arrayValue?.count == 1, "\(json.text)")
      #expect(json["effects"]?[0]?["count"] == 3)
      let summary = json["effects"]?[0]?["summary"]?.stringValue ?? ""
      #expect(summary.contains("/news/*"), "\(summary)")
      #expect(json["effects"]?[0]?["example"]?["url"] != nil)
      #expect(json["template"]?["revision"] == 2)
    }
    for index in 1...3 { #expect(try paths(index) == ["/gift/*", "/news/*"]) }
    let same = try admin.send("PUT", path, json: new)
    #expect(try same.json["changed"] == false)
    #expect(try revision(1) == 2, "publishing the same publishes nothing")
  }

  @Test func domainsThatDifferAreShownApart() throws {
    try put(domain(3), changedUse(3, ["slug": "promo"]), 200)
    let answer = try admin.send(
      "PUT", path + "?dryRun=true", json: with(paths: ["/{slug}/*", "/promo/*"]))
    let effects = try answer.json["effects"]?.arrayValue ?? []
    #expect(effects.map { $0["count"] } == [2, 1], "\(answer.text)")
    #expect(effects.last?["domains"] == ["city3.example"])
  }

  func changedUse(_ index: Int, _ parameters: JSON.Object) -> JSON {
    var all: JSON.Object = ["app": .string(app(index))]
    for member in parameters.members { all[member.key] = member.value }
    return ["template": "white-label", "parameters": .object(all)]
  }

  @Test func ifOneDomainIsRefusedNoneIsPublishedUnlessItIsSkipped() throws {
    let expectation: JSON = [
      "expectations": [
        ["url": "https://city2.example/gift/1", "app": .string(app(2)), "resolution": "match"]
      ]
    ]
    let set = try admin.send("PUT", domain(2) + "/expectations", json: expectation)
    #expect(set.status == 200, "\(set.text)")
    let new = with(paths: ["/other/*"])
    let refused = try admin.send("PUT", path, json: new)
    #expect(refused.status == 409, "\(refused.text)")
    #expect(try refused.json["domain"] == "city2.example")
    #expect(try admin.send("GET", path).json["revision"] == 1)
    #expect(try paths(1) == ["/gift/*"])
    let skipped = try admin.send("PUT", path + "?skip=refused", json: new)
    #expect(skipped.status == 200, "\(skipped.text)")
    #expect(try skipped.json["skipped"] == ["city2.example"])
    #expect(try skipped.json["published"] == 2)
    #expect(try paths(1) == ["/other/*"])
    #expect(try paths(2) == ["/gift/*"])
  }

  @Test func theExpectationsOfATemplateHoldForEachDomain() throws {
    let expecting = changed {
      $0["expectations"] = [
        ["url": "https://{domain}/{slug}/1", "app": "{app}", "resolution": "match"]
      ]
    }
    try put(path, expecting, 200)
    var broken = with(paths: ["/{slug}/?"]).objectValue ?? [:]
    broken["expectations"] = expecting["expectations"]
    try put(path, .object(broken), 200)
    broken["entries"] = with(paths: ["/x/*", "/{slug}/no"])["entries"]
    let refused = try admin.send("PUT", path, json: .object(broken))
    #expect(refused.status == 409, "\(refused.text)")
    #expect(try refused.json["problems"]?.arrayValue?.count == 3)
    let own = try admin.send(
      "POST", domain(1) + "/entries",
      json: ["apps": [.string(app(1))], "routes": [["path": "/gift/1", "exclude": true]]])
    #expect(own.status == 409, "\(own.text)")
  }

  // MARK: What is a domain's own

  @Test func ownEntriesComeFirstAndAreAllThatADomainShows() throws {
    let added = try admin.send(
      "POST", domain(1) + "/entries",
      json: ["apps": [.string(app(1))], "routes": [["path": "/own/*"]]])
    #expect(added.status == 201, "\(added.text)")
    #expect(try paths(1) == ["/own/*", "/gift/*"])
    let json = try admin.send("GET", domain(1)).json
    #expect(json["entries"]?.arrayValue?.count == 1)
    #expect(json["cacheSeconds"] == nil)
    let resolved = try admin.send("GET", domain(1) + "?resolved=true").json
    #expect(resolved["entries"]?.arrayValue?.count == 2)
    #expect(resolved["sources"]?["entries"] == ["domain", "template"])
    #expect(resolved["sources"]?["cacheSeconds"] == "template")
    #expect(resolved["cacheSeconds"] == 600)
    try put(path, with(paths: ["/new/*"]), 200)
    #expect(try paths(1) == ["/own/*", "/new/*"])
    let entry = try added.json["entry"]?["id"]?.integerValue ?? 0
    #expect(try admin.send("DELETE", domain(1) + "/entries/\(entry)").status == 200)
    #expect(try paths(1) == ["/new/*"])
  }

  @Test func aMemberOfADomainWinsUntilItIsReset() throws {
    let own = try admin.send("PATCH", domain(1), json: ["cacheSeconds": 3600])
    #expect(own.status == 200, "\(own.text)")
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=3600")
    try put(path, changed { $0["cacheSeconds"] = 60 }, 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=3600")
    #expect(try running.serve("city2.example")["Cache-Control"] == "public, max-age=60")
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": .null]).status == 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=60")
  }

  @Test func aDomainIsSentBackAsItCame() throws {
    _ = try admin.send(
      "POST", domain(1) + "/entries",
      json: ["apps": [.string(app(1))], "routes": [["path": "/own/*"]]])
    let before = try admin.send("GET", domain(1)).json
    let answer = try admin.send("PUT", domain(1), body: before.serialized(), "If-Match: *")
    #expect(try answer.json["changed"] == false, "\(answer.text)")
  }

  @Test func aFileIsNotAdoptedOverATemplate() throws {
    let file = try running.serve("city1.example").body
    let adopted = try admin.send("PUT", domain(1) + "/file", body: file)
    #expect(adopted.status == 409)
    #expect(try adopted.json["code"] == "uses-template")
    #expect(
      try admin.send("DELETE", domain(1) + "/documents/apple-app-site-association").status == 409)
  }

  // MARK: Edits of other things, where a template is in between

  @Test func anAppIsRenamedInTheParametersOfDomains() throws {
    let renamed = try admin.send("POST", "/v1/apps/\(app(1))/rename", json: ["to": .string(app(8))])
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(try admin.send("GET", domain(1)).json["parameters"]?["app"] == .string(app(8)))
    // Whatever comes later starts from the new app, with nothing twice.
    #expect(try admin.send("PATCH", domain(1), json: ["environment": "staging"]).status == 200)
    let file = try running.serve("city1.example").json
    #expect(file["applinks"]?["details"]?.arrayValue?.count == 1, "\(file.text)")
    #expect(file["applinks"]?["details"]?[0]?["appIDs"] == [.string(app(8))])
    let stored = try running.store.domain(DomainName("city1.example")).domain
    #expect(stored.associationFile.entries.count == 1)
  }

  @Test func anEmptyListOfADomainWinsOverTheTemplate() throws {
    try put(path, changed { $0["webcredentials"] = ["{app}"] }, 200)
    #expect(try running.serve("city1.example").json["webcredentials"] != nil)
    let own = try admin.send(
      "PATCH", domain(1),
      json: ["webcredentials": [], "androidCredentials": [], "dynamicAppLinks": true])
    #expect(own.status == 200, "\(own.text)")
    #expect(try running.serve("city1.example").json["webcredentials"] == nil)
    #expect(try admin.send("PATCH", domain(1), json: ["environment": "staging"]).status == 200)
    let json = try admin.send("GET", domain(1)).json
    #expect(json["androidCredentials"] == [] && json["dynamicAppLinks"] == true, "\(json.text)")
    let export = try admin.send("GET", "/v1/export").json
    #expect(try admin.send("POST", "/v1/apply", json: export).status == 200)
    #expect(try running.serve("city1.example").json["webcredentials"] == nil)
  }

  @Test func leavingATemplateRemovesNoExpectation() throws {
    let expecting = changed {
      $0["expectations"] = [
        ["url": "https://{domain}/{slug}/1", "app": "{app}", "resolution": "match"]
      ]
    }
    try put(path, expecting, 200)
    #expect(try admin.send("GET", domain(1) + "/expectations").json["expectations"] == [])
    // Without its template, the first one would serve nothing.
    #expect(try admin.send("PATCH", domain(1), json: ["template": .null]).status != 200)
    for target in [domain(2) + "/detach", domain(3) + "/revisions/2/restore?detach=true"] {
      let answer = try admin.send("POST", target)
      #expect(answer.status == 200, "\(answer.text)")
    }
    for index in 1...3 {
      #expect(
        try running.store.domain(DomainName("city\(index).example")).domain.expectations.count == 1)
    }
  }

  @Test func routesOfATemplateAreNotEditedAsThoseOfItsDomains() throws {
    #expect(try admin.send("GET", domain(1) + "/entries").json["entries"] == [])
    #expect(try admin.send("GET", domain(1) + "/entries/1").status == 404)
    let refused = try admin.send(
      "POST", "/v1/routes",
      json: ["domains": ["city1.example"], "edits": [["remove": ["path": "/gift/*"]]]])
    #expect(refused.status == 409, "\(refused.text)")
    #expect(try refused.json["code"] == "uses-template")
    #expect(try paths(1) == ["/gift/*"])
  }

  @Test func aLimitedTokenSeesHowManyOfItsOwnDomainsUseATemplate() throws {
    #expect(try admin.send("PATCH", domain(2), json: ["labels": ["team"]]).status == 200)
    let limited = [
      try running.client(.viewer, domains: ["city1.example"]),
      try running.client(.viewer, labels: ["team"]),
    ]
    for (client, count) in [(admin, 3)] + limited.map({ ($0, 1) }) {
      let list = try client.send("GET", "/v1/templates").json["items"]?[0]
      let revisions = try client.send("GET", path + "/revisions").json["items"]?[0]
      for one in [
        list, revisions, try client.send("GET", path).json,
        try client.send("GET", path + "/revisions/1").json,
      ] {
        #expect(one?["domains"] == .integer(count), "\(one?.text ?? "")")
      }
    }
  }

  @Test func numbersOfDeletedTemplatesAreBoundedAndNoneIsGivenAgain() throws {
    for seconds in 1...3 {
      try put("/v1/templates/high", ["cacheSeconds": .integer(seconds)], seconds == 1 ? 201 : 200)
    }
    #expect(try admin.send("DELETE", "/v1/templates/high").status == 204)
    func state(_ names: [String]) -> JSON {
      [
        "keep": .strings((1...3).map { "city\($0).example" }),
        "templates": .array(
          [.object((Self.template.objectValue ?? [:]).adding("template", "white-label"))]
            + names.map { ["template": .string($0), "cacheSeconds": 60] }),
      ]
    }
    let names = (0..<1100).map { "t\($0)" }
    for state in [state(names), state([])] {
      let answer = try admin.send("POST", "/v1/apply?prune=true", json: state)
      #expect(answer.status == 200, "\(answer.text.prefix(500))")
    }
    #expect(try admin.send("GET", "/v1/templates/t1").status == 404)
    let kept = try running.connect().number("SELECT count(*) FROM deleted_template") ?? 0
    #expect((1...1001).contains(kept))
    for (name, revision) in [("t0", 2), ("t1099", 2), ("new", 2), ("high", 4)] {
      let put = try admin.send("PUT", "/v1/templates/\(name)", json: ["cacheSeconds": 9])
      #expect(try put.json["template"]?["revision"] == .integer(revision), "\(name) \(put.text)")
    }
    let next = try put(path, with(paths: ["/x", "/{slug}"]), 200)
    #expect(try next.json["template"]?["revision"] == 2)
  }

  @Test func aTemplateIsSentBackAsItCame() throws {
    let before = try admin.send("GET", path).json
    let answer = try admin.send("PUT", path, json: before)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["changed"] == false)
  }
}

extension JSON.Object {
  func adding(_ key: String, _ value: JSON) -> JSON.Object {
    var object = self
    object[key] = value
    return object
  }
}
