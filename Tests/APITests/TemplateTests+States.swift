import Association
import Store
import TestSupport
import Testing

/// States that use templates.
extension TemplateTests {
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

  @Test func aTemplateThatAStateLeavesToOthersIsInThePlanAndIsNotPruned() throws {
    let other = "/v1/templates/unused"
    try put(other, ["cacheSeconds": 1], 201)
    let export = try admin.send("GET", "/v1/export").json
    try put(other, ["cacheSeconds": 2], 200)
    for query in ["dryRun=true", "prune=true"] {
      let answer = try admin.send("POST", "/v1/apply?\(query)", json: export)
      #expect(answer.status == 200, "\(answer.text)")
      let steps = try answer.json["templates"]?.arrayValue ?? []
      #expect(
        steps.contains(["template": "unused", "action": "unchanged", "leftOut": true]),
        "\(answer.text)")
      #expect(steps.count == 2)
    }
    #expect(try admin.send("GET", other).json["cacheSeconds"] == 2)
  }

  @Test func aPlanGoesOnAfterATemplateOrAnAppThatOthersHaveChanged() throws {
    _ = try admin.send("PUT", "/v1/apps/\(app(1))", json: ["name": "One"])
    let export = try admin.send("GET", "/v1/export").json
    try put(path, with(paths: ["/theirs/*"]), 200)
    _ = try admin.send("PUT", "/v1/apps/\(app(1))", json: ["name": "Theirs"])
    var mine = export.objectValue ?? [:]
    var template = export["templates"]?[0]?.objectValue ?? [:]
    template["cacheSeconds"] = 1
    mine["templates"] = [.object(template)]
    mine["apps"] = .array(
      (export["apps"]?.arrayValue ?? []).map { element in
        var element = element.objectValue ?? [:]
        if element["app"] == .string(app(1)) { element["name"] = "Mine" }
        return .object(element)
      })
    let plan = try running.client(.editor, named: "pipeline").send(
      "POST", "/v1/apply?dryRun=true&listRefusals=true", json: .object(mine))
    #expect(plan.status == 200, "\(plan.text)")
    let refused = try plan.json["refused"]?.arrayValue ?? []
    #expect(refused.map { $0["code"] } == ["changed-elsewhere", "changed-elsewhere"])
    #expect(refused[0].text.contains("white-label") && refused[1].text.contains(app(1)))
    #expect(try plan.json["templates"]?[0]?["action"] == "update", "\(plan.text)")
    #expect(try plan.json["domains"]?[0]?["revision"] != nil, "\(plan.text)")
  }

  @Test func aTableIsAppliedOverTemplatesThatOthersHaveEdited() throws {
    let pipeline = try running.client(.editor, named: "pipeline")
    func table(_ slug: String) throws -> RawResponse {
      let domains = [1, 2].map { index -> JSON in
        let parameters: JSON = ["app": .string(app(index)), "slug": .string(slug)]
        return ["domain": .string("city\(index).example"), "parameters": parameters]
      }
      return try pipeline.send(
        "POST", "/v1/apply?template=white-label", json: ["domains": .array(domains)])
    }
    #expect(try table("shop").status == 200)
    #expect(try edit(with(paths: ["/{slug}/*", "/{slug}-more/*"])) > 0)
    let applied = try table("store")
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try paths(1) == ["/store/*", "/store-more/*"])
    // A value that somebody else gave is theirs.
    let own: JSON = ["parameters": ["app": .string(app(1)), "slug": "theirs"]]
    #expect(try admin.send("PATCH", domain(1), json: own).status == 200)
    let refused = try table("mine")
    #expect(try refused.code == "changed-elsewhere", "\(refused.text)")
    #expect(!refused.text.contains("city2.example"))
  }

  @Test func aDomainThatItsStateHasAsExportedStopsNobody() throws {
    let export = try admin.send("GET", "/v1/export").json
    #expect(try admin.send("PATCH", domain(1), json: ["cacheSeconds": 5]).status == 200)
    let applied = try admin.send("POST", "/v1/apply", json: export)
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try running.serve("city1.example")["Cache-Control"] == "public, max-age=5")
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
}
