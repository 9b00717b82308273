import Association
import Foundation
import Testing

@Suite struct DeviceVerdictTests {
  private static let app = "ABCDE12345.com.example.app"

  private static func row(_ state: String, _ change: (inout DeviceRow) -> Void = { _ in })
    -> DeviceRow
  {
    var row = DeviceRow(host: "a.example", service: "applinks", app: app, state: state)
    row.lastChecked = UnixTime("2026-09-23T18:16:58Z")
    row.nextCheck = UnixTime("2026-09-28T17:02:31Z")
    change(&row)
    return row
  }

  private static func failed(_ error: String, _ mode: DeviceRow.Mode? = nil) -> DeviceRow {
    row("unspecified") {
      $0.error = "Error Domain=\(error) \"(null)\""
      $0.mode = mode
    }
  }

  /// An error with the URL that the device asked.
  private static func failedAtCDN(_ code: Int) -> DeviceRow {
    row("unspecified") {
      $0.error =
        "Error Domain=NSURLErrorDomain Code=\(code) \"(null)\" UserInfo={NSErrorFailingURLStringKey="
        + "https://app-site-association.cdn-apple.com/a/v1/a.example}"
    }
  }

  private func words(_ verdict: DeviceVerdict) -> String {
    for text in [verdict.message, verdict.nextStep] {
      let isSentence = text.first?.isLowercase != true || text.hasPrefix("a.example ")
      #expect(text.hasSuffix(".") && isSentence, "\(text)")
      #expect(!text.contains("  ") && !text.contains("\n"), "\(text)")
    }
    return "\(verdict.code.rawValue) \(verdict.certainty.rawValue) \(verdict.actor.rawValue)"
  }

  private static let json =
    "Error Domain=NSCocoaErrorDomain Code=3840 \"JSON text did not start with array\""

  /// The states of the table "What it means", without a database.
  private static let alone: [(kind: DeviceOutput.Kind, row: DeviceRow, words: String)] = [
    (.swcutilShow, row("approved"), "fine-here sure operations"),
    (.swcutilGet, row("approved") { $0.userApproval = "approved" }, "fine-here sure operations"),
    (.swcutilShow, row("approved") { $0.userApproval = "denied" }, "user-chose-browser sure user"),
    (.swcutilShow, row("denied") { $0.userApproval = "denied" }, "refused likely operations"),
    (.swcutilShow, row("denied"), "refused likely operations"),
    (.swcutilShow, row("unspecified") { $0.error = json }, "unusable-file likely operations"),
    (.swcutilShow, row("unspecified") { $0.error = "other" }, "unusable-file likely operations"),
    (.swcutilShow, row("unspecified"), "never-downloaded likely operations"),
    (.swcutilShow, row("approved") { $0.mode = .developer }, "developer-mode-only sure app-team"),
    (
      .swcutilShow, row("approved") { $0.mode = .developerAndManaged },
      "developer-mode-only sure app-team"
    ),
    (.swcutilShow, row("approved") { $0.mode = .managed }, "fine-here sure operations"),
    (
      .swcutilShow, row("unspecified") { ($0.mode, $0.error) = (.developer, json) },
      "unusable-file likely operations"
    ),
    (.swcutilShow, row("unknown"), "incomplete sure user"),
    (.swcutilShow, row("pending"), "unknown-state likely operations"),
    (.swcutilVerify, row("match"), "route-opens sure operations"),
    (.swcutilVerify, row("blocked"), "route-excludes sure operations"),
    (.swcutilVerify, row("no-match"), "no-route sure operations"),
    (
      .swcutilDownload, row("failed") { $0.error = "SWCErrorDomain 7" },
      "cdn-failed sure operations"
    ),
    (
      .swcutilDownload, row("failed") { $0.error = "SWCErrorDomain 104" },
      "unusable-file likely operations"
    ),
    (
      .swcutilDownload, row("failed") { $0.error = "SWCErrorDomain 12" },
      "cdn-failed likely operations"
    ),
    (
      .swcdLog, row("failed") { $0.error = "SWCERR00101 Bad HTTP Response: 403" },
      "cdn-failed sure operations"
    ),
    (.cdnHeaders, row("failed") { $0.error = "SWCERR00301 Timeout" }, "cdn-failed sure operations"),
    (
      .cdnHeaders, row("failed") { $0.error = "SWCERR00202 Connections" },
      "cdn-failed likely operations"
    ),
    // What keeps the device from asking, in the table of associations.
    (.swcutilShow, failed("NSURLErrorDomain Code=-1001"), "never-downloaded likely operations"),
    (
      .swcutilShow, failed("NSURLErrorDomain Code=-1001", .developer),
      "never-downloaded likely operations"
    ),
    (.swcutilShow, failedAtCDN(-1001), "never-downloaded likely user"),
    (.swcutilShow, failedAtCDN(-1004), "never-downloaded likely user"),
    (.swcutilShow, failed("NSURLErrorDomain Code=-1004"), "never-downloaded likely operations"),
    (.swcutilShow, failed("NSURLErrorDomain Code=-1003"), "never-downloaded likely user"),
    (
      .swcutilShow, failed("NSURLErrorDomain Code=-1003", .developer),
      "never-downloaded likely operations"
    ),
    (.swcutilShow, failed("NSURLErrorDomain Code=-1009"), "never-downloaded likely user"),
    (.swcutilShow, failed("NSURLErrorDomain Code=-1202"), "never-downloaded likely user"),
    (
      .swcutilShow, failed("NSURLErrorDomain Code=-1202", .developer),
      "certificate-refused likely operations"
    ),
    (.swcutilShow, failed("SWCErrorDomain Code=7"), "cdn-failed sure operations"),
    (
      .swcutilShow, failed("SWCErrorDomain Code=7", .developer), "unusable-file likely operations"
    ),
    (.swcutilShow, failed("SWCErrorDomain Code=2"), "unusable-file likely operations"),
    (.cdnHeaders, row("failed") { $0.error = "SWCERR00999 New" }, "cdn-failed likely operations"),
    (.cdnHeaders, row("valid"), "cdn-has-file sure operations"),
    (
      .swcdLog, row("failed") { $0.error = "Rejecting URL 'x'" },
      "certificate-refused likely operations"
    ),
    (
      .swcdLog, row("failed") { $0.error = "Denying redirect 'x'" },
      "redirect-refused likely operations"
    ),
    (.appClipStatus, row("valid"), "fine-here sure operations"),
    (.appClipStatus, row("invalid") { $0.error = "DNS_ERROR" }, "cdn-failed likely operations"),
    (
      .appClipStatus, row("invalid") { $0.error = "BAD_JSON_CONTENT" },
      "unusable-file likely operations"
    ),
    (
      .appClipStatus, row("invalid") { $0.error = "INVALID_ENTITLEMENT_UNKNOWN_ID" },
      "clip-mismatch likely app-team"
    ),
    (
      .appClipStatus, row("invalid") { $0.error = "TLS_ERROR" },
      "certificate-refused likely operations"
    ),
    (
      .appClipStatus, row("invalid") { $0.error = "INSECURE_REDIRECTS_FORBIDDEN" },
      "redirect-refused likely operations"
    ),
    (
      .appClipStatus, row("invalid") { $0.error = "OTHER_ERROR" }, "unknown-state likely operations"
    ),
    (.appClipStatus, row("invalid") { $0.error = "NEW_ERROR" }, "unknown-state likely operations"),
    (.appClipStatus, row("invalid"), "unknown-state likely operations"),
    (.authorizationError, row("not-associated"), "not-associated likely operations"),
    (.authorizationError, row("not-verified"), "never-downloaded likely user"),
    (
      .authorizationError,
      row("failed") {
        $0.error = "Request already in progress for specified application identifier."
      },
      "request-in-progress likely app-team"
    ),
    (
      .authorizationError,
      row("failed") { $0.error = "It does not have an application identifier" },
      "app-not-signed likely app-team"
    ),
    (.authorizationError, row("failed") { $0.error = "(null)" }, "request-failed likely app-team"),
    // The class of an exception alone says nothing.
    (.credentialManager, row("failed"), "request-failed likely app-team"),
    (
      .credentialManager, row("failed") { $0.error = "[50152] RP ID cannot be validated." },
      "passkey-not-linked likely operations"
    ),
    (
      .credentialManager,
      row("failed") {
        $0.error =
          "androidx.credentials.TYPE_GET_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION/"
          + "androidx.credentials.TYPE_SECURITY_ERROR"
      },
      "passkey-not-linked likely operations"
    ),
    (
      .credentialManager,
      row("failed") {
        $0.error =
          "androidx.credentials.TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION/"
          + "androidx.credentials.TYPE_INVALID_STATE_ERROR: one of the excluded credentials exists"
      },
      "request-failed likely app-team"
    ),
    (
      .credentialManager, row("failed") { $0.error = "androidx.credentials.TYPE_DATA_ERROR" },
      "request-failed likely app-team"
    ),
    (
      .credentialManager, row("failed") { $0.error = "No create options available" },
      "request-failed likely user"
    ),
    (
      .credentialManager, row("failed") { $0.error = "NoCredentialException" },
      "request-failed likely app-team"
    ),
    (.authorizationError, row("failed") { $0.error = "1001" }, "request-failed likely user"),
    (.authorizationError, row("failed") { $0.error = "1005" }, "request-failed likely app-team"),
    (.verifierLog, row("verified"), "fine-here sure app-team"),
    (.verifierLog, row("failed"), "verification-failed likely operations"),
    (.verifierLog, row("no-answer"), "verification-failed likely operations"),
    (.appLinks, row("verified"), "fine-here sure app-team"),
    (
      .appLinks, row("verified") { $0.users = [user(linkHandling: false)] },
      "link-handling-off sure user"
    ),
    (
      .appLinks, row("verified") { $0.users = [user(linkHandling: true, .disabled)] },
      "fine-here sure app-team"
    ),
    (.preferredApps, row("always"), "fine-here sure app-team"),
    (
      .preferredApps, row("always") { $0.users = [user(status: "never")] },
      "user-chose-browser sure user"
    ),
    (.appLinks, row("migrated"), "carried-over likely user"),
    (.appLinks, row("restored"), "carried-over likely user"),
    (.appLinks, row("system_configured"), "carried-over likely user"),
    (.appLinks, row("pre_verified"), "carried-over likely user"),
    (.appLinks, row("approved"), "forced sure user"),
    (.appLinks, row("denied"), "forced sure user"),
    (.appLinks, row("none"), "not-verified-yet sure user"),
    (.preferredApps, row("undefined"), "not-verified-yet sure user"),
    (.preferredApps, row("never"), "user-chose-browser sure user"),
    (.preferredApps, row("ask"), "verification-failed likely operations"),
    (.appLinks, row("legacy_failure"), "verification-failed likely operations"),
    (.appLinks, row("1024"), "verification-failed likely operations"),
    (.appLinks, row("1026"), "verification-failed likely operations"),
    (.appLinks, row("9999"), "verification-failed likely operations"),
    (.appLinks, row("9"), "unknown-state likely operations"),
    (.appLinks, row("invalid"), "not-a-domain sure app-team"),
    (.appLinks, row("selection-only"), "not-auto-verified sure app-team"),
    (.preferredApps, row("selection-only"), "not-auto-verified likely app-team"),
    (.debugLink, row("STATE_SUCCESS"), "fine-here sure app-team"),
    (.debugLink, row("STATE_SUCCESS") { $0.rule = .excluded }, "route-excludes sure operations"),
    (.debugLink, row("STATE_SUCCESS") { $0.rule = .included }, "fine-here sure app-team"),
    (.debugLink, row("unknown"), "other-candidate sure user"),
  ]

  @Test func whatAUserChoseIsSaidBesideWhatElseKeepsLinksOut() throws {
    let site = DeviceVerdict(Self.row("denied") { $0.userApproval = "denied" }, of: .swcutilShow)
    #expect(words(site) == "refused likely operations")
    #expect(site.message.hasSuffix(" The user of this device also chose the browser."))
    #expect(
      site.nextStep.hasSuffix(" Touch and hold a link to a.example, and choose the app."))
    let alone = DeviceVerdict(Self.row("approved") { $0.userApproval = "denied" }, of: .swcutilShow)
    #expect(!alone.message.contains("also"))
    let passwords = DeviceVerdict(
      Self.row("approved") { ($0.userApproval, $0.service) = ("denied", "webcredentials") },
      of: .swcutilShow)
    #expect(words(passwords) == "user-chose-browser sure user")
    #expect(passwords.nextStep.hasPrefix("Reinstall the app"))
    let developer = DeviceVerdict(
      Self.row("unspecified") { $0.mode = .developer }, of: .swcutilShow)
    #expect(!(developer.message + developer.nextStep).contains("CDN"))

    let users = [
      (Self.user(linkHandling: true, .enabled), "User 0 chose the app"),
      (Self.user(status: "always"), "User 0 chose the app"),
      (Self.user(status: "never"), "keeps links to a.example from"),
      (Self.user(linkHandling: false, .enabled), "switched link handling off"),
      (Self.user(linkHandling: true, .disabled), nil),
    ]
    for state in ["1024", "none", "approved"] {
      let verdict = DeviceVerdict(
        Self.row(state) { $0.users = [Self.user(linkHandling: false)] }, of: .appLinks)
      #expect(verdict.message.hasSuffix("switched link handling off for \(Self.app)."), "\(state)")
    }
    for (user, sentence) in users {
      let verdict = DeviceVerdict(Self.row("selection-only") { $0.users = [user] }, of: .appLinks)
      #expect(words(verdict) == "not-auto-verified sure app-team")
      #expect(verdict.isFine == (sentence == "User 0 chose the app"))
      let isSaid = verdict.message.contains(sentence ?? " User ")
      #expect(isSaid == (sentence != nil), "\(verdict.message)")
    }
  }

  /// AOSP asks what a user has first, and what the package has only if the user has nothing.
  @Test(arguments: [
    ("always", "ask", "user-chose-browser", false), ("always", "always", "fine-here", true),
    ("ask", "always", "verification-failed", true), ("ask", "ask", "verification-failed", false),
    ("selection-only", "always", "fine-here", true),
    ("selection-only", "ask", "not-auto-verified", false),
  ])
  func onAndroid11WhatAUserHasGoesFirst(state: String, status: String, code: String, isFine: Bool) {
    let verdict = DeviceVerdict(
      Self.row(state) { $0.users = [Self.user(status: status)] }, of: .preferredApps)
    #expect(verdict.code.rawValue == code && verdict.isFine == isFine, "\(verdict)")
  }

  @Test(arguments: ["none", "1024", "legacy_failure", "denied"])
  func aUserWhoChoseTheAppGetsItWithoutVerification(state: String) {
    func isFine(_ users: DeviceRow.User...) -> Bool {
      DeviceVerdict(Self.row(state) { $0.users = users }, of: .appLinks).isFine
    }
    #expect(isFine(Self.user(linkHandling: true, .enabled)))
    #expect(!isFine(Self.user(linkHandling: true, .enabled), Self.user(.disabled)))
    #expect(!isFine(Self.user(linkHandling: false, .enabled)))
    #expect(!isFine(Self.user(linkHandling: true, .disabled)) && !isFine())
  }

  private static func user(
    linkHandling: Bool? = nil, _ selection: DeviceRow.User.Selection? = nil, status: String? = nil
  ) -> DeviceRow.User {
    DeviceRow.User(name: "0", linkHandling: linkHandling, selection: selection, status: status)
  }

  @Test(arguments: alone)
  func everyStateHasAVerdict(kind: DeviceOutput.Kind, row: DeviceRow, expected: String) {
    #expect(words(DeviceVerdict(row, of: kind)) == expected)
  }

  @Test func thePageListsEveryCode() throws {
    let package = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: package.appending(path: "docs/devices.md"), encoding: .utf8)
    let cells = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.dropFirst(2).prefix { $0 != "|" } }
    let codes = cells.flatMap { $0.split { " `,".contains($0) }.map(String.init) }
    #expect(codes.sorted() == DeviceVerdict.Code.allCases.map(\.rawValue).sorted())
  }

  // MARK: With what is published

  private let published = UnixTime("2026-09-24T00:00:00Z") ?? 0

  private func facts(
    then: PublishedFacts.Then = .unknown, namesApp: Bool = true, isServed: Bool = true,
    cdn: PublishedFacts.Copy? = nil
  ) throws -> PublishedFacts {
    var facts = PublishedFacts(
      domain: try DomainName("a.example"), isEnabled: isServed,
      now: PublishedFacts.State(
        revision: 14, publishedAt: published, isServed: isServed, namesApp: namesApp))
    (facts.then, facts.copy) = (then, cdn)
    return facts
  }

  private func earlier(namesApp: Bool = true, isSame: Bool = false) -> PublishedFacts.Then {
    .published(
      PublishedFacts.State(
        revision: 13, publishedAt: published - 1_000_000, isServed: true, namesApp: namesApp),
      isSameFile: isSame)
  }

  private func words(_ row: DeviceRow, _ facts: PublishedFacts) -> String {
    words(DeviceVerdict(row, of: .swcutilShow, facts))
  }

  @Test func aDeviceThatAskedBeforeAPublicationIsBehind() throws {
    for state in ["approved", "denied"] {
      #expect(
        words(Self.row(state), try facts(then: earlier(namesApp: false)))
          == "device-behind likely user")
    }
    for state in ["approved", "denied", "unspecified"] {
      #expect(words(Self.row(state), try facts(then: .nothing)) == "device-behind likely user")
    }
    let verdict = DeviceVerdict(
      Self.row("denied"), of: .swcutilShow, try facts(then: earlier(namesApp: false)))
    #expect(verdict.message.contains("revision 13 was published, which did not name the app"))
    #expect(verdict.nextStep.hasPrefix("Wait until 2026-09-28T17:02:31Z, or reinstall"))
    let same = try facts(then: earlier(isSame: true))
    #expect(words(Self.row("approved"), same) == "fine-here sure operations")
  }

  @Test func reinstallingDoesNotHelpWhileTheCDNIsBehind() throws {
    let copy = { (revision: Int?, isCurrent: Bool, later: Int64) in
      PublishedFacts.Copy(
        revision: revision, isCurrent: isCurrent, checkedAt: self.published + later)
    }
    for (cdn, expected) in [
      (copy(13, false, 60), "cdn-behind likely operations"),
      (copy(nil, false, 60), "cdn-foreign likely operations"),
      // A revision that changed something else has the same file.
      (copy(13, true, 60), "device-behind likely user"),
      (copy(14, true, 60), "device-behind likely user"),
      // A check before the publication says nothing about it.
      (copy(13, false, -60), "device-behind likely user"),
    ] {
      let facts = try facts(then: earlier(), cdn: cdn)
      #expect(words(Self.row("denied"), facts) == expected)
    }
    let developer = Self.row("denied") { $0.mode = .developer }
    #expect(
      words(developer, try facts(then: earlier(), cdn: copy(13, false, 60)))
        == "device-behind likely user")
  }

  @Test func whatIsPublishedDecidesBeforeWhatTheDeviceBelieves() throws {
    for state in ["approved", "denied", "unspecified"] {
      #expect(
        words(Self.row(state), try facts(then: earlier(), namesApp: false))
          == "not-in-file sure operations")
      #expect(words(Self.row(state), try facts(isServed: false)) == "not-served sure operations")
    }
    let chosen = Self.row("approved") { $0.userApproval = "denied" }
    let verdict = DeviceVerdict(chosen, of: .swcutilShow, try facts(namesApp: false))
    #expect(words(verdict) == "not-in-file sure operations")
    #expect(verdict.message.contains("also chose the browser"))
    let signIn = DeviceVerdict(
      Self.row("not-associated"), of: .authorizationError, try facts(namesApp: false))
    #expect(signIn.code == .notInFile)
  }

  @Test func theCertificatesOfTheDeviceAreComparedWithTheFile() throws {
    let fingerprint = try #require(Fingerprint(String(repeating: "AB:", count: 31) + "CD"))
    var facts = try facts()
    let verdict = { (label: AndroidApp.Certificate.Label?, isPublished: Bool, state: String) in
      facts.certificates = [
        PublishedFacts.Certificate(fingerprint, label: label, isPublished: isPublished)
      ]
      return DeviceVerdict(Self.row(state), of: .appLinks, facts)
    }
    #expect(words(verdict(.upload, false, "1024")) == "wrong-signing-key sure app-team")
    #expect(verdict(.upload, false, "1024").message.contains("signed with your upload key"))
    #expect(verdict(nil, false, "verified").code == .wrongSigningKey)
    #expect(verdict(nil, false, "1024").message.contains("AB:AB:"))
    #expect(verdict(.debug, true, "1024").code == .verificationFailed)
    #expect(
      verdict(.debug, true, "1024").message.contains("This build is signed with a debug key."))
    #expect(verdict(.playSigning, true, "verified").code == .fineHere)
  }

  @Test func whatIsPublishedIsSaidBeforeADeviceHasVerified() throws {
    let verdict = { (state: String, facts: PublishedFacts) in
      DeviceVerdict(Self.row(state), of: .appLinks, facts).code
    }
    for state in ["none", "undefined"] {
      #expect(verdict(state, try facts(namesApp: false)) == .notInFile)
      #expect(verdict(state, try facts()) == .notVerifiedYet)
    }
  }

  @Test func aDomainWithoutAFileForThePlatformNeedsTheAppAndNoName() throws {
    var facts = try facts()
    (facts.now.isServed, facts.now.namesApp, facts.missing) = (false, false, .assetLinks)
    let verdict = DeviceVerdict(Self.row("1024"), of: .appLinks, facts)
    #expect(words(verdict) == "not-served sure operations")
    #expect(verdict.message == "Revision 14 of a.example publishes no assetlinks.json.")
    #expect(
      verdict.nextStep == "Name \(Self.app) as an Android app in an entry of a.example.")
  }

  @Test func theLastCheckIsNamed() throws {
    var facts = try facts()
    facts.check = (["cdn-failed", "bot-blocked"], published)
    let verdict = DeviceVerdict(Self.row("unspecified"), of: .swcutilShow, facts)
    #expect(
      verdict.message.hasSuffix("The check at 2026-09-24T00:00:00Z found cdn-failed, bot-blocked."))
  }

  @Test func aCodeOfAnAppClipLeadsToTheFindingsOfItsCause() {
    for (error, finding) in [
      ("BAD_HTTP_RESPONSE", "http-status"), ("CANNOT_REACH_AASA_FILE", "bot-blocked"),
      ("CROSS_SITE_REDIRECTS_FORBIDDEN", "redirect-cross-site"),
      ("TOO_MANY_REDIRECTS", "too-many-redirects"), ("DNS_ERROR", "dns-error"),
      ("TIMEOUT", "timeout"), ("NETWORK_ERROR_TEMPORARY", "connection-failed"),
      ("BAD_JSON_CONTENT", "not-json"), ("BAD_PKCS7_SIGNATURE", "cms-signed"),
    ] {
      let row = Self.row("invalid") { $0.error = error }
      let next = DeviceVerdict(row, of: .appClipStatus).nextStep
      #expect(next.contains("`\(finding)`"), "\(error): \(next)")
    }
  }

  @Test func aStateThatSomeoneApprovedInTheShellKeepsNothingOut() {
    #expect(DeviceVerdict(Self.row("approved"), of: .appLinks).isFine)
    #expect(!DeviceVerdict(Self.row("denied"), of: .appLinks).isFine)
  }

  @Test func aRedirectThatAppleWasSentToIsNotFollowed() {
    let row = Self.row("failed") {
      $0.error = "SWCERR00101 Bad HTTP Response: 301 Moved Permanently"
    }
    #expect(DeviceVerdict(row, of: .cdnHeaders).nextStep.contains("Apple follows no redirect"))
  }

  @Test func theFileNamesTheAppClipAndNotTheAppThatHasItsEntry() throws {
    var facts = try facts(namesApp: false)
    let row = Self.row("denied") { $0.service = "appclips" }
    #expect(DeviceVerdict(row, of: .swcutilShow, facts).code == .notInFile)
    facts.appClip = "\(Self.app).Clip"
    #expect(DeviceVerdict(row, of: .swcutilShow, facts).code == .fineHere)
  }
}
