import Checking
@testable import Service
import Association
import HTTP
import Publishing
import Store
import Synchronization
import TestSupport
import Testing

@Suite struct TokenTests {
  let running: RunningService
  let target = "/v1/domains/a.brand.example"

  init() throws {
    running = try RunningService()
    try running.put("a.brand.example", ["aliases": ["foreign.example"]])
    try running.put("example.com", [:])
  }

  /// Every endpoint with its path filled in.
  private var endpoints: [(endpoint: Endpoint, target: String)] {
    AdminAPI.endpoints(
      Publisher(store: running.store), Authentication(store: running.store),
      checker: { Checker(Fetcher(), now: { 0 }) },
      readiness: { Readiness() }, serves: { _ in true },
      metrics: { [] }
    ).map { endpoint in
      let parts = endpoint.path.split(separator: "/").map { part in
        switch part {
        case "{domain}": "example.com"
        case "{app}": app
        case _ where part.hasPrefix("{"): "1"
        default: String(part)
        }
      }
      return (endpoint, "/" + parts.joined(separator: "/"))
    }
  }

  @Test func everyEndpointExceptThePublicOnesNeedsAKnownToken() throws {
    // Without a name to ask for, it is a bad request; and no asset has this path.
    let open = [
      "/": 200, "/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/metrics": 200,
      "/tls/ask": 400, "/assets/{hash}/{file...}": 404,
    ]
    let headers = [
      [], ["Authorization: Bearer aasa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
      ["Authorization: Basic dGVzdDp0ZXN0"], ["Authorization: Bearer"], ["Authorization: "],
    ]
    for (endpoint, target) in endpoints {
      for header in headers {
        let client = Client(port: running.admin.port, lines: ["Host: x"] + header)
        let response = try client.send(endpoint.method.name, target, json: [:])
        if endpoint.id == "signIn" {
          #expect(try response.code == "dashboard-header-missing")
          continue
        }
        if let status = open[endpoint.path] {
          #expect(response.status == status, "\(endpoint.path)")
          continue
        }
        #expect(response.status == 401, "\(endpoint.method.name) \(endpoint.path)")
        #expect(response["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(try response.code == "unauthorized")
      }
    }
    #expect(endpoints.count > 20)
  }

  @Test func manyWrongTokensFromOneAddressSlowItsAnswersForAWhile() {
    let time = Mutex(1_000 as UnixTime)
    let attempts = FailedAttempts(now: { time.withLock { $0 } })
    for _ in 0..<FailedAttempts.limit { #expect(!attempts.add("192.0.2.1")) }
    #expect(attempts.add("192.0.2.1"))
    #expect(!attempts.add("192.0.2.2"), "others are not")
    time.withLock { $0 = $0 + FailedAttempts.window }
    #expect(!attempts.add("192.0.2.1"))
  }

  @Test func aWrongTokenAndAMissingOneHaveDifferentMessages() throws {
    let wrong = Client(
      port: running.admin.port, lines: ["Host: x", "Authorization: Bearer aasa_wrong"])
    for (client, words) in [
      (wrong, "The token is unknown"), (try running.client(), "This request needs"),
    ] {
      let detail = try client.send("GET", "/v1/domains").json["detail"]?.stringValue ?? ""
      #expect(detail.hasPrefix(words), "\(detail)")
    }
  }

  @Test func twoAuthorizationFieldsAreRefused() throws {
    let response = try running.admin.send(
      "GET", "/v1/domains", "Authorization: Bearer aasa_x")
    #expect(response.status == 401)
  }

  @Test func theAuditSaysWhatANewTokenMayDo() throws {
    let token: JSON = [
      "name": "brand", "role": "editor", "domains": ["*.brand.example"], "labels": ["shop"],
      "documents": ["security.txt"], "expiresAt": "2099-01-01T00:00:00Z",
    ]
    #expect(try running.admin.send("POST", "/v1/tokens", json: token).status == 201)
    let audit = try running.admin.send("GET", "/v1/audit").json["items"]?[0]
    #expect(
      audit?["changes"]
        == "role: editor; domains: *.brand.example; labels: shop; documents: security.txt; expiresAt: 2099-01-01T00:00:00Z"
    )
  }

  @Test func aTokenCannotEndBeforeItBegins() throws {
    let token: JSON = ["name": "late", "role": "viewer", "expiresAt": "2020-01-01T00:00:00Z"]
    #expect(
      try running.admin.send("POST", "/v1/tokens", json: token).faults == [
        "/expiresAt: time-passed"
      ])
  }

  @Test func aRevokedTokenIsRefusedAtOnce() throws {
    let secret = try running.createToken(name: "short-lived", role: .admin)
    let client = Client(
      port: running.admin.port,
      lines: ["Host: x", "Authorization: bearer \(secret.text)"])
    #expect(try client.send("GET", "/v1/domains").status == 200)
    try running.store.write(WriteContext(author: "test")) { try $0.revokeToken("short-lived") }
    #expect(try client.send("GET", "/v1/domains").status == 401)
  }

  @Test func aViewerReadsEverythingAndChangesNothing() throws {
    let viewer = try running.client(.viewer)
    for (endpoint, target) in endpoints where endpoint.access == .role(.editor) {
      let response = try viewer.send(endpoint.method.name, target, json: [:])
      #expect(response.status == 403, "\(endpoint.method.name) \(endpoint.path)")
      #expect(try response.code == "role-too-low")
    }
    #expect(try viewer.send("GET", target).status == 200)
    #expect(try viewer.send("GET", target + "/file").status == 200)
    let changing = endpoints.filter {
      ["PUT", "PATCH", "DELETE"].contains($0.endpoint.method.name) && $0.endpoint.id != "signOut"
    }
    #expect(changing.allSatisfy { [.role(.editor), .role(.admin)].contains($0.endpoint.access) })
  }

  @Test func anEditorCannotCallAdminEndpoints() throws {
    let editor = try running.client(.editor)
    let forAdmins = endpoints.filter { $0.endpoint.access == .role(.admin) }
    #expect(forAdmins.count >= 4)
    for (endpoint, target) in forAdmins {
      let response = try editor.send(endpoint.method.name, target, json: [:])
      #expect(
        try response.status == 403 && response.code == "role-too-low",
        "\(endpoint.method.name) \(endpoint.path)")
    }
  }

  @Test func aLimitedTokenCanCallOnlyEndpointsOfItsDomains() throws {
    let limited = try running.client(.editor, domains: ["*.brand.example"])
    #expect(try limited.send("GET", target).status == 200)
    #expect(try limited.send("PATCH", target, json: ["cacheSeconds": 5]).status == 200)
    #expect(try limited.send("PUT", "/v1/domains/new.brand.example", json: [:]).status == 201)
    for other in ["example.com", "brand.example", "xbrand.example", "brand.example.evil.example"] {
      for (method, path) in [("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/file")] {
        let response = try limited.send(method, "/v1/domains/\(other)\(path)", json: [:])
        #expect(try response.status == 403 && response.code == "token-limited", "\(other)")
      }
    }
    for path in ["/v1/apps", "/v1/apps/\(app)", "/v1/audit", "/v1/tokens"] {
      #expect(try limited.send("GET", path).status == 403)
    }
    #expect(try limited.send("PUT", "/v1/apps/\(app)", json: [:]).status == 403)
  }

  @Test func aLimitedTokenCanKeepButNotAddAliasesOutsideItsDomains() throws {
    let limited = try running.client(.editor, domains: ["*.brand.example"])
    for alias in ["other.example", "*.example", "brand.example"] {
      let json: JSON = ["aliases": ["foreign.example", .string(alias)]]
      for method in ["PUT", "PATCH"] {
        let response = try limited.send(method, target, json: json)
        #expect(try response.status == 403 && response.code == "token-limited", "\(alias)")
      }
    }
    let json: JSON = ["aliases": ["foreign.example", "b.brand.example", "*.a.brand.example"]]
    #expect(try limited.send("PUT", target, json: json, "If-Match: *").status == 200)
    #expect(try running.serve("b.brand.example").status == 200)
    #expect(try running.serve("other.example").status == 404)
  }

  @Test(arguments: ["bad_name.example", "127.0.0.1", "*", "a..b", "%00"])
  func aLimitedTokenIsToldAboutAMalformedDomain(name: String) throws {
    let limited = try running.client(.editor, domains: ["*.brand.example"])
    #expect(try limited.send("GET", "/v1/domains/\(name)").status == 400)
  }

  @Test(TemporaryDatabase.isFile)
  func theSecretOfATokenIsInNoLaterAnswerAndNotInTheDatabase() throws {
    let secret = try running.createToken(name: "hidden", role: .viewer).text
    let file = try #require(FileContents(running.directory.path("aasa.db-wal")))
    #expect(!file.contains(secret))
    #expect(file.contains("hidden"))
  }
}
