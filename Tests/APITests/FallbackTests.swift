import Association
import HTTP
import Service
import Store
import TestSupport
import Testing

/// What people without the app get is published, shown, refused and brought back like everything else.
@Suite struct FallbackTests {
  private let running: RunningService
  private let target = "/v1/domains/go.example.com"
  private var admin: Client { running.admin }

  private static let page: JSON = [
    "title": ["en": "Get the app", "de": "Hol dir die App"], "text": "Example",
    "button": ["de": "Zur Website", "en": "Website"],
  ]
  private static let domain: JSON = [
    "aliases": ["*.go.example.com"],
    "entries": [
      [
        "apps": [.string(app)],
        "routes": [
          ["path": "/sale/*", "fallback": "https://sale.example.com{path}"], ["path": "/a/*"],
        ],
      ]
    ],
    "fallback": [
      "web": "https://www.example.com{path}{query}", "apple": "https://apps.apple.com/app/id1",
    ],
  ]

  init() throws {
    running = try RunningService()
    try running.put("go.example.com", Self.domain)
  }

  private func location(
    _ path: String, host: String = "go.example.com", agent: String = "Firefox",
    of running: RunningService? = nil
  ) throws -> String? {
    let answer = try RawConnection(port: (running ?? self.running).service.publicAddress.port)
      .exchange("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: \(agent)\r\n\r\n")
    return answer.status == 302 ? answer["Location"] : "\(answer.status)"
  }

  private func summaries(_ answer: RawResponse, _ diff: String? = "diff") throws -> [String] {
    let json = try answer.json
    return ((diff.map { json[$0] } ?? json)?["changes"]?.arrayValue ?? [])
      .compactMap { $0["summary"]?.stringValue }
  }

  private func faults(_ json: JSON, _ method: String = "PATCH", _ path: String? = nil) throws
    -> [String]
  {
    let answer = try admin.send(method, path ?? target, json: json)
    #expect(answer.status == 422, "\(answer.text)")
    return try (answer.json["errors"]?.arrayValue ?? []).map {
      "\($0["pointer"]?.stringValue ?? "") \($0["code"]?.stringValue ?? "")"
    }
  }

  @Test func aRedirectToTheSameLinkIsRefused() throws {
    for (member, link) in [
      ("web", "https://go.example.com{path}{query}"), ("web", "https://a.go.example.com{path}"),
      ("apple", "https://GO.example.com{path}"),
      ("android", "https://b.go.example.com{path}{query}"),
    ] {
      #expect(
        try faults(["fallback": [member: .string(link)]]) == [
          "/fallback/\(member) malformed-value"
        ],
        "\(link)")
    }
    // Something in front of the server may answer other paths of the name.
    for link in [
      "https://go.example.com/app?link={path}", "https://go.example.com/home",
      "https://example.com{path}{query}",
    ] {
      let answer = try admin.send("PATCH", target, json: ["fallback": ["web": .string(link)]])
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  @Test func anEditIsServedAtOnceAtEveryName() throws {
    #expect(try location("/x?y=z") == "https://www.example.com/x?y=z")
    #expect(
      try location("/x", host: "b.go.example.com", agent: "iPhone")
        == "https://apps.apple.com/app/id1")
    #expect(try location("/sale/1", agent: "iPhone") == "https://sale.example.com/sale/1")
    #expect(try location("/.well-known/x") == "404")
    _ = try admin.send("PATCH", target, json: ["fallback": ["web": "https://new.example.com"]])
    #expect(try location("/x?y=z") == "https://new.example.com/")
    _ = try admin.send("PATCH", target, json: ["fallback": ["page": Self.page]])
    #expect(try location("/x") == "200")
    _ = try admin.send("PATCH", target + "?accept=opens-nothing", json: ["enabled": false])
    #expect(try location("/x") == "404" && location("/sale/1") == "404")
    _ = try admin.send("PATCH", target, json: ["enabled": true, "fallback": .null])
    #expect(try location("/x") == "404")
    #expect(try location("/sale/1") == "https://sale.example.com/sale/1")
    _ = try admin.send("DELETE", target + "?accept=opens-nothing", "If-Match: *")
    #expect(try location("/sale/1") == "404")
    _ = try admin.send("POST", target + "/restore")
    #expect(try location("/sale/1") == "https://sale.example.com/sale/1")
  }

  @Test func theFileDoesNotHaveIt() throws {
    let file = try running.serve("go.example.com").text
    #expect(
      !file.contains("fallback") && !file.contains("www.example.com")
        && !file.contains("sale.example.com"))
  }

  @Test func everyChangeIsShownBeforeAndAfterItIsMade() throws {
    let patch: JSON = [
      "fallback": ["web": "https://new.example.com", "apple": .null, "page": Self.page]
    ]
    let words = [
      "people without the app, web changed: from \"https://www.example.com{path}{query}\" to \"https://new.example.com\"",
      "people without the app, apple removed: \"https://apps.apple.com/app/id1\"",
    ]
    for query in ["?dryRun=true", ""] {
      let answer = try admin.send("PATCH", target + query, json: patch)
      let found = try summaries(answer)
      #expect(found.starts(with: words) && found.count == 3, "\(answer.text)")
      #expect(
        found.last?.hasPrefix(
          "people without the app, page added: {\"title\":{\"en\":\"Get the app\"") == true)
      #expect(try answer.json["diff"]?["affectsLinks"] == false)
      #expect(try answer.json["diff"]?["changes"]?[0]?["what"] == "fallback")
    }
    #expect(try location("/x") == "200")
    let route = try admin.send(
      "PATCH", target + "/entries/1/routes/1", json: ["fallback": "https://b.example.com"])
    #expect(
      try summaries(route) == [
        "people without the app, from {\"/\":\"/sale/*\"} changed: from \"https://sale.example.com{path}\" to "
          + "\"https://b.example.com\""
      ], "\(route.text)")
    #expect(try location("/sale/x") == "https://b.example.com/")
    let audit = try admin.send("GET", "/v1/audit?limit=1").text
    #expect(audit.contains("b.example.com"), "\(audit)")
  }

  @Test func aRollBackAndAnUndoBringItBack() throws {
    let edit = try admin.send(
      "PATCH", target, json: ["fallback": ["web": "https://new.example.com"]])
    let change = try edit.json["change"]?.integerValue
    #expect(try location("/x") == "https://new.example.com/")
    let undone = try admin.send(
      "POST", "/v1/changes/\(try #require(change, "\(edit.text)"))/revert")
    #expect(undone.status == 200, "\(undone.text)")
    #expect(try location("/x") == "https://www.example.com/x")
    _ = try admin.send("PATCH", target, json: ["fallback": .null])
    #expect(try location("/x") == "404")
    let restored = try admin.send("POST", target + "/revisions/1/restore", "If-Match: *")
    #expect(restored.status == 200, "\(restored.text)")
    #expect(try location("/x") == "https://www.example.com/x")
  }

  @Test func aNewFileKeepsTheTargetsOfItsRoutes() throws {
    let file: JSON = [
      "applinks": [
        "details": [
          [
            "appIDs": [.string(app)],
            "components": [["/": "/new"], ["/": "/a/*"], ["/": "/sale/*"]],
          ]
        ]
      ]
    ]
    let answer = try admin.send("PUT", target + "/file", body: file.serialized(), "If-Match: *")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try location("/sale/x") == "https://sale.example.com/sale/x")
    #expect(try location("/x") == "https://www.example.com/x")
  }

  @Test func whatCannotBeServedSafelyIsRefusedByItsMemberAndNothingChanges() throws {
    let text: JSON = ["title": "a", "text": "b", "button": "c"]
    func page(_ member: String, _ value: JSON) -> JSON {
      var page = text.objectValue ?? [:]
      page[member] = value
      return ["fallback": ["page": .object(page)]]
    }
    let cases: [(JSON, [String])] = [
      (["fallback": ["web": "http://www.example.com"]], ["/fallback/web insecure-target"]),
      (["fallback": ["web": "https://{host}{path}"]], ["/fallback/web malformed-target"]),
      (["fallback": ["web": "https://a.example/{host}"]], ["/fallback/web unknown-placeholder"]),
      (["fallback": ["web": "https://a.example/\n"]], ["/fallback/web malformed-target"]),
      (
        ["fallback": ["apple": "itms-apps://apps.apple.com/app/id1"]],
        ["/fallback/apple insecure-target"]
      ),
      (["fallback": ["android": "market://details?id=a"]], ["/fallback/android insecure-target"]),
      (["fallback": ["android": "javascript:alert(1)"]], ["/fallback/android insecure-target"]),
      (["fallback": ["web": .null]], ["/fallback missing-member"]),
      (["fallback": ["host": "a"]], ["/fallback/host unknown-member"]),
      (["fallback": "https://a.example"], ["/fallback wrong-type"]),
      (page("title", "<b>a</b>"), ["/fallback/page/title markup"]),
      (page("text", ["en": "a", "de": "<"]), ["/fallback/page/text/de markup"]),
      (page("text", ["en": "a\u{0}"]), ["/fallback/page/text/en control-character"]),
      (page("button", ""), ["/fallback/page/button wrong-length"]),
      (
        page("button", .string(String(repeating: "a", count: 51))),
        ["/fallback/page/button wrong-length"]
      ),
      (page("title", [:]), ["/fallback/page/title wrong-length"]),
      (page("title", ["e": "a"]), ["/fallback/page/title/e malformed-name"]),
      (page("title", ["en": "a", "EN": "b"]), ["/fallback/page/title/EN repeated"]),
      (["fallback": ["page": ["title": "a", "text": "b"]]], ["/fallback/page missing-member"]),
      (
        ["fallback": ["page": ["title": ["en": "a"], "text": ["de": "b"], "button": "c"]]],
        ["/fallback/page/text languages-differ"]
      ),
    ]
    for (patch, expected) in cases { #expect(try faults(patch) == expected, "\(patch.text)") }
    #expect(
      try faults(["fallback": "//evil.example"], "PATCH", target + "/entries/1/routes/1")
        == ["/fallback insecure-target"])
    #expect(try admin.send("GET", target).json["revision"] == 1)
    #expect(try location("/x") == "https://www.example.com/x")
  }

  // MARK: Templates

  private static let template: JSON = [
    "parameters": [["name": "brand", "type": "text"], ["name": "app", "type": "app"]],
    "entries": [
      [
        "apps": ["{app}"],
        "routes": [
          ["path": "/{domain}/*", "fallback": "https://{brand}.example.com/{domain}{path}"]
        ],
      ]
    ],
    "fallback": ["web": "https://{brand}.example.com{path}{query}"],
  ]

  @Test func aTemplateGivesItToItsDomainsAndADomainMayHaveItsOwn() throws {
    let put = try admin.send("PUT", "/v1/templates/links", json: Self.template)
    #expect(put.status == 201, "\(put.text)")
    let use: JSON = ["template": "links", "parameters": ["brand": "shoes", "app": .string(app)]]
    try running.put("a.example", use)
    #expect(try location("/x?y", host: "a.example") == "https://shoes.example.com/x?y")
    #expect(
      try location("/a.example/z", host: "a.example")
        == "https://shoes.example.com/a.example/a.example/z")
    let resolved = try admin.send("GET", "/v1/domains/a.example?resolved=true").json
    #expect(resolved["sources"]?["fallback"] == "template", "\(resolved.text)")
    _ = try admin.send(
      "PATCH", "/v1/domains/a.example", json: ["fallback": ["web": "https://own.example.com"]])
    #expect(try location("/x", host: "a.example") == "https://own.example.com/")
    _ = try admin.send("PATCH", "/v1/domains/a.example", json: ["fallback": .null])
    #expect(try location("/x", host: "a.example") == "https://shoes.example.com/x")
    var changed = Self.template.objectValue ?? [:]
    changed["fallback"] = ["web": "https://www.{brand}.example.com{path}"]
    let dry = try admin.send("PUT", "/v1/templates/links?dryRun=true", json: .object(changed))
    #expect(dry.text.contains("https://www.{brand}.example.com{path}"), "\(dry.text)")
    _ = try admin.send("PUT", "/v1/templates/links", json: .object(changed))
    #expect(try location("/x", host: "a.example") == "https://www.shoes.example.com/x")
    let detached = try admin.send("POST", "/v1/domains/a.example/detach", "If-Match: *")
    #expect(detached.status == 200, "\(detached.text)")
    #expect(try location("/x", host: "a.example") == "https://www.shoes.example.com/x")
  }

  @Test func aParameterCannotHaveTheNameOfAPlaceholder() throws {
    var template = Self.template.objectValue ?? [:]
    template["parameters"] = [
      ["name": "brand", "type": "text"], ["name": "app", "type": "app"],
      ["name": "path", "type": "path"],
    ]
    #expect(
      try faults(.object(template), "PUT", "/v1/templates/links").contains(
        "/fallback/web misplaced-parameter"))
    template["parameters"] = [["name": "brand", "type": "text"], ["name": "app", "type": "app"]]
    template["fallback"] = ["web": "https://{brand}.example.com{host}"]
    #expect(
      try faults(.object(template), "PUT", "/v1/templates/links") == [
        "/fallback/web unknown-parameter"
      ])
  }

  @Test func aValueThatMakesATargetUnsafeIsRefused() throws {
    _ = try admin.send("PUT", "/v1/templates/links", json: Self.template)
    let use: JSON = ["template": "links", "parameters": ["brand": "a b", "app": .string(app)]]
    let answer = try admin.send("PUT", "/v1/domains/a.example", json: use)
    #expect(answer.status == 422 && answer.text.contains("/fallback/web"), "\(answer.text)")
  }

  // MARK: Everywhere

  @Test func aServerThatStartsWithoutItsDatabaseStillSendsPeopleOn() throws {
    let file = running.directory.path("snapshot")
    let snapshot = Snapshot(path: file)
    try snapshot.replace(by: running.store)
    var fallbacks: [String?] = []
    _ = try snapshot.read { change in
      if case .served(let served, _) = change.now { fallbacks.append(served.fallback) }
    }
    let text = try #require(fallbacks.first ?? nil)
    let path = Array("/sale/1".utf8)
    let answer = try path.withUnsafeBytes { bytes -> ServedFallback.Answer? in
      let query = UnsafeRawBufferPointer(start: nil, count: 0)
      return try ServedFallback(text: text).answer(
        to: LinkTarget.Request(path: bytes, query: query), from: .other)
    }
    guard case .routeRedirect(let target) = answer else {
      Issue.record("no redirect")
      return
    }
    #expect(target.text == "https://sale.example.com{path}")
  }

  @Test func aStateHasItAndAppliesIt() throws {
    let other = try RunningService()
    let export = try admin.send("GET", "/v1/export").json
    let applied = try other.admin.send("POST", "/v1/apply", json: export)
    #expect(applied.status == 200, "\(applied.text)")
    #expect(try location("/x?y", of: other) == "https://www.example.com/x?y")
    #expect(try location("/sale/1", of: other) == "https://sale.example.com/sale/1")
    // A state that does not name it leaves it; null removes it.
    let state: JSON = ["domains": [["domain": "go.example.com", "fallback": .null]]]
    let removed = try other.admin.send("POST", "/v1/apply?overwrite=true", json: state)
    #expect(removed.status == 200, "\(removed.text)")
    #expect(try location("/x", of: other) == "404")
  }
}
