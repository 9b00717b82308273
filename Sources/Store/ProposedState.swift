package import Association
import Synchronization

/// What a dry run would leave stored, so that a draft can be made of it.
package final class ProposedState: Sendable {
  package struct Content: Sendable {
    /// The domains as they would be; `nil` for one that would be deleted.
    package fileprivate(set) var domains: [DomainName: StoredDomain?] = [:]
    package fileprivate(set) var apps: [AppIdentifier: App] = [:]
    package fileprivate(set) var androidApps: [PackageName: AndroidApp] = [:]
    package fileprivate(set) var templates: [TemplateName: Template] = [:]
    /// Whether an app gets another identifier, so that nothing opens under the old one.
    package fileprivate(set) var renamesApp = false
  }

  private let noted = Mutex(Content())

  package init() {}

  package var content: Content { noted.withLock(\.self) }

  /// Notes a changed domain, or a deleted one.
  ///
  /// - Throws: `InvalidInput` for more domains than a draft may change.
  package func note(_ domain: StoredDomain?, _ name: DomainName) throws {
    let count = noted.withLock { content in
      content.domains[name] = .some(domain)
      return content.domains.count
    }
    if count > Draft.mostDomains { throw Draft.tooManyDomains }
  }

  func note(_ app: AppState) {
    noted.withLock { content in
      switch app {
      case .ios(let app): content.apps[app.id] = app
      case .android(let app): content.androidApps[app.package] = app
      }
    }
  }

  func note(renamed app: AppState) {
    note(app)
    noted.withLock { $0.renamesApp = true }
  }

  func note(_ template: Template) {
    noted.withLock { $0.templates[template.name] = template }
  }
}
