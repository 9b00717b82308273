import Association
import Publishing
import Service
import Store
import TestSupport
import Testing

/// With `draft=true`, a draft is made of what any request would change.
@Suite struct DraftOfRequestTests {
  private let running: RunningService
  private let anna: Client
  private let boris: Client
  private let release: Client

  init() throws {
    running = try RunningService()
    anna = try running.client(.editor, named: "anna")
    boris = try running.client(.editor, named: "boris")
    release = try running.client(.admin, named: "release", publishesProtected: true)
  }

  /// What is stored, without numbers of revisions. A draft leaves the apps and templates that nothing uses any more.
  private var stored: [JSON] {
    get throws {
      let export = try release.send("GET", "/v1/export").json
      let used = export["domains"]?.text ?? ""
      let lists = [
        "domains": "domain", "templates": "template", "apps": "app", "androidApps": "package",
      ]
      return lists.sorted { $0.key < $1.key }.flatMap { list, key in
        (export[list]?.arrayValue ?? []).compactMap { element in
          if !used.contains(element[key]?.text ?? "") { return nil }
          var element = element.objectValue ?? [:]
          element["revision"] = nil
          return .object(element)
        }
      }
    }
  }

  @Test(arguments: ProtectedWorld.requests().indices)
  func anApprovedDraftIsWhatTheRequestWouldHaveBeen(number: Int) throws {
    let request = try ProtectedWorld(running, anna).requests[number]
    if request.target.contains("dryRun") { return }
    let comment = Comment(rawValue: "\(request.method) \(request.target)")
    let before = try stored
    let answer = try ProtectedWorld.send(request, by: anna, "draft=true&reason=sale")
    #expect(answer.status == 202, "\(comment) \(answer.text)")
    let id = try #require(try answer.json["id"]?.integerValue)
    #expect(try answer.json["reason"] == "sale" && stored == before, comment)
    let approval = try boris.send("POST", "/v1/drafts/\(id)/approve")
    #expect(approval.status == 200, "\(comment) \(approval.text)")
    let approved = try stored
    #expect(approved != before, comment)

    let other = try DraftOfRequestTests()
    let same = try ProtectedWorld(other.running, other.anna).requests[number]
    let direct = try ProtectedWorld.send(same, by: other.release)
    #expect((200...204).contains(direct.status), "\(comment) \(direct.text)")
    #expect(try other.stored == approved, comment)
  }

  @Test func theDraftOfARequestIsNeverAppliedOverWhatOthersHaveChanged() throws {
    _ = try ProtectedWorld(running, anna)
    let path = "/v1/domains/\(ProtectedWorld.domain)"
    let draft = try anna.send("POST", path + "/revisions/1/restore?draft=true")
    let id = try #require(try draft.json["id"]?.integerValue)
    #expect(try release.send("PATCH", path, json: ["cacheSeconds": 77]).status == 200)
    let answer = try boris.send("POST", "/v1/drafts/\(id)/approve")
    #expect(try answer.status == 409 && answer.code == "draft-outdated")
    #expect(try release.send("GET", path).json["cacheSeconds"] == 77)
  }

  @Test func aDraftHasOnlyWhatItsRequestChanges() throws {
    _ = try ProtectedWorld(running, anna)
    let path = "/v1/domains/\(ProtectedWorld.domain)"
    let accepted = try release.send(
      "PUT", path + "?accept=opens-nothing", json: ["entries": [], "protected": true], "If-Match: *"
    )
    #expect(accepted.status == 200, "\(accepted.text)")
    let draft = try anna.send("PATCH", path + "?draft=true", json: ["cacheSeconds": 5]).json
    let id = try #require(draft["id"]?.integerValue)
    #expect(draft["accept"] == nil)
    let state = try anna.send("GET", "/v1/drafts/\(id)").json["state"]
    #expect(
      state == ["domains": [["domain": .string(ProtectedWorld.domain), "cacheSeconds": 5]]])
    let template: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/z/*"]]]]]
    let rules = try anna.send(
      "PUT", "/v1/templates/white-label?accept=opens-nothing&draft=true", json: template,
      "If-Match: *")
    let rulesID = try #require(try rules.json["id"]?.integerValue, "\(rules.text)")
    #expect(try rules.json["domains"] == ["t.example"])
    #expect(try anna.send("GET", "/v1/drafts/\(rulesID)").json["state"]?["domains"] == nil)
  }

  @Test func whatARequestSkipsIsInNoDraft() throws {
    for (name, path) in [("same.example", "/a/*"), ("other.example", "/z/*")] {
      try running.put(
        name,
        ["entries": [["apps": ["ABCDE12345.com.example.t"], "routes": [["path": .string(path)]]]]])
    }
    let template: JSON = [
      "entries": [["apps": ["ABCDE12345.com.example.t"], "routes": [["path": "/a/*"]]]]
    ]
    _ = try release.send("PUT", "/v1/templates/rules", json: template)
    let adopted = try anna.send(
      "POST", "/v1/templates/rules/adopt?skip=refused&draft=true",
      json: ["domains": ["same.example", "other.example"]])
    #expect(try adopted.json["domains"] == ["same.example"], "\(adopted.text)")
    let published = try anna.send(
      "PUT", "/v1/templates/rules?skip=refused&draft=true", json: template, "If-Match: *")
    #expect(try published.faults == [": malformed-value"], "\(published.text)")
  }

  @Test func whatOthersChangeBetweenATrialAndItsDraftIsNeverUndone() throws {
    _ = try ProtectedWorld(running, anna)
    let name = DomainName(stored: ProtectedWorld.domain)
    let stored = try running.store.domain(name)
    var domain = stored.domain
    domain.cacheSeconds = 5
    let wanted = domain
    let context = WriteContext(author: "anna")
    for (base, isCurrent) in [(stored.revision - 1, false), (stored.revision, true)] {
      let proposed = ProposedState()
      try proposed.note(name, domain, over: stored.domain, base: base)
      let state = DesiredState(domains: [name]) { _, _ in (wanted, nil) }
      let ask = {
        try Publisher(store: running.store).addDraft(
          state, DraftResource.state(proposed.content), ApplyOptions(overwrite: true),
          of: proposed.content, by: context)
      }
      if isCurrent {
        #expect(try ask().domains == [name])
      } else {
        #expect(throws: Outdated.self) { try ask() }
      }
    }
  }

  @Test func aDraftIsNotLongerThanOneMayBe() throws {
    _ = try ProtectedWorld(running, anna)
    let documents = (0..<9).map { number in
      (
        "x\(number).json",
        ["text": .string("\"\(String(repeating: "x", count: 130_000))\"")] as JSON
      )
    }
    let members = JSON.object(documents.reduce(into: [:]) { $0[$1.0] = $1.1 })
    let answer = try anna.send(
      "PATCH", "/v1/domains/\(ProtectedWorld.domain)?draft=true", json: ["documents": members])
    #expect(try answer.faults == [": too-many"], "\(answer.text)")
  }

  @Test func aDraftDeletesNoApp() throws {
    _ = try release.send("PUT", "/v1/apps/ABCDE12345.com.example.unused", json: [:])
    let answer = try anna.send("DELETE", "/v1/apps/ABCDE12345.com.example.unused?draft=true")
    #expect(try answer.code == "nothing-to-approve", "\(answer.text)")
    #expect(try answer.json["detail"]?.stringValue?.contains("deletes no apps") == true)
  }

  @Test func aTokenForOneDocumentDoesNotAsk() throws {
    _ = try ProtectedWorld(running, anna)
    let created = try release.send(
      "POST", "/v1/tokens",
      json: ["name": "payments", "role": "editor", "documents": ["trust.txt"]])
    let secret = try #require(try created.json["token"]?.stringValue)
    let payments = Client(
      port: anna.port,
      lines: ["Host: admin", "Authorization: Bearer \(secret)"])
    let answer = try payments.send(
      "PUT", "/v1/domains/\(ProtectedWorld.domain)/documents/trust.txt?draft=true",
      body: Array("member=a".utf8))
    #expect(try answer.code == "token-limited", "\(answer.text)")
  }

  @Test func aDryRunMakesNoDraft() throws {
    _ = try ProtectedWorld(running, anna)
    let path = "/v1/domains/\(ProtectedWorld.domain)"
    let answer = try anna.send(
      "PATCH", path + "?draft=true&dryRun=true", json: ["cacheSeconds": 5])
    #expect(try answer.status == 202 && answer.json["dryRun"] == true, "\(answer.text)")
    #expect(try anna.send("GET", "/v1/drafts").json["items"] == [])
    // Over what others have changed, there is nothing to approve either.
    let stale = try anna.send(
      "PATCH", path + "?draft=true", json: ["cacheSeconds": 5], "If-Match: \"1\"")
    #expect(stale.status == 412)
    let same = try anna.send("PATCH", path + "?draft=true", json: ["cacheSeconds": 31])
    #expect(try same.status == 422 && same.code == "nothing-to-approve", "\(same.text)")
  }

  @Test func whoIsLimitedAsksForNoMoreThanTheyMayChange() throws {
    _ = try ProtectedWorld(running, anna)
    let limited = try running.client(.editor, named: "limited", domains: ["t.example"])
    let foreign = try limited.send(
      "PATCH", "/v1/domains/\(ProtectedWorld.domain)?draft=true", json: ["cacheSeconds": 5])
    #expect(try foreign.status == 403 && foreign.code == "token-limited")
    let viewer = try running.client(.viewer, named: "viewer")
    let read = try viewer.send(
      "PATCH", "/v1/domains/t.example?draft=true", json: ["cacheSeconds": 5])
    #expect(try read.status == 403 && read.code == "role-too-low")
    #expect(try release.send("GET", "/v1/drafts").json["items"] == [])
  }

  @Test func aStateOfLinesBecomesADraft() throws {
    _ = try ProtectedWorld(running, anna)
    let line = #"{"domain":"t.example","cacheSeconds":77}"#
    let answer = try anna.send(
      "POST", "/v1/apply?draft=true", body: Array((line + "\n").utf8),
      "Content-Type: application/x-ndjson")
    #expect(try answer.status == 202 && answer.json["domains"] == ["t.example"], "\(answer.text)")
  }
}
