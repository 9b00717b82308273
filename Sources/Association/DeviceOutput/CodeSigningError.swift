/// Why Xcode, EAS or App Store Connect refuses an app that has the entitlement of associated domains.
enum CodeSigningError {
  /// A cause that has an answer of its own. The value is in the text.
  enum Cause: String, CaseIterable {
    case team = "development team"
    case synced = "Synced capabilities"
    case appClip = "associated-appclip-app-identifiers"
    /// .NET, MT7139: `…, but no provisioning profile has been specified.`
    case noProfile = "no provisioning profile has been specified"
    /// macOS or iOS, when it does not start an app: `Unsatisfied entitlements: …`, with the names of those that no profile grants.
    case unsatisfied = "Unsatisfied entitlements"
  }

  /// How Xcode and App Store Connect refuse the entitlement, wherever its name stands.
  private static let words =
    [
      "allowed the specified entitlements", "Invalid Code Signing Entitlements", "ITMS-90046",
      "ITMS-90163",
      // With its name in front, since others may be listed further on.
      "\(Marker.entitlementKey.rawValue) not found and could not be included in profile",
    ] + [dotNet]
  /// How .NET begins, MT7139 and MT7140, before what is wrong with the profile.
  private static let dotNet = "requests the entitlement '\(Marker.entitlementKey.rawValue)', but"
  /// How they begin a list of capabilities, or of entitlements, that an app cannot have.
  private static let beginnings =
    ["doesn't ", "doesn’t ", "does not ", "don't ", "don’t ", "do not "].flatMap { negation in
      ["include the", "support the", "match the entitlements"].map { negation + $0 }
    } + ["requires a provisioning profile with the"]
  /// What the names are called there; without it, the words are about something else.
  private static let nouns = ["apabilit", "ntitlement", "feature"]
  /// How far behind the beginning a name is, in bytes.
  private static let farthest = 300

  static func isMarked(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> Bool {
    if has(.appClipEntitlement) && text.has("ITMS-90876") { return true }
    if has(.entitlementKey) {
      return (words + beginnings).contains(where: text.has) || isUnsatisfied(text)
    }
    // The words of Xcode's list of capabilities are also everyday words.
    return has(.associatedDomains) && (isRefused(text) || isSwitchedOff(text))
  }

  private static func isRefused(_ text: ArraySlice<UInt8>) -> Bool {
    beginnings.contains { beginning in
      text.ranges(of: beginning).prefix(100).contains {
        let sentence = text[$0.upperBound...].prefix(1000).before(". ")
        return sentence.prefix(farthest).has(Marker.associatedDomains.rawValue)
          && nouns.contains(where: sentence.has)
      }
    }
  }

  private static func isUnsatisfied(_ text: ArraySlice<UInt8>) -> Bool {
    [Cause.unsatisfied.rawValue, "Unsatisfied Entitlements"].contains { words in
      text.ranges(of: "\(words): ").prefix(100).contains {
        text[$0.upperBound...].prefix(farthest).prefix { $0 != UInt8(ascii: ":") }
          .has(Marker.entitlementKey.rawValue)
      }
    }
      // `amfid` prints a list: `UserInfo={…, unsatisfiedEntitlements=<CFArray …>{…, values = ( … )}, …}`.
      || text.ranges(of: "unsatisfiedEntitlements=").prefix(100).contains {
        text[$0.upperBound...].prefix(1000).before(")}, ").has(Marker.entitlementKey.rawValue)
      }
  }

  /// Xcode: `Personal development teams, including "…", do not support the Associated Domains capability.`
  private static func isAboutTeam(_ text: ArraySlice<UInt8>) -> Bool {
    text.ranges(of: " not support the").prefix(100).contains { place in
      text[..<place.lowerBound].suffix(farthest).has(Cause.team.rawValue)
    }
  }

  /// EAS: `Synced capabilities: Enabled: Push Notifications | Disabled: Associated Domains`.
  private static func isSwitchedOff(_ text: ArraySlice<UInt8>) -> Bool {
    text.ranges(of: Cause.synced.rawValue).prefix(100).contains { place in
      // A project may have several targets.
      let lists = text[place.upperBound...].prefix(farthest).before("Synced")
      return lists.firstRange(of: "Disabled: ").map {
        lists[$0.upperBound...].before("|").before("Enabled:")
          .has(Marker.associatedDomains.rawValue)
      } ?? false
    }
  }

  /// One row: the text names no host for certain. Its error is a cause, or an entry that App Store Connect does not take.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    if text.flat.has("is not supported"), let value = text.flat.between("value '", and: "'") {
      row.error = value.prefix(300).valueOrNone
    } else if isSwitchedOff(text.flat) {
      row.error = Cause.synced.rawValue
    } else if text.flat.has("ITMS-90876") {
      row.error = Cause.appClip.rawValue
    } else if text.flat.has(dotNet), text.flat.has(Cause.noProfile.rawValue) {
      row.error = Cause.noProfile.rawValue
    } else if isUnsatisfied(text.flat) {
      row.error = Cause.unsatisfied.rawValue
    } else if isAboutTeam(text.flat) {
      row.error = Cause.team.rawValue
    }
    var found = DeviceRows()
    found.add(row)
    return found
  }
}

extension ArraySlice<UInt8> {
  /// What stands before the first place of a text; all of it if the text is not there.
  fileprivate func before(_ text: String) -> ArraySlice<UInt8> {
    self[..<(firstRange(of: text)?.lowerBound ?? endIndex)]
  }
}

extension DeviceCase {
  /// Why an app with associated domains is refused.
  var codeSigningVerdict: DeviceVerdict {
    func verdict(_ message: String, _ next: String) -> DeviceVerdict {
      DeviceVerdict(.notInProfile, .likely, .appTeam, message, next: next)
    }
    guard let error = row.error else {
      return verdict(
        "The provisioning profile does not let the app have associated domains. Nothing on the server is involved.",
        "Switch on Associated Domains for the App ID in Apple's developer account, and make the profile anew. A free "
          + "account does not have it.")
    }
    switch CodeSigningError.Cause(rawValue: error) {
    case .team:
      return verdict(
        "The team that signs the app may not use associated domains: a personal team, without the paid Apple Developer "
          + "Program, does not have them. Nothing on the server is involved.",
        "Sign the app with a team of the paid program.")
    case .synced:
      return verdict(
        "EAS switched Associated Domains off for the App ID, because the entitlements of the app do not have it.",
        "Add `associatedDomains` to `expo.ios` of app.json, or the entitlement to the native project, and build again. "
          + "With `EXPO_NO_CAPABILITY_SYNC=1`, EAS leaves the capabilities alone.")
    case .appClip:
      return verdict(
        "The app contains an App Clip, and its entitlements do not name it. Nothing on the server is involved.",
        "Add the App Clip's identifier to `com.apple.developer.associated-appclip-app-identifiers` of the app, and make "
          + "the profile anew.")
    case .noProfile:
      return verdict(
        "The build signs the app without a provisioning profile, which associated domains need. Nothing on the server is "
          + "involved.",
        "Name a profile of an App ID with Associated Domains in `CodesignProvision` of the project file."
      )
    case .unsatisfied:
      return verdict(
        "The device does not start the app: no provisioning profile in it grants associated domains to it. Nothing on the server "
          + "is involved.",
        "Sign the app with a profile of the App ID with Associated Domains, and with a certificate of that profile. On a Mac, the "
          + "profile is Contents/embedded.provisionprofile, and an app for Developer ID needs one, too."
      )
    case nil:
      return error == "*"
        ? verdict(
          "The entitlement has the `*` of a provisioning profile, which re-signing copies.",
          "Sign the app with the entitlements of its project.")
        : verdict(
          "App Store Connect does not take the entry \(error.quoted) of the app's associated domains.",
          "Run `aasa entitlements App.entitlements`, which says what is wrong with it.")
    }
  }
}
