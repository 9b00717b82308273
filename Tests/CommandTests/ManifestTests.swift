import Foundation
import Association
import TestSupport
import Testing

/// `aasa manifest`: what an Android app's manifest names against what is published.
@Suite struct ManifestTests {
  private let trial: StateTrial
  private static let package = "com.example.shop"
  private static let fingerprint =
    "F8:8B:E4:93:BF:67:34:99:B9:E3:D8:D0:5E:85:9B:65:E1:7E:C4:A5:47:F5:60:A5:FD:E5:94:D3:D1:0E:62:F3"

  /// a.example and www.a.example have rules for the app; b.example is for tests and has none.
  init() throws {
    trial = try StateTrial()
    try put(
      "/v1/android-apps/\(Self.package)",
      ["fingerprints": [["sha256": .string(Self.fingerprint), "label": "play-signing"]]])
    try put(
      "/v1/domains/a.example/documents/assetlinks.json",
      Self.file([["/": "/buy/private/*", "exclude": true], ["/": "/buy/*"], ["/": "/help"]]))
    try put("/v1/domains/b.example/documents/assetlinks.json", Self.file(nil))
    for (domain, change) in [
      ("a.example", ["aliases": ["www.a.example"]] as JSON),
      ("b.example", ["environment": "staging", "expectations": []]),
    ] {
      let answer = try trial.server.client().send("PATCH", "/v1/domains/\(domain)", json: change)
      guard answer.status == 200 else { throw StateTrial.NotSetUp(problem: answer.text) }
    }
  }

  private func put(_ path: String, _ body: JSON) throws {
    let answer = try trial.server.client().send("PUT", path, json: body)
    guard (200...201).contains(answer.status) else {
      throw StateTrial.NotSetUp(problem: answer.text)
    }
  }

  private static func file(_ rules: JSON?) -> JSON {
    var statement: JSON.Object = [
      "relation": ["delegate_permission/common.handle_all_urls"],
      "target": [
        "namespace": "android_app", "package_name": .string(package),
        "sha256_cert_fingerprints": [.string(fingerprint)],
      ],
    ]
    if let rules {
      statement["relation_extensions"] = [
        "delegate_permission/common.handle_all_urls": ["dynamic_app_link_components": rules]
      ]
    }
    return [.object(statement)]
  }

  /// A filter with all that App Links need, and `data`.
  private static func filter(
    _ data: String, attributes: String = "android:autoVerify=\"true\"", without: String = ""
  ) -> String {
    let parts = [
      "<action android:name=\"android.intent.action.VIEW\"/>",
      "<category android:name=\"android.intent.category.DEFAULT\"/>",
      "<category android:name=\"android.intent.category.BROWSABLE\"/>",
      "<data android:scheme=\"http\"/>", "<data android:scheme=\"https\"/>",
    ].filter { without.isEmpty || !$0.contains(without) }
    return "<intent-filter \(attributes)>\(parts.joined())\(data)</intent-filter>"
  }

  private static func hosts(_ names: String...) -> String {
    names.map { "<data android:host=\"\($0)\"/>" }.joined()
  }

  /// A manifest with a path that hardly any link has, and the finding.
  private static func unlikely(_ attribute: String, _ path: String) -> (String, String) {
    let data = "<data android:\(attribute)=\"\(path)\"/>"
    return (
      manifest(filter(hosts("a.example") + data)), "warning unlikely-path \(attribute)=\(path)"
    )
  }

  private static func group(_ isAllowed: Bool, _ path: String) -> String {
    "<uri-relative-filter-group android:allow=\"\(isAllowed)\"><data android:pathPrefix=\"\(path)\"/>"
      + "</uri-relative-filter-group>"
  }

  private static func manifest(
    _ filters: String..., package: String = "package=\"\(package)\"",
    activity: String = "android:exported=\"true\""
  ) -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>
    <manifest xmlns:android="http://schemas.android.com/apk/res/android" \(package)><application>
    <activity android:name=".Main" \(activity)>\(filters.joined())</activity></application></manifest>
    """
  }

  /// Hosts and paths that need nothing else.
  private static let complete = manifest(
    filter(
      hosts("a.example", "www.a.example")
        + "<data android:pathPrefix=\"/buy/\"/><data android:path=\"/help\"/>"),
    filter(hosts("b.example")))

  private func report(
    _ manifest: [UInt8], _ words: [String] = [], at site: StateTrial.Site = .database
  ) throws -> JSON {
    let result = try trial.run(
      "manifest", at: site, words: ["--json"] + words + ["-"], input: manifest)
    #expect(result.errors.isEmpty, "\(result.errors)")
    let report = try JSON.parse(result.bytes).value
    #expect(result.status == (report["valid"] == true ? 0 : 1))
    return report
  }

  /// "severity code entry" of each finding.
  private func findings(
    _ manifest: String, _ words: String..., at site: StateTrial.Site = .database
  ) throws -> [String] {
    try findings(of: report(Array(manifest.utf8), words, at: site))
  }

  private func findings(of report: JSON) -> [String] {
    (report["findings"]?.arrayValue ?? []).map { finding in
      let text = { finding[$0]?.stringValue ?? "" }
      #expect(text("message").hasSuffix(".") || text("message").hasSuffix("-"))
      return "\(text("severity")) \(text("code")) \(text("entry"))"
    }
  }

  private func messages(_ manifest: String, _ code: String) throws -> [String] {
    (try report(Array(manifest.utf8))["findings"]?.arrayValue ?? [])
      .filter { $0["code"]?.stringValue == code }.compactMap { $0["message"]?.stringValue }
  }

  /// The rest of what a.example and b.example need, so that only what a test changes is found.
  private static let fine = [
    "note opens-before-android-15 a.example", "note opens-before-android-15 www.a.example",
  ]

  // MARK: - Against what is published

  @Test(arguments: StateTrial.Site.allCases)
  func aManifestThatNamesAllLinksIsFine(site: StateTrial.Site) throws {
    let report = try report(Array(Self.complete.utf8), at: site)
    #expect(findings(of: report) == Self.fine)
    #expect(report["valid"] == true && report["package"]?.stringValue == Self.package)
    #expect(
      report["hosts"]?.arrayValue?.compactMap { $0["host"]?.stringValue } == [
        "a.example", "www.a.example", "b.example",
      ])
    // Android 14 does not know the exclusion.
    let message = try #require(
      try messages(Self.complete, "opens-before-android-15").first)
    #expect(message.contains("https://a.example/buy/private/"))
  }

  @Test func aLinkThatTheManifestLeavesOutIsNamedWithItsRule() throws {
    let narrow = Self.manifest(
      Self.filter(
        Self.hosts("a.example", "www.a.example")
          + "<data android:pathPattern=\"/buy/[0-9].*\"/><data android:pathSuffix=\"p\"/>"),
      Self.filter(Self.hosts("b.example") + "<data android:pathPrefix=\"/b\"/>"))
    let found = try messages(narrow, "manifest-narrows")
    // /help ends in p.
    #expect(found.count == 2)
    let url = try #require(found.first?.firstMatch(of: /https:\/\/a\.example(\/\S*)/)?.1)
    #expect(url.hasPrefix("/buy/") && !url.hasPrefix("/buy/private/") && !url.hasSuffix("p"))
    #expect(found.first?.contains("the path \"/buy/*\"") == true)
    // b.example has no rules, so that its manifest may leave links out.
    #expect(try findings(narrow).contains("note manifest-decides b.example"))
    let report = try report(Array(narrow.utf8))["findings"]?.arrayValue ?? []
    #expect(report.contains { $0["url"]?.stringValue == "https://a.example\(url)" })
    // For people, what repeats is printed once.
    let text = try trial.run("manifest", at: .server, "-", input: Array(narrow.utf8))
    #expect(text.status == 1)
    #expect(text.lines.count { $0.contains("error manifest-narrows") } == 1, "\(text.output)")
    #expect(text.output.contains("    The same for www.a.example."))
    #expect(text.lines.first == "-: not valid, 3 hosts, app \(Self.package)")
    #expect(
      text.lines.dropFirst().first
        == "  a.example: autoVerify, pathPattern=/buy/[0-9].* pathSuffix=p")
  }

  @Test func filtersOfAHostAddUpAndWildcardsCoverHosts() throws {
    let wide = Self.manifest(
      Self.filter(Self.hosts("a.example", "*.a.example") + "<data android:path=\"/help\"/>"),
      Self.filter(
        Self.hosts("www.a.example", "a.example") + "<data android:pathPrefix=\"/buy/\"/>"),
      Self.filter(Self.hosts("b.example")))
    #expect(
      try findings(wide).filter { $0.contains("narrows") } == [
        // Only www.a.example has the second filter's paths.
        "error manifest-narrows *.a.example"
      ])
  }

  @Test func anActivityThatIsNotEnabledOpensNoLink() throws {
    let filter = Self.filter(Self.hosts("a.example", "www.a.example"))
    let disabled = "android:enabled=\"false\""
    let manifests = [
      Self.manifest(filter, activity: disabled),
      Self.manifest(filter).replacing("<application>", with: "<application \(disabled)>"),
    ]
    for manifest in manifests {
      #expect(try findings(manifest).count { $0.hasPrefix("error not-enabled ") } == 2)
    }
    #expect(try !findings(Self.manifest(filter)).contains { $0.contains("not-enabled") })
    // Another activity opens them.
    let alias = manifests[0].replacing(
      "</activity>",
      with: "</activity><activity-alias android:name=\".Links\">\(filter)</activity-alias>")
    #expect(try !findings(alias).contains { $0.contains("not-enabled") })
  }

  @Test func groupsCountFromAndroid15On() throws {
    let groups = """
      <data android:path="/.no-links-before-android-15"/>
      <uri-relative-filter-group android:allow="false"><data android:path="/help"/></uri-relative-filter-group>
      <uri-relative-filter-group android:allow="true"><data android:pathPrefix="/"/></uri-relative-filter-group>
      """
    let manifest = Self.manifest(
      Self.filter(Self.hosts("a.example", "www.a.example") + groups),
      Self.filter(Self.hosts("b.example")))
    let found = try messages(manifest, "manifest-narrows")
    #expect(found.count == 2 && found.allSatisfy { $0.contains("example/help by") })
    // No link of a rule has the one path that older versions know.
    #expect(
      try messages(manifest, "opens-before-android-15").allSatisfy {
        $0.contains("/.no-links-before-android-15")
      })
  }

  @Test func hostsThatNoFileNamesAreNamed() throws {
    let disabled = try trial.server.client().send(
      "PATCH", "/v1/domains/b.example?accept=opens-nothing", json: ["enabled": false])
    #expect(disabled.status == 200)
    let apply: JSON = ["domains": [StateTrial.domain("c.example", ["/a"])]]
    #expect(try trial.server.client().send("POST", "/v1/apply", json: apply).status == 200)
    let manifest = Self.manifest(
      Self.filter(
        Self.hosts(
          "a.example", "www.a.example", "b.example", "c.example", "d.example", "*.e.example")))
    #expect(
      try findings(manifest).filter { $0.hasPrefix("error") } == [
        "error disabled b.example", "error no-android-file c.example", "error not-hosted d.example",
        "error not-hosted *.e.example",
      ])
    let other = try findings(manifest, "--app", "com.example.shop.debug")
    #expect(other.contains("error app-not-named a.example"))
  }

  @Test func publishedHostsThatTheManifestLacksAreNamed() throws {
    let manifest = Self.manifest(Self.filter(Self.hosts("a.example")))
    #expect(
      try findings(manifest).filter { $0.contains("not-in-manifest") } == [
        "error not-in-manifest www.a.example", "note not-in-manifest b.example",
      ])
    // Without a package, only hosts are compared.
    let unknown = Self.manifest(Self.filter(Self.hosts("a.example")), package: "")
    #expect(try findings(unknown) == ["note app-unknown "])
    #expect(
      try findings(unknown, "--app", Self.package).contains("error not-in-manifest www.a.example"))
  }

  // MARK: - The manifest by itself

  /// Each fault of a filter, with its finding.
  private static let faults: [(manifest: String, finding: String)] = [
    (manifest(filter(hosts("a.example"), without: "VIEW")), "error missing-view a.example"),
    (
      manifest(filter(hosts("a.example"), without: "BROWSABLE")),
      "error missing-browsable a.example"
    ),
    (manifest(filter(hosts("a.example"), without: "DEFAULT")), "error missing-default a.example"),
    (manifest(filter(hosts("a.example"), attributes: "")), "error no-auto-verify a.example"),
    (
      manifest(filter(hosts("a.example"), attributes: "android:autoVerify=\"false\"")),
      "error no-auto-verify a.example"
    ),
    (manifest(filter(hosts("a.example"), without: "https")), "error https-missing a.example"),
    (manifest(filter(hosts("a.example"), without: "scheme")), "error no-scheme a.example"),
    (
      manifest(filter(hosts("a.example") + "<data android:scheme=\"shop\"/>")),
      "error custom-scheme a.example"
    ),
    (
      manifest(filter(hosts("a.example") + "<data android:mimeType=\"text/html\"/>")),
      "error mime-type a.example"
    ),
    (
      manifest(filter(hosts("a.example")), activity: "android:exported=\"false\""),
      "error not-exported a.example"
    ),
    (
      manifest(filter("<data android:host=\"a.example\" android:port=\"8443\"/>")),
      "warning port a.example"
    ),
    (manifest(filter("")), "error no-host "),
    (manifest(filter("<data android:path=\"/a\"/>")), "warning path-without-host path=/a"),
    (manifest(filter(hosts("*"))), "error malformed-host *"),
    (manifest(filter(hosts("https://a.example"))), "error malformed-host https://a.example"),
    (manifest(filter(hosts("A.example"))), "warning upper-case-host A.example"),
    (manifest(filter(hosts("a.page.link"))), "warning dynamic-links a.page.link"),
    (manifest(filter(hosts("${host}"))), "warning placeholder ${host}"),
    (manifest(filter(hosts("@string/host"))), "warning placeholder @string/host"),
    (
      manifest(filter(hosts("a.example") + "<data android:pathPrefix=\"${path}\"/>")),
      "warning placeholder ${path}"
    ),
    (
      manifest(filter(hosts("a.example") + "<data android:pathPrefix=\"buy\"/>")),
      "warning path-without-slash pathPrefix=buy"
    ),
    (
      manifest(filter(hosts("a.example") + "<data android:pathAdvancedPattern=\"/[a\"/>")),
      "error malformed-pattern pathAdvancedPattern=/[a"
    ),
    unlikely("pathPrefix", "/item/*"),
    unlikely("pathPattern", "/item/*"),
    unlikely("path", "/item?id=1"),
    unlikely("pathPattern", "/item/[0-9]*"),
    unlikely("path", "/item/{id}"),
    unlikely("pathPrefix", "/item/:id"),
    unlikely("pathPrefix", "/a.example/item"),
    (
      manifest(filter(hosts("a.example") + "<data android:pathPrefix=\"buy\"/>")),
      "error no-path a.example"
    ),
    unlikely("pathPrefix", "/a%20b"),
    unlikely("pathPattern", "*"),
    unlikely("pathPattern", "/p/.+"),
    unlikely("pathAdvancedPattern", "/(en|de)/p/.*"),
    unlikely("pathAdvancedPattern", "^/p/[0-9]+$"),
    unlikely("pathAdvancedPattern", "/p/(?!x).*"),
    (
      manifest(
        filter(
          "<data android:host=\"a.example\" android:pathPrefix=\"/some\"/>"
            + "<data android:host=\"b.example\" android:pathPrefix=\"/\"/>")),
      "warning combined-data a.example"
    ),
    (manifest(filter(hosts("a.example") + group(false, "/private"))), "error no-path a.example"),
    (
      manifest(
        filter(hosts("a.example") + "<data android:pathPrefix=\"/\"/>" + group(false, "/private"))),
      "warning idle-group a.example"
    ),
    (
      manifest(filter(hosts("a.example") + group(true, "/") + group(false, "/private"))),
      "warning idle-group a.example"
    ),
    (manifest(filter(hosts("localhost"))), "error malformed-host localhost"),
    (manifest(), "error no-links "),
  ]

  @Test func aSchemeInCapitalLettersIsNamed() throws {
    let upper = Self.filter(
      Self.hosts("a.example") + "<data android:scheme=\"HTTPS\"/>", without: "scheme")
    #expect(try messages(Self.manifest(upper), "no-links").first?.contains("HTTPS") == true)
    let beside = Self.filter(Self.hosts("a.example") + "<data android:scheme=\"HTTPS\"/>")
    let message = try messages(Self.manifest(beside), "custom-scheme").first
    #expect(message?.contains("Write https alone, in lower case.") == true)
  }

  @Test(arguments: [
    ("pathPattern", "/wiki/.*_(film)"), ("pathPattern", "/x/\\\\[a\\\\]"), ("pathSuffix", ":join"),
    ("pathPattern", "/item/.*"), ("path", "/item/a.example"),
  ])
  func aPathThatLinksHaveIsNoMistake(attribute: String, path: String) throws {
    let data = "<data android:\(attribute)=\"\(path)\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example") + data)))
    #expect(!found.contains { $0.contains("no-path") || $0.contains("unlikely-path") }, "\(found)")
  }

  @Test(arguments: [
    hosts("a.example") + group(false, "/private") + group(true, "/"),
    hosts("a.example") + group(true, "/shop") + group(false, "/private"),
    "<data android:host=\"a.example\" android:pathPrefix=\"/p\"/><data android:host=\"b.example\" "
      + "android:pathPrefix=\"/p\"/>",
    hosts("a.example", "b.example") + "<data android:pathPrefix=\"/p\"/>",
  ])
  func whatAFilterCombinesOnPurposeIsNoMistake(data: String) throws {
    let found = try findings(Self.manifest(Self.filter(data)))
    #expect(
      !found.contains { $0.contains("combined") || $0.contains("idle") || $0.contains("no-path") })
  }

  @Test func ofManyHostsAnExampleIsAlwaysTheSame() throws {
    let names = ["f", "e", "d", "c", "b"]
    let data = names.map { "<data android:host=\"\($0).example\" android:path=\"/\($0)\"/>" }
    let manifest = Self.manifest(
      Self.filter(data.joined() + "<data android:host=\"a.example\" android:path=\"/a\"/>"))
    let said = try messages(manifest, "combined-data")
    let beside = said.compactMap { $0.split(separator: " ").first { $0.hasSuffix(".example,") } }
    #expect(beside.count { $0 == "a.example," } == 5 && beside.count == 6, "\(said)")
  }

  @Test func aFilterForFilesOfEveryHostIsNoMistake() throws {
    let files = Self.filter(
      Self.hosts("*") + "<data android:mimeType=\"application/pdf\"/>", attributes: "")
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example")), files))
    #expect(!found.contains { $0.contains("malformed-host") }, "\(found)")
    let verified = try findings(Self.manifest(Self.filter(Self.hosts("*"))))
    #expect(verified.contains("error malformed-host *"))
  }

  @Test func aHostBelowAVerifiedWildcardIsNoError() throws {
    let below = Self.filter(Self.hosts("x.a.example"), attributes: "")
    let found = try findings(Self.manifest(below + Self.filter(Self.hosts("*.a.example"))))
    #expect(found.contains("note verified-by-wildcard x.a.example"), "\(found)")
    #expect(!found.contains("error no-auto-verify x.a.example"))
    let other = try findings(Self.manifest(below + Self.filter(Self.hosts("*.b.example"))))
    #expect(other.contains("error no-auto-verify x.a.example"), "\(other)")
  }

  @Test func autoVerifyIsReadAsTheBuildReadsIt() throws {
    let upper = Self.filter(Self.hosts("a.example"), attributes: "android:autoVerify=\"True\"")
    #expect(try !findings(Self.manifest(upper)).contains("error no-auto-verify a.example"))
  }

  @Test(arguments: ["@bool/verify", "${verify}"])
  func anAutoVerifyThatTheBuildFillsInIsNotGuessed(value: String) throws {
    let filter = Self.filter(
      Self.hosts("a.example"), attributes: "android:autoVerify=\"\(value)\"")
    let found = try findings(Self.manifest(filter))
    #expect(found.contains("warning placeholder \(value)"), "\(found)")
    #expect(!found.contains { $0.contains("no-auto-verify") }, "\(found)")
  }

  @Test func aNavigationGraphHasFiltersThatTheFileDoesNotSay() throws {
    let graph = "<nav-graph android:value=\"@navigation/main\"/>"
    let found = try findings(Self.manifest(graph))
    #expect(found.contains("warning placeholder @navigation/main"), "\(found)")
    #expect(!found.contains { $0.hasPrefix("error") }, "\(found)")
  }

  @Test func theFileOfAWildcardIsForTheNamesBelow() throws {
    let filter = Self.filter(Self.hosts("*.a.example", "b.example", "www.a.example"))
    let found = try findings(Self.manifest(filter))
    #expect(found.contains("note not-in-manifest a.example"), "\(found)")
  }

  @Test(arguments: [
    (".*\\\\.html", "warning", "/a.a.html"), ("/users/.*/posts", "note", "/users/a/a/posts"),
  ])
  func aStarInsideAPatternIsNotTriedAgain(path: String, severity: String, missed: String) throws {
    let data = "<data android:pathPattern=\"\(path)\"/>"
    let manifest = Self.manifest(Self.filter(Self.hosts("a.example") + data))
    let found = try findings(manifest)
    #expect(found.contains { $0.hasPrefix("\(severity) inner-star pathPattern=") }, "\(found)")
    #expect(try messages(manifest, "inner-star").allSatisfy { $0.contains(missed) })
  }

  @Test(arguments: ["/a/.*", ".*", "/a.*/.*", "/.*a"])
  func aStarThatEndsThePatternOrHasOneBehindItMissesNothing(path: String) throws {
    let data = "<data android:pathPattern=\"\(path)\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example") + data)))
    #expect(found.contains { $0.contains("inner-star") } == (path == "/.*a"), "\(found)")
  }

  @Test(arguments: ["android:pathPrefix=\"/users/\"", "android:pathPattern=\"/users/.*/.*/posts\""])
  func whatAnotherPathTakesIsNotMissed(other: String) throws {
    let data = "<data android:pathPattern=\"/users/.*/posts\"/><data \(other)/>"
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example") + data)))
    #expect(!found.contains { $0.contains("inner-star pathPattern=/users/.*/posts") }, "\(found)")
  }

  @Test func aStarInsideAPatternOfAGroupIsNotTriedAgainEither() throws {
    let group =
      "<uri-relative-filter-group><data android:pathPattern=\"/users/.*/posts\"/></uri-relative-filter-group>"
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example") + group)))
    #expect(found.contains("note inner-star pathPattern=/users/.*/posts"), "\(found)")
  }

  @Test func allOtherSchemesAreNamedAtOnce() throws {
    let schemes = "<data android:scheme=\"exp+app\"/><data android:scheme=\"fb12345\"/>"
    let manifest = Self.manifest(Self.filter(Self.hosts("a.example") + schemes))
    #expect(try messages(manifest, "custom-scheme").allSatisfy { $0.contains("fb12345") })
  }

  @Test func oneGoodPathIsEnough() throws {
    let paths =
      "<data android:pathPrefix=\"buy\"/><data android:pathAdvancedPattern=\"/[0-9]{2}\"/>"
    let found = try findings(Self.manifest(Self.filter(Self.hosts("a.example") + paths)))
    #expect(found.contains("warning path-without-slash pathPrefix=buy"))
    #expect(!found.contains { $0.contains("no-path") || $0.contains("unlikely-path") }, "\(found)")
  }

  @Test func inAnExpoProjectAPathIsOneText() throws {
    let filter =
      "{\"data\": [{\"scheme\": \"https\", \"host\": \"a.example\", \"pathPrefix\": [\"/a\", \"/b\"]}]}"
    let project = "{\"expo\": {\"android\": {\"intentFilters\": [\(filter)]}}}"
    let result = try trial.run(
      "manifest", at: .database, words: ["-"], input: Array(project.utf8))
    #expect(result.status == 1 && result.errors.contains("\"pathPrefix\""), "\(result.errors)")
  }

  @Test(arguments: faults.indices)
  func aFaultOfAFilterIsNamed(index: Int) throws {
    let (manifest, finding) = Self.faults[index]
    #expect(try findings(manifest).contains(finding))
    // None of the codes is found where nothing is wrong.
    let code = finding.split(separator: " ")[1]
    #expect(try !findings(Self.complete).contains { $0.contains(code) })
  }

  /// What depends on a value that only the build knows is not guessed.
  @Test func aPlaceholderLeavesLinksOpen() throws {
    let manifest = Self.manifest(
      Self.filter(Self.hosts("a.example", "www.a.example") + "<data android:path=\"${path}\"/>"),
      Self.filter(Self.hosts("b.example")))
    #expect(
      try findings(manifest) == [
        "warning placeholder ${path}", "note not-compared a.example",
        "note not-compared www.a.example",
      ])
  }

  @Test func withoutADatabaseOnlyTheManifestIsRead() throws {
    let scratch = try TemporaryDirectory()
    let manifest = try scratch.write(Self.complete, to: "AndroidManifest.xml")
    let alone = try Program.aasa("manifest", manifest, in: scratch)
    #expect(alone.status == 0 && alone.errors.isEmpty)
    #expect(alone.output.contains("note not-compared"))
    let file = try scratch.write(Self.file([["/": "/gift"]]).text, to: "assetlinks.json")
    let compared = try Program.aasa("manifest", "--file", file, manifest, in: scratch)
    #expect(compared.status == 1)
    #expect(
      compared.output.contains("opens https://a.example/gift by the rule for the path \"/gift\""))
    #expect(!compared.output.contains("not-compared"))
    let usage = try Program.aasa("manifest", "--file", "-", "-", in: scratch)
    #expect(usage.status == 64)
  }

  // MARK: - Formats

  /// Source, what `apkanalyzer`, `aapt2` and `aapt` print, and Expo's configuration: all say the same.
  @Test(arguments: ["xml", "utf16", "prefix", "apkanalyzer", "aapt2", "aapt", "expo", "config"])
  func everyFormatSaysTheSame(format: String) throws {
    let prefix = "http://schemas.android.com/apk/res/android:"
    let source = Self.manifest(
      Self.filter(Self.hosts("a.example") + "<data android:pathPattern=\"/buy/\\\\*.*\"/>"))
    let tree = { (prefix: String, yes: String) in
      """
      N: android=http://schemas.android.com/apk/res/android (line=2)
        E: manifest (line=2)
          A: package="com.example.shop" (Raw: "com.example.shop")
            E: application (line=4)
              E: activity (line=5)
                A: \(prefix)exported(0x01010010)=\(yes)
                  E: intent-filter (line=6)
                    A: \(prefix)autoVerify(0x010104ee)=\(yes)
                      E: action (line=7)
                        A: \(prefix)name(0x01010003)="android.intent.action.VIEW" (Raw: "android.intent.action.VIEW")
                      E: category (line=8)
                        A: \(prefix)name(0x01010003)="android.intent.category.DEFAULT" (Raw: "x")
                      E: category (line=9)
                        A: \(prefix)name(0x01010003)="android.intent.category.BROWSABLE" (Raw: "x")
                      E: data (line=10)
                        A: \(prefix)scheme(0x01010027)="https" (Raw: "https")
                      E: data (line=11)
                        A: \(prefix)host(0x01010028)="a.example" (Raw: "a.example")
                      E: data (line=12)
                        A: \(prefix)pathPattern(0x0101002c)="/buy/\\*.*" (Raw: "/buy/\\*.*")
      """
    }
    let android = """
      {"package": "com.example.shop", "intentFilters": [{"action": "VIEW", "autoVerify": true,
        "data": [{"scheme": "https", "host": "a.example", "pathPattern": "/buy/\\\\\\\\*.*"}],
        "category": ["BROWSABLE", "DEFAULT"]}]}
      """
    var utf16: [UInt8] = [0xFF, 0xFE]
    for unit in source.replacing("utf-8", with: "utf-16").utf16 {
      utf16 += [UInt8(unit & 255), UInt8(unit >> 8)]
    }
    let bytes: [UInt8] =
      switch format {
      case "utf16": utf16
      case "prefix":
        Array(
          source.replacing("xmlns:android", with: "xmlns:a").replacing(" android:", with: " a:")
            .utf8)
      case "apkanalyzer":
        Array(
          source.replacing("package=", with: "platformBuildVersionCode=\"35\" package=")
            .replacing("\\\\", with: "\\").utf8)
      case "aapt2": Array(tree(prefix, "true").utf8)
      case "aapt": Array(tree("android:", "(type 0x12)0xffffffff").utf8)
      case "expo": Array("{\"expo\": {\"name\": \"x\", \"android\": \(android)}}".utf8)
      case "config": Array("{\"name\": \"x\", \"android\": \(android)}".utf8)
      default: Array(source.utf8)
      }
    let report = try report(bytes)
    #expect(report["package"]?.stringValue == Self.package)
    #expect(
      report["hosts"] == [
        ["host": "a.example", "autoVerify": true, "paths": ["pathPattern=/buy/\\*.*"]]
      ], "\(report["hosts"]?.text ?? "")")
    #expect(findings(of: report).contains("error manifest-narrows a.example"))
  }

  @Test func onlyFiltersOfActivitiesCountAndASnippetIsEnough() throws {
    let service = Self.complete.replacing("<activity", with: "<service").replacing(
      "</activity", with: "</service")
    #expect(try findings(service).contains("error no-links "))
    let snippet = Self.filter(Self.hosts("a.example"))
    #expect(try report(Array(snippet.utf8))["hosts"]?.arrayValue?.count == 1)
    let answer = try trial.server.client().send("GET", "/v1/domains/a.example/snippets")
    let own = try #require(try answer.json["intentFilter"]?.stringValue)
    #expect(
      try !findings(own, "--app", Self.package).contains {
        $0.hasPrefix("error") && $0.contains("a.example") && !$0.contains("not-in")
      })
  }

  /// Nothing is fetched, expanded or kept, and the command says why in one sentence.
  @Test(arguments: [
    "laughs", "external", "deep", "large", "half", "truncated", "binary", "zip", "list", "text",
    "empty", "json",
    "data", "nul",
  ])
  func hostileFilesAreRefused(kind: String) throws {
    let deep = String(repeating: "<a>", count: 100_000)
    let entities = (1...9).map {
      "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">"
    }
    let file: [UInt8] =
      switch kind {
      case "laughs":
        Array(
          "<!DOCTYPE m [<!ENTITY l0 \"ha\">\(entities.joined())]><manifest package=\"&l9;\">&l9;</manifest>"
            .utf8)
      case "external":
        Array(
          "<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><manifest>&x;</manifest>".utf8)
      case "deep": Array("<manifest>\(deep)".utf8)
      case "large": Array(repeating: UInt8(ascii: " "), count: 100_000_000)
      case "half": Array("<manifest package=\"".utf8) + [0xC3, 0x28] + Array("\"/>".utf8)
      case "truncated": Array(Self.complete.utf8.prefix(400))
      case "binary": [3, 0, 8, 0, 1, 2, 3, 4]
      case "zip": [0x50, 0x4B, 3, 4, 0, 0]
      case "list": Array("[]".utf8)
      case "text": Array("hello".utf8)
      case "json": Array("{\"android\": 1}".utf8)
      case "data":
        Array("<intent-filter>\(String(repeating: "<data/>", count: 5001))</intent-filter>".utf8)
      case "nul": Array("<manifest>\0</manifest>".utf8)
      default: []
      }
    let result = try Program.run(Program.aasa, ["manifest", "-"], input: file, seconds: 60)
    #expect(result.status == 1 && result.bytes.isEmpty)
    #expect(result.errors.hasPrefix("stdin is ") && result.errors.count < 400, "\(result.errors)")
    #expect(!result.errors.contains("root:"))
    let reasons = [
      "laughs": "document type", "external": "document type", "deep": "100 levels",
      "large": "too large",
      "zip": "ZIP", "binary": "binary XML", "data": "<data>",
    ]
    if let reason = reasons[kind] { #expect(result.errors.contains(reason), "\(result.errors)") }
  }

  @Test func autoVerifyOfTheLauncherIsNoFaultOfTheLinks() throws {
    let launcher = """
      <intent-filter android:autoVerify="true"><action android:name="android.intent.action.MAIN"/>\
      <category android:name="android.intent.category.LAUNCHER"/></intent-filter>
      """
    let found = try findings(Self.manifest(launcher, Self.filter(Self.hosts("a.example"))))
    #expect(
      found.contains("note misplaced-auto-verify ") && !found.contains { $0.contains("no-") },
      "\(found)")
    #expect(try findings(Self.manifest(launcher)).contains("error misplaced-auto-verify "))
  }

  @Test func linksOfEveryHostOpenTheBrowser() throws {
    let any = { (path: String) in
      Self.manifest(
        Self.filter(Self.hosts("*") + "<data android:pathPattern=\"\(path)\"/>")
          .replacing(" android:autoVerify=\"true\"", with: ""))
    }
    #expect(try findings(any("/f/..*")).contains("warning no-auto-verify *"))
    // Files of a type are opened from everywhere.
    for path in [".*\\\\.gpx", ".*.pdf"] {
      #expect(try !findings(any(path)).contains("warning no-auto-verify *"))
    }
  }

  @Test func whatAnExpoProjectLacksIsToldInItsWords() throws {
    let scratch = try TemporaryDirectory()
    let json: JSON = [
      "expo": [
        "android": [
          "package": "com.example.app",
          "intentFilters": [
            [
              "action": "ACTION_VIEW", "autoVerify": true, "category": ["BROWSABLE"],
              "data": [["scheme": "https", "host": "a.example"]],
            ]
          ],
        ]
      ]
    ]
    let file = try scratch.write(json.text, to: "app.json")
    let result = try Program.aasa("manifest", file, in: scratch)
    #expect(result.output.contains("In app.json, write \"action\": \"VIEW\""), "\(result.output)")
    #expect(result.output.contains("In app.json, add \"DEFAULT\" to \"category\""))
  }

}
