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
    (
      "-canOpenURL: failed for URL: \"a://b\" - error: \"This app is not allowed to query for scheme a\"",
      "no-activity"
    ),
    (
      "Error: Unable to open URL: a://b. Add a to LSApplicationQueriesSchemes in your Info.plist.",
      "no-activity"
    ),
    (
      "$ xcrun simctl openurl booted a://b\nUnderlying error (domain=NSOSStatusErrorDomain, code=-10814):",
      "no-activity"
    ),
    ("(LSApplicationWorkspaceErrorDomain error 115.)", "no-activity"),
    ("GoException: no routes for location: com.example.app://callback?code=1", "request-failed"),
    (
      "Could not navigate to initial route.\nThe requested route name was: \"/a\"", "request-failed"
    ),
    ("Dynamic Link Not Found\nensure that your Dynamic Links domain is right", "not-served"),
    (
      "IllegalArgumentException: Navigation destination that matches request NavDeepLinkRequest{ uri=https://a.example/b } "
        + "cannot be found in the navigation graph", "request-failed"
    ),
    ("I/UrlLauncher( 9123): component name for https://a.example is null", "no-activity"),
    (
      "BranchSDK_Doctor: ** ERROR ** : Could not find any App Link hosts to support Android AppLinks. Please add",
      "not-a-domain"
    ),
    (
      "Manifest merger failed : Attribute data@host at AndroidManifest.xml requires a placeholder substitution but no value "
        + "for <auth0Domain> is provided.", "manifest-refused"
    ),
    (
      "An error was encountered processing the command (domain=NSOSStatusErrorDomain, code=-10814):\n"
        + "Simulator device failed to open a://b.", "no-activity"
    ),
    ("Dynamic Link Not Found", "not-served"),
    ("<title>Invalid Dynamic Link</title>", "not-served"),
    ("The operation couldn’t be completed. (CPSErrorDomain error 2.)", "request-failed"),
    ("Unmatched Route\nPage could not be found.\na:///b", "request-failed"),
    ("---- Firebase Dynamic Links diagnostic output start ----", "not-served"),
    (
      "HTTP Error 404.3 - Not Found\nThe page you are requesting cannot be served because of the extension configuration.\n"
        + "https://a.example/.well-known/assetlinks.json", "unusable-file"
    ),
  ])
  func whatAToolSaysOfTheLinksOfAnAppIsRead(text: String, code: String) {
    #expect(DeviceOutput.explained(text) == ["developer-tools - - \(code)"])
    #expect(DeviceOutput(Array(text.utf8)).kind.document == .assetLinks)
  }

  @Test(arguments: [
    (
      "This host does not support app links to your app. Checks the Digital Asset Links JSON file: \(file)",
      "not-in-file"
    ),
    ("Connection to Digital Asset Links JSON file \(file) fails", "verification-failed"),
    (
      "Unknown host: https://a.example. Check if the host exists, and check your network connection",
      "never-downloaded"
    ),
    ("\(file) has incorrect JSON syntax", "unusable-file"),
    (
      "HTTP response for Digital Asset Links JSON file \(file) should have Content-Type application/json, but has text/html",
      "unusable-file"
    ),
    ("Missing required elements/attributes for Android App Links", "no-activity"),
    ("At least one `host` must be specified [AppLinkUrlError]", "no-activity"),
    ("Activity supporting ACTION_VIEW is not set as BROWSABLE", "no-activity"),
    (
      "This intent filter has the format of an Android App Link but is missing the `autoVerify` attribute",
      "not-auto-verified"
    ),
    (
      "Host matching is case sensitive and should only use lower-case characters", "no-activity"
    ),
    ("Split your http(s) and custom schemes into separate intent filters", "not-auto-verified"),
    ("App link matching does not support query parameters or fragments, unless", "no-activity"),
    ("`android:path` attribute should start with `/`, but it is `a`", "no-activity"),
  ])
  func whatLintOfAndroidSaysIsRead(message: String, code: String) {
    let text = "AndroidManifest.xml:12: Error: \(message)"
    #expect(DeviceOutput.explained(text) == ["developer-tools - - \(code)"])
    // What is shown as said was said.
    #expect(DeviceOutput(text).rows.allSatisfy { text.contains($0.error ?? "-") })
  }

  private static let file = "https://a.example/.well-known/assetlinks.json"

  @Test func whatAppsLogAllTheTimeIsNoCauseInALongLog() {
    let line = "-canOpenURL: failed for URL: \"a://b\" - error: \"(OSStatus error -10814.)\"\n"
    #expect(DeviceOutput.explained(line) == ["developer-tools - - no-activity"])
    let log = line + String(repeating: "App[1:2] another line of the console\n", count: 100)
    #expect(DeviceOutput(log).kind == .unknown)
  }

  @Test func whatAppsLogAllTheTimeIsNoCauseBesideAnother() {
    let text =
      "This app is not allowed to query for scheme a\nno routes for location: https://a.example/b"
    #expect(DeviceOutput.explained(text) == ["developer-tools - - request-failed"])
  }

  @Test func theNamesOfAServiceThatGoogleEndedAreExplainedByThat() {
    let path = "/.well-known/apple-app-site-association"
    for (host, code) in [("a.page.link", "not-served"), ("a.example", "unusable-file")] {
      let text = "$ curl -I https://\(host)\(path)\nHTTP/2 404\n"
      #expect(DeviceOutput.explained(text) == ["cdn-headers \(host) - \(code)"])
    }
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
    "GoException: no routes for location: /b?next=https://a.example/",
    "LSOpenURLsWithRole() failed with error -10814 for the file /a.b.",
    "Attribute application@name requires a placeholder substitution but no value for <applicationName> is provided.",
    "ld: Dynamic Link Not Found", "D/Parts: component name for https://a.example is null",
    "My universal link opens Chrome.\nI/UrlLauncher( 9123): component name for https://a.example is null",
    "matches request NavDeepLinkRequest{ uri=android-app://androidx.navigation/b } cannot be found",
    "My App Clip fails: (SCPSErrorDomain error 2.)", "Invalid Dynamic Linker for a",
    "Invalid Dynamic Link Library",
    "I/UrlLauncher( 9123): component name for https://a.example is {com.android.chrome/a.b}",
    "Attribute data@host is right.\nAttribute meta-data@value at AndroidManifest.xml requires a placeholder substitution but "
      + "no value for <MAPS_KEY> is provided.",
    "$ xcrun simctl openurl booted https://a.example\n(code=-10814)\nSimulator device failed to open https://a.example.",
    "My universal link opens Safari.\nThis app is not allowed to query for scheme a",
    "the class attribute should start with a letter, and android:pathPrefix",
    "package.json has incorrect JSON syntax. Your file is broken",
    "Parsing JSON file config.json of the plugin for assetlinks.json",
    "error -10814 of the printer",
    "Unmatched Route in the table of the proxy: a.b could not be found",
    "config.json has incorrect JSON syntax", "At least one host must be specified in the request",
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
