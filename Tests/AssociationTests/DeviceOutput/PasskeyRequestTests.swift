import Association
import Testing

/// Why a request for a passkey or a password ends without one, though no file of a site is to blame.
@Suite struct PasskeyRequestTests {
  private func message(_ text: String) -> String {
    let output = DeviceOutput(text)
    return output.rows.first.map { DeviceVerdict($0, of: output.kind).message } ?? ""
  }

  @Test(arguments: [
    (
      "CreatePublicKeyCredentialDomException: User is unable to create passkeys.",
      "no Google account"
    ),
    ("PlatformException(android-missing-google-sign-in, m, null, null)", "no Google account"),
    ("PlatformException(android-sync-account-not-available, m, null)", "no Google account"),
    ("PlatformException(exclude-credentials-match, m, null, null)", "already has a passkey"),
    ("[15] Flow has timed out.", "time for the answer"),
    ("androidx.credentials.TYPE_TIMEOUT_ERROR", "time for the answer"),
    ("Unable to create key during registration", "closed the dialog"),
    (
      "GetCredentialUnsupportedException: Your device doesn't support credential manager",
      "neither Android 14"
    ),
    ("During create public key credential, fido registration failure: null", "does not say why"),
  ])
  func android(text: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["credential-manager - - request-failed"])
    #expect(message(text).contains(words), "\(message(text))")
  }

  @Test func aReasonCountsMoreThanTheWordsBeforeIt() {
    let text =
      "During create public key credential, fido registration failure: [50152] RP ID cannot be validated."
    #expect(DeviceOutput.explained(text) == ["credential-manager - - passkey-not-linked"])
  }

  @Test(arguments: [
    ("NotAllowedError: This request has been cancelled by the user.", "closed the dialog"),
    ("NotAllowedError: The document is not focused.", "without a click"),
    (
      "User gesture is not detected. To use the WebAuthn API, call 'navigator.credentials.get' within user activated events.",
      "without a click"
    ),
  ])
  func browsers(text: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
    #expect(message(text).contains(words), "\(message(text))")
  }

  @Test func theRPIDOfDevelopmentIsNamed() {
    let text = { (id: String) in "SecurityError: The RP ID \"\(id)\" is invalid for this domain" }
    #expect(
      DeviceOutput.explained(text("localhost")) == ["related-origins - - request-failed"])
    #expect(message(text("localhost")).contains("RP ID is localhost"))
    #expect(!message(text("example.com")).contains("localhost"))
    let note = " At first we had the RP ID \"localhost\"."
    #expect(!message(text("example.com") + note).contains("localhost"))
    // An address is no RP ID, so the page has to be opened by the name.
    let output = DeviceOutput(text("localhost") + " at http://127.0.0.1:3000")
    let next = output.rows.first.map { DeviceVerdict($0, of: output.kind).nextStep }
    #expect(next?.contains("http://localhost") == true)
  }

  @Test func apple() {
    #expect(
      DeviceOutput.explained("Unhandled exception: DomainNotAssociatedException") == [
        "asauthorization - - not-associated"
      ])
    let error = "Error Domain=NSOSStatusErrorDomain Code=-25300 \"no matching items found\""
    #expect(
      DeviceOutput.explained("requestSharedWebCredentials: \(error)") == [
        "asauthorization - - request-failed"
      ])
    // Keychains say so of any item.
    #expect(DeviceOutput(error).kind == .unknown)
  }

  @Test(arguments: [
    "The document is not focused.", "This request has been cancelled by the user, who was tired.",
    "User gesture is not detected.",
  ])
  func theSameWordsOfOtherProgramsSayNothing(text: String) {
    #expect(DeviceOutput(text + String(repeating: " More text.", count: 30)).kind == .unknown)
  }
}
