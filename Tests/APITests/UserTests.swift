import HTTP
import Association
import Service
import Store
import TestSupport
import Testing

/// `/v1/users`, and requests in which a proxy names one.
@Suite struct UserTests {
  private let running: RunningService
  private let dashboard = "X-Aasa-Dashboard: 1"

  init() throws {
    running = try RunningService { _ in
    } configure: { configuration in
      configuration.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
      configuration.adminUserHeader = "X-Forwarded-User"
      configuration.adminHosts = ["admin", "x"]
    }
  }

  private func put(_ name: String, _ json: JSON, _ query: String = "") throws -> RawResponse {
    try running.admin.send("PUT", "/v1/users/\(name)\(query)", json: json)
  }

  /// A browser behind a proxy that sends these lines.
  private func browser(_ lines: String...) -> Client {
    Client(port: running.admin.port, lines: ["Host: admin"] + lines)
  }

  @Test func aUserIsAddedChangedListedAndDeleted() throws {
    let added = try put("anna%40example.com", ["role": "editor", "domains": ["*.Brand.example"]])
    #expect(added.status == 201)
    let user = try added.json
    #expect(user["name"] == "anna@example.com" && user["role"] == "editor")
    #expect(user["domains"] == ["*.brand.example"] && user["createdAt"] == user["updatedAt"])
    let again = try put("anna%40example.com", user)
    #expect(again.status == 200, "what is read can be sent back")
    #expect(try again.json == user)
    #expect(try running.admin.send("GET", "/v1/users").json == ["items": [user]])
    let dry = try put("anna%40example.com", ["role": "admin"], "?dryRun=true")
    #expect(try dry.json["dryRun"] == true && dry.json["role"] == "admin")
    let changed = try put("anna%40example.com", ["role": "viewer"])
    #expect(try changed.status == 200 && changed.json["domains"] == [])
    #expect(try running.admin.send("DELETE", "/v1/users/anna%40example.com").status == 204)
    let gone = try running.admin.send("DELETE", "/v1/users/anna%40example.com")
    #expect(try gone.status == 404 && gone.code == "user-not-found")
    let audit = try running.admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    #expect(
      audit.compactMap { $0["user"] == nil ? nil : $0["action"]?.stringValue } == [
        "delete user", "change user", "add user",
      ])
    #expect(audit[1]["changes"] == "role changed: from editor to viewer; domains changed")
    #expect(audit[2]["changes"] == "role: editor; domains: *.brand.example")
  }

  @Test(arguments: ["users", "groups", "webhooks"])
  func aBodyWithAnotherNameThanThePathIsRefused(kind: String) throws {
    func put(_ name: JSON) throws -> RawResponse {
      let json: JSON =
        kind == "webhooks"
        ? ["url": "https://hooks.example.com/a", "name": name] : ["role": "viewer", "name": name]
      return try running.admin.send("PUT", "/v1/\(kind)/a%20b", json: json)
    }
    let refused = try put("anna")
    #expect(try refused.status == 422 && refused.faults == ["/name: name-differs"])
    #expect(try put(5).faults == ["/name: wrong-type"])
    #expect(try running.admin.send("GET", "/v1/\(kind)").json["items"] == [])
    #expect(try put("a b").status == 201)
    #expect(try put(.null).status == 200)
  }

  @Test func draftsOfADeletedUserAreDeclined() throws {
    _ = try put("anna", ["role": "editor"])
    let anna = browser("X-Forwarded-User: anna", dashboard)
    let asked = try anna.send(
      "PUT", "/v1/domains/shop.example?draft=true", json: ["entries": []])
    let draft = "/v1/drafts/\(try #require(asked.json["id"]?.integerValue, "\(asked.text)"))"
    let groups = "/v1/groups/anna"
    #expect(try running.admin.send("PUT", groups, json: ["role": "editor"]).status == 201)
    #expect(try running.admin.send("DELETE", groups).status == 204)
    #expect(try running.admin.send("GET", draft).json["status"] == "open")
    #expect(try running.admin.send("DELETE", "/v1/users/anna").status == 204)
    let declined = try running.admin.send("GET", draft).json
    #expect(
      declined["status"] == "declined"
        && declined["endedReason"] == "The user \"anna\" was deleted.", "\(declined.text)")
  }

  @Test(arguments: [
    #"{}"#, #"{"role": "owner"}"#, #"{"role": "viewer", "domains": ["a.*.example"]}"#,
    #"{"role": "viewer", "speed": 1}"#, #"{"role": "viewer", "domains": null, "role": "admin"}"#,
  ])
  func anInvalidUserIsRefused(body: String) throws {
    let response = try running.admin.send("PUT", "/v1/users/a", body: Array(body.utf8))
    #expect(try response.status == 422 && response.code == "invalid-input", "\(response.text)")
    #expect(try running.admin.send("GET", "/v1/users").json == ["items": []])
  }

  @Test func namesHaveALimitAndNothingThatCannotBeSeen() throws {
    for (name, status) in [
      (String(repeating: "n", count: 256), 400), ("a%0Ab", 400), ("%20a", 400), ("a%20", 400),
      ("a%E2%80%8Eb", 400), ("%2E%2E", 400),
      (String(repeating: "n", count: 255), 201), ("a%2Fb%20%C3%A9", 201),
    ] {
      #expect(try put(name, ["role": "viewer"]).status == status, "\(name)")
    }
    let client = browser("X-Forwarded-User: a/b \u{E9}")
    #expect(try client.send("GET", "/v1/session").json["name"] == "a/b \u{E9}")
  }

  @Test func onlyAdministratorsSeeUsers() throws {
    for client in [
      try running.client(.editor), try running.client(.admin, domains: ["*.brand.example"]),
    ] {
      for (method, path) in [("GET", ""), ("PUT", "/a"), ("DELETE", "/a")] {
        let response = try client.send(method, "/v1/users\(path)", json: ["role": "admin"])
        #expect(response.status == 403, "\(method) \(path)")
      }
    }
  }

  @Test func aUserAndATokenCannotHaveTheSameName() throws {
    let user = try put("test", ["role": "viewer"])
    #expect(try user.status == 409 && user.code == "token-name-taken")
    #expect(try put("anna", ["role": "viewer"]).status == 201)
    let token = try running.admin.send(
      "POST", "/v1/tokens", json: ["name": "anna", "role": "viewer"])
    #expect(try token.status == 409 && token.code == "token-name-taken")
    #expect(
      try token.json["detail"]?.stringValue == "A user named \"anna\" already exists.")
  }

  @Test func theProxysUserMayDoWhatItsRoleAllows() throws {
    _ = try put("anna", ["role": "editor", "domains": ["*.brand.example"]])
    let anna = browser("X-Forwarded-User: anna")
    #expect(
      try anna.send("GET", "/v1/session").json["by"] == "user"
        && anna.send("GET", "/v1/session").json["expiresAt"] == .null)
    let path = "/v1/domains/a.brand.example"
    let forged = try anna.send("PUT", path, json: [:])
    #expect(try forged.status == 403 && forged.code == "dashboard-header-missing")
    #expect(try anna.send("GET", path).status == 404)
    #expect(try anna.send("PUT", path, json: [:], dashboard).status == 201)
    let revision = try running.admin.send("GET", "\(path)/revisions/1").json
    #expect(revision["author"] == "anna")
    let audit = try running.admin.send("GET", "/v1/audit?author=anna").json["items"]
    #expect(audit?.arrayValue?.count == 1 && audit?[0]?["action"] == "put domain")
    let other = try anna.send("PUT", "/v1/domains/example.com", json: [:], dashboard)
    #expect(try other.status == 403 && other.code == "token-limited")
    #expect(try other.json["detail"]?.stringValue?.hasPrefix("The user \"anna\" is") == true)
    #expect(try anna.send("GET", "/v1/users").code == "role-too-low")
    #expect(try anna.send("DELETE", "/v1/session", dashboard).status == 204)

    _ = try put("anna", ["role": "viewer"])
    #expect(try anna.send("PUT", path, json: [:], dashboard).code == "role-too-low")
    _ = try running.admin.send("DELETE", "/v1/users/anna")
    #expect(try anna.send("GET", path).code == "unknown-user")
  }

  @Test func anUnknownUserIsRefusedWithWhatToDo() throws {
    let response = try browser("X-Forwarded-User: Otto").send("GET", "/v1/session")
    #expect(try response.status == 403 && response.code == "unknown-user")
    let detail = try response.json["detail"]?.stringValue ?? ""
    #expect(detail.contains("\"Otto\"") && detail.contains("PUT /v1/users/"))
    #expect(try response.json["user"] == "Otto" && response.json["admins"] == [])
    _ = try put("anna", ["role": "admin"])
    _ = try put("berta", ["role": "admin", "domains": ["*.brand.example"]])
    let other = try browser("X-Forwarded-User: Otto").send("GET", "/v1/session")
    #expect(try other.json["admins"] == ["anna"])
    _ = try put("otto", ["role": "viewer"])
    #expect(try browser("X-Forwarded-User: Otto").send("GET", "/v1/session").status == 403)
    #expect(try browser("x-forwarded-user:  otto ").send("GET", "/v1/session").status == 200)
    // The name of a token is not that of a user.
    #expect(try browser("X-Forwarded-User: test").send("GET", "/v1/session").status == 403)
  }

  @Test func severalFieldsAreRefusedAndAnEmptyOneIsNone() throws {
    _ = try put("anna", ["role": "admin"])
    let anna = "X-Forwarded-User: anna"
    for lines in [[anna, anna], [anna, "X-Forwarded-User:"], ["X-Forwarded-User:", anna]] {
      let client = Client(port: running.admin.port, lines: ["Host: x"] + lines)
      #expect(try client.send("GET", "/v1/session").code == "unknown-user", "\(lines)")
    }
    let long = "X-Forwarded-User: \(String(repeating: "n", count: 256))"
    #expect(try browser(long).send("GET", "/v1/session").code == "unknown-user")
    #expect(try browser("X-Forwarded-User:").send("GET", "/v1/session").status == 401)
  }

  @Test func aTokenComesBeforeTheUser() throws {
    _ = try put("anna", ["role": "viewer"])
    let both = Client(
      port: running.admin.port, lines: running.admin.lines + ["X-Forwarded-User: anna"])
    #expect(try both.send("GET", "/v1/session").json["name"] == "test")
    let wrong = browser("X-Forwarded-User: anna", "Authorization: Bearer aasa_wrong")
    #expect(try wrong.send("GET", "/v1/session").status == 401)
  }

  @Test func aRequestToAnotherHostNamesNobody() throws {
    _ = try put("anna", ["role": "admin"])
    for host in ["admin", "ADMIN:8081", "x:1"] {
      let client = Client(
        port: running.admin.port, lines: ["Host: \(host)", "X-Forwarded-User: anna"])
      #expect(try client.send("GET", "/v1/session").json["name"] == "anna", "\(host)")
    }
    // A web page at such a name is asked for with DNS rebinding, and sends whatever it likes.
    for host in ["attacker.example", "admin.attacker.example", "admin:1:2", "127.0.0.1", ""] {
      let client = Client(
        port: running.admin.port,
        lines: ["Host: \(host)", "X-Forwarded-User: anna", dashboard])
      for method in ["GET", "DELETE"] {
        let response = try client.send(method, "/v1/session")
        #expect(try response.status == 421 && response.code == "unknown-host", "\(host)")
        #expect(try response.json["title"] == "Misdirected Request")
      }
    }
    let token = Client(
      port: running.admin.port,
      lines: running.admin.lines.filter { !$0.hasPrefix("Host") } + ["Host: other"])
    #expect(try token.send("GET", "/v1/session").json["name"] == "test")
  }

  @Test func whatIsTrustedChangesAtOnce() throws {
    _ = try put("anna", ["role": "admin"])
    let anna = browser("X-Forwarded-User: anna")
    #expect(try anna.send("GET", "/v1/session").status == 200)
    var configuration = running.configuration
    configuration.trustedProxies = [AddressRange("192.0.2.0/24")].compactMap(\.self)
    running.service.apply(configuration)
    #expect(try anna.send("GET", "/v1/session").status == 401, "not from this address")
    configuration = running.configuration
    configuration.adminUserHeader = "Remote-User"
    running.service.apply(configuration)
    #expect(try anna.send("GET", "/v1/session").status == 401, "not this header")
    #expect(try browser("Remote-User: anna").send("GET", "/v1/session").status == 200)
  }
}
