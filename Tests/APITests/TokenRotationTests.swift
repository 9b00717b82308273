import Association
import HTTP
import Store
import Synchronization
import TestSupport
import Testing

/// A token gets a new secret, and everything that names it goes on.
@Suite struct TokenRotationTests {
  private let clock: SettableClock
  private let running: RunningService
  private let target = "/v1/tokens/release%20pipeline/rotate"
  private let name = "release pipeline"

  init() throws {
    clock = SettableClock()
    running = try RunningService(clock: clock)
    try running.put("a.brand.example", [:])
    try running.put("example.com", [:])
  }

  private func client(_ secret: String) -> Client {
    Client(port: running.admin.port, lines: ["Host: x", "Authorization: Bearer \(secret)"])
  }

  private func create(_ members: JSON.Object = [:]) throws -> String {
    var token: JSON.Object = ["name": .string(name), "role": "editor"]
    for member in members.members { token[member.key] = member.value }
    let answer = try running.admin.send("POST", "/v1/tokens", json: .object(token))
    return try #require(try answer.json["token"]?.stringValue, "\(answer.text)")
  }

  private func rotate(_ body: JSON? = nil, query: String = "") throws -> RawResponse {
    try running.admin.send("POST", target + query, body: body?.serialized())
  }

  private func isAccepted(_ secret: String) throws -> Bool {
    try client(secret).send("GET", "/v1/session").status == 200
  }

  @Test func theNewSecretHasTheNameAndTheRightsOfTheOldOne() throws {
    let old = try create([
      "domains": ["*.brand.example"], "expiresAt": "2036-11-21T10:00:00Z",
    ])
    let answer = try rotate()
    #expect(answer.status == 200, "\(answer.text)")
    var expected: JSON.Object = ["name": .string(name), "role": "editor"]
    expected["domains"] = ["*.brand.example"]
    expected["expiresAt"] = "2036-11-21T10:00:00Z"
    let new = try #require(try answer.json["token"]?.stringValue)
    expected["token"] = .string(new)
    #expect(try answer.json == .object(expected))
    #expect(try new != old && !isAccepted(old) && isAccepted(new))
    let edit = try client(new).send(
      "PATCH", "/v1/domains/a.brand.example", json: ["cacheSeconds": 60])
    #expect(edit.status == 200)
    let other = try client(new).send("PATCH", "/v1/domains/example.com", json: ["cacheSeconds": 60])
    #expect(try other.code == "token-limited")
    let records = try running.admin.send("GET", "/v1/audit").json["items"]?.arrayValue ?? []
    let record = try #require(records.first { $0["action"] == "rotate token" })
    #expect(record["token"] == .string(name) && record["author"] == "test")
    #expect(!records.contains { $0.text.contains(new) })
  }

  /// What warns of the next expiry leaves out secrets that are made for some days.
  @Test func aSecretThatIsRenewedForSomeDaysIsNoWarning() throws {
    let day = 86_400 as Int64
    let end = clock.now + 35 * day
    _ = try create(["expiresAt": .time(end)])
    #expect(try running.store.nextTokenExpiry() == end)
    clock.wait(30 * day)
    let answer = try rotate(["expiresAt": .time(clock.now + 6 * day)])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try running.store.nextTokenExpiry() == nil)
  }

  @Test func sessionsOfTheOldSecretEndAndDraftsStayOpen() throws {
    let old = try create()
    let cookie = try #require(
      try Client(port: running.admin.port, lines: ["Host: admin", "X-Aasa-Dashboard: 1"])
        .send("POST", "/v1/session", json: ["token": .string(old)])["Set-Cookie"])
    let browser = Client(
      port: running.admin.port, lines: ["Host: admin", "Cookie: \(cookie.prefix { $0 != ";" })"])
    #expect(try browser.send("GET", "/v1/session").status == 200)
    let draft = try client(old).send(
      "PATCH", "/v1/domains/example.com?draft=true", json: ["cacheSeconds": 60])
    let id = try #require(try draft.json["id"]?.integerValue, "\(draft.text)")
    #expect(try rotate().status == 200)
    #expect(try browser.send("GET", "/v1/session").status == 401)
    #expect(try running.admin.send("GET", "/v1/drafts/\(id)").json["status"] == "open")
  }

  @Test func aDryRunChangesNothing() throws {
    let old = try create()
    let answer = try rotate(["expiresAt": "2037-01-01T00:00:00Z"], query: "?dryRun=true")
    #expect(
      try answer.status == 200 && answer.json["token"] == nil && answer.json["dryRun"] == true)
    #expect(try answer.json["expiresAt"] == "2037-01-01T00:00:00Z")
    #expect(try isAccepted(old))
    let token = try running.store.tokens().first { $0.name == name }
    #expect(token?.expiresAt == nil)
  }

  @Test func whenItExpiresStaysUnlessTheRequestSaysOtherwise() throws {
    _ = try create(["expiresAt": "2036-11-21T10:00:00Z"])
    for (body, expected) in [
      (nil, "2036-11-21T10:00:00Z"), ([:], "2036-11-21T10:00:00Z"),
      (["expiresAt": "2037-01-01T00:00:00Z"], "2037-01-01T00:00:00Z"),
      (nil, "2037-01-01T00:00:00Z"),
    ] as [(JSON?, JSON)] {
      let answer = try rotate(body)
      #expect(try answer.json["expiresAt"] == expected, "\(answer.text)")
      let listed = try running.admin.send("GET", "/v1/tokens").json["items"]?.arrayValue
      #expect(listed?.first { $0["name"] == .string(name) }?["expiresAt"] == expected)
    }
    #expect(try rotate(["expiresAt": "2020-01-01T00:00:00Z"]).faults == ["/expiresAt: time-passed"])
    #expect(try rotate(["expiresAt": "tomorrow"]).status == 422)
    #expect(try rotate(["role": "admin"]).status == 422)
  }

  @Test func anExpiredTokenNeedsATimeInTheFuture() throws {
    let end = clock.now + 60
    let old = try create(["expiresAt": .time(end)])
    clock.wait(61)
    let refused = try rotate()
    #expect(try refused.faults == ["/expiresAt: time-passed"] && !isAccepted(old))
    let answer = try rotate(["expiresAt": .time(end + 3600)])
    let new = try #require(try answer.json["token"]?.stringValue, "\(answer.text)")
    #expect(try isAccepted(new) && !isAccepted(old))
  }

  @Test func aRevokedTokenStaysRevoked() throws {
    let old = try create()
    #expect(try running.admin.send("DELETE", "/v1/tokens/release%20pipeline").status == 204)
    for query in ["", "?dryRun=true"] {
      let refused = try rotate(query: query)
      #expect(try refused.status == 404 && refused.code == "token-not-found")
    }
    #expect(try !isAccepted(old))
  }

  /// Otherwise, whoever has stolen a token could keep it, and lock its owner out.
  @Test func noTokenButAnAdminsRotatesItselfOrAnother() throws {
    let secret = try create()
    for name in ["release%20pipeline", "test"] {
      let refused = try client(secret).send("POST", "/v1/tokens/\(name)/rotate")
      #expect(try refused.status == 403 && refused.code == "role-too-low")
    }
    let limited = try running.client(.admin, domains: ["*.brand.example"])
    #expect(try limited.send("POST", target).code == "token-limited")
    let mine = try running.createToken(name: "mine", role: .admin).text
    let new = try client(mine).send("POST", "/v1/tokens/mine/rotate").json["token"]?.stringValue
    #expect(try isAccepted(try #require(new)) && !isAccepted(mine))
  }

  @Test func onlyAnAdminWithTheRightToPublishAloneGetsASecretWithIt() throws {
    let release = try running.client(.admin, named: "release", publishesProtected: true)
    let created = try release.send(
      "POST", "/v1/tokens",
      json: ["name": .string(name), "role": "editor", "publishesProtected": true])
    let old = try #require(try created.json["token"]?.stringValue)
    for query in ["", "?dryRun=true"] {
      let refused = try rotate(query: query)
      #expect(try refused.status == 403 && refused.code == "approval-required")
    }
    #expect(try isAccepted(old))
    let answer = try release.send("POST", target)
    #expect(try answer.status == 200 && answer.json["publishesProtected"] == true)
  }

  /// Each rotation ends the secret before it, so only the last one's is left.
  @Test func ofManyRotationsAtOnceOneSecretIsLeft() throws {
    let old = try create()
    let secrets = Mutex<[String]>([])
    let threads = Threads(
      (0..<8).map { _ in
        {
          let secret = try? rotate().json["token"]?.stringValue
          secrets.withLock { $0.append(secret ?? "refused") }
        }
      })
    #expect(threads.end())
    let all = secrets.withLock { $0 }
    #expect(Set(all).count == 8 && !all.contains("refused"))
    #expect(try all.filter { try isAccepted($0) }.count == 1)
    #expect(try !isAccepted(old))
  }

  @Test func aRotationThatMeetsARevocationNeverBringsTheTokenBack() throws {
    for _ in 0..<10 {
      let old = try create()
      let answers = Mutex<[RawResponse]>([])
      let works: [@Sendable () -> Void] = [
        { _ = try? running.admin.send("DELETE", "/v1/tokens/release%20pipeline") },
        {
          if let answer = try? rotate() { answers.withLock { $0.append(answer) } }
        },
      ]
      #expect(Threads(works).end())
      let all = answers.withLock { $0 }
      let answer = try #require(all.first)
      #expect([200, 404].contains(answer.status), "\(answer.text)")
      let new = try answer.json["token"]?.stringValue
      #expect(try !isAccepted(old) && !isAccepted(new ?? "aasa_none"))
      #expect(try !running.store.tokens().contains { $0.name == name })
    }
  }
}
