import Association
import Store
import TestSupport
import Testing

/// What becomes of domains that an edit of their template leaves behind, and of the values of parameters that get another
/// name.
@Suite struct BehindTemplateTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let path = "/v1/templates/white-label"
  private static let app = "ABCDE12345.com.example.app"

  init() throws {
    running = try RunningService()
    #expect(try admin.send("PUT", path, json: Self.template("shop", "/{shop}/*")).status == 201)
    for (name, shop) in [("anna", "alpha"), ("bruno", "beta"), ("carla", "gamma")] {
      try running.put("\(name).example", Self.use("shop", shop))
    }
  }

  private static func template(_ parameter: String, _ paths: String...) -> JSON {
    [
      "parameters": [["name": .string(parameter), "type": "path"]],
      "entries": [
        [
          "apps": [.string(app)], "routes": .array(paths.map { ["path": .string($0)] }),
        ]
      ],
    ]
  }

  private static func use(_ parameter: String, _ shop: String) -> JSON {
    ["template": "white-label", "parameters": .object([parameter: .string(shop)])]
  }

  private func paths(_ name: String) throws -> [String]? {
    AssociationFile.paths(of: try running.serve("\(name).example").json)
  }

  private func parameters(_ name: String) throws -> JSON? {
    try admin.send("GET", "/v1/domains/\(name).example").json["parameters"]
  }

  private func change(_ answer: RawResponse) throws -> Int {
    try #require(try answer.json["change"]?.integerValue, "\(answer.text)")
  }

  /// Makes `bruno.example` refuse what does not open `/beta/1`.
  private func protect() throws {
    let answer = try admin.send(
      "PUT", "/v1/domains/bruno.example/expectations",
      json: [
        "expectations": [
          [
            "url": "https://bruno.example/beta/1", "app": .string(Self.app), "resolution": "match",
          ]
        ]
      ])
    #expect(answer.status == 200, "\(answer.text)")
  }

  private func leaveBehind(
    _ new: JSON = template("shop", "/{shop}/new/*"), _ query: String = ""
  ) throws -> RawResponse {
    try protect()
    let answer = try admin.send("PUT", path + "?skip=refused" + query, json: new)
    #expect(try answer.json["skipped"] == ["bruno.example"], "\(answer.text)")
    return answer
  }

  // MARK: States

  @Test func aDomainThatIsBehindStopsNoState() throws {
    _ = try leaveBehind()
    let export = try admin.send("GET", "/v1/export").json
    for query in ["?dryRun=true", ""] {
      let same = try admin.send("POST", "/v1/apply" + query, json: export)
      #expect(same.status == 200, "\(same.text)")
      let actions = try same.json["domains"]?.arrayValue?.map { $0["action"] }
      #expect(actions == ["unchanged", "unchanged", "unchanged"], "\(same.text)")
    }
    var changed = export.objectValue ?? [:]
    changed["domains"] = .array(
      (export["domains"]?.arrayValue ?? []).map { domain in
        var domain = domain.objectValue ?? [:]
        if domain["domain"] == "carla.example" { domain["labels"] = ["new"] }
        return .object(domain)
      })
    let applied = try admin.send("POST", "/v1/apply", json: .object(changed))
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try admin.send("GET", "/v1/domains/carla.example").json["labels"] == ["new"])
    #expect(try paths("bruno") == ["/beta/*"], "it stays behind")
    #expect(try admin.send("GET", "/v1/domains?behindTemplate=true").json["total"] == 1)
  }

  @Test func aStateThatChangesADomainBehindPublishesItWithTheTemplateOrNotAtAll() throws {
    _ = try leaveBehind()
    let labelled: JSON = ["domains": [["domain": "bruno.example", "labels": ["new"]]]]
    let refused = try admin.send("POST", "/v1/apply", json: labelled)
    #expect(refused.status == 409 && refused.text.contains("bruno.example"), "\(refused.text)")
    let freed: JSON = ["domains": [["domain": "bruno.example", "expectations": []]]]
    #expect(try admin.send("POST", "/v1/apply?overwrite=true", json: freed).status == 200)
    #expect(try paths("bruno") == ["/beta/new/*"])
  }

  @Test func aStateThatChangesTheTemplatePublishesWhatIsBehind() throws {
    _ = try leaveBehind()
    var export = try admin.send("GET", "/v1/export").json.objectValue ?? [:]
    var template = export["templates"]?[0]?.objectValue ?? [:]
    template["entries"] = Self.template("shop", "/{shop}/new/*", "/{shop}/1")["entries"]
    export["templates"] = [.object(template)]
    let applied = try admin.send("POST", "/v1/apply", json: .object(export))
    #expect(applied.status == 200, "\(applied.text)")
    for (name, shop) in [("anna", "alpha"), ("bruno", "beta")] {
      #expect(try paths(name) == ["/\(shop)/new/*", "/\(shop)/1"])
    }
  }

  // MARK: Names of parameters

  @Test func aDomainThatIsBehindKeepsItsValueUnderTheNewName() throws {
    let edit = try leaveBehind(Self.template("store", "/{store}/new/*"), "&rename=shop:store")
    #expect(try parameters("bruno") == ["store": "beta"])
    #expect(try paths("bruno") == ["/beta/*"])
    #expect(try admin.send("GET", "/v1/domains?behindTemplate=true").json["total"] == 1)
    #expect(try edit.json["published"] == 2, "\(edit.text)")
    let freed = try admin.send(
      "PUT", "/v1/domains/bruno.example/expectations", json: ["expectations": []])
    #expect(freed.status == 200, "\(freed.text)")
    #expect(try paths("bruno") == ["/beta/new/*"])
  }

  @Test func aRenamingThatLeftDomainsBehindIsUndone() throws {
    let edit = try leaveBehind(Self.template("store", "/{store}/new/*"), "&rename=shop:store")
    let undone = try admin.send("POST", "/v1/changes/\(change(edit))/revert")
    #expect(undone.status == 200, "\(undone.text)")
    for (name, shop) in [("anna", "alpha"), ("bruno", "beta"), ("carla", "gamma")] {
      #expect(try parameters(name) == ["shop": .string(shop)])
      #expect(try paths(name) == ["/\(shop)/*"])
    }
    #expect(try admin.send("GET", "/v1/domains?behindTemplate=true").json["total"] == 0)
  }

  @Test func undoingARenamingKeepsTheValuesOfDomainsThatChangedSince() throws {
    let edit = try admin.send(
      "PUT", path + "?rename=shop:store", json: Self.template("store", "/{store}/*"))
    let own = try admin.send("PATCH", "/v1/domains/anna.example", json: ["labels": ["new"]])
    #expect(own.status == 200)
    let undone = try admin.send("POST", "/v1/changes/\(change(edit))/revert?skip=changed")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try parameters("anna") == ["shop": "alpha"])
    #expect(try paths("anna") == ["/alpha/*"])
  }

  @Test func rollingATemplateBackGivesParametersTheirEarlierNames() throws {
    for (old, new) in [("shop", "store"), ("store", "place")] {
      let renamed = try admin.send(
        "PUT", path + "?rename=\(old):\(new)", json: Self.template(new, "/{\(new)}/*"))
      #expect(renamed.status == 200, "\(renamed.text)")
    }
    let restored = try admin.send("POST", path + "/revisions/1/restore")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try parameters("carla") == ["shop": "gamma"])
    #expect(try paths("carla") == ["/gamma/*"])
    let forward = try admin.send("POST", path + "/revisions/3/restore")
    #expect(forward.status == 200, "\(forward.text)")
    #expect(try parameters("carla") == ["place": "gamma"])
  }

  @Test func whereARenamingIsNotKnownTheAnswerAsksForIt() throws {
    let refused = try admin.send("PUT", path, json: Self.template("store", "/{store}/*"))
    #expect(refused.status == 422, "\(refused.text)")
    #expect(refused.text.contains("?rename=shop:store"), "\(refused.text)")
    #expect(try parameters("anna") == ["shop": "alpha"])
  }

  @Test func aStateFromBeforeARenamingStopsNobody() throws {
    let export = try admin.send("GET", "/v1/export").json
    _ = try leaveBehind(Self.template("store", "/{store}/new/*"), "&rename=shop:store")
    let applied = try admin.send("POST", "/v1/apply", json: export)
    #expect(applied.status == 200, "\(applied.text)")
    let domains = try applied.json["domains"]?.arrayValue ?? []
    #expect(domains.map { $0["leftOut"] } == [true, true, true], "\(applied.text)")
    #expect(
      try parameters("anna") == ["store": "alpha"] && parameters("bruno") == ["store": "beta"])
    #expect(try paths("anna") == ["/alpha/new/*"] && paths("bruno") == ["/beta/*"])
  }

  // MARK: Others' changes

  @Test func aDomainWithAnEntryOfItsOwnIsLeftToOthersAsExported() throws {
    var own = Self.use("shop", "delta").objectValue ?? [:]
    own["entries"] = [["apps": [.string(Self.app)], "routes": [["path": "/own/*"]]]]
    try running.put("doris.example", .object(own))
    let state = try admin.send("GET", "/v1/export").json
    let other = try running.client(.editor, named: "anna")
    let edited = try other.send("PATCH", "/v1/domains/doris.example", json: ["cacheSeconds": 77])
    #expect(edited.status == 200, "\(edited.text)")
    let answer = try admin.send("POST", "/v1/apply", json: state)
    #expect(answer.status == 200, "\(answer.text)")
    let step = try answer.json["domains"]?.arrayValue?.first { $0["domain"] == "doris.example" }
    #expect(step?["leftOut"] == true, "\(answer.text)")
    #expect(
      try admin.send("GET", "/v1/domains/doris.example").json["cacheSeconds"] == .integer(77))
  }

  @Test func aTemplateAsLastAppliedIsLeftToOthers() throws {
    let pipeline = try running.client(.editor, named: "pipeline")
    var state = try pipeline.send("GET", "/v1/export").json.objectValue ?? [:]
    var template = state["templates"]?[0]?.objectValue ?? [:]
    template["entries"] = Self.template("shop", "/{shop}/*", "/mine")["entries"]
    state["templates"] = [.object(template)]
    let applied = try pipeline.send("POST", "/v1/apply", json: .object(state))
    #expect(applied.status == 200, "\(applied.text)")
    let theirs = Self.template("shop", "/{shop}/*", "/mine", "/theirs")
    let put = try admin.send("PUT", path, body: theirs.serialized(), "If-Match: *")
    #expect(put.status == 200, "\(put.text)")
    let again = try pipeline.send("POST", "/v1/apply", json: .object(state))
    #expect(again.status == 200, "\(again.text)")
    #expect(try paths("anna") == ["/alpha/*", "/mine", "/theirs"])
    // Who goes back to what they applied before the export has changed the template.
    var back = try pipeline.send("GET", "/v1/export").json.objectValue ?? [:]
    template["revision"] = back["templates"]?[0]?["revision"]
    back["templates"] = [.object(template)]
    let other = Self.template("shop", "/{shop}/*", "/other")
    #expect(try admin.send("PUT", path, body: other.serialized(), "If-Match: *").status == 200)
    #expect(
      try pipeline.send("POST", "/v1/apply", json: .object(back)).code == "changed-elsewhere")
  }

  // MARK: Other templates

  private func addOther() throws {
    let added = try admin.send(
      "PUT", "/v1/templates/other", json: Self.template("place", "/other/{place}/*"))
    #expect(added.status == 201, "\(added.text)")
  }

  @Test func aMoveToAnotherTemplateIsInThePlanWithItsValues() throws {
    try addOther()
    let state: JSON = [
      "domains": [
        ["domain": "anna.example", "template": "other", "parameters": ["place": "x"]]
      ]
    ]
    let refused = try admin.send("POST", "/v1/apply?accept=opens-nothing", json: state)
    #expect(try refused.json["code"] == "changed-elsewhere", "\(refused.text)")
    #expect(refused.text.contains(#"template changed: from \"white-label\" to \"other\""#))
    let moved = try admin.send(
      "POST", "/v1/apply?overwrite=true&accept=opens-nothing", json: state)
    #expect(moved.status == 200, "\(moved.text)")
    let changes = try moved.json["domains"]?[0]?["diff"]?["changes"]?.arrayValue ?? []
    let said = changes.compactMap { $0["summary"]?.stringValue }
    #expect(said.contains(#"template changed: from "white-label" to "other""#), "\(said)")
    #expect(said.contains(#"parameter shop removed: "alpha""#), "\(said)")
    #expect(said.contains(#"parameter place added: "x""#), "\(said)")
    let audit = try admin.send("GET", "/v1/audit?domain=anna.example").json["items"]?[0]
    #expect(audit?.text.contains("parameter place added") == true)
  }

  @Test func aValueThatChangesIsInTheDiff() throws {
    let answer = try admin.send(
      "PATCH", "/v1/domains/anna.example?accept=opens-nothing",
      json: ["parameters": ["shop": "new"]])
    let changes = try answer.json["diff"]?["changes"]?.arrayValue ?? []
    let change = changes.first { $0["what"] == "parameter" }
    #expect(
      change?["summary"] == #"parameter shop changed: from "alpha" to "new""#, "\(answer.text)")
    #expect(change?["before"] == "alpha" && change?["after"] == "new")
  }

  // MARK: Tables

  private func table(_ rows: [JSON], _ query: String = "") throws -> RawResponse {
    try admin.send(
      "POST", "/v1/apply?overwrite=true&template=white-label\(query)",
      json: ["domains": .array(rows)])
  }

  @Test func aTableKeepsTheValuesOfParametersThatItLeavesOut() throws {
    let two: JSON = [
      "parameters": [
        ["name": "shop", "type": "path"], ["name": "more", "type": "path", "default": "m"],
        ["name": "last", "type": "path", "default": "l"],
      ],
      "entries": [
        ["apps": [.string(Self.app)], "routes": [["path": "/{shop}/{more}/{last}"]]]
      ],
    ]
    #expect(try admin.send("PUT", path, json: two).status == 200)
    let set = try admin.send(
      "PATCH", "/v1/domains/anna.example", json: ["parameters": ["more": "x", "last": "y"]])
    #expect(set.status == 200, "\(set.text)")
    let row: JSON = [
      "domain": "anna.example", "template": "white-label", "parameters": ["more": .null],
    ]
    let applied = try table([row], "&accept=opens-nothing")
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try parameters("anna") == ["shop": "alpha", "last": "y"])
    #expect(try paths("anna") == ["/alpha/m/y"])
    var new = row.objectValue ?? [:]
    new["domain"] = "new.example"
    let refused = try table([.object(new)])
    #expect(try refused.json["errors"]?[0]?["code"] == "missing-parameter", "\(refused.text)")
  }

  @Test func aTableHasNoDomainOfAnotherTemplate() throws {
    try addOther()
    try running.put("other.example", ["template": "other", "parameters": ["place": "x"]])
    let row: JSON = [
      "domain": "other.example", "template": "white-label", "parameters": ["shop": "x"],
    ]
    let refused = try table([row])
    #expect(try refused.json["code"] == "not-adoptable", "\(refused.text)")
    #expect(try refused.json["domain"] == "other.example")
    #expect(try paths("other") == ["/other/x/*"])
    #expect(
      try admin.send("POST", "/v1/apply?template=none", json: ["domains": []]).json["code"]
        == "template-not-found")
  }

  // MARK: The end of a domain

  @Test func expectationsOfATemplateKeepNoDomain() throws {
    var expecting = Self.template("shop", "/{shop}/*").objectValue ?? [:]
    expecting["expectations"] = [
      ["url": "https://{domain}/{shop}/1", "app": .string(Self.app), "resolution": "match"]
    ]
    #expect(try admin.send("PUT", path, json: .object(expecting)).status == 200)
    try protect()
    let query = "?accept=opens-nothing"
    let own = try admin.send("DELETE", "/v1/domains/bruno.example" + query)
    #expect(own.status == 409, "its own ones do: \(own.text)")
    #expect(try own.json["expectations"]?.arrayValue?.count == 1)
    let deleted = try admin.send("DELETE", "/v1/domains/anna.example" + query)
    #expect(deleted.status == 200, "\(deleted.text)")
    let pruned = try table(
      [["domain": "bruno.example", "template": "white-label", "parameters": ["shop": "beta"]]],
      "&prune=true&accept=opens-nothing")
    #expect(pruned.status == 200, "\(pruned.text)")
    #expect(try admin.send("GET", "/v1/domains").json["total"] == 1)
  }

  // MARK: Lost updates

  @Test func anEditOfATemplateMayRequireTheRevisionThatItBeganWith() throws {
    let read = try admin.send("GET", path)
    #expect(read["ETag"] == "\"1\"")
    let new = Self.template("shop", "/{shop}/new/*")
    let put = { (tag: String) in
      try admin.send("PUT", path, body: new.serialized(), "If-Match: \(tag)")
    }
    let edited = try put("\"1\"")
    #expect(edited.status == 200 && edited["ETag"] == "\"2\"", "\(edited.text)")
    let stale = try put("\"1\"")
    #expect(stale.status == 412 && stale["ETag"] == "\"2\"")
    #expect(try stale.json["code"] == "stale-revision", "\(stale.text)")
    #expect(try put("*").status == 200)
    let back = try admin.send("POST", path + "/revisions/1/restore", "If-Match: \"1\"")
    #expect(back.status == 412)
    #expect(try admin.send("GET", path).json["revision"] == 2)
    let both = try admin.send(
      "PUT", path, body: new.serialized(), "If-Match: *\r\nIf-None-Match: *")
    #expect(try both.status == 412 && both.code == "already-exists", "\(both.text)")
    let missing = try admin.send(
      "PUT", "/v1/templates/none", body: new.serialized(), "If-Match: *")
    #expect(missing.status == 412, "\(missing.text)")
    #expect(try missing.json["code"] == "template-not-found")
    let twice = try admin.send("PUT", path, body: new.serialized(), "If-None-Match: *")
    #expect(try twice.json["code"] == "already-exists", "\(twice.text)")
  }
}
