/// Why a link, a password or a passkey does not reach an app on a device, as far as a row of its output says: what is
/// the case, what to do next, and who has to.
package struct DeviceVerdict: Sendable {
  /// A stable word for programs.
  package enum Code: String, Sendable, CaseIterable {
    case fineHere = "fine-here"
    case deviceBehind = "device-behind"
    case cdnBehind = "cdn-behind"
    case cdnForeign = "cdn-foreign"
    case cdnFailed = "cdn-failed"
    case cdnHasFile = "cdn-has-file"
    case userChoseBrowser = "user-chose-browser"
    case neverDownloaded = "never-downloaded"
    case unusableFile = "unusable-file"
    case refused
    case notInFile = "not-in-file"
    case notInEntitlement = "not-in-entitlement"
    case notServed = "not-served"
    case developerModeOnly = "developer-mode-only"
    case clipMismatch = "clip-mismatch"
    case routeOpens = "route-opens"
    case routeExcludes = "route-excludes"
    case noRoute = "no-route"
    case certificateRefused = "certificate-refused"
    case redirectRefused = "redirect-refused"
    case requestInProgress = "request-in-progress"
    case appNotSigned = "app-not-signed"
    case notAssociated = "not-associated"
    case requestFailed = "request-failed"
    case passkeyNotLinked = "passkey-not-linked"
    case linkHandlingOff = "link-handling-off"
    case wrongSigningKey = "wrong-signing-key"
    case notVerifiedYet = "not-verified-yet"
    case verificationFailed = "verification-failed"
    case forced
    case carriedOver = "carried-over"
    case notADomain = "not-a-domain"
    case notAutoVerified = "not-auto-verified"
    case otherCandidate = "other-candidate"
    case noActivity = "no-activity"
    case originRefused = "origin-refused"
    case notInProfile = "not-in-profile"
    case manifestRefused = "manifest-refused"
    case incomplete
    case unknownState = "unknown-state"

    fileprivate var isFine: Bool {
      [.fineHere, .cdnHasFile, .routeOpens, .carriedOver, .otherCandidate].contains(self)
    }
  }

  /// Who has to do something.
  package enum Actor: String, Sendable, CaseIterable {
    /// The person with the device.
    case user
    case appTeam = "app-team"
    /// The team that runs the domain.
    case operations
  }

  package enum Certainty: String, Sendable, CaseIterable {
    /// The maker documents it, or what is published proves it.
    case sure
    /// Reports agree, or it is our reading.
    case likely
  }

  package let code: Code
  package let certainty: Certainty
  package let actor: Actor
  package let message: String
  package let nextStep: String
  /// Whether nothing keeps links, passwords or passkeys from the app.
  package let isFine: Bool

  /// - Parameter isFine: If not as the code says.
  init(
    _ code: Code, _ certainty: Certainty, _ actor: Actor, _ message: String, next nextStep: String,
    isFine: Bool? = nil
  ) {
    self.code = code
    self.certainty = certainty
    self.actor = actor
    self.message = message
    self.nextStep = nextStep
    self.isFine = isFine ?? code.isFine
  }

  /// The same with another sentence and another step.
  func adding(_ sentence: String, next step: String, isFine: Bool? = nil) -> DeviceVerdict {
    DeviceVerdict(
      code, certainty, actor, "\(message) \(sentence)", next: "\(nextStep) \(step)", isFine: isFine)
  }

  /// Explains a row.
  ///
  /// - Parameter facts: What is published for its host; `nil` if that is unknown.
  package init(_ row: DeviceRow, of kind: DeviceOutput.Kind, _ facts: PublishedFacts? = nil) {
    let one = DeviceCase(row: row, facts: facts)
    let verdict: DeviceVerdict
    switch kind {
    case .swcutilShow, .swcutilGet: verdict = one.onAppleDevice
    case .swcutilVerify: verdict = one.verifyVerdict
    case .swcutilDownload, .swcdLog: verdict = one.fetchVerdict
    case .cdnHeaders:
      verdict = SiteAnswer.State(rawValue: row.state).map(one.siteVerdict) ?? one.fetchVerdict
    case .appClipStatus: verdict = one.appClipVerdict
    case .authorizationError: verdict = one.authorizationVerdict
    case .credentialManager: verdict = one.credentialManagerVerdict
    case .verifierLog: verdict = one.verifierVerdict
    case .digitalAssetLinks: verdict = one.googleVerdict
    case .chromeLog: verdict = one.chromeVerdict
    case .relatedOrigins: verdict = one.browserPasskeyVerdict
    case .relyingParty: verdict = one.relyingPartyVerdict
    case .codeSigning: verdict = one.codeSigningVerdict
    case .developerTools: verdict = one.developerToolVerdict
    case .debugLink
    where [
      "unresolved", "quoted", "other-scheme", "no-scheme", "browser", "chooser", "started",
      DebugLinkOutput.noComponent, DebugLinkOutput.notExported,
    ].contains(row.state):
      verdict = one.startVerdict
    case .debugLink where row.state == DeviceRow.unknownState: verdict = one.otherCandidateVerdict
    case .preferredApps where row.state == "selection-only": verdict = one.userVerdict
    case .appLinks
    where [LinkOwners.owner, LinkOwners.noOwner, LinkOwners.unavailable].contains(row.state):
      verdict = one.linkOwnerVerdict
    case .appLinks, .preferredApps, .debugLink: verdict = one.onAndroid
    case .unknown: verdict = one.unknownState
    }
    self =
      row.host.flatMap {
        !verdict.isFine && DomainName.isOfDynamicLinks($0) ? .dynamicLinksEnded(for: $0) : nil
      } ?? verdict
  }

  /// That links of a service of Google no longer open an app.
  ///
  /// - Parameter host: Their host, if the text names it.
  static func dynamicLinksEnded(for host: String?) -> DeviceVerdict {
    DeviceVerdict(
      .notServed, .sure, .appTeam,
      "\(host.map { "\($0.shown) is a name of" } ?? "The text is about") Firebase Dynamic Links. \(DomainName.dynamicLinksEnded)",
      next: DomainName.dynamicLinksHelp)
  }
}

extension DeviceVerdict {
  /// That the whole table of a device has no entry for a domain that names one of its apps.
  package static func noEntry(of app: String, for domain: String, _ service: String)
    -> DeviceVerdict
  {
    DeviceVerdict(
      .notInEntitlement, .sure, .appTeam,
      "The device has no entry of \(app.shown) for \(domain): this build does not claim it for \(service).",
      next:
        "Add `\(service):\(domain)` to the app's associated domains; `aasa entitlements` compares them."
    )
  }
}

/// A row with what is published for its host, and the words that verdicts share.
struct DeviceCase {
  let row: DeviceRow
  let facts: PublishedFacts?

  var host: String { row.host.map(\.shown) ?? "the domain" }
  var app: String { row.app.map(\.shown) ?? "the app" }
  var service: String { row.service.map(\.shown) ?? "the service" }

  /// The domain for commands; for a wildcard, the name that devices ask for the file.
  var domain: String {
    let host = row.host.map { $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0 }
    return facts?.domain.text ?? host.map(\.shown) ?? "DOMAIN"
  }

  var check: String { "`aasa check \(domain)`" }

  /// What the last check found, as a sentence with a blank before it, or nothing.
  var checked: String {
    guard let (codes, at) = facts?.check, !codes.isEmpty else { return "" }
    return " The check at \(at.text) found \(codes.prefix(5).joined(separator: ", "))."
  }

  var unknownState: DeviceVerdict {
    row.state == DeviceRow.unknownState
      ? DeviceVerdict(
        .incomplete, .sure, .user, "The text does not have the state of \(host).",
        next: "Paste the whole entry.")
      : DeviceVerdict(
        .unknownState, .likely, .operations,
        "The state \(row.state.quoted) of \(host) is in no public document.",
        next: "Run \(check), and compare with an entry of another device.")
  }

  /// What keeps any device from the association, whatever this one believes.
  var published: DeviceVerdict? {
    guard let facts else { return nil }
    if facts.isEnabled, let missing = facts.missing {
      return DeviceVerdict(
        .notServed, .sure, .operations,
        "Revision \(facts.now.revision) of \(facts.domain) publishes no \(missing.rawValue).",
        next: missing == .assetLinks
          ? "Name \(app) as an Android app in an entry of \(facts.domain)."
          : "Name \(app) in an entry of \(facts.domain).")
    }
    if !facts.now.isServed {
      return DeviceVerdict(
        .notServed, .sure, .operations,
        facts.isEnabled
          ? "\(facts.domain) serves no file for \(host)."
          : "\(facts.domain) is disabled, so it serves no file.",
        next: facts.isEnabled
          ? "Add \(host) as a name of a domain, with an entry for the app."
          : "Enable \(facts.domain).")
    }
    if facts.now.namesApp == false, let clip = facts.appClip {
      return DeviceVerdict(
        .fineHere, .likely, .operations,
        "The file of \(facts.domain) names the App Clip \(clip.shown) for appclips, as it should, and not the app.",
        next: "If the App Clip does not open, look at its own entry.")
    }
    if facts.now.namesApp == false {
      return DeviceVerdict(
        .notInFile, .sure, .operations,
        "Revision \(facts.now.revision) of \(facts.domain) does not name \(app)"
          + "\(row.service.map { " for \($0.shown)" } ?? "").\(facts.nearMiss)",
        next:
          "Add the app to \(facts.domain), unless the identifier on the device is the wrong one.")
    }
    return nil
  }
}
