/// A word that tells kinds of text apart, wherever it stands.
enum Marker: String, CaseIterable {
  case verificationStatus = "App verification status:"
  case linkages = "App linkages for user "
  case noVerification = "No app verification established."
  case noPreferredApps = "No domain preferred apps!"
  case debugLink = "--- App Link Resolution Debug ---"
  case noInput = "Input JSON did not match input URL."
  case downloadError = "SWCErrorDomain"
  case denied = "denied because the CDN"
  case swcd
  case swcLog = "[SWC] ###"
  case isValid = "\"isValid\""
  case domain = "\"domain\""
  case authorizationError = "AuthorizationError"
  case notAssociated = "is not associated with domain"
  case unableToVerify = "Unable to verify webcredentials association of"
  case inProgress = "Request already in progress for specified application identifier"
  case noIdentifier = "does not have an application identifier"
  case notConfigured = "Device not configured for passkey requests"
  case rpID = "RP ID cannot be validated"
  case incomingRequest = "The incoming request cannot be validated"
  case rpIDValidation = "RpId validation failed"
  case createException = "CreatePublicKeyCredentialDomException"
  case getException = "GetPublicKeyCredentialDomException"
  case exceptionType = "_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION"
  case domError = "exceptions.domerrors."
  case noCreateOption = "CreateCredentialNoCreateOptionException"
  case noCreateOptions = "No create options available"
  case noCredential = "NoCredentialException"
  case noMatchingCredential = "Cannot find a matching credential"
  case getCancellation = "GetCredentialCancellationException"
  case createCancellation = "CreateCredentialCancellationException"
  case providerConfiguration = "CredentialProviderConfigurationException"
  case noProvider = "no provider dependencies found"
  case verifiedStatement = "checking for a statement with source "
  case failedHosts = ". Failed hosts:"
  case asyncVerifier = "AsyncVerifier"
  case failedCheck = "Error performing check:"
  case errorCode = "\"errorCode\""
  case googleError = "ERROR_CODE_"
  case source = "\"source\""
  case googleFingerprint = "\"sha256Fingerprint\""
  case debugString = "\"debugString\""
  case isLinked = "\"linked\""
  case maxAge = "\"maxAge\""
  case statementFailure = "Statement failure matching "
  case noStatementList = "Statement List is not a list"
  case noStatement = "Statement is not a dictionary"
  case chromeParsing = "Digital Asset Links response parsing failed"
  case chromeStatus = "Digital Asset Links endpoint responded"
  case chromeConnection = "Digital Asset Links connection failed"
  case relatedOrigins = ".well-known/webauthn resource of the claimed RP ID"
  case quotedRPID = "relying party ID '"
  case notRegistrable = "relying party ID is not a registrable domain suffix"
  case timedOutOrNotAllowed = "The operation either timed out or was not allowed"
  case notAllowed =
    "The request is not allowed by the user agent or the platform in the current context"
  case alreadyPending = "A request is already pending"
  case noWebAuthn = "WebAuthn is not supported in this browser"
  case alreadyRegistered = "contains one of the credentials already registered"
  case createPolicy = "'publickey-credentials-create' feature is not enabled"
  case getPolicy = "'publickey-credentials-get' feature is not enabled"
  case insecure = "SecurityError: The operation is insecure"
  case invalidForDomain = "is invalid for this domain"
  case isInvalidDomain = "is an invalid domain"
  case thisIsInvalidDomain = "This is an invalid domain"
  case notValidDomain = "The effective domain of the document is not a valid domain"
  case otherOrigin = "'rp.id' cannot be used with the current origin"
  case autoFill = "Cannot show Automatic Strong Passwords"
  case failedToApprove = " failed to approve "
  case callbacks = "Using HTTPS callbacks requires Associated Domains"
  case noCredentialsReturned = "The request failed. No Credentials were returned."
  case notAssociatedWithThe = "is not associated with the domain"
  case unresolvedIntent = "unable to resolve Intent"
  case noActivityFound = "No Activity found to handle Intent"
  case noActivityClass = "Activity class {"
  case startedActivity = "Starting: Intent {"
  case statusOK = "Status: ok"
  case addedService = "Added service '"
  case invalidDomain = "Domain is invalid"
  case packageRefused = "Digital Asset Link verification failed for package"
  case appRefused = "igital asset links verification failed"
  case noDeepLinking = "No app deep linking permission found for "
  case grantsDeepLinking = " grants app deep linking to "
  case beginningTask = "Beginning data task AASA-"
  case notStarted = "Warning: Activity not started"
  case notInAssetLinks = "app not found in asset links"
  case notInAssetsLinks = "app not found in assets links"
  case passkeysNotSupported = "Passkeys not supported for this app"
  case browserNotPrivileged = "browser is not privileged"
  case syncAccount = "Unable to get sync account"
  case excludedCredential = "One of the excluded credentials exists"
  case notDecrypted = "Failed to decrypt credential"
  case noCredentialsCode = "\"NoCredentials\""
  case noViableCredential = "No viable credential is available"
  case noAllowedCredential = "None of the allowed credentials can be authenticated"
  case autoFillOff = "Autofill is not enabled in Safari"
  case rpDiffers = "Origin and RP ID do not match"
  case androidOrigin = "android:apk-key-hash:"
  case registrationOrigin = "Unexpected registration response origin"
  case authenticationOrigin = "Unexpected authentication response origin"
  case rpIDHash = "rpIdHash doesn't match"
  case unexpectedRPIDHash = "Unexpected RP ID hash"
  case badOrigin = "BadOriginException"
  case validatingOrigin = "Error validating origin"
  case qualifiedOrigin = "Fully qualified origin"
  case entitlementKey = "com.apple.developer.associated-domains"
  case appClipEntitlement = "com.apple.developer.associated-appclip-app-identifiers"
  case associatedDomains = "Associated Domains"

  /// The markers by their first byte.
  private static let byFirstByte = {
    var table = [[(marker: Marker, word: [UInt8])]](repeating: [], count: 256)
    for marker in allCases {
      let word = Array(marker.rawValue.utf8)
      table[Int(word[0])].append((marker, word))
    }
    return table
  }()

  /// Where each marker first is, found in one pass.
  static func found(in text: ArraySlice<UInt8>) -> [Marker: Int] {
    var found: [Marker: Int] = [:]
    for index in text.indices {
      for (marker, word) in byFirstByte[Int(text[index])]
      where found[marker] == nil && text[index...].starts(with: word) {
        found[marker] = index
      }
    }
    return found
  }
}
