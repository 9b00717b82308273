extension Linter {
  /// The findings about the files of a domain together, by the kind of the file that each is about.
  ///
  /// A domain that shares passwords and passkeys with apps of one platform, and has apps on the other
  /// without sharing anything with them, probably forgot that.
  package static func findings(
    comparing apple: ReadDocument, with links: AssetLinks
  ) -> [DocumentKind: [Finding]] {
    let service = apple.services.first { $0.name == "webcredentials" }
    let isOnApple = service?.apps?.texts.isEmpty == false
    let apps = links.statements.filter { if case .app = $0.target { true } else { false } }
    let sharing = apps.first { $0.relations.contains(.getLoginCredentials) }
    let help =
      "If the same people sign in there, too, let the app of the other platform share them."
    if isOnApple, sharing == nil, let app = apps.first {
      return [
        .assetLinks: [
          Finding(
            .credentialsOnOnePlatform, at: app.pointer.appending("relation"),
            "Apple's file shares passwords and passkeys (`webcredentials`), and no statement here about an"
              + " app has \(Relation.getLoginCredentials). Android apps do not offer them.",
            help: help)
        ]
      ]
    }
    let hasApps = apple.links.entries.contains { !$0.apps.isEmpty } || !apple.services.isEmpty
    if !isOnApple, hasApps, sharing != nil {
      return [
        .apple: [
          Finding(
            .credentialsOnOnePlatform, at: service?.pointer ?? .root,
            "Android's file shares passwords and passkeys (\(Relation.getLoginCredentials)), and this one has"
              + " no app in `webcredentials`. Apple apps do not offer them.", help: help)
        ]
      ]
    }
    return [:]
  }
}
