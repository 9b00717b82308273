/// What a device, a tool on it or Apple's CDN prints about associations, as people paste it.
///
/// Reading never fails: what is not understood is kept, and nothing is guessed. It takes time in proportion to the
/// length of the text. The forms, and what is known about each, are in docs/devices.md.
package struct DeviceOutput: Sendable {
  /// The forms of text, in the order in which they are looked for.
  package enum Kind: String, Sendable, CaseIterable {
    /// `adb shell pm get-app-links` and `get-app-link-owners`, Android 12 and later.
    case appLinks = "get-app-links"
    /// `adb shell dumpsys package domain-preferred-apps`, Android 11 and lower.
    case preferredApps = "domain-preferred-apps"
    /// `adb shell am start --debug-link`.
    case debugLink = "debug-link"
    /// Lines of Google's verifier of links in `adb logcat`.
    case verifierLog = "verifier-log"
    /// `swcutil show`, and `swcutil_show.txt` of a sysdiagnose.
    case swcutilShow = "swcutil-show"
    case swcutilGet = "swcutil-get"
    case swcutilVerify = "swcutil-verify"
    case swcutilDownload = "swcutil-dl"
    case swcdLog = "swcd-log"
    /// An answer of Apple's CDN, or of the site, to a request for the file.
    case cdnHeaders = "cdn-headers"
    /// The status of an App Clip's domains, from App Store Connect.
    case appClipStatus = "appclip-status"
    /// `ASAuthorizationError`.
    case authorizationError = "asauthorization"
    /// An exception of Android's Credential Manager.
    case credentialManager = "credential-manager"
    /// What Chrome writes about a Trusted Web Activity.
    case chromeLog = "chrome-log"
    /// Why a browser refuses a passkey of another origin.
    case relatedOrigins = "related-origins"
    /// Why a site's server refuses what a passkey answered.
    case relyingParty = "relying-party"
    /// Why Xcode or App Store Connect refuses an app with associated domains.
    case codeSigning = "code-signing"
    /// What a build, the Play Console or Flutter's validator says about the links of an Android app.
    case developerTools = "developer-tools"
    /// An answer of Google's Digital Asset Links API.
    case digitalAssetLinks = "digital-asset-links"
    case unknown

    /// The file that the text is about.
    package var document: DocumentKind {
      switch self {
      case .relatedOrigins, .relyingParty: .webAuthn
      case .appLinks, .preferredApps, .debugLink, .verifierLog, .digitalAssetLinks, .chromeLog,
        .credentialManager, .developerTools:
        .assetLinks
      default: .apple
      }
    }
  }

  package let kind: Kind
  /// One for each host, app and service, in the order of the text.
  package let rows: [DeviceRow]
  /// The number of rows beyond `mostRows`.
  package let moreRows: Int
  /// Whether the text has the whole table of a device, so that what it does not list does not exist there.
  package let isWholeTable: Bool

  /// The size of the largest text that is read, in bytes.
  package static let longest = 2_097_152
  /// The length at which a value is cut, in bytes.
  package static let longestValue = 4096
  package static let mostRows = 10_000

  /// Reads a text. Bytes that are no UTF-8 become U+FFFD where they are part of a value.
  ///
  /// - Parameter bytes: At most `longest` bytes; the rest is ignored.
  package init(_ bytes: [UInt8]) {
    let text = PastedText(bytes.prefix(Self.longest))
    kind = Kind(of: text)
    var (found, isWhole) = (DeviceRows(), false)
    switch kind {
    case .appLinks:
      found = AppLinksOutput.rows(in: text)
      if found.rows.isEmpty { found = LinkOwners.rows(in: text) }
    case .preferredApps: found = PreferredAppsOutput.rows(in: text)
    case .debugLink: found = DebugLinkOutput.rows(in: text)
    case .verifierLog: found = VerifierLog.rows(in: text)
    case .digitalAssetLinks: found = GoogleAnswer.rows(in: text)
    case .chromeLog: found = ChromeLog.rows(in: text)
    case .relatedOrigins: found = BrowserPasskeyError.rows(in: text)
    case .relyingParty: found = RelyingPartyError.rows(in: text)
    case .codeSigning: found = CodeSigningError.rows(in: text)
    case .developerTools: found = DeveloperToolError.rows(in: text)
    case .swcutilShow: (found, isWhole) = AssociationTable.rows(in: text)
    case .swcutilGet, .swcutilVerify, .swcutilDownload:
      found = SwcutilOutput.rows(in: text, kind)
    case .swcdLog: found = SwcdLog.rows(in: text)
    case .cdnHeaders:
      found = CDNHeaders.rows(in: text)
      if found.rows.isEmpty,
        let row = SiteAnswer.row(in: text) ?? UntrustedCertificate.row(in: text)
      {
        found.add(row)
      }
    case .appClipStatus: found = AppClipStatus.rows(in: text)
    case .authorizationError: found = AuthorizationError.rows(in: text)
    case .credentialManager: found = CredentialManagerError.rows(in: text)
    case .unknown: break
    }
    (rows, moreRows) = (found.rows, found.more)
    isWholeTable = isWhole && found.more == 0
  }
}

/// What a text says about a host, an app and a service. Texts are as they are printed, except `host`.
package struct DeviceRow: Sendable, Hashable {
  /// The developer mode of an associated domain (`?mode=`).
  package enum Mode: String, Sendable, CaseIterable {
    case developer, managed
    case developerAndManaged = "developer+managed"

    package var isForDevelopers: Bool { self != .managed }
  }

  /// What a user of an Android device chose.
  package struct User: Sendable, Hashable {
    package enum Selection: String, Sendable, CaseIterable { case enabled, disabled }

    /// `0`, `10` or `all`.
    package let name: String
    /// Whether the app may open links that are verified.
    package var linkHandling: Bool?
    package var selection: Selection?
    /// The status of Android 11 and lower, such as `always`.
    package var status: String?

    package init(
      name: String, linkHandling: Bool? = nil, selection: Selection? = nil, status: String? = nil
    ) {
      self.name = name
      self.linkHandling = linkHandling
      self.selection = selection
      self.status = status
    }
  }

  /// What the first dynamic rule of an app that matches does with a link.
  package enum Rule: String, Sendable, CaseIterable { case included, excluded }

  /// In lower case, without scheme and port; may have a wildcard. `nil` if the text names no whole host.
  package var host: String?
  package var service: String?
  /// An app identifier, or the package of an Android app.
  package var app: String?
  /// The word or the number of the tool; `unknown` where the text has none. For tools that print none: `match`,
  /// `blocked`, `no-match`, `failed`, `no-answer`, `valid`, `invalid`, `not-associated`, `not-verified`, `linked`,
  /// `not-linked`, `added`, `asked`, `unresolved`, `quoted`, `other-scheme`, `no-scheme`, `browser`, `chooser`, `started`,
  /// `no-component`, `not-exported`, `owner`, `no-owner`, `unavailable`, `selection-only`, `no-command`,
  /// `all-verified`, `unmanaged`, `refused`, or a `SiteAnswer.State`.
  package var state: String
  package var error: String?
  /// What `error` says of a status with which a site answered.
  var failure: SiteAnswer.Failure? { didSet { error = failure?.text ?? error } }
  package var lastChecked: UnixTime?
  package var nextCheck: UnixTime?
  package var mode: Mode?
  /// What the user chose on an Apple device.
  package var userApproval: String?
  package var retries: Int?
  /// The users of an Android device, as far as they have settings for the host.
  package var users: [User] = []
  /// The certificates that an Android app is signed with there.
  package var signatures: [Fingerprint] = []
  package var rule: Rule?
  /// How a device chooses among the apps for a link, such as `Ambiguous`.
  package var resolution: String?
  /// The URL that a rule decided about.
  package var url: String?
  /// The host as a log masks it, such as `*.ex....com`.
  package var maskedHost: String?
  /// How a device fetched: `cdn`, or `.wk` for the site itself.
  package var route: String?
  /// What Apple's CDN says about asking the site.
  package var tryDirect: Bool?
  /// What the CDN adds to its reason, which is JSON.
  package var details: String?
  /// Keys of the table that have no property here, as `key: value`.
  package var others: [String] = []

  package static let unknownState = "unknown"

  package init(
    host: String? = nil, service: String? = nil, app: String? = nil, state: String = unknownState
  ) {
    self.host = host
    self.service = service
    self.app = app
    self.state = state
  }
}

/// Collects rows, each once, up to the limit.
struct DeviceRows {
  private(set) var rows: [DeviceRow] = []
  private(set) var more = 0
  private var seen: Set<DeviceRow> = []

  var isFull: Bool { rows.count >= DeviceOutput.mostRows }

  mutating func add(_ row: DeviceRow) {
    if seen.contains(row) { return }
    if isFull {
      more += 1
    } else {
      seen.insert(row)
      rows.append(row)
    }
  }

  /// Counts rows that were not kept.
  mutating func leaveOut(_ count: Int) { more += count }
}

extension DeviceOutput.Kind {
  /// The first kind whose marker the text has.
  init(of text: PastedText) {
    var found = text.lineMarkers
    let words = Marker.found(in: text.flat)
    let has = { (marker: Marker) in words[marker] != nil }
    let preferredApps: [Marker] = [
      .verificationStatus, .linkages, .noVerification, .noPreferredApps,
    ]
    if preferredApps.contains(where: has) { found.insert(.preferredApps) }
    if has(.debugLink) { found.insert(.debugLink) }
    if BrowserPasskeyError.isMarked(has, text.flat) { found.insert(.relatedOrigins) }
    if has(.verifiedStatement) || has(.failedHosts) || has(.asyncVerifier) && has(.failedCheck) {
      found.insert(.verifierLog)
    }
    if GoogleAnswer.isMarked(has)
      || has(.googleService) && GoogleAnswer.Refusal(in: text.flat) != nil
    {
      found.insert(.digitalAssetLinks)
    }
    if ChromeLog.markers.contains(where: has) { found.insert(.chromeLog) }
    for braces in BracedRow.all(in: text.flat) {
      if braces.isApproval { found.insert(.swcutilGet) }
      if braces.verified(for: nil) != nil { found.insert(.swcutilVerify) }
    }
    if has(.noInput) { found.insert(.swcutilVerify) }
    // The code stands behind the words.
    let denied = words[.denied].map { text.flat[$0...].firstRange(of: "SWCERR") != nil } ?? false
    if denied || has(.beginningTask)
      || has(.swcd) && (has(.swcLog) || has(.addedService) || has(.invalidDomain))
      || SwcdRefusal.isMarked(has) && SwcdLog.hasRefusal(text)
    {
      found.insert(.swcdLog)
    }
    // The log may have such an error, too.
    let isLog = found.contains(.swcdLog)
    let errors = text.flat.ranges(of: Marker.downloadError.rawValue).compactMap { place in
      let rest = text.flat[place.upperBound...]
      return SwcutilOutput.errorNumber(rest).map {
        (number: $0, isOfTool: rest.starts(with: " error".utf8))
      }
    }
    // A device that no organization manages logs 1701, and says itself that this is normal.
    let isUnmanaged = errors.contains { $0.number == "1701" }
    if errors.contains(where: { $0.number != "1701" && (!isLog || $0.isOfTool) })
      || has(.downloadCommand) && !SwcutilOutput.described(in: text).isEmpty
    {
      found.insert(.swcutilDownload)
    }
    if has(.isValid) && has(.domain) { found.insert(.appClipStatus) }
    let code = has(.authorizationError) ? AuthorizationError.code(in: text.flat) : nil
    if code?.isUnexplained == false || AuthorizationError.markers.contains(where: has)
      || has(.noMatchingItems) && AuthorizationError.hasNoItems(text.flat)
      || has(.webSession) && AuthorizationError.webSessionCode(in: text.flat) != nil
    {
      found.insert(.authorizationError)
    }
    if CredentialManagerError.markers.contains(where: has) { found.insert(.credentialManager) }
    if AuthorizationError.refusesApproval(in: text.flat) { found.insert(.authorizationError) }
    // What says more about the device goes first.
    let hasStarted = has(.startedActivity) && (has(.statusOK) || has(.notStarted))
    if found.isEmpty,
      has(.unresolvedIntent) || has(.noActivityFound) || has(.noActivityClass) || hasStarted
        || has(.permissionDenied),
      !DebugLinkOutput.rows(in: text).rows.isEmpty
    {
      found.insert(.debugLink)
    }
    if found.isEmpty && RelyingPartyError.isMarked(has, text.flat) {
      found.insert(.relyingParty)
    }
    if found.isEmpty && CodeSigningError.isMarked(has, text.flat) { found.insert(.codeSigning) }
    if found.isEmpty
      && (CDNHeaders.reason(in: text.flat) != nil || SiteAnswer.row(in: text) != nil
        || UntrustedCertificate.row(in: text) != nil)
    {
      found.insert(.cdnHeaders)
    }
    if found.isEmpty && !LinkOwners.rows(in: text).rows.isEmpty { found.insert(.appLinks) }
    if found.isEmpty && !DeveloperToolError.found(has, text.flat).isEmpty {
      found.insert(.developerTools)
    }
    if found.isEmpty && BrowserPasskeyError.isMarkedOtherwise(has) { found.insert(.relatedOrigins) }
    if found.isEmpty && code != nil { found.insert(.authorizationError) }
    if found.isEmpty && isUnmanaged { found.insert(.swcdLog) }
    if found.isEmpty && has(.unknownCommand) && AppLinksOutput.lacksCommand(text.flat) {
      found.insert(.appLinks)
    }
    self = Self.allCases.first(where: found.contains) ?? .unknown
  }
}
