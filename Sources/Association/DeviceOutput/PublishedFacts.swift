/// What is published for the host of a row, with regard to its app and service.
package struct PublishedFacts: Sendable {
  /// What a revision says.
  package struct State: Sendable {
    package var revision: Int
    package var publishedAt: UnixTime
    /// Whether it has a file for the platform, and serves it for the host.
    package var isServed: Bool
    /// Whether that file names the app for the service; `nil` for a row without an app.
    package var namesApp: Bool?

    package init(revision: Int, publishedAt: UnixTime, isServed: Bool, namesApp: Bool?) {
      self.revision = revision
      self.publishedAt = publishedAt
      self.isServed = isServed
      self.namesApp = namesApp
    }
  }

  /// What was published when the device last checked.
  package enum Then: Sendable {
    /// Whether its file has the bytes that are served now.
    case published(State, isSameFile: Bool)
    case nothing
    /// The device does not say when it checked, or the revision was pruned.
    case unknown
  }

  /// What Apple's CDN had at the last check.
  package struct Copy: Sendable {
    /// `nil` for a file that is none of the domain's revisions.
    package var revision: Int?
    /// Whether its file has the bytes that are served now.
    package var isCurrent: Bool
    package var checkedAt: UnixTime

    package init(revision: Int?, isCurrent: Bool, checkedAt: UnixTime) {
      self.revision = revision
      self.isCurrent = isCurrent
      self.checkedAt = checkedAt
    }
  }

  /// A certificate of the app on the device.
  package struct Certificate: Sendable {
    package var fingerprint: Fingerprint
    /// Whose key it is; `nil` if the app is not stored with it.
    package var label: AndroidApp.Certificate.Label?
    /// Whether the file names it for the app.
    package var isPublished: Bool

    package init(
      _ fingerprint: Fingerprint, label: AndroidApp.Certificate.Label?, isPublished: Bool
    ) {
      self.fingerprint = fingerprint
      self.label = label
      self.isPublished = isPublished
    }
  }

  package var domain: DomainName
  package var isEnabled: Bool
  package var now: State
  /// The file for the platform of the row, if the current revision has none.
  package var missing: DocumentKind?
  package var then = Then.unknown
  package var copy: Copy?
  /// The codes of the errors and warnings of the last check, and when it was.
  package var check: (codes: [String], at: UnixTime)?
  package var certificates: [Certificate] = []
  /// Of a file that does not name the app: a sentence about another app that is probably meant, or nothing.
  package var nearMiss = ""
  /// The App Clip of the app that the file names in place of it. The app has the same entry in its entitlements.
  package var appClip: String?

  package init(domain: DomainName, isEnabled: Bool, now: State) {
    self.domain = domain
    self.isEnabled = isEnabled
    self.now = now
  }

  /// Whether Apple's CDN had another file at a check after the current one was published.
  var isCopyBehind: Bool {
    copy.map { !$0.isCurrent && $0.checkedAt >= now.publishedAt } ?? false
  }

  /// Whether another file was published when the device checked, or none.
  var isDeviceBehind: Bool {
    switch then {
    case .published(let state, let isSameFile): !isSameFile || !state.isServed
    case .nothing: true
    case .unknown: false
    }
  }
}

extension ReadDocument {
  /// The apps that the file names for a service, each once.
  package func apps(for service: String) -> [String] {
    let apps =
      service == "applinks"
      ? links.entries.flatMap(\.apps)
      : services.first { sameScalars($0.name, service) }?.apps?.texts ?? []
    return apps.uniqued()
  }
}
