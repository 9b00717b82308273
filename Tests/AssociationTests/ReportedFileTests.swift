import Association
import Testing

/// Files that people showed in public reports.
@Suite struct ReportedFileTests {
  private static func findings(_ text: String, _ kind: DocumentKind) -> [Finding] {
    Linter.report(onFile: Array(text.utf8), kind: kind).findings
  }

  private static let fingerprint =
    "1B:40:6F:9D:02:C8:E1:57:3A:94:0E:B6:7C:D3:28:F5:61:8A:CE:13:79:A0:45:FB:32:90:5D:E7:84:16:CB:AF"

  /// A file with one statement about an app.
  private static func statement(_ relation: String, _ more: String = "") -> String {
    """
    [{"relation":["\(relation)"],"target":{"namespace":"android_app","package_name":"com.example.app",
    "sha256_cert_fingerprints":["\(fingerprint)"]}\(more)}]
    """
  }

  @Test func aResourceOfAnAndroidProjectIsNoPage() {
    let string = "<string name=\"asset_statements\">[{ \\\"include\\\": \\\"…\\\" }]</string>"
    for text in [string, "<resources>\(string)</resources>"] {
      let help = Self.findings(text, .assetLinks).first?.help ?? ""
      #expect(help.contains("resource of an Android project") && !help.contains("page"), "\(help)")
    }
  }

  @Test func bracketsThatDoNotFitAreNamed() {
    let help = Self.findings("{\n {\"relation\": []}\n]\n", .assetLinks).first?.help
    #expect(help == "It begins with two braces. A list of objects begins with [ and ends with ].")
  }

  @Test(arguments: [
    ("\"applinks\":{\"apps\":[],\"details\":[]}", "Write `{` at the start: it is missing there."),
    (
      "{\"applinks\":{\"details\":[\n{\"components\":[{\"/\":\"/*\"}}]}}",
      "Write `]` before the `}` in line 2: the `[` in line 2 has no end."
    ),
    (
      "{\"applinks\":{\"details\":[]}}}\n",
      "Remove the `}` in line 1: nothing is open there that it could end."
    ),
    ("{\"applinks\":{\"details\":[{}]\n", "Write `}}` at the end, in line 2: it is missing there."),
    (
      "{\"applinks\":{\"details\":[{\"/\":\"}]\"",
      "Write `}]}}` at the end, in line 1: it is missing there."
    ),
  ])
  func aBracketThatIsMissingOrTooManyIsNamed(text: String, help: String) {
    #expect(Self.findings(text, .apple).first?.help == help)
  }

  @Test(arguments: [
    (
      "{\"applinks\":{\"details\":[]}},\n\"webcredentials\":{}}",
      "Remove the bracket before the comma in line 1"
    ),
    ("{\"applinks\":\n\"details\": [] }\n}", "Fix line 2"), ("{\"a\":1}, // b", "Fix line 1"),
    ("{\"a\":1},\n{\"b\":1}", "Write `[` at the start and `]` at the end"),
    ("{\"a\": [1 // two ]\n]}", "Remove the comment in line 1"),
    ("Not found [1]: see \"docs\": here", "Fix line 1"),
  ])
  func anotherFaultIsNotTakenForABracket(text: String, start: String) {
    let help = Self.findings(text, .apple).first?.help ?? ""
    #expect(help.hasPrefix(start), "\(help)")
  }

  @Test func theErrorOfAStorageIsNoPage() {
    let text = "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>"
    let help = Self.findings(text, .apple).first?.help ?? ""
    #expect(help.contains("Amazon S3") && !help.contains("page"), "\(help)")
  }

  @Test func theKeyThatDiffersOnlyInCaseIsMeant() {
    let text =
      "{\"applinks\":{\"details\":[{\"appId\":\"ABCDE12345.com.example.app\",\"paths\":[\"/a\"]}]}}"
    let help = Self.findings(text, .apple).first { $0.pointer.description.hasSuffix("appId") }?.help
    #expect(help == "Write `appID` if that is what you mean.")
  }

  @Test func exclusionsInTheWordsOfOtherFilesAreNamed() {
    let rule = Self.statement(
      "delegate_permission/common.handle_all_urls",
      """
      ,"relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":
      [{"/":"NOT /b"},{"/":"*"}]}}
      """)
    let helps = Self.findings(rule, .assetLinks).map(\.help)
    #expect(helps.contains { $0.contains("\"exclude\": true") }, "\(helps)")
    let path =
      "{\"applinks\":{\"details\":[{\"appID\":\"ABCDE12345.com.example.app\",\"paths\":[\"!/a/b\",\"*\"]}]}}"
    let codes = Self.findings(path, .apple).map(\.code)
    #expect(codes.contains(.misspelledNot) && !codes.contains(.noLeadingSlash), "\(codes)")
  }

  @Test func aMisspelledRelationSaysThatItLinksNothing() {
    let finding = { (relation: String) in
      Self.findings(Self.statement(relation), .assetLinks).first { $0.code == .unknownRelation }
    }
    #expect(
      finding("delegate_permission/common.handle_all_url")?.message.hasSuffix("links nothing.")
        == true)
    #expect(finding("delegate_permission/other.use")?.message.hasSuffix("is known.") == true)
  }

  @Test func aQuestionMarkMeantForAQueryIsNoted() {
    let codes = { (paths: String) in
      Self.findings(
        "{\"applinks\":{\"details\":[{\"appID\":\"ABCDE12345.com.example.app\",\"paths\":[\(paths)]}]}}",
        .apple
      ).map(\.code)
    }
    #expect(codes("\"/r\",\"/r?*\"").contains(.queryInPath))
    for paths in ["\"/s\",\"/r?*\"", "\"NOT /r/\",\"/r/?*\"", "\"/r/*\",\"/r/*?*\""] {
      #expect(!codes(paths).contains(.queryInPath))
    }
  }

  @Test func whatIsNoAppTakesNoPagesOfSignIn() {
    let file = { (app: String) in
      "{\"applinks\":{\"details\":[{\"appID\":\"\(app)\",\"paths\":[\"*\"]}]}}"
    }
    let codes = { (app: String) in Self.findings(file(app), .apple).map(\.code) }
    #expect(codes("ABCDE12345.com.example.app").contains(.takesSignInPages))
    #expect(codes("ABCDE12345+com.example.app").contains(.malformedAppIdentifier))
    #expect(!codes("ABCDE12345+com.example.app").contains(.takesSignInPages))
  }

  @Test func placeholdersOfGuidesAreNoValues() {
    let real = Self.fingerprint
    let isPlaceholder = { (package: String, fingerprint: String) in
      let text = """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"\(package)","sha256_cert_fingerprints":["\(fingerprint)"]}}]
        """
      return Self.findings(text, .assetLinks).contains { $0.code == .placeholderValue }
    }
    #expect(isPlaceholder("com.placeholder", real))
    #expect(isPlaceholder("com.example", real))
    #expect(isPlaceholder("com.example.app", "REPLACE_WITH_PLAY_APP_SIGNING_SHA256"))
    #expect(!isPlaceholder("com.example.app", real))
    #expect(!isPlaceholder("com.image.placeholders", real))
  }

  @Test func slashesBeforeAHostAreNamed() {
    do throws(ValidationError) {
      _ = try DomainName("//example.com")
      Issue.record("It was taken for a name.")
    } catch {
      #expect(error.message.contains("begins with slashes"))
    }
  }
}
