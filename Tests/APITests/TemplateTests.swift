import Association
import Dispatch
import Store
import Synchronization
import TestSupport
import Testing

/// Many domains as one: a template with the values of each domain, through the API and the public listener.
@Suite struct TemplateTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/templates/white-label"

  private static let template: JSON = [
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

  private func app(_ index: Int) -> String { "ABCDE12345.com.example.app\(index)" }
  private func domain(_ index: Int) -> String { "/v1/domains/city\(index).example" }
  private func use(_ index: Int) -> JSON {
    ["template": "white-label", "parameters": ["app": .string(app(index))]]
  }

  @discardableResult
  private func put(_ target: String, _ json: JSON, _ status: Int = 201) throws -> RawResponse {
    let answer = try admin.send("PUT", target, body: json.serialized(), "If-Match: *")
    if answer.status == 412 {
      let created = try admin.send("PUT", target, json: json)
      #expect(created.status == status, "\(created.text)")
      return created
    }
    #expect(answer.status == (status == 201 ? 200 : status), "\(answer.text)")
    return answer
  }

  private func changed(_ change: (inout JSON.Object) -> Void) -> JSON {
    var json = Self.template.objectValue ?? [:]
    change(&json)
    return .object(json)
  }

  private func with(paths: [String]) -> JSON {
    changed {
      if !paths.contains(where: { $0.contains("{slug}") }) {
        $0["parameters"] = [["name": "app", "type": "app"]]
      }
      $0["entries"] = [
        ["apps": ["{app}"], "routes": .array(paths.map { ["path": .string($0)] })]
      ]
    }
  }

  private func paths(_ index: Int) throws -> [String] {
    let file = try running.serve("city\(index).example")
    guard file.status == 200 else { return [] }
    let details = try file.json["applinks"]?["details"]?.arrayValue ?? []
    return details.flatMap { $0["components"]?.arrayValue ?? [] }.compactMap {
      $0["/"]?.stringValue
    }
  }

  private func revision(_ index: Int) throws -> JSON? {
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

  private func changedUse(_ index: Int, _ parameters: JSON.Object) -> JSON {
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

  @Test func anAppOfTheTemplateItselfIsNotRenamedBehindItsBack() throws {
    let fixed = changed {
      $0["webcredentials"] = [.string(app(9))]
      $0["entries"] = [["apps": ["{app}", .string(app(9))], "routes": [["path": "/{slug}/*"]]]]
    }
    try put(path, fixed, 200)
    for request in [
      ("rename", ["to": .string(app(8))]), ("accompany", ["app": .string(app(8))]),
    ] as [(String, JSON)] {
      let refused = try admin.send("POST", "/v1/apps/\(app(9))/\(request.0)", json: request.1)
      #expect(refused.status == 422 && refused.text.contains("uses-template"), "\(refused.text)")
    }
    #expect(
      try admin.send("DELETE", "/v1/apps/\(app(9))?everywhere=true&accept=opens-nothing").status
        == 422)
    #expect(try admin.send("GET", domain(1)).json["webcredentials"] == nil, "it is no domain's own")
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

  @Test func aTemplateIsSentBackAsItCame() throws {
    let before = try admin.send("GET", path).json
    let answer = try admin.send("PUT", path, json: before)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["changed"] == false)
  }

  @Test func aStateLeavesATemplateToOthersUnlessBothChangedIt() throws {
    let export = try admin.send("GET", "/v1/export").json
    try put(path, with(paths: ["/theirs/*"]), 200)
    let untouched = try admin.send("POST", "/v1/apply", json: export)
    #expect(untouched.status == 200, "\(untouched.text)")
    #expect(try paths(1) == ["/theirs/*"], "nothing is lost")
    var mine = export.objectValue ?? [:]
    var template = export["templates"]?[0]?.objectValue ?? [:]
    template["cacheSeconds"] = 1
    mine["templates"] = [.object(template)]
    let conflict = try admin.send("POST", "/v1/apply", json: .object(mine))
    #expect(conflict.status == 409, "\(conflict.text)")
    #expect(try conflict.json["code"] == "changed-elsewhere")
    #expect(try admin.send("POST", "/v1/apply?overwrite=true", json: .object(mine)).status == 200)
    #expect(try paths(1) == ["/gift/*"])
    // What `apply` published is its own: the file need not be exported again.
    template["cacheSeconds"] = 2
    mine["templates"] = [.object(template)]
    #expect(try admin.send("POST", "/v1/apply", json: .object(mine)).status == 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=2")
  }

  @Test func aDomainThatItsStateHasAsExportedStopsNobody() throws {
    let export = try admin.send("GET", "/v1/export").json
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5]).status == 200)
    let applied = try admin.send("POST", "/v1/apply", json: export)
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=5")
  }

  // MARK: Undoing

  private func edit(_ json: JSON, _ query: String = "") throws -> Int {
    let answer = try admin.send("PUT", path + query, json: json)
    return try #require(try answer.json["change"]?.integerValue, "\(answer.text)")
  }

  private func revert(_ change: Int, _ query: String = "", by client: Client? = nil) throws
    -> RawResponse
  {
    try (client ?? admin).send("POST", "/v1/changes/\(change)/revert\(query)")
  }

  @Test func undoingTheChangeOfATemplatePutsItBackWithItsDomains() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let record = try admin.send("GET", "/v1/changes/\(change)").json
    #expect(record["templates"] == [["template": "white-label", "before": 1, "after": 2]])
    let dry = try revert(change, "?dryRun=true")
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try paths(1) == ["/new/*"] && admin.send("GET", path).json["revision"] == 2)
    let undone = try revert(change)
    #expect(undone.status == 200, "\(undone.text)")
    for json in [try dry.json, try undone.json] {
      #expect(json["templates"] == [["template": "white-label", "action": "update"]])
      #expect(json["domains"]?.arrayValue?.count == 3)
    }
    for index in 1...3 { #expect(try paths(index) == ["/gift/*"]) }
    let template = try admin.send("GET", path).json
    #expect(template["revision"] == 3 && template["entries"] == Self.template["entries"])
    // And once more: it is a change itself.
    let again = try revert(try #require(try undone.json["change"]?.integerValue))
    #expect(again.status == 200, "\(again.text)")
    #expect(try paths(2) == ["/new/*"])
  }

  @Test func whatADomainHasBesidesItsTemplateStaysWithAnEditAndItsUndo() throws {
    let text = "Contact: mailto:a@b.example\nExpires: 2099-01-01T00:00:00Z\n"
    var own = use(1).objectValue ?? [:]
    own["webcredentials"] = [.string(app(1))]
    own["serviceExtra"] = ["webcredentials": ["unknown": "kept"]]
    try put(domain(1), .object(own))
    let named = try admin.send(
      "PUT", domain(1) + "/documents/security.txt", body: Array(text.utf8), "If-Match: *",
      "Content-Type: text/plain")
    #expect(named.status < 300, "\(named.text)")
    let service: JSON = ["unknown": "kept", "apps": [.string(app(1))]]
    let undone = try revert(edit(with(paths: ["/new/*"])), "?dryRun=true")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try paths(1) == ["/new/*"])
    #expect(try running.serve("city1.example").json["webcredentials"] == service)
    let current = try admin.send("GET", domain(1)).json["revision"]?.integerValue ?? 0
    let restored = try admin.send(
      "POST", domain(1) + "/revisions/\(current - 1)/restore?detach=true", body: [], "If-Match: *")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try running.serve("city1.example").json["webcredentials"] == service)
  }

  @Test func aTemplateThatChangedSinceIsNotUndone() throws {
    let first = try edit(with(paths: ["/new/*"]))
    // It changes no domain.
    var again = with(paths: ["/new/*"]).objectValue ?? [:]
    again["strict"] = false
    let later = try edit(.object(again))
    let refused = try revert(first)
    #expect(
      refused.status == 409 && refused.text.contains("in change \(later)."), "\(refused.text)")
    #expect(refused.text.contains("POST /v1/changes/\(later)/revert"))
    #expect(try paths(1) == ["/new/*"])
    #expect(try revert(later).status == 200)
    let other = try edit(changed { $0["cacheSeconds"] = 5 })
    let several = try revert(first)
    #expect(
      several.text.contains("in changes \(other), \(later + 1), \(later). "), "\(several.text)")
  }

  @Test func aDomainThatChangedSinceIsNamedWithItsLaterChange() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let patch = try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5])
    let later = try #require(try patch.json["change"]?.integerValue)
    let refused = try revert(change)
    #expect(refused.text.contains("city1.example (in change \(later)) changed"), "\(refused.text)")
  }

  @Test func anEditOfATemplateWithoutDomainsIsAChange() throws {
    let path = "/v1/templates/empty"
    let added = try admin.send("PUT", path, json: ["cacheSeconds": 60])
    #expect(try added.status == 201 && added.json["change"] == nil, "there is nothing to undo")
    let before = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue?.count ?? 0
    let edited = try admin.send("PUT", path + "?reason=faster", json: ["cacheSeconds": 5])
    let change = try #require(try edited.json["change"]?.integerValue, "\(edited.text)")
    let listed = try admin.send("GET", "/v1/changes").json["items"]?[0]
    #expect(
      listed?["id"] == .integer(change) && listed?["domainCount"] == 0, "\(listed?.text ?? "")")
    let audit = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(audit.count == before + 1, "one line")
    #expect(audit.first?["template"] == "empty" && audit.first?["change"] == .integer(change))
    #expect(audit.first?["reason"] == "faster")
    let undone = try revert(change)
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try undone.json["templates"] == [["template": "empty", "action": "update"]])
    #expect(try admin.send("GET", path).json["cacheSeconds"] == 60)
  }

  @Test func aDomainThatChangedSinceIsNamedOrFollowsItsTemplate() throws {
    let change = try edit(with(paths: ["/new/*"]))
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5]).status == 200)
    let refused = try revert(change)
    #expect(refused.status == 409 && refused.text.contains("city1.example"), "\(refused.text)")
    #expect(try paths(2) == ["/new/*"])
    let skipped = try revert(change, "?skip=changed")
    #expect(skipped.status == 200, "\(skipped.text)")
    for index in 1...3 { #expect(try paths(index) == ["/gift/*"], "none is behind its template") }
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=5")
    #expect(try skipped.json["skipped"] == nil)
  }

  @Test func undoingATemplateNeedsATokenForAllDomains() throws {
    let change = try edit(with(paths: ["/new/*"]))
    let limited = try running.client(.editor, domains: ["*.example"])
    let refused = try revert(change, by: limited)
    #expect(refused.status == 403 && refused.text.contains("white-label"), "\(refused.text)")
    #expect(try paths(1) == ["/new/*"])
  }

  @Test func anEditOfATemplateIsOneLineInTheAudit() throws {
    let before = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue?.count ?? 0
    let change = try edit(with(paths: ["/new/*"]), "?reason=spring")
    let lines = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(lines.count == before + 1)
    #expect(lines.first?["action"] == "put template white-label", "\(lines.first?.text ?? "")")
    #expect(lines.first?["template"] == "white-label" && lines.first?["domainCount"] == 3)
    #expect(lines.first?["reason"] == "spring" && lines.first?["change"] == .integer(change))
    let parts = try admin.send("GET", "/v1/audit?change=\(change)").json["items"]?.arrayValue ?? []
    #expect(parts.count == 4, "the template and its domains")
  }

  // MARK: Domains that are left behind

  private func behind(_ word: String = "true") throws -> [JSON?] {
    try (admin.send("GET", "/v1/domains?behindTemplate=\(word)").json["items"]?.arrayValue ?? [])
      .map { $0["domain"] }
  }

  @Test(arguments: ["the template", "the domain"])
  func aDomainThatWasSkippedIsFoundUntilItFollows(what: String) throws {
    let set = try admin.send(
      "PUT", domain(2) + "/expectations",
      json: [
        "expectations": [
          ["url": "https://city2.example/gift/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ])
    #expect(set.status == 200)
    #expect(try behind() == [] && behind("false").count == 3)
    let new = with(paths: ["/other/*"])
    #expect(try admin.send("PUT", path + "?skip=refused&dryRun=true", json: new).status == 200)
    #expect(try behind() == [])
    #expect(try admin.send("PUT", path + "?skip=refused", json: new).status == 200)
    #expect(try behind() == ["city2.example"] && behind("false").count == 2)
    let item = try admin.send("GET", "/v1/domains?behindTemplate=true").json["items"]?[0]
    #expect(item?["behindTemplate"] == true)
    #expect(try admin.send("PATCH", domain(2), json: ["environment": "staging"]).status != 200)
    if what == "the template" {
      #expect(try admin.send("PUT", path, json: Self.template).status == 200)
    } else {
      let other: JSON = [
        "expectations": [
          ["url": "https://city2.example/other/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ]
      let freed = try admin.send("PUT", domain(2) + "/expectations", json: other)
      #expect(freed.status == 200, "\(freed.text)")
    }
    #expect(try behind() == [], "\(what)")
  }

  @Test func domainsAreChosenByTheirTemplate() throws {
    try put("/v1/domains/other.example", ["entries": []])
    #expect(try admin.send("GET", "/v1/domains?template=white-label").json["total"] == 3)
    #expect(try admin.send("GET", "/v1/domains?template=none").json["total"] == 0)
    let edited = try admin.send(
      "POST", "/v1/routes?dryRun=true&skip=refused",
      json: ["filter": ["template": "white-label"], "edits": [["add": ["path": "/x"]]]])
    #expect(edited.status == 200, "\(edited.text)")
    #expect(try edited.json["skipped"]?.arrayValue?.count == 3, "they have no entries of their own")
  }

  @Test func aListOfDomainsHasTheirTemplateAndValues() throws {
    try put("/v1/domains/other.example", ["entries": []])
    let items = try admin.send("GET", "/v1/domains").json["items"]?.arrayValue ?? []
    #expect(items.map { $0["template"] } == ["white-label", "white-label", "white-label", nil])
    #expect(
      items.map { $0["parameters"]?["app"] } == [
        .string(app(1)), .string(app(2)), .string(app(3)), nil,
      ])
  }

  @Test func domainsKeepTheirValuesWhenAParameterGetsAnotherName() throws {
    try put(domain(3), changedUse(3, ["slug": "promo"]), 200)
    let new: JSON = [
      "parameters": [
        ["name": "owner", "type": "app"], ["name": "app", "type": "path", "default": "gift"],
      ],
      "cacheSeconds": 600,
      "entries": [["apps": ["{owner}"], "routes": [["path": "/{app}/*"]]]],
    ]
    #expect(try admin.send("PUT", path, json: new).status == 422, "the values have the old names")
    let renamed = try admin.send("PUT", path + "?rename=app:owner,slug:app", json: new)
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(
      try admin.send("GET", domain(3)).json["parameters"] == [
        "owner": .string(app(3)), "app": "promo",
      ])
    #expect(try paths(3) == ["/promo/*"])
    #expect(try paths(1) == ["/gift/*"])
    for rename in [
      "none:owner", "owner:none", "owner", "owner:app", "owner:app,app:app", "owner:app,", "",
    ] {
      let refused = try admin.send("PUT", path + "?rename=\(rename)", json: new)
      #expect(refused.status == 422, "\(rename): \(refused.text)")
    }
  }

  @Test func aDomainThatWasSkippedFollowsOnceItCan() throws {
    let set = try admin.send(
      "PUT", domain(2) + "/expectations",
      json: [
        "expectations": [
          ["url": "https://city2.example/gift/1", "app": .string(app(2)), "resolution": "match"]
        ]
      ])
    #expect(set.status == 200)
    let new = with(paths: ["/other/*"])
    #expect(try admin.send("PUT", path + "?skip=refused", json: new).status == 200)
    #expect(try paths(2) == ["/gift/*"])
    let freed = try admin.send("PUT", domain(2) + "/expectations", json: ["expectations": []])
    #expect(freed.status == 200, "\(freed.text)")
    #expect(try admin.send("PUT", path, json: new).status == 200)
    #expect(try paths(2) == ["/other/*"])
  }

  @Test func shortValuesDoNotKeepEffectsApart() throws {
    for (index, slug) in ["a", "de", "x1"].enumerated() {
      try put(domain(index + 1), changedUse(index + 1, ["slug": .string(slug)]), 200)
    }
    let answer = try admin.send(
      "PUT", path + "?dryRun=true", json: with(paths: ["/{slug}/*", "/{slug}/route/*"]))
    let effects = try answer.json["effects"]?.arrayValue ?? []
    #expect(effects.map { $0["count"] } == [3], "\(answer.text)")
    #expect(effects.first?["summary"]?.stringValue?.contains("/{slug}/") == true, "\(answer.text)")
    #expect(effects.first?["summary"]?.stringValue?.contains("route") == true)
  }

  @Test func aPatchGivesAParameterBackToItsDefault() throws {
    let set = try admin.send("PATCH", domain(1), json: ["parameters": ["slug": "promo"]])
    #expect(set.status == 200)
    #expect(try paths(1) == ["/promo/*"])
    let back = try admin.send("PATCH", domain(1), json: ["parameters": ["slug": .null]])
    #expect(back.status == 200, "\(back.text)")
    #expect(try paths(1) == ["/gift/*"])
    let missing = try admin.send("PATCH", domain(1), json: ["parameters": ["app": .null]])
    #expect(try missing.json["errors"]?[0]?["code"] == "missing-parameter", "\(missing.text)")
  }

  // MARK: Leaving a template

  @Test func aDetachedDomainServesTheSameBytesAndChangesNoMore() throws {
    let before = try running.serve("city1.example").body
    let answer = try admin.send("POST", domain(1) + "/detach")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["domain"]?["template"] == nil)
    #expect(try answer.json["domain"]?["cacheSeconds"] == 600)
    #expect(try running.serve("city1.example").body == before)
    try put(path, with(paths: ["/new/*"]), 200)
    #expect(try running.serve("city1.example").body == before)
    #expect(try admin.send("POST", domain(1) + "/detach").json["code"] == "no-template")
  }

  @Test func aRollBackSaysWhatAChangedTemplateLeavesDifferent() throws {
    _ = try admin.send(
      "POST", domain(1) + "/entries",
      json: ["apps": [.string(app(1))], "routes": [["path": "/own/*"]]])
    let same = try admin.send("POST", domain(1) + "/revisions/1/restore")
    #expect(same.status == 200, "the template is as it was: \(same.text)")
    let old = try running.serve("city1.example").body
    try put(path, with(paths: ["/new/*"]), 200)
    let refused = try admin.send("POST", domain(1) + "/revisions/1/restore")
    #expect(refused.status == 409)
    #expect(try refused.json["code"] == "template-changed")
    #expect(try refused.json["differences"]?.text.contains("/new/*") == true, "\(refused.text)")
    let detached = try admin.send("POST", domain(1) + "/revisions/1/restore?detach=true")
    #expect(detached.status == 200, "\(detached.text)")
    #expect(try running.serve("city1.example").body == old)
    #expect(try detached.json["domain"]?["template"] == nil)
  }

  @Test func aTemplateIsRolledBackWithItsDomains() throws {
    try put(path, with(paths: ["/new/*"]), 200)
    let answer = try admin.send("POST", path + "/revisions/1/restore")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try paths(1) == ["/gift/*"])
    let revisions = try admin.send("GET", path + "/revisions").json["items"]?.arrayValue ?? []
    #expect(revisions.map { $0["revision"] } == [3, 2, 1])
    #expect(try admin.send("GET", path + "/revisions/9").status == 404)
  }

  @Test func aDeletedDomainComesBackWithItsTemplate() throws {
    for index in 1...2 {
      #expect(try admin.send("DELETE", domain(index) + "?accept=opens-nothing").status == 200)
    }
    let restored = try admin.send("POST", domain(1) + "/restore")
    #expect(restored.status == 201, "\(restored.text)")
    #expect(try restored.json["domain"]?["template"] == "white-label")
    try put(path, changed { $0["cacheSeconds"] = 60 }, 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=60")
    let refused = try admin.send("POST", domain(2) + "/restore")
    #expect(try refused.json["code"] == "template-changed")
    #expect(try admin.send("POST", domain(2) + "/restore?detach=true").status == 201)
    #expect(try running.serve("city2.example")["Cache-Control"] == "public, max-age=600")
  }

  @Test func aTemplateInUseIsNotDeleted() throws {
    let refused = try admin.send("DELETE", path)
    #expect(refused.status == 409)
    #expect(try refused.json["count"] == 3)
    for index in 1...3 { _ = try admin.send("POST", domain(index) + "/detach") }
    #expect(try admin.send("DELETE", path).status == 204)
    #expect(try admin.send("GET", path).status == 404)
  }

  // MARK: Bad input

  @Test(
    arguments: [
      (["template": "none"], "template-not-found"),
      (["template": "white-label"], "missing-parameter"),
      (["template": "white-label", "parameters": ["app": ["A"]]], "wrong-type"),
      (
        ["template": "white-label", "parameters": ["app": "ABCDE12345.a", "more": "x"]],
        "unknown-parameter"
      ),
      (
        ["template": "white-label", "parameters": ["app": "ABCDE12345.a", "slug": "a*"]],
        "malformed-value"
      ),
      (["parameters": ["app": "ABCDE12345.a"]], "reserved-member"),
      (["template": "White Label"], "malformed-template-name"),
      (["template": ["a", "b"]], "wrong-type"),
    ] as [(JSON, String)])
  func valuesThatDoNotFitAreRefusedAndChangeNothing(_ json: JSON, _ code: String) throws {
    for target in [domain(1), "/v1/domains/new.example"] {
      let answer = try admin.send(
        "PUT", target, body: json.serialized(), target == domain(1) ? "If-Match: *" : "X-None: 1")
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.json["errors"]?[0]?["code"]?.stringValue == code, "\(answer.text)")
    }
    let state: JSON = [
      "domains": [.object((json.objectValue ?? [:]).adding("domain", "new.example"))]
    ]
    let applied = try admin.send("POST", "/v1/apply", json: state)
    #expect(applied.status == 422, "\(applied.text)")
    #expect(try revision(1) == 1)
    #expect(try admin.send("GET", "/v1/domains/new.example").status == 404)
  }

  @Test func theNameInATemplateIsThatOfItsPath() throws {
    let answer = try admin.send("PUT", path, json: changed { $0["template"] = "other" })
    #expect(answer.status == 422)
    #expect(try answer.json["errors"]?[0]?["code"] == "template-differs")
  }

  @Test func aTokenThatIsLimitedUsesTemplatesAndChangesNone() throws {
    let limited = try running.client(.editor, domains: ["city1.example"])
    #expect(try limited.send("GET", path).status == 200)
    #expect(try limited.send("PUT", path, json: with(paths: ["/x/*"])).status == 403)
    #expect(try limited.send("POST", path + "/revisions/1/restore").status == 403)
    #expect(try limited.send("DELETE", path).status == 403)
    let own = try limited.send(
      "PATCH", domain(1), json: ["parameters": ["slug": "promo"]])
    #expect(own.status == 200, "\(own.text)")
    #expect(try paths(1) == ["/promo/*"])
    let viewer = try running.client(.viewer)
    #expect(try viewer.send("PUT", path, json: with(paths: ["/x/*"])).status == 403)
    #expect(
      try viewer.send("PUT", path + "?dryRun=true", json: with(paths: ["/x/*"])).status == 200)
  }

  @Test func aStateUsesTemplatesAndKeepsWhatItDoesNotName() throws {
    let state: JSON = [
      "domains": [
        ["domain": "city1.example", "revision": 1, "parameters": ["app": .string(app(9))]]
      ]
    ]
    let answer = try admin.send("POST", "/v1/apply?accept=opens-nothing", json: state)
    #expect(answer.status == 200, "\(answer.text)")
    let file = try running.serve("city1.example").json
    #expect(file["applinks"]?["details"]?[0]?["appIDs"] == [.string(app(9))])
    #expect(try admin.send("GET", domain(1)).json["template"] == "white-label")
    let export = try admin.send("GET", "/v1/export").json
    let element = export["domains"]?.arrayValue?.first { $0["domain"] == "city1.example" }
    #expect(
      element?["entries"] == .null && element?["cacheSeconds"] == .null, "\(element?.text ?? "")")
    #expect(export["templates"]?[0]?["template"] == "white-label")
    let again = try admin.send("POST", "/v1/apply", json: export)
    #expect(
      try again.json["domains"]?.arrayValue?.allSatisfy { $0["action"] == "unchanged" } == true,
      "\(again.text)")
  }

  @Test func aStateTakesItsOwnMembersBackAndLeavesThoseThatItDoesNotName() throws {
    let export = try admin.send("GET", "/v1/export").json
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5]).status == 200)
    let sparse: JSON = [
      "domains": [.object((use(1).objectValue ?? [:]).adding("domain", "city1.example"))]
    ]
    #expect(try admin.send("POST", "/v1/apply", json: sparse).status == 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=5")
    #expect(try admin.send("POST", "/v1/apply?overwrite=true", json: export).status == 200)
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=600")
  }

  @Test func aDomainThatJoinsATemplateKeepsWhatSomebodyHasSet() throws {
    let old: JSON = [
      "cacheSeconds": 30, "entries": [["apps": [.string(app(7))], "routes": [["path": "/old/*"]]]],
    ]
    try put("/v1/domains/old.example", old)
    let state: JSON = [
      "domains": [
        .object(
          (changedUse(7, [:]).objectValue ?? [:]).adding("domain", "old.example")
            .adding("revision", 1))
      ]
    ]
    let answer = try admin.send("POST", "/v1/apply", json: state)
    #expect(answer.status == 200, "\(answer.text)")
    let file = try running.serve("old.example")
    #expect(file["Cache-Control"] == "public, max-age=30")
    #expect(try file.json["applinks"]?["details"]?.arrayValue?.count == 2)
    #expect(try admin.send("GET", "/v1/domains/old.example").json["strict"] == nil)
  }

  @Test func aStateMayHaveTheTemplateBesideItsDomains() throws {
    let state: JSON = [
      "templates": [
        .object((with(paths: ["/new/*"]).objectValue ?? [:]).adding("template", "white-label")),
        ["template": "other", "cacheSeconds": 7],
      ],
      "domains": [["domain": "fresh.example", "template": "other"]],
    ]
    let answer = try admin.send("POST", "/v1/apply", json: state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.json["templates"]?.arrayValue?.map { $0["action"] } == ["update", "create"])
    for index in 1...3 { #expect(try paths(index) == ["/new/*"]) }
    #expect(try running.serve("fresh.example")["Cache-Control"] == "public, max-age=7")
    let target = "/v1/apply?prune=true&overwrite=true&accept=opens-nothing"
    let kept: JSON = ["domains": [["domain": "fresh.example"]]]
    let tried = try admin.send("POST", target + "&dryRun=true", json: kept)
    #expect(tried.status == 200, "\(tried.text)")
    let pruned = try admin.send("POST", target, json: kept)
    #expect(pruned.status == 200, "\(pruned.text)")
    for answer in [tried, pruned] {
      #expect(
        try answer.json["templates"] == [["template": "white-label", "action": "delete"]],
        "\(answer.text)")
    }
    #expect(try admin.send("GET", path).status == 404, "no domain uses it any more")
    #expect(try admin.send("GET", "/v1/templates/other").status == 200)
  }

  @Test func aParameterThatATemplateNoLongerHasIsRemovedFromItsDomains() throws {
    try put(domain(1), changedUse(1, ["slug": "promo"]), 200)
    try put(path, with(paths: ["/new/*"]), 200)
    #expect(try admin.send("GET", domain(1)).json["parameters"]?["slug"] == nil)
    #expect(try paths(1) == ["/new/*"])
  }

  @Test func anEditOfADomainAndOneOfItsTemplateDoNotPassEachOther() throws {
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      do {
        var round = 0
        while round < 10 {
          let answer =
            worker == 0
            ? try admin.send("PUT", path, json: with(paths: ["/t\(round)/*"]))
            : try admin.send(
              "PATCH", domain(1), json: ["environment": round % 2 == 0 ? "staging" : "production"])
          // The other one was faster too often.
          if answer.status == 503 { continue }
          round += 1
          if answer.status != 200 { failures.withLock { $0.append(answer.text) } }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock(\.self) == [])
    for index in 1...3 { #expect(try paths(index) == ["/t9/*"]) }
  }
}

extension JSON.Object {
  fileprivate func adding(_ key: String, _ value: JSON) -> JSON.Object {
    var object = self
    object[key] = value
    return object
  }
}
