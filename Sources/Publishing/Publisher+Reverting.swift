package import Association
package import Store
import Synchronization

/// How to undo a change.
package struct ReversalOptions: Sendable {
  /// Whether domains that have changed since are left as they are. Otherwise, nothing is undone because of them.
  package var skipsChanged: Bool
  /// Whether a domain is detached whose template is gone or would publish something else now.
  package var detaches: Bool
  /// Codes of errors with which documents are published anyway.
  package var accepted: Set<Finding.Code>

  package init(
    skipsChanged: Bool = false, detaches: Bool = false, accepted: Set<Finding.Code> = []
  ) {
    self.skipsChanged = skipsChanged
    self.detaches = detaches
    self.accepted = accepted
  }
}

/// What undoing a change did.
package struct AppliedReversal: Sendable {
  package let applied: AppliedState
  /// The domains that went back to an earlier revision, by name.
  package let domains: [DomainName]
  /// The domains that were left as they are, because they have changed since.
  package let skipped: [DomainName]
}

extension Publisher {
  /// Undoes a change, all of it or nothing: each domain goes back to its revision before the change, with everything
  /// that is part of it. A domain that the change created is deleted, one that it deleted is restored, and apps and
  /// templates go back, too, except that none is deleted. This is a change itself.
  ///
  /// - Parameters:
  ///   - check: Called with each name that a domain gets back; throws to refuse.
  ///   - report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError`; `StoreError.notFound`; what `check` and `report` throw.
  package func revert(
    _ id: Int64, _ options: ReversalOptions = ReversalOptions(), by context: WriteContext,
    checking check: @escaping @Sendable (Alias) throws -> Void = { _ in },
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> AppliedReversal {
    let templates = try store.changedTemplates(of: id)
    if templates.isEmpty, let template = try store.change(id).publishedTemplate {
      // An earlier version has not noted the revision.
      throw PublicationError.notRevertible(
        id,
        "It published the template \(template). To roll that back with all of its domains, send POST "
          + "/v1/templates/\(template)/revisions/N/restore with the number of an earlier revision.",
        domains: [])
    }
    let apps = try store.changedApps(of: id)
    if let renamed = apps.first(where: \.isRenamed) {
      return try revert(renamed, templates, of: id, options, by: context, report: report)
    }
    var applying = ApplyOptions(overwrite: true, accepted: options.accepted)
    (applying.action, applying.reverted) = (Self.reverting(id), id)
    let applyOptions = applying
    let reverted = try store.edit(context) { (earlier: (Reversal, PlannedState)?) in
      let reversal = try Reversal(of: id, apps, templates, options, store, checking: check)
      let planned = try plan(
        reversal.state, applyOptions, reusing: earlier?.1, by: context, report: report)
      if !reversal.isCurrent(planned.plan) { throw Outdated() }
      return (reversal, planned)
    } write: { transaction, planned in
      AppliedReversal(
        applied: try transaction.apply(planned.0.state, planned.1.plan, applyOptions),
        domains: planned.0.state.domains, skipped: planned.0.skipped)
    }
    try serve(context)
    return reverted
  }

  /// The action that undoes a change, for revisions and the audit.
  private static func reverting(_ id: Int64) -> String { "revert change \(id)" }

  /// Gives a renamed app its earlier identifier again.
  private func revert(
    _ app: ChangedApp, _ templates: [ChangedTemplate], of id: Int64, _ options: ReversalOptions,
    by context: WriteContext,
    report: AppliedState.Report
  ) throws -> AppliedReversal {
    let reversal = try RenamingReversal(
      change: id, action: Self.reverting(id), app: app, templates,
      store.changedDomains(of: id))
    let reportPublication = { (publication: Publication) in
      try report(publication.edited.stored.domain.name, publication.action, publication)
    }
    let renamed: RenamedApp
    var apps: [(app: AppIdentifier, action: AppliedState.Action)] = []
    var androidApps: [(app: PackageName, action: AppliedState.Action)] = []
    switch (app.before, app.after) {
    case (.ios(let old), .ios(let new)):
      renamed = try rename(
        new.id, to: old.id, accepting: options.accepted, undoing: reversal, by: context,
        report: reportPublication)
      apps = [(old.id, .update)]
    case (.android(let old), .android(let new)):
      renamed = try rename(
        new.package, to: old.package, accepting: options.accepted, undoing: reversal, by: context,
        report: reportPublication)
      androidApps = [(old.package, .update)]
    default: renamed = RenamedApp(publications: [], templates: [], change: nil)
    }
    return AppliedReversal(
      applied: AppliedState(
        apps: apps, androidApps: androidApps, templates: renamed.templates.map { ($0, .update) },
        deleted: [], dependents: [], change: renamed.change),
      domains: renamed.publications.map(\.edited.stored.domain.name), skipped: [])
  }
}

/// What undoes a change: the state before it.
private struct Reversal {
  /// The number of domains that a problem names.
  static let mostNamed = 100

  let state: DesiredState
  let skipped: [DomainName]
  /// The current revisions, which are as the change left the domains.
  private let revisions: [DomainName: Int]

  /// - Throws: `PublicationError` if something has changed since, or is no longer kept.
  init(
    of id: Int64, _ apps: [ChangedApp], _ templates: [ChangedTemplate],
    _ options: ReversalOptions, _ store: Store,
    checking check: @escaping @Sendable (Alias) throws -> Void
  ) throws {
    let domains = try store.changedDomains(of: id)
    // First, because domains change with their template.
    let earlierTemplates = try templates.compactMap { try $0.earlier(options, id, store) }
    let changed = domains.filter(\.hasChangedSince)
    if !changed.isEmpty && !options.skipsChanged {
      throw PublicationError.changedSince(
        id, Array(changed.prefix(Self.mostNamed)), count: changed.count)
    }
    // Those that have changed since follow their template.
    let followers = try Set(earlierTemplates.flatMap { try store.domains(using: $0.name) })
    skipped = changed.map(\.name).filter { !followers.contains($0) }
    let others = domains.filter { !$0.hasChangedSince }
    let pruned = others.filter { $0.before != nil && $0.acceptedCodes == nil }
    if !pruned.isEmpty {
      throw PublicationError.revisionsPruned(
        id, Array(pruned.prefix(Self.mostNamed)), count: pruned.count)
    }
    revisions = Dictionary(
      others.compactMap { domain in domain.live.map { (domain.name, $0) } }
    ) { $1 }
    let earlier = try apps.filter { try $0.goesBack(options, id, store) }.compactMap(\.before)
    var (apple, android) = ([AppIdentifier: App](), [PackageName: AndroidApp]())
    for app in earlier {
      switch app {
      case .ios(let app): apple[app.id] = app
      case .android(let app): android[app.package] = app
      }
    }
    let source = AppSource { [apple] app in
      try apple[app]?.environment ?? store.environment(of: app)
    } androidApp: { [android] package in
      try android[package] ?? store.androidApp(package)
    } template: {
      try store.appSource.template($0)
    }.with(earlierTemplates)
    // What was accepted once is accepted again, except for the change itself.
    let accepted = Dictionary(
      others.map { domain in
        let codes = (domain.acceptedCodes ?? []).compactMap(Finding.Code.init)
        return (domain.name, Set(codes.filter { !$0.concernsChange }))
      }
    ) { $1 }
    let back = others.compactMap { domain in domain.before.map { (domain.name, $0) } }
    let earlierRevisions = EarlierRevisions(back, store)
    var state = DesiredState(
      apps: earlier.compactMap { if case .ios(let app) = $0 { DesiredApp(app) } else { nil } },
      androidApps: earlier.compactMap {
        if case .android(let app) = $0 { DesiredApp(app) } else { nil }
      },
      templates: earlierTemplates,
      domains: back.map(\.0), deleted: others.filter { $0.before == nil }.map(\.name),
      accepted: { name, _ in accepted[name] ?? [] }
    ) { index, stored in
      let name = back[index].0
      let published = try earlierRevisions[index]
      var domain = try published.domain() ?? stored?.domain ?? Domain(name: name)
      domain.name = name
      let isRendered = try published.settle(&domain, detachingIfChanged: options.detaches, source)
      let current = Set(stored?.domain.aliases ?? [])
      for alias in domain.aliases where !current.contains(alias) { try check(alias) }
      if isRendered { return (domain, nil) }
      let proposal = try published.proposal(for: domain, accepting: options.accepted, apps: source)
      return (proposal.domain, nil)
    }
    state.isResolved = true
    for template in templates where earlierTemplates.contains(where: { $0.name == template.name }) {
      for (old, new) in template.renamed { state.renamedParameters[new] = old }
    }
    self.state = state
  }

  /// Whether a plan is for the domains as the change left them.
  func isCurrent(_ plan: StatePlan) -> Bool {
    plan.edits.allSatisfy { $0.index == nil || $0.version?.revision == revisions[$0.name] }
      && plan.deletions.map(\.name) == state.deleted
      && plan.deletions.allSatisfy { $0.version?.revision == revisions[$0.name] }
  }
}

/// The revisions that an undo publishes again. Threads ask for them almost in their order, so they are read some at a
/// time.
private final class EarlierRevisions: Sendable {
  private struct Batch {
    let first: Int
    let revisions: [PublishedRevision]

    var range: Range<Int> { first..<first + revisions.count }
  }

  private static let atOnce = 32

  private let places: [(name: DomainName, number: Int)]
  private let store: Store
  /// The last two: a thread may still ask for one of the batch before.
  private let batches = Mutex<[Batch]>([])

  init(_ places: [(name: DomainName, number: Int)], _ store: Store) {
    (self.places, self.store) = (places, store)
  }

  /// - Throws: `StoreError`.
  subscript(index: Int) -> PublishedRevision {
    get throws {
      try batches.withLock { batches in
        while true {
          if let batch = batches.first(where: { $0.range.contains(index) }) {
            return batch.revisions[index - batch.first]
          }
          let next = batches.last?.range.upperBound ?? 0
          let first = (next..<next + Self.atOnce).contains(index) ? next : index
          let read = try store.revisions(Array(places[first...].prefix(Self.atOnce)))
          batches = batches.suffix(1) + [Batch(first: first, revisions: read)]
        }
      }
    }
  }
}

extension ChangedApp {
  /// Whether undoing a change takes the app back. An app that the change added stays.
  ///
  /// - Throws: `PublicationError` if the app has changed since, and that is not skipped.
  fileprivate func goesBack(
    _ options: ReversalOptions, _ change: Int64, _ store: Store
  ) throws -> Bool {
    guard let before, before != after else { return false }
    let current = try store.current(before.id)
    if current?.withoutAuthor == after?.withoutAuthor { return true }
    if options.skipsChanged { return false }
    throw PublicationError.notRevertible(
      change,
      "The app \(before.id) has changed since. To leave the app and domains that have changed as they are, repeat with "
        + "?skip=changed.", domains: [])
  }
}

extension ChangedTemplate {
  /// The template before the change; `nil` if it stays as it is: one that the change added, or that has changed since.
  ///
  /// - Throws: `PublicationError` if the template has changed since, and that is not skipped.
  fileprivate func earlier(
    _ options: ReversalOptions, _ change: Int64, _ store: Store
  ) throws -> Template? {
    guard let before else { return nil }
    let current = try store.storedTemplate(name)
    // Later changes may have been undone.
    let isBack =
      try current?.revision == after
      || current.map { try store.earlierTemplate(name, revision: after)?.template == $0.template }
        ?? false
    if isBack {
      return try store.earlierTemplate(name, revision: before)?.template
    }
    if options.skipsChanged { return nil }
    let later = try store.changes(of: name).map(\.change).filter { $0 > change }
    let numbers = later.prefix(5).map(String.init).joined(separator: ", ")
    let more = later.count > 5 ? " and \(later.count - 5) more" : ""
    let advice =
      if let last = later.first {
        later.count == 1
          ? ", in change \(last). Undo that first: POST /v1/changes/\(last)/revert."
          : ", in changes \(numbers)\(more). Undo these first, beginning with the last: POST /v1/changes/\(last)/revert."
      } else {
        ". To roll it back with all of its domains, send POST /v1/templates/\(name)/revisions/\(before)/restore."
      }
    throw PublicationError.notRevertible(
      change, "The template \(name.text.quoted) has changed since\(advice)", domains: [])
  }
}

extension Store {
  /// An app of either platform as it is; `nil` if it does not exist.
  func current(_ app: LinkedApp) throws -> AppState? {
    switch app {
    case .ios(let id): try storedApp(id).map { .ios($0.app) }
    case .android(let package): try androidApp(package).map { .android($0) }
    }
  }
}

extension AppState {
  /// The app without the note of who added it, which changes do not keep.
  var withoutAuthor: AppState {
    guard case .android(var app) = self else { return self }
    app.addedBy = nil
    return .android(app)
  }
}

extension ChangedApp {
  /// The same without the notes of who added the app.
  var withoutAuthors: ChangedApp {
    ChangedApp(before: before?.withoutAuthor, after: after?.withoutAuthor)
  }
}

extension DesiredApp {
  /// Exactly this app.
  init(_ app: Key.App) {
    let rows = Key.rows
    self.init(id: app[keyPath: rows.key], environment: app[keyPath: rows.environment]) { _ in app }
  }
}

extension ChangedDomain {
  /// The current revision; `nil` if the domain does not exist.
  fileprivate var live: Int? { exists ? current : nil }
}

/// What renaming an app back undoes. That is exact only if nothing else has happened to its domains.
struct RenamingReversal {
  let change: Int64
  let action: String
  private let app: ChangedApp
  /// The revisions that the change published.
  private let revisions: [DomainName: Int]
  private let changed: [DomainName]
  /// The revisions of templates that the change published.
  private let templates: [TemplateName: Int]

  init(
    change: Int64, action: String, app: ChangedApp, _ templates: [ChangedTemplate],
    _ domains: [ChangedDomain]
  ) {
    (self.change, self.action, self.app) = (change, action, app)
    self.templates = Dictionary(templates.map { ($0.name, $0.after) }) { $1 }
    revisions = Dictionary(
      domains.compactMap { domain in domain.live.map { (domain.name, $0) } }
    ) { $1 }
    changed = domains.filter(\.hasChangedSince).map(\.name)
  }

  /// - Parameters:
  ///   - names: The domains that use the app now.
  ///   - named: The templates that name it, with their revisions.
  /// - Throws: `PublicationError` if something else has happened to them.
  func check(_ names: [DomainName], _ named: [TemplateName: Int]) throws {
    let changed = changed + names.filter { revisions[$0] == nil }
    let others = Set(templates.keys).union(named.keys).filter { templates[$0] != named[$0] }
    if changed.isEmpty && others.isEmpty { return }
    let (old, new) = (app.before?.id.text ?? "", app.after?.id.text ?? "")
    let path = if case .android = app.after { "android-apps" } else { "apps" }
    let what =
      others.min { $0.text < $1.text }.map { "the template \($0.text.quoted) has" }
      ?? "\(changed.count.counted("domain")) that use \(new) have"
    throw PublicationError.notRevertible(
      change,
      "It renamed \(old), and \(what) changed since. To rename it in all of its domains and templates as they are now, send "
        + "POST /v1/\(path)/\(new)/rename with {\"to\": \"\(old)\"}.",
      domains: changed)
  }

  /// Whether a domain is as the change left it.
  func covers(_ former: FormerDomain) -> Bool {
    former.stored.map { revisions[$0.domain.name] == $0.revision } ?? false
  }
}
