import Association
import Store
import TestSupport
import Testing

/// Renaming, accompanying and ending an app that templates name by themselves.
extension TemplateTests {
  private var shared: String { "/v1/apps/\(app(9))" }

  /// Names an app beside the parameter, in each way that a template can.
  private func nameShared() throws {
    let fixed = changed {
      $0["parameters"] = [
        ["name": "app", "type": "app"], ["name": "slug", "type": "path", "default": "gift"],
        ["name": "more", "type": "apps", "default": [.string(app(9))]],
      ]
      $0["webcredentials"] = [.string(app(9))]
      $0["entries"] = [
        ["apps": ["{app}", .string(app(9))], "routes": [["path": "/{slug}/*"]]],
        ["apps": ["{more}"], "routes": [["path": "/more/*"]]],
      ]
      $0["expectations"] = [
        [
          "url": "https://{domain}/gift/1", "app": .string(app(9)), "platform": "ios",
          "resolution": "match",
        ]
      ]
    }
    try put(path, fixed, 200)
  }

  private func apps(_ index: Int) throws -> [JSON?] {
    let file = try running.serve("city\(index).example").json
    let details = file["applinks"]?["details"]?.arrayValue ?? []
    return details.map { $0["appIDs"] } + [file["webcredentials"]?["apps"]]
  }

  private func named(_ index: Int, _ shared: Int...) -> [JSON?] {
    let apps = shared.map { JSON.string(app($0)) }
    return [.array([.string(app(index))] + apps), .array(apps), .array(apps)]
  }

  @Test func anAppIsRenamedInTemplatesThatNameItAndUndoingThatTakesAllBack() throws {
    try nameShared()
    let before = try (1...3).map { try running.served("city\($0).example") }
    let rename = { (query: String) in
      try admin.send(
        "POST", "\(shared)/rename\(query)", json: ["to": .string(app(8))])
    }
    let dry = try rename("?dryRun=true")
    #expect(try dry.json["templates"] == ["white-label"], "\(dry.text)")
    #expect(try (1...3).map { try running.served("city\($0).example") } == before)
    #expect(try admin.send("GET", path).json["revision"] == 2)
    let renamed = try rename("")
    #expect(renamed.status == 200, "\(renamed.text)")
    #expect(try renamed.json["templates"] == ["white-label"])
    #expect(try renamed.json["domains"]?.arrayValue?.count == 3)
    for index in 1...3 { #expect(try apps(index) == named(index, 8)) }
    let template = try admin.send("GET", path).json
    #expect(template["revision"] == 3 && !template.text.contains(app(9)))
    // Domains follow the template as before.
    #expect(try admin.send("GET", domain(1)).json["webcredentials"] == nil)
    #expect(try admin.send("PATCH", domain(1), json: ["environment": "staging"]).status == 200)
    #expect(try apps(1) == named(1, 8))
    let change = try #require(try renamed.json["change"]?.integerValue)
    let record = try admin.send("GET", "/v1/changes/\(change)").json
    #expect(record["action"] == .string("rename app \(app(9)) to \(app(8))"))
    #expect(record["templates"]?[0]?["template"] == "white-label", "\(record.text)")
    let undone = try admin.send("POST", "/v1/changes/\(change)/revert")
    #expect(undone.status == 409, "city1.example has changed since: \(undone.text)")
    // Renaming it back is the way then.
    let back = try admin.send(
      "POST", "/v1/apps/\(app(8))/rename", json: ["to": .string(app(9))])
    #expect(back.status == 200, "\(back.text)")
    #expect(try (1...3).map { try running.served("city\($0).example") } == before)
    let last = try #require(try back.json["change"]?.integerValue)
    let again = try admin.send("POST", "/v1/changes/\(last)/revert")
    #expect(again.status == 200, "\(again.text)")
    #expect(try again.json["templates"] == [["template": "white-label", "action": "update"]])
    for index in 1...3 { #expect(try apps(index) == named(index, 8)) }
  }

  @Test func aRenamingIsNotUndoneIfATemplateNamesTheAppAnewOrHasChanged() throws {
    try nameShared()
    let renamed = try admin.send(
      "POST", "\(shared)/rename", json: ["to": .string(app(8))])
    let change = try #require(try renamed.json["change"]?.integerValue, "\(renamed.text)")
    try put("/v1/templates/other", ["webcredentials": [.string(app(8))]])
    let undone = try admin.send("POST", "/v1/changes/\(change)/revert")
    #expect(undone.status == 409 && undone.text.contains("the template \\\"other\\\" has changed"))
    #expect(try apps(1) == named(1, 8))
    #expect(try admin.send("DELETE", "/v1/templates/other").status == 204)
    #expect(try admin.send("POST", "/v1/changes/\(change)/revert").status == 200)
    #expect(try apps(1) == named(1, 9))
  }

  @Test func aSecondAppIsNamedInTemplatesAndTheFirstOneEndsInThem() throws {
    try nameShared()
    let before = try running.served("city1.example")
    let accompany = { (query: String) in
      try admin.send(
        "POST", "\(shared)/accompany\(query)", json: ["app": .string(app(8))])
    }
    #expect(try accompany("?dryRun=true").json["templates"]?[0]?["action"] == "update")
    #expect(try running.served("city1.example") == before)
    let second = try accompany("")
    #expect(second.status == 200, "\(second.text)")
    for index in 1...3 { #expect(try apps(index) == named(index, 9, 8)) }
    #expect(try admin.send("GET", path).json["expectations"]?.arrayValue?.count == 2)
    #expect(try admin.send("GET", domain(1) + "/expectations").json["expectations"] == [])
    #expect(try accompany("").json["change"] == nil, "it is named already")
    let ended = try admin.send("DELETE", "\(shared)?everywhere=true")
    #expect(ended.status == 200, "\(ended.text)")
    for index in 1...3 { #expect(try apps(index) == named(index, 8)) }
    #expect(try !admin.send("GET", path).text.contains(app(9)))
    #expect(try admin.send("GET", shared).status == 404)
    for answer in [ended, second] {
      let change = try #require(try answer.json["change"]?.integerValue)
      let undone = try admin.send(
        "POST", "/v1/changes/\(change)/revert?accept=opens-nothing")
      #expect(undone.status == 200, "\(undone.text)")
    }
    #expect(try running.served("city1.example") == before)
  }

  @Test func listsOfAppsThatDomainsGiveATemplateNameASecondAppToo() throws {
    try nameShared()
    let own: JSON = ["parameters": ["app": .string(app(1)), "more": [.string(app(5))]]]
    #expect(try admin.send("PATCH", domain(1), json: own).status == 200)
    let accompanied = try admin.send(
      "POST", "/v1/apps/\(app(5))/accompany", json: ["app": .string(app(6))])
    #expect(accompanied.status == 200, "\(accompanied.text)")
    #expect(try apps(1)[1] == [.string(app(5)), .string(app(6))])
    #expect(try admin.send("GET", path).json["revision"] == 2)
    #expect(try admin.send("DELETE", "/v1/apps/\(app(5))?everywhere=true").status == 200)
    #expect(try apps(1)[1] == [.string(app(6))])
  }

  @Test func aDraftOfARenamingHasTheTemplate() throws {
    try nameShared()
    let asked = try admin.send(
      "POST", "\(shared)/rename?draft=true", json: ["to": .string(app(8))])
    let number = try #require(try asked.json["id"]?.integerValue, "\(asked.text)")
    let draft = try admin.send("GET", "/v1/drafts/\(number)").json
    #expect(draft["state"]?["templates"]?[0]?["template"] == "white-label", "\(draft.text)")
    let approved = try running.client(.admin).send(
      "POST", "/v1/drafts/\(number)/approve", json: [:])
    #expect(approved.status == 200, "\(approved.text)")
    for index in 1...3 { #expect(try apps(index) == named(index, 8)) }
  }

  /// A parameter for one app cannot name two, and one that nothing uses would be refused in the next edit.
  @Test func whatATemplateCannotSayIsRefused() throws {
    let single = changed {
      $0["parameters"] = [
        ["name": "app", "type": "app", "default": .string(app(9))],
        ["name": "slug", "type": "path"],
      ]
      $0["entries"] = [
        ["apps": ["{app}"], "routes": [["path": "/a/*"]]],
        ["apps": [.string(app(7))], "routes": [["path": "/{slug}/*"]]],
      ]
    }
    try put("/v1/templates/single", single)
    try put(
      "/v1/domains/one.example", ["template": "single", "parameters": ["slug": "b"]])
    let accompanied = try admin.send(
      "POST", "\(shared)/accompany", json: ["app": .string(app(8))])
    #expect(try accompanied.code == "uses-template", "\(accompanied.text)")
    let ended = try admin.send(
      "DELETE", "/v1/apps/\(app(7))?everywhere=true&accept=opens-nothing")
    #expect(try ended.code == "uses-template", "\(ended.text)")
    let renamed = try admin.send("POST", "\(shared)/rename", json: ["to": .string(app(8))])
    #expect(renamed.status == 200, "\(renamed.text)")
    let template = try admin.send("GET", "/v1/templates/single").json
    #expect(template["parameters"]?[0]?["default"] == .string(app(8)))
  }

  @Test func anIdentifierThatATemplateNamesAlreadyIsNotGivenToAnotherApp() throws {
    try nameShared()
    try put("/v1/templates/other", ["webcredentials": [.string(app(8))]])
    let renamed = try admin.send("POST", "\(shared)/rename", json: ["to": .string(app(8))])
    #expect(try renamed.code == "uses-template", "\(renamed.text)")
    #expect(renamed.text.contains("other"))
    #expect(try apps(1) == named(1, 9))
  }

  @Test func aTemplateWithoutDomainsIsLeftAsARequestCouldWriteIt() throws {
    let fixed: JSON = [
      "parameters": [["name": "more", "type": "apps"]],
      "entries": [
        [
          "appID": .string(app(9)), "apps": [.string(app(9)), "{more}"],
          "keys": ["appID", "appIDs", "components"], "routes": [["path": "/a/*"]],
        ]
      ],
    ]
    try put("/v1/templates/alone", fixed)
    #expect(try admin.send("PUT", shared, json: ["name": "Shop"]).status == 201)
    let ended = try admin.send("DELETE", "\(shared)?everywhere=true")
    #expect(ended.status == 200, "\(ended.text)")
    let left = try admin.send("GET", "/v1/templates/alone").json
    #expect(left["entries"]?[0]?["apps"] == ["{more}"] && left["entries"]?[0]?["appID"] == nil)
    try put("/v1/templates/alone", left, 200)
  }

  @Test func aDefaultThatNoDomainUsesIsNotForgotten() throws {
    let fixed: JSON = [
      "parameters": [["name": "app", "type": "app", "default": .string(app(9))]],
      "webcredentials": ["{app}"],
    ]
    try put("/v1/templates/default", fixed)
    #expect(try admin.send("PUT", shared, json: ["name": "Shop"]).status == 201)
    for refused in [
      try admin.send("POST", "\(shared)/accompany", json: ["app": .string(app(8))]),
      try admin.send("DELETE", "\(shared)?everywhere=true"),
    ] {
      #expect(try refused.code == "uses-template", "\(refused.text)")
      #expect(refused.text.contains("default"), "\(refused.text)")
    }
  }

  @Test func anExpectationOfItsOwnThatTheTemplateHasForAnotherAppGoesWithTheApp() throws {
    let fixed = changed {
      $0["entries"] = [["apps": ["{app}", .string(app(9))], "routes": [["path": "/gift/*"]]]]
      $0["parameters"] = [["name": "app", "type": "app"]]
      $0["expectations"] = [
        ["url": "https://{domain}/gift/1", "app": "{app}", "resolution": "match"]
      ]
    }
    try put(path, fixed, 200)
    let own: JSON = [
      "expectations": [
        ["url": "https://city1.example/gift/1", "app": .string(app(9)), "resolution": "match"]
      ]
    ]
    #expect(try admin.send("PATCH", domain(1), json: own).status == 200)
    let ended = try admin.send("DELETE", "\(shared)?everywhere=true")
    #expect(ended.status == 200, "\(ended.text)")
    let left = try admin.send("GET", domain(1) + "/expectations")
    #expect(try left.json["expectations"] == [], "\(left.text)")
  }
}
