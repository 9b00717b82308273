/// Why Xcode, or App Store Connect, refuses an app that has the entitlement of associated domains.
enum CodeSigningError {
  /// How Xcode and App Store Connect refuse it.
  private static let words = [
    "doesn't include the", "doesn’t include the", "doesn't support the", "doesn’t support the",
    "allowed the specified entitlements", "Invalid Code Signing Entitlements", "ITMS-90046",
    "ITMS-90163",
  ]

  static func isMarked(_ has: (Marker) -> Bool, _ text: ArraySlice<UInt8>) -> Bool {
    (has(.entitlementKey) || has(.capability)) && words.contains(where: text.has)
  }

  /// One row: the text names no host for certain. Its error is an entry that App Store Connect does not take.
  static func rows(in text: PastedText) -> DeviceRows {
    var row = DeviceRow(state: "failed")
    if text.flat.has("is not supported"), let value = text.flat.between("value '", and: "'") {
      row.error = value.prefix(300).valueOrNone
    }
    var found = DeviceRows()
    found.add(row)
    return found
  }
}

extension DeviceCase {
  /// Why an app with associated domains is refused.
  var codeSigningVerdict: DeviceVerdict {
    if let entry = row.error {
      return entry == "*"
        ? DeviceVerdict(
          .notInProfile, .likely, .appTeam,
          "The entitlement has the `*` of a provisioning profile, which re-signing copies.",
          next: "Sign the app with the entitlements of its project.")
        : DeviceVerdict(
          .notInProfile, .likely, .appTeam,
          "App Store Connect does not take the entry \(entry.quoted) of the app's associated domains.",
          next: "Run `aasa entitlements App.entitlements`, which says what is wrong with it.")
    }
    return DeviceVerdict(
      .notInProfile, .likely, .appTeam,
      "The provisioning profile does not let the app have associated domains. Nothing on the server is involved.",
      next:
        "Switch on Associated Domains for the App ID in Apple's developer account, and make the profile anew. A free account "
        + "does not have it.")
  }
}
