/// Why a browser, or a library for passkeys, refuses a request for a passkey, such as one with an RP ID of another origin
/// (Web Authentication Level 3, section 5.11). The words are those of Chromium, Firefox and Safari, of SimpleWebAuthn and of
/// Bitwarden.
enum BrowserPasskeyError: CaseIterable {
  case notFetched, contentType, notJSON, noOrigin, otherSite
  /// Chrome's older words, with the RP ID.
  case quotedRPID
  /// The words of libraries, and of password managers.
  case invalidForDomain, otherOrigin, rpDiffers
  /// The page has no name: an address, or a file.
  case isInvalidDomain, thisIsInvalidDomain, notValidDomain
  /// The words of password managers that are built with passkey-rs.
  case insecureLocalhost, unprotectedOrigin, originMismatch
  /// What is not about the RP ID.
  case timedOut, canceledByUser, notFocused, noGesture, pending, noWebAuthn, certificate,
    registered,
    createPolicy, getPolicy, ancestors, managerFailed
  /// Firefox says no more.
  case notAllowed, insecure
  /// Firefox and Safari say no more of a passkey that is registered already.
  case unusableObject, invalidState

  private static let markers: [Marker] = [
    .relatedOrigins, .notRegistrable, .invalidForDomain, .otherOrigin, .isInvalidDomain,
    .thisIsInvalidDomain, .notValidDomain, .insecure, .rpDiffers, .timedOutOrNotAllowed,
    .notAllowed, .canceledByUser, .notFocused, .noGesture, .alreadyPending, .noWebAuthn,
    .alreadyRegistered, .createPolicy, .getPolicy,
    .unprotectedOrigin, .managerFailed,
  ]

  static func isMarked(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> Bool {
    markers.contains(where: has)
      && (isAboutPasskeys(text) || has(.timedOutOrNotAllowed) || has(.managerFailed)
        || (has(.notAllowed) || has(.alreadyPending)) && text.count <= longest)
      || (has(.unusableObject) || has(.invalidState))
        && (namesPasskeys(text) || text.count <= longest)
      || has(.insecureLocalhost) || has(.originMismatch)
      || has(.quotedRPID) && quotedRPID(in: text) != nil
  }

  /// Whether a text has words that say less than others in it may.
  static func isMarkedOtherwise(_ has: (Marker) -> Bool) -> Bool {
    allCases.contains { $0.otherMarkers.contains(where: has) }
  }

  private var words: String {
    switch self {
    case .notFetched: "\(Marker.relatedOrigins.rawValue) failed"
    case .contentType: "\(Marker.relatedOrigins.rawValue) had the wrong content-type"
    case .notJSON: "\(Marker.relatedOrigins.rawValue) resulted in a JSON parse error"
    case .noOrigin: "no listed origin matched the caller"
    case .otherSite: Marker.notRegistrable.rawValue
    case .quotedRPID: Marker.quotedRPID.rawValue
    case .timedOut: Marker.timedOutOrNotAllowed.rawValue
    case .notAllowed: Marker.notAllowed.rawValue
    case .pending: Marker.alreadyPending.rawValue
    case .noWebAuthn: Marker.noWebAuthn.rawValue
    case .certificate: Marker.certificateErrors.rawValue
    case .ancestors: Marker.otherAncestors.rawValue
    case .registered: Marker.alreadyRegistered.rawValue
    case .createPolicy: Marker.createPolicy.rawValue
    case .getPolicy: Marker.getPolicy.rawValue
    case .managerFailed: Marker.managerFailed.rawValue
    case .invalidForDomain: Marker.invalidForDomain.rawValue
    case .canceledByUser: Marker.canceledByUser.rawValue
    case .notFocused: Marker.notFocused.rawValue
    case .noGesture: Marker.noGesture.rawValue
    case .otherOrigin: Marker.otherOrigin.rawValue
    case .rpDiffers: Marker.rpDiffers.rawValue
    case .isInvalidDomain: Marker.isInvalidDomain.rawValue
    case .thisIsInvalidDomain: Marker.thisIsInvalidDomain.rawValue
    case .notValidDomain: Marker.notValidDomain.rawValue
    case .insecureLocalhost: Marker.insecureLocalhost.rawValue
    case .unprotectedOrigin: Marker.unprotectedOrigin.rawValue
    case .originMismatch: Marker.originMismatch.rawValue
    case .insecure: Marker.insecure.rawValue
    case .unusableObject: Marker.unusableObject.rawValue
    case .invalidState: Marker.invalidState.rawValue
    }
  }

  /// Words of other browsers and libraries, which are about nothing else.
  private var otherMarkers: [Marker] {
    switch self {
    case .otherSite: [.providedNotRegistrable]
    case .noWebAuthn:
      [.noCredentials, .noCredentialsObject, .noCredentialClass, .noCredentialVariable]
    case .certificate: [.certificateErrors]
    case .registered: [.excludedMatches]
    case .timedOut: [.noAuthenticator, .clickedCancel]
    case .ancestors: [.otherAncestors, .sameOriginOnly, .badAncestors]
    default: []
    }
  }

  private var allWords: [String] { [words] + otherMarkers.map(\.rawValue) }

  /// The cause that the `error` of a row is.
  init?(_ error: String) {
    let found = Self.allCases.first { cause in cause.allWords.contains { error.hasPrefix($0) } }
    guard let found else { return nil }
    self = found
  }

  /// Whether a text with such words is hardly about something else: some are everyday words.
  private static func isAboutPasskeys(_ text: ArraySlice<UInt8>) -> Bool {
    ["SecurityError", "NotAllowedError", "OperationError", "InvalidStateError"]
      .contains(where: text.has) || namesPasskeys(text)
  }

  private static func namesPasskeys(_ text: ArraySlice<UInt8>) -> Bool {
    [
      "WebAuthn", "webauthn", "asskey", "RP ID", "rp.id", "elying party", "publickey-credentials",
    ].contains(where: text.has)
  }

  /// The length of a text that is hardly more than the words, in bytes.
  private static let longest = 200

  /// One row: the text names no host.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    row.error =
      quotedRPID(in: text.flat).map { Marker.quotedRPID.rawValue + $0.value + endOfQuotedRPID }
      ?? allCases.filter { $0 != .quotedRPID }.flatMap(\.allWords).first(where: text.flat.has)
    if row.error == Marker.invalidForDomain.rawValue,
      text.flat.has("RP ID \"localhost\" \(Marker.invalidForDomain.rawValue)")
    {
      row.error = invalidLocalhost
    }
    var found = DeviceRows()
    found.add(row)
    return found
  }

  /// The `error` of a row about the RP ID of development at the domain of a site.
  fileprivate static let invalidLocalhost = "\(Marker.invalidForDomain.rawValue): localhost"

  /// The RP ID that Chrome's words, or the `error` of a row, quote.
  fileprivate static func quotedRPID(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let id = text.between(Marker.quotedRPID.rawValue, and: endOfQuotedRPID), id.count <= 300
    else { return nil }
    return id
  }

  private static let endOfQuotedRPID = "' is not a registrable domain suffix"
}

extension DeviceCase {
  /// Why a browser refuses a passkey of another origin.
  var browserPasskeyVerdict: DeviceVerdict {
    let file = "https://RP-ID/.well-known/webauthn"
    func verdict(
      _ code: DeviceVerdict.Code, _ message: String, _ next: String
    ) -> DeviceVerdict { DeviceVerdict(code, .sure, .operations, message, next: next) }
    let quotedRPID = BrowserPasskeyError.quotedRPID(in: Array((row.error ?? "").utf8)[...]) ?? []
    let isCertain =
      !quotedRPID.isEmpty
      || [Marker.notRegistrable, .providedNotRegistrable, .otherOrigin]
        .contains { $0.rawValue == row.error }
    let everydayWords = [
      Marker.insecure, .notAllowed, .canceledByUser, .notFocused, .alreadyPending, .unusableObject,
      .invalidState,
    ]
    let condition =
      everydayWords.contains { $0.rawValue == row.error }
      ? "If this came from a request for a passkey: " : ""
    return switch row.error.flatMap({ BrowserPasskeyError($0) }) {
    case .notFetched:
      verdict(
        .verificationFailed, "The browser could not fetch \(file).",
        "Serve it there, over HTTPS, without a redirect: `aasa check RP-ID` asks for it.")
    case .contentType:
      verdict(
        .unusableFile, "The browser got \(file) with another content type than JSON.",
        "Serve it as `application/json`.")
    case .notJSON:
      verdict(
        .unusableFile, "The browser got \(file), and it is not JSON.",
        "Run `aasa validate FILE`, and check whether an HTML page came.")
    case .noOrigin:
      verdict(
        .notInFile, "\(file) does not list the origin of the page.",
        "Add the origin, such as `https://example.com`, to `origins`. Browsers read no more than five different labels."
      )
    case .isInvalidDomain, .thisIsInvalidDomain, .notValidDomain:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The page is not at a name that passkeys can have: its host is an address such as 127.0.0.1, or it is a file.",
        next:
          "Open the page by its domain, or in development as http://localhost, with the RP ID `localhost`."
      )
    case .insecureLocalhost, .unprotectedOrigin:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        row.error == Marker.insecureLocalhost.rawValue
          ? "The password manager refuses passkeys of localhost, which browsers allow. That says nothing about the site's files."
          : "The password manager refuses a page that is not at an HTTPS address.",
        next:
          "Open the page over HTTPS, at a domain. In development, use the browser's own passkeys or a security key."
      )
    case .notFocused, .noGesture:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        condition
          + "The page asked without a click of its user, or while another window had the focus. That says nothing about the "
          + "site's files.", next: "Ask in the handler of a click, and click into the page first.")
    case .timedOut, .notAllowed, .canceledByUser:
      DeviceVerdict(
        .requestFailed, .likely, .user,
        condition
          + "The user closed the dialog, the time ran out, or the device has no passkey for the RP ID. Browsers do not say "
          + "which. That says nothing about the site's files.",
        next:
          "Try again, with a click on the page. If it fails for all users, compare the RP ID of the request with that "
          + "of their passkeys.")
    case .pending:
      DeviceVerdict(
        .requestInProgress, .likely, .appTeam,
        condition
          + "The page asks for a passkey while an earlier request is open. That says nothing about the site's files.",
        next: "Wait for the earlier request, or abort it with its AbortController; autofill "
          + "(`mediation: \"conditional\"`) is one, too.")
    case .noWebAuthn:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "There is no WebAuthn where the code runs: the page is not at an HTTPS address, or in a web view of an app, the browser "
          + "is too old, or a server or a test runs the code.",
        next:
          "Open the page over HTTPS, or in development as http://localhost, in a current browser. Call WebAuthn only there."
      )
    case .certificate:
      DeviceVerdict(
        .certificateRefused, .sure, .operations,
        "The browser does not trust the certificate of the page, so the page gets no passkeys, even if its user went past the "
          + "warning.",
        next:
          "Give the site a certificate that the browser trusts. In development, trust one of your own, such as that of mkcert, "
          + "restart the browser, or use http://localhost.")
    case .ancestors:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The page is in a frame of a site with another origin, where the browser does not let it use passkeys.",
        next:
          "Open the page in a window of its own. Browsers that let a frame sign in, or create passkeys, want "
          + "`publickey-credentials-get` or `publickey-credentials-create` in the attribute `allow` of the iframe."
      )
    case .registered:
      DeviceVerdict(
        .requestFailed, .likely, .user, "The device already has a passkey of this account.",
        next: "Sign in with it, or take it out of the credentials that the request excludes.")
    case .unusableObject, .invalidState:
      DeviceVerdict(
        .requestFailed, .likely, .user,
        condition
          + "The device already has a passkey of this account; or, when signing in, it has none of those that the request "
          + "names. That says nothing about the site's files.",
        next: "Sign in with the existing passkey. If this device has none, use the one that has it."
      )
    case .managerFailed:
      DeviceVerdict(
        .requestFailed, .likely, .user,
        "The password manager, its account or the security key failed. That says nothing about the site's files.",
        next:
          "Try again, and then with another password manager or a security key. On Android, choose another one in the "
          + "settings, and update it and Google Play services. If each fails, try at another site.")
    case .createPolicy, .getPolicy:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The page, or the frame that it is in, may not use passkeys: its Permissions-Policy does not let it.",
        next:
          "Allow `publickey-credentials-get` and `publickey-credentials-create` in the header Permissions-Policy and, "
          + "for a frame, in the attribute `allow` of its iframe.")
    case .quotedRPID where quotedRPID.contains(UInt8(ascii: ":")):
      DeviceVerdict(
        .requestFailed, .sure, .appTeam,
        "The RP ID \(quotedRPID.value.quoted) is no domain: it has a scheme or a port.",
        next: "Write the domain alone\(quotedRPID.host.map { ", such as `\($0.shown)`" } ?? "").")
    case .invalidForDomain where row.error == BrowserPasskeyError.invalidLocalhost:
      DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The RP ID is localhost, as in development, but the page is at another name, or at an address such as 127.0.0.1.",
        next:
          "In development, open the page as http://localhost: passkeys are never at an address. Elsewhere, set the domain of "
          + "the page as the RP ID of the site's server, often with the variable for its public URL."
      )
    case .otherSite, .quotedRPID, .invalidForDomain, .otherOrigin, .rpDiffers, .originMismatch,
      .insecure, nil:
      DeviceVerdict(
        .requestFailed, isCertain ? .sure : .likely, .appTeam,
        condition
          + "The RP ID is neither the host of the page nor a domain above it.",
        next:
          "Use a domain of the page as the RP ID, or list the page's origin in \(file) of the RP ID; not every browser "
          + "reads that.")
    }
  }
}
