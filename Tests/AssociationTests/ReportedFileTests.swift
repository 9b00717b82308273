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

  @Test(arguments: [
    ("com.placeholder", "FA:C6"), ("com.example.app", "REPLACE_WITH_PLAY_APP_SIGNING_SHA256"),
  ])
  func placeholdersOfGuidesAreNoValues(package: String, fingerprint: String) {
    let whole =
      fingerprint == "FA:C6" ? (0..<16).map { _ in "FA:C6" }.joined(separator: ":") : fingerprint
    let text = """
      [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
      "package_name":"\(package)","sha256_cert_fingerprints":["\(whole)"]}}]
      """
    #expect(Self.findings(text, .assetLinks).map(\.code).contains(.placeholderValue))
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
