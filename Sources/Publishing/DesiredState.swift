public import Association
public import Store

/// A set of apps and domains to apply. Domains are read one at a time, so a state of any size takes
/// little memory.
public struct DesiredState {
  /// The apps. Apps that domains use are created even if they are not listed.
  public let apps: [DesiredApp<AppIdentifier>]
  /// The Android apps.
  public let androidApps: [DesiredApp<PackageName>]
  /// The names of the domains.
  public let domains: [DomainName]
  /// Domains that are not in the state, but that pruning leaves.
  public let kept: Set<DomainName>
  /// Reads the domain with this index over the stored one, and may be called again. Returns `nil` for an
  /// invalid domain; then nothing is applied, and the caller says why.
  public let domain: (Int, StoredDomain?) throws -> DesiredDomain?

  /// A state.
  public init(
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
public struct DesiredApp<Key: AppKey>: Sendable {
  /// The identifier.
  public let id: Key
  /// The environment; `nil` to keep the one of an app that exists.
  public let environment: App.Environment?
  private let change: @Sendable (Key.App) -> Key.App

  /// An app.
  ///
  /// - Parameter change: Returns a stored app with what the state says of it.
  public init(
    id: Key, environment: App.Environment?, change: @escaping @Sendable (Key.App) -> Key.App
  ) {
    self.id = id
    self.environment = environment
    self.change = change
  }

  /// The app over the stored one.
  public func app(over old: Key.App?) -> Key.App { change(old ?? Key.app(id)) }
}

/// A domain of a state, and the revision that the state was made from, if it names one.
public typealias DesiredDomain = (domain: Domain, revision: Int?)

/// How to apply a state.
public struct ApplyOptions: Sendable {
  /// Whether to delete domains and unused apps that the state does not list.
  public var prune: Bool
  /// Whether to undo what others have changed since the state was made.
  public var overwrite: Bool
  /// Codes of errors with which documents are published anyway.
  public var accepted: Set<Finding.Code>
  /// How long all documents together may be read, rendered, linted and compared.
  public var longest: Duration
  /// How long they may be written.
  public var longestWrite: Duration

  /// How long each of these may take.
  public static let longestWork = Duration.seconds(600)

  /// Options.
  public init(
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
  /// The Android apps in the same order.
  public let androidApps: [(app: PackageName, action: Action)]
  /// The deleted domains.
  public let deleted: [DomainName]
  /// The domains that were published because their Android apps changed.
  public let dependents: [DomainName]
}

/// A domain of a state that others have changed since the state was made.
public struct ForeignChange: Sendable {
  /// The domain.
  public let domain: DomainName
  /// The current revision, or the last one if the domain was deleted.
  public let current: Revision
  /// The revision that the state was made from; `nil` if the state does not name one.
  public let expected: Int?
  /// What applying the state would undo, in words.
  public let undone: [String]
  /// Whether the domain was deleted.
  public var isDeleted = false
}
