import Association
import FoundationEssentials
import Store
import TestSupport
import Testing

/// `POST /v1/explain`: what a device prints, against what is published.
@Suite struct ExplainTests {
  private let running: RunningService
  private let clock = SettableClock()
  private var admin: Client { running.admin }

  /// Revision 1 is from 2027-01-15T08:00:00Z.
  private static let start: UnixTime = 1_800_000_000
  private static let day: Int64 = 86_400

  init() throws { running = try RunningService(clock: clock) }

  private func entries(_ apps: [String], android: [String] = []) -> JSON {
    [["apps": .strings(apps), "androidApps": .strings(android), "routes": [["path": "/a"]]]]
  }

  /// Publishes the other app, and a day later this one, too.
  private func publishInTwoSteps(_ domain: String = "a.example") throws {
    let aliases = JSON.strings(["www.\(domain)", "*.go.\(domain)"])
    try running.put(domain, ["entries": entries([otherApp]), "aliases": aliases])
    clock.wait(Self.day)
    let answer = try admin.send(
      "PATCH", "/v1/domains/\(domain)", json: ["entries": entries([otherApp, app])])
    guard answer.status == 200 else { throw Unexpected(response: answer) }
  }

  /// A line of the table, as `swcutil show` prints a date.
  private func date(_ time: UnixTime) -> String {
    time.text.replacing("T", with: " ").replacing("Z", with: " +0000")
  }

  private func entry(
    _ host: String, _ state: String = "denied", at time: UnixTime = start + 3600,
    of app: String = app
  ) -> String {
    """
    Service:              applinks
    App ID:               \(app)
    Domain:               \(host)
    User Approval:        unspecified
    Site/Fmwk Approval:   \(state)
    Last Checked:         \(date(time))
    Next Check:           \(date(time + 5 * Self.day))
    --------------------------------------------------------------------------------

    """
  }

  private func explain(_ text: String, _ client: Client? = nil) throws -> JSON {
    let answer = try (client ?? admin).send(
      "POST", "/v1/explain", body: Array(text.utf8), "Content-Type: text/plain")
    guard answer.status == 200 else { throw Unexpected(response: answer) }
    return try answer.json
  }

  /// "host code" of each item.
  private func codes(_ answer: JSON) -> [String] {
    (answer["items"]?.arrayValue ?? []).map { item in
      "\(item["host"]?.stringValue ?? "-") \(item["verdict"]?["code"]?.stringValue ?? "-")"
    }
  }

  /// Records that a check found a revision at Apple's CDN.
  private func check(_ domain: String = "a.example", cdn revision: Int, at time: UnixTime) throws {
    var check = CheckRecord(try DomainName(domain), at: time, findings: [], result: [:])
    check.cdn = CheckRecord.Copy(revision: revision, lag: nil, fetchedAt: nil)
    _ = try running.store.record([check])
  }

  @Test func aDeviceIsComparedWithTheRevisionOfItsTime() throws {
    try publishInTwoSteps()
    try check(cdn: 2, at: Self.start + 2 * Self.day)
    let answer = try explain(entry("a.example"))
    #expect(answer["kind"] == "swcutil-show" && answer["otherHosts"] == 0 && answer["more"] == 0)
    let item = try #require(answer["items"]?[0])
    #expect(item["domain"] == "a.example" && item["state"] == "denied")
    #expect(item["lastChecked"] == "2027-01-15T09:00:00Z")
    #expect(
      item["published"] == [
        "revision": 2, "publishedAt": "2027-01-16T08:00:00Z", "isServed": true, "namesApp": true,
      ])
    #expect(
      item["publishedThen"] == [
        "revision": 1, "publishedAt": "2027-01-15T08:00:00Z", "isServed": true, "namesApp": false,
      ])
    #expect(
      item["cdn"] == ["revision": 2, "isCurrent": true, "checkedAt": "2027-01-17T08:00:00Z"])
    #expect(item["verdict"]?["code"] == "device-behind")
    #expect(item["verdict"]?["actor"] == "user" && item["verdict"]?["certainty"] == "likely")
    #expect(
      item["verdict"]?["nextStep"]?.stringValue?.contains("until 2027-01-20T09:00:00Z") == true)
  }

  @Test func theLastCheckSaysWhetherReinstallingHelps() throws {
    try publishInTwoSteps()
    try check(cdn: 1, at: Self.start + 2 * Self.day)
    #expect(try codes(explain(entry("a.example"))) == ["a.example cdn-behind"])
    // The next revision has another file for Android only, so the copy stays as it is.
    try check(cdn: 2, at: Self.start + 3 * Self.day)
    let more: JSON = ["webauthnOrigins": ["https://b.example"]]
    #expect(try admin.send("PATCH", "/v1/domains/a.example", json: more).status == 200)
    try check(cdn: 2, at: Self.start + 4 * Self.day)
    let late = entry("a.example", "approved", at: Self.start + Self.day + 60)
    #expect(try codes(explain(late)) == ["a.example fine-here"])
  }

  @Test func whatWasPrunedIsNotGuessed() throws {
    try publishInTwoSteps()
    let before = try explain(entry("a.example", at: Self.start - 60))
    #expect(before["items"]?[0]?["publishedThen"] == nil)
    #expect(codes(before) == ["a.example device-behind"])
    clock.wait(30 * Self.day)
    let pruning = Pruning(running.store)
    while try !pruning.step(Retention(revisions: 1, revisionDays: 1)).isComplete {}
    let item = try #require(try explain(entry("a.example"))["items"]?[0])
    #expect(item["publishedThen"] == nil && item["published"]?["revision"] == 2)
    #expect(item["verdict"]?["code"] == "refused")
  }

  @Test func everyNameOfADomainIsOursAndOtherHostsAreCounted() throws {
    try publishInTwoSteps()
    let hosts = [
      "www.a.example", "x.y.go.a.example", "*.a.example", "*.go.a.example", "WWW.A.example",
    ]
    let others = [
      "go.a.example", "b.example", "b.example?mode=developer", "xn--a.example", "1.2.3.4",
    ]
    let answer = try explain((hosts + others).map { entry($0) }.joined())
    #expect(
      codes(answer) == [
        "www.a.example device-behind", "x.y.go.a.example device-behind",
        "*.a.example device-behind",
        // Devices ask go.a.example for this one, and no domain has that name.
        "*.go.a.example not-served",
      ])
    #expect(answer["otherHosts"] == 4)
    for host in others { #expect(!answer.text.contains("\"\(host)\"")) }
  }

  @Test func anAppThatTheFileDoesNotNameIsSaidWithTheOneThatIsMeant() throws {
    try publishInTwoSteps()
    let other = "ZZZZZ12345" + app.dropFirst(10)
    let answer = try explain(entry("a.example", "denied", at: Self.start + 2 * Self.day, of: other))
    let verdict = answer["items"]?[0]?["verdict"]
    #expect(verdict?["code"] == "not-in-file")
    #expect(verdict?["message"]?.stringValue?.contains(app) == true)
    let disabled = try admin.send(
      "PATCH", "/v1/domains/a.example?accept=opens-nothing", json: ["enabled": false])
    #expect(disabled.status == 200, "\(disabled.text)")
    #expect(try codes(explain(entry("a.example"))) == ["a.example not-served"])
  }

  @Test func aWholeTableShowsWhichDomainsTheAppDoesNotClaim() throws {
    try publishInTwoSteps("a.example")
    for domain in ["b.example", "c.example", "one.d.example"] {
      try running.put(domain, ["entries": entries([app])])
    }
    try running.put("e.example", ["entries": entries([otherApp])])
    let table = { (rows: String) in
      "===== DATABASE =====\n\(rows)===== NETWORK =====\n"
    }
    let late = Self.start + 3 * Self.day
    let rows = ["www.a.example", "b.example", "*.d.example"].map { entry($0, "approved", at: late) }
    let answer = try explain(table(rows.joined()))
    #expect(
      codes(answer) == [
        "www.a.example fine-here", "b.example fine-here", "a.example not-in-entitlement",
        "c.example not-in-entitlement",
      ])
    // However many apps of others are in the table.
    let others = (0..<200).map { entry("o\($0).example", of: "ABCDE12345.com.example.other\($0)") }
    #expect(
      try codes(explain(table(others.joined() + rows.joined()))) == codes(answer))
    #expect(answer["items"]?[2]?["state"] == "no-entry")
    // An app may have entries for another service only.
    let passwords = rows[0].replacing("applinks", with: "webcredentials")
    #expect(
      try codes(explain(table(passwords))).filter { $0.hasSuffix("not-in-entitlement") }.count == 5)
    // Passwords and App Clips are claimed like links.
    for member in ["webcredentials", "appclips"] {
      try running.put("f.example", ["entries": [], member: [.string(app)]])
      #expect(
        try codes(explain(table(rows.joined()))).last == "f.example not-in-entitlement", "\(member)"
      )
      let claimed = entry("f.example", "approved", at: late).replacing("applinks", with: member)
      #expect(
        try codes(explain(table(rows.joined() + claimed))).last == "c.example not-in-entitlement")
    }
    // The file of c.example is the one that devices ask for the names below it.
    let below = entry("*.c.example", "approved", at: late)
    #expect(
      try !codes(explain(table(rows.joined() + below))).contains("c.example not-in-entitlement"))
    // A part of the table proves nothing.
    #expect(try codes(explain(rows.joined())).count == 2)
  }

  @Test func theSignaturesOfADeviceAreComparedWithTheAppsFingerprints() throws {
    let package = "com.example.shop"
    let octets = (1..<32).map { String(256 + $0 * 7 % 256, radix: 16, uppercase: true).suffix(2) }
    let print = { (digit: String) -> String in "\(digit)0:" + octets.joined(separator: ":") }
    let keys: JSON = [
      ["sha256": .string(print("A")), "label": "play-signing"],
      ["sha256": .string(print("B")), "label": "upload"],
    ]
    let put = try admin.send("PUT", "/v1/android-apps/\(package)", json: ["fingerprints": keys])
    #expect(put.status == 201, "\(put.text)")
    try running.put("a.example", ["entries": entries([app], android: [package])])
    let text = { (digit: String) in
      """
        \(package):
          ID: 01234567-89ab-cdef-0123-456789abcdef
          Signatures: [\(print(digit))]
          Domain verification state:
            a.example: 1024
            b.example: verified
      """
    }
    let upload = try explain(text("B"))
    #expect(codes(upload) == ["a.example verification-failed"])
    #expect(upload["otherHosts"] == 1)
    let item = try #require(upload["items"]?[0])
    #expect(
      item["certificates"] == [
        ["fingerprint": .string(print("B")), "label": "upload", "isPublished": true]
      ])
    #expect(
      item["verdict"]?["message"]?.stringValue?.contains("signed with your upload key") == true)
    #expect(item["published"]?["namesApp"] == true && item["cdn"] == nil)
    #expect(item["signatures"] == [.string(print("B"))])
    #expect(try codes(explain(text("C"))) == ["a.example wrong-signing-key"])
    // Each build of one text has its own signatures.
    #expect(
      try codes(explain(text("C") + "\n\n" + text("B"))) == [
        "a.example wrong-signing-key", "a.example verification-failed",
      ])
    #expect(
      try codes(explain(text("B").replacing("com.example.shop", with: "com.example.zoo")))
        == ["a.example not-in-file"])
    // Whose key it is says nothing to somebody who may not see the app.
    try running.put("z.example", ["entries": entries([app])])
    let limited = try running.client(.viewer, domains: ["z.example"])
    let unseen = try explain(text("B").replacing("a.example", with: "z.example"), limited)
    #expect(
      unseen["items"]?[0]?["certificates"] == [
        ["fingerprint": .string(print("B")), "isPublished": false]
      ])
    // What is no host is shown to those who see the app.
    let invalid = text("B").replacing(
      "    Domain ver",
      with: "    Invalid autoVerify domains:\n        settings-chat\n    Domain ver")
    #expect(try codes(explain(invalid)).contains("settings-chat not-a-domain"))
    #expect(try codes(explain(invalid, limited)).isEmpty)
    try running.put("c.example", ["entries": entries([app])])
    let without = try explain(text("B").replacing("a.example", with: "c.example"))
    #expect(codes(without) == ["c.example not-served"])
    #expect(
      without["items"]?[0]?["verdict"]?["nextStep"]
        == "Name com.example.shop as an Android app in an entry of c.example.")
  }

  @Test func whatWeDoNotServeIsSaidBeforeWhatAppleCouldNotFetch() throws {
    try publishInTwoSteps()
    let failed = """
      HTTP/2 404
      apple-failure-reason: SWCERR00101 Bad HTTP Response: 404 Not Found
      apple-from: https://a.example/.well-known/apple-app-site-association
      """
    let clip = """
      {"domain": "a.example", "isValid": false, "errorCode": "INVALID_ENTITLEMENT_MISSING_SECTION"}
      """
    #expect(try codes(explain(failed)) == ["a.example cdn-failed"])
    #expect(try codes(explain(clip)) == ["a.example not-in-file"], "no App Clip is published")
    let disabled = try admin.send(
      "PATCH", "/v1/domains/a.example?accept=opens-nothing", json: ["enabled": false])
    #expect(disabled.status == 200)
    for text in [failed, clip] { #expect(try codes(explain(text)) == ["a.example not-served"]) }
  }

  @Test func anErrorOfSigningInIsComparedWithWhatAppleHas() throws {
    try running.put("a.example", ["webcredentials": [.string(app)]])
    try running.put("a.example", ["webcredentials": [.string(app), .string(otherApp)]])
    let text = """
      AuthorizationError Code=1004 "Application with identifier \(app) is not associated with domain a.example"
      """
    #expect(try codes(explain(text)) == ["a.example not-associated"])
    try check(cdn: 1, at: Self.start + 3 * Self.day)
    #expect(try codes(explain(text)) == ["a.example cdn-behind"])
  }

  @Test func whatNamesNoHostIsExplainedByItself() throws {
    let answer = try explain(
      "E: CreatePublicKeyCredentialDomException: [50152] RP ID cannot be validated.")
    #expect(codes(answer) == ["- passkey-not-linked"])
    #expect(
      try explain("What now?") == ["kind": "unknown", "items": [], "otherHosts": 0, "more": 0])
  }

  @Test func aTokenSeesOnlyItsDomains() throws {
    try publishInTwoSteps("a.example")
    try publishInTwoSteps("b.example")
    let text = entry("a.example") + entry("www.b.example") + entry("c.example")
    let limited = try running.client(.viewer, domains: ["b.example"])
    let answer = try explain(text, limited)
    #expect(codes(answer) == ["www.b.example device-behind"])
    #expect(answer["otherHosts"] == 2 && !answer.text.contains("a.example"))
    let table = "===== DATABASE =====\n\(entry("www.b.example"))===== NETWORK =====\n"
    #expect(
      try codes(explain(table, limited)) == [
        "www.b.example device-behind", "b.example not-in-entitlement",
      ])
    #expect(
      try codes(explain(table, running.client(.viewer))).dropFirst() == [
        "a.example not-in-entitlement", "www.a.example not-in-entitlement",
        "b.example not-in-entitlement",
      ])
    #expect(try running.client().send("POST", "/v1/explain", body: Array(text.utf8)).status == 401)
  }

  @Test func aTextOverTwoMegabytesIsRefusedAndOneOfThatSizeIsRead() throws {
    try publishInTwoSteps()
    let text = entry("a.example")
    let fill = String(repeating: "\n", count: DeviceOutput.longest - text.utf8.count)
    #expect(try codes(explain(text + fill)) == ["a.example device-behind"])
    let answer = try admin.send("POST", "/v1/explain", body: Array((text + fill + "\n").utf8))
    #expect(answer.status == 413)
  }

  @Test func moreRowsThanTheLimitAreCounted() throws {
    try publishInTwoSteps()
    let hosts = (0..<1200).map { "h\($0).go.a.example" } + ["b.example"]
    let answer = try explain(hosts.map { entry($0) }.joined())
    #expect(answer["items"]?.arrayValue?.count == 1000)
    #expect(answer["more"] == 201)
    let table =
      "Site/Fmwk Approval: x\n" + (0..<10_500).map { "Service:a\nDomain:b\($0).example\n" }.joined()
    let counted = try explain(table)
    #expect(counted["otherHosts"] == 10_000 && counted["more"] == 500)
  }

  @Test func nothingThatWasPastedIsStored() throws {
    try publishInTwoSteps()
    let before = try admin.send("GET", "/v1/audit?limit=1000").text
    let secret = "pasted7secret"
    let text =
      entry("\(secret).example") + entry("\(secret).go.a.example")
      + entry("a.example", secret, of: "ABCDE12345.\(secret)")
    let answer = try explain(text)
    #expect(codes(answer).count == 2 && answer.text.contains(secret))
    #expect(try admin.send("GET", "/v1/audit?limit=1000").text == before)
    #expect(try admin.send("GET", "/metrics").text.contains(secret) == false)
    let contents = try databaseContents()
    #expect(contents.contains("a.example") && !contents.contains(secret))
  }

  /// Everything in the database, as text.
  private func databaseContents() throws -> String {
    guard case .postgreSQL = running.location else {
      let path = running.directory.path("aasa.db")
      return try ["", "-wal", "-shm"].map { suffix in
        String(decoding: try Data(contentsOf: URL(filePath: path + suffix)), as: UTF8.self)
      }.joined()
    }
    let connection = try running.connect()
    let tables = try connection.all(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'", []
    ) { $0.text(0) }
    return try tables.flatMap { table in
      try connection.all("SELECT CAST(whole AS text) FROM \"\(table)\" AS whole", []) { $0.text(0) }
    }.joined(separator: "\n")
  }
}
