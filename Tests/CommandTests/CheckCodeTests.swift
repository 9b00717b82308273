import Association
import Synchronization
import TestSupport
import Testing

/// Each code of a check is found where its cause is.
@Suite(CheckedWorld.needs) struct CheckCodeTests {
  private let world: CheckedWorld

  init() throws { world = try CheckedWorld() }

  /// A cause with the finding that it must have.
  struct Cause: Sendable, CustomStringConvertible {
    let finding: String
    let site: JSON
    var apple: String?
    var words = ""

    var description: String { "\(finding) \(words)" }

    /// What Apple's file is answered with.
    static func file(_ answer: JSON) -> JSON { ["paths": [CheckedWorld.path: answer]] }
    /// Answers by turns; `null` is what the server answers.
    static func turns(_ answers: JSON...) -> JSON { file(["turns": .array(answers)]) }
    static func agent(_ part: String, _ answer: JSON) -> JSON { ["agents": [part: answer]] }
    static func certificate(_ kind: JSON) -> JSON { ["certificate": kind] }
    static func redirect(_ url: String) -> JSON {
      file(["status": 301, "fields": ["Location": .string(url)]])
    }
    static func body(_ text: String, type: String = "application/json") -> JSON {
      file(["fields": ["Content-Type": .string(type)], "body": .string(text)])
    }
  }

  private static let other: JSON = ["body": "{\"applinks\":{\"details\":[]}}"]
  private static let json = AssociationFile.routes(["/a/*"]).text

  static let causes: [Cause] = [
    Cause(
      finding: "tls-error error", site: Cause.certificate("expired"), apple: "TLS_ERROR",
      words: "has expired"),
    Cause(
      finding: "tls-error error", site: Cause.certificate("not-yet-valid"), words: "not valid yet"),
    Cause(
      finding: "tls-error error", site: Cause.certificate("wrong-name"), words: "for other names"),
    Cause(
      finding: "tls-error error", site: Cause.certificate("incomplete-chain"),
      words: "intermediate certificate"),
    Cause(
      finding: "tls-error error", site: Cause.certificate("private-root"),
      words: "private authority"),
    Cause(
      finding: "tls-error error", site: Cause.certificate("self-signed"), words: "signs itself"),
    Cause(finding: "certificate-expiring warning", site: Cause.certificate(10)),
    Cause(
      finding: "timeout error", site: ["hang": true], apple: "TIMEOUT",
      words: "did not finish the TLS handshake"),
    Cause(finding: "timeout error", site: Cause.file(["hang": true]), words: "did not answer"),
    Cause(
      finding: "timeout error", site: Cause.file(["stall": true, "body": "{"]),
      words: "began to answer, and did not finish"),
    Cause(
      finding: "connection-failed error", site: Cause.file(["close": true]),
      apple: "NETWORK_ERROR"),
    Cause(finding: "connection-failed error", site: Cause.file(["padding": 80_000])),
    Cause(finding: "connection-failed error", site: Cause.file(["raw": "hello\r\n\r\n"])),
    Cause(
      finding: "slow warning",
      site: Cause.file(["delay": .number("3.2"), "body": .string(Self.json)])),
    Cause(
      finding: "http-status error", site: Cause.file(["status": 503]), apple: "BAD_HTTP_RESPONSE"),
    Cause(
      finding: "bot-blocked error",
      site: [
        "agents": ["AASA-Bot": ["status": 403, "fields": ["cf-mitigated": "challenge"]]]
      ], apple: "BAD_HTTP_RESPONSE", words: "cf-mitigated: challenge"),
    Cause(
      finding: "bot-blocked error",
      site: ["agents": ["AASA-Bot": CheckedWorld.page]], words: "something else than the file"),
    Cause(finding: "bot-blocked error", site: ["agents": ["AASA-Bot": ["close": true]]]),
    Cause(
      finding: "agents-differ error", site: Cause.agent("Mozilla", other),
      words: "a browser gets a file that is none of the revisions"),
    Cause(
      finding: "agents-differ error", site: Cause.agent("AASA-Bot", other),
      words: "a browser gets revision 1, the current one"),
    Cause(
      finding: "agents-differ warning", site: Cause.agent("Mozilla", ["status": 403]),
      words: "a browser gets status 403"),
    Cause(
      finding: "agents-differ warning", site: Cause.agent("Example/", CheckedWorld.page),
      words: "any other User-Agent (Example/1.0) gets a page instead of the file"),
    Cause(
      finding: "agents-differ warning", site: Cause.agent("Example/", ["close": true]),
      words: "any other User-Agent (Example/1.0) gets no answer"),
    Cause(
      finding: "answers-differ warning",
      site: Cause.agent("Mozilla", ["turns": [["status": 403], .null]]), words: "got status 403"),
    Cause(
      finding: "answers-differ error", site: Cause.turns(.null, ["status": 404]),
      words: "got revision 1, the current one"),
    Cause(
      finding: "answers-differ error", site: Cause.turns(.null, .null, ["status": 503]),
      words: "got status 503"),
    Cause(
      finding: "answers-differ error", site: Cause.turns(other, .null),
      words: "got a file that is none of the revisions"),
    Cause(
      finding: "answers-differ error", site: Cause.turns(.null, CheckedWorld.page),
      words: "got a page instead of the file"),
    Cause(
      finding: "answers-differ error", site: Cause.turns(.null, ["close": true]),
      words: "got no answer"),
    Cause(
      finding: "answers-differ error",
      site: Cause.turns(
        .null, ["fields": ["Content-Type": "text/plain"], "body": .string(Self.json)]),
      words: "got revision 1, the current one with the type \"text/plain\""),
    Cause(
      finding: "answers-differ error",
      site: Cause.turns(
        .null, ["status": 302, "fields": ["Location": "https://login.example/?n=1"]]),
      words: "got a redirect to https://login.example/, then status 404"),
    // One of many requests: the third one, in turns that do not come again.
    Cause(
      finding: "answers-differ warning",
      site: Cause.turns(
        .null, .null, .null, ["status": 503], .null, .null, .null, .null, .null, .null, .null,
        .null,
        .null, .null, .null, .null, .null, .null, .null, .null), words: "1 got status 503"),
    Cause(
      finding: "answers-differ warning", site: Cause.turns(.null, ["status": 429]),
      words: "got status 429"),
    Cause(
      finding: "html-answer note",
      site: ["paths": ["/.well-known/assetlinks.json": CheckedWorld.page]],
      words: "has no assetlinks.json"),
    Cause(
      finding: "http-status error", site: Cause.redirect("https://www.cause.example/nothing"),
      words: "redirects to https://www.cause.example/nothing, which answers 404"),
    Cause(
      finding: "redirect-same-site error", site: Cause.redirect("https://www.cause.example/file")),
    Cause(
      finding: "redirect-cross-site error", site: Cause.redirect("https://elsewhere.test/file"),
      apple: "CROSS_SITE_REDIRECTS_FORBIDDEN"),
    Cause(
      finding: "redirect-insecure error", site: Cause.redirect("http://cause.example:1/file"),
      apple: "INSECURE_REDIRECTS_FORBIDDEN"),
    Cause(
      finding: "too-many-redirects error",
      site: Cause.redirect("https://cause.example\(CheckedWorld.path)"),
      apple: "TOO_MANY_REDIRECTS"),
    Cause(
      finding: "html-answer error", site: Cause.file(CheckedWorld.page), apple: "BAD_JSON_CONTENT"),
    Cause(finding: "content-type error", site: Cause.body(Self.json, type: "text/plain")),
    Cause(finding: "content-type error", site: Cause.body(Self.json, type: "text/html")),
    Cause(
      finding: "content-type warning",
      site: Cause.body(Self.json, type: "application/octet-stream")),
    Cause(finding: "byte-order-mark error", site: Cause.body("\u{FEFF}" + Self.json)),
    Cause(finding: "not-json error", site: Cause.body("{"), apple: "BAD_JSON_CONTENT"),
    Cause(
      finding: "not-json error",
      site: Cause.body("<b>Warning</b>: Undefined variable" + Self.json, type: "text/html"),
      apple: "BAD_JSON_CONTENT", words: "serves something that is not JSON"),
    Cause(
      finding: "not-json error", site: Cause.body("", type: "text/html"), words: "serves nothing"),
    Cause(
      finding: "too-large error",
      site: Cause.body("{" + String(repeating: " ", count: 140_000) + "}")),
    Cause(
      finding: "too-large error",
      site: Cause.file([
        "body": .string("{" + String(repeating: " ", count: 4_000_000) + "}"), "gzip": true,
      ])),
    Cause(
      finding: "cms-signed warning", site: Cause.file(["base64": "MIAGCSqGSIb3DQEHAqCA"]),
      apple: "BAD_PKCS7_SIGNATURE"),
    Cause(
      finding: "wrong-location warning", site: Cause.file(["status": 404])),
    Cause(
      finding: "locations-differ warning",
      site: ["paths": ["/apple-app-site-association": ["body": "{\"applinks\":{}}"]]]),
    Cause(
      finding: "body-not-ours error",
      site: Cause.body("{\"applinks\":{\"details\":[]}}"), words: "It differs: "),
    Cause(
      finding: "body-not-ours note", site: Cause.body(Self.json + "\n"), words: "other bytes"),
    Cause(
      finding: "app-missing error", site: Cause.body("{\"applinks\":{\"details\":[]}}"),
      words: AssociationFile.app),
  ]

  /// In one world, because starting one for each takes longer than the checks.
  @Test func eachCauseHasItsFinding() {
    for (index, cause) in Self.causes.enumerated() {
      do {
        try expect(cause, of: "cause\(index).example")
      } catch {
        Issue.record(error, "\(cause)")
      }
    }
  }

  /// In the cause, `cause.example` stands for the domain.
  private func expect(_ cause: Cause, of domain: String) throws {
    func named(_ text: String) -> String { text.replacing("cause.example", with: domain) }
    try world.publish(domain)
    let text = named(cause.site.text)
    var site = try JSON.parse(text.utf8, limits: .trusted).value.objectValue ?? [:]
    site["upstream"] = .integer(world.server.publicPort)
    try world.outside.site(domain, .object(site))
    let check = try world.check(domain)
    let finding = (check["findings"]?.arrayValue ?? []).first {
      "\($0["code"]?.stringValue ?? "") \($0["severity"]?.stringValue ?? "")" == cause.finding
        && ($0["message"]?.stringValue ?? "").contains(named(cause.words))
    }
    #expect(finding != nil, "\(cause): \(check["findings"]?.text ?? "")")
    if let apple = cause.apple {
      #expect(finding?["appleCode"]?.stringValue == apple, "\(cause)")
    }
    #expect(finding?["help"]?.stringValue?.isEmpty == false, "\(cause)")
    #expect(check["milliseconds"]?.integerValue ?? .max < 16_000, "\(cause)")
    if cause.finding.hasSuffix("error") { #expect(check["status"] == "failing", "\(cause)") }
  }

  @Test func aDomainThatIsServedAsPublishedIsFine() throws {
    try world.publish("fine.example")
    let check = try world.check("fine.example")
    #expect(check["status"] == "ok", "\(check["findings"]?.text ?? "")")
    #expect(check["origin"]?["revision"] == 1 && check["origin"]?["by"] == "bytes")
    #expect(check["cdn"]?["revision"] == 1 && check["cdn"]?["current"] == 1)
    #expect(check["certificate"]?["names"] == ["fine.example", "*.fine.example"])
  }

  @Test func theChallengeOfAProtectionIsNamed() throws {
    let isNamed = { (fields: JSON) in
      try world.outside.site(
        "challenge.test",
        ["paths": [CheckedWorld.path: ["status": 403, "fields": fields, "body": "Just a moment"]]])
      return try world.check("challenge.test").text.contains(
        "a challenge, which only browsers solve")
    }
    #expect(try isNamed(["cf-mitigated": "challenge"]))
    #expect(try isNamed(["x-vercel-mitigated": "challenge"]))
    #expect(try !isNamed(["cf-mitigated": "block"]))
  }

  @Test func aNameWithOtherLettersIsNotedAsReported() throws {
    try world.publish("xn--bcher-kva.example")
    let check = try world.check("xn--bcher-kva.example")
    #expect(check["status"] == "ok" && check.text.contains("not confirmed by Apple"))
    #expect(CheckedWorld.findings(check).contains("internationalized-name note"))
  }

  @Test func twoRevisionsOfOursByTurnsAreAWarningAndNoError() throws {
    try world.publish("edit.example", ["/1/*"])
    try world.publish("edit.example", ["/2/*"])
    let old: JSON = ["body": .string(AssociationFile.routes(["/1/*"]).text)]
    for turns in [[old, .null], [.null, old], [old, .null, .null]] as [[JSON]] {
      try world.site("edit.example", ["turns": .array(turns)])
      let check = try world.check("edit.example")
      #expect(CheckedWorld.findings(check).first == "answers-differ warning", "\(check.text)")
      #expect(check["status"] == "warning" && !check.text.contains("body-not-ours"))
      let message = check["findings"]?.arrayValue?.first?["message"]?.stringValue ?? ""
      #expect(message.contains("got revision 2, the current one"), "\(message)")
      #expect(message.contains("got revision 1"), "\(message)")
      #expect(check["origin"]?["revision"] == 2)
    }
    // Only the spelling differs.
    let same = "  " + AssociationFile.routes(["/2/*"]).text + "\n"
    try world.site("edit.example", ["turns": [.null, ["body": .string(same)]]])
    #expect(!(try world.check("edit.example")).text.contains("answers-differ"))
  }

  @Test func aDomainOfOthersWhoseAnswersDifferIsFound() throws {
    let files = [["/a/*"], ["/b/*"]].map { paths -> JSON in
      ["body": .string(AssociationFile.routes(paths).text)]
    }
    try world.outside.site("theirs.test", ["paths": [CheckedWorld.path: ["turns": .array(files)]]])
    let check = try world.check("theirs.test")
    #expect(CheckedWorld.findings(check).contains("answers-differ error"), "\(check.text)")
    #expect(check.text.contains(" It differs: ") && check.text.contains("/b/*"), "\(check.text)")
    try world.outside.site(
      "agents.test", ["paths": [CheckedWorld.path: files[0]], "agents": ["Mozilla": files[1]]])
    let other = try world.check("agents.test")
    #expect(CheckedWorld.findings(other).contains("agents-differ error"), "\(other.text)")
  }

  @Test func eachPlaceOfAHostIsAskedAndTheOneThatDiffersIsNamed() throws {
    let second = try StandIns()
    let file = ["paths": [CheckedWorld.path: ["body": .string(Self.json)]]] as JSON
    try world.outside.site("places.test", file)
    try second.site("places.test", ["paths": [CheckedWorld.path: Self.other]])
    let roots = try Program.run("cat", [world.outside.authorities, second.authorities]).output
    let authorities = try world.scratch.write(roots, to: "both.pem")
    let places = [world.outside, second].map { "places.test:127.0.0.1:\($0.sitePort)" }
    let check = try Program.aasa(
      "check", "--resolve", places[0], "--resolve", places[1], "--ca", authorities, "--json",
      "places.test", "--database", world.scratch.path("none.db"),
      environment: world.outside.settings)
    let message =
      try JSON.parse(check.bytes).value["findings"]?.arrayValue?
      .first { $0["code"] == "answers-differ" }?["message"]?.stringValue ?? check.output
    #expect(check.status == 1)
    #expect(message.contains("from 127.0.0.1:\(world.outside.sitePort); 1 got"), "\(message)")
    #expect(message.contains("from 127.0.0.1:\(second.sitePort). It differs: "), "\(message)")
  }

  @Test func anAddressWithoutARouteFromHereSaysNothingAboutTheSite() throws {
    let file = ["paths": [CheckedWorld.path: ["body": .string(Self.json)]]] as JSON
    try world.outside.site("places.test", file)
    // Nobody has a connection to a multicast address. The place of the name comes before that of all names.
    let check = try Program.aasa(
      "check", "--resolve", "*:127.0.0.1:1", "--resolve",
      "places.test:127.0.0.1:\(world.outside.sitePort)", "--resolve", "places.test:[ff02::1]:443",
      "--resolve", "places.test:[ff02::2]:443", "--ca", world.outside.authorities, "--json",
      "places.test", "--database", world.scratch.path("none.db"),
      environment: world.outside.settings.merging(
        ["AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.0/8,ff00::/8"], uniquingKeysWith: { $1 }))
    let codes = try JSON.parse(check.bytes).value["findings"]?.arrayValue?.map { $0["code"] }
    #expect(codes?.contains("answers-differ") == false, "\(check.output)")
    #expect(codes?.contains("connection-failed") == false, "\(check.output)")
  }

  @Test func aCheckMakesABoundedNumberOfRequests() throws {
    try world.publish("count.example")
    _ = try world.check("count.example")
    let quiet = try world.outside.agents(of: "count.example")
    // Of Apple's file five, of the older location, Android's, the two for passkeys and a link one each; Apple's CDN
    // asks, too.
    #expect(quiet.count == 11, "\(quiet)")
    try world.publish("varied.example")
    try world.site("varied.example", ["turns": [.null, Self.other]])
    _ = try world.check("varied.example")
    #expect(try world.outside.agents(of: "varied.example").count <= 21)
  }

  /// What a check says of people without the app, as `code severity`.
  private func people(_ domain: String) throws -> [String] {
    (try world.check(domain)["findings"]?.arrayValue ?? []).compactMap { finding in
      let code = finding["code"]?.stringValue ?? ""
      return ["people-get-404", "fallback-not-served"].contains(code)
        ? "\(code) \(finding["severity"]?.stringValue ?? "")" : nil
    }
  }

  @Test func aLinksDomainOnWhichPeopleGet404IsFound() throws {
    try world.publish("go.example")
    #expect(try people("go.example") == ["people-get-404 note"])
    #expect(try world.check("go.example")["status"] == "ok")
    // A website has pages of its own, and maybe none at the path that is tried.
    try world.outside.site(
      "go.example",
      ["upstream": .integer(world.server.publicPort), "paths": ["/a": ["status": 404]]])
    #expect(try people("go.example") == [])
    // It opens nothing.
    try world.publish("none.example", [])
    #expect(try people("none.example") == [])
  }

  @Test(
    arguments: [
      ["web": "https://www.example.com{path}"],
      ["web": "https://www.example.com", "apple": "https://apps.apple.com/app/id1"],
      [
        "web": "https://www.example.com",
        "page": ["title": "A \"b\" & c", "text": "b", "button": "c"],
      ],
    ] as [JSON]) func aFallbackThatTheWorldDoesNotGetIsFound(fallback: JSON) throws
  {
    try world.publish("go.example")
    let set = try world.client.send(
      "PATCH", "/v1/domains/go.example", json: ["fallback": fallback])
    #expect(set.status == 200, "\(set.text)")
    #expect(try people("go.example") == [])
    for answer in [
      ["status": 404], CheckedWorld.page,
      ["status": 302, "fields": ["Location": "https://other.example/a"]],
      ["status": 301, "fields": ["Location": "https://www.example.com/a"]],
    ] as [JSON] {
      try world.outside.site(
        "go.example", ["upstream": .integer(world.server.publicPort), "paths": ["/a": answer]])
      #expect(try people("go.example") == ["fallback-not-served warning"], "\(answer.text)")
    }
    #expect(
      try world.client.send(
        "PATCH", "/v1/domains/go.example?accept=opens-nothing", json: ["enabled": false]
      ).status
        == 200)
    #expect(try people("go.example") == [])
  }

  @Test func addressesThatAreNotPublicAreRefused() throws {
    let place = "*:127.0.0.1:\(world.outside.sitePort)"
    let check = try Program.aasa(
      "check", "--json", "--resolve", place, "fine.example",
      "--database", world.scratch.path("none.db"))
    let json = try JSON.parse(check.bytes).value
    #expect(check.status == 1)
    #expect(CheckedWorld.findings(json).first == "private-address error", "\(json.text)")
    #expect(!json.text.contains("127.0.0.1"), "\(json.text)")
  }

  @Test func aListOfDomainsEndsWithASummary() throws {
    try world.publish("good.example")
    try world.site("bad.example", ["status": 500])
    let list = try world.scratch.write(
      "good.example # ours\n\nbad.example\nno domain\n", to: "list")
    let run = { (names: [String]) in
      try Program.run(
        Program.aasa, ["check"] + names + ["--database", world.scratch.path("aasa.db")],
        environment: world.outside.settings)
    }
    let all = try run(["--from", list])
    #expect(all.status == 1 && all.errors.contains("2 domains: 1 ok, 0 warning, 1 failing."))
    #expect(all.errors.contains("\(list), line 4: "), "\(all.errors)")
    let one = try run(["good.example"])
    #expect(one.status == 0 && !one.errors.contains("1 ok"), "\(one.errors)")
    let none = try run([])
    #expect(none.status == 64 && none.errors.contains("--from"), "\(none.errors)")
  }

  @Test func aCommandOnADatabaseRecordsNothing() throws {
    try world.publish("trial.example")
    let database = world.scratch.path("aasa.db")
    for _ in 1...2 {
      let check = try Program.aasa(
        "check", "--resolve", "trial.example:127.0.0.1:1", "trial.example", "--database", database,
        environment: world.outside.settings)
      #expect(check.status == 1, "\(check.output)")
    }
    #expect(try world.client.send("GET", "/v1/checks").json["total"] == 0)
  }

  @Test func aPasswordInARedirectIsNotShown() throws {
    try world.publish("secret.example")
    let target = "https://user:pass1234@www.secret.example/file"
    try world.site("secret.example", ["status": 301, "fields": ["Location": .string(target)]])
    let check = try world.check("secret.example")
    #expect(check["status"] == "failing" && !check.text.contains("pass1234"), "\(check.text)")
  }

  @Test(arguments: ["GitHub.com", "nginx"])
  func gitHubPagesLeaveOutTheDirectoryOfTheFile(server: String) throws {
    let missing: JSON = ["status": 404, "fields": ["Server": .string(server)]]
    try world.outside.site(
      "pages.example",
      ["paths": [CheckedWorld.path: missing, "/apple-app-site-association": missing]])
    let check = try Program.aasa(
      "check", "pages.example", "--database", world.scratch.path("none.db"),
      environment: world.outside.settings)
    #expect(check.output.contains("answers 404"), "\(check.output)\(check.errors)")
    #expect(check.output.contains(".nojekyll") == (server == "GitHub.com"), "\(check.output)")
  }

  @Test(arguments: [
    ("/.well-known/apple-app-site-association.json", AssociationFile.app),
    ("/apple-app-site-association.json", AssociationFile.app),
    ("/assetlinks.json", "com.example.shop"),
  ])
  func aFileUnderAnotherNameIsFound(path: String, app: String) throws {
    let missing: JSON = ["status": 404]
    let paths = [CheckedWorld.path, "/apple-app-site-association", "/.well-known/assetlinks.json"]
    let isApple = path.contains("apple")
    let file = isApple ? "{\"webcredentials\":{}}" : "[{\"target\":{}}]"
    var answers: JSON.Object = [path: ["body": .string(file)]]
    for path in paths { answers[path] = missing }
    try world.outside.site("named.example", ["paths": .object(answers)])
    let check = try Program.aasa(
      "check", "named.example", "--app", app, "--database", world.scratch.path("none.db"),
      environment: world.outside.settings)
    #expect(
      check.output.contains(
        "answers 404, not 200. https://named.example\(path) has a file, but nobody asks"),
      "\(check.output)\(check.errors)")
    answers[path] = ["body": "{\"error\": \"not found\"}"]
    try world.outside.site("other.example", ["paths": .object(answers)])
    let other = try Program.aasa(
      "check", "other.example", "--app", app, "--database", world.scratch.path("none.db"),
      environment: world.outside.settings)
    #expect(!other.output.contains("nobody asks"), "\(other.output)")
  }

  @Test func aNameWithoutAnAddressIsADNSError() throws {
    let check = try Program.aasa(
      "check", "nobody.invalid", "--database", world.scratch.path("none.db"),
      environment: ["AASA_APPLE_CDN": world.outside.settings["AASA_APPLE_CDN"] ?? ""])
    #expect(check.status == 1 && check.output.contains("error dns-error: "), "\(check.output)")
  }

  @Test func aliasesAndWildcardsThatDoNotReachUsAreFound() throws {
    try world.publish("names.example")
    let change: JSON = ["aliases": ["shop.names.example", "*.go.names.example"]]
    #expect(
      try world.client.send("PATCH", "/v1/domains/names.example", json: change).status == 200)
    #expect(CheckedWorld.findings(try world.check("names.example")) == [])
    try world.outside.site("shop.names.example", ["certificate": "wrong-name"])
    let check = try world.check("names.example")
    #expect(CheckedWorld.findings(check) == ["alias-not-reached error"], "\(check.text)")
    #expect(
      check["findings"]?.arrayValue?.first?["message"]?.stringValue?.contains("shop.") == true)
  }

  @Test func oneBrokenAliasOfManyIsFoundEachTime() throws {
    try world.publish("many.example")
    let aliases = (1...20).map { "s\($0).many.example" }
    let change: JSON = ["aliases": .array(aliases.map { .string($0) })]
    #expect(try world.client.send("PATCH", "/v1/domains/many.example", json: change).status == 200)
    try world.outside.site("s7.many.example", ["certificate": "wrong-name"])
    for _ in 1...2 {
      #expect(
        CheckedWorld.findings(try world.check("many.example")) == ["alias-not-reached error"])
    }
  }

  @Test func aDomainThatIsNamedTwiceIsLookedAtOnce() throws {
    try world.publish("twice.example")
    let question: JSON = ["domains": ["twice.example", "Twice.example"]]
    let answer = try world.client.send("POST", "/v1/check", json: question)
    #expect(try answer.json["items"]?.arrayValue?.count == 1, "\(answer.text)")
  }

  @Test func anotherFileAtWWWIsFound() throws {
    try world.publish("apex.example")
    let other: JSON = ["body": .string(AssociationFile.routes(["/other/*"]).text)]
    try world.outside.site("www.apex.example", ["paths": [CheckedWorld.path: other]])
    #expect(
      CheckedWorld.findings(try world.check("apex.example")) == ["apex-www-differ warning"])
    // If it is published here, it is checked by itself.
    try world.publish("www.apex.example", ["/other/*"])
    #expect(CheckedWorld.findings(try world.check("apex.example")) == [])
  }

  @Test func aRedirectThatAppleFollowedIsAWarning() throws {
    try world.publish("moved.example")
    let target = "https://www.moved.example\(CheckedWorld.path)"
    try world.site("moved.example", ["status": 301, "fields": ["Location": .string(target)]])
    try world.publish("www.moved.example")
    #expect(
      CheckedWorld.findings(try world.check("moved.example")).contains("redirect-same-site error"))
    try world.outside.site("*", ["upstream": .integer(world.server.publicPort)])
    try world.outside.site("moved.example", ["upstream": .integer(world.server.publicPort)])
    try world.outside.cdn("moved.example", ["from": .string(target), "maxAge": 3600])
    try world.outside.dropCopy(of: "moved.example")
    try world.outside.cdn("moved.example", ["from": .string(target), "maxAge": 3600])
    _ = try world.check("moved.example")
    try world.site("moved.example", ["status": 301, "fields": ["Location": .string(target)]])
    let check = try world.check("moved.example")
    #expect(
      CheckedWorld.findings(check).contains("redirect-same-site warning"), "\(check.text)")
  }
}
