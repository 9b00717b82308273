import Association
import Testing

@Suite struct LinterTests {
  /// The help of the first finding.
  private func help(_ bytes: [UInt8], _ kind: DocumentKind = .apple) -> String {
    Linter.report(onFile: bytes, kind: kind).findings.first?.help ?? ""
  }

  @Test(arguments: [
    (Array("\n<!doctype html><title>Sign in</title>".utf8), "begins like a page"),
    (Array("<br />\n<b>Warning</b>: a in <b>/b.php</b>\n{}".utf8), "message of PHP"),
    (Array("{\n<<<<<<< HEAD\n}".utf8), "a merge"), (Array("<<<<<<< HEAD\n{}".utf8), "a merge"),
    (Array(" \n".utf8), "is empty"), ([], "is empty"), ([0xEF, 0xBB, 0xBF, 0x3C], "like a page"),
    (Array("HTTP/2 200\ncontent-type: application/json\n\n{}".utf8), "header of an answer"),
    ([0x1F, 0x8B, 8, 0], "gzip"), ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "UTF-16"),
    ([0x7B, 0, 0x7D, 0], "UTF-16"), (Array("{\\rtf1\\ansi {\\f0 x}}".utf8), "plain text"),
  ])
  func whatIsInPlaceOfJSONIsSaid(bytes: [UInt8], words: String) {
    #expect(help(bytes).contains(words), "\(help(bytes))")
  }

  @Test(arguments: [
    ("/gift/*", "Write `{\"/\": \"/gift/*\"}`."),
    ("NOT /gift", "Write `{\"/\": \"/gift\", \"exclude\": true}`."),
  ])
  func aPathAmongComponentsIsWrittenAsAComponent(path: String, advice: String) {
    #expect(help(Array(FindingCase.components("\"\(path)\"").utf8)) == advice)
  }

  @Test(arguments: ["android:apk-key-hash:x", "ios:bundle-id:x"])
  func anOriginOfAnAppIsToldToGo(origin: String) {
    let advice = help(Array("{\"origins\": [\"\(origin)\"]}".utf8), .webAuthn)
    #expect(advice.hasPrefix("Remove it."), "\(advice)")
  }

  @Test func anIdentifierWithoutItsPrefixIsToldToGetIt() {
    let file = #"{"webcredentials":{"apps":["com.example.app"]}}"#
    #expect(help(Array(file.utf8)).contains("`ABCDE12345.com.example.app`"))
    // A Team ID in lower case.
    let other = #"{"webcredentials":{"apps":["abcdefghij.com.example.app"]}}"#
    #expect(!help(Array(other.utf8)).contains("missing"))
  }

  @Test func anEntryInPlaceOfTheListIsToldToGetBrackets() {
    let file = #"{"applinks":{"details":{"appID":"ABCDE12345.x","paths":["/a"]}}}"#
    let found = Linter.report(onFile: Array(file.utf8)).findings
    #expect(found.map(\.code) == [.detailsDictionary] && found.first?.severity == .error)
    #expect(found.first?.help == "Write `[` before the entry and `]` after it.")
  }

  @Test(arguments: [DocumentKind.apple, .assetLinks])
  func jsonThatWasEncodedTwiceIsNamed(kind: DocumentKind) {
    #expect(help(Array(#""{\"applinks\":{}}""#.utf8), kind).contains("encoded twice"))
    #expect(!help(Array(#""applinks""#.utf8), kind).contains("encoded twice"))
  }

  @Test func relationsInOneStringAreParted() {
    let joined = "\(Relation.handleAllURLs),\(Relation.getLoginCredentials)"
    let file = """
      [{"relation":["\(joined)"],"target":{"namespace":"android_app",
        "package_name":"com.example.app","sha256_cert_fingerprints":["\(StatementList.fingerprint)"]}}]
      """
    #expect(
      help(Array(file.utf8), .assetLinks)
        == "Write each as a string of its own: `\"delegate_permission/common.handle_all_urls\"`, "
        + "`\"delegate_permission/common.get_login_creds\"`.")
  }

  @Test(arguments: ["*", "/*"]) func anEntryThatKeepsOutEveryURLSaysSo(path: String) {
    let file = FindingCase.components(
      #"{"/":"/a","exclude":true},{"/":"\#(path)","?":"*","exclude":true}"#)
    let codes = Linter.report(onFile: Array(file.utf8)).findings.map(\.code)
    #expect(!codes.contains(.exclusionsOnly), "\(codes)")
  }

  @Test func anEmptyQueryIsNoConditionOfAnExclusionOfEveryURL() {
    let file = FindingCase.components(#"{"/":"*","?":{},"exclude":true}"#)
    let codes = Linter.report(onFile: Array(file.utf8)).findings.map(\.code)
    #expect(!codes.contains(.exclusionsOnly), "\(codes)")
  }

  @Test(arguments: [FindingCase.legacy("not/found/*"), FindingCase.path("not/found/*")])
  func aPathThatBeginsWithTheWordNotIsNoExclusion(file: String) {
    let codes = findings(in: file).map(\.code)
    #expect(!codes.contains(.misspelledNot), "\(codes)")
  }

  @Test func defaultsOfAnEntryInheritHowTheyAreCompared() {
    let file = FindingCase.entry(
      #""defaults":{"/":"/café/*"},"components":[{"?":{"a":"b"}}]"#,
      applinks: #""defaults":{"percentEncoded":false},"#)
    #expect(findings(in: file).isEmpty)
    let own = file.replacing(#""/":"/café/*""#, with: #""/":"/café/*","percentEncoded":true"#)
    #expect(findings(in: own).map(\.code).contains(.nonASCIIPattern))
  }

  @Test(arguments: [
    ("ABCDE12345.com.steamidle.app", false), ("ABCDE12345.com.teamideas.app", false),
    ("TEAMID.com.example.app", true), ("YOURTEAMID.com.example.app", true),
    ("ABCDE12345.com.teamid.app", true), ("MyTeamID99.com.example.app", true),
  ])
  func aTeamIDIsAPlaceholderAsAPrefixOrALabel(app: String, isPlaceholder: Bool) {
    let codes = findings(in: FindingCase.apps("\"\(app)\"")).map(\.code)
    #expect(codes.contains(.placeholderAppIdentifier) == isPlaceholder, "\(codes)")
  }

  @Test func anotherEntryMayOpenWhatAnEntryOfExclusionsLeaves() {
    let app = FindingCase.app
    let file = """
      {"applinks":{"details":[
        {"appIDs":["\(app)"],"components":[{"/":"/a","exclude":true}]},
        {"appIDs":["\(app)"],"components":[{"/":"/*"}]}]}}
      """
    let codes = Linter.report(onFile: Array(file.utf8)).findings.map(\.code)
    #expect(!codes.contains(.exclusionsOnly), "\(codes)")
  }

  private func findings(in file: String, context: Linter.Context? = nil) -> [Finding] {
    Linter.report(onFile: Array(file.utf8), context: context).findings
  }

  @Test(arguments: FindingCase.all)
  func everyCaseRaisesItsFindingAndNoOther(testCase: FindingCase) {
    let findings = findings(in: testCase.file, context: testCase.context)
      .filter { $0.code == testCase.code || !FindingCase.common.contains($0.code) }
    #expect(findings.map(\.code) == [testCase.code])
    #expect(findings.first?.pointer.description == testCase.pointer)
    #expect(findings.first?.severity == testCase.severity ?? testCase.code.severity)
    for finding in findings {
      #expect(finding.message.hasSuffix(".") && finding.help.hasSuffix("."))
    }
  }

  /// All but what is found where domains, apps and changes are known, not in a file, what is no text, and
  /// what always comes with another finding.
  @Test(
    arguments: Finding.Code.allCases.filter { !$0.isOnlyFromChecks }.filter {
      ![
        .environmentMismatch, .cmsSigned, .excludesLaterRoutes, .opensNothing,
        .appAddedByLimitedToken,
        .credentialsOnOnePlatform, .androidDiffers, .debugFingerprint,
        .noPlaySigningFingerprint, .keptStatementDiffers, .androidNotManaged, .androidRowsRemoved,
        // In NamedDocumentFindingTests.
        .missingField, .documentExpired, .documentExpiring, .insecureLink, .notCanonical,
        .wrongName,
        .outdatedForm,
      ].contains($0)
    })
  func everyCodeHasACase(code: Finding.Code) {
    #expect(FindingCase.ofAllKinds.contains { $0.code == code })
  }

  @Test(arguments: [
    // Apple's page Supporting associated domains.
    ##"""
    {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app","ABCDE12345.com.example.app2"],
     "components":[{"#":"no_universal_links","exclude":true},{"/":"/buy/*"},
     {"/":"/help/website/*","exclude":true},{"/":"/help/*","?":{"articleNumber":"????"}}]}]},
     "webcredentials":{"apps":["ABCDE12345.com.example.app"]},
     "appclips":{"apps":["ABCDE12345.com.example.MyApp.Clip"]}}
    """##,
    // The form of WWDC 2020, session 10098.
    #"""
    {"applinks":{"defaults":{"caseSensitive":false},
     "substitutionVariables":{"food":["burrito","pizza","sushi"],"Canadian food":["poutine"]},
     "details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[
     {"/":"/$(lang)_CA/$(Canadian food)/"},{"/":"/$(lang)_$(region)/$(food)/"}]}]}}
    """#,
    // An entry for iOS 12, App Search Programming Guide.
    #"""
    {"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app",
     "paths":["NOT /videos/wwdc/2010/*","/videos/wwdc/201?/*","*"]}]}}
    """#,
    #"{"activitycontinuation":{"apps":["ABCDE12345.com.example.app"]}}"#,
  ])
  func examplesOfAppleHaveNoFindings(file: String) {
    #expect(findings(in: file).allSatisfy { FindingCase.common.contains($0.code) })
  }

  @Test func findingsAreInFileOrder() {
    let file = #"""
      {"x":1,"applinks":{"details":[{"components":[{"?":{"a":1},"y":1},{"/":"$(z)"}],"appIDs":["q"]},1],
       "z":0},"webcredentials":[]}
      """#
    #expect(
      findings(in: file).map(\.pointer.description) == [
        "/x", "/applinks/details/0/components/0/?/a",
        "/applinks/details/0/components/0/y", "/applinks/details/0/components/1/~1",
        "/applinks/details/0/appIDs/0", "/applinks/details/1", "/applinks/z", "/webcredentials",
      ])
  }

  @Test func theSizeLimitAppliesToTheRenderedDocument() {
    let document: JSON = ["webcredentials": ["apps": ["ABCDE12345.com.example.app"]]]
    #expect(
      Linter.findings(in: ReadDocument(document), size: 131_072).map(\.code) == [.nearSizeLimit])
    #expect(Linter.findings(in: ReadDocument(document), size: 131_073).map(\.code) == [.tooLarge])
    #expect(Linter.findings(in: ReadDocument(document), size: 104_857).isEmpty)
    #expect(Linter.findings(in: ReadDocument(document), size: 128_000)[0].message.contains("1024"))
    #expect(!Linter.findings(in: ReadDocument(document), size: 127_999)[0].message.contains("1024"))
  }

  @Test func invalidJSONIsReportedWithItsLine() {
    let report = Linter.report(onFile: Array("{\n  \"a\": 1,\n}".utf8))
    #expect(report.document == nil)
    #expect(report.findings[0].message.contains("line 3"))
  }

  @Test(arguments: [
    Linter.Context(domain: "example.com", aliases: ["www.example.com"]),
    Linter.Context(domain: "example.com", aliases: ["*.example.com"]),
    Linter.Context(domain: "www.example.co.uk", aliases: ["example.co.uk"]),
    Linter.Context(domain: "shop.example.com"), Linter.Context(domain: "www.shop.example.com"),
    Linter.Context(domain: "localhost"),
  ])
  func aPublishedOrUnusualSiblingIsNotReported(context: Linter.Context) {
    #expect(findings(in: FindingCase.path("/a"), context: context).isEmpty)
  }

  @Test func anUnusedVariableRaisesNoError() {
    let file = FindingCase.variables(#""v":["a"],"w":[]"#)
    #expect(findings(in: file).allSatisfy { $0.severity < .error })
  }

  @Test func helpSuggestsASimilarKey() {
    let file = FindingCase.components(#"{"/":"/a","casesensitive":true,"details":1}"#)
    #expect(
      findings(in: file).map(\.help) == [
        "Write `caseSensitive` if that is what you mean.",
        "Move `details` to `applinks`, where it belongs.",
      ])
  }

  @Test func onlyErrorsThatLoseNothingAreAcceptable() {
    let refused = Finding.Code.allCases.filter { !$0.isAcceptable && !$0.isOnlyFromChecks }
    #expect(
      refused == [
        .notJSON, .notObject, .duplicateKey, .tooLarge, .tooComplex, .wrongType, .notList,
      ])
    #expect(refused.allSatisfy { $0.severity == .error })
  }

  @Test func findingsOfArbitraryJSONAreInFileOrder() {
    var generator = SeededGenerator(seed: 5)
    var compared = 0
    for _ in 0..<1000 {
      let document = ArbitraryJSON.value(depth: 7, &generator)
      let places = Places(document)
      let ranks = Linter.findings(in: ReadDocument(document), size: 10).map {
        places.ranks[Array($0.pointer.description.utf8)]
      }
      #expect(!ranks.contains(nil))
      #expect(ranks.compactMap(\.self) == ranks.compactMap(\.self).sorted(), "\(document.text)")
      compared += ranks.count
    }
    #expect(compared > 1000)
  }

  @Test func aFileWithManyMistakesListsAHundredOfEachKindAndCountsTheRest() {
    let elements = String(repeating: "0,", count: 30_000)
    let apps = String(repeating: #""a.b","#, count: 5_000)
    let file = #"{"applinks":{"details":[\#(elements){"appIDs":[\#(apps)1]}]}}"#
    let findings = findings(in: file)
    let kinds = Dictionary(grouping: findings, by: \.code).mapValues(\.count)
    #expect(
      kinds == [.wrongType: 100, .repeatedApp: 100, .unusualAppIdentifierPrefix: 100, .noRoutes: 1])
    #expect(findings.contains { $0.message.hasSuffix("The same applies to 29901 more places.") })
    #expect(findings.contains { $0.message.hasSuffix("The same applies to 4899 more places.") })
  }

  @Test func aRouteBehindHundredsOfOthersNamesTheFirstTen() throws {
    let digits = (0..<400).map { ##"{"/":"/\##($0 / 20)?*","#":"\##($0 % 20)"},"## }.joined()
    let file = FindingCase.components(digits + ##"{"/":"/$(alnum)*","#":"?"}"##)
    let longest = findings(in: file).map(\.message.utf8.count).max() ?? 0
    #expect(longest < 1_000)
  }

  @Test func lintingArbitraryJSONNeverTraps() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<3000 {
      let document = ArbitraryJSON.value(depth: 7, &generator)
      let findings = Linter.findings(in: ReadDocument(document), size: 10)
      #expect(findings.allSatisfy { !$0.message.isEmpty })
    }
  }
}

/// All places of a document, numbered as they come.
private struct Places {
  var ranks: [[UInt8]: Int] = [:]

  init(_ document: JSON) { visit(document, at: .root) }

  private mutating func visit(_ value: JSON, at pointer: JSONPointer) {
    ranks[Array(pointer.description.utf8)] = ranks.count
    for (index, element) in (value.arrayValue ?? []).enumerated() {
      visit(element, at: pointer.appending(index))
    }
    for member in value.objectValue?.members ?? [] {
      visit(member.value, at: pointer.appending(member.key))
    }
  }
}

/// Values that look like association files in parts.
private enum ArbitraryJSON {
  private static let keys = [
    "applinks", "details", "defaults", "substitutionVariables", "apps", "appIDs", "appID",
    "components", "paths", "/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded",
    "webcredentials", "v", "", "a/b~c", "\u{0}", "e\u{301}",
  ]
  private static let strings = [
    "", "*", "/", "//", "/a/*", "$(v)", "$(", "$", "$(lang)", "NOT /a", "not", "?a=b", "#",
    "https://a.com/", "a.com", ".", "A.b", "%c3", "%", "^(a|b)$", "/{}", "/:a", "\u{0}", "ü*?",
    "$(v)$(v)$(v)", "/*/$(v)/",
  ]
  /// What usually stands under a key, so that values are nested deeply enough to be read.
  private static let likely: [String: [String]] = [
    "applinks": ["details", "substitutionVariables", "defaults", "details", "apps"],
    "details": ["appIDs", "components", "paths", "defaults", "components", "appID"],
    "components": ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "/"],
    "defaults": ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded"],
    "substitutionVariables": ["v", "lang", "w", "a$"],
  ]

  static func value(
    of key: String = "", depth: Int, _ generator: inout SeededGenerator
  ) -> JSON {
    if depth == 7 {
      return ["applinks": value(of: "applinks", depth: 6, &generator)]
    }
    switch depth == 0 ? generator.next() % 6 : generator.next() % 14 {
    case 0: return .null
    case 1: return .bool(generator.once(in: 2))
    case 2: return .number("1.5")
    case 3, 4, 5: return .string(generator.pick(strings))
    case 6...9:
      return .array(
        (0..<generator.next() % 5).map { _ in value(of: key, depth: depth - 1, &generator) })
    default:
      var object: JSON.Object = [:]
      for _ in 0..<generator.next() % 5 {
        let choices = generator.once(in: 4) ? keys : likely[key] ?? keys
        let name = generator.pick(choices)
        object[name] = value(of: name, depth: depth - 1, &generator)
      }
      return .object(object)
    }
  }
}

extension Linter {
  /// The findings about one of Apple's files alone, as rendered.
  static func findings(
    in document: ReadDocument, size: Int, context: Context? = nil
  ) -> [Finding] {
    findings(
      in: ReadDocuments([.apple: document.json]), sizes: [.apple: size], context: context)
  }
}
