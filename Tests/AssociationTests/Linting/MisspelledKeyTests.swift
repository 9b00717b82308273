import Association
import Testing

/// Files whose keys have other names, or stand elsewhere, than devices look for.
@Suite struct MisspelledKeyTests {
  private static func findings(_ text: String, _ kind: DocumentKind? = nil) -> [Finding] {
    let bytes = Array(text.utf8)
    return Linter.report(onFile: bytes, kind: kind ?? DocumentKind(ofFile: bytes)).findings
  }

  private static func help(_ code: Finding.Code, _ text: String) -> String {
    findings(text).first { $0.code == code }?.help ?? ""
  }

  private static func entry(_ members: String) -> String {
    "{\"applinks\":{\"details\":[{\(members)}]}}"
  }

  private static let app = "\"appID\":\"ABCDE12345.com.example.app\""

  @Test(
    arguments: [
      (#"{"AppLinks":{"details":[]}}"#, .noService, "Write `applinks` in place of \"AppLinks\"."),
      (#"{"appclip":{"apps":[]}}"#, .noService, "Write `appclips` in place of \"appclip\"."),
      (#"{"details":[],"apps":[]}"#, .noService, "Write `{\"applinks\": {\"details\": …}}`"),
      (#"{"applinks":{"Details":[]}}"#, .noDetails, "Write `details` in place of \"Details\"."),
      (
        entry(#""appId":"ABCDE12345.com.example.app","paths":["/a"]"#), .entryWithoutApp,
        "Write `appID` in place of \"appId\"."
      ),
      (
        entry(#""appid":["ABCDE12345.com.example.app"],"paths":["/a"]"#), .entryWithoutApp,
        "Write `appIDs` in place of \"appid\"."
      ),
      (
        entry(#""ABCDE12345.com.example.app":{"paths":["/a"]}"#), .entryWithoutApp,
        "Write `\"appID\": \"ABCDE12345.com.example.app\"`"
      ),
      (entry(app + #","path":["/a"]"#), .noRoutes, "Write `paths` in place of \"path\"."),
      (entry(app + #","Components":[{}]"#), .noRoutes, "Write `components` in place of"),
    ] as [(String, Finding.Code, String)])
  func whatIsMissingIsUnderTheOtherName(file: String, code: Finding.Code, start: String) {
    let help = Self.help(code, file)
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test(arguments: [#"{"links":{}}"#, #"{"applinks":{"a":[]}}"#])
  func anotherNameIsNoMisspelling(file: String) {
    #expect(Self.findings(file).allSatisfy { !$0.help.contains("in place of") })
  }

  @Test(arguments: [
    (#"{"path":"/a/*"},{"/":"/b"}"#, "\"path\" is none"),
    (#"{"pathname":"/a/*"},{"/":"/b"}"#, "\"pathname\" is none"),
    (#"{"/a/*":true},{"/":"/b"}"#, "\"/a/*\" is none"),
    (#"{"/":["/a","/b"]},{"/":"/c"}"#, "the value of \"/\" has the wrong type"),
    (#"{"?":[{"id":"1"}]},{"/":"/c"}"#, "the value of \"?\" has the wrong type"),
  ])
  func aRouteWhoseConditionIsNotReadSaysWhich(components: String, words: String) {
    let found = Self.findings(Self.entry(Self.app + ",\"components\":[\(components)]"))
    let message = found.first { $0.code == .matchesEverything }?.message ?? ""
    #expect(message.contains(words), "\(message)")
    // Once it is read, the other route decides.
    #expect(found.allSatisfy { $0.code != .shadowedRoute && $0.code != .duplicateRoute })
  }

  @Test(arguments: [
    (#"{"?":{"v":"*"}}"#, true), (#"{"/":"*","?":{"v":"*"}}"#, true),
    (#"{"/":"/a","?":{"v":"*"}}"#, false), (#"{"?":{"v":"?*"}}"#, false),
    (#"{"?":{"v":"*"},"exclude":true}"#, false),
  ])
  func aConditionThatEveryURLMeetsIsToldAsNone(route: String, isReported: Bool) {
    let found = Self.findings(Self.entry(Self.app + ",\"components\":[\(route)]"))
    #expect(
      found.contains { $0.code == .matchesEverything && $0.help.contains("`?*`") } == isReported)
  }

  @Test func aRouteWithoutConditionsStillShadows() {
    let found = Self.findings(
      Self.entry(Self.app + #","components":[{"comment":"all"},{"/":"/b"}]"#))
    #expect(found.contains { $0.code == .shadowedRoute })
    #expect(found.contains { $0.message.hasPrefix("The route has no condition. ") })
  }

  @Test func anExclusionWhoseConditionIsNotReadIsToBeCorrected() {
    let help = Self.help(
      .excludesLaterRoutes,
      Self.entry(Self.app + #","components":[{"path":"/a","exclude":true},{"/":"*"}]"#))
    #expect(help == "Correct its conditions.")
  }

  @Test(arguments: [
    (#""/a/*":true"#, "Write `\"/\": \"/a/*\"`."), (#""pathname":"/a""#, "Write `/` if"),
    (#""/":"/a","not":true"#, "Write `exclude` if"),
  ])
  func anUnknownKeyOfARouteIsUnderstood(route: String, help: String) {
    let found = Self.help(.unknownKey, Self.entry(Self.app + ",\"components\":[{\(route)}]"))
    #expect(found.hasPrefix(help), "\(found)")
  }

  @Test(arguments: [
    (#""/":["/a","/b"]"#, "Write an element of `components` for each: `{\"/\": \"/a\"}`"),
    (#""?":[{"id":"1"},{"v":"?*"}]"#, #"Write one object: `{"id":"1","v":"?*"}`."#),
    (#""?":[{"id":"1"},{"id":"2"}]"#, "Write one object of names and patterns"),
    (#""?":["id"]"#, "Write one object of names and patterns"),
    (#""/":"/a","exclude":"true""#, "Write `true` without quotation marks."),
    (#""/":"/a","exclude":1"#, "Write `true`."),
    (#""/":"/a","caseSensitive":"False""#, "Write `false` without quotation marks."),
    (#""/":"/a","exclude":"yes""#, "Write true or false"),
  ])
  func aValueOfTheWrongTypeIsUnderstood(route: String, start: String) {
    let help = Self.help(.wrongValueType, Self.entry(Self.app + ",\"components\":[{\(route)}]"))
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test(arguments: [
    (#"{"webcredentials":{"apps":[{"appID":"ABCDE12345.com.example.app"}]}}"#, "Write the string"),
    (#"{"applinks":{"details":{"ABCDE12345.com.a":["/a"]}}}"#, "Write the list as `{\"paths\""),
    (#"{"applinks":{"details":[["/a"]]}}"#, "Write an object."),
  ])
  func anElementOfTheWrongTypeIsUnderstood(file: String, start: String) {
    #expect(Self.help(.wrongType, file).hasPrefix(start))
  }

  @Test(arguments: [
    (#""paths":["/a/*"],"exclude":["/a/b"]"#, "as in `\"NOT /a/b\"`"),
    (#""paths":["/a/*"],"excludedPaths":"/a/b""#, "as in `\"NOT /a/b\"`"),
    (#""components":[{"/":"/a"}],"NOT":["NOT /b"]"#, "`{\"/\": \"/b\", \"exclude\": true}`"),
  ])
  func exclusionsUnderTheirOwnKeyAreSentWhereTheyBelong(members: String, words: String) {
    let help = Self.help(.unknownKey, Self.entry(Self.app + "," + members))
    #expect(help.contains(words), "\(help)")
  }

  // MARK: - Apps and paths

  @Test(arguments: [
    "ABCDE12345.com.example.app ", " ABCDE12345.com.example.app", "ABCDE12345 com.example.app",
    "applinks:ABCDE12345.com.example.app", "ABCDE12345:com.example.app",
    "ABCDE12345/com.example.app",
  ])
  func theAppThatWasMeantIsTold(text: String) {
    let help = Self.help(.malformedAppIdentifier, Self.entry("\"appID\":\"\(text)\""))
    #expect(help == "Write `ABCDE12345.com.example.app`.")
  }

  @Test(arguments: ["ABCDE12345.com.example.*", "ABCDE12345", "x:com.example.app"])
  func aTextThatMeansNoAppIsExplained(text: String) {
    let help = Self.help(.malformedAppIdentifier, Self.entry("\"appID\":\"\(text)\""))
    #expect(help.contains("application identifier prefix"), "\(help)")
  }

  private static func codes(ofPaths paths: String) -> [Finding.Code] {
    findings(entry(app + ",\"paths\":[\(paths)]")).map(\.code)
  }

  @Test(
    arguments: [
      (#""NOT  /a","*""#, [.misspelledNot]), (#""! /a","/b""#, [.misspelledNot]),
      (#""^/a","/b""#, [.regularExpression]), (##""#/a","/b""##, [.fragmentInPath]),
      (#"" /a","/b""#, [.spaceInPattern]), (#""a","/b""#, [.noLeadingSlash]),
      (#""/a, /b""#, [.spaceInPattern]), (#""/a|/b""#, [.regularExpression]),
      (#""/a,/b","/c""#, []), (#""/a,b","/c|d""#, []),
    ] as [(String, [Finding.Code])])
  func aPathHasTheOneFindingThatHelps(paths: String, expected: [Finding.Code]) {
    let codes = Self.codes(ofPaths: paths).filter { $0 != .takesSignInPages }
    #expect(codes == expected, "\(codes)")
  }

  // MARK: - Statements

  private static let fingerprint =
    "1B:40:6F:9D:02:C8:E1:57:3A:94:0E:B6:7C:D3:28:F5:61:8A:CE:13:79:A0:45:FB:32:90:5D:E7:84:16:CB:AF"
  private static let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#

  @Test(
    arguments: [
      (
        #"{"relations":["delegate_permission/common.handle_all_urls"],"target":{}}"#,
        .missingRelation, "Write `relation` in place of \"relations\"."
      ),
      ("{\(relation),\"targets\":{}}", .missingTarget, "Write `target` in place of \"targets\"."),
      (
        "{\(relation),\"namespace\":\"android_app\",\"package_name\":\"com.example.shop\"}",
        .missingTarget, "Write `\"target\": {…}` around `namespace`, `package_name`."
      ),
      (
        "{\(relation),\"target\":{\"namespace\":\"android_app\",\"packageName\":\"com.example.shop\"}}",
        .malformedPackageName, "Write `package_name` in place of \"packageName\"."
      ),
      (
        "{\(relation),\"target\":{\"namespace\":\"android_app\",\"sha256_cert_fingerprint\":[\"\(fingerprint)\"]}}",
        .missingFingerprints,
        "Write `sha256_cert_fingerprints` in place of \"sha256_cert_fingerprint\"."
      ),
      (
        "{\(relation),\"target\":{\"namespace\":\"ios_app\",\"appid\":\"ABCDE12345.com.example.app\"}}",
        .unknownNamespace, "Remove the statement: apple-app-site-association names apps"
      ),
    ] as [(String, Finding.Code, String)])
  func whatAStatementLacksIsUnderAnotherName(text: String, code: Finding.Code, start: String) {
    let help = Self.help(code, "[\(text)]")
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test(arguments: [
    ("com.example.shop/.Main", "Write `com.example.shop`.", "It has \"/\"."),
    ("com.example.my shop", "Write the `applicationId`", "It has a space."),
    ("com.example.shop ", "Write `com.example.shop`.", "It has a space."),
    ("com.my-example.shop", "Write the `applicationId`", "It has \"-\"."),
    ("shop", "Write the `applicationId`", "It has no dot."),
    ("com.example.*", "Write the `applicationId`", "It has \"*\"."),
  ])
  func theFaultOfAPackageIsNamed(package: String, help: String, fault: String) throws {
    let target =
      "{\"namespace\":\"android_app\",\"package_name\":\"\(package)\",\"sha256_cert_fingerprints\":[\"\(Self.fingerprint)\"]}"
    let found = Self.findings("[{\(Self.relation),\"target\":\(target)}]")
    let finding = try #require(found.first { $0.code == .malformedPackageName })
    #expect(finding.help.hasPrefix(help) && finding.message.contains(fault), "\(finding)")
  }

  @Test(arguments: [
    "G0BvnQLI4Vc6lA62fNMo9WGKzhN5oEX7MpBd54QWy68=", "G0BvnQLI4Vc6lA62fNMo9WGKzhN5oEX7MpBd54QWy68",
    "android:apk-key-hash:G0BvnQLI4Vc6lA62fNMo9WGKzhN5oEX7MpBd54QWy68",
  ])
  func aFingerprintInBase64IsToldAsTheFileNeedsIt(text: String) {
    let target =
      "{\"namespace\":\"android_app\",\"package_name\":\"com.example.shop\",\"sha256_cert_fingerprints\":[\"\(text)\"]}"
    let help = Self.help(.malformedFingerprint, "[{\(Self.relation),\"target\":\(target)}]")
    #expect(help == "Write \"\(Self.fingerprint)\".")
  }

  @Test func aRuleWhoseConditionIsNotReadSaysWhich() {
    let target =
      "{\"namespace\":\"android_app\",\"package_name\":\"com.example.shop\",\"sha256_cert_fingerprints\":[\"\(Self.fingerprint)\"]}"
    let rules =
      "{\"delegate_permission/common.handle_all_urls\":{\"dynamic_app_link_components\":[{\"path\":\"/b\"}]}}"
    let help = Self.help(
      .ruleWithoutCondition,
      "[{\(Self.relation),\"target\":\(target),\"relation_extensions\":\(rules)}]")
    #expect(help.hasPrefix("Correct \"path\"."), "\(help)")
  }

  // MARK: - Origins

  @Test(
    arguments: [
      (#"["https://a.example","https://b.example"]"#, .notObject, "Write `{\"origins\": ` before"),
      (
        #"{"relatedOrigins":["https://a.example"]}"#, .missingOrigins, "Write `origins` in place of"
      ),
      (#"{"Origins":["https://a.example"]}"#, .missingOrigins, "Write `origins` in place of"),
      (
        #"{"webauthn":{"origins":["https://a.example"]}}"#, .missingOrigins,
        "Publish the object that"
      ),
      (
        #"{"origins":[{"origin":"https://a.example"}]}"#, .originNotString,
        "Write \"https://a.example\"."
      ),
      (
        #"{"origins":["https://a.example, https://b.example"]}"#, .malformedOrigin,
        "Write each as a string of its own: \"https://a.example\", \"https://b.example\"."
      ),
      (
        #"{"origins":["chrome-extension://abcdefgh"]}"#, .malformedOrigin, "Remove it. An extension"
      ),
      (#"{"origins":["ftp://a.example"]}"#, .malformedOrigin, "Write"),
    ] as [(String, Finding.Code, String)])
  func originsInAnotherFormAreUnderstood(file: String, code: Finding.Code, start: String) {
    let help = Self.help(code, file)
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test(arguments: ["[]", #"["a"]"#, #"[{"relation":[]}]"#, #"["https://a.example",{}]"#])
  func anotherListIsStillAndroids(file: String) {
    #expect(DocumentKind(ofFile: Array(file.utf8)) == .assetLinks)
  }
}
