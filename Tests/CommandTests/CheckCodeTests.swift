import JSONValue
import Synchronization
import TestSupport
import Testing

/// A server whose checks see stand-ins for the world outside. Every site passes its requests on to the server
/// until a test says otherwise.
struct CheckedWorld {
  static let needs = SystemProgram.need("python3", "openssl")
  static let path = "/.well-known/apple-app-site-association"
  static let page: JSON = ["fields": ["Content-Type": "text/html"], "body": "<html></html>"]

  let scratch: TemporaryDirectory
  let outside: StandIns
  let server: RunningServer
  let client: Client

  init(settings: [String: String] = [:]) throws {
    scratch = try TemporaryDirectory()
    outside = try StandIns()
    server = try RunningServer(
      database: scratch.path("aasa.db"), environment: outside.settings.merging(settings) { $1 })
    client = try server.client()
    try outside.site("*", ["upstream": .integer(server.publicPort)])
  }

  func publish(_ domain: String, _ paths: [String] = ["/a/*"]) throws {
    let answer = try client.send(
      "PUT", "/v1/domains/\(domain)/file?accept=opens-nothing", json: AssociationFile.routes(paths))
    #expect([200, 201].contains(answer.status), "\(answer.text)")
  }

  /// What a site does instead of passing requests for Apple's file on.
  func site(_ domain: String, _ answer: JSON, _ more: JSON = [:]) throws {
    var site = more.objectValue ?? [:]
    site["upstream"] = .integer(server.publicPort)
    site["paths"] = [Self.path: answer]
    try outside.site(domain, .object(site))
  }

  func check(_ domain: String, _ more: JSON = [:]) throws -> JSON {
    var body = more.objectValue ?? [:]
    body["domains"] = [.string(domain)]
    let answer = try client.send("POST", "/v1/check", json: .object(body))
    return try #require(try answer.json["items"]?.arrayValue?.first, "\(answer.text)")
  }

  /// The findings of a check, as `code severity`. The stand-in has a site for every name, so there is always
  /// a `www` without a file.
  static func findings(_ check: JSON) -> [String] {
    (check["findings"]?.arrayValue ?? [])
      .map { "\($0["code"]?.stringValue ?? "") \($0["severity"]?.stringValue ?? "")" }
      .filter { $0 != "apex-www-differ note" }
  }
}

/// Each code of a check is found where its cause is.
@Suite(CheckedWorld.needs) struct CheckCodeTests {
  private let world: CheckedWorld

  init() throws { world = try CheckedWorld() }

  /// A cause with the finding that it must have.
  struct Cause: Sendable, CustomTestStringConvertible {
    let finding: String
    let site: JSON
    var apple: String?
    var words = ""

    var testDescription: String { "\(finding) \(words)" }

    /// What Apple's file is answered with.
    static func file(_ answer: JSON) -> JSON { ["paths": [CheckedWorld.path: answer]] }
    static func certificate(_ kind: JSON) -> JSON { ["certificate": kind] }
    static func redirect(_ url: String) -> JSON {
      file(["status": 301, "fields": ["Location": .string(url)]])
    }
    static func body(_ text: String, type: String = "application/json") -> JSON {
      file(["fields": ["Content-Type": .string(type)], "body": .string(text)])
    }
  }

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
    Cause(finding: "timeout error", site: ["hang": true], apple: "TIMEOUT"),
    Cause(finding: "timeout error", site: Cause.file(["hang": true]), words: "did not answer"),
    Cause(
      finding: "connection-failed error", site: Cause.file(["close": true]),
      apple: "NETWORK_ERROR"),
    Cause(finding: "connection-failed error", site: Cause.file(["padding": 80_000])),
    Cause(finding: "connection-failed error", site: Cause.file(["raw": "hello\r\n\r\n"])),
    Cause(
      finding: "slow warning",
      site: Cause.file(["delay": 4, "body": .string(Self.json)])),
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

  @Test(arguments: causes) func eachCauseHasItsFinding(cause: Cause) throws {
    try world.publish("cause.example")
    var site = cause.site.objectValue ?? [:]
    site["upstream"] = .integer(world.server.publicPort)
    try world.outside.site("cause.example", .object(site))
    let check = try world.check("cause.example")
    let finding = (check["findings"]?.arrayValue ?? []).first {
      "\($0["code"]?.stringValue ?? "") \($0["severity"]?.stringValue ?? "")" == cause.finding
        && ($0["message"]?.stringValue ?? "").contains(cause.words)
    }
    #expect(finding != nil, "\(check["findings"]?.text ?? "")")
    if let apple = cause.apple { #expect(finding?["appleCode"]?.stringValue == apple) }
    #expect(finding?["help"]?.stringValue?.isEmpty == false)
    #expect(check["milliseconds"]?.integerValue ?? .max < 11_000)
    if cause.finding.hasSuffix("error") { #expect(check["status"] == "failing") }
  }

  @Test func aDomainThatIsServedAsPublishedIsFine() throws {
    try world.publish("fine.example")
    let check = try world.check("fine.example")
    #expect(check["status"] == "ok", "\(check["findings"]?.text ?? "")")
    #expect(check["origin"]?["revision"] == 1 && check["origin"]?["by"] == "bytes")
    #expect(check["cdn"]?["revision"] == 1 && check["cdn"]?["current"] == 1)
    #expect(check["certificate"]?["names"] == ["fine.example"])
  }

  @Test func addressesThatAreNotPublicAreRefused() throws {
    let place = "*:127.0.0.1:\(world.outside.sitePort)"
    let check = try Program.aasa(
      "check", "--json", "--resolve", place, "fine.example",
      "--database", world.scratch.path("none.db"))
    let json = try JSON.parse(check.bytes).value
    #expect(check.status == 1)
    #expect(CheckedWorld.findings(json).first == "private-address error", "\(json.text)")
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
    try world.publish("www.apex.example", ["/other/*"])
    #expect(
      CheckedWorld.findings(try world.check("apex.example")) == ["apex-www-differ warning"])
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
    #expect(
      CheckedWorld.findings(try world.check("expected.example"))
        == ["cdn-stale warning", "expectation-failed-on-cdn warning"])
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
    ("SWCERR00101 Bad HTTP Response: 403 Forbidden", "BAD_HTTP_RESPONSE"),
    ("SWCERR00202 Connections to private/reserved IP addresses are not allowed", nil),
    ("SWCERR00301 Timeout", "TIMEOUT"), ("SWCERR00401 Bad JSON content", nil),
    ("SWCERR09999 Something new\u{1B}[31m", nil),
  ]) func applesReasonIsPassedOn(reason: String, apple: String?) throws {
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
    let fingerprint =
      "F8:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"
    let statements: JSON = [
      [
        "relation": ["delegate_permission/common.handle_all_urls"],
        "target": [
          "namespace": "android_app", "package_name": "com.example.app",
          "sha256_cert_fingerprints": [.string(fingerprint)],
        ],
      ]
    ]
    let put = try world.client.send(
      "PUT", "/v1/domains/android.example/documents/assetlinks.json", json: statements)
    #expect(put.status == 201, "\(put.text)")
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

  @Test func aLookIsNoFetchOfApple() throws {
    try world.publish("ledger.example")
    try world.outside.cdn("ledger.example", ["unreachable": true])
    _ = try world.check("ledger.example")
    #expect(try world.outside.agents(of: "ledger.example").contains("AASA-Bot/1.0.0"))
    #expect(try Metrics(of: world.server).text.contains("fetcher=\"apple-cdn\"} 0") == true)
  }
}
