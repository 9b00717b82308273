public import Association
public import Store

/// What apps and domains shall be.
public struct DesiredState: Sendable {
  /// The apps. Those that domains name need not be here.
  public var apps: [App]
  /// The domains.
  public var domains: [Domain]
  /// The domains whose expectations the state does not say: they keep those that they have.
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

/// What applying a desired state does.
public struct Plan: Sendable {
  /// What is done to a thing.
  public enum Action: String, Sendable, CaseIterable {
    /// It is new.
    case create
    /// It is changed.
    case update
    /// It goes, since the state does not have it.
    case delete
    /// Nothing.
    case unchanged
  }

  /// What is done to one domain.
  public struct DomainStep: Sendable {
    /// The domain.
    public let name: DomainName
    /// What is done to it.
    public let action: Action
    /// What is published; `nil` for a deletion.
    public let publication: Publication?
  }

  /// What is done to one app.
  public struct AppStep: Sendable {
    /// The app.
    public let id: AppIdentifier
    /// What is done to it.
    public let action: Action
  }

  /// The apps in the order of the state, then those that go.
  public let apps: [AppStep]
  /// The domains that go, then those of the state in its order.
  public let domains: [DomainStep]

  /// Whether nothing is done.
  public var isEmpty: Bool {
    apps.allSatisfy { $0.action == .unchanged } && domains.allSatisfy { $0.action == .unchanged }
  }
}

extension Transaction {
  /// Makes apps and domains what a state says.
  ///
  /// - Parameters:
  ///   - prune: Whether domains and unused apps that the state does not have are removed.
  ///   - accepted: Codes of errors in spite of which documents are published.
  /// - Throws: `PublicationError.several` with the errors of every domain; `StoreError`.
  public func apply(
    _ state: DesiredState, prune: Bool, accepting accepted: Set<Finding.Code> = []
  ) throws -> Plan {
    try prepareForLongWork()
    let apps = try state.apps.map { try apply($0) }
    // Names go before names come, since one may go from one domain to another.
    let deleted = prune ? try deleteDomains(except: Set(state.domains.map(\.name))) : []
    try releaseAliases(for: state.domains)
    let steps = try publishEach(state.domains) { domain in
      let keeps = state.keepingExpectations.contains(domain.name)
      return try apply(domain, keepingExpectations: keeps, accepting: accepted)
    }
    let gone = prune ? try deleteUnusedApps(except: Set(state.apps.map(\.id))) : []
    return Plan(apps: apps + gone, domains: deleted + steps)
  }

  private func apply(_ app: App) throws -> Plan.AppStep {
    let old = try self.app(app.id)?.app
    _ = try put(app)
    let action: Plan.Action = old == nil ? .create : old == app ? .unchanged : .update
    return Plan.AppStep(id: app.id, action: action)
  }

  private func apply(
    _ domain: Domain, keepingExpectations: Bool, accepting accepted: Set<Finding.Code>
  ) throws -> Plan.DomainStep {
    let publication = try publish(domain.name, action: "apply", accepting: accepted) { old in
      var domain = domain
      if keepingExpectations { domain.expectations = old?.domain.expectations ?? [] }
      return domain
    }
    let edited = publication.edited
    let action: Plan.Action = edited.isNew ? .create : edited.isChanged ? .update : .unchanged
    return Plan.DomainStep(name: domain.name, action: action, publication: publication)
  }

  private func deleteDomains(except kept: Set<DomainName>) throws -> [Plan.DomainStep] {
    try domainNames().filter { !kept.contains($0) }.map { name in
      try delete(name)
      return Plan.DomainStep(name: name, action: .delete, publication: nil)
    }
  }

  private func deleteUnusedApps(except kept: Set<AppIdentifier>) throws -> [Plan.AppStep] {
    try unusedApps().filter { !kept.contains($0) }.map { id in
      try delete(id)
      return Plan.AppStep(id: id, action: .delete)
    }
  }
}
