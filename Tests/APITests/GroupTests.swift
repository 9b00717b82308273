import Association
import HTTP
import Service
import Store
import TestSupport
import Testing

/// `/v1/groups`: the groups of the identity provider that a proxy lists give people their rights.
@Suite struct GroupTests {
  private let running: RunningService
  private let dashboard = "X-Aasa-Dashboard: 1"

  init() throws {
    running = try RunningService { _ in
    } configure: { configuration in
      configuration.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
      configuration.adminUserHeader = "X-Forwarded-User"
      configuration.adminGroupsHeader = "X-Forwarded-Groups"
      configuration.adminHosts = ["admin"]
    }
    for (domain, labels) in [
      ("a.brand.example", ["brand"]), ("b.example", ["b"]), ("c.example", []),
    ] {
      try running.put(domain, ["labels": .strings(labels)])
    }
  }

  private func put(_ name: String, _ json: JSON, as kind: String = "groups") throws -> RawResponse {
    try running.admin.send("PUT", "/v1/\(kind)/\(name)", json: json)
  }

  /// A browser of somebody in some groups.
  private func anna(_ groups: String?, _ more: String...) -> Client {
    let lines = ["Host: admin", "X-Forwarded-User: anna"] + more
    return Client(
      port: running.admin.port, lines: lines + (groups.map { ["X-Forwarded-Groups: \($0)"] } ?? []))
  }

  private func edit(_ client: Client, _ domain: String) throws -> RawResponse {
    try client.send("PATCH", "/v1/domains/\(domain)", json: ["cacheSeconds": 5], dashboard)
  }

  @Test func aGroupIsAddedChangedListedAndDeleted() throws {
    let added = try put(
      "brand-team", ["role": "editor", "domains": ["*.Brand.example"], "labels": ["b", "a"]])
    #expect(added.status == 201, "\(added.text)")
    let group = try added.json
    #expect(group["name"] == "brand-team" && group["role"] == "editor")
    #expect(group["domains"] == ["*.brand.example"] && group["labels"] == ["a", "b"])
    #expect(try put("brand-team", group).json == group, "what is read can be sent back")
    #expect(try running.admin.send("GET", "/v1/groups").json == ["items": [group]])
    #expect(try running.admin.send("GET", "/v1/users").json == ["items": []])
    let changed = try put("brand-team", ["role": "viewer"])
    #expect(try changed.status == 200 && changed.json["labels"] == nil)
    #expect(try running.admin.send("DELETE", "/v1/groups/brand-team").status == 204)
    let gone = try running.admin.send("DELETE", "/v1/groups/brand-team")
    #expect(try gone.status == 404 && gone.code == "group-not-found")
    let audit = try running.admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(
      audit.prefix(3).map { $0["action"] } == ["delete group", "change group", "add group"])
    #expect(audit.prefix(3).allSatisfy { $0["group"] == "brand-team" && $0["user"] == nil })
    #expect(
      audit[1]["changes"]
        == "role changed: from editor to viewer; domains changed; labels changed")
    #expect(try put("test", ["role": "viewer"]).status == 201, "groups have names of their own")
  }

  @Test(arguments: [
    ("a,b", #"{"role": "viewer"}"#, 400), ("a", "{}", 422), ("a", #"{"role": "x"}"#, 422),
  ])
  func anInvalidGroupIsRefused(name: String, body: String, status: Int) throws {
    let answer = try running.admin.send("PUT", "/v1/groups/\(name)", body: Array(body.utf8))
    #expect(answer.status == status, "\(answer.text)")
    #expect(try running.admin.send("GET", "/v1/groups").json == ["items": []])
  }

  @Test func onlyAdministratorsSeeGroups() throws {
    for client in [try running.client(.editor), try running.client(.admin, labels: ["brand"])] {
      for (method, path) in [("GET", ""), ("PUT", "/a"), ("DELETE", "/a")] {
        let response = try client.send(method, "/v1/groups\(path)", json: ["role": "admin"])
        #expect(response.status == 403, "\(method) \(path)")
      }
    }
  }

  @Test func aGroupGivesItsRoleToEverybodyInIt() throws {
    _ = try put("brand-team", ["role": "editor", "domains": ["*.brand.example"]])
    for groups in ["brand-team", "staff, brand-team ,x", ",brand-team,"] {
      let session = try anna(groups).send("GET", "/v1/session").json
      #expect(session["name"] == "anna" && session["role"] == "editor", "\(groups)")
      #expect(session["domains"] == ["*.brand.example"] && session["groups"] == ["brand-team"])
    }
    let client = anna("brand-team")
    #expect(try edit(client, "a.brand.example").status == 200)
    #expect(try edit(client, "b.example").code == "token-limited")
    #expect(
      try client.send("PATCH", "/v1/domains/a.brand.example", json: [:]).code
        == "dashboard-header-missing")
    let audit = try running.admin.send("GET", "/v1/audit?author=anna").json["items"]
    #expect(audit?.arrayValue?.count == 1, "the audit names the person")
    _ = try running.admin.send("DELETE", "/v1/groups/brand-team")
    let refused = try client.send("GET", "/v1/session")
    #expect(try refused.status == 403 && refused.code == "unknown-user")
    #expect(refused.text.contains("brand-team"), "\(refused.text)")
  }

  @Test(arguments: ["Brand-Team", "brand", "brand-team x", "brand-tea", ""])
  func anotherGroupGivesNothing(groups: String) throws {
    _ = try put("brand-team", ["role": "admin"])
    #expect(try anna(groups).send("GET", "/v1/session").code == "unknown-user")
    #expect(try anna(nil).send("GET", "/v1/session").code == "unknown-user")
  }

  @Test func aDraftThatAPersonSeesAndMayNotDecideAboutIsNotMissing() throws {
    _ = try put("readers", ["role": "viewer"])
    _ = try put("brand-team", ["role": "editor", "domains": ["*.brand.example"]])
    let asked = try running.admin.send(
      "PATCH", "/v1/domains/c.example?draft=true", json: ["cacheSeconds": 7])
    let id = try #require(try asked.json["id"]?.integerValue, "\(asked.text)")
    let person = anna("readers,brand-team")
    #expect(try person.send("GET", "/v1/drafts/\(id)").status == 200)
    for decision in ["approve", "decline?reason=no", "comments"] {
      let refused = try person.send(
        "POST", "/v1/drafts/\(id)/\(decision)", json: decision == "comments" ? ["text": "x"] : [:],
        dashboard)
      #expect(try refused.code == "token-limited", "\(decision): \(refused.text)")
    }
    #expect(
      try anna("brand-team").send("GET", "/v1/drafts/\(id)").code == "draft-not-found")
  }

  @Test func aPersonHasTheMostThatAnyOfTheirGroupsGives() throws {
    _ = try put("readers", ["role": "viewer"])
    _ = try put("brand-team", ["role": "editor", "domains": ["*.brand.example"]])
    _ = try put("b-team", ["role": "editor", "labels": ["b"]])
    let all = anna("readers,brand-team,b-team")
    #expect(try all.send("GET", "/v1/domains").json["total"] == 3, "as a reader")
    #expect(try all.send("GET", "/v1/apps").status == 200)
    for (domain, status) in [("a.brand.example", 200), ("b.example", 200), ("c.example", 403)] {
      #expect(try edit(all, domain).status == status, "\(domain)")
    }
    let labels: JSON = ["labels": ["b", "more"]]
    let labelled = try all.send("PATCH", "/v1/domains/b.example", json: labels, dashboard)
    #expect(try labelled.code == "token-limited", "only its label gives this domain")
    let own = try all.send("PATCH", "/v1/domains/a.brand.example", json: labels, dashboard)
    #expect(own.status == 200, "\(own.text)")
    let state: JSON = ["domains": [["domain": "c.example", "cacheSeconds": 7]]]
    #expect(try all.send("POST", "/v1/apply?dryRun=true", json: state, dashboard).status == 200)
    #expect(try all.send("POST", "/v1/apply", json: state, dashboard).code == "token-limited")

    let two = anna("brand-team,b-team")
    #expect(try two.send("GET", "/v1/domains").json["total"] == 2)
    #expect(try two.send("GET", "/v1/apps").status == 403)
    let session = try two.send("GET", "/v1/session").json
    #expect(session["groups"] == ["b-team", "brand-team"])
    #expect(session["domains"] == ["*.brand.example"] && session["labels"] == ["b"])
    #expect(
      session["grants"] == [
        ["group": "b-team", "role": "editor", "domains": [], "labels": ["b"]],
        ["group": "brand-team", "role": "editor", "domains": ["*.brand.example"]],
      ])
  }

  @Test func aLowerRoleOfAnotherGroupGivesNoRightOfAHigherOne() throws {
    _ = try put("admins-of-brand", ["role": "admin", "domains": ["*.brand.example"]])
    _ = try put("readers", ["role": "viewer"])
    let client = anna("admins-of-brand,readers")
    let session = try client.send("GET", "/v1/session").json
    #expect(session["role"] == "admin" && session["domains"] == [])
    #expect(
      session["grants"] == [
        ["group": "admins-of-brand", "role": "admin", "domains": ["*.brand.example"]],
        ["group": "readers", "role": "viewer", "domains": []],
      ])
    #expect(try running.admin.send("GET", "/v1/session").json["grants"] == nil, "a token")
    for path in ["/v1/audit", "/v1/tokens", "/v1/groups"] {
      #expect(try client.send("GET", path).code == "token-limited", "\(path)")
    }
    #expect(try edit(client, "b.example").code == "token-limited")
    let token: JSON = ["name": "x", "role": "admin"]
    #expect(try client.send("POST", "/v1/tokens", json: token, dashboard).code == "token-limited")
  }

  @Test func whatAPersonHasByThemselvesCountsToo() throws {
    _ = try put("anna", ["role": "viewer", "domains": ["b.example"]], as: "users")
    _ = try put("brand-team", ["role": "editor", "domains": ["*.brand.example"]])
    let client = anna("brand-team")
    #expect(
      try client.send("GET", "/v1/session").json["grants"]?[0] == [
        "role": "viewer", "domains": ["b.example"],
      ])
    #expect(try client.send("GET", "/v1/domains").json["total"] == 2)
    #expect(try edit(client, "a.brand.example").status == 200)
    #expect(try edit(client, "b.example").code == "token-limited")
    #expect(try anna(nil).send("GET", "/v1/domains").json["total"] == 1)
  }

  @Test func onlyATrustedProxyListsGroupsAndOnlyOnce() throws {
    _ = try put("admins", ["role": "admin"])
    let twice = anna("admins", "X-Forwarded-Groups: admins")
    #expect(try twice.send("GET", "/v1/session").code == "unknown-user")
    let nobody = Client(
      port: running.admin.port, lines: ["Host: admin", "X-Forwarded-Groups: admins"])
    #expect(try nobody.send("GET", "/v1/session").status == 401, "groups without a user")
    let elsewhere = Client(
      port: running.admin.port,
      lines: ["Host: attacker.example", "X-Forwarded-User: anna", "X-Forwarded-Groups: admins"])
    #expect(try elsewhere.send("GET", "/v1/session").code == "unknown-host")
    let many = Array(repeating: "g", count: 1001).joined(separator: ",") + ",admins"
    #expect(try anna(many).send("GET", "/v1/session").code == "unknown-user")
    let viewer = try running.client(.viewer)
    let token = Client(
      port: running.admin.port, lines: viewer.lines + ["X-Forwarded-Groups: admins"])
    #expect(try token.send("GET", "/v1/session").json["role"] == "viewer")
    var configuration = running.configuration
    configuration.trustedProxies = [AddressRange("192.0.2.0/24")].compactMap(\.self)
    running.service.apply(configuration)
    #expect(try anna("admins").send("GET", "/v1/session").status == 401, "not from this address")
    configuration = running.configuration
    configuration.adminGroupsHeader = nil
    running.service.apply(configuration)
    #expect(try anna("admins").send("GET", "/v1/session").code == "unknown-user")
  }

  @Test func somebodyWithTheNameOfATokenIsNobody() throws {
    _ = try put("admins", ["role": "admin"])
    let client = Client(
      port: running.admin.port,
      lines: ["Host: admin", "X-Forwarded-User: test", "X-Forwarded-Groups: admins"])
    #expect(try client.send("GET", "/v1/session").code == "unknown-user")
  }

  @Test func anAdminOfSomeDomainsWithdrawsOnlyTheDraftsOfThese() throws {
    #expect(try put("brand", ["role": "admin", "domains": ["*.brand.example"]]).status == 201)
    #expect(try put("anna", ["role": "editor"], as: "users").status == 201)
    func draft(_ domain: String) throws -> String {
      let state: JSON = [
        "domains": [["domain": .string(domain), "cacheSeconds": 5, "revision": 1]]
      ]
      let made = try running.admin.send("POST", "/v1/drafts", json: state)
      return "/v1/drafts/\(try #require(try made.json["id"]?.integerValue, "\(made.text)"))"
    }
    let (own, other) = (try draft("a.brand.example"), try draft("c.example"))
    let refused = try anna("brand", dashboard).send("DELETE", other)
    #expect(try refused.status == 403 && refused.code == "role-too-low", "\(refused.text)")
    #expect(try anna("none", dashboard).send("DELETE", own).status == 403)
    #expect(try anna("brand", dashboard).send("DELETE", own).status == 204)
  }
}
