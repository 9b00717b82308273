import Association
import HTTP
import Store
@testable import Service
import TestSupport
import Testing

/// `/v1/session`, and requests with its cookie.
@Suite struct SessionTests {
  private let clock = SettableClock()
  private let running: RunningService
  private let dashboard = "X-Aasa-Dashboard: 1"

  init() throws {
    running = try RunningService(clock: clock) { _ in
    } configure: { configuration in
      configuration.trustedProxies = [AddressRange("127.0.0.1")].compactMap(\.self)
    }
  }

  private func post(_ token: String, _ lines: String...) throws -> RawResponse {
    try Client(port: running.admin.port, lines: ["Host: admin"] + lines)
      .send("POST", "/v1/session", json: ["token": .string(token)])
  }

  /// Signs in with a new token, and returns its secret and a client that has the cookie.
  private func signIn(
    _ role: Role = .editor, name: String = "anna", domains: [String] = []
  ) throws -> (browser: Client, cookie: String) {
    let secret = try running.createToken(name: name, role: role, domains: domains).text
    let response = try post(secret, dashboard)
    let field = try #require(response["Set-Cookie"], "\(response.text)")
    let cookie = String(field.prefix { $0 != ";" })
    return (Client(port: running.admin.port, lines: ["Host: admin", "Cookie: \(cookie)"]), cookie)
  }

  @Test func whoSignsInGetsACookieThatWorksUntilTheySignOut() throws {
    let secret = try running.createToken(name: "anna", role: .editor).text
    let response = try post(secret, dashboard)
    #expect(response.status == 201)
    let session: JSON = [
      "name": "anna", "role": "editor", "domains": [], "by": "session",
      "expiresAt": "2027-01-15T20:00:00Z", "version": .string(AdminAPI.programVersion),
    ]
    #expect(try response.json == session)
    let parts = try #require(response["Set-Cookie"]).split(separator: "; ")
    #expect(parts[0].hasPrefix("aasa_session=aasa_") && !parts[0].contains(secret))
    #expect(parts.dropFirst() == ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"])

    let browser = Client(
      port: running.admin.port, lines: ["Host: admin", "Cookie: a=b; \(parts[0]);c=d"])
    #expect(try browser.send("GET", "/v1/session").json == session)
    #expect(try browser.send("GET", "/v1/domains").status == 200)
    #expect(try browser.send("HEAD", "/v1/domains").status == 200)
    let put = try browser.send("PUT", "/v1/domains/example.com", json: [:], dashboard)
    #expect(put.status == 201, "\(put.text)")
    let revision = try running.admin.send("GET", "/v1/domains/example.com/revisions/1").json
    #expect(revision["author"] == "anna")

    let out = try Client(port: browser.port, lines: browser.lines + [dashboard])
      .send("DELETE", "/v1/session")
    #expect(out.status == 204)
    #expect(
      out["Set-Cookie"] == "aasa_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    let after = try browser.send("GET", "/v1/session")
    #expect(try after.status == 401 && after.code == "unauthorized")
    #expect(try after.json["detail"]?.stringValue?.contains("Sign in again") == true)
    let audit = try running.admin.send("GET", "/v1/audit?author=anna").json["items"]
    #expect(
      audit?.arrayValue?.map { $0["action"]?.stringValue } == [
        "sign out", "put domain", "sign in",
      ])
    #expect(audit?[2]?["token"] == "anna")
  }

  @Test func signingInAgainEndsTheBrowsersEarlierSessionAndIsRecordedOncePerMinute() throws {
    let secret = try running.createToken(name: "anna", role: .viewer).text
    let first = try #require(try post(secret, dashboard)["Set-Cookie"]?.split(separator: ";")[0])
    let browser = Client(port: running.admin.port, lines: ["Host: admin", "Cookie: \(first)"])
    let again = try Client(port: browser.port, lines: browser.lines + [dashboard])
      .send("POST", "/v1/session", json: ["token": .string(secret)])
    #expect(again.status == 201)
    #expect(try browser.send("GET", "/v1/session").status == 401)
    let actions = {
      try running.admin.send("GET", "/v1/audit?author=anna").json["items"]?.arrayValue?.count
    }
    #expect(try actions() == 1)
    clock.wait(61)
    for _ in 0..<3 {
      let cookie = try #require(try post(secret, dashboard)["Set-Cookie"]?.split(separator: ";")[0])
      let out = try Client(
        port: browser.port, lines: ["Host: admin", "Cookie: \(cookie)", dashboard]
      ).send("DELETE", "/v1/session")
      #expect(out.status == 204)
    }
    #expect(try actions() == 3, "one more sign-in, and one sign-out")
  }

  @Test func overHTTPSOnlyACookieThatNoOtherHostCanSetIsBelieved() throws {
    let secret = try running.createToken(name: "anna", role: .viewer).text
    let https = "X-Forwarded-Proto: https"
    let field = try #require(try post(secret, dashboard, https)["Set-Cookie"])
    #expect(field.hasPrefix("__Host-aasa_session=aasa_") && field.hasSuffix("; Secure"))
    let cookie = field.prefix { $0 != ";" }
    let plain = try signIn(name: "mallory").cookie
    let who = { (lines: String...) in
      try Client(port: running.admin.port, lines: ["Host: admin"] + lines).send(
        "GET", "/v1/session")
    }
    #expect(try who("Cookie: \(cookie)", https).json["name"] == "anna")
    #expect(try who("Cookie: \(plain); \(cookie)", https).json["name"] == "anna")
    #expect(try who("Cookie: \(plain); \(cookie)").json["name"] == "anna")
    #expect(try who("Cookie: \(plain)", https).status == 401)
    #expect(try who("Cookie: \(plain)").json["name"] == "mallory")
    // Browsers check the prefix of a name that begins with no other space.
    #expect(try who("Cookie: \u{A0}\(cookie)", https).status == 401)
  }

  @Test func aTokenSaysWhoItIsWithoutASession() throws {
    let limited = try running.client(.viewer, domains: ["*.brand.example"])
    let session = try limited.send("GET", "/v1/session").json
    #expect(session["by"] == "token" && session["role"] == "viewer")
    #expect(session["domains"] == ["*.brand.example"] && session["expiresAt"] == .null)
    #expect(try limited.send("DELETE", "/v1/session").status == 204)
    #expect(try running.client().send("GET", "/v1/session").status == 401)
  }

  @Test func theCookieIsSecureWhereTheBrowserUsesHTTPS() throws {
    let secret = try running.createToken(name: "anna", role: .viewer).text
    for (scheme, isSecure) in [("https", true), ("HTTPS, http", true), ("http", false)] {
      let cookie = try post(secret, dashboard, "X-Forwarded-Proto: \(scheme)")["Set-Cookie"]
      #expect(cookie?.hasSuffix("; Secure") == isSecure, "\(scheme)")
    }
    var configuration = running.configuration
    configuration.trustedProxies = [AddressRange("192.0.2.1")].compactMap(\.self)
    running.service.apply(configuration)
    let cookie = try post(secret, dashboard, "X-Forwarded-Proto: https")["Set-Cookie"]
    #expect(cookie?.hasSuffix("Max-Age=43200") == true, "no proxy that is trusted says so")
    let own = try post(secret, dashboard, "Origin: https://aasa.example.com")["Set-Cookie"]
    #expect(own?.hasSuffix("; Secure") == true, "the browser itself says so")
  }

  @Test(arguments: [
    "X-Other: 1", "X-Aasa-Dashboard: 0", "X-Aasa-Dashboard: true",
    "X-Aasa-Dashboard: 1\r\nX-Aasa-Dashboard: 1",
  ])
  func aChangeWithoutTheHeaderOfTheDashboardIsRefused(line: String) throws {
    let (browser, _) = try signIn(.admin)
    try running.put("example.com", [:])
    let before = try running.admin.send("GET", "/v1/export").body
    for (method, path, body) in [
      ("PUT", "/v1/domains/new.example", "{}"), ("DELETE", "/v1/domains/example.com", "{}"),
      ("PATCH", "/v1/domains/example.com", #"{"cacheSeconds": 5}"#),
      ("POST", "/v1/tokens", #"{"name": "b", "role": "admin"}"#), ("DELETE", "/v1/session", ""),
      ("POST", "/v1/match", #"{"domain": "example.com", "urls": []}"#),
    ] {
      let response = try Client(port: browser.port, lines: browser.lines + [line])
        .send(method, path, body: Array(body.utf8))
      #expect(
        try response.status == 403 && response.code == "dashboard-header-missing",
        "\(method) \(path)")
    }
    #expect(try running.admin.send("GET", "/v1/export").body == before)
    #expect(try running.admin.send("GET", "/v1/tokens").json["items"]?.arrayValue?.count == 2)
    #expect(try browser.send("GET", "/v1/session").status == 200)
    let secret = try running.createToken(name: "other", role: .viewer).text
    let response = try post(secret, line)
    #expect(try response.status == 403 && response.code == "dashboard-header-missing")
    #expect(response["Set-Cookie"] == nil)
  }

  @Test func aSessionEndsAfterTwelveHours() throws {
    let (browser, _) = try signIn()
    clock.wait(43_199)
    #expect(try browser.send("GET", "/v1/session").status == 200)
    clock.wait(1)
    #expect(try browser.send("GET", "/v1/session").status == 401)
    #expect(try sessions() == 1)
    _ = try signIn(name: "b")
    #expect(try sessions() == 1, "one that has ended is deleted")
  }

  private func sessions() throws -> Int {
    try running.connect().first("SELECT count(*) FROM session") { $0.int(0) } ?? 0
  }

  @Test func aSessionEndsWithItsToken() throws {
    let (browser, _) = try signIn()
    #expect(try running.admin.send("DELETE", "/v1/tokens/anna").status == 204)
    #expect(try browser.send("GET", "/v1/session").status == 401)
    #expect(try sessions() == 0)

    let expiring = try running.store.write(WriteContext(author: "test")) {
      try $0.createToken(name: "short", role: .viewer, expiresAt: clock.now + 60)
    }
    let response = try post(expiring.text, dashboard)
    #expect(try response.json["expiresAt"] == "2027-01-15T08:01:00Z")
    let cookie = try #require(response["Set-Cookie"]).prefix { $0 != ";" }
    let other = Client(port: browser.port, lines: ["Host: x", "Cookie: \(cookie)"])
    #expect(try other.send("GET", "/v1/session").status == 200)
    clock.wait(60)
    #expect(try other.send("GET", "/v1/session").status == 401)
    #expect(try post(expiring.text, dashboard).status == 401)
  }

  @Test func aSessionHasTheRightsOfItsToken() throws {
    let (browser, _) = try signIn(.editor, domains: ["*.brand.example"])
    for (name, status) in [("a.brand.example", 201), ("example.com", 403)] {
      let put = try browser.send("PUT", "/v1/domains/\(name)", json: [:], dashboard)
      #expect(put.status == status)
    }
    #expect(try browser.send("GET", "/v1/tokens").status == 403)
  }

  @Test func anAuthorizationFieldComesBeforeTheCookie() throws {
    let (browser, cookie) = try signIn(.viewer)
    let admin = Client(port: browser.port, lines: running.admin.lines + ["Cookie: \(cookie)"])
    #expect(try admin.send("GET", "/v1/session").json["name"] == "test")
    #expect(try admin.send("PUT", "/v1/domains/example.com", json: [:]).status == 201)
    let wrong = try browser.send("GET", "/v1/session", "Authorization: Bearer aasa_wrong")
    #expect(wrong.status == 401)
  }

  @Test func aCookieIsNoTokenAndATokenIsNoCookie() throws {
    let (browser, cookie) = try signIn()
    let value = cookie.dropFirst("aasa_session=".count)
    let bearer = Client(port: browser.port, lines: ["Host: x", "Authorization: Bearer \(value)"])
    #expect(try bearer.send("GET", "/v1/session").status == 401)
    let secret = try running.createToken(name: "other", role: .admin).text
    for line in [
      "Cookie: aasa_session=\(secret)", "Cookie: aasa_session=", "Cookie: AASA_SESSION=\(value)",
      "Cookie: \(cookie); \(cookie)", "Cookie: \(cookie)\r\nCookie: aasa_session=x",
    ] {
      let client = Client(port: browser.port, lines: ["Host: x", line])
      let response = try client.send("GET", "/v1/session")
      #expect(response.status == 401, "\(line)")
      let isDouble = line.split(separator: "\(cookie)", omittingEmptySubsequences: false).count > 2
      let detail = try response.json["detail"]?.stringValue ?? ""
      #expect(!isDouble || detail.contains("Delete the cookies"), "\(line)")
    }
  }

  @Test func wrongSignInsAreRefusedAndSlowed() throws {
    for token in ["", "aasa_wrong", "Bearer x"] {
      let response = try post(token, dashboard)
      #expect(try response.status == 401 && response.code == "unauthorized")
      #expect(response["Set-Cookie"] == nil)
    }
    for body: JSON in [[:], ["token": 5], ["token": "a", "more": 1]] {
      let response = try running.client().send("POST", "/v1/session", json: body, dashboard)
      #expect(try response.status == 422 && response.code == "invalid-input")
    }
    for _ in 0..<FailedAttempts.limit { _ = try post("aasa_wrong", dashboard) }
    let start = ContinuousClock.now
    for line in ["Cookie: aasa_session=aasa_wrong", "Authorization: Bearer aasa_wrong"] {
      let client = Client(port: running.admin.port, lines: ["Host: x", line])
      #expect(try client.send("GET", "/v1/session").status == 401)
    }
    #expect(try post("aasa_wrong", dashboard).status == 401)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
  }

  @Test func aDryRunSignsNobodyIn() throws {
    let secret = try running.createToken(name: "anna", role: .viewer).text
    let client = Client(port: running.admin.port, lines: ["Host: x", dashboard])
    let dry = try client.send("POST", "/v1/session?dryRun=true", json: ["token": .string(secret)])
    #expect(try dry.status == 201 && dry.json["dryRun"] == true && dry["Set-Cookie"] == nil)
    #expect(try sessions() == 0)
    let (browser, _) = try signIn(name: "b")
    let out = try Client(port: browser.port, lines: browser.lines + [dashboard])
      .send("DELETE", "/v1/session?dryRun=true")
    #expect(out.status == 204 && out["Set-Cookie"] == nil)
    #expect(try browser.send("GET", "/v1/session").status == 200)
  }

  @Test func aTokenHasALimitedNumberOfSessions() throws {
    let secret = try running.createToken(name: "anna", role: .viewer).text
    var cookies: [String] = []
    for _ in 0...Session.limit {
      clock.wait(1)
      cookies.append(
        String(try #require(try post(secret, dashboard)["Set-Cookie"]).prefix { $0 != ";" }))
    }
    #expect(try sessions() == Session.limit)
    for (cookie, status) in [(cookies.first, 401), (cookies[1], 200), (cookies.last, 200)] {
      let client = Client(
        port: running.admin.port, lines: ["Host: x", "Cookie: \(cookie ?? "")"])
      #expect(try client.send("GET", "/v1/session").status == status)
    }
  }

  @Test(TemporaryDatabase.isFile) func theDatabaseHasOnlyTheHashOfTheSecret() throws {
    let (_, cookie) = try signIn(name: "hidden")
    let file = try #require(FileContents(running.directory.path("aasa.db-wal")))
    #expect(!file.contains(String(cookie.dropFirst("aasa_session=".count))))
    #expect(file.contains("hidden"))
  }
}
