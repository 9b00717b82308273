import Association
import Dispatch
import Publishing
import Store
import Synchronization
import TestSupport
import Testing

/// A draft waits until a second person approves it; protected domains change in no other way.
@Suite struct DraftTests {
  private let clock = SettableClock()
  private let running: RunningService
  private let anna: Client
  private let boris: Client
  private let release: Client
  private var admin: Client { running.admin }
  private let domain = "shop.example"
  private let path = "/v1/domains/shop.example"

  init() throws {
    running = try RunningService(clock: clock)
    anna = try running.client(.editor, named: "anna")
    boris = try running.client(.editor, named: "boris")
    release = try running.client(.admin, named: "release", publishesProtected: true)
    try running.put(
      domain, ["entries": [["apps": [.string(app)], "routes": [["path": "/shop/*"]]]]])
  }

  private func protect() throws {
    let answer = try anna.send("PATCH", path, json: ["protected": true])
    guard answer.status == 200 else { throw Unexpected(response: answer) }
  }

  /// A state made from what is stored now.
  private func state(
    cacheSeconds: Int = 60, strict: Bool = false, of domain: String = "shop.example"
  ) throws -> JSON {
    [
      "domains": [
        [
          "domain": .string(domain), "cacheSeconds": .integer(cacheSeconds),
          "strict": .bool(strict),
          "revision": try value("revision", of: domain) ?? .null,
        ]
      ]
    ]
  }

  private func draft(
    _ state: JSON, by client: Client? = nil, _ query: String = "?reason=sale"
  ) throws -> Int {
    let answer = try (client ?? anna).send("POST", "/v1/drafts\(query)", json: state)
    guard answer.status == 201, let id = try answer.json["id"]?.integerValue else {
      throw Unexpected(response: answer)
    }
    return id
  }

  private func approve(
    _ id: Int, by client: Client? = nil, _ query: String = ""
  ) throws -> RawResponse {
    try (client ?? boris).send("POST", "/v1/drafts/\(id)/approve\(query)")
  }

  private func value(_ member: String, of domain: String = "shop.example") throws -> JSON? {
    try admin.send("GET", "/v1/domains/\(domain)").json[member]
  }

  private func expectApprovalNeeded(
    _ answer: RawResponse, _ comment: String = "", location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try answer.status == 403 && answer.code == "approval-required",
      "\(comment) \(answer.statusLine) \(answer.text)", sourceLocation: location)
  }

  // MARK: - Protected domains

  @Test func everyWayToChangeAProtectedDomainNeedsApproval() throws {
    let world = try ProtectedWorld(running, anna)
    let revision = try #require(try value("revision")?.integerValue)
    for client in [anna, admin] {
      for request in world.requests {
        try expectApprovalNeeded(
          ProtectedWorld.send(request, by: client), "\(request.method) \(request.target)")
      }
    }
    #expect(try value("revision") == .integer(revision))
    #expect(try value("revision", of: "t.example") == 1)
    let detail = try anna.send("PATCH", path, json: ["cacheSeconds": 5]).json["detail"]
    #expect(detail?.stringValue?.contains("draft=true") == true)
    // What changes nothing is no change.
    #expect(try anna.send("PATCH", path, json: ["cacheSeconds": 31]).status == 200)
    #expect(try release.send("PATCH", path, json: ["cacheSeconds": 5]).status == 200)
    #expect(try release.send("PATCH", path, json: ["protected": false]).status == 200)
    #expect(try anna.send("PATCH", path, json: ["cacheSeconds": 6]).status == 200)
  }

  @Test func aTemplateLeavesItsProtectedDomainsBehindIfAsked() throws {
    let template: JSON = [
      "entries": [["apps": [.string(app)], "routes": [["path": "/a/*"]]]]
    ]
    _ = try admin.send("PUT", "/v1/templates/white-label", json: template)
    try running.put("t.example", ["template": "white-label", "protected": true])
    try running.put("u.example", ["template": "white-label"])
    let changed: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/b/*"]]]]]
    let skipped = try admin.send(
      "PUT", "/v1/templates/white-label?skip=refused&accept=opens-nothing", json: changed,
      "If-Match: *")
    #expect(
      try skipped.status == 200 && skipped.json["skipped"] == ["t.example"], "\(skipped.text)")
    #expect(try value("revision", of: "u.example") == 2)
    #expect(try value("revision", of: "t.example") == 1)
  }

  @Test func aDraftDoesNotBringBackADomainThatWasDeletedSince() throws {
    let id = try draft(try state())
    #expect(try admin.send("DELETE", "\(path)?accept=opens-nothing", "If-Match: *").status == 200)
    #expect(try approve(id).code == "draft-outdated")
    #expect(try admin.send("GET", path).status == 404)
  }

  @Test func whatTheDomainsOfADraftUseIsApprovedAsItWas() throws {
    let template: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a/*"]]]]]
    _ = try admin.send("PUT", "/v1/templates/white-label", json: template)
    try running.put("t.example", ["template": "white-label"])
    let id = try draft(try state(of: "t.example"))
    let changed: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/b/*"]]]]]
    let edited = try admin.send(
      "PUT", "/v1/templates/white-label?accept=opens-nothing", json: changed, "If-Match: *")
    #expect(edited.status == 200, "\(edited.text)")
    #expect(try approve(id).code == "draft-outdated")
  }

  @Test func whoApprovesChangesNothingOutsideTheirOwnLimits() throws {
    _ = try anna.send("PATCH", path, json: ["labels": ["team-a"]])
    let team = try running.client(.editor, named: "team", labels: ["team-a"])
    let owner = try running.client(.editor, named: "owner", domains: [domain])
    let relabelled: JSON = [
      "domains": [
        ["domain": .string(domain), "labels": ["team-b"], "revision": try value("revision") ?? 0]
      ]
    ]
    let id = try draft(relabelled, by: owner)
    let refused = try approve(id, by: team)
    #expect(try refused.status == 403 && refused.code == "token-limited", "\(refused.text)")
    #expect(try value("labels") == ["team-a"])
    #expect(try approve(draft(state(cacheSeconds: 90), by: owner), by: team).status == 200)
    #expect(try approve(id).code == "draft-outdated")
  }

  @Test func draftsOfARevokedTokenAreDeclined() throws {
    let (id, other) = (try draft(try state()), try draft(try state(), by: boris))
    let ended = try draft(try state())
    #expect(try anna.send("DELETE", "/v1/drafts/\(ended)").status == 204)
    #expect(try admin.send("DELETE", "/v1/tokens/anna?dryRun=true").status == 204)
    #expect(try boris.send("GET", "/v1/drafts/\(id)").json["status"] == "open")
    #expect(try admin.send("DELETE", "/v1/tokens/anna").status == 204)
    let declined = try boris.send("GET", "/v1/drafts/\(id)").json
    #expect(
      declined["status"] == "declined"
        && declined["endedReason"] == "The token \"anna\" was revoked.")
    #expect(declined["state"]?["domains"]?[0]?["cacheSeconds"] == 60)
    #expect(try approve(id).code == "draft-ended")
    #expect(try boris.send("GET", "/v1/drafts/\(ended)").json["status"] == "withdrawn")
    #expect(try boris.send("GET", "/v1/drafts/\(other)").json["status"] == "open")
  }

  @Test func onlyWhoCouldApproveADraftDeclinesItOrCommentsOnIt() throws {
    let template: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a/*"]]]]]
    _ = try admin.send("PUT", "/v1/templates/white-label", json: template)
    try running.put("t.example", ["template": "white-label"])
    _ = try anna.send("PATCH", path, json: ["labels": ["team-a"]])
    let team = try running.client(.editor, named: "team", labels: ["team-a"])
    let owner = try running.client(.editor, named: "owner", domains: [domain])
    let brand = try running.client(.editor, named: "brand", domains: ["t.example"])
    func expectRefused(_ id: Int, _ client: Client) throws {
      #expect(try client.send("GET", "/v1/drafts/\(id)").status == 200)
      let declined = try client.send("POST", "/v1/drafts/\(id)/decline?reason=no")
      #expect(try declined.status == 403 && declined.code == "token-limited", "\(declined.text)")
      let comment = try client.send("POST", "/v1/drafts/\(id)/comments", json: ["text": "No."])
      #expect(try comment.status == 403 && comment.code == "token-limited", "\(comment.text)")
    }
    let relabelled = try draft(
      ["domains": [["domain": .string(domain), "labels": ["team-b"]]]], by: owner, "?overwrite=true"
    )
    try expectRefused(relabelled, team)
    let renamed = try draft(
      ["domains": [["domain": .string(domain), "aliases": ["other.example"]]]], "?overwrite=true")
    try expectRefused(renamed, team)
    try expectRefused(renamed, owner)
    let changed: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/b/*"]]]]]
    let ofTemplate = try admin.send(
      "PUT", "/v1/templates/white-label?draft=true&accept=opens-nothing", json: changed,
      "If-Match: *")
    try expectRefused(try #require(ofTemplate.json["id"]?.integerValue), brand)
    // Authors say what they want of their own, and others of what is theirs.
    let comments = "/v1/drafts/\(relabelled)/comments"
    #expect(try owner.send("POST", comments, json: ["text": "Please."]).status == 201)
    #expect(try boris.send("POST", comments, json: ["text": "Why?"]).status == 201)
    #expect(try boris.send("POST", "/v1/drafts/\(relabelled)/decline?reason=no").status == 200)
    // What others have changed since keeps nobody from declining.
    let id = try draft(try state(), by: owner)
    #expect(try anna.send("PATCH", path, json: ["cacheSeconds": 7]).status == 200)
    #expect(try approve(id, by: team).code == "draft-outdated")
    #expect(
      try team.send("POST", "/v1/drafts/\(id)/comments", json: ["text": "Old."]).status == 201)
    #expect(try team.send("POST", "/v1/drafts/\(id)/decline?reason=old").status == 200)
  }

  @Test func anAuthorDoesNotApproveUnderAnotherSpellingOfTheSameName() throws {
    let id = try draft(try state())
    let spelled = try running.client(.editor, named: "Anna")
    try expectApprovalNeeded(try approve(id, by: spelled))
    #expect(try spelled.send("DELETE", "/v1/drafts/\(id)").status == 204)
    #expect(try approve(draft(try state()), by: boris).status == 200)
  }

  @Test func nobodyFillsTheListWithDraftsThatTheyWithdraw() throws {
    let kept = try draft(try state())
    for _ in 0..<(Draft.mostWithdrawn + 5) {
      let id = try draft(try state())
      #expect(try anna.send("DELETE", "/v1/drafts/\(id)").status == 204)
    }
    let list = try boris.send("GET", "/v1/drafts?limit=1000").json["items"]?.arrayValue ?? []
    #expect(list.count == Draft.mostWithdrawn + 1 && list.last?["id"] == .integer(kept))
    // More of them than are read at a time.
    let open = try boris.send("GET", "/v1/drafts?status=open&limit=1").json
    #expect(open["items"]?.arrayValue?.map { $0["id"] } == [.integer(kept)])
    let mine = try boris.send("GET", "/v1/drafts?domain=\(domain)&limit=15").json
    #expect(mine["items"]?.arrayValue?.count == 15 && mine["next"] != nil)
  }

  @Test func aDraftDoesNotTakeATemplateThatWasDeletedAndMadeAgain() throws {
    let templates = ["/a/*", "/b/*"].map { (path: String) -> JSON in
      ["entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]]]
    }
    _ = try admin.send("PUT", "/v1/templates/white-label", json: templates[0])
    let asked = try anna.send(
      "PATCH", "\(path)?draft=true&accept=opens-nothing",
      json: ["template": "white-label", "entries": []])
    let id = try #require(asked.json["id"]?.integerValue, "\(asked.text)")
    #expect(try admin.send("DELETE", "/v1/templates/white-label").status == 204)
    let made = try admin.send("PUT", "/v1/templates/white-label", json: templates[1])
    #expect(try made.status == 201 && made.json["template"]?["revision"] == 2, "\(made.text)")
    #expect(try approve(id).code == "draft-outdated")
  }

  @Test func aProtectedLabelProtectsItsDomains() throws {
    #expect(try anna.send("PATCH", path, json: ["labels": ["production"]]).status == 200)
    let labels = "/v1/protected-labels"
    #expect(try anna.send("PUT", "\(labels)/production").status == 403)
    #expect(try admin.send("PUT", "\(labels)/production").status == 200)
    #expect(try anna.send("GET", labels).json == ["labels": ["production"]])
    let others = try running.client(.viewer, domains: ["*.brand.example"])
    #expect(try others.send("GET", labels).json == ["labels": []])
    let own = try running.client(.viewer, domains: [String(path.split(separator: "/")[2])])
    #expect(try own.send("GET", labels).json == ["labels": ["production"]])
    try expectApprovalNeeded(try anna.send("PATCH", path, json: ["cacheSeconds": 5]))
    try expectApprovalNeeded(try anna.send("PATCH", path, json: ["labels": []]))
    let id = try draft(try state())
    #expect(try approve(id).status == 200)
    #expect(try value("cacheSeconds") == 60)
    try expectApprovalNeeded(try admin.send("DELETE", "\(labels)/production"))
    #expect(try release.send("DELETE", "\(labels)/production").status == 204)
    #expect(try anna.send("PATCH", path, json: ["cacheSeconds": 5]).status == 200)
    let audit = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(audit.contains { $0["action"] == "end protection of label production" })
  }

  @Test func onlyAnAdminWithTheRightGivesIt() throws {
    let token: JSON = ["name": "ci", "role": "editor", "publishesProtected": true]
    try expectApprovalNeeded(try admin.send("POST", "/v1/tokens", json: token))
    for path in ["/v1/users/carla", "/v1/groups/links"] {
      let user: JSON = ["role": "editor", "publishesProtected": true]
      try expectApprovalNeeded(try admin.send("PUT", path, json: user))
      let put = try release.send("PUT", path, json: user)
      #expect(try put.status == 201 && put.json["publishesProtected"] == true)
    }
    let created = try release.send("POST", "/v1/tokens", json: token)
    #expect(try created.status == 201 && created.json["publishesProtected"] == true)
    let listed = try admin.send("GET", "/v1/tokens").json["items"]?.arrayValue ?? []
    let rights = listed.filter { $0["publishesProtected"] == true }.compactMap {
      $0["name"]?.stringValue
    }
    #expect(rights == ["ci", "release"])
  }

  @Test func theRightHoldsForTheDomainsOfItsToken() throws {
    try protect()
    let limited = try running.client(
      .editor, domains: ["*.brand.example"], publishesProtected: true)
    #expect(try limited.send("PATCH", path, json: ["cacheSeconds": 5]).code == "token-limited")
    try running.put("a.brand.example", ["protected": true])
    let own = try limited.send("PATCH", "/v1/domains/a.brand.example", json: ["cacheSeconds": 5])
    #expect(own.status == 200, "\(own.text)")
  }

  @Test func aDryRunShowsWhatAChangeDoesOnceItIsApproved() throws {
    try protect()
    let revision = try value("revision")
    let body: JSON = [
      "entries": try value("entries") ?? [], "protected": true, "cacheSeconds": 60,
      "labels": try value("labels") ?? [], "strict": try value("strict") ?? false,
    ]
    for (target, body) in [("PUT \(path)", body), ("POST /v1/apply", try state())] {
      let words = target.split(separator: " ").map(String.init)
      func send(_ query: String) throws -> RawResponse {
        words[0] == "PUT"
          ? try anna.send(words[0], words[1] + query, json: body, "If-Match: *")
          : try anna.send(words[0], words[1] + query, json: body)
      }
      try expectApprovalNeeded(send("?dryRun=true"))
      let dry = try send("?dryRun=true&approved=true")
      #expect(dry.status == 200 && dry.text.contains("cacheSeconds"), "\(dry.text)")
      // Only a dry run takes the approval for granted.
      try expectApprovalNeeded(send("?approved=true"))
    }
    #expect(try value("revision") == revision)
  }

  @Test func draftsAreFoundByADomainThatTheyChange() throws {
    let own = try draft(try state())
    _ = try draft(try state(of: "t.example"))
    let found = { (domain: String) in
      try boris.send("GET", "/v1/drafts?status=open&domain=\(domain)").json["items"]?.arrayValue?
        .map { $0["id"] }
    }
    #expect(try found("shop.example") == [.integer(own)])
    #expect(try found("none.example") == [])
  }

  // MARK: - Drafts

  @Test func anApprovedDraftIsAppliedAsAChangeOfItsAuthor() throws {
    try protect()
    let dry = try anna.send("POST", "/v1/drafts?dryRun=true", json: try state())
    #expect(try dry.status == 201 && dry.json["dryRun"] == true)
    #expect(try anna.send("GET", "/v1/drafts").json["items"] == [])
    let id = try draft(try state())
    let read = try boris.send("GET", "/v1/drafts/\(id)").json
    #expect(read["author"] == "anna" && read["reason"] == "sale" && read["status"] == "open")
    let sent = try state()
    #expect(read["domains"] == [.string(domain)] && read["state"] == sent)
    let plan = try boris.send("GET", "/v1/drafts/\(id)/plan").json
    #expect(plan["domains"]?[0]?["action"] == "update" && plan["dryRun"] == true)
    #expect(plan["refused"] == nil)
    try expectApprovalNeeded(try approve(id, by: anna))
    #expect(try value("cacheSeconds") == 3600)
    let tried = try approve(id, "?dryRun=true")
    #expect(try tried.status == 200 && tried.json["dryRun"] == true)
    let done = try approve(id)
    #expect(done.status == 200, "\(done.text)")
    #expect(try value("cacheSeconds") == 60)
    let change = try #require(try done.json["change"]?.integerValue)
    let ended = try anna.send("GET", "/v1/drafts/\(id)").json
    #expect(ended["status"] == "approved" && ended["endedBy"] == "boris")
    #expect(ended["change"] == .integer(change))
    let reason: JSON = .string("sale (draft \(id), approved by boris)")
    let revision = try admin.send("GET", path + "/revisions").json["items"]?[0]
    #expect(revision?["author"] == "anna" && revision?["reason"] == reason)
    let recorded = try admin.send("GET", "/v1/changes/\(change)").json
    #expect(recorded["author"] == "anna" && recorded["reason"] == reason)
    #expect(recorded["action"] == "publish draft")
    let audit = try admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(
      audit.contains { $0["author"] == "boris" && $0["action"] == .string("approve draft \(id)") })
    #expect(
      audit.contains { $0["author"] == "anna" && $0["action"] == .string("add draft \(id)") })
    let again = try approve(id, by: release)
    #expect(try again.status == 409 && again.code == "draft-ended")
    #expect(try anna.send("GET", "/v1/drafts/\(id)/plan").code == "draft-ended")
    #expect(try anna.send("GET", "/v1/drafts?status=open").json["items"] == [])
  }

  /// A pipeline asks with the state of its repository, which names no revision.
  @Test func theNextDraftOfAnAuthorGoesOnFromTheirLast() throws {
    func wanted(_ seconds: Int) -> JSON {
      ["domains": [["domain": .string(domain), "cacheSeconds": .integer(seconds)]]]
    }
    try protect()
    _ = try approve(draft(wanted(60)))
    _ = try approve(draft(wanted(70)))
    #expect(try value("cacheSeconds") == 70)
    let other = try boris.send("POST", "/v1/drafts", json: wanted(80))
    #expect(try other.status == 409 && other.code == "changed-elsewhere", "\(other.text)")
    let forced = try boris.send(
      "POST", "/v1/drafts?overwrite=true", json: wanted(80))
    let id = try #require(try forced.json["id"]?.integerValue)
    #expect(try approve(id, by: anna).status == 200)
    #expect(try value("cacheSeconds") == 80)
    #expect(try anna.send("POST", "/v1/drafts", json: wanted(60)).code == "changed-elsewhere")
    // A draft over what others did does not make an older file know it.
    _ = try approve(draft(try state(cacheSeconds: 80, strict: true)))
    let older: JSON = ["domains": [["domain": .string(domain), "cacheSeconds": 90, "revision": 3]]]
    #expect(try anna.send("POST", "/v1/drafts", json: older).code == "changed-elsewhere")
  }

  @Test func whatApplyWouldRefuseIsRefusedAtOnce() throws {
    try protect()
    let broken: JSON = [
      "domains": [
        [
          "domain": .string(domain),
          "expectations": [
            ["url": "https://shop.example/shop/1", "app": .string(app), "resolution": "no-match"]
          ],
        ]
      ]
    ]
    let refused = try anna.send("POST", "/v1/drafts", json: broken)
    #expect(try refused.code == "expectation-broken")
    let invalid = try anna.send("POST", "/v1/drafts", json: ["domains": [["domain": "x", "y": 1]]])
    #expect(invalid.status == 422)
    let unknown = try anna.send("POST", "/v1/drafts", json: ["domain": []])
    #expect(try unknown.status == 422 && unknown.faults.count == 1)
    #expect(try anna.send("GET", "/v1/drafts").json["items"] == [])
  }

  @Test func aDraftIsNeverAppliedOverWhatOthersHaveChanged() throws {
    try running.put("other.example", [:])
    let template: JSON = ["entries": [["apps": [.string(app)], "routes": [["path": "/a/*"]]]]]
    _ = try admin.send("PUT", "/v1/templates/white-label", json: template)
    let both: JSON = [
      "domains": [
        ["domain": .string(domain), "cacheSeconds": 60],
        ["domain": "other.example", "cacheSeconds": 60],
      ]
    ]
    let stale = try draft(both)
    // Also what `apply` has published.
    let applied = try boris.send("POST", "/v1/apply", json: try state(cacheSeconds: 61))
    #expect(applied.status == 200)
    let plan = try boris.send("GET", "/v1/drafts/\(stale)/plan").json
    #expect(plan["refused"]?[0]?["code"] == "draft-outdated")
    #expect(plan["refused"]?[0]?["domain"] == .string(domain))
    let refused = try approve(stale)
    #expect(try refused.status == 409 && refused.code == "draft-outdated", "\(refused.text)")
    #expect(try value("cacheSeconds") == 61 && value("cacheSeconds", of: "other.example") == 3600)
    #expect(try anna.send("GET", "/v1/drafts/\(stale)").json["status"] == "open")

    let named: JSON = ["apps": [["app": .string(app), "name": "Shop"]]]
    let ofApp = try draft(named)
    _ = try admin.send("PUT", "/v1/apps/\(app)", json: ["name": "Store"])
    let outdated = try approve(ofApp)
    #expect(try outdated.code == "draft-outdated", "\(outdated.text)")
    #expect(try admin.send("GET", "/v1/apps/\(app)").json["name"] == "Store")

    let ofTemplate = try draft([
      "templates": [
        [
          "template": "white-label",
          "entries": [["apps": [.string(app)], "routes": [["path": "/b/*"]]]],
        ]
      ]
    ])
    let put = try admin.send(
      "PUT", "/v1/templates/white-label",
      json: ["entries": [["apps": [.string(app)], "routes": [["path": "/c/*"]]]]], "If-Match: *")
    #expect(put.status == 200)
    let old = try approve(ofTemplate)
    #expect(try old.code == "draft-outdated", "\(old.text)")
    let listed = try boris.send("GET", "/v1/drafts/\(ofTemplate)/plan").json["refused"]
    #expect(listed?[0]?["code"] == "draft-outdated")
  }

  @Test func aDraftDeletesAndAddsDomains() throws {
    try protect()
    let state: JSON = [
      "delete": [.string(domain)],
      "domains": [["domain": "new.example", "cacheSeconds": 60, "entries": []]],
    ]
    let refused = try anna.send("POST", "/v1/drafts", json: state)
    #expect(try refused.code == "opens-nothing")
    let id = try draft(state, "?accept=opens-nothing")
    let read = try boris.send("GET", "/v1/drafts/\(id)").json
    #expect(read["domains"] == ["new.example", .string(domain)])
    #expect(read["accept"] == ["opens-nothing"])
    #expect(try approve(id).status == 200)
    #expect(try admin.send("GET", path).status == 404)
    #expect(try value("cacheSeconds", of: "new.example") == 60)
    let twice: JSON = ["delete": ["a.example"], "domains": [["domain": "a.example"]]]
    #expect(try anna.send("POST", "/v1/apply", json: twice).status == 422)
  }

  @Test func aDraftIsDeclinedWithAReasonOrWithdrawn() throws {
    let id = try draft(try state())
    #expect(try boris.send("POST", "/v1/drafts/\(id)/decline").status == 400)
    try expectApprovalNeeded(
      try anna.send("POST", "/v1/drafts/\(id)/decline?reason=no"))
    let declined = try boris.send("POST", "/v1/drafts/\(id)/decline?reason=too%20early")
    #expect(try declined.json["status"] == "declined" && declined.json["endedBy"] == "boris")
    #expect(try declined.json["endedReason"] == "too early")
    #expect(try approve(id).code == "draft-ended")
    let second = try draft(try state())
    #expect(try boris.send("DELETE", "/v1/drafts/\(second)").code == "role-too-low")
    #expect(try anna.send("DELETE", "/v1/drafts/\(second)").status == 204)
    #expect(try anna.send("GET", "/v1/drafts/\(second)").json["status"] == "withdrawn")
    let list = try boris.send("GET", "/v1/drafts?limit=1").json
    #expect(list["items"]?[0]?["id"] == .integer(second))
    let next = try #require(list["next"]?.stringValue)
    let rest = try boris.send("GET", "/v1/drafts?cursor=\(next)").json
    #expect(rest["items"]?[0]?["id"] == .integer(id) && rest["next"] == .null)
    #expect(try value("revision") == 1)
  }

  @Test func peopleCommentOnADraft() throws {
    let id = try draft(try state())
    let comments = "/v1/drafts/\(id)/comments"
    #expect(try boris.send("POST", comments, json: ["text": "Why 60?"]).status == 201)
    #expect(try anna.send("POST", comments, json: ["text": "The sale\nis short."]).status == 201)
    #expect(try anna.send("POST", comments, json: ["text": "\u{1B}[31m"]).status == 422)
    #expect(try anna.send("POST", comments, json: ["text": ""]).status == 422)
    let read = try boris.send("GET", "/v1/drafts/\(id)").json["comments"]?.arrayValue ?? []
    #expect(read.map { $0["author"]?.stringValue } == ["boris", "anna"])
    #expect(read.map { $0["text"]?.stringValue } == ["Why 60?", "The sale\nis short."])
    for _ in 2..<Draft.mostComments { _ = try anna.send("POST", comments, json: ["text": "x"]) }
    #expect(try anna.send("POST", comments, json: ["text": "x"]).status == 422)
    #expect(try approve(id).status == 200)
    #expect(try anna.send("POST", comments, json: ["text": "late"]).code == "draft-ended")
  }

  @Test func ofTwoWhoApproveAtOnceOneAppliesTheDraft() throws {
    let carla = try running.client(.editor, named: "carla")
    for round in 0..<10 {
      let id = try draft(try state(cacheSeconds: 100 + round))
      let before = try #require(try value("revision")?.integerValue)
      let answers = Mutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        let answer = try? approve(id, by: index % 2 == 0 ? boris : carla)
        answers.withLock { $0.append(answer?.status ?? 0) }
      }
      #expect(answers.withLock { $0.sorted() } == [200, 409, 409, 409])
      #expect(try value("revision") == .integer(before + 1))
    }
  }

  @Test func whoIsLimitedToDomainsSeesAndApprovesTheDraftsOfThese() throws {
    try running.put("a.brand.example", ["labels": ["brand"]])
    let own = try draft(try state(of: "a.brand.example"))
    let both = try draft([
      "domains": [
        ["domain": "a.brand.example", "cacheSeconds": 61],
        ["domain": .string(domain), "cacheSeconds": 61],
      ]
    ])
    let ofApp = try draft(["apps": [["app": .string(app), "name": "Shop"]]])
    for limited in [
      try running.client(.editor, domains: ["*.brand.example"]),
      try running.client(.editor, labels: ["brand"]),
    ] {
      let seen = try limited.send("GET", "/v1/drafts").json["items"]?.arrayValue ?? []
      #expect(seen.map { $0["id"]?.integerValue } == [own])
      for id in [both, ofApp] {
        #expect(try limited.send("GET", "/v1/drafts/\(id)").code == "draft-not-found")
        #expect(try approve(id, by: limited).code == "draft-not-found")
      }
      #expect(try limited.send("GET", "/v1/drafts/\(own)/plan").status == 200)
      #expect(
        try limited.send("POST", "/v1/drafts", json: try state()).code == "token-limited")
    }
    let viewer = try running.client(.viewer)
    #expect(try viewer.send("GET", "/v1/drafts/\(own)/plan").status == 200)
    #expect(try approve(own, by: viewer).code == "role-too-low")
    let limited = try running.client(.editor, labels: ["brand"])
    let approved = try approve(own, by: limited)
    #expect(approved.status == 200, "\(approved.text)")
  }

  @Test func aDraftShowsWhoIsLimitedToItsDomainsNothingOfOthers() throws {
    func template(_ path: String) -> JSON {
      [
        "template": "shops", "parameters": [["name": "app", "type": "app"]],
        "entries": [["apps": ["{app}"], "routes": [["path": .string(path)], ["path": "/c/*"]]]],
      ]
    }
    let secret = "ZZZZZ12345.com.example.secret"
    #expect(try anna.send("PUT", "/v1/templates/shops", json: template("/a/*")).status == 201)
    try running.put("a.brand.example", ["template": "shops", "parameters": ["app": .string(app)]])
    let id = try draft([
      "templates": [template("/b/*")],
      "domains": [["domain": "a.brand.example", "cacheSeconds": 61, "revision": 1]],
      "apps": [["app": .string(secret), "name": "Not public"]],
    ])
    let limited = try running.client(.viewer, domains: ["*.brand.example"])
    let before = try limited.send("GET", "/v1/drafts/\(id)/plan").json
    #expect(before["domains"]?.arrayValue?.count == 1 && before["refused"] == nil, "\(before.text)")
    #expect(!before.text.contains(secret), "\(before.text)")
    try running.put(
      "secret.example",
      [
        "template": "shops", "parameters": ["app": .string(app)],
        "expectations": [
          ["url": "https://secret.example/a/1", "app": .string(app), "resolution": "match"]
        ],
      ])
    let plan = try limited.send("GET", "/v1/drafts/\(id)/plan")
    #expect(plan.status == 200 && !plan.text.contains("secret.example"), "\(plan.text)")
    #expect(try plan.json["refused"]?.arrayValue?.map { $0["code"] } == ["draft-outdated"])
    #expect(try boris.send("GET", "/v1/drafts/\(id)/plan").text.contains("secret.example"))
    let read = try limited.send("GET", "/v1/drafts/\(id)")
    #expect(read.status == 200 && !read.text.contains(secret), "\(read.text)")
    #expect(try anna.send("GET", "/v1/drafts/\(id)").text.contains(secret))
    let entry: JSON = ["apps": [.string(secret)], "routes": [["path": "/a/*"]]]
    try running.put("other.example", ["entries": [entry]])
    let renaming = try draft([
      "domains": [["domain": "a.brand.example", "cacheSeconds": 61, "revision": 1]],
      "apps": [["app": .string(secret), "name": "Not public"]],
    ])
    let approval = "/v1/drafts/\(renaming)/approve?dryRun=true"
    let refused = try limited.send("POST", approval)
    #expect(refused.status == 403 && refused.text.contains("must approve it"), "\(refused.text)")
    #expect(!refused.text.contains(secret), "\(refused.text)")
    #expect(try boris.send("POST", approval).status == 200)
  }

  @Test func theOpenDraftsOfAnAuthorAndTheirSizeAreLimited() throws {
    for _ in 0..<Draft.mostOpen { _ = try draft(try state()) }
    let more = try anna.send("POST", "/v1/drafts", json: try state())
    #expect(try more.status == 422 && more.faults == [": too-many"], "\(more.text)")
    #expect(try boris.send("POST", "/v1/drafts", json: try state()).status == 201)
    let long: JSON = ["keep": .strings((0..<60_000).map { "domain-\($0).some.example" })]
    let large = try boris.send("POST", "/v1/drafts", json: long)
    #expect(try large.status == 413 && large.code == "body-too-large", "\(large.text.prefix(300))")
  }

  @Test func draftsAreDeletedLongAfterTheirEnd() throws {
    let ended = try draft(try state())
    let open = try draft(try state())
    _ = try boris.send("POST", "/v1/drafts/\(ended)/comments", json: ["text": "no"])
    _ = try boris.send("POST", "/v1/drafts/\(ended)/decline?reason=no")
    clock.wait(Int64(Draft.daysKept - 1) * 86_400)
    try Pruning(running.store).step(Retention())
    #expect(try admin.send("GET", "/v1/drafts/\(ended)").status == 200)
    clock.wait(2 * 86_400)
    try Pruning(running.store).step(Retention())
    #expect(try admin.send("GET", "/v1/drafts/\(ended)").code == "draft-not-found")
    #expect(try admin.send("GET", "/v1/drafts/\(open)").status == 200)
  }

  @Test func webhooksHearOfDrafts() throws {
    let url = "https://hooks.example.com/a"
    _ = try admin.send(
      "PUT", "/v1/webhooks/a",
      json: [
        "url": .string(url), "events": ["draft.created", "draft.approved", "draft.declined"],
      ])
    let first = try draft(try state())
    _ = try boris.send("POST", "/v1/drafts/\(first)/decline?reason=no")
    let second = try draft(try state())
    _ = try approve(second)
    let sent = try admin.send("GET", "/v1/webhooks/a/deliveries").json["items"]?.arrayValue ?? []
    let deliveries = sent.sorted { $0["id"]?.integerValue ?? 0 < $1["id"]?.integerValue ?? 0 }
    #expect(
      deliveries.map { $0["event"]?.stringValue } == [
        "draft.created", "draft.declined", "draft.created", "draft.approved",
      ])
    let approved = deliveries.last?["data"]
    #expect(approved?["draft"] == .integer(second) && approved?["approvedBy"] == "boris")
    #expect(approved?["domains"] == [.string(domain)] && approved?["author"] == "anna")
  }

  @Test func aServerOfThePreviousVersionGoesOnWritingItsRows() throws {
    let connection = try running.connect()
    try connection.run(
      "INSERT INTO token (name, role, hash, created_at) VALUES ('old', 'admin', ?, 1)",
      [.blob([UInt8](repeating: 7, count: 32))])
    try connection.run(
      "INSERT INTO named_user (name, role, created_at, updated_at) VALUES ('old user', 'editor', 1, 1)"
    )
    try connection.run("UPDATE domain SET cache_seconds = 7")
    let tokens = try admin.send("GET", "/v1/tokens").json["items"]?.arrayValue ?? []
    #expect(tokens.contains { $0["name"] == "old" && $0["publishesProtected"] == nil })
    #expect(try value("protected") == nil)
  }
}
