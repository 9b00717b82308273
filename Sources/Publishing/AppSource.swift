import Association
import Store

/// Where edits find the apps that domains name.
struct AppSource: Sendable {
  /// The environment of an Apple app.
  var environment: @Sendable (AppIdentifier) throws -> App.Environment
  /// An Android app; `nil` if there is none with this package.
  var androidApp: @Sendable (PackageName) throws -> AndroidApp?
  /// A template; `nil` if there is none with this name. Without a revision, it is one that the edit itself writes.
  var template: @Sendable (TemplateName) throws -> (template: Template, revision: Int?)?

  /// The same with templates that the edit itself writes.
  func with(_ templates: [Template]) -> AppSource {
    var source = self
    source.template = { [template] name in
      try templates.first { $0.name == name }.map { ($0, nil) } ?? template(name)
    }
    return source
  }

  /// Adds to a domain what its template gives it now.
  ///
  /// - Returns: The revision of the template that this depends on.
  /// - Throws: `PublicationError.invalid`.
  func resolve(_ domain: inout Domain) throws -> [TemplateName: Int] {
    guard let found = try found(for: domain) else { return [:] }
    do throws(InvalidInput) {
      domain = try domain.resolved(with: found.template)
    } catch {
      throw PublicationError.invalid(domain.name, error)
    }
    return found.revision.map { [found.template.name: $0] } ?? [:]
  }

  /// The revision of the template that a domain depends on, which has what this gives it already.
  ///
  /// - Throws: `PublicationError.invalid` if the template does not exist.
  func templates(of domain: Domain) throws -> [TemplateName: Int] {
    guard let found = try found(for: domain) else { return [:] }
    return found.revision.map { [found.template.name: $0] } ?? [:]
  }

  /// The template of a domain; `nil` if it uses none.
  private func found(
    for domain: Domain
  ) throws -> (template: Template, revision: Int?)? {
    guard let name = domain.template?.name else { return nil }
    guard let found = try template(name) else {
      throw PublicationError.invalid(
        domain.name,
        InvalidInput(
          .templateNotFound, at: JSONPointer.root.appending("template"),
          "The template \(name.text.quoted) does not exist. Add it first, or correct the name."))
    }
    return found
  }

  /// Changes a domain wherever it names some app; of a domain with a template, its own part and its parameters.
  ///
  /// - Throws: `PublicationError.fromTemplate` if what comes from the template would have to change, too.
  func changing(_ domain: Domain, _ change: (Domain) -> Domain) throws -> Domain {
    guard let template = domain.template?.name else { return change(domain) }
    let own = domain.ownPart
    var changed = change(own)
    changed.takeOwnership(changing: own)
    var resolved = changed
    _ = try resolve(&resolved)
    var again = change(resolved)
    if again.expectations != resolved.expectations {
      // An expectation of its own may be needless because of one that comes from the template.
      changed.expectations.removeAll { !again.expectations.contains($0) }
      changed.takeOwnership(changing: own)
      resolved = changed
      _ = try resolve(&resolved)
      again = change(resolved)
    }
    if again.associationFile != resolved.associationFile
      || again.androidCredentials != resolved.androidCredentials
      || again.expectations != resolved.expectations
    {
      throw PublicationError.fromTemplate(domain.name, template)
    }
    return changed
  }

  /// The apps of domains.
  ///
  /// - Throws: `StoreError.unknownApps` for an Android app that does not exist.
  func apps(of domains: [Domain]) throws -> UsedApps {
    var apps = try androidApps(of: domains)
    for app in domains.flatMap(\.associationFile.appIdentifiers) where apps.environments[app] == nil
    {
      apps.environments[app] = try environment(app)
    }
    return apps
  }

  /// Those of them that documents are rendered with.
  ///
  /// - Throws: `StoreError.unknownApps` for an Android app that does not exist.
  func androidApps(of domains: [Domain]) throws -> UsedApps {
    var apps = UsedApps()
    for package in domains.flatMap(\.androidApps) where apps.android[package] == nil {
      guard let app = try androidApp(package) else {
        throw StoreError.unknownApps([.android(package)])
      }
      apps.android[package] = app
    }
    for package in domains.flatMap(\.keptAndroidApps) where apps.android[package] == nil {
      apps.android[package] = try androidApp(package)
    }
    return apps
  }
}

extension AppSource {
  /// Whether apps are as they were found.
  func has(_ apps: UsedApps) throws -> Bool {
    try apps.environments.allSatisfy { try environment($0) == $1 }
      && apps.android.allSatisfy { try androidApp($0) == $1 }
      && apps.templates.allSatisfy { try template($0)?.revision == $1 }
  }
}

extension Store {
  var appSource: AppSource {
    AppSource(environment: environment(of:), androidApp: androidApp(_:)) { name in
      try self.storedTemplate(name).map { ($0.template, $0.revision) }
    }
  }
}
