import Association
import Store

// What a state leaves to others.
extension DesiredState {
  /// The state without the templates that others have changed since, and that it has as they were before.
  ///
  /// - Throws: `PublicationError.templateChangedElsewhere` if the state has changed one, too.
  func leavingTemplates(_ store: Store) throws -> DesiredState {
    var state = self
    state.templates = try templates.filter { desired in
      guard let revision = templateRevisions[desired.name],
        let current = try store.storedTemplate(desired.name), current.revision != revision,
        current.template != desired, !current.isApplied
      else { return true }
      let base = try store.earlierTemplate(desired.name, revision: revision)
      if base?.template == desired { return false }
      throw PublicationError.templateChangedElsewhere(
        desired.name, author: current.author, revision: current.revision, expected: revision)
    }
    return state
  }

  /// The state in which apps that it has as they were exported stay as others have made them since.
  func leavingApps(_ store: Store) throws -> DesiredState {
    func left<Key>(_ apps: [DesiredApp<Key>]) throws -> [DesiredApp<Key>] {
      let known = Set(try store.known(apps.filter(\.isAsExported).map(\.id)))
      return try apps.map { app in
        guard known.contains(app.id), let stored = try store.storedApp(app.id),
          app.app(over: stored.app) != stored.app
        else { return app }
        return try store.isApplied(stored) ? app : app.left
      }
    }
    var state = self
    state.apps = try left(apps)
    state.androidApps = try left(androidApps)
    return state
  }

  /// The apps that stay as they are stored.
  var leftApps: Set<LinkedApp> {
    Set(apps.filter(\.isLeft).map(\.id.id) + androidApps.filter(\.isLeft).map(\.id.id))
  }
}
