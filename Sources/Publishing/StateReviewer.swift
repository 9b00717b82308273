import Association
import Store

/// A domain that is to be reviewed.
struct Candidate: Sendable {
  /// The index in the state; `nil` for a domain that changes with it.
  let index: Int?
  let name: DomainName
  let former: FormerDomain
  let proposal: Proposal
}

/// Reviews domains of a state, several at the same time.
struct StateReviewer: Sendable {
  /// What the state and the plan so far know of apps and templates.
  struct Apps: Sendable {
    let environments: [AppIdentifier: App.Environment]
    let android: [PackageName: DesiredApp<PackageName>]
    let templates: [TemplateName: Template]
    let known: UsedApps
    /// The environments of further apps.
    var read: [AppIdentifier: App.Environment] = [:]
  }

  var apps: Apps
  let store: Store
  let action: String
  let context: WriteContext

  /// - Parameters:
  ///   - goesOn: Whether the review goes on after what stops it.
  ///   - compares: Whether the publication says what changes.
  func review(
    _ candidate: Candidate, goesOn: Bool, compares: Bool
  ) throws -> (review: Review, refusals: [PublicationError]) {
    var refusals: [PublicationError] = []
    var review = try Review(
      candidate.proposal, over: candidate.former, apps: appSource, action: action, by: context,
      now: store.now()
    ) {
      if !goesOn { throw $0 }
      refusals.append($0)
    }
    if compares && (candidate.index != nil || review.publication.edited.isChanged) {
      review.publication.compare()
    }
    return (review, refusals)
  }

  /// The same with the apps that domains have now, read at once.
  func reading(_ candidates: [Candidate]) throws -> StateReviewer {
    let used = candidates.flatMap { $0.former.stored?.domain.document.appIdentifiers ?? [] }
    var reviewer = self
    reviewer.apps.read = try store.environments(
      of: used.filter { apps.environments[$0] == nil && apps.known.environments[$0] == nil })
    return reviewer
  }

  /// The apps as the state leaves them.
  var appSource: AppSource {
    AppSource { app in
      try apps.environments[app] ?? apps.known.environments[app] ?? apps.read[app]
        ?? store.environment(of: app)
    } androidApp: { package in
      if let found = apps.known.android[package] { return found }
      let stored = try store.androidApp(package)
      return apps.android[package].map {
        PackageName.rows.written($0.app(over: stored), stored, context)
      } ?? stored
    } template: { name in
      try apps.templates[name].map { ($0, nil) } ?? store.appSource.template(name)
    }
  }
}

extension UsedApps {
  /// Adds apps that another review depends on.
  ///
  /// - Throws: `Outdated` if somebody changed an app between two reviews.
  mutating func add(_ apps: UsedApps) throws {
    func same<Value: Equatable>(_ old: Value, _ new: Value) throws -> Value {
      if old != new { throw Outdated() }
      return new
    }
    try environments.merge(apps.environments, uniquingKeysWith: same)
    try android.merge(apps.android, uniquingKeysWith: same)
    try templates.merge(apps.templates, uniquingKeysWith: same)
  }
}
