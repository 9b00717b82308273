public import Association
import Store

/// A set of apps and domains to apply.
public struct DesiredState: Sendable {
  /// The apps. Apps that domains use are created even if they are not listed.
  public var apps: [App]
  /// The domains.
  public var domains: [Domain]
  /// The domains for which the state does not list expectations: they keep those they have.
  public var keepingExpectations: Set<DomainName>

  /// A state.
  public init(
    apps: [App], domains: [Domain], keepingExpectations: Set<DomainName> = []
  ) {
    self.apps = apps
    self.domains = domains
    self.keepingExpectations = keepingExpectations
  }
}

/// What applying a desired state did.
public struct AppliedState: Sendable {
  /// What happens to an app or a domain.
  public enum Action: String, Sendable, CaseIterable {
    /// It is created.
    case create
    /// It changes.
    case update
    /// It is deleted, because it is not in the state.
    case delete
    /// It does not change.
    case unchanged
  }

  /// The apps in the order of the state, then deleted ones.
  public let apps: [(app: AppIdentifier, action: Action)]
  /// The deleted domains, then those of the state in its order.
  public let domains: [(domain: DomainName, action: Action, publication: Publication)]
}

extension Transaction {
  func apply(
    _ state: DesiredState, _ reviews: [Review], _ deletions: [Deletion], prune: Bool
  ) throws -> AppliedState {
    var apps: [(app: AppIdentifier, action: AppliedState.Action)] = []
    for app in state.apps { apps.append((app.id, try apply(app))) }
    // Frees names before they are taken, because one may move from one domain to another.
    if prune {
      let listed = Set(state.domains.map(\.name))
      let gone = try domainNames().filter { !listed.contains($0) }
      if gone != deletions.map(\.name) { throw Outdated() }
    }
    let deleted = try deletions.map { try $0.publish(in: self) }
    try releaseAliases(before: reviews.map(\.edit))
    let published = try reviews.map { try $0.publish(in: self, action: "apply") }
    let domains = try (deleted + published).findingMoves().map {
      (domain: $0.edited.stored.domain.name, action: $0.action, publication: $0)
    }
    let listedApps = Set(state.apps.map(\.id))
    let unused = prune ? try unusedApps().filter { !listedApps.contains($0) } : []
    for id in unused { try delete(id) }
    return AppliedState(
      apps: apps + unused.map { ($0, .delete) }, domains: domains)
  }

  private func apply(_ app: App) throws -> AppliedState.Action {
    let old = try self.app(app.id)?.app
    _ = try put(app)
    return old == nil ? .create : old == app ? .unchanged : .update
  }
}

extension Publication {
  fileprivate var action: AppliedState.Action {
    isDeletion ? .delete : edited.isNew ? .create : edited.isChanged ? .update : .unchanged
  }
}
