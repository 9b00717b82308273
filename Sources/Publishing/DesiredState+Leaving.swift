import Association
package import Store

// What a state leaves to others.
extension DesiredState {
  /// The state without the templates and apps that others have changed since it was exported.
  ///
  /// - Parameters:
  ///   - context: Who applies the state.
  ///   - goesOn: Whether the state then has what it cannot leave to them in `conflicts`, for a plan that is only shown.
  /// - Throws: `PublicationError.templateChangedElsewhere`, `appChangedElsewhere` or `appTakenBack` if the state has
  ///   changed one, too.
  func leavingToOthers(
    _ store: Store, by context: WriteContext, goesOn: Bool
  ) throws -> DesiredState {
    var state = try leavingTemplates(store, by: context.applier, goesOn)
    try state.leaveApps(store, by: context, goesOn)
    return state
  }

  private mutating func refuse(_ error: PublicationError, _ goesOn: Bool) throws {
    if !goesOn { throw error }
    conflicts.append(error)
  }

  /// Without the templates that the state has as they were before: in the revision that it names, or in the last one that
  /// `apply` published since. If somebody else's `apply` published the current one, only the author's own counts.
  private func leavingTemplates(
    _ store: Store, by applier: String?, _ goesOn: Bool
  ) throws -> DesiredState {
    var state = self
    state.templates = try templates.filter { desired in
      guard let revision = templateRevisions[desired.name] else { return true }
      let stored = try store.storedTemplate(desired.name)
      state.comparedTemplates[desired.name] = stored?.revision ?? 0
      guard let current = stored, current.revision != revision,
        current.template != desired,
        !(current.isApplied && current.author == applier ?? current.author)
      else { return true }
      let exported = try store.earlierTemplate(desired.name, revision: revision)
      let applied = try store.lastAppliedTemplate(
        desired.name, since: revision, by: current.isApplied ? applier : nil)
      let isAsBefore =
        if current.isApplied {
          (applied ?? exported)?.template == desired
        } else {
          exported?.template == desired || applied?.template == desired
        }
      if isAsBefore {
        state.leftTemplates.append(desired.name)
        return false
      }
      // An edited template takes the place of what others applied.
      if current.isApplied { return true }
      try state.refuse(
        .templateChangedElsewhere(
          desired.name, author: current.author, revision: current.revision, expected: revision),
        goesOn)
      return true
    }
    return state
  }

  /// Leaves the apps that the state has as they were exported.
  private mutating func leaveApps(
    _ store: Store, by context: WriteContext, _ goesOn: Bool
  ) throws {
    let author = context.author
    // As they were exported, or so again.
    func edited<Key>(_ apps: [DesiredApp<Key>]) throws -> [LinkedApp] {
      try apps.filter { app in
        guard !app.isAsExported, let wasExported = app.wasExported,
          let stored = try store.storedApp(app.id)
        else { return false }
        return app.app(over: stored.app) != stored.app && wasExported(stored.app)
      }.map(\.id.id)
    }
    let changes = try store.lastChanges(of: Set(edited(apps) + edited(androidApps)))
    func left<Key>(_ apps: [DesiredApp<Key>]) throws -> [DesiredApp<Key>] {
      let known = Set(try store.known(apps.filter { $0.wasExported != nil }.map(\.id)))
      return try apps.map { app in
        if app.wasExported == nil { return app }
        guard known.contains(app.id), let stored = try store.storedApp(app.id) else {
          var app = app
          app.isDeleted = try app.isAsExported && store.lastAuthor(of: app.id.id) != nil
          return app
        }
        if app.app(over: stored.app) == stored.app { return app }
        if try app.stays(stored, store, by: context.applier) { return app.left }
        if try store.isApplied(stored) { return app }
        if app.wasExported?(stored.app) != false {
          // Somebody may have taken back what the state brought: then its author and they did the opposite of each other.
          let desired = ChangedApp(
            before: Key.state(stored.app).withoutAuthor,
            after: Key.state(app.app(over: stored.app)).withoutAuthor)
          if let last = changes[app.id.id], last.count == 2, last[0].author != author,
            last[1].author == author, last[1].app.withoutAuthors == desired,
            last[0].app.withoutAuthors == desired.reversed
          {
            try refuse(.appTakenBack(app.id.id, author: last[0].author), goesOn)
          }
          return app
        }
        let other = try store.lastAuthor(of: app.id.id)
        if other != author {
          try refuse(.appChangedElsewhere(app.id.id, author: other), goesOn)
        }
        return app
      }
    }
    apps = try left(apps)
    androidApps = try left(androidApps)
  }

  /// The apps that others have deleted since they were exported.
  var deletedApps: Set<LinkedApp> {
    Set(apps.filter(\.isDeleted).map(\.id.id) + androidApps.filter(\.isDeleted).map(\.id.id))
  }

  /// The apps that stay as they are stored.
  var leftApps: Set<LinkedApp> {
    Set(apps.filter(\.isLeft).map(\.id.id) + androidApps.filter(\.isLeft).map(\.id.id))
  }
}

extension DesiredApp {
  /// Whether a stored app stays as others have made it, because the state has it as it was exported.
  ///
  /// - Parameter applier: The author whose own `apply` differs from that of others; `nil` counts every `apply` as own.
  package func stays(
    _ stored: StoredApp<Key>, _ store: Store, by applier: String?
  ) throws -> Bool {
    guard isAsExported else { return false }
    guard try store.isApplied(stored) else { return true }
    return try applier != nil && store.lastAuthor(of: id.id) != applier
  }
}
