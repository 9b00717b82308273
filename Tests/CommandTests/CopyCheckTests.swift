import Association
import Synchronization
import TestSupport
import Testing

/// What is seen of Apple's CDN and of Google's service.
@Suite(CheckedWorld.needs) struct CopyCheckTests {
  private let world: CheckedWorld

  init() throws { world = try CheckedWorld() }

  @Test func theRevisionThatAppleHasIsNamedWithItsAge() throws {
    try world.publish("copy.example", ["/1/*"])
    _ = try world.check("copy.example")
    try world.publish("copy.example", ["/2/*"])
    try world.outside.cdn("copy.example", ["age": 600, "maxAge": 3600])
    let check = try world.check("copy.example")
    #expect(CheckedWorld.findings(check) == ["cdn-stale warning"], "\(check.text)")
    let copy = check["cdn"]
    #expect(copy?["revision"] == 1 && copy?["current"] == 2 && copy?["by"] == "bytes")
    let age = copy?["age"]?.integerValue ?? 0
    #expect((600...700).contains(age) && copy?["expires"]?.stringValue != nil)
    #expect(
      check["findings"]?.arrayValue?.first?["message"]?.stringValue?.contains(
        "has revision 1 of copy.example; revision 2 is current. The copy was fetched 10 minutes ago "
          + "and is due in ") == true, "\(check.text)")
    try world.outside.dropCopy(of: "copy.example")
    #expect(CheckedWorld.findings(try world.check("copy.example")) == [])
  }

  @Test func expectationsAreEvaluatedOnApplesCopy() throws {
    try world.publish("expected.example", ["/old/*"])
    _ = try world.check("expected.example")
    try world.publish("expected.example", ["/new/*"])
    let expectations: JSON = [
      "expectations": [
        [
          "url": "https://expected.example/new/1", "app": .string(AssociationFile.app),
          "resolution": "match",
        ]
      ]
    ]
    let put = try world.client.send(
      "PUT", "/v1/domains/expected.example/expectations", json: expectations)
    #expect(put.status == 200, "\(put.text)")
    let check = try world.check("expected.example")
    #expect(
      CheckedWorld.findings(check) == ["cdn-stale warning", "expectation-failed-on-cdn warning"])
    #expect(check.text.contains("The current file fixes this once Apple fetches it."))
    // What the current file does not meet either, waiting does not mend.
    let other: JSON = [
      "app": .string(AssociationFile.app),
      "expectations": [
        [
          "url": "https://expected.example/cart/1", "app": .string(AssociationFile.app),
          "resolution": "match",
        ]
      ],
    ]
    #expect(
      CheckedWorld.findings(try world.check("expected.example", other)).first
        == "expectation-failed-on-cdn error")
    // When it is due, waiting does not help any more.
    try world.outside.cdn("expected.example", ["age": 9000, "maxAge": 3600])
    #expect(
      CheckedWorld.findings(try world.check("expected.example")).first
        == "expectation-failed-on-cdn error")
  }

  @Test(arguments: ["assetlinks.json", "webauthn"])
  func aDomainWithoutAppleFileIsFine(kind: String) throws {
    let document: JSON =
      kind == "webauthn"
      ? ["origins": ["https://only.example"]]
      : [
        [
          "relation": ["delegate_permission/common.get_login_creds"],
          "target": ["namespace": "web", "site": "https://only.example"],
        ]
      ]
    let put = try world.client.send(
      "PUT", "/v1/domains/only.example/documents/\(kind)", json: document)
    #expect(put.status == 201, "\(put.text)")
    #expect(
      try world.client.send(
        "PATCH", "/v1/domains/only.example", json: ["aliases": ["alias.only.example"]]
      ).status == 200)
    let check = try world.check("only.example")
    #expect(check["status"] == "ok" && CheckedWorld.findings(check) == [], "\(check.text)")
    try world.outside.site("only.example", ["paths": [:]])
    #expect(CheckedWorld.findings(try world.check("only.example")) == ["http-status error"])
  }

  @Test func aPublicationDuringALookIsNoOldCache() throws {
    try world.publish("race.example", ["/1/*"])
    let new: JSON = ["delay": 2, "body": .string(AssociationFile.routes(["/2/*"]).text)]
    try world.outside.site(
      "race.example", ["paths": [CheckedWorld.path: new, "/apple-app-site-association": new]])
    try world.outside.cdn("race.example", ["unreachable": true])
    let found = Mutex<[String]>([])
    let look = Threads([
      { [world] in
        let check = try? world.check("race.example")
        found.withLock { $0 = check.map(CheckedWorld.findings) ?? ["no answer"] }
      }
    ])
    #expect(try becomesTrue { try !world.outside.agents(of: "race.example").isEmpty })
    try world.publish("race.example", ["/2/*"])
    #expect(look.end())
    #expect(found.withLock { $0 } == ["cdn-unreachable warning"])
  }

  @Test(arguments: [
    (
      "SWCERR00101 Bad HTTP Response: 403 Forbidden", "BAD_HTTP_RESPONSE",
      "The site answered Apple with status 403.", "refuses Apple's bot"
    ),
    (
      "SWCERR00101 Bad HTTP Response: 404 Not Found", "BAD_HTTP_RESPONSE",
      "The site answered Apple with status 404.", "the path does not reach aasa"
    ),
    (
      "SWCERR00202 Connections to private/reserved IP addresses are not allowed", nil,
      "For Apple, the name has a private or reserved address", "public DNS records"
    ),
    (
      "SWCERR00301 Timeout", "TIMEOUT", "The site did not answer Apple in time.",
      "firewall that drops Apple's connections"
    ),
    (
      "SWCERR00401 Bad JSON content", "BAD_JSON_CONTENT",
      "What the site served to Apple was not JSON.",
      "in place of the file"
    ),
    (
      "SWCERR09999 Something new\u{1B}[31m", nil, "This code is unknown to aasa",
      "start from Apple's words"
    ),
  ])
  func applesReasonIsPassedOnAndExplained(
    reason: String, apple: String?, meaning: String, help: String
  ) throws {
    try world.publish("failed.example")
    try world.outside.cdn(
      "failed.example",
      ["reason": .string(reason), "details": "{\"status\":\"x\"}", "maxAge": 1800])
    let check = try world.check("failed.example")
    let finding = try #require(check["findings"]?.arrayValue?.first)
    #expect(finding["code"] == "cdn-failed" && finding["appleCode"]?.stringValue == apple)
    let message = finding["message"]?.stringValue ?? ""
    #expect(message.contains(reason.prefix(20)) && message.contains(#"({"status":"x"})"#))
    #expect(message.contains("tries again in ") && !message.contains("\u{1B}"), "\(message)")
    #expect(finding["help"]?.stringValue?.contains("wait until Apple tries again") == true)
    #expect(
      message.contains(meaning) && message.contains("Apple-Try-Direct is false"), "\(message)")
    #expect(finding["help"]?.stringValue?.contains(help) == true, "\(finding.text)")
    // Who gets the file through a redirect has something to fix first.
    try world.site(
      "failed.example", ["status": 301, "fields": ["Location": "https://www.failed.example/file"]],
      [:])
    try world.outside.site(
      "www.failed.example", ["paths": ["/file": ["body": .string(AssociationFile.routes([]).text)]]]
    )
    let findings = try world.check("failed.example")["findings"]?.arrayValue ?? []
    #expect(findings.contains { $0["code"] == "redirect-same-site" })
    let failed = findings.first { $0["code"] == "cdn-failed" }
    #expect(failed?["help"]?.stringValue == "Fix the site first; see the other findings.")
  }

  @Test func anAndroidAppIsLookedForInItsOwnFile() throws {
    let statement = AssociationFile.statement(
      "com.example.store", [Array(repeating: "AB", count: 32).joined(separator: ":")])
    try world.outside.site(
      "store.test",
      ["paths": ["/.well-known/assetlinks.json": ["body": .string(JSON.array([statement]).text)]]])
    let codes = { (app: JSON) in
      (try world.check("store.test", ["app": app])["findings"]?.arrayValue ?? [])
        .compactMap { $0["code"]?.stringValue }
    }
    #expect(try !codes("com.example.store").contains("app-missing"))
    #expect(try codes("com.example.other").contains("app-missing"))
    #expect(try codes("com.example.store").contains("app-partly-named"))
  }

  @Test func anAppMayBeThereForPasswordsOrForLinksAlone() throws {
    let login: JSON = ["webcredentials": ["apps": [.string(AssociationFile.app)]]]
    let files: [(String, JSON, String, JSON)] = [
      ("login.test", login, "only for webcredentials, so links", "warning"),
      ("links.test", AssociationFile.routes([]), "without `webcredentials`, so passwords", "note"),
    ]
    for (domain, file, words, severity) in files {
      let body: JSON = ["body": .string(file.text)]
      try world.outside.site(domain, ["paths": ["/.well-known/apple-app-site-association": body]])
      let found =
        try world.check(domain, ["app": .string(AssociationFile.app)])["findings"]?.arrayValue ?? []
      let finding = found.first { $0["code"] == "app-partly-named" }
      #expect(
        finding?["severity"] == severity
          && finding?["message"]?.stringValue?.contains(words) == true,
        "\(found)")
      #expect(!found.contains { $0["code"] == "app-missing" })
    }
  }

  @Test func ofSeveralMissingAppsNoneIsJudgedByAnother() throws {
    var domain = StateTrial.domain("both.example", ["/*"]).objectValue ?? [:]
    let other = AssociationFile.app + "2"
    domain["entries"] = [
      ["apps": [.string(AssociationFile.app), .string(other)], "routes": [["path": "/*"]]]
    ]
    let answer = try world.client.send(
      "PUT", "/v1/domains/both.example", json: .object(domain), "If-None-Match: *")
    #expect(answer.status == 201, "\(answer.text)")
    let login: JSON = ["webcredentials": ["apps": [.string(AssociationFile.app)]]]
    try world.outside.site(
      "both.example",
      ["paths": ["/.well-known/apple-app-site-association": ["body": .string(login.text)]]])
    let found = try world.check("both.example")["findings"]?.arrayValue ?? []
    let missing = found.first { $0["code"] == "app-missing" }
    #expect(
      missing?["message"]?.stringValue?.contains("does not name \(AssociationFile.app), \(other).")
        == true,
      "\(found)")
  }

  @Test func onlyNamesThatSomebodyRegisteredNeedASiblingWithWWW() throws {
    for (domain, isNoted) in [("apex.example", true), ("shop.apex.example", false)] {
      try world.publish(domain)
      let check = try world.check(domain)
      #expect(check.text.contains("apex-www-differ") == isNoted, "\(check.text)")
    }
  }

  @Test func aCopyOutlivesTheSite() throws {
    try world.publish("gone.example")
    _ = try world.check("gone.example")
    try world.site("gone.example", ["status": 500])
    let findings = CheckedWorld.findings(try world.check("gone.example"))
    #expect(findings == ["http-status error", "cdn-only warning"])
  }

  @Test func aCDNThatCannotBeAskedIsAWarning() throws {
    try world.publish("cut.example")
    try world.outside.cdn("cut.example", ["unreachable": true])
    #expect(CheckedWorld.findings(try world.check("cut.example")) == ["cdn-unreachable warning"])
    try world.outside.cdn("cut.example", ["status": 404, "maxAge": 1])
    #expect(CheckedWorld.findings(try world.check("cut.example")) == ["cdn-never-fetched note"])
    try world.outside.cdn("cut.example", ["status": 502, "maxAge": 1])
    #expect(CheckedWorld.findings(try world.check("cut.example")) == ["cdn-unreachable warning"])
  }

  @Test func googlesAnswerIsComparedWithTheFile() throws {
    try publishAndroid("android.example")
    try world.publish("android.example")
    #expect(CheckedWorld.findings(try world.check("android.example")) == [])
    for (google, finding) in [
      (["linked": false], "google-differs warning"), (["status": 429], "google-unreachable note"),
      (["unreachable": true], "google-unreachable note"),
    ] as [(JSON, String)] {
      try world.outside.google("android.example", google)
      #expect(CheckedWorld.findings(try world.check("android.example")) == [finding])
    }
    try world.outside.google("android.example", [:])
    try world.outside.site(
      "android.example",
      [
        "upstream": .integer(world.server.publicPort),
        "paths": ["/.well-known/assetlinks.json": ["body": "[]"]],
      ])
    let check = try world.check("android.example")
    #expect(
      CheckedWorld.findings(check) == ["body-not-ours error", "assetlinks-not-linked error"],
      "\(check.text)")
  }

  /// Publishes Android's file for a domain.
  private func publishAndroid(_ domain: String) throws {
    let fingerprint =
      "F8:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"
    let statements: JSON = [AssociationFile.statement("com.example.app", [fingerprint])]
    let put = try world.client.send(
      "PUT", "/v1/domains/\(domain)/documents/assetlinks.json", json: statements)
    #expect(put.status == 201, "\(put.text)")
  }

  /// A finding of a check of a domain.
  private func finding(_ code: String, at domain: String) throws -> (finding: JSON, check: JSON) {
    let check = try world.check(domain)
    let found = check["findings"]?.arrayValue?.first { $0["code"]?.stringValue == code }
    return (try #require(found, "\(check.text)"), check)
  }

  private func site(_ domain: String, _ paths: JSON, _ agents: JSON = [:]) throws {
    try world.outside.site(
      domain,
      ["upstream": .integer(world.server.publicPort), "paths": paths, "agents": agents])
  }

  @Test func robotsThatShutGoogleOutAreNamedWithTheirLine() throws {
    try publishAndroid("robots.example")
    let robots: JSON = [
      "fields": ["Content-Type": "text/plain"],
      "body":
        "User-agent: *\nAllow: /\n\n# us\nuser-agent: GOOGLEBOT\nDisallow: /.well-known/ # all\n",
    ]
    try site("robots.example", ["/robots.txt": robots])
    let (linked, check) = try finding("robots-disallow", at: "robots.example")
    #expect(linked["severity"] == "warning" && check["status"] == "warning", "\(check.text)")
    let words = "Line 6 of https://robots.example/robots.txt, \"Disallow: /.well-known/ # all\", "
    #expect(linked["message"]?.stringValue?.hasPrefix(words) == true, "\(linked.text)")
    #expect(linked["message"]?.stringValue?.contains("group of \"Googlebot\"") == true)
    let allowed = "Remove that line, or add \"Allow: /.well-known/assetlinks.json\" to its group."
    #expect(linked["help"]?.stringValue?.hasPrefix(allowed) == true, "\(linked.text)")
    // Google does not link: that is why.
    try world.outside.google("robots.example", ["linked": false])
    let (cause, failing) = try finding("robots-disallow", at: "robots.example")
    #expect(cause["severity"] == "error" && failing["status"] == "failing")
    let differs = try finding("google-differs", at: "robots.example").finding
    #expect(differs["help"]?.stringValue?.contains("robots-disallow") == true, "\(differs.text)")
    try world.outside.google(
      "robots.example", ["linked": false, "errors": ["ERROR_CODE_FETCH_ERROR"]])
    let notLinked = try finding("assetlinks-not-linked", at: "robots.example").finding
    #expect(notLinked["help"]?.stringValue?.contains("robots-disallow") == true)
  }

  @Test(
    arguments: [
      (["status": 503], true), (["status": 429], true), (["close": true], true),
      (["status": 404], false), (["status": 403], false), (CheckedWorld.page, false),
      (["body": "User-agent: *\nDisallow: /"], true),
      (["body": "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow:"], false),
      (["status": 301, "fields": ["Location": "https://moved.example/robots.txt"]], true),
    ] as [(JSON, Bool)])
  func robotsAreReadAsGoogleDoes(answer: JSON, isShutOut: Bool) throws {
    try publishAndroid("crawled.example")
    try world.outside.site(
      "moved.example", ["paths": ["/robots.txt": ["body": "User-agent: *\nDisallow: /"]]])
    try site("crawled.example", ["/robots.txt": answer])
    let check = try world.check("crawled.example")
    #expect(check.text.contains("robots-disallow") == isShutOut, "\(check.text)")
  }

  @Test func robotsAreAskedForOnlyWhereThereIsAFileForAndroid() throws {
    try world.publish("ios.example")
    try site("ios.example", ["/robots.txt": ["body": "User-agent: *\nDisallow: /"]])
    let check = try world.check("ios.example")
    #expect(check["status"] == "ok" && !check.text.contains("robots.txt"), "\(check.text)")
  }

  @Test func androidsFileThatDiffersByTurnsOrByAgentIsFound() throws {
    try publishAndroid("turns.example")
    let path = "/.well-known/assetlinks.json"
    for other in [["status": 404], ["body": "[]"], CheckedWorld.page] as [JSON] {
      try site("turns.example", [path: ["turns": [.null, other]]])
      let found = try finding("answers-differ", at: "turns.example").finding
      #expect(found["severity"] == "error" && found["document"] == "assetlinks.json")
    }
    try site("turns.example", [:], ["GoogleAssociationService": ["status": 403]])
    let blocked = try finding("bot-blocked", at: "turns.example").finding
    #expect(blocked["document"] == "assetlinks.json" && blocked["appleCode"] == nil)
    #expect(blocked["message"]?.stringValue?.contains("Google's fetcher") == true)
    try site("turns.example", [:], ["Example/": ["status": 403]])
    let others = try finding("agents-differ", at: "turns.example").finding
    #expect(others["severity"] == "warning", "\(others.text)")
  }

  @Test func googlesExplanationIsReadableAndWhole() throws {
    try publishAndroid("debug.example")
    let last = "Error fetching statements from https://debug.example./.well-known/assetlinks.json"
    let statements = (1...3).map { number in
      "\n---\nSource: Web asset \(number)\nTarget:\tAndroid app asset \(number)\nMatches target query: No\r\n"
    }
    let debug =
      "********************* ERRORS *********************\n* Error: unavailable: \(last)\u{1B}[31m\n"
      + "********************* INFO MESSAGES *********************\n* Info: considered:\n"
      + statements.joined() + "\n--- End of statement list. ---\n\n\n"
    try world.outside.google(
      "debug.example",
      ["linked": false, "errors": ["ERROR_CODE_FETCH_ERROR"], "debug": .string(debug)])
    let message =
      try finding("assetlinks-not-linked", at: "debug.example")
      .finding["message"]?.stringValue ?? ""
    let replaced = message.filter { $0 == "\u{FFFD}" }.count
    // White space is a space, and a character that controls terminals is none.
    #expect(replaced == 0 && !message.contains { $0.isNewline || $0 == "\u{1B}" }, "\(message)")
    #expect(message.contains("ERROR_CODE_FETCH_ERROR: ERRORS; * Error: unavailable: \(last)"))
    #expect(message.contains("Target: Android app asset 3; Matches target query: No"), "\(message)")
    #expect(message.hasSuffix("End of statement list."), "\(message)")
    // Google cannot fetch what this machine gets, also where it gives no code.
    try world.outside.google("debug.example", ["linked": false, "debug": .string(debug)])
    let refused = try finding("assetlinks-not-linked", at: "debug.example").finding
    #expect(refused["help"]?.stringValue?.contains("refuses Google's fetcher") == true)
    // Also where Google only disagrees with the file.
    let none = "* INFO *\nNo statement\nmatches."
    try world.outside.google("debug.example", ["linked": false, "debug": .string(none)])
    let differs = try finding("google-differs", at: "debug.example").finding["message"]?.stringValue
    #expect(differs?.hasSuffix("Google says: * INFO *; No statement; matches.") == true)
    // A very long one is cut between lines.
    let long = (1...2000).map { "line \($0) is here" }.joined(separator: "\n")
    try world.outside.google(
      "debug.example",
      ["linked": false, "errors": ["ERROR_CODE_FETCH_ERROR"], "debug": .string(long)])
    let cut =
      try finding("assetlinks-not-linked", at: "debug.example")
      .finding["message"]?.stringValue ?? ""
    #expect(cut.contains(" is here… (") && cut.hasSuffix(" more lines)"), "\(cut)")
    #expect(cut.count < 4200)
  }

  @Test func aLookIsNoFetchOfApple() throws {
    try world.publish("ledger.example")
    try world.outside.cdn("ledger.example", ["unreachable": true])
    _ = try world.check("ledger.example")
    #expect(try world.outside.agents(of: "ledger.example").contains("AASA-Bot/1.0.0"))
    #expect(try Metrics(of: world.server).text.contains("fetcher=\"apple-cdn\"} 0") == true)
  }
}
