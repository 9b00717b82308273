package import Association
import Synchronization

/// What a dry run would leave stored, so that a draft can be made of it: of each domain, only what it would change.
package final class ProposedState: Sendable {
  package struct Content: Sendable {
    /// The members that a domain would get, or `nil` for one that would be deleted, and the revision before that.
    package fileprivate(set) var domains: [DomainName: (members: JSON.Object?, base: Int)] = [:]
    /// The apps that would be put, and as they are.
    package fileprivate(set) var apps: [LinkedApp: (new: AppState, old: AppState?)] = [:]
    /// The templates that would be put, and the revisions before that; 0 for a new one.
    package fileprivate(set) var templates: [TemplateName: (template: Template, base: Int)] = [:]
    /// Whether an app would get another identifier, so that nothing opens under the old one.
    package fileprivate(set) var renamesApp = false
    /// The codes of the errors with which domains would be published.
    package fileprivate(set) var accepted: Set<String> = []
    /// Where domains that would change are managed.
    package fileprivate(set) var managed: [DomainName: String] = [:]
    fileprivate var bytes = 0

    package var isEmpty: Bool { domains.isEmpty && apps.isEmpty && templates.isEmpty }
  }

  private let noted = Mutex(Content())

  package init() {}

  package var content: Content { noted.withLock(\.self) }

  /// Forgets what an earlier plan would have changed.
  func reset() { noted.withLock { $0 = Content() } }

  /// Notes what becomes of a domain. The first note holds: a renaming notes more than its publication.
  ///
  /// - Parameters:
  ///   - base: The revision before, as a draft has it.
  ///   - followsTemplate: Whether it only changes with a template or an app that is noted, too.
  /// - Throws: `InvalidInput` for more than a draft may have.
  package func note(
    _ name: DomainName, _ new: Domain?, over old: Domain?, base: Int, followsTemplate: Bool = false
  ) throws {
    let members = new.map { DomainResource.changed(StoredDomain($0), since: old) }
    if followsTemplate && members?.members.count == 1 { return }
    let size = members.map { JSON.object($0).serialized().count } ?? 0
    let (count, bytes) = noted.withLock { content in
      if content.domains[name] == nil {
        content.domains[name] = (members, base)
        content.bytes += size
      }
      return (content.domains.count, content.bytes)
    }
    if count > Draft.mostDomains { throw Draft.tooManyDomains }
    if bytes > Draft.longestState { throw Draft.tooLong }
  }

  package func note(_ name: DomainName, managedBy place: String) {
    noted.withLock { $0.managed[name] = place }
  }

  package func note(accepted codes: [String]) {
    noted.withLock { $0.accepted.formUnion(codes) }
  }

  func note(_ app: AppState, over old: AppState?) {
    noted.withLock { $0.apps[app.id] = (app, old) }
  }

  func note(renamed app: AppState) {
    note(app, over: nil)
    noted.withLock { $0.renamesApp = true }
  }

  func note(_ template: Template, over base: Int) {
    noted.withLock { $0.templates[template.name] = (template, base) }
  }
}
