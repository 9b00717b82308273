/// An exception of Android's Credential Manager.
enum CredentialManagerError {
  static let markers: [Marker] =
    [
      .rpID, .incomingRequest, .rpIDValidation, .createException, .getException, .exceptionType,
      .domError,
    ] + passwordManagers + Exception.allCases.flatMap(\.markers)

  /// What password managers show instead.
  static let passwordManagers: [Marker] = [
    .notInAssetLinks, .notInAssetsLinks, .passkeysNotSupported, .notAuthorized, .otherApp,
    .browserNotPrivileged,
  ]

  /// One that is not about the site (developer.android.com, "Troubleshoot Credential Manager errors").
  enum Exception: CaseIterable {
    case noCreateOption, noCredential, cancellation, noProvider, syncAccount, excluded
    case notDecrypted, locked, interrupted, blocked, noSelector, savingSkipped
    case timedOut, unsupported, fido, clientUnknown

    fileprivate var markers: [Marker] {
      switch self {
      case .noCreateOption: [.noCreateOption, .noCreateOptions, .noCreateOptionsType]
      case .noCredential:
        [
          .noCredential, .noMatchingCredential, .noCredentialsCode, .noViableCredential,
          .noAllowedCredential, .noCredentialType,
        ]
      case .cancellation:
        [.getCancellation, .createCancellation, .canceledType, .noKeyCreated]
      case .noProvider: [.providerConfiguration, .noProvider]
      case .syncAccount: [.syncAccount, .unableToCreate, .missingSignIn, .noSyncAccount]
      case .excluded: [.excludedCredential, .excludedMatch]
      case .notDecrypted: [.notDecrypted]
      case .locked: [.passphraseRequired, .unlockFailed]
      case .interrupted: [.interrupted, .interruptedType]
      case .blocked: [.blocked]
      case .noSelector: [.noSelector]
      case .savingSkipped: [.savingSkipped]
      case .timedOut: [.flowTimedOut, .timeoutType]
      case .unsupported: [.noCredentialManager]
      // The words of a known cause may follow.
      case .fido: [.fidoFailure]
      case .clientUnknown: [.consoleNotSetUp, .reauthFailed]
      }
    }

    /// What tells it in the message of an exception, and is too common elsewhere.
    fileprivate var messageWords: [String] {
      switch self {
      case .noCreateOption: ["creen lock"]
      case .cancellation: ["ancelled", "anceled"]
      default: []
      }
    }
  }

  /// The exception that the `error` of a row is about.
  static func exception(in error: String) -> Exception? {
    let text = Array(error.utf8)[...]
    return Exception.allCases.first { $0.markers.contains { text.has($0.rawValue) } }
      ?? Exception.allCases.first { $0.messageWords.contains(where: text.has) }
  }

  /// Whether the `error` of a row is about the RP ID, and so about the site: by its type or, without one, by its words.
  static func isAboutSite(_ error: String) -> Bool {
    if let type = type(in: error) { return type.isAboutSite }
    return [Marker.incomingRequest.rawValue, "RP ID", "rpId", "RpId", "sset link", "setlinks"]
      .contains(where: Array(error.utf8)[...].has)
  }

  /// One row: the text names neither host nor app.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    let type = type(in: text.flat)
    // The type may stand in another line than the message.
    let message = message(in: text).flatMap {
      type?.isAboutSite == true && !isAboutSite($0) ? nil : $0
    }
    row.error =
      sentence(text.flat) ?? passwordManagers.first { text.flat.has($0.rawValue) }?.rawValue
      ?? message ?? (type?.isAboutSite == true ? type?.word : nil)
      ?? exceptionMarker(in: text.flat) ?? type?.word ?? unexplained(in: text.flat)
    var found = DeviceRows()
    found.add(row)
    return found
  }

  /// The sentence, with the number in brackets before it.
  private static func sentence(_ text: ArraySlice<UInt8>) -> String? {
    let places = [Marker.rpID, .incomingRequest, .rpIDValidation]
      .compactMap { text.firstRange(of: $0.rawValue) }
    guard let place = places.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
    var (start, end) = (place.lowerBound, place.upperBound)
    if end < text.endIndex && text[end] == UInt8(ascii: ".") { end += 1 }
    let before = text[max(text.startIndex, start - 20)..<start].trimmed
    if before.last == UInt8(ascii: "]"), let open = before.lastIndex(of: UInt8(ascii: "[")),
      before[(open + 1)...].dropLast().allSatisfy(\.isASCIIDigit)
    {
      start = open
    }
    return text[start..<end].value
  }

  /// The first words that tell which exception it is. That of a cancellation may be one of Google, which says why.
  private static func exceptionMarker(in text: ArraySlice<UInt8>) -> String? {
    if let marker = Exception.clientUnknown.markers.first(where: { text.has($0.rawValue) }) {
      return marker.rawValue
    }
    let words = Exception.allCases.flatMap(\.markers).map(\.rawValue)
    return words.compactMap { word in text.firstRange(of: word).map { (word, $0.lowerBound) } }
      .min { $0.1 < $1.1 }?.0
  }

  /// The type of an exception, such as `TYPE_SECURITY_ERROR`. Without the sentence about the RP ID, only that one is
  /// about the site.
  struct ExceptionType {
    let word: String

    var isAboutSite: Bool { word == "TYPE_SECURITY_ERROR" }
    /// Whether something in the request of the app is malformed (`androidx.credentials`, `DataError`).
    var isAboutRequest: Bool { word == "TYPE_DATA_ERROR" }
  }

  static func type(in error: String) -> ExceptionType? { type(in: Array(error.utf8)[...]) }

  /// The first type of an error; `TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION` before it is none.
  private static func type(in text: ArraySlice<UInt8>) -> ExceptionType? {
    for place in text.ranges(of: "TYPE_") {
      let word = text[place.lowerBound...].prefix(60).prefix {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_")
      }
      if word.suffix(6).elementsEqual("_ERROR".utf8) { return ExceptionType(word: word.value) }
    }
    // The class of the same error, such as `SecurityError`.
    guard let place = text.firstRange(of: Marker.domError.rawValue) else { return nil }
    let name = text[place.upperBound...].prefix(60).prefix(while: \.isASCIILetterOrDigit)
    guard name.count > 5, name.suffix(5).elementsEqual("Error".utf8) else { return nil }
    var word = "TYPE"
    for letter in name.dropLast(5).value {
      word += (letter.isUppercase ? "_" : "") + letter.uppercased()
    }
    return ExceptionType(word: word + "_ERROR")
  }

  private static let withoutType = [Marker.exceptionType, .domError].map(\.rawValue)

  /// The words of an exception without its type.
  private static func unexplained(in text: ArraySlice<UInt8>) -> String? {
    withoutType.first(where: text.has)
  }

  /// Whether the `error` of a row has no reason; the class of an exception alone gives none.
  static func isUnexplained(_ error: String?) -> Bool { error.map(withoutType.contains) ?? true }

  /// What the exception says instead.
  private static func message(in text: PastedText) -> String? {
    var message: String?
    text.forEachLine { line in
      guard message == nil, let place = line.text.firstRange(of: "PublicKeyCredentialDomException")
      else {
        return
      }
      // A line of the stack goes on with the name of a function.
      let rest = line.text[place.upperBound...]
      if rest.first.map({ ": ".utf8.contains($0) }) != true { return }
      message = rest.drop { ": ".utf8.contains($0) }.valueOrNone
    }
    return message
  }
}

extension DeviceCase {
  /// An exception about the RP ID.
  var credentialManagerVerdict: DeviceVerdict {
    if let exception = row.error.flatMap({ CredentialManagerError.exception(in: $0) }) {
      return verdict(on: exception)
    }
    if row.error == Marker.browserNotPrivileged.rawValue {
      return DeviceVerdict(
        .requestFailed, .likely, .user,
        "The password manager does not trust this browser to ask for passkeys. That says nothing about the site.",
        next: "Allow the browser in the settings of the password manager, or use another one.")
    }
    if let error = row.error,
      [Marker.notInAssetLinks, .notInAssetsLinks, .passkeysNotSupported, .notAuthorized, .otherApp]
        .contains(where: { $0.rawValue == error })
    {
      return DeviceVerdict(
        .passkeyNotLinked, .likely, .operations,
        "The password manager did not find the app in assetlinks.json of the RP ID.",
        next:
          "Run `aasa check --app PACKAGE DOMAIN` for the RP ID itself, and look at both relations and at the fingerprint of "
          + "the key that signs the build.")
    }
    if CredentialManagerError.isUnexplained(row.error) {
      return DeviceVerdict(
        .requestFailed, .likely, .appTeam, "The text does not say why the request failed.",
        next: "Paste the whole exception, with its type and its message.")
    }
    if let error = row.error, !CredentialManagerError.isAboutSite(error) {
      let type = CredentialManagerError.type(in: error)
      if let type, type.isAboutRequest {
        return DeviceVerdict(
          .requestFailed, .likely, .appTeam,
          "\(type.word) says that something in the request is malformed, such as text where a number belongs.",
          next:
            "Look at the JSON of the request. If the exception has a sentence about the RP ID, paste that, too."
        )
      }
      return DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "\(type?.word.shown ?? error.quoted) says nothing about the site: the user, the app or the device ended the "
          + "request.",
        next: "Look at the request of the app, and at the passkeys on the device.")
    }
    return DeviceVerdict(
      .passkeyNotLinked, .likely, .operations,
      "For Google, the app is not linked to the site of the RP ID.",
      next:
        "Run `aasa check --app PACKAGE DOMAIN` for the RP ID itself, and look at both relations and at the "
        + "fingerprint of the key that signs the build.")
  }
}

extension DeviceCase {
  /// An exception that is not about the site.
  private func verdict(on exception: CredentialManagerError.Exception) -> DeviceVerdict {
    let (actor, message, next): (DeviceVerdict.Actor, String, String) =
      switch exception {
      case .noCreateOption:
        (
          .user, "The device has nothing that can keep a passkey.",
          "Choose a provider of passwords and passkeys in the settings of the device, set a screen lock, and sign in to "
            + "a Google account. An emulator needs an image with Google Play."
        )
      case .noCredential:
        (
          .appTeam, "The device has no passkey or password for this app and RP ID.",
          "Create one on this device first. If that is what failed, the device has no Google account or no provider of "
            + "passkeys: set one up. If the site has a passkey there, the app may not be linked to it: run "
            + "`aasa check --app PACKAGE DOMAIN`."
        )
      case .cancellation:
        (
          .user, "The user closed the dialog, or left the app.",
          "If it happens to every user, compare the app with Google's page about errors of the Credential Manager."
        )
      case .noProvider:
        (
          .appTeam, "The app lacks the library for the providers of the device.",
          "Add `androidx.credentials:credentials-play-services-auth` to the app, and keep it in the rules of R8."
        )
      case .syncAccount:
        (
          .user,
          "The user closed the dialog, or the device has no Google account that keeps passkeys. The site is not involved.",
          "If nobody closed it, sign in to a Google account on the device, and set a screen lock."
        )
      case .excluded:
        (
          .user, "The device already has a passkey of this account. The site is not involved.",
          "Sign in with it, or take it out of the credentials that the request excludes."
        )
      case .notDecrypted:
        (
          .user, "Google Play services could not decrypt the passkey. The site is not involved.",
          "Update Google Play services, and restart the device."
        )
      case .locked:
        (
          .user,
          "Google Password Manager is locked on the device, and was not unlocked. The site is not involved.",
          "Try again, and give it what it asks for: the passphrase of the account's data, the PIN, or the screen lock."
        )
      case .interrupted:
        (
          .user,
          "The request was interrupted, for example by the settings of password managers. The site is not involved.",
          "Try again."
        )
      case .blocked:
        (
          .user,
          "The dialog was closed so often that Google does not show it for a day. The site is not involved.",
          "Wait 24 hours. For tests, clear the storage of Google Play services in the settings of the device."
        )
      case .noSelector:
        (
          .appTeam, "The app gave the Credential Manager no activity to show its dialog in.",
          "Pass the activity as the context of the request, and not the application."
        )
      case .timedOut:
        (
          .user, "The time for the answer ran out. The site is not involved.", "Try again."
        )
      case .unsupported:
        (
          .user,
          "The device has neither Android 14 nor Google Play services that know the Credential Manager.",
          "Update Google Play services; an emulator needs an image with Google Play. The site is not involved."
        )
      case .fido:
        (
          .user,
          "Google Play services could not create the passkey, and the text does not say why.",
          "Update Google Play services, and look for a line of `adb logcat` with a number in brackets, such as [50152]."
        )
      case .clientUnknown:
        (
          .appTeam,
          "Google does not let the app sign the user in. Most reports name an OAuth client that does not fit the app. That is "
            + "not about passkeys, and the site is not involved.",
          "In the Google Cloud console, compare the Android client with the package and the SHA-1 fingerprint of the key that "
            + "signs this build, also that of Play signing. As the server's ID, the app passes that of the web client."
        )
      case .savingSkipped:
        (
          .user,
          "On Android 13 and lower, Autofill with Google offers to save the password instead. Google says that this error "
            + "can be ignored.",
          "Nothing needs to change."
        )
      }
    return DeviceVerdict(.requestFailed, .likely, actor, message, next: next)
  }
}
