import Association
import HTTP
import Service
import Store
import TestSupport
import Testing

/// Android apps are created from an adopted `assetlinks.json`, which is served as it was.
@Suite struct AndroidAdoptionTests {
  let running: RunningService
  var admin: Client { running.admin }
  private let domain = "/v1/domains/example.com"
  private let shop = "com.example.shop"
  private let create = "?androidApps=create"

  init() throws { running = try RunningService() }

  private func fingerprint(_ digit: String = "7") -> String {
    digit
      + "E:5B:10:C4:93:D8:2F:A6:41:0C:EE:57:B2:19:8D:64:F3:0A:76:C9:35:DE:48:91:AB:22:6F:80:1D:E7:54:BC"
  }

  /// A statement that lets an app handle links, perhaps with rules.
  private func statement(
    _ package: String? = nil, _ digits: [String] = ["7"], rules: JSON? = nil
  ) -> JSON {
    AssociationFile.statement(package ?? shop, digits.map(fingerprint), rules: rules)
  }

  private let site: JSON = [
    "relation": ["delegate_permission/common.get_login_creds"],
    "target": ["namespace": "web", "site": "https://example.org"],
  ]
  private let routes: JSON = [["/": "/buy/private/*", "exclude": true], ["/": "/buy/*"]]
  /// What these routes are for Android, which compares slashes at the end.
  private let rules: JSON = [
    ["/": "/buy/private/*", "exclude": true], ["/": "/buy/private", "exclude": true],
    ["/": "/buy/*"], ["/": "/buy"],
  ]

  /// A domain with these routes for an Apple app, as an adopted file.
  private func adoptApple(
    _ components: JSON = [["/": "/buy/private/*", "exclude": true], ["/": "/buy/*"]],
    _ query: String = ""
  ) throws {
    let file: JSON = [
      "applinks": ["details": [["appIDs": [.string(app)], "components": components]]]
    ]
    let response = try admin.send("PUT", "\(domain)/file\(query)", json: file)
    guard response.status < 300 else { throw Unexpected(response: response) }
  }

  @Test func anEntryWithoutAppStaysInApplesFileBesideAnAndroidApp() throws {
    _ = try adopt([statement()], create)
    let file: JSON = [
      "applinks": [
        "details": [
          ["appIds": [.string(app)], "components": [["/": "/a/*"]]],
          ["appIDs": [.string(app)], "components": [["/": "/b/*"]]],
        ]
      ]
    ]
    let refused = try admin.send("PUT", "\(domain)/file", json: file)
    #expect(refused.status == 422 && refused.text.contains("entry-without-app"), "\(refused.text)")
    let accepted = try admin.send("PUT", "\(domain)/file?accept=entry-without-app", json: file)
    #expect(accepted.status == 200, "\(accepted.text)")
    #expect(try running.served("example.com") == file)
    #expect(try served() == [statement()])
  }

  /// Adopts a file for Android, and checks that it is served as it is.
  private func adopt(_ file: JSON, _ query: String = "") throws -> JSON {
    let response = try admin.send("PUT", "\(domain)/documents/assetlinks.json\(query)", json: file)
    guard response.status < 300 else { throw Unexpected(response: response) }
    if !query.contains("dryRun") { #expect(try served() == file) }
    return try response.json
  }

  private func served() throws -> JSON { try running.served("example.com", "assetlinks.json") }

  private func resolutions(_ url: String) throws -> [JSON] {
    let question: JSON = ["urls": [.string(url)]]
    let answer = try admin.send("POST", "\(domain)/match", json: question).json
    return answer["results"]?.arrayValue?.compactMap { $0["resolution"] } ?? []
  }

  private func apps() throws -> [JSON] {
    try admin.send("GET", "/v1/android-apps").json["items"]?.arrayValue ?? []
  }

  private func findings(_ answer: JSON) -> [JSON] {
    answer["findings"]?.arrayValue?.filter { $0["code"] == "android-not-managed" } ?? []
  }

  @Test func withoutTheOptionTheAnswerOffersTheAppsAndNothingIsCreated() throws {
    let answer = try adopt([statement(nil, ["7", "8"]), site])
    let offered = answer["androidApps"]?[0]
    #expect(offered?["package"] == .string(shop) && offered?["action"] == "offered")
    #expect(offered?["place"] == "statement")
    #expect(
      offered?["message"]?.stringValue?.hasPrefix("Not stored: with `androidApps=create`") == true)
    #expect(try apps().isEmpty)
    #expect(answer["domain"]?["assetlinksExtra"]?.arrayValue?.count == 2)
  }

  @Test func anAppIsCreatedWithTheFingerprintsOfTheFile() throws {
    let answer = try adopt([statement(nil, ["8", "7"])], create)
    let created = answer["androidApps"]?[0]
    #expect(created?["action"] == "created" && created?["place"] == "entries")
    #expect(answer["domain"]?["assetlinksExtra"] == nil)
    #expect(answer["domain"]?["entries"]?[0]?["androidApps"] == [.string(shop)])
    let app = try apps().first
    #expect(app?["package"] == .string(shop) && app?["domains"] == 1)
    #expect(
      app?["fingerprints"]?.arrayValue
        == ["8", "7"].map {
          ["sha256": .string(fingerprint($0)), "label": "unknown"]
        })
  }

  @Test func aDryRunShowsTheSameAndCreatesNothing() throws {
    let dry = try adopt([statement()], "\(create)&dryRun=true")
    #expect(dry["androidApps"]?[0]?["action"] == "created")
    #expect(try apps().isEmpty && served() == .null)
    let wet = try adopt([statement()], create)
    #expect(wet["androidApps"] == dry["androidApps"])
  }

  @Test func anAppWhoseRulesAreThoseOfAnEntryGetsIntoThatEntry() throws {
    try adoptApple()
    let answer = try adopt([statement(rules: rules)], create)
    let created = answer["androidApps"]?[0]
    #expect(
      created?["message"]?.stringValue
        == "Created with 1 fingerprint. Compare with the Play Console whose key it is, and set the label. "
        + "Named in entry 1.")
    #expect(created?["entries"] == [1])
    #expect(answer["domain"]?["entries"]?.arrayValue?.count == 1)
    #expect(answer["domain"]?["assetlinksExtra"] == nil)
    // From now on, a route is for both.
    let added = try admin.send(
      "POST", "\(domain)/entries/1/routes",
      json: ["path": "/buy/secret/*", "exclude": true, "position": 0])
    #expect(added.status == 201, "\(added.text)")
    #expect(try resolutions("https://example.com/buy/secret/1") == ["blocked", "blocked"])
  }

  @Test func theOrderInWhichTheFilesComeDoesNotMatter() throws {
    _ = try adopt([statement(rules: rules)])
    try adoptApple(routes, create)
    let stored = try admin.send("GET", domain).json
    #expect(stored["entries"]?[0]?["androidApps"] == [.string(shop)])
    #expect(stored["assetlinksExtra"] == nil)
    #expect(try served() == [statement(rules: rules)])
  }

  @Test func theEntryOfTheAppWithTheSameRoutesIsFoundAmongOthers() throws {
    let file: JSON = [
      "applinks": [
        "details": [
          ["appIDs": [.string(otherApp)], "components": [["/": "/clip/*"]]],
          ["appIDs": [.string(app)], "components": routes],
        ]
      ]
    ]
    #expect(try admin.send("PUT", "\(domain)/file", json: file).status == 201)
    let answer = try adopt([statement(rules: rules)], create)
    #expect(answer["androidApps"]?[0]?["entries"] == [2])
    #expect(findings(answer).isEmpty)
  }

  @Test func anAppWithOtherRulesIsCreatedAndItsStatementKeptAndAURLSaysWhy() throws {
    try adoptApple()
    let answer = try adopt([statement(rules: [["/": "/buy/*"]])], create)
    let created = answer["androidApps"]?[0]
    #expect(created?["action"] == "created" && created?["place"] == "statement")
    let message = created?["message"]?.stringValue ?? ""
    #expect(
      message.contains("Android opens \"https://example.com/buy/private")
        && message.contains("which Apple's systems keep in the browser (blocked)"), "\(message)")
    #expect(answer["domain"]?["assetlinksExtra"]?.arrayValue?.count == 1)
    #expect(try apps().count == 1)
    let finding = findings(answer).first
    #expect(finding?["severity"] == "warning" && finding?["document"] == "assetlinks.json")
  }

  @Test func aStatementWithTheSameRulesInOtherWordsIsKeptAndThatIsSaid() throws {
    try adoptApple([["/": "/buy*"], ["/": "/sell*"]])
    let answer = try adopt([statement(rules: [["/": "/sell*"], ["/": "/buy*"]])], create)
    let message = answer["androidApps"]?[0]?["message"]?.stringValue ?? ""
    #expect(
      message.hasSuffix("is written in another way than rows would be, so it is kept as it is."),
      "\(message)")
    #expect(findings(answer).isEmpty)
  }

  @Test func anAppWithoutRulesGetsAnEntryOfItsOwnUnlessTheRoutesOpenEverything() throws {
    try adoptApple()
    let apart = try adopt([statement()], create)
    let message = apart["androidApps"]?[0]?["message"]?.stringValue ?? ""
    #expect(
      message.contains("Named in an entry of its own. Android may open \"https://"), "\(message)")
    #expect(apart["domain"]?["entries"]?.arrayValue?.count == 2)
    #expect(apart["domain"]?["dynamicAppLinks"] == false)
    #expect(findings(apart).first?["severity"] == "warning")
    #expect(try admin.send("DELETE", "\(domain)?accept=opens-nothing").status == 200)
    try adoptApple([["/": "*"]])
    let together = try adopt([statement()], create)
    #expect(together["domain"]?["entries"]?.arrayValue?.count == 1)
    #expect(together["domain"]?["entries"]?[0]?["androidApps"] == [.string(shop)])
    #expect(findings(together).isEmpty)
  }

  @Test func rulesWithoutRoutesOfAnAppleAppBecomeRoutes() throws {
    let rules: JSON = [
      ["/": "/help/web*", "exclude": true], ["/": "/help*"], ["?": ["web": "1"], "#": "top"],
    ]
    let answer = try adopt([statement(rules: rules)], create)
    let entry = answer["domain"]?["entries"]?[0]
    #expect(entry?["androidApps"] == [.string(shop)], "\(answer["androidApps"]?.text ?? "")")
    #expect(entry?["routes"]?.arrayValue?.count == 3)
  }

  @Test func aStoredAppWithOtherFingerprintsStaysAsItIs() throws {
    let app: JSON = [
      "fingerprints": [["sha256": .string(fingerprint("9")), "label": "upload"]]
    ]
    #expect(try admin.send("PUT", "/v1/android-apps/\(shop)", json: app).status == 201)
    let answer = try adopt([statement(), statement("com.example.other", ["8"])], create)
    #expect(try apps().map { $0["fingerprints"]?[0]?["label"] } == ["unknown", "upload"])
    let messages = answer["androidApps"]?.arrayValue?.compactMap { $0["message"]?.stringValue }
    #expect(messages?.first?.contains("are not those of the app") == true)
    #expect(
      messages?.last?.contains("comes after the one of \(shop), which rows cannot say") == true)
    #expect(answer["androidApps"]?[0]?["action"] == "stored")
  }

  @Test func whatRowsCannotSayIsKeptBehindThem() throws {
    let file: JSON = [
      statement(), statement("com.example.two", ["8"]), site,
      ["include": "https://example.org/more.json"],
    ]
    let answer = try adopt(file, create)
    #expect(answer["domain"]?["assetlinksExtra"]?.arrayValue?.count == 2)
    #expect(
      answer["domain"]?["entries"]?.arrayValue?.map { $0["androidApps"] }
        == [[.string(shop), "com.example.two"]])
    #expect(try adopt(file, create)["changed"] == false)
  }

  @Test func anAppIsCreatedThatADomainNamesAndItsKeptStatementKnows() throws {
    try adoptApple()
    _ = try adopt([statement()])
    let entries: JSON = [
      [
        "apps": [.string(app)], "androidApps": [.string(shop)],
        "routes": [["path": "/buy/private/*", "exclude": true], ["path": "/buy/*"]],
      ]
    ]
    let patch: JSON = ["entries": entries, "assetlinksExtra": .null]
    #expect(try admin.send("PATCH", domain, json: patch).code == "unknown-android-app")
    let dry = try admin.send("PATCH", "\(domain)\(create)&dryRun=true", json: patch)
    #expect(dry.status == 200, "\(dry.text)")
    #expect(try dry.json["diff"]?["affectsLinks"] == true && apps().isEmpty)
    let patched = try admin.send("PATCH", "\(domain)\(create)", json: patch)
    #expect(try patched.json["androidApps"]?[0]?["action"] == "created", "\(patched.text)")
    #expect(try served() == [statement(rules: rules)])
    let unknown: JSON = ["androidCredentials": ["com.example.unknown"]]
    #expect(
      try admin.send("PATCH", "\(domain)\(create)", json: unknown).code == "unknown-android-app")
  }

  @Test func anotherValueOfTheParameterIsRefused() throws {
    let answer = try admin.send(
      "PUT", "\(domain)/documents/assetlinks.json?androidApps=all", json: [statement()])
    #expect(try answer.status == 400 && answer.code == "unknown-value")
  }

  // MARK: - Why a statement is kept

  private func messages(_ answer: JSON) -> [String] {
    answer["androidApps"]?.arrayValue?.compactMap { $0["message"]?.stringValue } ?? []
  }

  /// Each statement that rows cannot write, with words of the reason.
  @Test func theMessageSaysWhyRowsCannotWriteAStatement() throws {
    var relations = statement().objectValue ?? [:]
    relations["relation"] = [
      "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
    ]
    var other = statement().objectValue ?? [:]
    other["relation"] = [
      "delegate_permission/common.handle_all_urls", "delegate_permission/common.use_as_origin",
    ]
    var member = statement().objectValue ?? [:]
    member["comment"] = "x"
    let cases: [(JSON, String)] = [
      (.object(relations), "rows write delegate_permission/common.handle_all_urls, "),
      (.object(other), "It has the relation \"delegate_permission/common.use_as_origin\""),
      (.object(member), "It has the member \"comment\""),
      (
        statement(rules: routes),
        "rows would add the rule {\"/\":\"/buy/private\",\"exclude\":true}"
      ),
    ]
    for (json, words) in cases {
      let message = messages(try adopt([json], "\(create)&dryRun=true")).first ?? ""
      #expect(message.contains(words), "\(message)")
    }
  }

  @Test func ofTwoStatementsAboutAnAppTheSecondIsKeptAndBothAreMentioned() throws {
    var second = statement().objectValue ?? [:]
    second["relation"] = ["delegate_permission/common.get_login_creds"]
    let answer = try adopt([statement(), .object(second), statement("com.example.two")], create)
    let messages = messages(answer)
    #expect(answer["androidApps"]?[0]?["place"] == "entries")
    #expect(
      messages.first?.hasSuffix("A further statement about it is kept as it is.") == true,
      "\(messages)")
    #expect(messages.last?.contains("comes after the one of \(shop)") == true, "\(messages)")
  }

  @Test func anAppAfterAStatementAboutASiteSaysSo() throws {
    let messages = messages(try adopt([site, statement()], create))
    #expect(messages.first?.contains("comes after another one") == true, "\(messages)")
  }

  // MARK: - Many

  @Test(arguments: [true, false])
  func allAppsOfALargeFileGetIntoRows(haveRules: Bool) throws {
    try adoptApple()
    let file = JSON.array(
      (0..<300).map { statement("com.example.app\($0)", rules: haveRules ? rules : nil) })
    for path in [domain, "/v1/domains/example.net"] {
      if path != domain {
        let stored = try admin.send("GET", "\(domain)/documents/apple-app-site-association").json
        #expect(try admin.send("PUT", "\(path)/file", json: stored).status == 201)
      }
      // The second time, the apps are stored.
      let query = path == domain || haveRules ? create : ""
      let answer = try admin.send(
        "PUT", "\(path)/documents/assetlinks.json\(query)", json: file)
      #expect(answer.status < 300, "\(answer.text)")
      let stored = try answer.json["domain"]
      #expect(stored?["assetlinksExtra"] == nil, "\(answer.text.prefix(2000))")
      let named = stored?["entries"]?.arrayValue?.compactMap {
        $0["androidApps"]?.arrayValue?.count
      }
      #expect(named == [300])
      #expect(try admin.send("GET", "\(path)/documents/assetlinks.json").json == file)
    }
  }

  @Test func anAppWithTooManyCertificatesIsKeptAndThatIsSaid() throws {
    var target = statement()["target"]?.objectValue ?? [:]
    target["sha256_cert_fingerprints"] = .strings(
      (0..<101).map { number in
        let octet = String(number, radix: 16, uppercase: true)
        return (octet.utf8.count == 1 ? "0" : "") + octet + String(fingerprint().dropFirst(2))
      })
    var large = statement().objectValue ?? [:]
    large["target"] = .object(target)
    let answer = try adopt([.object(large)], create)
    #expect(answer["androidApps"]?[0]?["action"] == "kept")
    #expect(
      messages(answer).first?.hasPrefix(
        "Not created: the file has 101 fingerprints, and an app can have 100.") == true,
      "\(messages(answer))")
    #expect(try apps().isEmpty)
  }

  @Test func theKeyOfACreatedAppIsInQuestion() throws {
    let answer = try adopt([statement()], create)
    let codes = answer["findings"]?.arrayValue?.map { $0["code"] }
    #expect(codes?.contains("single-fingerprint") == true, "\(answer["findings"]?.text ?? "")")
    #expect(try apps().map { $0["fingerprints"]?[0]?["label"] } == ["unknown"])

    // Until somebody says whose it is.
    func codesAfter(_ change: JSON) throws -> [JSON?] {
      let answer = try admin.send("PATCH", domain, json: change)
      #expect(answer.status == 200, "\(answer.text)")
      return try answer.json["findings"]?.arrayValue?.map { $0["code"] } ?? []
    }
    #expect(try codesAfter(["cacheSeconds": 61]).contains("single-fingerprint"))
    #expect(try !codesAfter(["cacheSeconds": 62]).contains("no-play-signing-fingerprint"))
    for (label, code) in [("play-signing", nil), ("upload", "no-play-signing-fingerprint")] {
      let prints: JSON = [["sha256": .string(fingerprint()), "label": .string(label)]]
      let put = try admin.send(
        "PUT", "/v1/android-apps/\(shop)", json: ["fingerprints": prints])
      #expect(put.status == 200, "\(put.text)")
      let codes = try codesAfter(["cacheSeconds": .integer(label.utf8.count + 100)])
      #expect(!codes.contains("single-fingerprint"))
      #expect(codes.contains("no-play-signing-fingerprint") == (code != nil), "\(label): \(codes)")
    }
  }

  @Test func aCreatedAppsDebugKeyIsKnownAsOne() throws {
    let everybodys =
      "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
    let text = JSON.array([statement()]).text.replacing(fingerprint(), with: everybodys)
    _ = try admin.send(
      "PUT", "\(domain)/documents/assetlinks.json?androidApps=create&accept=debug-certificate",
      body: Array(text.utf8))
    #expect(try apps().map { $0["fingerprints"]?[0]?["label"] } == ["debug"])
  }

  // MARK: - Limited tokens

  @Test func aLimitedTokenDoesNotLearnTheFingerprintsOfAStoredApp() throws {
    let secret: JSON = [
      "name": "Secret", "fingerprints": [["sha256": .string(fingerprint("9")), "label": "upload"]],
    ]
    #expect(try admin.send("PUT", "/v1/android-apps/com.secret.app", json: secret).status == 201)
    let viewer = try running.client(.viewer, domains: ["example.com"])
    #expect(try viewer.send("GET", "/v1/android-apps/com.secret.app").status == 403)
    let invented = statement("com.secret.app", ["8"])
    #expect(
      try admin.send("PUT", "\(domain)/documents/assetlinks.json", json: [site]).status == 201)
    let answer = try viewer.send(
      "PUT", "\(domain)/documents/assetlinks.json\(create)&dryRun=true", json: [invented])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      try answer.json["androidApps"]?[0]?["fingerprints"]?[0]?["sha256"]
        == .string(fingerprint("8")))
    #expect(!answer.text.contains(fingerprint("9")) && !answer.text.contains("Secret"))
  }

  @Test func aLimitedTokenCreatesOnlyAppsThatItsRowsName() throws {
    let editor = try running.client(.editor, domains: ["example.com"])
    let put = try editor.send(
      "PUT", "\(domain)/documents/assetlinks.json\(create)",
      json: [statement(), site, statement("com.other.brand")])
    #expect(put.status == 201, "\(put.text)")
    #expect(try put.json["androidApps"]?.arrayValue?.map { $0["action"] } == ["created", "kept"])
    #expect(
      try messages(put.json).last?.hasPrefix("Not created: a token that is limited to domains")
        == true)
    #expect(try apps().map { $0["package"] } == [.string(shop)])
  }

  @Test func theListOfDomainsMarksOnlyKeptStatementsAboutLinksOfApps() throws {
    func isMarked() throws -> Bool {
      try admin.send("GET", "/v1/domains").json["items"]?[0]?["keptStatements"] == true
    }
    _ = try adopt([site, ["include": "https://example.org/more.json"]])
    #expect(try !isMarked())
    _ = try adopt([site, statement()])
    #expect(try isMarked())
  }

  /// The contract: whatever the two files are, both are served as they were.
  @Test(arguments: 0..<40)
  func whateverTheFilesAreBothAreServedAsTheyWere(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let patterns: [JSON] = [
      ["/": "/a/*"], ["/": "/a", "exclude": true], ["/": "/b"], ["/": "*"],
      ["/": "/c?", "exclude": true], ["?": ["q": "1"]], ["#": "x"], ["/": "/é"],
    ]
    let components = random.some(of: patterns)
    try adoptApple(.array(components))
    let apple = try running.served("example.com")
    var file: [JSON] = []
    for package in random.some(of: [shop, "com.example.two", "com.example.three"]) {
      let rules: JSON? = random.pick([nil, .array(components), .array(random.some(of: patterns))])
      file.append(statement(package, random.some(of: ["7", "8"]), rules: rules))
      if random.pick([true, false, false]) { file.append(site) }
    }
    let answer = try adopt(.array(file), create)
    #expect(try running.served("example.com") == apple)
    #expect(answer["androidApps"]?.arrayValue?.allSatisfy { $0["action"] == "created" } == true)
    // The first statement gets into rows if it has no rules, or those of the routes.
    if case .array(let first)? = answer["androidApps"], let first = first.first,
      file.first?["relation_extensions"] == nil, file.first?["target"]?["package_name"] != nil
    {
      #expect(first["place"] == "entries", "\(first.text)")
    }
  }

  /// Readers of `assetlinks.json` skip a mark and take one of equal keys, so both are warnings of a file; but nobody
  /// knows which of the values to store.
  @Test func aByteOrderMarkIsLeftOutAndARepeatedKeyIsRefused() throws {
    let file = JSON.array([statement()]).serialized()
    let marked = [0xEF, 0xBB, 0xBF] + file
    let path = "\(domain)/documents/assetlinks.json\(create)"
    let adopted = try admin.send("PUT", path, body: marked)
    #expect(adopted.status == 201, "\(adopted.text)")
    #expect(try adopted.json["findings"]?[0]?["code"] == "byte-order-mark")
    #expect(try running.serve("example.com", "assetlinks.json").body == file)
    let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#
    let twice = Array(
      String(decoding: file, as: UTF8.self).replacing(relation, with: "\(relation),\(relation)")
        .utf8)
    let refused = try admin.send("PUT", path, body: twice)
    #expect(try refused.status == 422 && refused.faults == ["/0/relation: duplicate-key"])
    #expect(try running.serve("example.com", "assetlinks.json").body == file)
    let report = try admin.send("POST", "/v1/validate?kind=assetlinks.json", body: twice)
    #expect(try report.json["valid"] == true, "\(report.text)")
  }
}
