import Association
import Testing

/// Texts that people pasted into public reports, beyond the forms of whole tools.
@Suite struct ReportedOutputTests {
  @Test func theVerifierOfAndroid11AndLowerNamesHostAndAppInSeveralLines() {
    let lines = { (isTrue: Bool) in
      [
        "Verification result: checking for a statement with source a <",
        "  a: \"https://www.a.example\"",
        ">", ", relation delegate_permission/common.handle_all_urls, and target b <",
        "  a: \"com.example.app\"", "  b <", "    a: \"AA:B4:3F\"", "  >", ">", " --> \(isTrue).",
      ].map { "I SingleHostAsyncVerifier: \($0)\n" }.joined()
    }
    #expect(
      DeviceOutput.explained(lines(false)) == [
        "verifier-log www.a.example com.example.app verification-failed"
      ])
    #expect(
      DeviceOutput.explained(lines(true)) == [
        "verifier-log www.a.example com.example.app fine-here"
      ])
  }

  @Test(arguments: [
    (
      "an attempt to fetch the .well-known/webauthn resource of the claimed RP ID failed.",
      "verification-failed"
    ),
    (
      "the .well-known/webauthn resource of the claimed RP ID had the wrong content-type. (It should be application/json.)",
      "unusable-file"
    ),
    (
      "fetching the .well-known/webauthn resource of the claimed RP ID resulted in a JSON parse error.",
      "unusable-file"
    ),
    (
      "fetching the .well-known/webauthn resource of the claimed RP ID was successful, but no listed origin matched the "
        + "caller.", "not-in-file"
    ),
    ("", "request-failed"),
  ])
  func aBrowserSaysWhyItRefusesAPasskeyOfAnotherOrigin(tail: String, code: String) {
    let text =
      "SecurityError: The relying party ID is not a registrable domain suffix of, nor equal to the current domain. "
      + (tail.isEmpty ? "" : "Subsequently, \(tail)")
    #expect(DeviceOutput.explained(text) == ["related-origins - - \(code)"])
    #expect(DeviceOutput(Array(text.utf8)).kind.document == .webAuthn)
  }

  @Test(arguments: [
    "SecurityError: The operation is insecure.",
    "WebAuthnError: The RP ID \"example.com\" is invalid for this domain",
    "WebAuthnError: 127.0.0.1 is an invalid domain", "SecurityError: This is an invalid domain.",
    "SecurityError: The effective domain of the document is not a valid domain.",
    "'rp.id' cannot be used with the current origin: rp.id = example.com; origin = https://b.example",
    "Could not make a passkey: OriginRpMissmatch",
  ])
  func aBrowserOrALibraryRefusesAnRPID(text: String) {
    #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
    let message = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relatedOrigins).message
    let isAboutName = text.contains("invalid domain") || text.contains("valid domain.")
    #expect(message.contains("127.0.0.1") == isAboutName, "\(message)")
  }

  @Test(arguments: [
    ("Error: InsecureLocalhostNotAllowed", "localhost"),
    ("passkey request refused (UnprotectedOrigin)", "not at an HTTPS address"),
  ])
  func aPasswordManagerRefusesAPageWithoutTLS(text: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
    let message = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relatedOrigins).message
    #expect(message.contains(words), "\(message)")
  }

  @Test(arguments: [
    ("dat=10.128.122.228:3000 pkg=com.example.app", "debug-link - com.example.app no-activity"),
    ("dat=www.example.com/path", "debug-link - - no-activity"),
    ("dat=localhost:8080/x", "debug-link - - no-activity"),
    ("dat=com.example.app:/open", "debug-link - - no-activity"),
  ])
  func aURLWithoutASchemeIsNoLink(intent: String, row: String) {
    let text = "Error: Activity not started, unable to resolve Intent { act=a \(intent) flg=0x1 }\n"
    #expect(DeviceOutput.explained(text) == [row])
    let message = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .debugLink).message
    #expect(
      message.contains("has no scheme") == !intent.contains("com.example.app:/"), "\(message)")
  }

  @Test(arguments: [
    ("Status: ok\nActivity: com.example.app/.Main\n", "com.example.app", false),
    (
      "Warning: Activity not started, intent has been delivered to currently running top-most instance.\n",
      "-",
      true
    ),
    (
      "Warning: Activity not started, its current task has been brought to the front\nStatus: ok\n"
        + "Activity: com.example.app/.Main\n", "com.example.app", true
    ),
  ])
  func anAppThatTookTheLinkIsFine(lines: String, app: String, wasRunning: Bool) {
    let text = "Starting: Intent { act=a dat=https://example.com/x }\n" + lines
    #expect(DeviceOutput.explained(text) == ["debug-link example.com \(app) fine-here"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .debugLink)
    #expect(verdict.isFine && verdict.nextStep.contains("onNewIntent") == wasRunning)
    let explicit = text.replacing(" }", with: " pkg=com.example.app }")
    let named = DeviceVerdict(DeviceOutput(Array(explicit.utf8)).rows[0], of: .debugLink)
    #expect(named.isFine && named.message.contains("says nothing about verification"))
  }

  @Test(arguments: [
    (
      "Unexpected registration response origin \"android:apk-key-hash:qvuLMyLL__vtfHay6y_KGGHYL5Qkkf5aufucFCAtWVE\","
        + " expected \"https://example.com\"", "AA:FB:8B:33:22:CB"
    ),
    (
      "java.lang.IllegalArgumentException: Incorrect origin: android:apk-key-hash:abc",
      "android:apk-key-hash:abc"
    ),
    (
      "Unexpected authentication response origin \"https://h.example\", expected \"http://h.example\"",
      "https://h.example, not http://h.example"
    ),
    ("BadRpIdException: rpIdHash doesn't match the hash of preconfigured rpId", "The RP ID"),
  ])
  func aSiteRefusesWhatAPasskeyAnswered(text: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["relying-party - - origin-refused"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relyingParty)
    #expect(verdict.message.contains(words), "\(verdict.message)")
    #expect(verdict.nextStep.contains("proxy") == text.contains("expected \"http://"))
  }

  @Test(arguments: [
    "android/com.android.internal.app.ResolverActivity",
    "com.android.intentresolver/.ChooserActivity",
    "com.android.browser/.BrowserActivity", "org.mozilla.focus/.activity.MainActivity",
  ])
  func aChooserOrABrowserIsNoAppThatTookTheLink(activity: String) {
    let text =
      "Starting: Intent { act=a dat=https://example.com/x }\nStatus: ok\nActivity: \(activity)\n"
    #expect(DeviceOutput.explained(text) == ["debug-link example.com - not-verified-yet"])
  }

  @Test(arguments: [
    "Starting: Intent { cmp=com.example.app/.Main }\nStatus: ok\nActivity: com.example.app/.Main\n",
    "{\"type\":\"webauthn.get\",\"origin\":\"android:apk-key-hash:abc\"}",
    "Allowed origins: https://example.com, android:apk-key-hash:abc",
    "I have com.apple.developer.associated-domains in my entitlements and my provisioning profile, but links open Safari",
    "My app is signed with the right team and codesign -d shows com.apple.developer.associated-domains",
  ])
  func whatRefusesNothingIsNoError(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }

  @Test func theOriginThatIsRefusedIsNamedAndNotOneThatIsExpected() {
    let text =
      "Unexpected authentication response origin \"http://localhost:3000\", expected one of: https://example.com, "
      + "android:apk-key-hash:abc"
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relyingParty)
    #expect(verdict.message.contains("http://localhost:3000"), "\(verdict.message)")
    #expect(!verdict.message.contains("Android"))
  }

  @Test(arguments: [
    "error: Provisioning profile \"X\" doesn't include the com.apple.developer.associated-domains entitlement.",
    "Provisioning profile \"X\" doesn't support the Associated Domains capability.",
    "ITMS-90163: \"Invalid Code Signing Entitlements. the key 'com.apple.developer.associated-domains' is not allowed\"",
    "ITMS-90046: value 'applinks:*example.com' for key 'com.apple.developer.associated-domains' is not supported.",
    "ITMS-90046: value '*' for key 'com.apple.developer.associated-domains' is not supported.",
  ])
  func whatSigningRefusesIsForTheTeamOfTheApp(text: String) {
    #expect(DeviceOutput.explained(text) == ["code-signing - - not-in-profile"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .codeSigning)
    #expect(verdict.actor == .appTeam)
    #expect(verdict.message.contains("applinks:*example.com") == text.contains("applinks:*"))
  }

  @Test(arguments: [
    ("Passkey operation failed because app not found in asset links", "passkey-not-linked"),
    ("Passkeys not supported for this app", "passkey-not-linked"),
    ("Passkey operation failed because browser is not privileged", "request-failed"),
    (
      "{\"error\":\"NoCredentials\",\"message\":\"No viable credential is available\"}",
      "request-failed"
    ),
    ("None of the allowed credentials can be authenticated", "request-failed"),
  ])
  func aPasswordManagerOfAndroidRefuses(text: String, code: String) {
    #expect(DeviceOutput.explained(text) == ["credential-manager - - \(code)"])
  }

  @Test(arguments: [
    (
      "No app deep linking permission found for com.example.app at app.example.com.",
      "digital-asset-links app.example.com com.example.app not-in-file"
    ),
    (
      "Success! Host www.example.com grants app deep linking to com.example.app.",
      "digital-asset-links www.example.com com.example.app fine-here"
    ),
  ])
  func googlesTesterOfStatementsIsRead(text: String, row: String) {
    #expect(DeviceOutput.explained(text) == [row])
  }

  @Test(arguments: [
    (
      "swcd[1] [SWC] ### Bad apple-app-site-association server trust: -6754, 4 (kSecTrustResultUnspecified), {",
      "swcd-log - - certificate-refused"
    ),
    (
      "swcd[1] [SWC] ### Download URL 'https://example.com/apple-app-site-association' failed: -1",
      "swcd-log example.com - cdn-failed"
    ),
    (
      "swcd Beginning data task AASA-1A2B { domain: example.com, bytes: 0, route: cdn }",
      "swcd-log example.com - incomplete"
    ),
  ])
  func linesOfSwcdAreRead(text: String, row: String) {
    #expect(DeviceOutput.explained(text) == [row])
  }

  @Test func aCertificateThatADeviceRefusesIsNoUnusableFile() {
    let text = { (flags: String) in
      """
      Service:              applinks
      App ID:               ABCDE12345.com.example.app
      Domain:               example.com\(flags)
      User Approval:        unspecified
      Site/Fmwk Approval:   unspecified
      Error:                Error Domain=SWCErrorDomain Code=100 "Disallowed trust result type." UserInfo={Line=174, TrustResultType=6}
      """
    }
    #expect(
      DeviceOutput.explained(text("?mode=developer")) == [
        "swcutil-show example.com ABCDE12345.com.example.app certificate-refused"
      ])
    // Apple's CDN is asked, so something stands in between.
    #expect(
      DeviceOutput.explained(text("")) == [
        "swcutil-show example.com ABCDE12345.com.example.app never-downloaded"
      ])
  }

  @Test func otherErrorsOfSigningInAreRead() {
    #expect(
      DeviceOutput.explained(
        "NSOSStatusErrorDomain Code=-909 \"Autofill is not enabled in Safari settings\"") == [
          "asauthorization - - request-failed"
        ])
    #expect(
      DeviceOutput.explained("Passkey error: Origin and RP ID do not match") == [
        "related-origins - - request-failed"
      ])
  }

  @Test(arguments: [
    "The certificate is invalid for this domain", "Error: example.com is an invalid domain",
    "The registrar answered that the name which we wanted to buy for the shop is an invalid domain, so",
    "git: unable to verify origin/main signature",
    "x509: certificate signed by unknown authority; unable to verify origin server certificate",
  ])
  func everydayWordsAboutADomainAreNoErrorOfABrowser(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }

  @Test(arguments: [
    (
      "Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=“http://a.example/b” flg=0x10000000 "
        + "pkg=com.example.app }", "a.example com.example.app no-activity",
      "straight quotation marks"
    ),
    (
      "Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=myapp://open/1 }",
      "- - no-activity", "filter with this scheme"
    ),
    (
      "android.content.ActivityNotFoundException: No Activity found to handle Intent { act=android.intent.action.VIEW "
        + "dat=https://a.example/x }", "a.example - no-activity", "aasa manifest"
    ),
    (
      "Starting: Intent { act=android.intent.action.VIEW dat=https://a.example/... pkg=com.example.app }\nStatus: ok\n"
        + "LaunchState: COLD\nActivity: com.android.chrome/com.google.android.apps.chrome.Main\n",
      "a.example com.example.app not-verified-yet", "get-app-links com.example.app"
    ),
  ])
  func whatAmStartPrintsSaysWhoTookTheLink(text: String, row: String, next: String) {
    #expect(DeviceOutput.explained(text) == ["debug-link \(row)"])
    let verdict = DeviceOutput(Array(text.utf8)).rows.first.map {
      DeviceVerdict($0, of: .debugLink)
    }
    #expect(verdict?.nextStep.contains(next) == true, "\(verdict?.nextStep ?? "")")
  }

  @Test(arguments: [
    "HTTP/1.1 404 Not Found Apple-Failure-Reason: SWCERR00301 Timeout Apple-Failure-Details: {\"cause\":\"x: y\"} "
      + "Apple-Try-Direct: true Cache-Control: max-age=3600,public",
    "Apple's CDN says SWCERR00301 Timeout. What now?", "refused with \"SWCERR00301 Timeout\"",
  ])
  func theReasonOfApplesCDNIsReadInOneLineOrAlone(text: String) {
    #expect(DeviceOutput.explained(text) == ["cdn-headers - - cdn-failed"])
    let row = DeviceOutput(Array(text.utf8)).rows.first
    #expect(
      row?.error == "SWCERR00301 Timeout" && row?.tryDirect == (text.hasPrefix("HTTP") ? true : nil)
    )
  }

  @Test func aFailedVerificationNamesThePackageOfItsRequest() {
    let text =
      "IntentFilterIntentOp: Verifying IntentFilter. verificationId:1 scheme:\"https\" hosts:\"a.example\" "
      + "package:\"com.example.app\".\nVerification 1 complete. Success:false. Failed hosts:a.example.\n"
    #expect(
      DeviceOutput.explained(text) == ["verifier-log a.example com.example.app verification-failed"]
    )
  }

  @Test func theCommandForAWildcardNamesTheDomainThatDevicesAsk() {
    let row = DeviceRow(host: "*.a.example", app: "com.example.app", state: "1024")
    let next = DeviceVerdict(row, of: .appLinks).nextStep
    #expect(next.contains("aasa check --app com.example.app a.example"), "\(next)")
  }

  @Test(arguments: [
    (
      "[AutoFill] Cannot show Automatic Strong Passwords for app bundleID: com.example.app due to error: Cannot save "
        + "passwords for this app. Make sure you have set up Associated Domains",
      "- - not-associated"
    ),
    (
      "Cannot show Automatic Strong Passwords for app bundleID: com.example.app due to error: iCloud Keychain is disabled",
      "- - request-failed"
    ),
    (
      "Code=-25293 \"a.example failed to approve ABCDE12345.com.example.app\"",
      "a.example ABCDE12345.com.example.app not-associated"
    ),
    (
      "Using HTTPS callbacks requires Associated Domains using the `webcredentials` service type for a.example.",
      "a.example - not-associated"
    ),
    ("{\"message\":\"The request failed. No Credentials were returned.\"}", "- - request-failed"),
    (
      "Application with identifier ABCDE12345.com.example.app is not associated with the domain a.example",
      "a.example ABCDE12345.com.example.app not-associated"
    ),
  ])
  func anAppleDeviceSaysThatItMissesWebcredentials(text: String, verdict: String) {
    #expect(DeviceOutput.explained(text) == ["asauthorization \(verdict)"])
  }

  @Test func anIntentThatNoActivityTakesHasNothingToDoWithTheServer() {
    let text = """
      Starting: Intent { act=android.intent.action.VIEW dat=https://a.example/buy/1 pkg=com.example.app }
      Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW \
      dat=https://a.example/... flg=0x10000000 pkg=com.example.app }
      """
    #expect(DeviceOutput.explained(text) == ["debug-link a.example com.example.app no-activity"])
  }

  @Test func linesOfSwcdSayWhichEntriesOfAnAppTheDeviceTookOver() {
    let added =
      "swcd(CoreUtils)[3253] <Notice>: Added service 'applinks', appID 'ABCDE12345.com.example.app', domain 'a.example'"
    #expect(
      DeviceOutput.explained(added) == ["swcd-log a.example ABCDE12345.com.example.app incomplete"])
    #expect(DeviceOutput.explained("swcd Domain is invalid") == ["swcd-log - - not-a-domain"])
    // A device that no organization manages says that this is normal.
    #expect(
      DeviceOutput.explained(
        "swcd Error getting … this is normal: Error Domain=SWCErrorDomain Code=1701 \"…\"")
        == ["swcd-log - - incomplete"])
    #expect(
      DeviceOutput.explained("\(added)\nswcd Error Domain=SWCErrorDomain Code=1701 \"…\"")
        == ["swcd-log a.example ABCDE12345.com.example.app incomplete"])
  }

  @Test func anActivityThatIsNotExportedHasNothingToDoWithTheServer() {
    let intent = { (data: String) in
      "java.lang.SecurityException: Permission Denial: starting Intent { act=android.intent.action.VIEW\(data) "
        + "pkg=com.example.app cmp=com.example.app/.Main } from null (pid=1, uid=2000) not exported from uid 10063"
    }
    #expect(
      DeviceOutput.explained(intent(" dat=https://a.example/..."))
        == ["debug-link a.example com.example.app manifest-refused"])
    #expect(DeviceOutput(intent("")).kind == .unknown)
    #expect(DeviceOutput(intent(" dat=demo://a")).kind == .unknown)
  }

  @Test func aRemarkBehindAStateIsNoPartOfIt() {
    let text = "  com.example.app:\n    Domain verification state:\n      a.example: 1024  # why?\n"
    #expect(DeviceOutput(text).lines == ["a.example - com.example.app 1024"])
  }

  @Test func whatIsNoJSONIsTold() {
    let text =
      "$ sudo swcutil dl -d a.example\nThe operation couldn’t be completed. (SWCErrorDomain error 104.)"
    #expect(DeviceOutput.explained(text) == ["swcutil-dl a.example - unusable-file"])
  }
}
