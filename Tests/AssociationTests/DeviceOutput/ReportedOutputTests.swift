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
  ])
  func aBrowserOrALibraryRefusesAnRPID(text: String) {
    #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
    let message = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relatedOrigins).message
    let isAboutName = text.contains("invalid domain") || text.contains("valid domain.")
    #expect(message.contains("127.0.0.1") == isAboutName, "\(message)")
  }

  @Test(arguments: [
    "The certificate is invalid for this domain", "Error: example.com is an invalid domain",
    "The registrar answered that the name which we wanted to buy for the shop is an invalid domain, so",
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

  @Test func anAppThatStartedIsNoFault() {
    let text =
      "Starting: Intent { act=android.intent.action.VIEW dat=https://a.example/... }\nStatus: ok\n"
      + "Activity: com.example.app/.MainActivity\n"
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
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
        "swcd Error getting … this is normal: Error Domain=SWCErrorDomain Code=1701 \"…\"") == [])
  }

  @Test func whatIsNoJSONIsTold() {
    let text =
      "$ sudo swcutil dl -d a.example\nThe operation couldn’t be completed. (SWCErrorDomain error 104.)"
    #expect(DeviceOutput.explained(text) == ["swcutil-dl a.example - unusable-file"])
  }
}
