extension AndroidApp {
  /// What is probably wrong with the app, whatever domain names it.
  package var findings: [Finding] {
    if environment != .production { return [] }
    let labels = Set(certificates.map(\.label))
    return [
      labels.contains(.debug) ? debugFingerprint : nil,
      labels.contains(.playSigning) || labels.contains(.unknown) ? nil : noPlaySigningFingerprint,
    ].compactMap(\.self)
  }

  private var debugFingerprint: Finding {
    var finding = Finding(
      .debugFingerprint, at: .root,
      "\(package) is for production and has a fingerprint with the label \"debug\". Anybody with that key can "
        + "build an app that opens the links and gets the passwords of its domains.",
      help:
        "Remove the fingerprint, or add an app with the environment \"development\" and publish it on a domain "
        + "for development.")
    finding.kind = .assetLinks
    return finding
  }

  private var noPlaySigningFingerprint: Finding {
    var finding = Finding(
      .noPlaySigningFingerprint, at: .root,
      "\(package) has no fingerprint with the label \"play-signing\". Google Play signs what it delivers with "
        + "a key of its own, so links, passwords and passkeys do not work for people who install it from there.",
      help:
        "Copy the SHA-256 fingerprint under \"App signing key certificate\" in the Play Console: "
        + "https://play.google.com/console/developers/app/keymanagement, or in the menu \"Protected with "
        + "Play\" or \"Test and release > Setup > App signing\". Add it to the app with the label "
        + "\"play-signing\". Suppress this finding if Google Play does not deliver the app.")
    finding.kind = .assetLinks
    return finding
  }
}
