import Association
import Testing

/// What servers of sites and browsers say about passkeys.
@Suite struct PasskeyErrorTests {
  private static let hash = "android:apk-key-hash:qvuLMyLL__vtfHay6y_KGGHYL5Qkkf5aufucFCAtWVE"

  @Test(arguments: [
    "Error validating origin (verification_error): Expected Values: [https://a.example], Received: \(hash)",
    "The origin was malformed: {\"origin\":\"\(hash)\"}",
    "{\"origin\":[{\"code\":\"[invalid]origin\",\"message\":\"Invalid [origin] value [\(hash)].\"}]}",
    "Fully qualified origin \(hash) not equal to fully qualified original origin https://a.example",
    "Origin \(hash) does not match https://a.example", "origin mismatch, came as '\(hash)'",
    "expected origin https://a.example but got \(hash)",
  ])
  func anyLibraryThatRefusesTheOriginOfAnAndroidAppIsUnderstood(text: String) {
    #expect(DeviceOutput.explained(text) == ["relying-party - - origin-refused"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relyingParty)
    #expect(verdict.message.contains("AA:FB:8B:33:22:CB"), "\(verdict.message)")
  }

  @Test(arguments: [
    "TypeError: navigator.credentials is undefined",
    "com.apple.AuthenticationServices.AuthorizationError error 1000.",
  ])
  func anErrorThatNamesNoCauseIsNoneBesideAnAnswerOfTheSite(error: String) {
    let site = "$ curl -si https://a.example/.well-known/apple-app-site-association\nHTTP/2 404\n"
    #expect(
      DeviceOutput.explained("\(error)\n\(site)") == ["cdn-headers a.example - unusable-file"])
  }

  @Test func anErrorOfAnotherLibraryIsNoneOfApple() {
    #expect(DeviceOutput("AuthorizationError: failed, retry in 1000 ms").kind == .unknown)
  }

  @Test(arguments: [
    (
      "SecurityError: The provided RP ID is not a registrable domain suffix of the effective domain of the document.",
      "request-failed", "domain above it"
    ),
    (
      "NotAllowedError: WebAuthn is not supported on sites with TLS certificate errors.",
      "certificate-refused", "certificate"
    ),
    (
      "NotAllowedError: The origin of the document is not the same as its ancestors.",
      "request-failed", "in a frame"
    ),
    (
      "The following credential operations can only occur in a document which is same-origin with all of its ancestors: a",
      "request-failed", "in a frame"
    ),
    ("Error: Invalid 'sameOriginWithAncestors' value", "request-failed", "in a frame"),
    (
      "InvalidStateError: At least one credential matches an entry of the excludeCredentials list in the platform",
      "request-failed", "already has"
    ),
    (
      "WebAuthnError: No available authenticator recognized any of the allowed credentials",
      "request-failed", "no passkey for the RP ID"
    ),
    (
      "User clicked cancel, or the authentication ceremony timed out", "request-failed",
      "closed the dialog"
    ),
    ("TypeError: navigator.credentials is undefined", "request-failed", "no WebAuthn"),
    (
      "TypeError: undefined is not an object (evaluating 'navigator.credentials.create')",
      "request-failed", "no WebAuthn"
    ),
    ("ReferenceError: PublicKeyCredential is not defined", "request-failed", "no WebAuthn"),
  ])
  func whatBrowsersSayOfThePageIsUnderstood(text: String, code: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["related-origins - - \(code)"])
    let row = DeviceOutput(text).rows[0]
    #expect(text.contains(row.error ?? "-"))
    let message = DeviceVerdict(row, of: .relatedOrigins).message
    #expect(message.contains(words), "\(message)")
  }

  @Test(arguments: [
    (
      "NotReadableError: An unknown error occurred while talking to the credential manager.",
      "another password manager or a security key. On Android, "
    ),
    ("error from framework: android.credentials.GetCredentialException.TYPE_NO_CREDENTIAL", ""),
    ("android.credentials.CreateCredentialException.TYPE_NO_CREATE_OPTIONS", ""),
    ("android.credentials.GetCredentialException.TYPE_USER_CANCELED", ""),
  ])
  func whatTheDeviceItselfCannotDoIsNotTheSites(text: String, next: String) throws {
    let output = DeviceOutput(Array(text.utf8))
    let verdict = DeviceVerdict(try #require(output.rows.first), of: output.kind)
    #expect(verdict.code == .requestFailed && verdict.actor != .operations, "\(verdict)")
    #expect(next.isEmpty || verdict.nextStep.contains(next), "\(verdict.nextStep)")
  }

  @Test(arguments: [
    "level=error msg=\"Error validating origin\" origin=\(hash) expected=https://shop.example user=7",
    "level=error msg=\"Error validating origin\" expected=https://shop.example origin=\(hash)",
    "OriginMatcher - isAllowed(\(hash), [https://shop.example])\nOriginMatcher - No match: \(hash) != https://shop.example",
  ])
  func theFieldsOfALogSayWhichOriginCame(text: String) {
    let row = DeviceOutput(Array(text.utf8)).rows.first
    #expect(row?.error?.hasPrefix(Self.hash) == true, "\(row?.error ?? "")")
    #expect(DeviceOutput.explained(text) == ["relying-party - - origin-refused"])
  }

  @Test func theExceptionOfAServerAboutAnOriginOfTheWebIsUnderstood() {
    let text =
      "x.BadOriginException: The collectedClientData 'https://www.a.example' origin doesn't match any origin of the server"
    #expect(DeviceOutput.explained(text) == ["relying-party - - origin-refused"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relyingParty)
    #expect(verdict.message.contains("https://www.a.example"), "\(verdict.message)")
  }

  @Test(arguments: [
    (
      "Unexpected client data origin \"https://www.a.example\", expected \"https://a.example/\"",
      "slash"
    ),
    (
      "Unexpected client data origin \"https://www.a.example\", expected \"https://www.a.example:443\"",
      "unless that is 443"
    ),
    ("Error: Unexpected ClientData origin: https://www.a.example", "that of the page"),
    ("registration rejected. error: unable to verify origin..", "expected origin"),
    ("WebAuthn::OriginVerificationError (WebAuthn::OriginVerificationError)", "expected origin"),
    ("WebAuthn::RpIdVerificationError", "RP ID in both"),
    (
      "Uncaught lbuchs\\WebAuthn\\WebAuthnException: invalid origin in /srv/a.php",
      "expected origin"
    ),
    ("WebauthnException: invalid rpId hash", "RP ID in both"),
    ("AuthenticatorResponseVerificationException: rpId mismatch.", "RP ID in both"),
  ])
  func theSentencesOfOtherServersAreUnderstood(text: String, words: String) {
    #expect(DeviceOutput.explained(text) == ["relying-party - - origin-refused"])
    let row = DeviceOutput(text).rows[0]
    let verdict = DeviceVerdict(row, of: .relyingParty)
    let said = "\(verdict.message) \(verdict.nextStep)"
    #expect(said.contains(words), "\(said)")
    if text.contains("://") { #expect(verdict.message.contains("https://www.a.example")) }
  }

  /// Firefox and Safari have one sentence for all objects.
  @Test func aSentenceAboutAnyObjectIsAboutPasskeysOnlyUnderACondition() {
    let texts = [
      "InvalidStateError: An attempt was made to use an object that is not, or is no longer, usable",
      "InvalidStateError: The object is in an invalid state.",
    ]
    for text in texts {
      #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
      let verdict = DeviceVerdict(DeviceOutput(text).rows[0], of: .relatedOrigins)
      #expect(verdict.message.hasPrefix("If this came from a request for a passkey"))
      let log = text + String(repeating: "\n at video.play", count: 50)
      #expect(DeviceOutput(log).kind == .unknown)
      #expect(DeviceOutput(log + " of the passkey").kind == .relatedOrigins)
    }
  }

  @Test(arguments: [
    "{\"error\":\"Invalid challenge\",\"origin\":\"\(hash)\"}",
    "The signature is invalid. origin: \(hash)", "invalid signature for origin \(hash)",
    "origin \(hash): invalid signature", "expectedOrigin: ['https://a.example', '\(hash)']",
    "Origin received: \(hash)",
  ])
  func anOriginBesideAnotherErrorIsNotRefused(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }

  @Test(arguments: [
    ("https://shop.a.example:9443", "such as `shop.a.example`", DeviceVerdict.Certainty.sure),
    ("a.example:443", "such as `a.example`", .sure), ("a.example", "webauthn", .sure),
  ])
  func anRPIDThatIsAURLIsTold(id: String, next: String, certainty: DeviceVerdict.Certainty) {
    let text =
      "DOMException: The relying party ID '\(id)' is not a registrable domain suffix of, nor equal to 'https://b.example'."
    #expect(DeviceOutput.explained(text) == ["related-origins - - request-failed"])
    let verdict = DeviceVerdict(DeviceOutput(Array(text.utf8)).rows[0], of: .relatedOrigins)
    #expect(verdict.nextStep.contains(next), "\(verdict.nextStep)")
    #expect(verdict.message.contains("scheme or a port") == id.contains(":"))
  }

  @Test(arguments: [
    ("NotAllowedError: The operation either timed out or was not allowed. See x", "time ran out"),
    (
      "NotAllowedError: The request is not allowed by the user agent or the platform in the current context, maybe",
      "If this came from a request for a passkey"
    ),
    ("OperationError: A request is already pending.", "If this came from a request for a passkey"),
    ("WebAuthn is not supported in this browser", "HTTPS"),
    ("The 'publickey-credentials-get' feature is not enabled in this document.", "frame"),
    (
      "InvalidStateError: The authenticator contains one of the credentials already registered with the relying party.",
      "already has"
    ),
  ])
  func anErrorOfABrowserDoesNotBlameTheFilesOfTheSite(text: String, words: String) {
    let output = DeviceOutput(Array(text.utf8))
    let verdict = output.rows.first.map { DeviceVerdict($0, of: output.kind) }
    let code: DeviceVerdict.Code = text.contains("pending") ? .requestInProgress : .requestFailed
    #expect(verdict?.code == code && output.kind == .relatedOrigins, "\(output.rows)")
    #expect(verdict?.message.contains(words) == true, "\(verdict?.message ?? "")")
  }

  @Test(arguments: [
    "<iframe allow='publickey-credentials-get *'> is in our page, and links still open Safari",
    "The 'clipboard-read' feature is not enabled in this document.",
    "A request is already pending. "
      + String(repeating: "Waiting for the wallet of the user. ", count: 9),
  ])
  func whatIsNotAboutPasskeysIsNoErrorOfOne(text: String) {
    #expect(DeviceOutput(Array(text.utf8)).kind == .unknown)
  }
}
