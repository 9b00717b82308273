import Association
import Testing

/// What errors of signing in say about the site, and what they do not.
@Suite struct SignInErrorTests {
  @Test(arguments: [
    "Application with identifier ABCDE12345.x is not associated with domain localhost",
    "Unable to verify webcredentials association of ABCDE12345.x with domain localhost. Please try again in a few "
      + "seconds.",
  ])
  func noAppIsAssociatedWithLocalhost(text: String) {
    let output = DeviceOutput(Array(text.utf8))
    let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
    #expect(verdict?.code == .notAssociated && verdict?.actor == .appTeam)
    #expect(verdict?.message.contains("no public name") == true)
  }

  @Test func aDeviceWithoutAPasscodeIsNoWrongDomain() {
    let text = """
      Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 "(null)"
      Device not configured for passkey requests: Error Domain=com.apple.LocalAuthentication Code=-7
      """
    let output = DeviceOutput(Array(text.utf8))
    let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
    #expect(verdict?.code == .requestFailed && verdict?.actor == .user, "\(output.rows)")
  }

  @Test(arguments: [
    "androidx.credentials.exceptions.CreateCredentialNoCreateOptionException: No create options available.",
    "androidx.credentials.exceptions.NoCredentialException: No credentials available",
    "androidx.credentials.exceptions.domerrors.NotAllowedError@12ab",
    "androidx.credentials.TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION",
    "PlatformException(android-no-credential, During begin sign in, failure response from one tap: 16: Cannot find a "
      + "matching credential., , null)",
    "androidx.credentials.exceptions.GetCredentialCancellationException: activity is cancelled by the user.",
    "androidx.credentials.exceptions.CreateCredentialProviderConfigurationException: createCredentialAsync no provider "
      + "dependencies found - please ensure the desired provider dependencies are added",
    "v1=androidx.credentials.TYPE_GET_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION/androidx.credentials.TYPE_NOT_ALLOWED_ERROR:\n"
      + "[50162] Unsuccessful result from folsom activity.",
    "CreatePublicKeyCredentialDomException: androidx.credentials.TYPE_DATA_ERROR",
  ])
  func anExceptionThatSaysNothingAboutTheSiteDoesNotBlameIt(text: String) {
    let output = DeviceOutput(Array(text.utf8))
    let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
    #expect(output.kind == .credentialManager && verdict?.code == .requestFailed, "\(output.rows)")
  }

  @Test(arguments: [
    ("CreatePublicKeyCredentialDomException: Unable to get sync account, code 7", "Google account"),
    ("CreatePublicKeyCredentialDomException: One of the excluded credentials exists.", "already"),
    ("GetPublicKeyCredentialDomException: Failed to decrypt credential (25)", "decrypt"),
    ("GetPublicKeyCredentialDomException: The flow was canceled", "closed the dialog"),
    ("CreatePublicKeyCredentialDomException: No screen lock was found", "can keep a passkey"),
    ("CreateCredentialCustomException: [11000] Passphrase required", "is locked"),
    ("androidx.credentials.exceptions.GetCredentialInterruptedException: x", "was interrupted"),
    (
      "failure response from one tap: 16: Caller has been temporarily blocked due to too many canceled sign-in prompts.",
      "for a day"
    ),
    ("GetCredentialUnknownException: Failed to launch the selector UI. Hint: …", "no activity"),
    (
      "CreateCredentialUnknownException: During save password, 16: [28431] Skipping password saving since …",
      "can be ignored"
    ),
    ("TYPE_NOT_ALLOWED_ERROR: [50162] Unsuccessful result from folsom activity.", "is locked"),
    (
      "CreatePublicKeyCredentialDomException: The planets are not aligned", "nothing about the site"
    ),
    ("caused by CreatePublicKeyCredentialDomException", "does not say why"),
    ("login failed: Unable to get sync account", "Google account"),
    (
      "androidx.credentials.exceptions.GetCredentialCancellationException: [16] Account reauth failed.",
      "OAuth client"
    ),
    (
      "GetCredentialException: [28444] Developer console is not set up correctly.", "OAuth client"
    ),
    ("{\"message\":\"Error: One of the excluded credentials exists here\"}", "already has"),
  ])
  func theClassOfAnExceptionAloneDoesNotBlameTheSite(text: String, words: String) {
    let output = DeviceOutput(Array(text.utf8))
    let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
    #expect(output.kind == .credentialManager && verdict?.code == .requestFailed, "\(output.rows)")
    #expect(verdict?.message.contains(words) == true, "\(verdict?.message ?? "")")
  }

  @Test func whoCannotCreateAPasskeyIsNotToldToCreateOneFirst() {
    let output = DeviceOutput(
      Array("{\"error\":\"NoCredentials\",\"message\":\"No credentials here\"}".utf8))
    let next = output.rows.first.map { DeviceVerdict($0, of: output.kind).nextStep }
    #expect(next?.contains("no Google account or no provider") == true)
  }

  @Test(arguments: [
    "CreatePublicKeyCredentialDomException: The RP ID b.example was refused",
    "GetPublicKeyCredentialDomException: no asset links for b.example",
    "type androidx.credentials.TYPE_SECURITY_ERROR\nCreatePublicKeyCredentialDomException: It failed",
    "Passkey operation failed because app not found in assets links",
    "Unable to save passkey: the associated URL for this passkey does not match the selected app.",
    "Security error: App is not authorized to access passkeys for b.example",
    "androidx.credentials.TYPE_DATA_ERROR: [50152] RP ID cannot be validated.",
    "{\"message\": \"androidx.credentials.exceptions.domerrors.SecurityError@7337b1\"}",
  ])
  func anExceptionAboutTheRPIDIsAboutTheSite(text: String) {
    let output = DeviceOutput(Array(text.utf8))
    #expect(output.rows.map { DeviceVerdict($0, of: output.kind).code } == [.passkeyNotLinked])
  }

  @Test(arguments: [
    ("Code=1001 \"(null)\"", DeviceVerdict.Actor.user), ("error 1006.)", .user),
    ("Code=1010", .user), ("Code=1005", .appTeam), ("Code=1004", .appTeam),
    ("error 1000.)", .appTeam), ("Code=1003", .appTeam),
    ("error 1000.)\nAuthorizationError Code=1001", .user),
  ])
  func aCodeOfAuthorizationErrorSaysWhoEndedTheRequest(code: String, actor: DeviceVerdict.Actor) {
    let text = "Error Domain=com.apple.AuthenticationServices.AuthorizationError \(code)"
    let output = DeviceOutput(Array(text.utf8))
    let verdicts = output.rows.map { DeviceVerdict($0, of: output.kind) }
    #expect(verdicts.map(\.code) == [.requestFailed] && verdicts.map(\.actor) == [actor])
  }

  @Test func aPluginThatNamesTheAssociationIsUnderstood() {
    let text = "PlatformException(domain-not-associated, Not associated, null, null)"
    #expect(
      DeviceOutput.explained(text) == ["asauthorization - - not-associated"])
  }

  @Test func aCodeOfAuthorizationErrorThatIsNotKnownIsNoForm() {
    let text = "Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=2000"
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }
}
