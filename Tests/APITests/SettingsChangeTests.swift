import Association
import Store
import TestSupport
import Testing

/// Everything that decides what a visitor gets is shown before and after it changes, and comes back with its
/// revision.
@Suite struct SettingsChangeTests {
  private let running: RunningService
  private let target = "/v1/domains/example.com"
  private var admin: Client { running.admin }
  private let expectation: JSON = [
    "url": "https://example.com/a", "app": .string(app), "resolution": "match",
  ]

  init() throws {
    running = try RunningService()
    try running.put(
      "example.com",
      [
        "aliases": ["www.example.com"],
        "entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]],
      ])
  }

  /// The summaries of the changes of an answer.
  private func summaries(_ json: JSON?) -> [String] {
    (json?["changes"]?.arrayValue ?? []).compactMap { $0["summary"]?.stringValue }
  }

  private func send(_ method: String, _ path: String, _ json: JSON) throws -> JSON {
    let answer = try admin.send(method, path, json: json)
    #expect((200...201).contains(answer.status), "\(answer.text)")
    return try answer.json
  }

  @Test func everySettingIsShownByNameWithItsOldAndNewValue() throws {
    let patch: JSON = [
      "aliases": ["*.go.example.com"], "cacheSeconds": 60, "environment": "staging",
      "strict": true, "expectations": [expectation],
    ]
    let words = [
      "cacheSeconds changed: from 3600 to 60",
      "environment changed: from \"production\" to \"staging\"",
      "strict changed: from false to true", "alias www.example.com removed",
      "alias *.go.example.com added",
      "expectation \"https://example.com/a\" for \(app) added: \"match\"",
    ]
    for query in ["?dryRun=true", ""] {
      let diff = try send("PATCH", target + query, patch)["diff"]
      #expect(summaries(diff) == words)
      #expect(diff?["affectsLinks"] == true)
      let cache = diff?["changes"]?[0]
      #expect(cache?["what"] == "cacheSeconds" && cache?["kind"] == "changed")
      #expect(cache?["before"] == 3600 && cache?["after"] == 60)
      #expect(cache?["affectsLinks"] == false)
      let removed = diff?["changes"]?[3]
      #expect(removed?["what"] == "alias" && removed?["before"] == "www.example.com")
      #expect(
        removed?["example"] == [
          "url": "https://www.example.com/a", "platform": "ios", "app": .string(app),
          "before": "match",
          "after": "no-match",
        ])
      #expect(diff?["changes"]?[4]?["example"]?["url"] == "https://a.go.example.com/a")
    }
    #expect(summaries(try admin.send("GET", "\(target)/diff").json) == words)
    let settings = try admin.send("GET", "\(target)/revisions/2").json["settings"]
    #expect(settings?["aliases"] == ["*.go.example.com"] && settings?["enabled"] == true)
    #expect(settings?["expectations"] == [expectation] && settings?["strict"] == true)
    let audit = try admin.send("GET", "/v1/audit?domain=example.com").json["items"]
    #expect(audit?[0]?["changes"] == .string(words.joined(separator: "; ")))
    _ = try send("PATCH", target, ["appclips": [.string(app)], "cacheSeconds": 61])
    let last = try admin.send("GET", "/v1/audit?domain=example.com").json["items"]?[0]
    #expect(
      last?["changes"] == "cacheSeconds changed: from 60 to 61; apple-app-site-association changed")
  }

  @Test func settingsOfARevisionHaveItsProtectionAndFallback() throws {
    _ = try send(
      "PATCH", target,
      ["protected": true, "fallback": ["web": "https://shop.example.net"]])
    let revision = try admin.send("GET", target).json["revision"]?.integerValue ?? 0
    let settings = try admin.send("GET", "\(target)/revisions/\(revision)").json["settings"]
    #expect(settings?["protected"] == true)
    #expect(settings?["fallback"]?["web"] == "https://shop.example.net")
  }

  @Test func anotherOrderOfAliasesIsShown() throws {
    _ = try send("PATCH", target, ["aliases": ["www.example.com", "m.example.com"]])
    let diff = try send("PATCH", target, ["aliases": ["m.example.com", "www.example.com"]])["diff"]
    #expect(summaries(diff) == ["aliases reordered"])
    #expect(diff?["affectsLinks"] == false)
  }

  @Test func aDisabledDomainResolvesNothingAndARestoreEnablesIt() throws {
    let urls: JSON = ["urls": ["https://example.com/a"]]
    let disabled = try send("PATCH", target + "?accept=opens-nothing", ["enabled": false])
    #expect(summaries(disabled["diff"]) == ["enabled changed: from true to false"])
    #expect(disabled["diff"]?["affectsLinks"] == true)
    let change = disabled["diff"]?["changes"]?[0]
    #expect(change?["example"]?["url"] == "https://example.com/a")
    #expect(change?["example"]?["after"] == "no-match")
    #expect(disabled["accepted"] == ["opens-nothing"])
    let result = try send("POST", "\(target)/match", urls)["results"]?[0]
    #expect(result?["resolution"] == "no-match" && result?["app"] == .string(app))
    #expect(result?["reason"]?.stringValue?.contains("example.com is disabled") == true)

    let moved = try send("PUT", "\(target)/entries/1/routes", ["routes": [["path": "/b"], 1]])
    #expect(moved["diff"]?["affectsLinks"] == false)

    let restored = try send("POST", "\(target)/revisions/1/restore", [:])
    #expect(summaries(restored["diff"]).first == "enabled changed: from false to true")
    #expect(restored["diff"]?["changes"]?[0]?["example"]?["before"] == "no-match")
    #expect(try running.serve("example.com").status == 200)
    #expect(try send("POST", "\(target)/match", urls)["results"]?[0]?["resolution"] == "match")
  }

  @Test func restoringBringsBackNamesAndCacheSecondsButNoExpectations() throws {
    _ = try send("PATCH", target, ["expectations": [expectation]])
    _ = try send("PATCH", target, ["aliases": [], "cacheSeconds": 60, "strict": true])
    #expect(try running.serve("www.example.com").status == 404)
    let restored = try send("POST", "\(target)/revisions/1/restore", [:])["domain"]
    #expect(restored?["aliases"] == ["www.example.com"] && restored?["cacheSeconds"] == 3600)
    #expect(restored?["strict"] == true && restored?["expectations"] == [expectation])
    #expect(try running.serve("www.example.com").status == 200)
  }

  @Test func aNameThatAnotherDomainHasTakenIsAConflictThatNamesIt() throws {
    _ = try send("PATCH", target, ["aliases": []])
    _ = try send("PUT", "/v1/domains/other.example", ["aliases": ["www.example.com"]])
    for query in ["", "?dryRun=true"] {
      let answer = try admin.send("POST", "\(target)/revisions/1/restore\(query)")
      #expect(try answer.status == 409 && answer.code == "name-taken")
      #expect(try answer.json["domain"] == "other.example")
      #expect(answer.text.contains("www.example.com"))
    }
    let limited = try running.client(.editor, domains: ["example.com", "*.example.com"])
    let answer = try limited.send("POST", "\(target)/revisions/1/restore")
    #expect(try answer.code == "name-taken" && !answer.text.contains("other.example"))
    let own = try running.client(.editor, domains: ["example.com"])
    #expect(try own.send("POST", "\(target)/revisions/1/restore").code == "token-limited")
  }

  @Test func aRevisionOfAnEarlierVersionSaysThatItsSettingsWereNotRecorded() throws {
    _ = try send("PATCH", target, ["aliases": ["m.example.com"]])
    let connection = try running.connect()
    try connection.execute("UPDATE revision SET settings = NULL WHERE number = 1")
    #expect(try admin.send("GET", "\(target)/revisions/1").json["settings"] == .null)
    let diff = try admin.send("GET", "\(target)/diff").json
    #expect(diff["settingsRecorded"] == false && diff["changes"] == [])
    #expect(try admin.send("GET", "\(target)/diff?from=2").json["settingsRecorded"] == nil)
    let restored = try send("POST", "\(target)/revisions/1/restore", [:])
    #expect(restored["changed"] == false && restored["domain"]?["aliases"] == ["m.example.com"])
  }

  @Test func disablingAndTakingANameAwayAreHeldToExpectations() throws {
    let onAlias: JSON = [
      "url": "https://www.example.com/a", "app": .string(app), "resolution": "match",
    ]
    _ = try send("PATCH", target, ["expectations": [expectation, onAlias]])
    let disabled = try admin.send(
      "PATCH", target + "?accept=opens-nothing", json: ["enabled": false])
    #expect(try disabled.status == 409 && disabled.code == "expectation-broken")
    #expect(try disabled.json["expectations"]?.arrayValue?.count == 2)
    #expect(
      try disabled.json["expectations"]?[0]?["reason"]?.stringValue?.contains("disabled") == true)
    for method in ["PATCH", "PUT"] {
      let entries: JSON = [["apps": [.string(app)], "routes": [["path": "/a"]]]]
      let answer = try admin.send(
        method, target, json: ["aliases": [], "entries": entries], "If-Match: *")
      #expect(try answer.status == 409 && answer.code == "expectation-broken", "\(answer.text)")
      #expect(try answer.json["expectations"]?[0]?["url"] == "https://www.example.com/a")
      #expect(try answer.json["expectations"]?[0]?["resolution"] == "no-match")
    }
    let foreign: JSON = [
      "url": "https://www.example.com/a", "app": .string(app), "resolution": "no-match",
    ]
    let both: JSON = ["aliases": [], "expectations": [expectation, foreign]]
    #expect(
      try admin.send("PATCH", target, json: both).faults == ["/expectations/1/url: foreign-url"])
    let answer = try send("PATCH", target, ["aliases": [], "expectations": [expectation]])
    #expect(answer["changedResolutions"]?[0]?["after"] == "no-match")
  }

  @Test func anAliasThatMovesBetweenTwoDomainsIsToldAsSuch() throws {
    try running.put("b.example", ["webcredentials": [.string(app)]])
    let state: JSON = [
      "domains": [
        [
          "domain": "example.com", "aliases": [],
          "entries": [["apps": [.string(app)], "routes": [["path": "/a"]]]],
        ],
        ["domain": "b.example", "aliases": ["www.example.com"], "webcredentials": [.string(app)]],
      ]
    ]
    let plan = try send("POST", "/v1/apply?dryRun=true&overwrite=true", state)["domains"]
    let (from, to) = (plan?[0]?["diff"], plan?[1]?["diff"])
    #expect(summaries(from) == ["alias www.example.com moved to b.example"])
    #expect(summaries(to) == ["alias www.example.com moved here from example.com"])
    for diff in [from, to] {
      #expect(diff?["affectsLinks"] == true)
      #expect(diff?["changes"]?[0]?["example"]?["url"] == "https://www.example.com/a")
      #expect(diff?["changes"]?[0]?["example"]?["after"] == "no-match")
    }
  }
}
