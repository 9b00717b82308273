import Association
import Testing

/// What a build, the Play Console or Flutter's validator says about the links of an app.
@Suite struct DeveloperToolTests {
  @Test(arguments: [
    (
      "android:exported needs to be explicitly specified for element <activity#a.B>. Apps targeting Android 12 and higher",
      "manifest-refused"
    ),
    (
      "a.B: Targeting S+ requires that an explicit value for android:exported be defined when intent filters are present",
      "manifest-refused"
    ),
    (
      "required to specify an explicit value for `android:exported` when the component has an intent filter",
      "manifest-refused"
    ),
    (
      "2 deep links may be failing because your web domains aren’t associated with your app",
      "verification-failed"
    ),
    (
      "shop.example: it passed, but other domains in your app are failing.",
      "verification-failed"
    ),
    (
      "Add a \"/\" to the beginning of the android:path attribute in the <data> tag.", "no-activity"
    ),
    ("Deep links\nshop.example\nDomain not verified", "verification-failed"),
    ("Failed to handle route information in Flutter.", "request-failed"),
    ("GoException: no routes for location: https://a.example/b", "request-failed"),
    ("Error: no apps with domain entitlements", "incomplete"),
    (
      "3 domains failed validation\nFix domain issues by verifying ownership of web links associated with this path",
      "verification-failed"
    ),
    ("Digital Asset Links JSON file does not exist", "verification-failed"),
    ("Package name not found. Look at your Digital Asset Links.", "not-in-file"),
    ("assetlinks.json: Fingerprint validation failed", "wrong-signing-key"),
    ("JSON content type incorrect (assetlinks.json)", "unusable-file"),
    ("Deep link check: HTTPS accessibility check failed", "verification-failed"),
    ("Deep link check: Domain non-redirect check failed", "redirect-refused"),
    ("Deep links: Host attribute is not formed properly", "not-a-domain"),
    ("x Apple-App-Site-Association file does not exist", "unusable-file"),
    ("x Apple-App-Site-Association file format is incorrect", "unusable-file"),
    ("Apple-App-Site-Association of shop.example: App identifier not found", "not-in-file"),
    ("Apple-App-Site-Association: Domain non-redirect check failed", "redirect-refused"),
    ("Your domain does not have valid DNS.", "never-downloaded"),
    ("Your server returned an error status code (>= 400).", "unusable-file"),
    ("Your file's 'content-type' header was not found or is wrong", "unusable-file"),
    ("Your file must be served over HTTPS.", "verification-failed"),
    ("x Your file should contain valid JSON (using simple JSON.parse).", "unusable-file"),
    ("Intent filter is missing browsable tag", "no-activity"),
    ("Intent filter is missing autoVerify tag", "not-auto-verified"),
  ])
  func whatAToolSaysOfTheLinksOfAnAppIsRead(text: String, code: String) {
    #expect(DeviceOutput.explained(text) == ["developer-tools - - \(code)"])
    #expect(DeviceOutput(Array(text.utf8)).kind.document == .assetLinks)
  }

  @Test func eachErrorOfAValidatorHasItsVerdict() {
    let text = """
      Digital Asset Links of shop.example
      x Fingerprint validation failed
      x Domain non-redirect check failed
      """
    #expect(
      DeviceOutput.explained(text) == [
        "developer-tools - - redirect-refused", "developer-tools - - wrong-signing-key",
      ])
  }

  @Test(arguments: [
    "Domain not verified: we cannot send mail for shop.example",
    "GoException: no routes for location: /b",
    "Package name not found in the registry", "Fingerprint validation failed for the host key",
    "an explicit value for the parameter is required", "The account is associated with your app.",
    "<activity android:exported=\"true\"> is in my manifest",
  ])
  func theSameWordsAboutSomethingElseAreNone(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }

  @Test func whatADeviceSaysGoesFirst() {
    let text = """
      android:exported needs to be explicitly specified for element <activity#a.B>
        com.example.app:
          Domain verification state:
            shop.example: 1024
      """
    #expect(
      DeviceOutput.explained(text) == [
        "get-app-links shop.example com.example.app verification-failed"
      ])
  }
}
