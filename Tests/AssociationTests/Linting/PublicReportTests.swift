import Association
import Foundation
import JSONValue
import Testing

/// Files from public bug reports, and others with the same kind of fault.
@Suite struct PublicReportTests {
  private static let app = FindingCase.app
  private static let fingerprint = StatementList.fingerprint
  private static let links = "delegate_permission/common.handle_all_urls"
  private static let credentials = "delegate_permission/common.get_login_creds"

  private static func report(_ name: String) throws -> String {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/public-reports")
      .standardized
    return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  private func findings(
    in file: String, _ kind: DocumentKind = .apple, domain: String? = nil
  ) -> [Finding] {
    Linter.report(
      onFile: Array(file.utf8), kind: kind,
      context: domain.map { Linter.Context(domain: $0, aliases: ["www.\($0)"]) }
    ).findings
  }

  private func codes(in file: String, _ kind: DocumentKind = .apple) -> [Finding.Code] {
    findings(in: file, kind).map(\.code)
  }

  private static func statement(
    _ relations: [String], certificate: String = fingerprint, package: String = "com.example.app",
    rules: JSON? = nil
  ) -> JSON {
    var statement: JSON.Object = [
      "relation": .strings(relations),
      "target": [
        "namespace": "android_app", "package_name": .string(package),
        "sha256_cert_fingerprints": [.string(certificate)],
      ],
    ]
    if let rules {
      statement["relation_extensions"] = [links: ["dynamic_app_link_components": rules]]
    }
    return .object(statement)
  }

  // MARK: - Passkeys on Android

  @Test func passwordsWithoutTheRelationForLinksAreNoPasskeys() throws {
    let found = findings(in: try Self.report("passkey-relation.json"), .assetLinks)
    let finding = try #require(found.first { $0.code == .credentialsWithoutLinks })
    #expect(finding.severity == .warning && finding.pointer.description == "/0/relation")
    #expect(finding.message.contains(Self.links) && finding.message.contains("RP ID"))
    #expect(finding.help.contains(#"[{"/": "*", "exclude": true}]"#))
  }

  static let both: [JSON] = [
    // In one statement, in two, and with the rule that the help proposes.
    [statement([links, credentials])],
    [statement([credentials]), statement([links])],
    [statement([links, credentials], rules: [["/": "*", "exclude": true]])],
    // Elsewhere, as far as anybody knows.
    [statement([credentials]), ["include": "https://example.net/statements.json"]],
    // Sites share passwords without it.
    [
      [
        "relation": [.string(credentials)],
        "target": ["namespace": "web", "site": "https://example.de"],
      ]
    ],
  ]

  @Test(arguments: both)
  func bothRelationsAreEnough(file: JSON) {
    let found = findings(in: file.text, .assetLinks)
    #expect(found.allSatisfy { $0.severity == .note }, "\(found)")
  }

  @Test func theRelationForLinksIsNeededForEachCertificateAndApp() {
    let other = fingerprintsOfOthers
    let lists: [JSON] = [
      [Self.statement([Self.credentials]), Self.statement([Self.links], certificate: other)],
      [Self.statement([Self.credentials]), Self.statement([Self.links], package: "com.example.b")],
    ]
    for list in lists {
      #expect(codes(in: list.text, .assetLinks).contains(.credentialsWithoutLinks))
    }
  }

  private let fingerprintsOfOthers =
    "2E:02:9E:F9:BC:CD:EE:BC:62:B4:A7:E8:54:0E:95:BC:34:97:A6:6B:64:5E:2C:41:46:BB:09:FA:99:06:DE:DF"

  @Test func oneCertificateAloneMayBeTheUploadKey() {
    let one = Self.statement([Self.links])
    let found = findings(in: JSON.array([one, one]).text, .assetLinks)
      .filter { $0.code == .singleFingerprint }
    #expect(found.count == 1 && found[0].severity == .note)
    #expect(found.first?.help.contains("Play Console") == true)
    let two = JSON.array([one, Self.statement([Self.links], certificate: fingerprintsOfOthers)])
    #expect(!codes(in: two.text, .assetLinks).contains(.singleFingerprint))
  }

  // MARK: - Texts

  @Test func theFingerprintsOfASiteAreToBeRemoved() throws {
    let found = findings(in: try Self.report("web-target.json"), .assetLinks)
    let finding = try #require(found.first { $0.code == .unknownKey })
    #expect(finding.help == "Remove it: only the `target` of an app has it.")
  }

  @Test(arguments: [
    (
      #"{"namespace":"android_app","package_name":"a.b","sha256_cert_fingerprints":[],"site":"https://a.de"}"#,
      "Remove it: only the `target` of a site has it."
    ),
    (
      #"{"namespace":"android_app","package_name":"a.b","package":"a.c","sha256_cert_fingerprints":[]}"#,
      "Remove it: the object has `package_name`, too."
    ),
    (
      #"{"namespace":"android_app","package":"a.c","sha256_cert_fingerprints":[]}"#,
      "Write `package_name` if that is what you mean."
    ),
  ])
  func anUnknownKeyOfATargetIsNotSentWhereItIs(target: String, help: String) {
    let found = findings(in: #"[{"relation":["\#(Self.links)"],"target":\#(target)}]"#, .assetLinks)
    #expect(found.filter { $0.code == .unknownKey }.map(\.help) == [help])
  }

  @Test func anUnknownKeyOfAnEntryIsNotSentWhereItIs() {
    let keyed =
      #"{"applinks":{"details":{"\#(Self.app)":{"paths":["/a"],"appIDs":["\#(Self.app)"]}}}}"#
    #expect(
      findings(in: keyed).first { $0.code == .unknownKey }?.help
        == "Remove it: only an element of a list `details` has it.")
    let twice = FindingCase.entry(#""apps":[],"components":[{"/":"/a"}]"#)
    #expect(
      findings(in: twice).first { $0.code == .unknownKey }?.help
        == "Remove it: the object has `appIDs`, too.")
  }

  @Test(arguments: [
    (#"{"namespace":"web"}"#, #"Add `site`, such as "https://www.example.com"."#),
    (#"{"namespace":"web","site":"www.example.de"}"#, #"Write "https://www.example.de"."#),
    (#"{"namespace":"web","site":"https://example.de?a=b"}"#, #"Write "https://example.de"."#),
    (#"{"namespace":"web","site":""}"#, #"Write the site, such as "https://www.example.com"."#),
    (#"{"namespace":"web","site":1}"#, #"Write the site, such as "https://www.example.com"."#),
  ])
  func theHelpForASiteFitsWhatIsThere(target: String, help: String) {
    let found = findings(in: #"[{"relation":["\#(Self.links)"],"target":\#(target)}]"#, .assetLinks)
    #expect(found.filter { $0.code == .malformedSite }.map(\.help) == [help])
  }

  @Test(arguments: [
    ("webcredentials", "passkeys"), ("appclips", "App Clip"), ("activitycontinuation", "Handoff"),
    ("messagefilter", "message filter"), ("classificationreport", "reports of spam"),
  ])
  func whatAMalformedAppMeansDependsOnTheService(service: String, word: String) throws {
    let found = findings(in: #"{"\#(service)":{"apps":["example"]}}"#)
    let finding = try #require(found.first { $0.code == .malformedAppIdentifier })
    #expect(finding.message.contains(word) && !finding.message.contains("links"))
    let ofLinks = findings(
      in: #"{"applinks":{"details":[{"appIDs":["x"],"components":[{"/":"/a"}]}]}}"#)
    #expect(ofLinks.first?.message.contains("the links stay in the browser") == true)
  }

  @Test(arguments: ["messagefilter", "classificationreport"])
  func theServicesOfMessagesAreKnown(service: String) {
    #expect(codes(in: #"{"\#(service)":{"apps":["\#(Self.app)"]}}"#).isEmpty)
    #expect(
      codes(in: #"{"\#(service)":{"apps":"\#(Self.app)"}}"#) == [.wrongType])
  }

  // MARK: - Names and apps

  @Test func aNameWithOtherLettersIsNotedAsReported() {
    let found = findings(in: FindingCase.path("/a"), domain: "xn--bcher-kva.example")
    #expect(found.map(\.code) == [.internationalizedName])
    #expect(found[0].severity == .note && found[0].message.contains("not confirmed by Apple"))
    #expect(findings(in: FindingCase.path("/a"), domain: "example.com").isEmpty)
  }

  @Test(arguments: [
    (
      #""appID":["ABCDE12345.a","ABCDE12345.b"]"#, "Rename the key to `appIDs`, which takes a list."
    ),
    (
      #""appID":["ABCDE12345.a"]"#,
      #"Rename the key to `appIDs`, which takes a list, or write the string "ABCDE12345.a"."#
    ),
    (#""appIDs":"ABCDE12345.a""#, #"Write `["ABCDE12345.a"]`."#),
    (#""appID":"ABCDE12345.a","paths":"/a""#, #"Write `["/a"]`."#),
    (
      #""appIDs":["ABCDE12345.a"],"components":{"/":"/a"}"#,
      "Write `[` before the object and `]` after it."
    ),
  ])
  func aListInPlaceOfAStringAndTheOtherWayRoundIsUnderstood(entry: String, help: String) {
    let found = findings(in: #"{"applinks":{"details":[{\#(entry)}]}}"#)
    #expect(found.filter { $0.code == .wrongType }.map(\.help) == [help])
  }

  // MARK: - Paths

  @Test(arguments: [
    "/socket.io/*", "/com.example.app/*", "/next.app", "/v1.2/a", "/foo.page/*", "/index.html",
    "/a/sub.example.com/*", "/file.co",
  ])
  func aPathThatHasADotNeedNotBeAHost(path: String) {
    #expect(codes(in: FindingCase.path(path)).isEmpty)
  }

  private static let signIn =
    [
      "/login", "/signin", "/sign-in", "/sso", "/auth*", "/oauth*", "/signin-oidc",
      "/users/sign_in",
    ]

  @Test func aRouteForEverythingNamesTheSignInPagesThatItTakes() throws {
    let all = findings(in: FindingCase.path("*"))
    #expect(all.map(\.code) == [.takesSignInPages])
    #expect(all[0].severity == .note && all[0].message.contains("/login"))
    #expect(
      all[0].help.contains(
        #"{"url":"https://example.com/login","app":"\#(Self.app)","resolution":"blocked"}"#))
    let some = findings(in: FindingCase.components(#"{"/":"/login*","exclude":true},{"/":"*"}"#))
    #expect(some.map(\.code) == [.takesSignInPages])
    #expect(!some[0].message.contains("/login") && some[0].message.contains("/signin"))
    let exclusions = (Self.signIn + ["/login/*"]).map { #"{"/":"\#($0)","exclude":true},"# }
      .joined()
    #expect(codes(in: FindingCase.components(exclusions + #"{"/":"*"}"#)).isEmpty)
  }

  @Test(arguments: [
    #"{"/":"/buy/*"}"#, #"{"/":"/login"}"#, #"{"/":"*","?":{"app":"1"}}"#,
    #"{"/":"*","exclude":true}"#,
  ])
  func aRouteForSomePagesHasNoSuchNote(route: String) {
    #expect(!codes(in: FindingCase.components(route)).contains(.takesSignInPages))
  }

  @Test func theExpectationsThatTheNoteProposesHoldOnceItsAdviceIsFollowed() throws {
    let help = try #require(findings(in: FindingCase.path("*")).first?.help)
    let quoted = help.split(separator: "`").first { $0.contains("exclude") }
    let file = FindingCase.components("\(try #require(quoted)),{\"/\":\"*\"}")
    let matcher = try Matcher(document: JSON.parse(Array(file.utf8)).value)
    let scope = matcher.scope(of: Self.app)
    #expect(try matcher.resolve("https://example.com/login", in: scope).resolution == .blocked)
  }

  /// An entry for systems before iOS 13 beside one for the others.
  @Test(arguments: [true, false], [false, true])
  func theSameRoutesInBothFormsAreNoDuplicates(isOlderFirst: Bool, hasExclusion: Bool) {
    let old =
      #"{"appID":"\#(Self.app)","paths":[\#(hasExclusion ? #""NOT /buy/x","# : "")"/buy/*","/help"]}"#
    let new =
      #"{"appIDs":["\#(Self.app)"],"components":[\#(hasExclusion ? #"{"/":"/buy/x","exclude":true},"# : "")"#
      + #"{"/":"/buy/*"},{"/":"/help"}]}"#
    let entries = isOlderFirst ? "\(old),\(new)" : "\(new),\(old)"
    #expect(codes(in: #"{"applinks":{"apps":[],"details":[\#(entries)]}}"#).isEmpty)
  }

  /// Several apps, an exclusion that overlaps, and a path without its slash.
  @Test func anEntryForEachAppBesideOneForAllIsNoDuplicate() {
    let old = ["a", "b"].map {
      #"{"appID":"ABCDE12345.\#($0)","paths":["NOT /buy/x","buy/*","NOT /buy/y","*"]}"#
    }.joined(separator: ",")
    let new =
      #"{"appIDs":["ABCDE12345.a","ABCDE12345.b"],"components":[{"/":"/buy/x","exclude":true},{"/":"/buy/*"},"#
      + #"{"/":"/buy/y","exclude":true},{"/":"*"}]}"#
    let file = #"{"applinks":{"details":[\#(old),\#(new)]}}"#
    let found = findings(in: file).filter {
      $0.pointer.description.hasPrefix("/applinks/details/2")
    }
    // The older entries have the same fault, which is reported there.
    #expect(found.isEmpty, "\(found)")
  }

  @Test func otherRoutesInTheOlderFormStillShadow() {
    let file = #"""
      {"applinks":{"details":[{"appID":"\#(Self.app)","paths":["/*","NOT /a"]},
       {"appIDs":["\#(Self.app)"],"components":[{"/":"/b"}]}]}}
      """#
    #expect(codes(in: file).contains(.shadowedRoute))
    let repeated = FindingCase.components(#"{"/":"/a"},{"/":"/a"}"#)
    #expect(codes(in: repeated) == [.duplicateRoute])
  }

  // MARK: - Origins

  @Test func anOriginThatIsASuffixCoversOnlyItself() throws {
    let found = findings(in: #"{"origins":["https://github.io"]}"#, .webAuthn)
    #expect(found.map(\.code) == [.publicSuffixOrigin] && found[0].severity == .warning)
    #expect(found[0].message.contains("An origin covers only itself"))
    #expect(
      codes(
        in: #"{"origins":["https://a.github.io","https://b.github.io","https://a.de"]}"#, .webAuthn
      )
      .isEmpty)
  }

  /// Browsers take `a` for the name of `a.github.io`, and not `github`.
  @Test func sitesBelowASuffixOfACompanyHaveNamesOfTheirOwn() {
    let origins = ["a", "b", "c", "d", "e", "f"].map { "https://\($0).github.io" }
    let file = JSON.object(["origins": .strings(origins)]).text
    #expect(codes(in: file, .webAuthn) == [.tooManyLabels])
  }

  @Test(arguments: ["http://localhost:8093", "https://localhost", "http://127.0.0.1:3000"])
  func aDevelopmentServerIsToldTruly(origin: String) throws {
    let found = findings(in: #"{"origins":["\#(origin)"]}"#, .webAuthn)
    let finding = try #require(found.first)
    #expect(found.count == 1 && !finding.message.contains("only on pages with https"))
    #expect(finding.message.contains(#"relying party "localhost""#))
  }

  // MARK: - Commas

  static let commas: [(String, String)] = [
    (
      "{\n  \"a\": 1\n  \"b\": 2\n}",
      "Write a comma in line 2, behind column 8: one is missing there."
    ),
    ("{\"a\": [1\n\n\n2]}", "Write a comma in line 1, behind column 8: one is missing there."),
    ("[{}\n {}]", "Write a comma in line 1, behind column 3: one is missing there."),
    ("{\"a\": {}\n\"b\": []}", "Write a comma in line 1, behind column 8: one is missing there."),
    ("[\"a\" \"b\"]", "Write a comma in line 1, behind column 4: one is missing there."),
    ("[true\nfalse]", "Write a comma in line 1, behind column 5: one is missing there."),
    ("{\n  \"a\": 1,\n}", "Remove the comma in line 2, column 9: it is one too many."),
    ("[\n  1,\n  2,\n\n]", "Remove the comma in line 3, column 4: it is one too many."),
    ("[1,,2]", "Remove the comma in line 1, column 4: it is one too many."),
    ("[,1]", "Remove the comma in line 1, column 2: it is one too many."),
    ("{,\"a\":1}", "Remove the comma in line 1, column 2: it is one too many."),
    ("{\"a\":1},", "Remove the comma in line 1, column 8: it is one too many."),
    ("{\"a\":,\n1}", "Remove the comma in line 1, column 6: it is one too many."),
    ("\u{FEFF}[1 2]", "Write a comma in line 1, behind column 2: one is missing there."),
  ]

  @Test(arguments: commas)
  func theHelpSaysWhereACommaIsMissingOrTooMany(file: String, help: String) {
    #expect(findings(in: file).filter { $0.code == .notJSON }.map(\.help) == [help])
  }

  @Test(arguments: [
    "{\"a\" 1}", "{\"a\": \"b \"c\" d\"}", "{'a': 1}", "[1", "{\"a\": 1,", "[1 // one\n]",
    "{\"a\": tru \"b\"}",
    "[\"\\x\" \"b\"]", "{\"a\": 1}}", "", "[\"a\n\", \"b\"]", "{\"a\": 1 ]", "{a: 1, }",
    "[\"\u{1}\" 1]",
  ])
  func anotherFaultIsNotTakenForAComma(file: String) {
    let help = findings(in: file).first { $0.code == .notJSON }?.help ?? ""
    #expect(help.hasPrefix("Fix line "), "\(help)")
  }
}
