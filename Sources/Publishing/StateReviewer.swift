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

/// What reviewing a domain gives.
struct Reviewed: Sendable {
  let review: Review
  let refusals: [PublicationError]
  /// See `StatePlan.Edit`.
  let keepsOwnPart: Bool
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
    var readEnvironments: [AppIdentifier: App.Environment] = [:]
    /// Further templates.
    var readTemplates: [TemplateName: StoredTemplate] = [:]
  }

  var apps: Apps
  let store: Store
  let action: String
  let context: WriteContext
  let shared: SharedDocuments

  /// - Parameters:
  ///   - goesOn: Whether the review goes on after what stops it.
  ///   - compares: Whether the publication says what changes.
  func review(_ candidate: Candidate, goesOn: Bool, compares: Bool) throws -> Reviewed {
    var refusals: [PublicationError] = []
    var review = try Review(
      candidate.proposal, over: candidate.former, apps: appSource, action: action, by: context,
      now: store.now(), sharing: shared
    ) {
      if !goesOn { throw $0 }
      refusals.append($0)
    }
    if compares && (candidate.index != nil || review.publication.edited.isChanged) {
      review.publication.compare(sharing: shared)
    }
    let (old, new) = (candidate.former.stored?.domain, candidate.proposal.domain)
    return Reviewed(
      review: review, refusals: refusals,
      keepsOwnPart: candidate.index == nil
        || old.map { new.ownPart.isSame(as: $0.ownPart) } ?? false)
  }

  /// A reviewer that has read, all at once, the apps and templates that the domains use now and will use, as far as they
  /// are easily found.
  func reading(_ candidates: [Candidate]) throws -> StateReviewer {
    let used = candidates.flatMap { candidate in
      let (old, new) = (candidate.former.stored?.domain, candidate.proposal.domain)
      return (old?.associationFile.appIdentifiers ?? []) + new.associationFile.appIdentifiers
        + (new.template?.appIdentifiers ?? [])
    }
    let names = Set(candidates.compactMap { $0.proposal.domain.template?.name })
    var reviewer = self
    reviewer.apps.readEnvironments = try store.environments(
      of: used.filter { apps.environments[$0] == nil && apps.known.environments[$0] == nil })
    for name in names where apps.templates[name] == nil {
      reviewer.apps.readTemplates[name] = try store.storedTemplate(name)
    }
    return reviewer
  }

  /// The apps as the state leaves them.
  var appSource: AppSource {
    AppSource { app in
      try apps.environments[app] ?? apps.known.environments[app]
        ?? apps.readEnvironments[app]
        ?? store.environment(of: app)
    } androidApp: { package in
      if let found = apps.known.android[package] { return found }
      let stored = try store.androidApp(package)
      return apps.android[package].map {
        PackageName.rows.written($0.app(over: stored), stored, context)
      } ?? stored
    } template: { name in
      try apps.templates[name].map { ($0, nil) }
        ?? apps.readTemplates[name].map { ($0.template, $0.revision) }
        ?? store.appSource.template(name)
    }
  }
}

extension TemplateUse {
  /// The values that may be apps.
  fileprivate var appIdentifiers: [AppIdentifier] {
    parameters.members.flatMap { $0.value.arrayValue ?? [$0.value] }
      .compactMap { $0.stringValue.flatMap { try? AppIdentifier($0) } }
  }
}

extension UsedApps {
  /// Adds apps and templates that another domain depends on.
  ///
  /// - Throws: `Outdated` if somebody changed one since it was added.
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
