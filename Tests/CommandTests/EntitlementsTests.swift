import Foundation
import Association
import TestSupport
import Testing

/// `aasa entitlements`: what an app names against what is published.
@Suite struct EntitlementsTests {
  private let trial: StateTrial
  private let app = AssociationFile.app

  /// a.example and www.a.example name the app; b.example does, too, and is for tests.
  init() throws {
    trial = try StateTrial()
    let client = try trial.server.client()
    let own: JSON = [
      "aliases": ["www.a.example", "*.go.a.example"], "webcredentials": [.string(app)],
    ]
    let changes: [(String, JSON)] = [
      ("a.example", own), ("b.example", ["environment": "staging", "expectations": []]),
    ]
    for (domain, change) in changes {
      let answer = try client.send("PATCH", "/v1/domains/\(domain)", json: change)
      guard answer.status == 200 else { throw StateTrial.NotSetUp(problem: answer.text) }
    }
  }

  private static func plist(_ entries: [String], more: String = "") -> String {
    let strings = entries.map { "<string>\($0)</string>" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
      <key>com.apple.developer.associated-domains</key><array>\(strings)</array>
      \(more)</dict></plist>
      """
  }

  private var identifier: String {
    "<key>application-identifier</key><string>\(app)</string>"
  }

  /// Every entry that the published domains need.
  private static let complete = [
    "applinks:a.example", "applinks:www.a.example", "applinks:*.go.a.example",
    "webcredentials:a.example", "webcredentials:www.a.example", "webcredentials:*.go.a.example",
  ]

  /// "severity code entry" of each finding.
  private func findings(
    _ entries: [String], _ words: String..., more: String? = nil,
    at site: StateTrial.Site = .database
  ) throws -> [String] {
    let file = Self.plist(entries, more: more ?? identifier)
    let result = try trial.run(
      "entitlements", at: site, words: ["--json"] + words + ["-"], input: Array(file.utf8))
    #expect(result.errors.isEmpty, "\(result.errors)")
    let report = try JSON.parse(result.bytes).value
    #expect(report["entries"] == .strings(entries))
    #expect(result.status == (report["valid"] == true ? 0 : 1))
    return (report["findings"]?.arrayValue ?? []).map { finding in
      let text = { finding[$0]?.stringValue ?? "" }
      #expect(text("message").hasSuffix("."))
      return "\(text("severity")) \(text("code")) \(text("entry"))"
    }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func anAppThatNamesAllItsDomainsIsFine(site: StateTrial.Site) throws {
    #expect(
      try findings(Self.complete + ["applinks:b.example"], at: site) == [
        // Devices ask go.a.example for the file of the wildcard.
        "error not-hosted applinks:*.go.a.example",
        "error not-hosted webcredentials:*.go.a.example",
      ])
    let answer = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example", json: ["aliases": ["www.a.example"]])
    #expect(answer.status == 200)
    let entries = Self.complete.filter { !$0.contains("*") }
    #expect(try findings(entries + ["applinks:b.example"], at: site) == [])
  }

  @Test func whatRepeatsIsPrintedOnceAndTheListHasAllThatIsMissing() throws {
    let domains = (1...8).map { StateTrial.domain("d\($0).example", ["/a"]) }
    let answer = try trial.server.client().send(
      "POST", "/v1/apply", json: ["domains": .array(domains)])
    #expect(answer.status == 200, "\(answer.text)")
    let file = Self.plist(["applinks:d1.example", "applinks:a.example"], more: identifier)
    // A token that is limited to domains may not read apps.
    let created = try trial.server.client().send(
      "POST", "/v1/tokens",
      json: ["name": "limited", "role": "viewer", "domains": ["*.example", "d1.example"]])
    #expect(created.status == 201, "\(created.text)")
    for token in [nil, try created.json["token"]?.stringValue] {
      let result = try trial.run(
        "entitlements", at: .server, words: ["--severity", "error", "-"],
        input: Array(file.utf8), token: token)
      #expect(result.status == 1)
      let same = result.lines.filter { $0.hasPrefix("    The same for ") }
      #expect(same.last?.contains("d4.example") == true, "\(result.output)")
      #expect(!result.output.contains("  note "))
      let list = try trial.run(
        "entitlements", at: .server, words: ["--plist", "-"], input: Array(file.utf8), token: token)
      #expect(list.status == 1 && list.errors.isEmpty)
      let entries = entries(in: list)
      #expect(entries.prefix(2) == ["applinks:d1.example", "applinks:a.example"])
      for domain in 2...8 { #expect(entries.contains("applinks:d\(domain).example")) }
      #expect(entries.contains("webcredentials:www.a.example"), "\(entries)")
    }
    let json = try trial.run(
      "entitlements", at: .server, "--json", "-", input: Array(file.utf8))
    let list = try JSON.parse(json.bytes).value["plist"]?.stringValue ?? ""
    #expect(list.contains("applinks:d8.example"))
    let whole = try trial.run("entitlements", at: .server, "--plist", "--app", app)
    #expect(whole.status == 0 && entries(in: whole).contains("applinks:d1.example"))
    for words in [["--plist"], ["--app", app], []] {
      #expect(try trial.run("entitlements", at: .server, words: words).status == 64)
    }
  }

  private func entries(in result: Program.Result) -> [String] {
    result.lines.compactMap { $0.wholeMatch(of: /\t<string>(.+)<\/string>/).map { String($0.1) } }
  }

  @Test func whatATerminalShowsAndAPartOfTheFileAreRead() throws {
    let part =
      "<key>com.apple.developer.associated-domains</key>\n<array><string>applinks:a.example</string></array>"
    let whole = "Executable=/Users/me/App.app/App\n" + Self.plist(["applinks:a.example"])
    for text in [part, whole] {
      let result = try trial.run(
        "entitlements", at: .database, words: ["--json", "--app", app, "-"],
        input: Array(text.utf8))
      let named = try JSON.parse(result.bytes).value["findings"]?.arrayValue?.map { $0["entry"] }
      #expect(named?.contains("applinks:a.example") == false, "\(result.output)")
    }
  }

  @Test func aDomainThatIsNotPublishedOrDisabledIsNamed() throws {
    let answer = try trial.server.client().send(
      "PATCH", "/v1/domains/b.example?accept=opens-nothing", json: ["enabled": false])
    #expect(answer.status == 200)
    let entries = Self.complete.filter { !$0.contains("*") }
    let found = try findings(
      entries + ["applinks:c.example", "applinks:b.example", "applinks:x.go.a.example"])
    #expect(
      found == [
        "error not-hosted applinks:c.example", "error disabled applinks:b.example",
        "note not-in-entitlements applinks:*.go.a.example",
        "note not-in-entitlements webcredentials:*.go.a.example",
      ])
    // It names the app, which gets nothing from it.
    #expect(try findings(entries).allSatisfy { !$0.contains("b.example") })
  }

  /// The file for a wildcard is that of the name behind it.
  @Test func aWildcardWhoseNameIsNotPublishedIsNoErrorUntilTheAppNamesIt() throws {
    let entries = Self.complete.filter { !$0.contains("*") } + ["applinks:b.example"]
    #expect(
      try findings(entries) == [
        "note not-in-entitlements applinks:*.go.a.example",
        "note not-in-entitlements webcredentials:*.go.a.example",
      ])
    let answer = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example",
      json: ["aliases": ["www.a.example", "*.go.a.example", "go.a.example"]])
    #expect(answer.status == 200)
    #expect(
      try findings(Self.complete + ["applinks:b.example"])
        == ["note not-in-entitlements applinks:go.a.example"]
        + ["note not-in-entitlements webcredentials:go.a.example"])
  }

  /// The message of each finding about an entry.
  private func messages(_ entry: String, _ entries: [String], app: String? = nil) throws -> [String]
  {
    let file = Self.plist(entries, more: app == nil ? identifier : "")
    let result = try trial.run(
      "entitlements", at: .database, words: ["--json"] + (app.map { ["--app", $0] } ?? []) + ["-"],
      input: Array(file.utf8))
    return (try JSON.parse(result.bytes).value["findings"]?.arrayValue ?? [])
      .filter { $0["entry"]?.stringValue == entry }.compactMap { $0["message"]?.stringValue }
  }

  private func publish(_ domain: String, _ change: JSON) throws {
    let answer = try trial.server.client().send("PUT", "/v1/domains/\(domain)", json: change)
    #expect(answer.status == 200 || answer.status == 201, "\(answer.text)")
  }

  private var both: JSON {
    [
      "webcredentials": [.string(app)],
      "entries": [["apps": [.string(app)], "routes": [["path": "/x/*"]]]],
    ]
  }

  /// The file at example.com serves `applinks:*.example.com` (TN3155), so the app must stay in it.
  @Test func theFileBehindAWildcardIsNotMissedInTheApp() throws {
    try publish("example.com", both)
    let report = URL(filePath: #filePath).appending(
      path: "../../Fixtures/public-reports/wildcard.entitlements")
    let result = try trial.run(
      "entitlements", at: .database, "--app", app, report.standardized.path)
    let lines = result.lines.filter { $0.contains("example.com") && $0.contains("applinks") }
    #expect(
      lines.count == 1 && lines[0].hasPrefix("  note not-in-entitlements applinks:example.com: "))
    for suffix in ["", "?mode=developer", "?mode=managed"] {
      for service in ["applinks", "webcredentials"] {
        let found = try messages("\(service):example.com", ["\(service):*.example.com\(suffix)"])
        let message = try #require(found.first)
        #expect(found.count == 1 && message.contains("must stay in that file"))
        #expect(!message.contains("remove the app"))
      }
    }
    let entries = ["applinks", "webcredentials"].flatMap {
      ["\($0):*.example.com", "\($0):example.com"]
    }
    #expect(try findings(entries).allSatisfy { !$0.contains("example.com") })
  }

  @Test func aFileThatOtherEntriesUseIsNotToLoseTheApp() throws {
    var domain = both.objectValue ?? [:]
    domain["aliases"] = ["www.example.com", "*.example.com"]
    try publish("example.com", .object(domain))
    for entries in [
      ["applinks:example.com"], ["applinks:www.example.com", "applinks:example.com"],
    ] {
      let found = try messages("applinks:*.example.com", entries)
      #expect(found.count == 1 && found[0].contains("must stay in it"))
    }
    #expect(
      try messages("applinks:www.example.com", ["webcredentials:example.com"]).first?
        .hasSuffix("or remove the app there.") == true)
  }

  /// Devices ask only the name behind the wildcard.
  @Test func theFileOfANameBelowAWildcardIsNotUsed() throws {
    try publish("example.com", both)
    try publish("shop.example.com", both)
    let entries = ["applinks:*.example.com", "applinks:example.com"]
    let found = try messages("applinks:shop.example.com", entries)
    #expect(found.count == 1)
    #expect(
      found.first?.contains("use the file of example.com, not that of shop.example.com") == true)
    #expect(try findings(entries).contains("note not-in-entitlements applinks:shop.example.com"))
    #expect(
      try messages("applinks:shop.example.com", entries + ["applinks:shop.example.com"]).isEmpty)
    let other = try messages("applinks:*.example.net", ["applinks:*.example.net"])
    #expect(other.first?.contains("devices use the file of example.net") == true)
  }

  @Test func aNameBelowAWildcardWithTheSameFileIsNotMissed() throws {
    var domain = both.objectValue ?? [:]
    domain["aliases"] = ["www.example.com"]
    try publish("example.com", .object(domain))
    let entries = ["applinks", "webcredentials"].flatMap {
      ["\($0):*.example.com", "\($0):example.com"]
    }
    #expect(try findings(entries).allSatisfy { !$0.contains("example.com") })
  }

  @Test func aWildcardIsNotMissedForAnAppClip() throws {
    try publish(
      "clip.example", ["aliases": ["*.clip.example"], "appclips": [.string(app)]])
    #expect(
      try findings(["appclips:a.example"]).filter { $0.contains("clip.example") }
        == ["error not-in-entitlements appclips:clip.example"])
  }

  @Test func anotherPrefixOfTheBundleIdentifierIsPointedAt() throws {
    let signed = "ZYXWV98765" + app.drop { $0 != "." }
    let found = try messages("applinks:a.example", ["applinks:a.example"], app: signed)
    #expect(
      found.count == 1 && found[0].contains("It names \(app), with the same bundle identifier"))
    let other = try messages("applinks:a.example", ["applinks:a.example"], app: "ZYXWV98765.x")
    #expect(other.count == 1 && !other[0].contains("same bundle identifier"))
  }

  @Test(arguments: [
    ("com.example.app", "without the prefix"),
    ("ABCDE12345.com.example.App", "Capital letters matter"),
    ("ABCDE12345.com.example.app.debug", "another build"),
  ])
  func anIdentifierThatIsNearlyThatOfTheAppIsPointedAt(named: String, words: String) throws {
    let answer = try trial.server.client().send(
      "PUT", "/v1/domains/near.example/file?accept=malformed-app-identifier",
      body: Array(
        #"{"applinks":{"details":[{"appIDs":["\#(named)"],"components":[{"/":"/a"}]}]}}"#.utf8))
    #expect(answer.status == 200 || answer.status == 201, "\(answer.text)")
    let found = try messages(
      "applinks:near.example", ["applinks:near.example"], app: "ABCDE12345.com.example.app")
    #expect(found.count == 1 && found[0].contains(words) && found[0].contains(named), "\(found)")
  }

  @Test func anAppThatIsNamedForSomethingElseIsToldSo() throws {
    try publish("pass.example", ["webcredentials": [.string(app)]])
    let found = try messages("applinks:pass.example", ["applinks:pass.example"])
    #expect(
      found.first?.hasPrefix(
        "The file of pass.example names \(app) only for webcredentials, not for applinks.") == true)
  }

  /// Whether all names below a wildcard are meant is up to the app.
  @Test func anAppThatNamesSomeOfAWildcardIsNotWrong() throws {
    var domain = both.objectValue ?? [:]
    domain["aliases"] = ["*.example.com"]
    try publish("example.com", .object(domain))
    let entries = ["applinks", "webcredentials"].flatMap {
      ["\($0):a.example.com", "\($0):example.com"]
    }
    let found = try findings(entries).filter { $0.contains("*.example.com") }
    #expect(
      found == [
        "note not-in-entitlements applinks:*.example.com",
        "note not-in-entitlements webcredentials:*.example.com",
      ])
    let without = try findings(["applinks:example.com"]).filter { $0.contains("s:*.example.com") }
    #expect(without.allSatisfy { $0.hasPrefix("error not-in-entitlements") } && without.count == 2)
  }

  @Test func aNameWithOtherLettersIsNotedAsReported() throws {
    for entry in ["applinks:bücher.example", "applinks:xn--bcher-kva.example"] {
      let found = try messages(entry, [entry])
      #expect(found.contains { $0.contains("not confirmed by Apple") })
      let isWrittenOut = entry.contains("ü")
      #expect(
        found.contains { $0.contains("write applinks:xn--bcher-kva.example") } == isWrittenOut)
    }
  }

  /// Devices get no file there, so it is not compared either.
  @Test func aNameOfAServiceThatGoogleEndedIsNamed() throws {
    #expect(
      try findings(["applinks:a.page.link"], "--app", "ABCDE12345.x")
        == ["warning dynamic-links applinks:a.page.link"])
  }

  @Test func theServicesOfMessagesAreEntries() throws {
    #expect(
      try findings(
        ["messagefilter:a.example", "classificationreport:a.example"], "--app", "ABCDE12345.x")
        == [
          "error app-not-named messagefilter:a.example",
          "error app-not-named classificationreport:a.example",
        ])
  }

  @Test func aDomainThatDoesNotNameTheAppIsNamed() throws {
    let found = try findings(["applinks:a.example", "appclips:a.example"], "--app", "ABCDE12345.x")
    #expect(
      found == [
        "error app-not-named applinks:a.example", "error app-not-named appclips:a.example",
      ])
  }

  /// A domain for tests need not be in the app for customers.
  @Test func domainsThatNameTheAppAreMissedInIt() throws {
    #expect(
      try findings(["applinks:*.a.example", "applinks:a.example"]) == [
        "error not-in-entitlements webcredentials:a.example",
        "error not-in-entitlements webcredentials:www.a.example",
        "note not-in-entitlements webcredentials:*.go.a.example",
        "note not-in-entitlements applinks:b.example",
      ])
  }

  @Test func aModeIsExplained() throws {
    let entries = ["applinks:b.example?mode=developer", "applinks:a.example?mode=managed"]
    let isRelease = identifier + "<key>get-task-allow</key><false/>"
    for (more, severity) in [(identifier, "note"), (isRelease, "error")] {
      let found = try findings(entries, more: more).filter { $0.contains("mode-") }
      #expect(
        found == [
          "\(severity) mode-developer applinks:b.example?mode=developer",
          "note mode-managed applinks:a.example?mode=managed",
        ])
    }
    let both = try findings(
      ["applinks:b.example?mode=developer+managed", "applinks:b.example"], more: isRelease)
    #expect(both.first == "note mode-developer-managed applinks:b.example?mode=developer+managed")
  }

  @Test(arguments: [
    ("developer", "only devices in developer mode read it"),
    ("managed", "management server associates"),
    ("developer+managed", "or managed devices read it"),
  ])
  func whoReadsAnEntryWithAModeIsSaidAndWhoElseNeedsOne(mode: String, words: String) throws {
    let (plain, entry) = ("applinks:b.example", "applinks:b.example?mode=\(mode)")
    for (entries, rest) in [
      ([entry], "add \(plain) for a release."),
      ([entry, plain], "\(plain) covers everybody else."),
    ] {
      let found = try messages(entry, entries)
      #expect(found.count == 1 && found[0].contains(words) && found[0].hasSuffix(rest), "\(found)")
    }
  }

  @Test func anAppForTheMacHasAnotherKeyForItsIdentifier() throws {
    let key = "<key>com.apple.application-identifier</key><string>ABCDE12345.x</string>"
    #expect(
      try findings(["applinks:a.example"], more: key) == ["error app-not-named applinks:a.example"])
  }

  @Test(arguments: [
    ("a.example", "An entry is a service, a colon and a domain."),
    ("links:a.example", "The services are applinks, "),
    ("applinks:https://a.example", "https"), ("applinks:a.example/path", "path"),
    ("applinks:a.example:443", "port"), ("applinks:", "empty"),
    ("applinks:a.example?mode=debug", "Only ?mode=developer"),
    ("applinks:a.example?mode", "Only ?mode=developer"),
    ("applinks:a.example?developer", "Only ?mode=developer"),
    ("applinks:localhost", "no public name"),
    ("applinks:a.example webcredentials:a.example", "several entries"),
    ("appclips:*.a.example", "wildcards"),
  ])
  func anEntryThatTheSystemIgnoresIsAnError(entry: String, words: String) throws {
    let found = try findings([entry], "--app", "ABCDE12345.x")
    let code = entry.contains("*") ? "wildcard-app-clip" : "malformed-entry"
    #expect(found == ["error \(code) \(entry)"])
    let messages = try messages(entry, [entry], app: "ABCDE12345.x")
    #expect(messages.first?.contains(words) == true, "\(messages)")
  }

  @Test func aValueThatTheBuildPutsInIsNoMistake() throws {
    let found = try findings(["applinks:$(HOST)"])
    #expect(found.first == "warning placeholder applinks:$(HOST)")
    // It may be any of those of its service that are missed.
    let missed = found.filter { $0.contains("not-in-entitlements") }
    let ofLinks = missed.filter { $0.contains(" applinks:") }
    #expect(!ofLinks.isEmpty && ofLinks.allSatisfy { $0.hasPrefix("note ") }, "\(missed)")
    #expect(missed.contains("error not-in-entitlements webcredentials:a.example"), "\(missed)")
  }

  @Test func aVariableInBracesIsNoMistakeEither() throws {
    #expect(try findings(["applinks:${HOST}"]).first == "warning placeholder applinks:${HOST}")
  }

  @Test(arguments: [
    ("https://shop.example/a", "write applinks:shop.example."),
    ("shop.example", "write applinks:shop.example."),
    ("applink:shop.example", nil), ("nothing", nil),
  ])
  func anEntryWithoutAServiceIsToldTheWholeOne(entry: String, words: String?) throws {
    let message = try messages(entry, [entry]).first ?? ""
    #expect(message.contains("An entry is a service"), "\(message)")
    #expect(message.contains("For links, write") == (words != nil), "\(message)")
    if let words { #expect(message.hasSuffix(words), "\(message)") }
  }

  @Test func theKeyInACommentIsPointedAt() throws {
    let list = Self.plist(["applinks:a.example"])
    let commented = list.replacing(
      "<key>com.apple.developer.a", with: "<!-- <key>com.apple.developer.a"
    )
    .replacing("</array>", with: "</array> -->")
    let path = try trial.scratch.write(commented, to: "commented")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(
      result.output.contains("The key stands in a comment"), "\(result.output)\(result.errors)")
  }

  @Test func onlyTheOutermostKeyIsRepeated() throws {
    func output(_ more: String) throws -> String {
      let path = try trial.scratch.write(
        Self.plist(["applinks:a.example"], more: more), to: "twice")
      return try trial.run("entitlements", at: .database, path).output
    }
    let key = "<key>com.apple.developer.associated-domains</key><array/>"
    #expect(try output(key).contains("duplicate-key"))
    #expect(try !output("<key>a</key><dict>\(key)</dict>").contains("duplicate-key"))
  }

  @Test(arguments: [
    ("PRODUCT_BUNDLE_IDENTIFIER = com.example.app;", "CODE_SIGN_ENTITLEMENTS"),
    ("export default { ios: { associatedDomains: [] } };", "npx expo config --json"),
  ])
  func aFileOfTheProjectLeadsToTheRightOne(text: String, words: String) throws {
    let path = try trial.scratch.write(text, to: "project")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(result.status == 1 && result.errors.contains(words), "\(result.errors)")
  }

  @Test func theIdentifierOfAnAppNeedsItsPrefix() throws {
    let path = try trial.scratch.write(
      "<plist version=\"1.0\"><dict></dict></plist>", to: "without-prefix")
    let result = try trial.run(
      "entitlements", at: .database, words: ["--app", "com.example.app", path])
    #expect(
      result.status == 64 && result.errors.contains("ABCDE12345.com.example.app"),
      "\(result.errors)"
    )
  }

  @Test func anAppWithoutEntriesIsToldSoWithTheMisspelledKey() throws {
    let empty = try trial.scratch.write(
      "<plist version=\"1.0\"><dict>\(identifier)</dict></plist>", to: "empty")
    let none = try trial.run("entitlements", at: .database, empty)
    #expect(none.output.contains("warning no-entries"), "\(none.output)")
    let misspelled = try trial.scratch.write(
      "<plist version=\"1.0\"><dict><key>com.apple.developer.associated-domain</key>"
        + "<array><string>applinks:a.example</string></array></dict></plist>", to: "misspelled")
    let result = try trial.run("entitlements", at: .database, misspelled)
    #expect(result.status == 1, "\(result.output)")
    #expect(result.output.contains("Write com.apple.developer.associated-domains."))
  }

  @Test func aTextInPlaceOfTheListIsWhatReSigningLeaves() throws {
    let key = "<key>com.apple.developer.associated-domains</key><string>*</string>"
    let path = try trial.scratch.write(
      "<plist version=\"1.0\"><dict>\(identifier)\(key)</dict></plist>", to: "resigned")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(result.status == 1 && result.output.contains("no-list"), "\(result.output)")
    let entry = try trial.scratch.write(
      "<plist version=\"1.0\"><dict>\(identifier)\(key.replacing("*", with: "applinks:a.example"))</dict></plist>",
      to: "entry")
    let single = try trial.run("entitlements", at: .database, entry)
    #expect(single.status == 1 && single.output.contains("Write an array"), "\(single.output)")
    let profile = try trial.scratch.write(
      "<plist version=\"1.0\"><dict><key>Entitlements</key><dict>\(key)</dict></dict></plist>",
      to: "profile")
    let other = try trial.run("entitlements", at: .database, profile)
    #expect(other.status == 1 && other.errors.contains("is a provisioning profile"))
  }

  @Test func theAppHasTheEntryOfItsAppClipWhichTheFileNamesAlone() throws {
    let clip: JSON = ["appclips": ["apps": [.string("\(app).Clip")]]]
    let put = try trial.server.client().send("PUT", "/v1/domains/clip.example/file", json: clip)
    #expect(put.status == 201, "\(put.text)")
    let found = try findings(Self.complete + ["applinks:b.example", "appclips:clip.example"])
    #expect(!found.contains { $0.contains("clip.example") }, "\(found)")
  }

  @Test func withoutTheAppOnlyDomainsAreCompared() throws {
    let project = "<key>application-identifier</key><string>$(AppIdentifierPrefix)x</string>"
    for more in ["", project] {
      #expect(
        try findings(["applinks:a.example", "appclips:a.example"], more: more)
          == ["note app-unknown "])
    }
    #expect(
      try findings(["applinks:c.example"], more: "").last == "error not-hosted applinks:c.example")
  }

  @Test func peopleGetALinePerFinding() throws {
    let path = try trial.scratch.write(
      Self.plist(["applinks:c.example"], more: identifier), to: "App.entitlements")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(result.status == 1)
    #expect(result.lines.first == "\(path): not valid, 1 associated domain, app \(app)")
    #expect(
      result.lines.dropFirst().first?.hasPrefix(
        "  error not-hosted applinks:c.example: No domain is published here for c.example.") == true
    )
  }

  /// What older systems print has a header before the XML.
  @Test func theHeaderOfCodesignIsSkipped() throws {
    let header: [UInt8] = [0xFA, 0xDE, 0x71, 0x71, 0, 0, 1, 0]
    let file = Self.plist(["applinks:a.example"])
    let result = try trial.run(
      "entitlements", at: .database, "-", input: header + Array(file.utf8))
    #expect(result.status == 0 && result.lines[0] == "-: valid, 1 associated domain")
  }

  @Test func aShortFormOfTheKeyIsNoCommandOfAServer() throws {
    let text = "<plist><dict><key>AssociatedDomains</key><array/></dict></plist>"
    let path = try trial.scratch.write(text, to: "a.entitlements")
    #expect(try trial.run("entitlements", at: .database, path).output.contains("unknown-key"))
  }

  @Test(arguments: [
    ("", "an XML property list"), ("{}", "an XML property list"), ("bplist00", "plutil -convert"),
    ("<plist", "an XML property list"), ("<plist><array/></plist>", "with a dictionary"),
    (
      "<plist><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>",
      "is an Info.plist"
    ),
    (
      "<plist><dict><key>PayloadType</key><string>com.apple.associated-domains</string></dict></plist>",
      "is a configuration profile of a management server, which adds domains"
    ),
    (
      "<plist><dict><key>PayloadType</key><string>com.apple.wifi.managed</string></dict></plist>",
      "is a configuration profile. Give"
    ),
    (
      "<plist><dict><key>Attributes</key><dict><key>AssociatedDomains</key><array><string>a.example</string></array></dict>"
        + "</dict></plist>", "is for a management server"
    ),
    (
      "<plist><dict><key>a</key><string>applinks:a.example?mode=developer&x</string></dict></plist>",
      "`&amp;`"
    ), ("text", "an XML property list"), ("deep", "more than 1000 lists"), ("huge", "too large"),
  ])
  func aFileThatIsNoneIsNamed(text: String, words: String) throws {
    let content =
      switch text {
      case "deep":
        "<plist version=\"1.0\"><dict><key>a</key>" + String(repeating: "<array>", count: 100_000)
      case "huge": Self.plist([String(repeating: "a", count: 1_100_000)])
      default: text
      }
    let path = try trial.scratch.write(content, to: "hostile")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("\"\(path)\" is ") && result.errors.contains(words)
        && result.errors.hasSuffix("\n"),
      "\(result.errors)")
  }

  @Test(arguments: [
    ("<integer>1</integer>", "error no-list"), ("<dict/>", "error no-list"),
    (
      "<array><string>applinks:a.example</string><integer>1</integer></array>",
      "error malformed-entry (no text)"
    ),
  ])
  func aValueThatIsNoTextIsNamed(value: String, finding: String) throws {
    let key = "<key>com.apple.developer.associated-domains</key>"
    let path = try trial.scratch.write(
      "<plist version=\"1.0\"><dict>\(key)\(value)<key>get-task-allow</key><string>x</string></dict></plist>",
      to: "wrong")
    let result = try trial.run("entitlements", at: .database, path)
    #expect(
      result.status == 1 && result.output.contains(finding), "\(result.output)\(result.errors)")
  }

  @Test func whatIsWrongWithAnEntryIsNamed() throws {
    let message = { (entry: String) in
      let path = try trial.scratch.write(Self.plist([entry]), to: "entry")
      return try trial.run("entitlements", at: .database, path).output
    }
    #expect(try message("applinks:a:example").contains("has a colon"))
    #expect(try message("applinks:a.example:8443").contains("has a port"))
    #expect(try message("applinks:a.example,applinks:b.example").contains("several entries"))
    #expect(try message("applinks:a.example applinks:b.example").contains("several entries"))
    #expect(try message("applinks:a.example/shop/*").contains("has a path"))
    #expect(try message("AppLinks:a.example").contains("Write applinks:a.example."))
    #expect(try message("webcredential:a.example").contains("Write webcredentials:a.example."))
    // No release can have it.
    #expect(try !message("applinks:localhost?mode=developer").contains("for a release"))
  }

  @Test func aMissingFileDoesNotHideTheOthers() throws {
    let path = try trial.scratch.write(Self.plist(["applinks:a.example"]), to: "App.entitlements")
    let result = try trial.run("entitlements", at: .database, "/nowhere", path)
    #expect(result.status == 1 && result.lines.first?.hasPrefix("\(path): valid") == true)
    #expect(result.errors.hasPrefix("Cannot read \"/nowhere\""))
    #expect(try Program.aasa("entitlements").status == 64)
  }

  @Test func withoutADatabaseTheFileItselfIsChecked() throws {
    let scratch = try TemporaryDirectory()
    let fine = try scratch.write(Self.plist(["applinks:a.example"]), to: "fine.entitlements")
    let alone = try Program.aasa("entitlements", fine, in: scratch)
    #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone.errors)")
    #expect(alone.output.contains("note not-compared"))
    let wrong = try scratch.write(Self.plist(["applinks:https://a.example"]), to: "wrong")
    let found = try Program.aasa("entitlements", wrong, in: scratch)
    #expect(found.status == 1 && found.output.contains("error malformed-entry"), "\(found.output)")
    // What is chosen must be there, and so must what a list is made of.
    let chosen = try Program.aasa("entitlements", fine, "--database", "none.db", in: scratch)
    #expect(chosen.status == 1 && chosen.errors.contains("No database at"))
    let list = try Program.aasa("entitlements", "--plist", "--app", app, in: scratch)
    #expect(list.status == 1 && list.errors.contains("There is no database"), "\(list.errors)")
  }

  @Test func theEntriesOfAnExpoProjectAreThoseOfItsApp() throws {
    func run(_ ios: JSON, _ words: String...) throws -> JSON {
      let result = try trial.run(
        "entitlements", at: .database, words: ["--json"] + words + ["-"],
        input: Array((["expo": ["ios": ios]] as JSON).text.utf8))
      return try JSON.parse(result.bytes).value
    }
    let team = app.prefix { $0 != "." }
    let report = try run([
      "bundleIdentifier": .string(String(app.dropFirst(team.count + 1))),
      "appleTeamId": .string(String(team)),
      "associatedDomains": .strings(Self.complete + ["applinks:c.example"]),
    ])
    #expect(report["app"] == .string(app))
    #expect(report["entries"] == .strings(Self.complete + ["applinks:c.example"]))
    let asFile = try findings(Self.complete + ["applinks:c.example"])
    #expect(report["findings"]?.arrayValue?.count == asFile.count)
    let misspelled = try run(["bundleIdentifier": "com.example.app", "associateddomains": []])
    let codes = misspelled["findings"]?.arrayValue?.compactMap { $0["code"]?.stringValue } ?? []
    #expect(codes == ["app-unknown", "unknown-key"], "\(codes)")
    let misplaced = try run([
      "bundleIdentifier": "com.example.app",
      "infoPlist": ["com.apple.developer.associated-domains": ["applinks:a.example"]],
    ])
    #expect(
      misplaced["findings"]?.arrayValue?.last?["message"]?.stringValue?.contains(
        "\"expo.ios.infoPlist\"") == true)
    let message = misspelled["findings"]?.arrayValue?.last?["message"]?.stringValue
    #expect(message?.contains("Write associatedDomains.") == true)
  }
}
