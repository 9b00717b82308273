package import Association
package import Store

extension Publisher {
  /// Names a second app wherever an app is named: in entries, services, credentials, kept statements and
  /// expectations of domains and of templates. An Apple app that does not exist is added like the first one; an Android app must exist.
  ///
  /// - Parameter report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`, `.unknownApps`.
  package func accompany(
    _ old: AppIdentifier, by new: AppIdentifier, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    try change(
      domainsOf: old, "accompany app \(old) by \(new)", accepting: accepted, by: context,
      adding: {
        var app = try store.app(old).app
        app.id = new
        return try store.storedApp(new) == nil ? [DesiredApp(app)] : []
      }, inTemplates: .accompany(by: new.id), report: report
    ) { $0.accompanying(old, by: new) }
  }

  /// Names a second Android app; see above.
  package func accompany(
    _ old: PackageName, by new: PackageName, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    guard let app = try store.androidApp(new) else { throw StoreError.unknownApps([.android(new)]) }
    return try change(
      domainsOf: old, "accompany app \(old) by \(new)", accepting: accepted, by: context,
      inTemplates: .accompany(by: new.id), report: report
    ) { $0.accompanying(old, by: app) }
  }

  /// Removes an app wherever it is named, and deletes it. Where another app is not named beside it, that needs
  /// `opens-nothing`. Its expectations go with it where another app has the same
  /// ones, or where they only say that it opens nothing; the others must still hold, so that they refuse it.
  ///
  /// - Parameter report: Takes what will be published for a domain; see `apply`.
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`.
  package func deleteEverywhere<Key: AppKey>(
    _ key: Key, accepting accepted: Set<Finding.Code> = [], by context: WriteContext,
    report: @escaping AppliedState.Report = { _, _, _ in }
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    try change(
      domainsOf: key, "delete app \(key) everywhere", accepting: accepted, by: context,
      // Its links open the app beside it.
      acceptingOf: { $0?.isAccompanied(key.id) == true ? [.opensNothing] : [] },
      finally: { transaction in
        // A dry run leaves the domains that use it.
        if !transaction.context.isDryRun { try transaction.delete(key) }
      }, inTemplates: .remove, report: report
    ) { $0.removing(key.id) }
  }

  /// Changes all domains that use an app and all templates that name it, or none.
  ///
  /// - Parameters:
  ///   - acceptingOf: Returns codes of errors that are accepted for a domain.
  ///   - adding: The Apple apps to add.
  ///   - finally: What else is done when the domains are written.
  ///   - templateChange: What `changed` does to a domain, for templates.
  private func change<Key: AppKey>(
    domainsOf key: Key, _ action: String, accepting accepted: Set<Finding.Code>,
    by context: WriteContext,
    acceptingOf: @escaping (Domain?) -> Set<Finding.Code> = { _ in [] },
    adding apps: () throws -> [DesiredApp<AppIdentifier>] = { [] },
    finally: ((borrowing Transaction) throws -> Void)? = nil,
    inTemplates templateChange: AppNaming, report: @escaping AppliedState.Report,
    _ changed: @escaping @Sendable (Domain) -> Domain
  ) throws -> (applied: AppliedState, domains: [DomainName]) {
    var options = ApplyOptions(overwrite: true, accepted: accepted)
    options.action = action
    let applyOptions = options
    let result = try store.edit(context) { (earlier: PlannedState?) in
      let templates = try store.templates(changing: key.id, templateChange)
      let source = store.appSource.with(templates.map(\.changed))
      var state = DesiredState(
        apps: try apps(), templates: templates.map(\.changed),
        domains: try store.domains(using: key),
        deleted: [], accepted: { acceptingOf($1) }
      ) { _, stored in
        // If not, it was deleted after the list was read.
        guard let stored else { throw Outdated() }
        return (try source.changing(stored.domain, changed), nil)
      }
      state.comparedTemplates = Dictionary(templates.map { ($0.changed.name, $0.revision) }) { $1 }
      return try plan(state, applyOptions, reusing: earlier, by: context, report: report)
    } write: { transaction, planned in
      try transaction.lock(planned.state.templates.map(\.name), .change)
      try transaction.lock([key.id], .change)
      if try transaction.domains(using: key) != planned.state.domains { throw Outdated() }
      var applied = try transaction.apply(planned.state, planned.plan, applyOptions)
      if let finally {
        try finally(transaction)
        applied.add(key, .delete)
      }
      return (applied, planned.state.domains)
    }
    try serve(context)
    return result
  }
}

extension Store {
  /// The templates that name an app by themselves, after a change of it, and their revisions now.
  ///
  /// - Throws: `PublicationError.templateNamesApp`.
  func templates(
    changing app: LinkedApp, _ change: AppNaming
  ) throws -> [(changed: Template, revision: Int)] {
    try templates().compactMap { stored in
      let template = stored.template
      // Two apps would become one.
      if case .rename(let new) = change, new != app, template.names(new) {
        throw PublicationError.templateNamesApp(
          template.name,
          "The template \(template.name.text.quoted) names \(new) already. Remove it there, or choose another identifier."
        )
      }
      do throws(InvalidInput) {
        let changed = try template.changing(app, change)
        return changed == template ? nil : (changed, stored.revision)
      } catch {
        throw PublicationError.templateNamesApp(
          template.name,
          "The template \(template.name.text.quoted) cannot be edited so. "
            + error.faults.map(\.message).joined(separator: " "))
      }
    }
  }
}

extension AppliedState {
  fileprivate mutating func add(_ key: some AppKey, _ action: Action) {
    switch key.id {
    case .ios(let app): apps.append((app, action))
    case .android(let package): androidApps.append((package, action))
    }
  }
}

extension Domain {
  /// The domain that names a second app behind an app.
  func accompanying(_ old: AppIdentifier, by new: AppIdentifier) -> Domain {
    var domain = accompanying(old.id, by: new.id)
    if associationFile.detailsForm == .dictionary {
      // There, each entry has one app, and each app one entry.
      let isNamed = associationFile.entries.contains { $0.apps.contains(new) }
      domain.associationFile.entries = associationFile.entries.flatMap { entry in
        isNamed || !entry.apps.contains(old) ? [entry] : [entry, entry.copy(for: new)]
      }
    } else {
      for index in associationFile.entries.indices {
        // `appID` beside `appIDs` names only one app, so it stays.
        domain.associationFile.entries[index].apps.insert(new, behind: old)
      }
    }
    for service in associationFile.services.keys {
      domain.associationFile.services[service]?.apps.insert(new, behind: old)
    }
    return domain
  }

  /// The domain that names a second Android app behind an app.
  func accompanying(_ old: PackageName, by new: AndroidApp) -> Domain {
    var domain = accompanying(old.id, by: new.package.id)
    for index in associationFile.entries.indices {
      domain.associationFile.entries[index].androidApps.insert(new.package, behind: old)
    }
    domain.androidCredentials.insert(new.package, behind: old)
    if !keptAndroidApps.contains(new.package) {
      domain.assetLinksExtra = assetLinksExtra.flatMap { json in
        json.keptPackage == old ? [json, json.keptStatement(for: new)] : [json]
      }
    }
    return domain
  }

  /// What protects links of an app protects those of the second one, too.
  private func accompanying(_ old: LinkedApp, by new: LinkedApp) -> Domain {
    var domain = self
    let known = Set(expectations)
    domain.expectations = expectations.flatMap { expectation in
      var other = expectation
      other.app = new
      return expectation.app == old && !known.contains(other)
        ? [expectation, other] : [expectation]
    }
    domain.changeParameters { items in
      guard let place = items.firstIndex(of: .string(old.text)) else { return }
      if !items.contains(.string(new.text)) { items.insert(.string(new.text), at: place + 1) }
    }
    return domain
  }

  /// Whether each entry of an app names another one of its platform, and a kept statement about it is not the only one.
  fileprivate func isAccompanied(_ app: LinkedApp) -> Bool {
    if case .android(let package) = app {
      let kept = Set(keptAndroidApps)
      if kept.contains(package) && kept.count == 1 { return false }
    }
    return associationFile.entries.allSatisfy { entry in
      switch app {
      case .ios(let app): !entry.apps.contains(app) || entry.apps.count > 1
      case .android(let package):
        !entry.androidApps.contains(package) || entry.androidApps.count > 1
      }
    }
  }

  /// The domain that names an app nowhere, except in expectations that nothing else keeps.
  func removing(_ app: LinkedApp) -> Domain {
    var domain = self
    let others = Set(
      expectations.filter { $0.app != app && $0.app.platform == app.platform }.map {
        Expectation(url: $0.url, app: app, resolution: $0.resolution)
      })
    domain.expectations.removeAll { expectation in
      expectation.app == app
        && (expectation.resolution == .noMatch || others.contains(expectation))
    }
    domain.associationFile.entries = associationFile.entries.compactMap { $0.removing(app) }
    switch app {
    case .ios(let app):
      for (service, list) in associationFile.services where list.apps.contains(app) {
        let rest = AssociationFile.AppList(apps: list.apps.filter { $0 != app }, extra: list.extra)
        // A service without apps has no other members.
        domain.associationFile.services[service] = rest.apps.isEmpty ? nil : rest
      }
    case .android(let package):
      domain.androidCredentials.removeAll { $0 == package }
      domain.assetLinksExtra.removeAll { $0.keptPackage == package }
    }
    domain.changeParameters { $0.removeAll { $0 == .string(app.text) } }
    return domain
  }

  /// Changes the values of parameters that are lists.
  private mutating func changeParameters(_ change: (inout [JSON]) -> Void) {
    for member in template?.parameters.members ?? [] {
      guard var items = member.value.arrayValue else { continue }
      change(&items)
      template?.parameters[member.key] = .array(items)
    }
  }
}

extension Entry {
  /// The entry without an app; `nil` if it then names none.
  fileprivate func removing(_ app: LinkedApp) -> Entry? {
    var entry = self
    switch app {
    case .ios(let app):
      entry.apps.removeAll { $0 == app }
      if appID == app { entry.appID = entry.apps.first }
    case .android(let package): entry.androidApps.removeAll { $0 == package }
    }
    if entry == self { return self }
    if entry.apps.isEmpty && entry.androidApps.isEmpty { return nil }
    // Android's file does not depend on Apple's keys.
    if appID != nil && entry.appID == nil { entry.keys.appID = false }
    return entry
  }

  /// A new entry that says the same of another app.
  fileprivate func copy(for app: AppIdentifier) -> Entry {
    var copy = self
    (copy.id, copy.apps, copy.androidApps) = (nil, [app], [])
    for index in copy.routes.indices { copy.routes[index].id = nil }
    return copy
  }
}

extension Array where Element: Equatable {
  /// Inserts an element behind another one, unless it has the first or lacks the other.
  fileprivate mutating func insert(_ new: Element, behind old: Element) {
    if let place = firstIndex(of: old), !contains(new) { insert(new, at: place + 1) }
  }
}

extension JSON {
  /// A kept statement about another app.
  fileprivate func keptStatement(for app: AndroidApp) -> JSON {
    guard var statement = objectValue, var target = statement["target"]?.objectValue else {
      return self
    }
    target["package_name"] = .string(app.package.text)
    target["sha256_cert_fingerprints"] = .strings(app.certificates.map(\.fingerprint.description))
    statement["target"] = .object(target)
    return .object(statement)
  }
}
