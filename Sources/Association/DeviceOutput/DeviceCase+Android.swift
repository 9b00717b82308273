// Verdicts on what Android's tools print.
extension DeviceCase {
  private var package: String { row.app.map(\.shown) ?? "PACKAGE" }
  private var verifyAgain: String { "`adb shell pm verify-app-links --re-verify \(package)`" }

  /// A host of an app's manifest. What users chose counts whatever the device has verified.
  var onAndroid: DeviceVerdict {
    let verdict = stateVerdict
    let isUnverified = [.notVerifiedYet, .verificationFailed, .notAutoVerified, .forced]
      .contains(verdict.code)
    if isUnverified && !verdict.isFine, let user = choosers.first {
      return verdict.adding(
        "User \(user.name.shown) chose the app, so links open it for that user.",
        next: "Users who did not choose get the browser as long as the host is not verified.",
        isFine: choosers.count == row.users.count)
    }
    guard let switchedOff, !verdict.isFine || verdict.code == .forced,
      ![.linkHandlingOff, .userChoseBrowser, .notADomain].contains(verdict.code)
    else { return verdict }
    return verdict.adding(switchedOff.message, next: switchedOff.nextStep)
  }

  private var stateVerdict: DeviceVerdict {
    switch row.state {
    case "verified", "STATE_SUCCESS", "always": return verified
    case "migrated", "restored", "system_configured", "pre_verified":
      return switchedOff ?? published ?? wrongKey
        ?? DeviceVerdict(
          .carriedOver, .likely, .user,
          "Links to \(host) open \(app), but today's file did not decide that: the state was carried over or set by "
            + "the maker.",
          next: "To be sure, verify again on a clean device: \(verifyAgain).")
    case "approved", "denied":
      let forced = DeviceVerdict(
        .forced, .sure, .user, "Someone set the state of \(host) in the shell.",
        next: "Run `adb shell pm set-app-links --package \(package) 0 all`, then \(verifyAgain).",
        isFine: row.state == "approved" && published == nil && wrongKey == nil)
      guard let cause = published ?? wrongKey else { return forced }
      return forced.adding(cause.message, next: cause.nextStep)
    case "none", "undefined":
      return published ?? wrongKey
        ?? DeviceVerdict(
          .notVerifiedYet, .sure, .user, "The device has not verified \(host) yet.",
          next: "Wait some minutes, or run \(verifyAgain), and look again.")
    case "never", "always-ask":
      return DeviceVerdict(
        .userChoseBrowser, .sure, .user,
        "The user of this device keeps links to \(host) from \(app).",
        next: "In the settings of the app, under \"Open by default\", let it open its links.")
    case "invalid":
      return DeviceVerdict(
        .notADomain, .sure, .appTeam,
        "The manifest asks to verify \(host), which is not a domain name.",
        next: "Correct the host in the manifest; nothing on the server needs to change.")
    case "selection-only": return notVerified
    case AppLinksOutput.noCommand:
      return DeviceVerdict(
        .incomplete, .sure, .user,
        "The device has Android 11 or lower, which does not have this command.",
        next: "Run `adb shell dumpsys package domain-preferred-apps`, and paste what it prints.")
    case "ask", "legacy_failure": return failed(nil)
    default:
      guard let number = Int(row.state), number >= 1024 else { return unknownState }
      return failed(number)
    }
  }

  /// A host of Android 11 and lower that only the part of a user lists.
  var userVerdict: DeviceVerdict {
    if let switchedOff { return switchedOff }
    if let user = choosers.first {
      return DeviceVerdict(
        .fineHere, .likely, .appTeam,
        "Links to \(host) open \(app) for user \(user.name.shown): the device verified all hosts of the app, or the user "
          + "chose it.",
        next: "To be sure, reinstall the app, choose nothing, and paste the whole output.")
    }
    return DeviceVerdict(
      .notAutoVerified, .likely, .appTeam,
      "The text does not say whether the device has verified \(host) for \(app). If it has the part \"App "
        + "verification status\", no intent filter with `android:autoVerify` names the host.",
      next: "Paste the whole output, and look for `android:autoVerify` in the manifest.")
  }

  /// That no site is asked, so that only users decide.
  private var notVerified: DeviceVerdict {
    DeviceVerdict(
      .notAutoVerified, .sure, .appTeam,
      "No intent filter of \(app) with `android:autoVerify` names \(host), so the device never asks the site.",
      next: "Add `android:autoVerify=\"true\"` to the filter for \(host) in the manifest.")
  }

  /// The users for whom the app opens links to the host because they chose it.
  private var choosers: [DeviceRow.User] {
    row.users.filter {
      ($0.selection == .enabled || $0.status == "always") && $0.linkHandling != false
    }
  }

  /// That the app may not open verified links.
  private var switchedOff: DeviceVerdict? {
    if let user = row.users.first(where: { $0.linkHandling == false }) {
      return DeviceVerdict(
        .linkHandlingOff, .sure, .user,
        "User \(user.name.shown) or the maker of the device switched link handling off for \(app).",
        next:
          "In the settings of the app, under \"Open by default\", switch on \"Open supported links\"."
      )
    }
    if row.users.contains(where: { ["never", "always-ask"].contains($0.status) }) {
      return DeviceVerdict(
        .userChoseBrowser, .sure, .user,
        "The user of this device keeps links to \(host) from \(app).",
        next: "In the settings of the app, under \"Open by default\", let it open its links.")
    }
    return nil
  }

  private var verified: DeviceVerdict {
    if row.rule == .excluded {
      return DeviceVerdict(
        .routeExcludes, .sure, .operations,
        "\(app) is verified for \(host), but a dynamic rule keeps this URL in the browser.",
        next: "Ask which route it is: `aasa match URL`.")
    }
    // What a user has goes before what the package has (AOSP, `getDomainVerificationStatus`).
    if row.users.contains(where: { $0.status == "ask" }) {
      return DeviceVerdict(
        .userChoseBrowser, .likely, .user,
        "The device asks its user which app opens links to \(host).",
        next: "In the settings of the app, under \"Open by default\", let it open its links.")
    }
    if let verdict = switchedOff ?? published ?? wrongKey { return verdict }
    return DeviceVerdict(
      .fineHere, .sure, .appTeam,
      row.state == "always"
        ? "All hosts of \(app) passed, or the user chose the app.\(signed)"
        : "This device has verified \(host) for \(app).\(signed)",
      next: row.state == "always"
        ? "To be sure, reinstall the app, choose nothing, and look again."
        : "If a link still opens the browser, look at the paths of the manifest, and at the routes: `aasa match URL`."
    )
  }

  /// Verification failed.
  ///
  /// - Parameter number: The verifier's own code.
  private func failed(_ number: Int?) -> DeviceVerdict {
    if let verdict = published ?? wrongKey { return verdict }
    let aosp: [Int: String] = [
      1024: "unknown", 1025: "wildcards are not supported",
      1026: "refused by the site: another status than 200, or no statement for the app",
      1027: "timeout",
      1028: "an exception", 1029: "a redirect", 1030: "an error of the package manager",
    ]
    let meaning = number.flatMap { aosp[$0] }.map {
      " In Android's open source, \(row.state) means: \($0); whether Google's devices mean the same is unknown."
    }
    // Android 11 and lower have no commands for that.
    let isOlder = row.state == "ask"
    let allHosts =
      isOlder
      ? " On Android 11 and lower, one host of the app that fails makes all of them fail." : ""
    return DeviceVerdict(
      .verificationFailed, .likely, .operations,
      "The device asked about \(host), and was refused or did not get an answer."
        + "\(meaning ?? "")\(allHosts)\(signed)\(checked)",
      next:
        "Run `aasa check --app \(package) \(domain)`, and compare the fingerprint of the release's key. Then "
        + (isOlder
          ? "reinstall the app."
          : "have the device forget the result, with `adb shell pm set-app-links --package \(package) 0 all`, and run "
            + "\(verifyAgain)."))
  }

  /// That the file names the app, but none of the certificates on the device.
  private var wrongKey: DeviceVerdict? {
    guard let facts, facts.now.namesApp == true, let certificate = facts.certificates.first,
      !facts.certificates.contains(where: \.isPublished)
    else { return nil }
    return DeviceVerdict(
      .wrongSigningKey, .sure, .appTeam,
      "This build of \(app) is signed with \(certificate.words), which revision \(facts.now.revision) of "
        + "\(facts.domain) does not name: \(certificate.fingerprint).",
      next:
        "If users get this build, add the fingerprint to the Android app \(app); otherwise, install the release."
    )
  }

  /// Whose key the build is signed with, as a sentence with a blank before it, or nothing.
  private var signed: String {
    guard
      let certificate = facts?.certificates.first(where: { $0.label != nil && $0.label != .unknown }
      )
    else { return "" }
    return " This build is signed with \(certificate.words)."
  }

  /// An app that can open the URL without verification, as browsers can.
  var otherCandidateVerdict: DeviceVerdict {
    DeviceVerdict(
      .otherCandidate, .sure, .user,
      "\(app) can open the URL without verification, as browsers can.",
      next: "Look at the other candidates of the link.")
  }

  /// What `am start` did with a URL: no activity takes it, or a browser does.
  var startVerdict: DeviceVerdict {
    let taker = row.app == nil ? "No app on the device" : "No activity of \(app)"
    switch row.state {
    case "browser":
      return DeviceVerdict(
        .notVerifiedYet, .likely, .user,
        "The link opened the browser \(row.resolution?.shown ?? ""), not the app: for this device, the app is not verified "
          + "for \(host), or no intent filter of the app takes the link.",
        next: "Paste what `adb shell pm get-app-links \(package)` prints.")
    case DebugLinkOutput.noComponent:
      return DeviceVerdict(
        .noActivity, .sure, .appTeam,
        "The device does not have the app \(app), or the app has no activity of that name. No file of a site is involved.",
        next:
          "Install the app, or write the activity as the manifest names it. To try a link, name none: "
          + "`adb shell am start -W -a android.intent.action.VIEW -d URL`.")
    case "other-scheme":
      return DeviceVerdict(
        .noActivity, .sure, .appTeam,
        "\(taker) takes \(row.url?.shown ?? "the URL"). That is no link of the web, so no domain and no file is involved.",
        next: "Add an intent filter with this scheme to the app, or install the app.")
    case "no-scheme":
      return DeviceVerdict(
        .noActivity, .sure, .appTeam,
        "The URL \(row.url?.shown ?? "") has no scheme, so it is no link of the web.",
        next: "Write it with https:// and without a port: `-d https://HOST/PATH`.")
    case "chooser":
      return DeviceVerdict(
        .notVerifiedYet, .likely, .user,
        "Android asks which app shall open the link: for this device, no app is verified for \(host).",
        next: "Paste what `adb shell pm get-app-links PACKAGE` prints.")
    case "started":
      let isExplicit = row.others.contains { $0.hasPrefix("pkg: ") }
      let wasRunning = row.others.contains { $0.hasPrefix("Warning: ") }
      return DeviceVerdict(
        .fineHere, .likely, .appTeam,
        "\(row.app.map(\.shown) ?? "The app") took the link."
          + (isExplicit
            ? " The command names the app, so this says nothing about verification." : "")
          + (wasRunning ? " It was running already, and got the link there." : ""),
        next: wasRunning
          ? "If it does not show the page of the link, look at `onNewIntent` of its activity."
          : isExplicit
            ? "Repeat the command without the package."
            : "If that is not your app, or links on pages still open the browser, paste what `adb shell pm get-app-links "
              + "PACKAGE` prints.")
    case DebugLinkOutput.notExported:
      return DeviceVerdict(
        .manifestRefused, .likely, .appTeam,
        "Other apps may not start that activity of \(app). Nothing on the server needs to change.",
        next:
          "If the command names the activity, leave `-n` out. Otherwise, write android:exported=\"true\" on the activity "
          + "with the links.")
    case "quoted":
      return DeviceVerdict(
        .noActivity, .sure, .appTeam,
        "The URL begins with a mark such as “, which the shell took for a part of it. \(taker) takes such a URL.",
        next: "Write the command again with straight quotation marks.")
    default:
      return DeviceVerdict(
        .noActivity, .sure, .appTeam,
        "\(taker) takes the URL"
          + (row.app == nil
            ? "." : ", or the app is not installed. Nothing on the server needs to change."),
        next: "Compare the intent filters with the URL: `aasa manifest AndroidManifest.xml`.")
    }
  }

  /// What the verifier of Google Play services logs about a host.
  var verifierVerdict: DeviceVerdict {
    switch row.state {
    case "verified", "failed":
      if row.host != nil { return row.state == "verified" ? verified : failed(nil) }
      return DeviceVerdict(
        .incomplete, .sure, .user, "The log does not name the host that was verified.",
        next:
          "Paste the line with \"Failed hosts\", or what `adb shell pm get-app-links \(package)` prints."
      )
    case VerifierLog.allVerified:
      return DeviceVerdict(
        .fineHere, .likely, .appTeam,
        "Google's verifier found \(app) in the file of each host that the device asked about.",
        next:
          "If a link still opens the browser, look at the paths of the manifest, and at the routes: `aasa match URL`."
      )
    case "no-answer":
      return DeviceVerdict(
        .verificationFailed, .likely, .operations,
        "Google's verifier got no answer about \(host), so it says nothing about the file.\(checked)",
        next:
          "Run \(verifyAgain) later. If it stays so, run `aasa check --app \(package) \(domain)`.")
    default: return unknownState
    }
  }
}

extension PublishedFacts.Certificate {
  /// Such as `your upload key`.
  fileprivate var words: String {
    switch label {
    case .upload: "your upload key"
    case .playSigning: "the key of Google Play"
    case .debug: "a debug key"
    case .unknown: "a key that nobody has named"
    case nil: "an unknown key"
    }
  }
}
