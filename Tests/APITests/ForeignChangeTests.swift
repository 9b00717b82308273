import Association
import Store
import TestSupport
import Testing

/// A state is applied only over what its author saw.
@Suite struct ForeignChangeTests {
  private let running: RunningService
  private var admin: Client { running.admin }
  private let target = "/v1/domains/a.example"

  init() throws {
    running = try RunningService()
    try running.put("a.example", ["entries": Self.entries(["/a", "/b"])])
    try running.put("b.example", ["entries": Self.entries(["/a"])])
  }

  private static func entries(_ paths: [String]) -> JSON {
    [["apps": [.string(app)], "routes": .array(paths.map { ["path": .string($0)] })]]
  }

  private func export() throws -> JSON { try admin.send("GET", "/v1/export").json }

  private func apply(_ state: JSON, _ query: String = "") throws -> RawResponse {
    try admin.send("POST", "/v1/apply?\(query)", json: state)
  }

  private func apply(domain: JSON.Object, _ query: String = "") throws -> RawResponse {
    try apply(["domains": [.object(domain)]], query)
  }

  /// The domain "a.example" of an export, with other members.
  private func exported(_ members: JSON.Object = [:]) throws -> JSON.Object {
    var domain = try export()["domains"]?[0]?.objectValue ?? [:]
    for member in members.members { domain[member.key] = member.value }
    return domain
  }

  private func addRoute(_ path: String) throws {
    let added = try admin.send(
      "POST", "\(target)/entries/1/routes", json: ["path": .string(path)])
    #expect(added.status == 201, "\(added.text)")
  }

  private func paths() throws -> [String]? {
    try AssociationFile.paths(of: running.served("a.example"))
  }

  // MARK: Members

  @Test func aMemberThatIsLeftOutStays() throws {
    let answer = try apply(domain: ["domain": "a.example", "cacheSeconds": 60])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try paths() == ["/a", "/b"])
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 60)
  }

  @Test func nullResetsAMember() throws {
    #expect(try apply(domain: ["domain": "a.example", "cacheSeconds": 60]).status == 200)
    #expect(try apply(domain: ["domain": "a.example", "cacheSeconds": .null]).status == 200)
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 3600)
  }

  @Test func anAppKeepsWhatTheStateLeavesOut() throws {
    let path = "/v1/apps/\(app)"
    let named: JSON = ["name": "Example", "environment": "staging"]
    #expect(try admin.send("PUT", path, json: named).status == 200)
    let answer = try apply(["apps": [["app": .string(app), "name": "Other"]]])
    #expect(answer.status == 200, "\(answer.text)")
    let app = try admin.send("GET", path).json
    #expect(app["name"] == "Other" && app["environment"] == "staging")
  }

  /// A member that an answer leaves out would otherwise stay when an export is applied.
  @Test func anExportResetsWhatItDoesNotHave() throws {
    let before = try exported()
    #expect(try admin.send("PATCH", target, json: ["extra": ["x": 1]]).status == 200)
    #expect(try running.served("a.example")["x"] == 1)
    let answer = try apply(domain: before, "overwrite=true")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try running.served("a.example")["x"] == nil)
  }

  // MARK: Changes of others

  @Test func aRouteThatSomebodyAddedMeanwhileIsNotRemoved() throws {
    var changed = try export()["domains"]?[0]?.objectValue ?? [:]
    changed["cacheSeconds"] = 60
    let state: JSON = ["domains": [.object(changed)]]
    try addRoute("/sale")
    let refused = try apply(state)
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere", "\(refused.text)")
    let conflicts = try refused.json["conflicts"]?.arrayValue ?? []
    #expect(conflicts.map { $0["domain"] } == ["a.example"])
    #expect(conflicts[0]["revision"] == 2 && conflicts[0]["stateRevision"] == 1)
    #expect(conflicts[0]["author"] == "test")
    #expect(conflicts[0]["baseRevision"] == 1)
    let (own, others) = (conflicts[0]["stateChanges"], conflicts[0]["otherChanges"])
    #expect(own?.arrayValue?.count == 1 && own?.text.contains("cacheSeconds") == true)
    #expect(others?.arrayValue?.count == 1 && others?.text.contains("/sale") == true)
    let undone = conflicts[0]["undone"]?.arrayValue ?? []
    #expect(undone.count == 1 && undone[0].text.contains("/sale"), "\(undone)")
    #expect(try paths() == ["/a", "/b", "/sale"])

    let planned = try apply(state, "dryRun=true")
    #expect(try planned.code == "changed-elsewhere")
    let forced = try apply(state, "overwrite=true")
    #expect(forced.status == 200, "\(forced.text)")
    #expect(try paths() == ["/a", "/b"])
  }

  @Test func everyDomainThatOthersChangedIsNamedWithWhatWouldBeLost() throws {
    let domains = try (export()["domains"]?.arrayValue ?? []).map { domain -> JSON in
      var domain = domain.objectValue ?? [:]
      domain["environment"] = "staging"
      return .object(domain)
    }
    let state: JSON = ["domains": .array(domains)]
    try addRoute("/sale")
    let change: JSON = [
      "aliases": ["www.b.example"], "cacheSeconds": 60, "webcredentials": [.string(app)],
    ]
    #expect(try admin.send("PATCH", "/v1/domains/b.example", json: change).status == 200)
    let conflicts = try apply(state).json["conflicts"]?.arrayValue ?? []
    #expect(conflicts.map { $0["domain"] } == ["a.example", "b.example"])
    let undone = conflicts.last?["undone"]?.arrayValue?.compactMap(\.stringValue) ?? []
    for word in ["www.b.example", "cacheSeconds", "webcredentials"] {
      #expect(undone.contains { $0.contains(word) }, "\(undone)")
    }
  }

  @Test func aStateOverTheCurrentRevisionIsApplied() throws {
    try addRoute("/sale")
    let answer = try apply(domain: try exported(["entries": Self.entries(["/only"])]))
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try paths() == ["/only"])
  }

  @Test func whatApplyPublishedItselfIsReplaced() throws {
    let state = try exported(["cacheSeconds": 60])
    #expect(try apply(domain: state).status == 200)
    var later = state
    later["cacheSeconds"] = 61
    let answer = try apply(domain: later)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try admin.send("GET", target)["ETag"] == "\"3\"")
  }

  @Test func aStateThatHasTheChangesOfOthersIsApplied() throws {
    let state = try exported(["entries": Self.entries(["/a", "/b", "/sale", "/mine"])])
    try addRoute("/sale")
    let answer = try apply(domain: state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try paths() == ["/a", "/b", "/sale", "/mine"])
  }

  /// The author removed "/b"; somebody else set another member.
  @Test func onlyChangesOfOthersAreNamed() throws {
    let state = try exported(["entries": Self.entries(["/a"])])
    #expect(try admin.send("PATCH", target, json: ["cacheSeconds": 60]).status == 200)
    let refused = try apply(domain: state)
    let undone = try refused.json["conflicts"]?[0]?["undone"]?.arrayValue ?? []
    #expect(undone.count == 1 && undone[0].text.contains("cacheSeconds"), "\(refused.text)")
    var kept = state
    kept["cacheSeconds"] = 60
    #expect(try apply(domain: kept).status == 200)
    #expect(try paths() == ["/a"])
  }

  @Test func aRouteThatSomebodyRemovedDoesNotComeBack() throws {
    let state = try exported(["cacheSeconds": 60])
    #expect(try admin.send("DELETE", "\(target)/entries/1/routes/2").status == 200)
    let refused = try apply(domain: state)
    #expect(try refused.code == "changed-elsewhere", "\(refused.text)")
    #expect(try paths() == ["/a"])
  }

  @Test func aChangedDomainThatSomebodyDeletedIsNamed() throws {
    let state: JSON = ["domains": [.object(try exported(["cacheSeconds": 60]))]]
    let deleted = try admin.send("DELETE", "\(target)?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    let refused = try apply(state)
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere")
    let conflicts = try refused.json["conflicts"]
    #expect(conflicts?[0]?["domain"] == "a.example" && conflicts?[0]?["deleted"] == true)
    #expect(conflicts?[0]?["undone"] == ["domain a.example deleted"])
    #expect(try apply(state, "overwrite=true").status == 200)
  }

  @Test func withoutARevisionWhatTheDomainWouldLoseIsNamed() throws {
    let refused = try apply(domain: ["domain": "a.example", "entries": Self.entries(["/a"])])
    #expect(try refused.code == "changed-elsewhere")
    #expect(refused.text.contains("/b") && refused.text.contains("conflicts"))
    let added = try apply(domain: [
      "domain": "a.example", "entries": Self.entries(["/a", "/b", "/c"]),
    ])
    #expect(added.status == 200, "\(added.text)")
    // From now on, it is the state's.
    #expect(
      try apply(domain: ["domain": "a.example", "entries": Self.entries(["/a"])]).status == 200)
  }

  // MARK: Domains as exported

  private func step(_ answer: RawResponse, _ name: String) throws -> JSON? {
    try answer.json["domains"]?.arrayValue?.first { $0["domain"] == .string(name) }
  }

  @Test func aDomainAsExportedIsLeftToOthers() throws {
    let state = try export()
    try addRoute("/sale")
    // A member that an export leaves out while it has its default.
    let origins: JSON = ["webauthnOrigins": ["https://other.example"]]
    #expect(try admin.send("PATCH", target, json: origins).status == 200)
    for query in ["dryRun=true", "", "prune=true"] {
      let answer = try apply(state, query)
      #expect(answer.status == 200, "\(answer.text)")
      let step = try step(answer, "a.example")
      #expect(step?["action"] == "unchanged" && step?["leftOut"] == true, "\(answer.text)")
      #expect(try self.step(answer, "b.example")?["leftOut"] == nil)
    }
    #expect(try paths() == ["/a", "/b", "/sale"])
    #expect(try admin.send("GET", target).json["webauthnOrigins"] == ["https://other.example"])
    #expect(try apply(state, "overwrite=true").status == 200)
    #expect(try paths() == ["/a", "/b"])
  }

  @Test func aDomainAsExportedIsNotCreatedAgain() throws {
    let state = try export()
    let deleted = try admin.send("DELETE", "\(target)?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    let answer = try apply(state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try step(answer, "a.example")?["leftOut"] == true)
    #expect(try admin.send("GET", target).status == 404)
  }

  /// Its file in git still names the revision from before `apply` published it.
  @Test func aDomainAsLastAppliedIsLeftToOthers() throws {
    let state = try exported(["entries": Self.entries(["/a", "/b", "/mine"])])
    #expect(try apply(domain: state).status == 200)
    try addRoute("/sale")
    let answer = try apply(domain: state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try step(answer, "a.example")?["leftOut"] == true)
    #expect(try paths() == ["/a", "/b", "/mine", "/sale"])
  }

  @Test func aStateThatGoesBackBehindWhatApplyPublishedIsApplied() throws {
    let before = try exported()
    #expect(try apply(domain: exported(["entries": Self.entries(["/mine"])])).status == 200)
    #expect(try paths() == ["/mine"])
    #expect(try apply(domain: before).status == 200)
    #expect(try paths() == ["/a", "/b"])
    // With a change by somebody else in between, it is named, and the own one is not.
    #expect(try apply(domain: exported(["entries": Self.entries(["/mine"])])).status == 200)
    try addRoute("/sale")
    let refused = try apply(domain: before)
    #expect(try refused.code == "changed-elsewhere", "\(refused.text)")
    let undone = try refused.json["conflicts"]?[0]?["undone"]?.text ?? ""
    #expect(undone.contains("/sale") && !undone.contains("/mine"), "\(undone)")
  }

  /// The author's own checkout, in which nothing was edited.
  @Test func aDomainAsExportedIsLeftToOthersWhoAppliedAStateToo() throws {
    let state = try export()
    let theirs = try exported(["cacheSeconds": 60])
    let team = try running.client(.editor)
    #expect(try team.send("POST", "/v1/apply", json: ["domains": [.object(theirs)]]).status == 200)
    let answer = try apply(state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try step(answer, "a.example")?["leftOut"] == true, "\(answer.text)")
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 60)
    // So is one as its author applied it last.
    let own = try exported(["cacheSeconds": 120])
    #expect(try apply(domain: own).status == 200)
    let later = try exported(["cacheSeconds": 180])
    #expect(try team.send("POST", "/v1/apply", json: ["domains": [.object(later)]]).status == 200)
    #expect(try apply(domain: own).status == 200)
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 180)
    // Who can only look, as the step of a pipeline that compares, sees what an author would do.
    let viewer = try running.client(.viewer)
    let look = try viewer.send("POST", "/v1/apply?dryRun=true", json: state)
    #expect(try step(look, "a.example")?["action"] == "update", "\(look.text)")
    // One that its author has edited since takes their place, as an edit of a file in git does.
    #expect(try apply(state).status == 200)
    #expect(try admin.send("GET", target).json["cacheSeconds"] == 3600)
  }

  @Test func aDomainAsExportedIsLeftToOthersWhoseLastEditWasNone() throws {
    let state = try export()
    let team = try running.client(.editor)
    let theirs = try exported(["entries": Self.entries(["/theirs"])])
    #expect(try team.send("POST", "/v1/apply", json: ["domains": [.object(theirs)]]).status == 200)
    try addRoute("/sale")
    let answer = try apply(state)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try step(answer, "a.example")?["leftOut"] == true, "\(answer.text)")
    #expect(try paths() == ["/theirs", "/sale"])
  }

  @Test func aTemplateAsExportedIsLeftToOthersWhoAppliedAStateToo() throws {
    func applied(_ cacheSeconds: Int, by client: Client, revision: JSON? = nil) throws -> JSON? {
      var template: JSON.Object = [
        "template": "shop", "cacheSeconds": .integer(cacheSeconds),
        "webcredentials": ["ABCDE12345.com.example.app"],
      ]
      if let revision { template["revision"] = revision }
      let answer = try client.send("POST", "/v1/apply", json: ["templates": [.object(template)]])
      #expect(answer.status == 200, "\(answer.text)")
      return try admin.send("GET", "/v1/templates/shop").json["cacheSeconds"]
    }
    let team = try running.client(.editor)
    #expect(try applied(100, by: admin) == 100)
    #expect(try applied(200, by: team, revision: 1) == 200)
    #expect(try applied(100, by: admin, revision: 1) == 200)
    #expect(try applied(300, by: admin, revision: 1) == 300)
    #expect(try applied(200, by: team, revision: 1) == 300)
    #expect(try applied(100, by: admin, revision: 1) == 100)
  }

  @Test func withoutTheRevisionThatItNamesADomainIsNotLeftOut() throws {
    var state = try exported()
    state["revision"] = 7
    try addRoute("/sale")
    #expect(try apply(domain: state).code == "changed-elsewhere")
    state["revision"] = nil
    #expect(try apply(domain: state).code == "changed-elsewhere")
  }

  @Test func aNameOfADomainThatIsLeftOutIsNotBlamedOnTheState() throws {
    let state = try export()
    let change: JSON = ["aliases": ["www.a.example"]]
    #expect(try admin.send("PATCH", target, json: change).status == 200)
    var domains = state["domains"]?.arrayValue ?? []
    var other = domains[1].objectValue ?? [:]
    other["aliases"] = ["www.a.example"]
    domains[1] = .object(other)
    for query in ["dryRun=true", ""] {
      let refused = try apply(["domains": .array(domains)], query)
      #expect(try refused.status == 409 && refused.code == "name-taken", "\(refused.text)")
      #expect(refused.text.contains("Remove it there first"), "\(refused.text)")
    }
  }

  @Test func theAndroidAppsOfADomainThatIsLeftOutAreRendered() throws {
    let print = { (seed: Int) in
      (0..<32).map { String(16 + ($0 * 37 + seed) % 240, radix: 16, uppercase: true) }
        .joined(separator: ":")
    }
    let package = { (seed: Int) -> JSON in
      [
        "package": "com.example.app",
        "fingerprints": [["sha256": .string(print(seed)), "label": "upload"]],
      ]
    }
    #expect(try apply(["androidApps": [package(1)]]).status == 200)
    let change: JSON = ["androidCredentials": ["com.example.app"]]
    let patched = try admin.send("PATCH", target, json: change)
    #expect(patched.status == 200, "\(patched.text)")
    let state = try export()
    try addRoute("/sale")
    let answer = try apply(["androidApps": [package(2)], "domains": state["domains"] ?? []])
    #expect(answer.status == 200, "\(answer.text)")
    let steps = try answer.json["domains"]?.arrayValue ?? []
    #expect(steps.count { $0["domain"] == "a.example" } == 1, "\(answer.text)")
    #expect(try step(answer, "a.example")?["action"] == "update")
    #expect(try paths() == ["/a", "/b", "/sale"])
    let path = "\(target)/documents/assetlinks.json"
    #expect(try admin.send("GET", path).text.contains(print(2)))
  }

  // MARK: The whole plan

  @Test func aDryRunListsEveryRefusalBehindTheWholePlan() throws {
    try running.put("c.example", ["entries": Self.entries(["/c"])])
    let state = try export()
    try addRoute("/sale")
    let expectation: JSON = [
      ["url": "https://b.example/a", "app": .string(app), "resolution": "match"]
    ]
    var domains = (state["domains"]?.arrayValue ?? []).map { $0.objectValue ?? [:] }
    domains[0]["cacheSeconds"] = 60
    domains[1]["entries"] = Self.entries(["/z"])
    domains[1]["expectations"] = expectation
    domains[2]["entries"] = Self.entries([])
    let unknown: JSON.Object = ["domain": "d.example", "androidCredentials": ["com.unknown"]]
    let whole: JSON = ["domains": .array((domains + [unknown]).map { .object($0) })]
    let answer = try apply(whole, "dryRun=true&listRefusals=true")
    #expect(answer.status == 200, "\(answer.text)")
    let steps = try answer.json["domains"]?.arrayValue ?? []
    #expect(steps.map { $0["action"] } == ["update", "update", "update", "create"])
    for step in steps.prefix(3) { #expect(step["diff"]?["changes"] != [], "\(step)") }
    let refused = try answer.json["refused"]?.arrayValue ?? []
    #expect(
      refused.map { $0["code"] } == [
        "changed-elsewhere", "expectation-broken", "opens-nothing", "unknown-android-app",
      ], "\(refused)")
    #expect(try paths() == ["/a", "/b", "/sale"])
    // Nothing else is refused differently.
    #expect(try apply(whole, "dryRun=true").status >= 400)
    #expect(try apply(whole, "listRefusals=true").status >= 400)
    #expect(try admin.send("GET", "/v1/domains/d.example").status == 404)
  }

  @Test func aDryRunListsAnUnknownAndroidAppOfADomainThatOthersChanged() throws {
    let state = try export()
    try addRoute("/sale")
    var domain = state["domains"]?[0]?.objectValue ?? [:]
    domain["androidCredentials"] = ["com.unknown"]
    let answer = try apply(
      ["domains": [.object(domain)]], "dryRun=true&listRefusals=true")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      try answer.json["refused"]?.arrayValue?.map { $0["code"] } == ["unknown-android-app"],
      "\(answer.text)")
  }

  @Test func aDryRunListsDeletionsThatAreRefused() throws {
    let answer = try apply(
      ["domains": [["domain": "b.example"]]], "prune=true&dryRun=true&listRefusals=true")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try step(answer, "a.example")?["action"] == "delete")
    #expect(try answer.json["refused"]?.arrayValue?.map { $0["code"] } == ["opens-nothing"])
    let token: JSON = ["name": "security", "role": "editor", "documents": ["security.txt"]]
    let secret = try admin.send("POST", "/v1/tokens", json: token).json["token"]?.stringValue
    let limited = Client(
      port: admin.port, lines: ["Host: admin", "Authorization: Bearer \(secret ?? "")"])
    let listed = try limited.send(
      "POST", "/v1/apply?prune=true&dryRun=true&listRefusals=true",
      json: ["domains": [["domain": "b.example"]]])
    #expect(listed.status == 200, "\(listed.text)")
    #expect(try listed.json["refused"]?.arrayValue?.map { $0["code"] } == ["token-limited"])
  }

  // MARK: Conditions

  @Test func replacingADomainNeedsACondition() throws {
    let json: JSON = ["entries": Self.entries(["/z"])]
    let refused = try admin.send("PUT", target, json: json)
    #expect(try refused.status == 428 && refused.code == "precondition-required")
    #expect(refused["ETag"] == "\"1\"")
    #expect(try admin.send("PUT", target + "?dryRun=true", json: json).status == 428)
    #expect(try paths() == ["/a", "/b"])
    #expect(try admin.send("PUT", target, json: json, "If-Match: \"1\"").status == 200)
    #expect(try admin.send("PUT", target, json: json, "If-Match: \"1\"").status == 412)
    #expect(try admin.send("PUT", target, json: json, "If-Match: *").status == 200)
    #expect(try admin.send("PUT", "/v1/domains/new.example", json: json).status == 201)
  }

  @Test(arguments: [
    ("POST", "/v1/apply"), ("PUT", "/v1/apps/ABCDE12345.com.example.app"),
    ("POST", "/v1/apps/ABCDE12345.com.example.app/rename"),
    ("DELETE", "/v1/apps/ABCDE12345.com.example.app"), ("POST", "/v1/tokens"),
  ])
  func aConditionThatNothingCanMeetIsNotIgnored(method: String, path: String) throws {
    let refused = try admin.send(method, path, json: [:], "If-Match: \"7\"")
    #expect(try refused.status == 412 && refused.code == "precondition-unsupported")
  }

  // MARK: Apps

  private static let package: JSON = [
    "androidApps": [
      [
        "package": "com.example.app", "name": "Mine",
        "fingerprints": [["sha256": .string(fingerprint("AA")), "label": "play-signing"]],
      ]
    ]
  ]

  /// The same, named by a domain.
  private static let usedPackage: JSON = [
    "androidApps": package["androidApps"] ?? .null,
    "domains": [["domain": "c.example", "androidCredentials": ["com.example.app"]]],
  ]

  private static func fingerprint(_ first: String) -> String {
    ([first] + (1..<32).map { String($0 + 16, radix: 16).uppercased() }).joined(separator: ":")
  }

  private func putApp(_ first: String) throws {
    let put = try admin.send(
      "PUT", "/v1/android-apps/com.example.app",
      json: [
        "name": "Theirs",
        "fingerprints": [["sha256": .string(Self.fingerprint(first)), "label": "play-signing"]],
      ])
    #expect(put.status == 200, "\(put.text)")
  }

  @Test func anAppThatTheStateHasAsItWasExportedStaysAsOthersHaveMadeIt() throws {
    #expect(try apply(Self.package).status == 200)
    let state = try export()
    try putApp("AB")
    let now = try export()
    let applied = try apply(state)
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try export()["androidApps"] == now["androidApps"])
    // Somebody limited to a domain does not have to take over what others have changed.
    let limited = try running.client(.editor, domains: ["a.example"])
    let own: JSON = [
      "androidApps": state["androidApps"] ?? .null,
      "domains": .array(
        (state["domains"]?.arrayValue ?? []).filter { $0["domain"] == "a.example" }),
    ]
    #expect(try limited.send("POST", "/v1/apply", json: own).status == 200)
    #expect(try limited.send("POST", "/v1/apply?overwrite=true", json: own).status == 403)
    #expect(try apply(state, "overwrite=true").status == 200)
    #expect(try export()["androidApps"] == state["androidApps"])
  }

  @Test func anAppAsExportedIsLeftToOthersWhoAppliedAStateToo() throws {
    #expect(try apply(Self.usedPackage).status == 200)
    let state = try export()
    var theirs = try #require(state["androidApps"]?[0]?.objectValue)
    theirs["fingerprints"] = [
      ["sha256": .string(Self.fingerprint("AB")), "label": "play-signing"]
    ]
    let team = try running.client(.editor)
    #expect(
      try team.send("POST", "/v1/apply", json: ["androidApps": [.object(theirs)]]).status == 200)
    let now = try export()["androidApps"]
    #expect(try apply(state).status == 200)
    #expect(try export()["androidApps"] == now)
    #expect(try team.send("POST", "/v1/apply", json: state).status == 200)
    #expect(try export()["androidApps"] == state["androidApps"], "it takes its own back")
  }

  @Test func anAppAsExportedThatOthersDeletedComesBackOnlyWithWhatUsesIt() throws {
    #expect(try apply(Self.package).status == 200)
    let state = try export()
    let path = "/v1/android-apps/com.example.app"
    #expect(try admin.send("DELETE", path).status == 204)
    let answer = try apply(state)
    #expect(answer.status == 200, "\(answer.text)")
    let step = try answer.json["androidApps"]?.arrayValue?.first
    #expect(step?["action"] == "unchanged" && step?["leftOut"] == true, "\(answer.text)")
    #expect(try admin.send("GET", path).status == 404)
    #expect(try apply(state, "overwrite=true").status == 200)
    #expect(try admin.send("GET", path).status == 200)
  }

  @Test func anAppThatTheStateHasOtherwiseThanItWasExportedIsWritten() throws {
    #expect(try apply(Self.package).status == 200)
    let app = try #require(try export()["androidApps"]?[0]?.objectValue)
    try putApp("AB")
    var edited = app
    edited["base"] = "A"
    let refused = try apply(["androidApps": [.object(edited)]])
    #expect(try refused.faults == ["/androidApps/0/base: malformed-value"])
    edited["base"] = app["base"]
    edited["name"] = "Edited"
    #expect(try apply(["androidApps": [.object(edited)]]).status == 200)
    let stored = try admin.send("GET", "/v1/android-apps/com.example.app").json
    #expect(stored["name"] == "Edited")
    // An export brings apps to a server that does not have them.
    let other = try RunningService()
    #expect(
      try other.admin.send("POST", "/v1/apply", json: ["androidApps": [.object(app)]]).status == 200
    )
    #expect(try other.admin.send("GET", "/v1/android-apps/com.example.app").json["name"] == "Mine")
  }

  @Test func anAppThatTheStateAndSomebodyElseHaveChangedIsNotTakenBack() throws {
    let pipeline = try running.client(.editor, named: "pipeline")
    let state = try pipeline.send("POST", "/v1/apply", json: Self.package)
    #expect(state.status == 200, "\(state.text)")
    var edited = try #require(try export()["androidApps"]?[0]?.objectValue)
    edited["name"] = "Edited"
    // Nobody's change before the export is a conflict.
    try putApp("AC")
    var fresh = try #require(try export()["androidApps"]?[0]?.objectValue)
    fresh["name"] = "Fresh"
    let first = try pipeline.send("POST", "/v1/apply", json: ["androidApps": [.object(fresh)]])
    #expect(first.status == 200, "\(first.text)")
    try putApp("AB")
    let own: JSON = ["androidApps": [.object(edited)]]
    let refused = try pipeline.send("POST", "/v1/apply", json: own)
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere", "\(refused.text)")
    #expect(try admin.send("GET", "/v1/android-apps/com.example.app").json["name"] == "Theirs")
    #expect(try pipeline.send("POST", "/v1/apply?overwrite=true", json: own).status == 200)
    #expect(try admin.send("GET", "/v1/android-apps/com.example.app").json["name"] == "Edited")
    // Nobody else has changed it since.
    edited["name"] = "Again"
    let again = try pipeline.send("POST", "/v1/apply", json: ["androidApps": [.object(edited)]])
    #expect(again.status == 200, "\(again.text)")
  }

  @Test func anAppIsTakenBackToItsExportByThoseWhoChangedItWithAStateThemselves() throws {
    let used: JSON = [
      "androidApps": Self.package["androidApps"] ?? .null,
      "domains": [
        [
          "domain": "c.example",
          "entries": [
            [
              "apps": [.string(app)], "androidApps": ["com.example.app"],
              "routes": [["path": "/*"]],
            ]
          ],
        ]
      ],
    ]
    #expect(try apply(used).status == 200)
    let exported = try #require(try export()["androidApps"]?[0]?.objectValue)
    var edited = exported
    edited["fingerprints"] = [["sha256": .string(Self.fingerprint("AC")), "label": "play-signing"]]
    #expect(try apply(["androidApps": [.object(edited)]]).status == 200)
    let back = try apply(["androidApps": [.object(exported)]])
    #expect(try back.json["androidApps"]?[0]?["action"] == "update", "\(back.text)")
    #expect(try export()["androidApps"]?[0] == .object(exported))
    // Others' changes stay, and the plan says so.
    try putApp("AD")
    let left = try apply(["androidApps": [.object(exported)]], "dryRun=true")
    #expect(try left.json["androidApps"]?[0]?["leftOut"] == true, "\(left.text)")
  }

  @Test func anAppThatSomebodyChangesInTheSecondInWhichItWasAppliedIsTheirs() throws {
    let other = try RunningService(clock: SettableClock())
    func apply(_ state: JSON) throws -> RawResponse {
      try other.admin.send("POST", "/v1/apply", json: state)
    }
    #expect(try apply(Self.usedPackage).status == 200)
    let exported = try #require(
      try other.admin.send("GET", "/v1/export").json["androidApps"]?[0]?.objectValue)
    var edited = exported
    edited["fingerprints"] = [["sha256": .string(Self.fingerprint("AC")), "label": "play-signing"]]
    #expect(try apply(["androidApps": [.object(edited)]]).status == 200)
    let renamed = try other.admin.send(
      "PUT", "/v1/android-apps/com.example.app",
      json: ["name": "Theirs", "fingerprints": edited["fingerprints"] ?? .null])
    #expect(renamed.status == 200, "\(renamed.text)")
    let left = try apply(["androidApps": [.object(exported)]])
    #expect(try left.json["androidApps"]?[0]?["leftOut"] == true, "\(left.text)")
    let app = try other.admin.send("GET", "/v1/android-apps/com.example.app").json
    #expect(app["name"] == "Theirs" && app["fingerprints"] == edited["fingerprints"])
  }

  @Test func whatSomebodyTookBackOfAnAppIsNotPublishedAgain() throws {
    let pipeline = try running.client(.editor, named: "pipeline")
    #expect(try pipeline.send("POST", "/v1/apply", json: Self.usedPackage).status == 200)
    var edited = try #require(try export()["androidApps"]?[0]?.objectValue)
    edited["fingerprints"] = [["sha256": .string(Self.fingerprint("AC")), "label": "play-signing"]]
    let rotation: JSON = ["androidApps": [.object(edited)]]
    let applied = try pipeline.send("POST", "/v1/apply", json: rotation)
    let change = try #require(try applied.json["change"]?.integerValue, "\(applied.text)")
    #expect(try admin.send("POST", "/v1/changes/\(change)/revert").status == 200)
    let refused = try pipeline.send("POST", "/v1/apply", json: rotation)
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere", "\(refused.text)")
    #expect(try export()["androidApps"]?[0]?["fingerprints"] != edited["fingerprints"])
    #expect(refused.text.contains("has taken back"), "\(refused.text)")
    // Any other edit of it goes on.
    var other = edited
    other["fingerprints"] = [["sha256": .string(Self.fingerprint("AD")), "label": "play-signing"]]
    let another = try pipeline.send("POST", "/v1/apply", json: ["androidApps": [.object(other)]])
    #expect(another.status == 200, "\(another.text)")
    #expect(try pipeline.send("POST", "/v1/apply?overwrite=true", json: rotation).status == 200)
  }

  @Test func whatSomebodyAddedToAnAppBeforeTheExportCanBeRemovedByAState() throws {
    let pipeline = try running.client(.editor, named: "pipeline")
    #expect(try pipeline.send("POST", "/v1/apply", json: Self.usedPackage).status == 200)
    let own = try #require(try export()["androidApps"]?[0]?["fingerprints"])
    let both: JSON = .array(
      (own.arrayValue ?? []) + [["sha256": .string(Self.fingerprint("AC")), "label": "upload"]])
    let put = try admin.send(
      "PUT", "/v1/android-apps/com.example.app", json: ["name": "Mine", "fingerprints": both])
    #expect(put.status == 200, "\(put.text)")
    var edited = try #require(try export()["androidApps"]?[0]?.objectValue)
    edited["fingerprints"] = own
    let applied = try pipeline.send("POST", "/v1/apply", json: ["androidApps": [.object(edited)]])
    #expect(applied.status == 200, "\(applied.text)")
    // What its author took back is no conflict either.
    let change = try #require(try applied.json["change"]?.integerValue)
    #expect(try pipeline.send("POST", "/v1/changes/\(change)/revert").status == 200)
    let again = try pipeline.send("POST", "/v1/apply", json: ["androidApps": [.object(edited)]])
    #expect(again.status == 200, "\(again.text)")
  }

  @Test func aDraftLeavesAppsToOthers() throws {
    #expect(try apply(Self.package).status == 200)
    let state = try export()
    try putApp("AB")
    let draft: JSON = [
      "androidApps": state["androidApps"] ?? .null,
      "domains": [["domain": "a.example", "cacheSeconds": 60]],
    ]
    let added = try admin.send("POST", "/v1/drafts", json: draft)
    let id = try #require(try added.json["id"]?.integerValue, "\(added.text)")
    let approved = try running.client(.admin, publishesProtected: true)
      .send("POST", "/v1/drafts/\(id)/approve")
    #expect(approved.status == 200, "\(approved.text)")
    #expect(try admin.send("GET", "/v1/android-apps/com.example.app").json["name"] == "Theirs")
  }
}
