package import Association
package import Store

/// A set of apps and domains to apply. Domains are read one at a time, so a state of any size takes
/// little memory.
package struct DesiredState {
  /// The apps. Apps that domains use are created even if they are not listed.
  package let apps: [DesiredApp<AppIdentifier>]
  package let androidApps: [DesiredApp<PackageName>]
  /// The names of the domains.
  package let domains: [DomainName]
  /// Domains that are not in the state, but that pruning leaves.
  package let kept: Set<DomainName>
  /// Reads the domain with this index over the stored one, and may be called again. Returns `nil` for an
  /// invalid domain; then nothing is applied, and the caller says why.
  package let domain: (Int, StoredDomain?) throws -> DesiredDomain?

  package init(
    apps: [DesiredApp<AppIdentifier>], androidApps: [DesiredApp<PackageName>] = [],
    domains: [DomainName], kept: Set<DomainName> = [],
    domain: @escaping (Int, StoredDomain?) throws -> DesiredDomain?
  ) {
    self.apps = apps
    self.androidApps = androidApps
    self.domains = domains
    self.kept = kept
    self.domain = domain
  }
}

/// An app of a state.
package struct DesiredApp<Key: AppKey>: Sendable {
  package let id: Key
  /// The environment; `nil` to keep the one of an app that exists.
  package let environment: App.Environment?
  private let change: @Sendable (Key.App) -> Key.App

  /// An app.
  ///
  /// - Parameter change: Returns a stored app with what the state says of it.
  package init(
    id: Key, environment: App.Environment?, change: @escaping @Sendable (Key.App) -> Key.App
  ) {
    self.id = id
    self.environment = environment
    self.change = change
  }

  /// The app over the stored one.
  package func app(over old: Key.App?) -> Key.App { change(old ?? Key.app(id)) }
}

/// A domain of a state, and the revision that the state was made from, if it names one.
package typealias DesiredDomain = (domain: Domain, revision: Int?)

/// How to apply a state.
package struct ApplyOptions: Sendable {
  /// Whether to delete domains and unused apps that the state does not list.
  package var prune: Bool
  /// Whether to undo what others have changed since the state was made.
  package var overwrite: Bool
  /// Codes of errors with which documents are published anyway.
  package var accepted: Set<Finding.Code>
  /// How long all documents together may be read, rendered, linted and compared.
  package var longest: Duration
  /// How long they may be written.
  package var longestWrite: Duration

  /// How long each of these may take.
  package static let longestWork = Duration.seconds(600)

  package init(
    prune: Bool = false, overwrite: Bool = false, accepted: Set<Finding.Code> = [],
    longest: Duration = Self.longestWork, longestWrite: Duration = Self.longestWork
  ) {
    self.prune = prune
    self.overwrite = overwrite
    self.accepted = accepted
    self.longest = longest
    self.longestWrite = longestWrite
  }
}

/// What applying a state did to apps, and to domains that it does not list.
package struct AppliedState: Sendable {
  /// What happens to an app or a domain.
  package enum Action: String, Sendable, CaseIterable {
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
  package let apps: [(app: AppIdentifier, action: Action)]
  /// The Android apps in the same order.
  package let androidApps: [(app: PackageName, action: Action)]
  package let deleted: [DomainName]
  /// The domains that were published because their Android apps changed.
  package let dependents: [DomainName]
}

/// A domain of a state that others have changed since the state was made.
package struct ForeignChange: Sendable {
  package let domain: DomainName
  /// The current revision, or the last one if the domain was deleted.
  package let current: Revision
  /// The revision that the state was made from; `nil` if the state does not name one.
  package let expected: Int?
  /// What applying the state would undo, in words.
  package let undone: [String]
  /// Whether the domain was deleted.
  package var isDeleted = false
}
