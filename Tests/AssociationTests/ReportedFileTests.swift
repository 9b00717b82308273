import Association
import Testing

/// Files that people showed in public reports.
@Suite struct ReportedFileTests {
  private static func findings(_ text: String, _ kind: DocumentKind) -> [Finding] {
    Linter.report(onFile: Array(text.utf8), kind: kind).findings
  }

  @Test func aResourceOfAnAndroidProjectIsNoPage() {
    let text =
      "<resources><string name=\"asset_statements\">[{ \\\"include\\\": \\\"…\\\" }]</string></resources>"
    let help = Self.findings(text, .assetLinks).first?.help ?? ""
    #expect(help.contains("resource of an Android project") && !help.contains("page"), "\(help)")
  }

  @Test func bracketsThatDoNotFitAreNamed() {
    let help = Self.findings("{\n {\"relation\": []}\n]\n", .assetLinks).first?.help
    #expect(help == "It begins with two braces. A list of objects begins with [ and ends with ].")
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
    let real =
      "1B:40:6F:9D:02:C8:E1:57:3A:94:0E:B6:7C:D3:28:F5:61:8A:CE:13:79:A0:45:FB:32:90:5D:E7:84:16:CB:AF"
    let isPlaceholder = { (package: String, fingerprint: String) in
      let text = """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"\(package)","sha256_cert_fingerprints":["\(fingerprint)"]}}]
        """
      return Self.findings(text, .assetLinks).contains { $0.code == .placeholderValue }
    }
    #expect(isPlaceholder("com.placeholder", real))
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
