import Association
import Foundation
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

  @Test(arguments: [
    ("ABCDE12345.com.example.app ", "has a blank"), ("ABCDE12345.*", "has \"*\""),
    ("ABCDE12345.com.exämple.app", "has \"ä\""),
  ])
  func theCharacterThatAnAppIdentifierCannotHaveIsNamed(app: String, words: String) {
    let found = findings(in: "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}")
    #expect(found.first?.code == .malformedAppIdentifier)
    #expect(found.first?.message.contains(words) == true, "\(found)")
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

  @Test func aCertificateWithoutTheRelationForLinksJoinsTheStatementThatHasIt() throws {
    let list: JSON = [
      Self.statement([Self.links]),
      Self.statement([Self.credentials], certificate: fingerprintsOfOthers),
    ]
    let help = try #require(
      findings(in: list.text, .assetLinks).first { $0.code == .credentialsWithoutLinks }?.help)
    #expect(help == "Add the certificate to the list of /0, which has \(Self.links).")
    var target = try #require(list.arrayValue?[0].objectValue)
    target["target"] = [
      "namespace": "android_app", "package_name": "com.example.app",
      "sha256_cert_fingerprints": .strings([Self.fingerprint, fingerprintsOfOthers]),
    ]
    let corrected: JSON = [.object(target), list.arrayValue?[1] ?? .null]
    #expect(findings(in: corrected.text, .assetLinks).allSatisfy { $0.severity == .note })
  }

  @Test func twoStatementsThatSharePasswordsAreToBecomeOne() {
    let list: JSON = [
      Self.statement([Self.credentials]),
      Self.statement([Self.credentials], certificate: fingerprintsOfOthers),
    ]
    let helps = findings(in: list.text, .assetLinks).filter { $0.code == .credentialsWithoutLinks }
      .map(\.help)
    #expect(helps.count == 2 && helps[0].hasPrefix("Add \(Self.links) to `relation`."))
    #expect(
      helps.last == "Merge this statement into /0: add the certificate to the list there.")
  }

  @Test(arguments: [
    "delegate_permission/common.handle_all_url", "delegate_permission/common.handle_urls",
    "delegate_permission/common.handle_all_links", "delegate_permissions/common.handle_all_urls",
    "delegate_permission/handle_all_urls",
  ])
  func aMisspelledRelationForLinksIsNoticed(relation: String) {
    let one: JSON = [Self.statement([relation, Self.credentials])]
    let two: JSON = [Self.statement([Self.credentials]), Self.statement([relation])]
    for (list, place) in [(one, "/0/relation/0"), (two, "/1/relation/0")] {
      let found = findings(in: list.text, .assetLinks)
      #expect(
        found.filter { $0.code == .unknownRelation }.map(\.help) == ["Write `\(Self.links)`."])
      #expect(
        found.filter { $0.code == .credentialsWithoutLinks }.map(\.help)
          == ["Correct \(place): write `\(Self.links)`."])
    }
  }

  @Test(arguments: [
    ("get_login_creds", credentials), ("delegate_permission/common.Handle_All_URLs", links),
    ("delegate_permission.common.handle_all_urls", links),
    ("common.get_login_credentials", credentials),
  ])
  func aMalformedRelationIsComparedWithTheKnownOnes(relation: String, known: String) {
    let found = findings(in: JSON.array([Self.statement([relation])]).text, .assetLinks)
    #expect(
      found.filter { $0.code == .malformedRelation }.map(\.help) == ["Write `\(known)`."])
  }

  @Test func aRelationThatResemblesNoneIsComparedByTheReader() {
    let list: JSON = [Self.statement(["delegate_permission/common.share_location"])]
    #expect(
      findings(in: list.text, .assetLinks).first { $0.code == .unknownRelation }?.help
        .hasPrefix("Compare it with") == true)
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
    // Of a certificate that is surely not the app's own, another finding says so.
    let everybodys = Self.statement(
      [Self.links],
      certificate:
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
    )
    let known = codes(in: JSON.array([everybodys]).text, .assetLinks)
    #expect(known.contains(.debugCertificate) && !known.contains(.singleFingerprint))
  }

  // MARK: - Texts

  @Test func theFingerprintsOfASiteAreToBeRemoved() throws {
    let found = findings(in: try Self.report("web-target.json"), .assetLinks)
    let finding = try #require(found.first { $0.code == .unknownKey })
    #expect(finding.help == "Remove it: only the `target` of an app has it.")
  }

  /// One finding says what to do, and that the value costs the whole file.
  @Test(arguments: ["null", "1", "[null]", "[true]", #"[{"a":[1]}]"#])
  func aValueThatIsToBeRemovedHasOneFinding(value: String) {
    let target = #"{"namespace":"web","site":"https://a.de","sha256_cert_fingerprints":\#(value)}"#
    let found = findings(in: #"[{"relation":["\#(Self.links)"],"target":\#(target)}]"#, .assetLinks)
    #expect(found.map(\.code) == [.unknownKey] && found[0].severity == .warning, "\(found)")
    #expect(found.first?.message.contains("refuses the whole file") == true)
  }

  @Test(arguments: [
    (#""appIDs":["\#(app)"]"#, "Rename it to `apps`."),
    (#""appID":"\#(app)""#, "List the app identifiers in `apps`"),
    (#""app_ids":["\#(app)"]"#, "Rename it to `apps`."),
    (#""details":[{"appIDs":["\#(app)"]}]"#, "List the app identifiers in `apps`"),
    (#""apps":["\#(app)"],"appIDs":["\#(app)"]"#, "Remove it: the object has `apps`, too."),
    (#""apps":["\#(app)"],"paths":["/a"]"#, "Remove it: this service only lists apps."),
    (#""apps":["\#(app)"],"components":[]"#, "Remove it: this service only lists apps."),
  ])
  func aServiceWantsItsAppsInItsOwnList(members: String, help: String) {
    for service in ["webcredentials", "messagefilter", "appclips"] {
      let found = findings(in: #"{"\#(service)":{\#(members)}}"#).filter { $0.code == .unknownKey }
      #expect(found.count == 1 && found[0].help.hasPrefix(help), "\(found)")
    }
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
    #expect(found.map(\.code) == [.internationalizedName] && found.first?.severity == .note)
    #expect(found.first?.message.contains("not confirmed by Apple") == true)
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
    (#""appIDs":"ABCDE12345.a, ABCDE12345.b""#, #"Write `["ABCDE12345.a", "ABCDE12345.b"]`."#),
    (#""appIDs":"ABCDE12345.a ABCDE12345.b""#, #"Write `["ABCDE12345.a", "ABCDE12345.b"]`."#),
    (
      #""appID":["ABCDE12345.a"],"appIDs":["ABCDE12345.a"]"#,
      "Remove `appID`: `appIDs` names the same."
    ),
    (
      #""appID":["ABCDE12345.a"],"appIDs":["ABCDE12345.b"]"#,
      "Remove `appID`, and name its apps in `appIDs`, too."
    ),
    (#""appID":"ABCDE12345.a","paths":"/a, /b""#, #"Write `["/a", "/b"]`."#),
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

  @Test func aListOfAppsInOneStringIsToldAsOne() throws {
    let list = "ABCDE12345.a,ABCDE12345.b"
    let strings = #""ABCDE12345.a", "ABCDE12345.b""#
    let files = [
      (
        #"{"applinks":{"details":[{"appID":"\#(list)","paths":["/a"]}]}}"#,
        #"Write `"appIDs": [\#(strings)]` in place of `appID`."#
      ),
      (
        #"{"applinks":{"details":[{"appIDs":["\#(list)"],"components":[{"/":"/a"}]}]}}"#,
        "Write each as a string of its own: \(strings)."
      ),
      (
        #"{"webcredentials":{"apps":["ABCDE12345.a; ABCDE12345.b"]}}"#,
        "Write each as a string of its own: \(strings)."
      ),
    ]
    for (file, help) in files {
      let finding = try #require(
        findings(in: file).first { $0.code == .malformedAppIdentifier })
      #expect(finding.help == help && finding.message.contains("is a list of 2 apps"))
    }
    let other = findings(in: #"{"webcredentials":{"apps":["a, b"]}}"#)
    #expect(other.first?.message.contains("is a list") == false)
  }

  // MARK: - Paths

  @Test(arguments: [
    "/sub.example.com:443/*", "sub.example.com:443/*", "/https://sub.example.com/*",
    "/sub.example.com*", "/*sub.example.com/*", "/$(lang).example.com/*", "/*.example.com/*",
    "/de.example.com/*", "//sub.example.com:8443/*", "sub.example.com/*",
  ])
  func aHostInAPathIsFoundInEachSpelling(path: String) {
    for file in [FindingCase.path(path), FindingCase.legacy(path)] {
      let found = findings(in: file).filter { $0.code == .hostAsPath }
      #expect(found.count == 1 && found[0].severity == .warning)
      #expect(found.first?.help.hasPrefix(#"Write "/*", the path behind the host."#) == true)
    }
  }

  @Test(arguments: [
    ("/münchen.de/*", "münchen.de"), ("/about.us/*", "about.us"), ("/socket.io/*", "socket.io"),
    ("/go.firma.berlin/*", "firma.berlin"), ("/xn--mnchen-3ya.de/*", "münchen.de"),
  ])
  func theDomainsOwnNameInAPathIsItsHost(path: String, domain: String) throws {
    let own = try DomainName(domain).text
    let found = findings(in: FindingCase.path(path), domain: own).filter { $0.code == .hostAsPath }
    #expect(found.map(\.severity) == [.warning])
    let unknown = findings(in: FindingCase.path(path)).filter { $0.code == .hostAsPath }
    #expect(unknown.allSatisfy { $0.severity == .note })
  }

  @Test(arguments: ["/about.us", "/en.us/*", "/github.com/*", "/www.example.org/*"])
  func aPathThatMayBeAHostIsOnlyNoted(path: String) {
    let found = findings(in: FindingCase.path(path), domain: "example.com")
    #expect(found.map(\.severity) == [.note] && found[0].code == .hostAsPath, "\(found)")
  }

  @Test(arguments: [
    ("/sub.example.com/*", Finding.Code.hostAsPath, #"Write "/*", the path behind the host."#),
    ("/*sub.example.com/a", .hostAsPath, #"Write "/a", the path behind the host."#),
    ("/https://sub.example.com/a", .hostAsPath, #"Write "/a", the path behind the host."#),
    ("https://sub.example.com/*", .pathWithoutSlash, #"Write only the path: "/*"."#),
    ("https://sub.example.com", .pathWithoutSlash, #"Write only the path: "/"."#),
    ("https://sub.example.com/a?b=c", .pathWithoutSlash, #"Write only the path: "/a"."#),
    ("sub.example.com/*", .pathWithoutSlash, #"Write only the path, without the host: "/*"."#),
    ("sub.example.com:443/a", .pathWithoutSlash, #"Write only the path, without the host: "/a"."#),
    ("buy/*", .pathWithoutSlash, #"Write "/buy/*"."#),
  ])
  func aHostInARuleOfAndroidIsFoundAndTheHelpIsSound(
    path: String, code: Finding.Code, help: String
  ) {
    let list: JSON = [
      Self.statement([Self.links, Self.credentials], rules: [["/": .string(path)], ["/": "*"]])
    ]
    let found = findings(in: list.text, .assetLinks).filter { $0.pointer.keys.last == "/" }
      .filter { [.hostAsPath, .pathWithoutSlash].contains($0.code) }
    #expect(found.map(\.code) == [code] && found[0].help.hasPrefix(help), "\(found)")
  }

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
    let named = all[0].message.firstRange(of: "/oauth/callback, /oauth2/callback, /auth/callback")
    let page = try #require(all[0].message.firstRange(of: "/login, /signin"))
    #expect(all[0].severity == .note && (named?.lowerBound ?? page.upperBound) < page.lowerBound)
    for path in ["/oauth/callback", "/login"] {
      #expect(all[0].help.contains(#"{"/": "\#(path)", "exclude": true}"#))
      #expect(
        all[0].help.contains(
          #"{"url":"https://example.com\#(path)","app":"\#(Self.app)","resolution":"blocked"}"#))
    }
    let some = findings(in: FindingCase.components(#"{"/":"/login*","exclude":true},{"/":"*"}"#))
    #expect(some.map(\.code) == [.takesSignInPages])
    #expect(!some[0].message.contains("/login,") && some[0].message.contains("/signin"))
    let exclusions = (Self.signIn + ["/login/*"]).map { #"{"/":"\#($0)","exclude":true},"# }
      .joined()
    #expect(codes(in: FindingCase.components(exclusions + #"{"/":"*"}"#)).isEmpty)
  }

  @Test(arguments: ["/*/*", "/*", "*", "/?*", "**"])
  func everyPatternForEverythingHasTheNote(path: String) {
    #expect(codes(in: FindingCase.path(path)).contains(.takesSignInPages))
  }

  @Test func anotherRouteForEverythingDoesNotHideTheNote() {
    let found = findings(in: FindingCase.components(#"{"/":"/*/*"},{"/":"/*"}"#))
    #expect(found.contains { $0.code == .takesSignInPages })
  }

  @Test(arguments: [
    ["/login*", "/oauth*", "/auth/*", "/sso/*", "/callback*", "/signin*"],
    ["/login", "/auth/callback"], ["/login", "/signin", "/sso"],
  ])
  func aSiteThatExcludesItsOwnSignInPagesHasNoNote(paths: [String]) {
    let exclusions = paths.map { #"{"/":"\#($0)","exclude":true},"# }.joined()
    #expect(
      !codes(in: FindingCase.components(exclusions + #"{"/":"*"}"#)).contains(.takesSignInPages))
  }

  @Test func everyAppThatTakesSignInPagesIsNamed() throws {
    let entry = { (app: String) in
      #"{"appIDs":["ABCDE12345.\#(app)"],"components":[{"/":"*"}]}"#
    }
    let files = [
      #"{"applinks":{"details":[\#(entry("a")),\#(entry("b"))]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a","ABCDE12345.b"],"components":[{"/":"*"}]}]}}"#,
    ]
    for file in files {
      let found = findings(in: file).filter { $0.code == .takesSignInPages }
      #expect(found.count == 1)
      for app in ["ABCDE12345.a", "ABCDE12345.b"] {
        #expect(found.first?.message.contains(app) == true)
        #expect(found.first?.help.contains(#""app":"\#(app)""#) == true)
      }
    }
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
    let exclusions = help.split(separator: "`").filter { $0.contains("exclude") && $0.first == "{" }
    #expect(exclusions.count == 2)
    let file = FindingCase.components(exclusions.joined(separator: ",") + #",{"/":"*"}"#)
    let matcher = try Matcher(document: JSON.parse(Array(file.utf8)).value)
    let scope = matcher.scope(of: Self.app)
    for path in ["/login", "/oauth/callback"] {
      let url = "https://example.com\(path)"
      #expect(help.contains(url))
      #expect(try matcher.resolve(url, in: scope).resolution == .blocked)
    }
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

  /// `appIDs` beside `paths`, and the routes in another order.
  @Test(arguments: [
    #""appIDs":["\#(app)"],"paths":["/a/*","/b"]"#, #""appID":"\#(app)","paths":["/b","/a/*"]"#,
    #""appIDs":["\#(app)"],"paths":["b","/a/*"]"#,
  ])
  func theEntryThatSurelyWorksIsNotToBeRemoved(older: String) {
    let file =
      #"{"applinks":{"details":[{\#(older)},{"appIDs":["\#(Self.app)"],"components":[{"/":"/a/*"},{"/":"/b"}]}]}}"#
    let found = findings(in: file).filter {
      $0.pointer.description.hasPrefix("/applinks/details/1")
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test(arguments: [#""/a/*""#, #""/a/*","/a/*""#])
  func aRouteThatItsOwnEntryRepeatsIsReported(paths: String) {
    let file =
      #"{"applinks":{"details":[{"appID":"\#(Self.app)","paths":[\#(paths)]},{"appIDs":["\#(Self.app)"],"#
      + #""components":[{"/":"/a/*"},{"/":"/a/*"}]}]}}"#
    let found = findings(in: file).filter { $0.code == .duplicateRoute }
      .filter { $0.pointer.description.hasPrefix("/applinks/details/1") }
    #expect(found.map(\.pointer.description) == ["/applinks/details/1/components/1"])
    #expect(found.first?.message.contains("/applinks/details/1/components/0") == true)
  }

  @Test func aRouteBehindTheOlderFormIsToBeMovedAndNotRemoved() throws {
    let file = #"""
      {"applinks":{"details":[{"appIDs":["\#(Self.app)"],"paths":["/*"]},
       {"appIDs":["\#(Self.app)"],"components":[{"/":"/b"}]}]}}
      """#
    let found = findings(in: file).filter { $0.code == .shadowedRoute }
    #expect(found.count == 1 && found[0].help.hasPrefix("Move the entry with `components`"))
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

  @Test(arguments: [
    "http://localhost:8093", "https://localhost", "http://127.0.0.1:3000", "localhost:3000",
    "localhost",
    "127.0.0.1:8080", "[::1]:3000", "app.localhost:3000", "//localhost:3000/",
  ])
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
    ("{\"a\":,\n\"b\":1}", "Write a value before the comma in line 1, column 6: the key has none."),
    ("{\"a\":,}", "Write a value before the comma in line 1, column 6: the key has none."),
    ("{\"a\":,\"b\"}", "Remove the comma in line 1, column 6: it is one too many."),
    (",{\"a\":1}", "Remove the comma in line 1, column 1: it is one too many."),
    (",\n[]", "Remove the comma in line 1, column 1: it is one too many."),
    (
      "{\"a\", {\"b\": 1}}",
      "Write a colon in place of the comma in line 1, column 5: a key needs one. A list stands between `[` and `]`."
    ),
    (
      "{\n  \"a\": 1,\n  \"b\", 2}",
      "Write a colon in place of the comma in line 3, column 6: a key needs one. A list stands between `[` and `]`."
    ),
    ("\u{FEFF}[1 2]", "Write a comma in line 1, behind column 2: one is missing there."),
  ]

  @Test(arguments: commas)
  func theHelpSaysWhereACommaIsMissingOrTooMany(file: String, help: String) {
    #expect(findings(in: file).filter { $0.code == .notJSON }.map(\.help) == [help])
  }

  @Test(arguments: [
    ("{\"applinks\": {“details”: 1}}", "Line 1, column 15 has the quotation mark “."),
    ("{\"applinks\": {\"details”: 1}}", "Line 1, column 23 has the quotation mark ”."),
    ("{\n  “a”: 1}", "Line 2, column 3 has the quotation mark “."),
    ("{\"a\": ‘b’}", "Line 1, column 7 has the quotation mark ‘."),
    ("{\"a\": „b“}", "Line 1, column 7 has the quotation mark „."),
    ("{\"a\": \"b”, \"c\": 1}", "Line 1, column 9 has the quotation mark ”."),
    ("{\"a\": \"b”, \"1\": 1}", "Line 1, column 9 has the quotation mark ”."),
  ])
  func aCurlyQuoteIsTold(file: String, start: String) throws {
    let finding = try #require(findings(in: file).first { $0.code == .notJSON })
    #expect(finding.help.hasPrefix(start), "\(finding.help)")
    #expect(!finding.message.contains("\u{FFFD}"), "\(finding.message)")
  }

  /// Curly quotes in texts are no fault.
  @Test(arguments: [
    "{\"a\": \"say “hi”, it’s me\", \"b\": 1 2}", "{\"a\": \"say “hi”, okay\" \"b\": 1}",
  ])
  func aCurlyQuoteInATextIsNotTold(file: String) {
    let help = findings(in: file).first?.help ?? ""
    #expect(help.hasPrefix("Write a comma"), "\(help)")
  }

  @Test(arguments: [
    (#"{"applinks":{},}"#, "Devices ignore it, and no link opens an app."),
    (#"{"webcredentials":{"apps":[]},}"#, "Devices ignore it."),
    (#"{"a":1,}"#, "Devices ignore it."),
    (#"[{"a":1},]"#, "Android ignores it."),
    (
      #"[{"relation":["delegate_permission/common.handle_all_urls"] "target":{}}]"#,
      "Android ignores it, and no link opens an app."
    ),
    (
      #"[{"relation":["delegate_permission/common.get_login_creds"] "target":{}}]"#,
      "Android ignores it."
    ),
    (#"{"relation":["a/b"],"target":{},}"#, "Android ignores it."),
    (
      #"{"origins": ["https://a.example",]}"#,
      "Browsers ignore it, and no other origin can use the domain's passkeys."
    ),
  ])
  func whatABrokenFileMeansDependsOnWhatItIsFor(file: String, effect: String) throws {
    let kind = DocumentKind(ofFile: Array(file.utf8))
    let finding = try #require(findings(in: file, kind).first { $0.code == .notJSON })
    #expect(finding.message.hasSuffix("). \(effect)"), "\(finding.message)")
  }

  @Test(arguments: [
    "{\"a\" 1}", "{\"a\": \"b \"c\" d\"}", "{'a': 1}", "[1", "{\"a\": 1,", "[1 // one\n]",
    "{\"a\": tru \"b\"}", "[01]", "[truefalse]",
    "[\"\\x\" \"b\"]", "{\"a\": 1}}", "[\"a\n\", \"b\"]", "{\"a\": 1 ]", "{a: 1, }",
    "[\"\u{1}\" 1]",
  ])
  func anotherFaultIsNotTakenForAComma(file: String) {
    let help = findings(in: file).first { $0.code == .notJSON }?.help ?? ""
    let isAboutComma = help.contains("Write a comma") || help.contains("the comma in line")
    #expect(!isAboutComma && help.contains("line"), "\(help)")
  }
}
