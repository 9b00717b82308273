package import Association
package import Store

/// A set of apps and domains to apply. Domains are read a few at a time, so a state of any size takes
/// little memory.
package struct DesiredState {
  /// The apps. Apps that domains use are created even if they are not listed.
  package internal(set) var apps: [DesiredApp<AppIdentifier>]
  package internal(set) var androidApps: [DesiredApp<PackageName>]
  /// The templates. All their domains are published with them.
  package internal(set) var templates: [Template]
  /// The revisions that templates of the state were made from, as far as it names them.
  package var templateRevisions: [TemplateName: Int] = [:]
  /// Those that the state was compared with, to find what others have changed; 0 for a template that does not exist.
  var comparedTemplates: [TemplateName: Int] = [:]
  /// The templates that stay as others have made them.
  var leftTemplates: [TemplateName] = []
  /// Why it cannot be applied, for a plan that is only shown.
  var conflicts: [PublicationError] = []
  /// Whether domains of templates are published even if the templates do not change: some may be behind.
  var publishesTemplates = false
  /// Whether domains of the state already have what their templates give them.
  var isResolved = false
  /// The new names of parameters of a template, by those that its domains have values for.
  var renamedParameters: [String: String] = [:]
  /// What is required of the only template of the state.
  var precondition = Precondition.none
  package let domains: [DomainName]
  /// Domains that are not in the state, but that pruning leaves.
  package let kept: Set<DomainName>
  /// Domains that are deleted even without pruning.
  package var deleted: [DomainName]
  /// The codes of errors that are accepted for a single domain, given its name and what is stored of it.
  let accepted: (DomainName, Domain?) -> Set<Finding.Code>
  /// Refuses what would be published for a domain, after it was compared with what is.
  var check: ((Publication) throws -> Void)?
  /// Which domains the reader may not see, and the error to report if apps or templates of the state would change one.
  var hidden: (isHidden: (Domain) -> Bool, error: PublicationError)?
  /// Reads the domain with this index over the stored one. It is called for several domains at the same time, and may be
  /// called again. With `InvalidInput`, the others are read, too, and nothing is applied.
  package let domain: @Sendable (Int, StoredDomain?) throws -> DesiredDomain
  /// Reads it over an earlier revision, without any check; `nil` if it is invalid there.
  let earlier: (Int, StoredDomain) throws -> Domain?

  package init(
    apps: [DesiredApp<AppIdentifier>] = [], androidApps: [DesiredApp<PackageName>] = [],
    templates: [Template] = [], domains: [DomainName], kept: Set<DomainName> = [],
    earlier: @escaping (Int, StoredDomain) throws -> Domain? = { _, _ in nil },
    domain: @escaping @Sendable (Int, StoredDomain?) throws -> DesiredDomain
  ) {
    self.init(
      apps: apps, androidApps: androidApps, templates: templates, domains: domains, kept: kept,
      deleted: [], earlier: earlier, domain: domain)
  }

  init(
    apps: [DesiredApp<AppIdentifier>] = [], androidApps: [DesiredApp<PackageName>] = [],
    templates: [Template] = [], domains: [DomainName], kept: Set<DomainName> = [],
    deleted: [DomainName],
    accepted: @escaping (DomainName, Domain?) -> Set<Finding.Code> = { _, _ in [] },
    earlier: @escaping (Int, StoredDomain) throws -> Domain? = { _, _ in nil },
    domain: @escaping @Sendable (Int, StoredDomain?) throws -> DesiredDomain
  ) {
    self.earlier = earlier
    self.apps = apps
    self.androidApps = androidApps
    self.templates = templates
    self.domains = domains
    self.kept = kept
    self.deleted = deleted
    self.accepted = accepted
    self.domain = domain
  }
}

extension DesiredState {
  /// No domain of the state uses apps that somebody limited to domains would add.
  package struct UnusedApps: Error {
    package let apps: [LinkedApp]
  }

  /// The domains that name Android apps whose certificates the state changes, or that use templates which it changes.
  /// Their documents change with them.
  ///
  /// - Parameters:
  ///   - app: The stored app.
  ///   - domains: The domains that use an app.
  ///   - template: The stored template.
  ///   - users: The domains that use a template.
  func dependents(
    app: (PackageName) throws -> AndroidApp?, domains: (PackageName) throws -> [DomainName],
    template: (TemplateName) throws -> StoredTemplate?,
    domains users: (TemplateName) throws -> [DomainName]
  ) throws -> Set<DomainName> {
    var names: Set<DomainName> = []
    for desired in templates
    where try publishesTemplates || template(desired.name)?.template != desired {
      names.formUnion(try users(desired.name))
    }
    for desired in androidApps {
      guard let old = try app(desired.id) else { continue }
      if desired.app(over: old).certificates == old.certificates { continue }
      names.formUnion(try domains(desired.id))
    }
    return names
  }

  /// Those of the domains that somebody may change that pruning deletes.
  ///
  /// - Parameter users: The only domains that it deletes; `nil` for any.
  func unlisted(of names: [DomainName], using users: [DomainName]?) -> [DomainName] {
    let listed = Set(domains)
    let users = users.map { Set($0) }
    return names.filter {
      !listed.contains($0) && !kept.contains($0) && users?.contains($0) != false
    }
  }
}

/// An app of a state.
package struct DesiredApp<Key: AppKey>: Sendable {
  package let id: Key
  /// The environment; `nil` to keep the one of an app that exists.
  package let environment: App.Environment?
  /// Whether the state has it as it was exported. If it is stored, it stays as it is unless others are overwritten.
  package let isAsExported: Bool
  /// Whether an app is as the one that was exported; `nil` if the state does not say.
  let wasExported: (@Sendable (Key.App) -> Bool)?
  /// Whether it stays as it is stored.
  private(set) var isLeft = false
  /// Whether others have deleted it since it was exported. Only what uses it brings it back.
  var isDeleted = false
  private let change: @Sendable (Key.App) -> Key.App

  /// An app.
  ///
  /// - Parameters:
  ///   - isAsExported: Whether the state has it as it was exported.
  ///   - wasExported: Whether an app is as the one that was exported; `nil` if the state does not say.
  ///   - change: Returns a stored app with what the state says of it.
  package init(
    id: Key, environment: App.Environment?, isAsExported: Bool = false,
    wasExported: (@Sendable (Key.App) -> Bool)? = nil,
    change: @escaping @Sendable (Key.App) -> Key.App
  ) {
    self.id = id
    self.environment = environment
    self.isAsExported = isAsExported
    self.wasExported = wasExported
    self.change = change
  }

  /// The same app, which stays as it is stored.
  var left: DesiredApp {
    var app = DesiredApp(id: id, environment: nil) { $0 }
    app.isLeft = true
    return app
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
  /// Whether a dry run goes on after what would be refused, and lists it.
  package var listsRefusals: Bool
  /// How long all documents together may be read, rendered, linted and compared.
  package var longest: Duration
  /// How long they may be written.
  package var longestWrite: Duration
  /// The action for revisions and the audit.
  var action = Revision.applying
  /// The change that is undone.
  var reverted: Int64?
  /// The template of whose domains the state is a table: none of another template is in it, and pruning deletes nothing
  /// else. `nil` for any other state.
  package var table: TemplateName?
  /// Whether domains that would be refused are left as they are.
  package var skipsRefused = false

  /// How long each of these may take.
  package static let longestWork = Duration.seconds(600)

  package init(
    prune: Bool = false, overwrite: Bool = false, accepted: Set<Finding.Code> = [],
    listsRefusals: Bool = false, longest: Duration = Self.longestWork,
    longestWrite: Duration = Self.longestWork
  ) {
    self.prune = prune
    self.overwrite = overwrite
    self.accepted = accepted
    self.listsRefusals = listsRefusals
    self.longest = longest
    self.longestWrite = longestWrite
  }
}

/// What applying a state did to apps, and to domains that it does not list.
package struct AppliedState: Sendable {
  /// What happens to an app or a domain.
  package enum Action: String, Sendable, CaseIterable {
    case create
    case update
    /// It is deleted, because it is not in the state.
    case delete
    /// It does not change.
    case unchanged
  }

  /// Takes what happens to a domain. The publication is `nil` if nothing is published, or if it cannot be made.
  package typealias Report = (DomainName, Action, Publication?) throws -> Void

  /// The apps in the order of the state, then deleted ones.
  package internal(set) var apps: [(app: AppIdentifier, action: Action)]
  /// The Android apps in the same order.
  package internal(set) var androidApps: [(app: PackageName, action: Action)]
  package var templates: [(template: StoredTemplate, action: Action)] = []
  package let deleted: [DomainName]
  /// The domains that were published because their Android apps or templates changed.
  package let dependents: [DomainName]
  /// The change that it was; `nil` for a dry run, and if no domain changed.
  package var change: Int64?
  /// The domains that were skipped because they would be refused, and why, of the first of them.
  package var refused: [DomainName] = []
  package var skipReasons: [PublicationError] = []
  /// The domains that the state leaves to others, who have changed them since it was exported.
  package var leftOut: Set<DomainName> = []
  /// The apps and templates that it leaves to others.
  package var leftApps: Set<LinkedApp> = []
  package var leftTemplates: Set<TemplateName> = []
  /// What would be refused, if a dry run lists it.
  package var refusals: [any Error] = []
  /// The number of domains that would be refused without an error there.
  package var moreRefusals = 0
}

/// A domain of a state that others have changed since the state was made.
package struct ForeignChange: Sendable {
  package let domain: DomainName
  /// The current revision, or the last one if the domain was deleted.
  package let current: Revision
  /// The revision that the state was made from; `nil` if the state does not name one.
  package let expected: Int?
  /// What applying the state would undo, in words.
  package internal(set) var undone: [String]
  /// What both sides have made of the same revision; `nil` if that is unknown.
  package var sides: Sides?
  /// Whether the domain was deleted.
  package var isDeleted = false

  package struct Sides: Sendable {
    /// The revision that both started from.
    package let base: Int
    /// What the state changes, in words.
    package let own: [String]
    /// What others have changed, in words.
    package let others: [String]
  }
}
