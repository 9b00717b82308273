import Association
import Testing

extension FindingCase {
  private static let relation = StatementList.relation
  private static let target = StatementList.target.text
  private static let credentials = "delegate_permission/common.get_login_creds"
  private static let fingerprint = StatementList.fingerprint
  private static let other =
    "2E:02:9E:F9:BC:CD:EE:BC:62:B4:A7:E8:54:0E:95:BC:34:97:A6:6B:64:5E:2C:41:46:BB:09:FA:99:06:DE:DF"

  private init(
    android code: Finding.Code, _ pointer: String, _ file: String,
    _ severity: Finding.Severity? = nil
  ) {
    self.init(code, pointer, file, severity: severity)
    kind = .assetLinks
  }

  private static func statement(
    relation: String = "[\"\(relation)\"]", target: String = target, more: String = ""
  ) -> String {
    #"[{"relation":\#(relation),"target":\#(target)\#(more)}]"#
  }

  private static func app(package: String = "com.example.shop", fingerprints: String) -> String {
    statement(
      target:
        #"{"namespace":"android_app","package_name":"\#(package)","sha256_cert_fingerprints":[\#(fingerprints)]}"#
    )
  }

  private static func site(_ site: String) -> String {
    statement(target: #"{"namespace":"web","site":"\#(site)"}"#)
  }

  private static func extensions(_ extensions: String, relation: String = relation) -> String {
    statement(more: #","relation_extensions":{"\#(relation)":\#(extensions)}"#)
  }

  private static func rules(_ rules: String) -> String {
    extensions(#"{"dynamic_app_link_components":[\#(rules)]}"#)
  }

  private static let list =
    "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_components"
  private static let path = list + "/0/~1"
  private static let fingerprints = "/0/target/sha256_cert_fingerprints"

  private static let ofStatements: [FindingCase] = [
    FindingCase(android: .notJSON, "", "[{]"),
    FindingCase(android: .byteOrderMark, "", "\u{FEFF}" + statement(), .warning),
    FindingCase(
      android: .duplicateKey, "/0/target", statement(more: #","target":{}"#), .warning),
    FindingCase(
      android: .tooLarge, "", statement() + String(repeating: " ", count: 1_048_576)),
    FindingCase(
      android: .nearSizeLimit, "", statement() + String(repeating: " ", count: 128_000)),
    FindingCase(
      android: .tooComplex, "",
      String(repeating: "[", count: 101) + String(repeating: "]", count: 101)),
    FindingCase(android: .notList, "", statement().dropFirst().dropLast().description),
    FindingCase(android: .emptyList, "", "[]"),
    FindingCase(android: .statementNotObject, "/0", #"["com.example.shop"]"#),
    FindingCase(android: .statementNotObject, "/0", "[1]"),
    FindingCase(android: .unknownKey, "/0/note", statement(more: #","note":"a""#), .note),
    FindingCase(android: .numberOrNull, "/0/_version", statement(more: #","_version":3"#)),
    FindingCase(android: .numberOrNull, "/0/note", statement(more: #","note":null"#)),
    FindingCase(android: .numberOrNull, "/0/flags/0", statement(more: #","flags":[true]"#)),
    FindingCase(android: .missingRelation, "/0", #"[{"target":\#(target)}]"#),
    FindingCase(android: .missingRelation, "/0/relation", statement(relation: "[]")),
    FindingCase(android: .missingRelation, "/0/relation", statement(relation: "\"\(relation)\"")),
    FindingCase(
      android: .malformedRelation, "/0/relation/0", statement(relation: #"["handle_all_urls"]"#)),
    FindingCase(android: .malformedRelation, "/0/relation/0", statement(relation: "[{}]")),
    FindingCase(
      android: .unknownRelation, "/0/relation/0", statement(relation: #"["navigate/back_home"]"#)),
    FindingCase(android: .missingTarget, "/0", #"[{"relation":["\#(relation)"]}]"#),
    FindingCase(android: .missingTarget, "/0/target", statement(target: #""com.example.shop""#)),
    FindingCase(
      android: .unknownNamespace, "/0/target/namespace",
      statement(target: #"{"namespace":"ios_app"}"#)),
    FindingCase(android: .unknownNamespace, "/0/target", statement(target: "{}")),
    FindingCase(
      android: .malformedPackageName, "/0/target/package_name",
      app(package: "com.example.*", fingerprints: "\"\(fingerprint)\"")),
    FindingCase(android: .missingFingerprints, fingerprints, app(fingerprints: "")),
    FindingCase(
      android: .malformedFingerprint, fingerprints + "/0",
      app(fingerprints: "\"SHA256: \(fingerprint)\"")),
    FindingCase(android: .malformedFingerprint, fingerprints + "/0", app(fingerprints: "[]")),
    FindingCase(
      android: .malformedFingerprint, fingerprints + "/0",
      app(fingerprints: "\"\(fingerprint.replacing(":", with: ""))\"")),
    FindingCase(
      android: .lowerCaseFingerprint, fingerprints + "/1",
      app(fingerprints: "\"\(other)\",\"\(fingerprint.lowercased())\"")),
    FindingCase(
      android: .sha1Fingerprint, fingerprints + "/0",
      app(fingerprints: "\"\(fingerprint.prefix(59))\"")),
    FindingCase(
      android: .duplicateFingerprint, fingerprints + "/1",
      app(fingerprints: "\"\(fingerprint)\",\"\(fingerprint)\"")),
    FindingCase(
      android: .debugCertificate, fingerprints + "/0",
      app(
        fingerprints:
          "\"FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C\""
      )),
    FindingCase(
      android: .placeholderValue, fingerprints + "/0",
      app(
        fingerprints:
          "\"14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5\""
      )),
    FindingCase(
      android: .placeholderValue, fingerprints + "/0",
      app(fingerprints: "\"\(Array(repeating: "AA:BB", count: 16).joined(separator: ":"))\"")),
    FindingCase(
      android: .placeholderValue, fingerprints + "/0", app(fingerprints: #""<YOUR FINGERPRINT>""#)),
    FindingCase(
      android: .placeholderValue, "/0/target/package_name",
      app(package: "com.yourcompany.app", fingerprints: "\"\(fingerprint)\"")),
    FindingCase(android: .singleFingerprint, fingerprints + "/0", statement()),
    FindingCase(
      android: .credentialsWithoutLinks, "/0/relation", statement(relation: "[\"\(credentials)\"]")),
    FindingCase(
      android: .credentialsWithoutLinks, "/0/relation",
      "\(statement(relation: "[\"\(credentials)\"]").dropLast()),"
        + app(fingerprints: "\"\(other)\"").dropFirst()),
    FindingCase(
      android: .unknownRelation, "/0/relation/0",
      statement(relation: "[\"\(relation.dropLast())\"]")),
    FindingCase(android: .hostAsPath, path, rules(#"{"/":"/sub.example.com/*"}"#)),
    FindingCase(android: .hostAsPath, path, rules(#"{"/":"/en.us/*"}"#), .note),
    FindingCase(android: .pathWithoutSlash, path, rules(#"{"/":"https://sub.example.com/*"}"#)),
    FindingCase(
      android: .unknownKey, "/0/target/sha256_cert_fingerprints",
      statement(
        target:
          #"{"namespace":"web","site":"https://example.com","sha256_cert_fingerprints":null}"#),
      .warning),
    FindingCase(android: .malformedSite, "/0/target/site", site("www.example.com")),
    FindingCase(android: .malformedSite, "/0/target/site", site("https://...")),
    FindingCase(
      android: .malformedSite, "/0/target", statement(target: #"{"namespace":"web"}"#)),
    FindingCase(
      android: .unknownKey, "/0/target/sha256_cert_fingerprints",
      statement(
        target: #"{"namespace":"web","site":"https://example.com","sha256_cert_fingerprints":[]}"#),
      .note),
    FindingCase(android: .webTargetWithPath, "/0/target/site", site("https://example.com/a")),
    FindingCase(android: .webTargetWithPath, "/0/target/site", site("https://example.com/")),
    FindingCase(
      android: .duplicateStatement, "/1", "\(statement().dropLast()),\(statement().dropFirst())"),
    FindingCase(android: .insecureInclude, "/0/include", #"[{"include":"http://example.net/a"}]"#),
    FindingCase(android: .insecureInclude, "/0/include", #"[{"include":"mailto:a@example.net"}]"#),
    FindingCase(android: .insecureInclude, "/0/include", #"[{"include":true}]"#),
    FindingCase(
      android: .includeWithStatement, "/0",
      #"[{"include":"https://example.net/a","relation":["\#(relation)"]}]"#),
    FindingCase(
      android: .includeUnverified, "/0/include", #"[{"include":"https://example.net/a"}]"#),
    FindingCase(
      android: .tooManyIncludes, "/10",
      "["
        + Array(repeating: #"{"include":"https://example.net/a"}"#, count: 11)
        .joined(separator: ",") + "]"),
  ]

  private static let ofDynamicRules: [FindingCase] = [
    FindingCase(
      android: .extensionWithoutRelation,
      "/0/relation_extensions/delegate_permission~1common.get_login_creds",
      extensions("{}", relation: "delegate_permission/common.get_login_creds")),
    FindingCase(
      android: .extensionTargetNotApp, "/0/relation_extensions",
      rules(#"{"/":"*"}"#).replacing(
        target, with: #"{"namespace":"web","site":"https://example.com"}"#)),
    FindingCase(
      android: .rulesDeclaredTwice, list.replacing("/0/", with: "/1/") + "/0",
      "\(rules(#"{"/":"*"}"#).dropLast()),\(rules(#"{"/":"*"}"#).dropFirst())"),
    FindingCase(
      android: .rulesDeclaredTwice, "/1",
      "\(rules(#"{"/":"*"}"#).dropLast()),\(statement().dropFirst())"),
    FindingCase(
      android: .rulesNotFirst, list.replacing("/0/", with: "/1/") + "/0",
      "\(statement().dropLast()),\(rules(#"{"/":"*"}"#).dropFirst())"),
    FindingCase(
      android: .rulesDiscarded, "/0/relation_extensions",
      statement(more: #","relation_extensions":[]"#)),
    FindingCase(
      android: .rulesDiscarded, String(list.prefix(upTo: list.lastIndex(of: "/") ?? list.endIndex)),
      extensions(#""a""#)),
    FindingCase(
      android: .rulesDiscarded, list, extensions(#"{"dynamic_app_link_components":"/a"}"#)),
    FindingCase(android: .rulesDiscarded, list + "/0", rules(#""/a""#)),
    FindingCase(android: .rulesDiscarded, list + "/0/exclude", rules(#"{"/":"/a","exclude":1}"#)),
    FindingCase(android: .rulesDiscarded, list + "/0/?/k", rules(#"{"?":{"k":true}}"#)),
    FindingCase(android: .emptyRules, list, rules("")),
    FindingCase(android: .emptyPattern, path, rules(#"{"/":""}"#)),
    FindingCase(android: .emptyPattern, list + "/0/?/k", rules(#"{"?":{"k":""}}"#)),
    FindingCase(android: .queryAsString, list + "/0/?", rules(#"{"?":"k=v"}"#)),
    FindingCase(android: .ruleWithoutCondition, list + "/0", rules("{}")),
    FindingCase(
      android: .ruleWithoutCondition, list + "/0", rules(#"{"exclude":true},{"/":"*"}"#)),
    FindingCase(
      android: .appleOnlyKey, list + "/0/caseSensitive",
      rules(#"{"/":"/a","caseSensitive":false}"#)),
    FindingCase(android: .appleOnlyKey, path, rules(#"{"/":"/$(lang)/a"}"#)),
    FindingCase(
      android: .ruleShadowed, list + "/1",
      rules(#"{"/":"/a/*"},{"/":"/a/b?","exclude":true},{"/":"*"}"#)),
    FindingCase(
      android: .ruleShadowed, list + "/1",
      rules(#"{"?":{"k":"*"}},{"/":"/a","?":{"k":"v"}},{"/":"*"}"#), .note),
    FindingCase(android: .exclusionsOnly, list + "/0", rules(#"{"/":"/a","exclude":true}"#)),
    FindingCase(android: .noFinalRule, list + "/0", rules(#"{"/":"/a"}"#)),
    FindingCase(android: .olderAndroidOpensAll, list + "/0", rules(#"{"/":"*"}"#)),
    FindingCase(
      android: .unknownKey,
      list.replacing("dynamic_app_link", with: "dynamic_app_deep_link"),
      extensions(#"{"dynamic_app_deep_link_components":[]}"#), .note),
  ]

  private static let ofDynamicPatterns: [FindingCase] = [
    FindingCase(android: .doubleStar, path, rules(#"{"/":"/a/**"}"#)),
    FindingCase(android: .wildcardAfterStar, path, rules(#"{"/":"/a*?"}"#)),
    FindingCase(android: .innerStar, path, rules(#"{"/":"/*/c"}"#)),
    FindingCase(
      android: .innerStarInExclusion, path, rules(#"{"/":"*/c","exclude":true},{"/":"*"}"#)),
    // The first star alone misses nothing.
    FindingCase(
      android: .innerStarInExclusion, path, rules(#"{"/":"/*a*b","exclude":true},{"/":"*"}"#)),
    FindingCase(android: .patternAfterOneOrMore, path, rules(#"{"/":"/?*b*"}"#)),
    FindingCase(android: .dotBesideWildcard, path, rules(#"{"/":"/v?.json"}"#)),
    FindingCase(android: .dotBesideWildcard, path, rules(#"{"/":"/v1.0/*"}"#)),
    FindingCase(android: .percentInPattern, path, rules(#"{"/":"/a%20b"}"#)),
    FindingCase(android: .pathWithoutSlash, path, rules(#"{"/":"buy"}"#)),
    FindingCase(android: .fragmentSignInPattern, list + "/0/#", rules(##"{"#":"#app"}"##)),
    FindingCase(android: .ampersandInValue, list + "/0/?/a", rules(#"{"?":{"a":"1&2"}}"#)),
    FindingCase(android: .starDemandsPresence, list + "/0/?/a", rules(#"{"?":{"a":"*"}}"#)),
    FindingCase(android: .starDemandsPresence, list + "/0/#", rules(##"{"#":"*"}"##)),
    FindingCase(android: .missingSlashForm, path, rules(#"{"/":"/buy/*"}"#)),
  ]

  static let ofAssetLinks = ofStatements + ofDynamicRules + ofDynamicPatterns

  /// Statements without any finding.
  static let goodLists = [
    statement(),
    statement(relation: #"["\#(relation)","delegate_permission/common.get_login_creds"]"#),
    app(fingerprints: "\"\(fingerprint)\",\"\(other)\""),
    site("https://www.example.com"),
  ]
}

@Suite struct AssetLinksLinterTests {
  private func findings(in file: String) -> [Finding] {
    Linter.report(onFile: Array(file.utf8), kind: .assetLinks).findings
  }

  /// A case may come with notes, since rules have notes that are about all of them.
  @Test(arguments: FindingCase.ofAssetLinks)
  func everyCaseRaisesItsFindingAndNoOtherButNotes(testCase: FindingCase) throws {
    let findings = findings(in: testCase.file)
    let severity = testCase.severity ?? testCase.code.severity
    let finding = try #require(
      findings.first {
        $0.code == testCase.code && $0.pointer.description == testCase.pointer
          && $0.severity == severity
      }, "\(findings.map { "\($0.code.rawValue) \($0.pointer)" })")
    let others = findings.filter { $0 != finding && $0.severity > .note }
    #expect(others.isEmpty, "\(others.map { "\($0.code.rawValue) \($0.pointer)" })")
    for finding in findings {
      #expect(finding.message.hasSuffix(".") && finding.help.hasSuffix("."))
    }
  }

  @Test(arguments: FindingCase.goodLists)
  func aGoodListHasNoFinding(file: String) {
    #expect(findings(in: file).allSatisfy { FindingCase.common.contains($0.code) })
  }

  /// Everything that drops a statement or the rules for Google is an error or a warning.
  @Test(arguments: AssetLinksCase.parsing + AssetLinksCase.discards)
  func whatReadersSkipHasAFinding(testCase: AssetLinksCase) {
    let file =
      testCase.json["file"]?.stringValue
      ?? StatementList.statement(extensions: testCase.json["relation_extensions"] ?? .null).text
    let report = Linter.report(onFile: Array(file.utf8), kind: .assetLinks)
    if testCase.json["aosp"] != nil, testCase.json["includes"] == nil {
      #expect(report.findings.contains { $0.severity > .note })
    }
    if let links = report.document.map({ AssetLinks($0) }) {
      for element in links.elements {
        guard case .nothing = element.meaning else { continue }
        #expect(report.findings.contains { $0.severity > .note })
      }
    } else {
      #expect(!report.isValid)
    }
  }

  @Test(arguments: [[:], ["dynamic_app_link_components": [["/": "*"]]]] as [JSON])
  func aRelationThatAStatementHasTwiceIsNoSecondStatement(extensions: JSON) {
    let relation = "\"\(StatementList.relation)\""
    let file = StatementList.statement(extensions: .object([StatementList.relation: extensions]))
      .text
      .replacing("[\(relation)]", with: "[\(relation),\(relation)]")
    let codes = findings(in: file).map(\.code)
    #expect(Set(codes).isSubset(of: [.singleFingerprint, .olderAndroidOpensAll]), "\(codes)")
  }

  /// A rule for every URL, also one that is not the last.
  @Test(
    arguments: [
      [["/": "/*"]], [["/": "/a*"], ["/": "/*", "exclude": true]], [["/": "*"], ["/": "/b"]],
    ] as [JSON])
  func aListWithARuleForEveryURLHasAFinalRule(rules: JSON) {
    let codes = findings(in: StatementList.rules(rules).text).map(\.code)
    #expect(!codes.contains(.noFinalRule), "\(codes)")
  }

  @Test(
    arguments: [
      ([["/": "/buy/*"], ["/": "*", "exclude": true]], true),
      ([["/": "/buy/*", "exclude": true], ["/": "*"]], true),
      ([["/": "/buy/*"], ["/": "*"]], false),
      ([["/": "/buy/*"], ["/": "/buy"], ["/": "*", "exclude": true]], false),
      // Somebody thought of the form.
      ([["/": "/buy/*"], ["/": "/buy", "exclude": true]], false),
      ([["/": "/?uy", "exclude": true], ["/": "/buy/*"]], false),
    ] as [(JSON, Bool)])
  func aFormWithoutSlashIsMissedIfAnotherRuleDecidesItTheOtherWay(rules: JSON, isMissed: Bool) {
    let codes = findings(in: StatementList.rules(rules).text).map(\.code)
    #expect(codes.contains(.missingSlashForm) == isMissed, "\(codes)")
  }

  @Test func aLowerCaseFingerprintIsWrittenOut() throws {
    let file = FindingCase.goodLists[0].replacing(
      StatementList.fingerprint, with: StatementList.fingerprint.lowercased())
    let finding = try #require(findings(in: file).first)
    #expect(finding.help == "Write \"\(StatementList.fingerprint)\".")
  }

  @Test func anInnerStarComesWithAPathThatItMisses() throws {
    let list = StatementList.rules([["/": "/*/c"]])
    let finding = try #require(
      findings(in: list.text).first { $0.code == .innerStar })
    #expect(finding.message.contains("\"/x/x/c\" does not match"))
    let matcher = try AndroidMatcher(AssetLinks(list))
    let url = "https://example.com/x/x/c"
    #expect(try matcher.explain(url, for: StatementList.package).resolution == .noMatch)
  }
}
