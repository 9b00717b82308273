import JSONValue

extension AndroidApp {
  /// What is probably wrong with the app, whatever domain names it.
  public var findings: [Finding] {
    if environment != .production || certificates.contains(where: { $0.label == .playSigning }) {
      return []
    }
    var finding = Finding(
      .noPlaySigningFingerprint, at: .root,
      "\(package) has no fingerprint with the label \"play-signing\". Google Play signs what it delivers with "
        + "a key of its own, so links do not open the app for people who install it from there.",
      help:
        "Copy the SHA-256 fingerprint under \"App signing key certificate\" in the Play Console: "
        + "https://play.google.com/console/developers/app/keymanagement, or in the menu \"Protected with "
        + "Play\" or \"Test and release > Setup > App signing\". Add it to the app with the label "
        + "\"play-signing\". Suppress this finding if Google Play does not deliver the app.")
    finding.kind = .assetLinks
    return [finding]
  }
}
