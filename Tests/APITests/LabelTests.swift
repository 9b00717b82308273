import Association
import Publishing
import Service
import Store
import TestSupport
import Testing

/// Labels of domains choose them, and say where they are managed.
@Suite struct LabelTests {
  private let running: RunningService
  private var admin: Client { running.admin }

  init() throws {
    running = try RunningService()
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": "/x%c3"]]]
    for (name, labels) in [
      ("a.example", ["brand-a", "summer"]), ("b.example", ["brand-b"]), ("c.example", []),
    ] {
      try running.put(name, ["labels": .strings(labels), "entries": [entry]])
    }
  }

  private func names(_ path: String, _ list: String = "items") throws -> [String] {
    let answer = try admin.send("GET", path)
    guard answer.status == 200 else { throw Unexpected(response: answer) }
    return (try answer.json[list]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
  }

  @Test func labelsAreInOrderEachOnceAndLeftOutIfThereAreNone() throws {
    let path = "/v1/domains/a.example"
    let patched = try admin.send("PATCH", path, json: ["labels": ["z", "a", "z"]])
    #expect(try patched.json["domain"]?["labels"] == ["a", "z"])
    let summary = try admin.send("GET", "/v1/domains?q=a.example").json["items"]?[0]
    #expect(summary?["labels"] == ["a", "z"])
    let cleared = try admin.send("PATCH", path, json: ["labels": .null]).json["domain"]
    #expect(cleared != nil && cleared?["labels"] == nil)
    #expect(try !admin.send("GET", "/v1/export?label=brand-b").text.contains("managedBy"))
  }

  @Test(arguments: [
    (["Brand"], "/labels/0: malformed-label"), ([""], "/labels/0: malformed-label"),
    (["-a"], "/labels/0: malformed-label"), (["a b"], "/labels/0: malformed-label"),
    (["ok", String(repeating: "a", count: 64)], "/labels/1: malformed-label"),
    ((0..<21).map { "l\($0)" }, "/labels: too-many"),
  ]) func anInvalidLabelIsRefusedByItsPlace(_ labels: [String], _ fault: String) throws {
    let answer = try admin.send(
      "PATCH", "/v1/domains/a.example", json: ["labels": .strings(labels)])
    #expect(try answer.status == 422 && answer.faults == [fault], "\(answer.text)")
  }

  @Test func aLabelIsAsLongAsItMayBe() throws {
    let labels = (0..<20).map { "\($0)" + String(repeating: "._-", count: 20) }
    let answer = try admin.send(
      "PATCH", "/v1/domains/a.example", json: ["labels": .strings(labels)])
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func labelsAreListedWithTheNumbersOfTheirDomains() throws {
    try running.put("d.example", ["labels": ["summer", "brand-b"]])
    func labels(_ query: String = "", _ client: Client? = nil) throws -> JSON? {
      try (client ?? admin).send("GET", "/v1/labels\(query)").json["items"]
    }
    let all: JSON = [
      ["label": "brand-a", "domains": 1], ["label": "brand-b", "domains": 2],
      ["label": "summer", "domains": 2],
    ]
    #expect(try labels() == all)
    #expect(try labels("?q=AND-B") == [["label": "brand-b", "domains": 2]])
    let page = try admin.send("GET", "/v1/labels?limit=2").json
    #expect(page["next"] == "brand-b")
    #expect(try labels("?limit=2&cursor=brand-b") == [["label": "summer", "domains": 2]])
    // Labels of other domains are none of a limited token.
    let limited = try running.client(.viewer, domains: ["d.example"])
    #expect(
      try labels("", limited) == [
        ["label": "brand-b", "domains": 1], ["label": "summer", "domains": 1],
      ])
    _ = try admin.send("DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(try labels("?q=brand-a") == [])
  }

  @Test func aLabelIsAFilterWhereverDomainsAreListed() throws {
    for domain in ["a.example", "b.example"] {
      let checked = try admin.send("POST", "/v1/check", json: ["domains": [.string(domain)]])
      #expect(checked.status == 200)
    }
    for path in ["/v1/domains", "/v1/findings", "/v1/checks"] {
      #expect(try Set(names("\(path)?label=brand-a")) == ["a.example"], "\(path)")
      #expect(try Set(names("\(path)?label=nobody")) == [], "\(path)")
      #expect(try Set(names(path)).isSuperset(of: ["a.example", "b.example"]), "\(path)")
      #expect(try admin.send("GET", "\(path)?label=No").code == "malformed-label", "\(path)")
    }
    let findings = try admin.send("GET", "/v1/findings?label=brand-a&code=lower-case-escape").json
    #expect(findings["total"] == 1 && findings["counts"] == ["lower-case-escape": 1])
    for path in ["/v1/export", "/v1/export/hashes"] {
      #expect(try names("\(path)?label=summer", "domains") == ["a.example"], "\(path)")
      #expect(try names(path, "domains") == ["a.example", "b.example", "c.example"], "\(path)")
    }
  }

  @Test func anExportOfALabelHasOnlyTheAppsThatItsDomainsUse() throws {
    try running.put(
      "d.example", ["webcredentials": ["ABCDE12345.com.example.other"], "labels": ["lone"]])
    let apps = try admin.send("GET", "/v1/export?label=lone").json["apps"]?.arrayValue ?? []
    #expect(apps.map { $0["app"] } == ["ABCDE12345.com.example.other"])
  }

  @Test func theDomainsOfALabelAreCheckedTogether() throws {
    func checked(_ json: JSON) throws -> [String] {
      let answer = try admin.send("POST", "/v1/check", json: json)
      guard answer.status == 200 else { throw Unexpected(response: answer) }
      return (try answer.json["items"]?.arrayValue ?? []).compactMap { $0["domain"]?.stringValue }
    }
    #expect(try checked(["label": "brand-b"]) == ["b.example"])
    #expect(
      try checked(["label": "brand-b", "domains": ["a.example", "b.example"]]) == [
        "a.example", "b.example",
      ])
    #expect(try checked(["label": "nobody"]) == [])
    #expect(try admin.send("POST", "/v1/check", json: [:]).faults == ["/domains: choice-needed"])
    for index in 0..<17 { try running.put("d\(index).example", ["labels": ["many"]]) }
    let many = try admin.send("POST", "/v1/check", json: ["label": "many"])
    #expect(try many.status == 422 && many.faults == ["/label: too-many"])
    #expect(many.text.contains("aasa check --label many"))
  }

  @Test func aChangeOfLabelsIsARevisionThatSaysWhatChanged() throws {
    let path = "/v1/domains/a.example"
    let before = try running.serve("a.example").text
    let words = [
      "managedBy added: \"git: links-repo\"", "label summer removed", "label winter added",
    ]
    let changed = try admin.send(
      "PATCH", path, json: ["labels": ["brand-a", "winter"], "managedBy": "git: links-repo"]
    ).json
    let changes = changed["diff"]?["changes"]?.arrayValue ?? []
    #expect(changes.map { $0["summary"]?.stringValue } == words)
    #expect(changes.map { $0["what"] } == ["managedBy", "label", "label"])
    #expect(changes.map { $0["kind"] } == ["added", "removed", "added"])
    #expect(changed["revision"] == 2 && changed["diff"]?["affectsLinks"] == false)
    #expect(try running.serve("a.example").text == before)
    let record = try admin.send("GET", "/v1/audit?domain=a.example").json["items"]?[0]
    #expect(record?["changes"] == .string(words.joined(separator: "; ")))
    let settings = try admin.send("GET", "\(path)/revisions/2").json["settings"]
    #expect(settings?["labels"] == ["brand-a", "winter"])
    let again = try admin.send(
      "PATCH", path, json: ["managedBy": "git: other"]
    ).json["diff"]?["changes"]?[0]?["summary"]
    #expect(again == "managedBy changed: from \"git: links-repo\" to \"git: other\"")
  }

  @Test func aRollBackKeepsLabelsAndTheManagement() throws {
    let path = "/v1/domains/a.example"
    for json: JSON in [["cacheSeconds": 5], ["labels": ["new"], "managedBy": "git"]] {
      #expect(try admin.send("PATCH", path, json: json).status == 200)
    }
    let restored = try admin.send("POST", path + "/revisions/1/restore").json["domain"]
    #expect(restored?["cacheSeconds"] == 3600)
    #expect(restored?["labels"] == ["new"] && restored?["managedBy"] == "git")
  }

  @Test func theAnswersToTheEditOfATemplateAndToADraftSayWhereDomainsAreManaged() throws {
    #expect(try admin.send("PUT", "/v1/templates/t", json: ["cacheSeconds": 60]).status == 201)
    for name in ["a.example", "b.example"] {
      let json: JSON = ["template": "t", "cacheSeconds": .null, "managedBy": "git: links-repo"]
      let joined = try admin.send("PATCH", "/v1/domains/\(name)", json: json)
      try #require(joined.status == 200, "\(joined.text)")
    }
    let both: JSON = [
      ["managedBy": "git: links-repo", "count": 2, "domains": ["a.example", "b.example"]]
    ]
    let same = try admin.send("PUT", "/v1/templates/t", json: ["cacheSeconds": 60])
    #expect(try same.status == 200 && same.json["managed"] == nil)
    let draft = try admin.send("PUT", "/v1/templates/t?draft=true", json: ["cacheSeconds": 61])
    #expect(try draft.status == 202 && draft.json["managed"] == both, "\(draft.text)")
    for query in ["?dryRun=true", ""] {
      let put = try admin.send("PUT", "/v1/templates/t\(query)", json: ["cacheSeconds": 61])
      #expect(try put.status == 200 && put.json["managed"] == both, "\(put.text)")
    }
    let one = try admin.send(
      "PATCH", "/v1/domains/a.example?draft=true", json: ["cacheSeconds": 62])
    #expect(
      try one.json["managed"] == [
        ["managedBy": "git: links-repo", "count": 1, "domains": ["a.example"]]
      ], "\(one.text)")
    let state: JSON = ["domains": [["domain": "a.example", "cacheSeconds": 63]]]
    let applied = try admin.send("POST", "/v1/apply?draft=true&overwrite=true", json: state)
    #expect(try applied.status == 202 && applied.json["managed"] == nil, "\(applied.text)")
  }

  @Test func theAnswerToAnEditSaysWhereTheDomainIsManaged() throws {
    let path = "/v1/domains/a.example"
    let managed = try admin.send("PATCH", path, json: ["managedBy": "git: links-repo"])
    #expect(try managed.json["managedBy"] == "git: links-repo")
    for (method, target, json) in [
      ("PATCH", "?dryRun=true", ["cacheSeconds": 5]), ("PATCH", "", ["cacheSeconds": 5]),
      ("POST", "/entries/1/routes", ["path": "/new"]),
    ] as [(String, String, JSON)] {
      let answer = try admin.send(method, path + target, json: json)
      #expect(try answer.json["managedBy"] == "git: links-repo", "\(method) \(target)")
    }
    let unchanged = try admin.send("PATCH", path, json: ["cacheSeconds": 5])
    #expect(try unchanged.status == 200 && unchanged.json["managedBy"] == nil)
    let state: JSON = ["domains": [["domain": "a.example", "cacheSeconds": 7]]]
    let applied = try admin.send("POST", "/v1/apply?overwrite=true", json: state)
    #expect(try applied.json["domains"]?[0]?["action"] == "update")
    #expect(!applied.text.contains("links-repo"))
    let other = try admin.send("PATCH", "/v1/domains/b.example", json: ["cacheSeconds": 5])
    #expect(try other.json["managedBy"] == nil)
    for invalid in ["", "a\nb", String(repeating: "a", count: 201)] {
      let answer = try admin.send("PATCH", path, json: ["managedBy": .string(invalid)])
      #expect(answer.status == 422)
    }
  }

  @Test func applyingAStateLosesNoLabelOfOthers() throws {
    let export = try admin.send("GET", "/v1/export?label=brand-a").json
    let path = "/v1/domains/a.example"
    #expect(try admin.send("PATCH", path, json: ["labels": ["brand-a", "new"]]).status == 200)
    // It is as exported, so it is left to others.
    #expect(try admin.send("POST", "/v1/apply", json: export).status == 200)
    #expect(try admin.send("GET", path).json["labels"] == ["brand-a", "new"])
    var changed = export.objectValue ?? [:]
    var domain = export["domains"]?[0]?.objectValue ?? [:]
    domain["cacheSeconds"] = 8
    changed["domains"] = [.object(domain)]
    let refused = try admin.send("POST", "/v1/apply", json: .object(changed))
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere")
    #expect(refused.text.contains("label new removed"), "\(refused.text)")
    let silent: JSON = ["domains": [["domain": "a.example", "cacheSeconds": 9]]]
    #expect(try admin.send("POST", "/v1/apply", json: silent).status == 200)
    #expect(
      try admin.send("GET", path).json["labels"] == ["brand-a", "new"],
      "what a state leaves out stays")
  }

  @Test func aDomainThatIsDeletedAndAddedAgainHasNoOldLabels() throws {
    let path = "/v1/domains/a.example"
    #expect(try admin.send("DELETE", path + "?accept=opens-nothing").status == 200)
    // Earlier versions leave them.
    try running.connect().run(
      "INSERT INTO domain_label SELECT id, 0, 'brand-a' FROM domain WHERE deleted_name = 'a.example'"
    )
    let limited = try running.client(.editor, labels: ["brand-a"])
    #expect(try limited.send("GET", path).code == "token-limited")
    #expect(try limited.send("GET", "/v1/domains").json["total"] == 0)
    try running.put("a.example", [:])
    #expect(try admin.send("GET", path).json["labels"] == nil)
    #expect(try limited.send("GET", path).code == "token-limited")
  }
}
