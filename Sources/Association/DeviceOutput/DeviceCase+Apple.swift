// Verdicts on what Apple's tools print.
extension DeviceCase {
  var isInDeveloperMode: Bool { row.mode?.isForDevelopers == true }

  /// Where the device has what it asked for from, as a sentence with a blank after it, or nothing.
  var developerMode: String {
    isInDeveloperMode ? "In developer mode, the device asks the site itself. " : ""
  }

  var next: String { row.nextCheck.map { "until \($0.text)" } ?? "for its next check" }

  private var isAboutAppLinks: Bool { row.service == nil || row.service == "applinks" }

  /// A row of the table of associations. What a user chose counts even where nothing else keeps links out.
  var onAppleDevice: DeviceVerdict {
    let site = approvalVerdict
    if row.userApproval != "denied" { return site }
    let next =
      isAboutAppLinks
      ? "Touch and hold a link to \(host), and choose the app."
      : "Reinstall the app: for other services than links, no other way is known."
    if site.isFine || [.unknownState, .incomplete].contains(site.code) {
      return DeviceVerdict(
        .userChoseBrowser, .sure, .user,
        isAboutAppLinks
          ? "The user of this device chose the browser for links to \(host)."
          : "The user of this device denied \(app) the service \(service) of \(host).", next: next)
    }
    return site.adding("The user of this device also chose the browser.", next: next)
  }

  private var approvalVerdict: DeviceVerdict {
    let isApproved = row.state == "approved"
    if isApproved && isInDeveloperMode {
      return DeviceVerdict(
        .developerModeOnly, .sure, .appTeam,
        "The device asked the site itself, in developer mode, so this says nothing about users.",
        next: "Look at an entry without a mode, and remove `?mode=` from releases.")
    }
    if let published { return published }
    switch row.state {
    case "approved":
      return behind
        ?? DeviceVerdict(
          .fineHere, .sure, .operations,
          "This device has the association of \(host) with \(app) for \(service).",
          next: isAboutAppLinks
            ? "If a link still opens the browser, ask which route decides: `aasa match URL`. Links on pages of the "
              + "same domain stay in Safari."
            : "If it still does not work, compare what the app asks for with the file: `aasa entitlements`."
        )
    case "denied":
      return behind
        ?? DeviceVerdict(
          .refused, .likely, .operations,
          "\(developerMode)The device got a file of \(host) that does not name \(app) for \(service).\(checked)",
          next: isInDeveloperMode
            ? "Run \(check), look for `app-missing`, and reinstall the app. Apple's CDN does not matter in this mode."
            : "Run \(check), look for `app-missing` and `cdn-stale`, and reinstall the app once Apple's CDN has the "
              + "file.")
    case "unspecified": return row.error.map(failed) ?? neverDownloaded
    default: return unknownState
    }
  }

  /// That the device, or Apple's CDN, has another file than the current one.
  var behind: DeviceVerdict? {
    guard let facts else { return nil }
    let current = facts.now.revision
    if let copy = facts.copy, facts.isCopyBehind, !isInDeveloperMode {
      guard let revision = copy.revision else {
        return DeviceVerdict(
          .cdnForeign, .likely, .operations,
          "At the check at \(copy.checkedAt.text), Apple's CDN had a file of \(facts.domain) that is none of its "
            + "revisions.",
          next: "Run \(check), and look at what answers in place of aasa.")
      }
      return DeviceVerdict(
        .cdnBehind, .likely, .operations,
        "At the check at \(copy.checkedAt.text), Apple's CDN had revision \(revision) of \(facts.domain); revision "
          + "\(current) is current.",
        next:
          "Wait until \(check) shows revision \(current) at Apple's CDN, then reinstall the app or wait \(next)."
      )
    }
    guard facts.isDeviceBehind, let asked = row.lastChecked else { return nil }
    let message =
      switch facts.then {
      case .published(let old, _) where old.isServed:
        "The device asked at \(asked.text), when revision \(old.revision) was published"
          + (old.namesApp == false ? ", which did not name the app" : "")
          + "; revision \(current) is from \(facts.now.publishedAt.text)."
      case .published, .nothing, .unknown:
        "The device asked at \(asked.text), before a file was published for \(host); revision \(current) is from "
          + "\(facts.now.publishedAt.text)."
      }
    return DeviceVerdict(
      .deviceBehind, .likely, .user, message,
      next: isInDeveloperMode
        ? "Reinstall the app, or wait \(next). Apple's CDN does not matter in this mode."
        : "Wait \(next), or reinstall the app once \(check) shows revision \(current) at Apple's CDN."
    )
  }

  var neverDownloaded: DeviceVerdict {
    if facts?.isDeviceBehind == true, let behind { return behind }
    let isInternationalized = row.host.map {
      !$0.utf8.allSatisfy { $0 < 0x80 } || DomainName.isInternationalized($0)
    }
    return DeviceVerdict(
      .neverDownloaded, .likely, .operations,
      "\(developerMode)The device has no file of \(host): it was blocked or slow\(copyWords).\(checked)"
        + (isInternationalized == true ? " \(DomainName.internationalizedReport)" : ""),
      next: isInDeveloperMode
        ? "Run \(check), and open the file in a browser on the device: it asks from its own network."
        : "Run \(check), and look for `cdn-failed`, `bot-blocked` and `private-address`.")
  }

  /// What Apple's CDN has, as the end of a sentence.
  private var copyWords: String {
    if isInDeveloperMode { return "" }
    guard let copy = facts?.copy else { return ", or Apple's CDN has none" }
    let held = copy.revision.map { "revision \($0)" } ?? "another file"
    return ". At the check at \(copy.checkedAt.text), Apple's CDN had \(held)"
  }

  /// What `swcutil verify` says about a URL.
  var verifyVerdict: DeviceVerdict {
    let url = row.url.map(\.quoted) ?? "the URL"
    switch row.state {
    case "match":
      return DeviceVerdict(
        .routeOpens, .sure, .operations, "With that file, \(app) opens \(url).",
        next: "If the link still opens the browser, look at the device: `swcutil show`.")
    case "blocked":
      return DeviceVerdict(
        .routeExcludes, .sure, .operations, "In that file, an exclusion keeps \(url) from \(app).",
        next: "Ask which one: `aasa match URL`.")
    default:
      return DeviceVerdict(
        .noRoute, .sure, .operations, "In that file, no route matches the URL.",
        next: "Ask why: `aasa match URL`.")
    }
  }

  /// What Apple's CDN, or the device that asked it, says about fetching.
  var fetchVerdict: DeviceVerdict {
    if row.state == "valid" {
      return DeviceVerdict(
        .cdnHasFile, .sure, .operations, "Apple's CDN has a file of \(host).",
        next: "Run \(check) to see which revision it is.")
    }
    if row.state == "added" {
      return DeviceVerdict(
        .incomplete, .sure, .user,
        "The device has taken over the entry of \(app) for \(host). The text does not say whether it got the file.",
        next: "Paste the next lines of `swcd`, or what `swcutil show` prints.")
    }
    if row.state == SwcdLog.unmanaged {
      return DeviceVerdict(
        .incomplete, .sure, .user,
        "Error 1701 is normal on a device that no organization manages, and says nothing about links.",
        next: "Paste the other lines of `swcd`, or what `swcutil show` prints.")
    }
    if row.state == "asked" {
      return DeviceVerdict(
        .incomplete, .sure, .user,
        "The device asked \(row.route == "cdn" ? "Apple's CDN" : "the site") for a file. The text does not say what it got.",
        next: "Paste the next lines of `swcd`, or what `swcutil show` prints.")
    }
    guard row.state == "failed" else { return unknownState }
    if let published { return published }
    let error = row.error ?? ""
    if error.hasPrefix("Rejecting URL") || error.hasPrefix(SwcdLog.badTrust) {
      return DeviceVerdict(
        .certificateRefused, .likely, .operations,
        "The device did not trust the certificate of \(host).",
        next: "Run \(check), and look for `tls-error`.")
    }
    if error.hasPrefix("Denying redirect") {
      return DeviceVerdict(
        .redirectRefused, .likely, .operations,
        "\(host) redirected the device, which does not follow.",
        next: "Serve the file without a redirect; \(check) shows where it leads.")
    }
    if let verdict = refusalVerdict ?? verdict(onError: error) { return verdict }
    if error == Marker.invalidDomain.rawValue { return malformedDomain }
    guard error.hasPrefix("SWCERR") else {
      return DeviceVerdict(
        .cdnFailed, .likely, .operations,
        "The file of \(host) could not be fetched\(error.isEmpty ? "" : " (\(error.shown))").\(checked)",
        next: "Run \(check), and look for `cdn-failed`.")
    }
    let failure = AppleFailure(reason: error, details: row.details, tryDirect: row.tryDirect)
    let words = failure.isKnown ? "" : row.details.map { " Apple adds \($0.quoted)." } ?? ""
    return DeviceVerdict(
      .cdnFailed, failure.isWellKnown ? .sure : .likely, .operations,
      "Apple's CDN could not fetch the file of \(host). \(failure.meaning)\(words)\(checked)",
      next: "Run \(check). If it finds nothing: \(failure.help)")
  }

  /// The status of an App Clip's domain.
  var appClipVerdict: DeviceVerdict {
    if row.state == "valid" {
      return DeviceVerdict(
        .fineHere, .sure, .operations, "For Apple, the file of \(host) is valid for the App Clip.",
        next: "If the App Clip still does not open, look at its experiences in App Store Connect.")
    }
    guard row.state == "invalid" else { return unknownState }
    if let published { return published }
    let error = row.error ?? ""
    let said = "Apple reports \(error.isEmpty ? "no reason" : error.shown) for \(host)."
    if error.hasPrefix("INVALID_ENTITLEMENT_") {
      return DeviceVerdict(
        .clipMismatch, .likely, .appTeam,
        "\(said) The App Clip and `appclips` of the file do not name each other.",
        next:
          "Compare the App Clip's entitlements with `appclips` of the file: `aasa entitlements`.")
    }
    guard let cause = AppClipStatus.Cause(error) else {
      return DeviceVerdict(
        .unknownState, .likely, .operations, "\(said) No public document explains it.\(checked)",
        next: "Run \(check), and look at the status again later.")
    }
    return DeviceVerdict(
      cause.verdict, .likely, .operations, "\(said) \(cause.meaning)\(checked)",
      next: "Run \(check), and look for \(cause.findings).")
  }

  /// `ASAuthorizationError` 1004.
  var authorizationVerdict: DeviceVerdict {
    if let published { return published }
    if ["not-associated", "not-verified"].contains(row.state), let behind { return behind }
    if row.error?.contains("with domain localhost") == true {
      return DeviceVerdict(
        .notAssociated, .sure, .appTeam,
        "localhost is no public name, so no app can be associated with it.",
        next:
          "Use the domain of the site as the RP ID, also in development, and name it in the app's associated "
          + "domains; with `?mode=developer`, the site need not be public.")
    }
    switch row.state {
    case "not-associated" where row.error == Marker.callbacks.rawValue:
      return DeviceVerdict(
        .notAssociated, .sure, .operations,
        "For callbacks over HTTPS, the app needs `webcredentials` for \(host). `applinks` is not enough.\(checked)",
        next:
          "Name the app in `webcredentials` of the file, and `webcredentials:\(domain)` in the app's associated domains; "
          + "then run \(check), and reinstall the app.")
    case "not-associated":
      return DeviceVerdict(
        .notAssociated, .likely, .operations,
        "The device does not have \(host) and \(app) as associated for `webcredentials`.\(checked)",
        next:
          "Run \(check) and `aasa entitlements`, then reinstall the app; a debugging proxy on the device causes it, too."
      )
    case "not-verified":
      return DeviceVerdict(
        .neverDownloaded, .likely, .user,
        "The device has not fetched the file of \(host) yet, or cannot.\(checked)",
        next:
          "Try again after a minute; then run \(check), and look for `cdn-failed` and `bot-blocked`."
      )
    default: break
    }
    let error = row.error ?? ""
    if let code = Int(error).flatMap(AuthorizationError.Code.init) { return verdict(on: code) }
    if error == Marker.noMatchingItems.rawValue {
      return DeviceVerdict(
        .requestFailed, .likely, .user,
        "The device has no password for a domain of the app, or does not have the app associated with the domain.",
        next:
          "Save a password for the site in Safari first. Then look at `webcredentials` of the file and the app: run \(check) "
          + "and `aasa entitlements`.")
    }
    if error.hasPrefix(Marker.webSession.rawValue) {
      return error.hasSuffix(" 1")
        ? DeviceVerdict(
          .requestFailed, .likely, .user,
          "The sheet of the sign-in was closed before the site came back to the app.",
          next:
            "If nobody closed it: inside the sheet, links open no app. Use a callback with a scheme of the app, or one over "
            + "HTTPS, which needs `webcredentials` in the file and in the app.")
        : DeviceVerdict(
          .requestFailed, .likely, .appTeam,
          "The app gave the session no window in which to show the sign-in.",
          next: "Set `presentationContextProvider` before `start()`.")
    }
    if error.hasPrefix(Marker.inProgress.rawValue) {
      return DeviceVerdict(
        .requestInProgress, .likely, .appTeam,
        "The app began a request while another one was open.",
        next: "Cancel the first request in the app, or wait for its end.")
    }
    if error.hasSuffix(Marker.noIdentifier.rawValue) {
      return DeviceVerdict(
        .appNotSigned, .likely, .appTeam, "The app is not signed with an application identifier.",
        next: "Sign the app with a team's profile, and look at `codesign -d --entitlements -`.")
    }
    if error.hasPrefix(Marker.notConfigured.rawValue) { return verdict(on: .deviceNotConfigured) }
    if error == Marker.noCredentialsReturned.rawValue {
      return DeviceVerdict(
        .requestFailed, .likely, .appTeam,
        "The library of the app leaves out the sentence of the system that says why.",
        next:
          "Print `localizedFailureReason` of the error in the app, and paste that. Most often, `webcredentials` of the file "
          + "or of the app is missing: \(check).")
    }
    if error == Marker.autoFillOff.rawValue {
      return DeviceVerdict(
        .requestFailed, .likely, .user, "AutoFill is off on the device.",
        next: "Switch it on in the settings of passwords. Then look at `webcredentials`: \(check).")
    }
    if error.hasPrefix(Marker.autoFill.rawValue) {
      let isDevice = error.contains("iCloud Keychain")
      return DeviceVerdict(
        isDevice ? .requestFailed : .notAssociated, .likely, isDevice ? .user : .operations,
        isDevice
          ? "iCloud Keychain is off on the device, so it keeps no passwords."
          : "The device has no domain of the app as associated for `webcredentials`, or does not fill passwords.",
        next: isDevice
          ? "Switch iCloud Keychain on in the settings."
          : "Name the app in `webcredentials` of the file, and `webcredentials:DOMAIN` in the app; look at AutoFill in the "
            + "settings of the device.")
    }
    return verdict(on: .failed)
  }

  /// A code that says by itself what it was.
  private func verdict(on code: AuthorizationError.Code) -> DeviceVerdict {
    let (actor, message, next): (DeviceVerdict.Actor, String, String) =
      switch code {
      case .unknown, .invalidResponse, .notHandled:
        (
          .appTeam,
          "The system does not say why it ended the request. That says nothing about the site's files.",
          "For Sign in with Apple, give the app that capability, and its profile, too; then try on a device with an Apple "
            + "Account, since simulators often answer like this. For a passkey, paste what the console says before it."
        )
      case .canceled:
        (
          .user,
          "The user closed the dialog. A request that only takes what is on the device ends like this, too, if there is "
            + "nothing.",
          "If nobody closed it, create a passkey for this RP ID on the device first."
        )
      case .notInteractive:
        (
          .appTeam, "The request must not show anything, but the device has to ask the user.",
          "Repeat the request when the app may ask its user."
        )
      case .matchedExcludedCredential:
        (
          .user, "The device already has a passkey of this account.",
          "Sign in with it, or take it out of the credentials that the request excludes."
        )
      case .deviceNotConfigured:
        (
          .user,
          "The device has no passcode, Face ID or Touch ID, which passkeys need. Simulators have none at first.",
          "Set a passcode, or in the simulator: Features > Face ID > Enrolled."
        )
      case .failed:
        (
          .appTeam,
          "The text does not say why the request failed; a wrong RP ID is reported as a cause.",
          "Compare the RP ID with the domain of `webcredentials`, and run `aasa check DOMAIN`."
        )
      }
    return DeviceVerdict(.requestFailed, .likely, actor, message, next: next)
  }
}
