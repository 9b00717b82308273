import Association
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
    let state = try export()
    try addRoute("/sale")
    let refused = try apply(state)
    #expect(try refused.status == 409 && refused.code == "changed-elsewhere", "\(refused.text)")
    let conflicts = try refused.json["conflicts"]?.arrayValue ?? []
    #expect(conflicts.map { $0["domain"] } == ["a.example"])
    #expect(conflicts[0]["revision"] == 2 && conflicts[0]["stateRevision"] == 1)
    #expect(conflicts[0]["author"] == "test")
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
    let state = try export()
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
    let state = try export()
    #expect(try admin.send("DELETE", "\(target)/entries/1/routes/2").status == 200)
    let refused = try apply(state)
    #expect(try refused.code == "changed-elsewhere", "\(refused.text)")
    #expect(try paths() == ["/a"])
  }

  /// A file that somebody wrote by hand, over a domain that nobody applied.
  @Test func aDomainThatSomebodyDeletedIsNamed() throws {
    let state = try export()
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
}
