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
