package import Association
package import Store

/// Edits domains. All edits go through here: each is rendered, linted, checked and stored as a revision,
/// and served when a function returns.
///
/// Everything that can take long is done before the store's lock is taken. A dry run changes nothing.
/// Each function throws `StoreError` and `PublicationError`; with `StoreError.notServedYet`, the change
/// is stored.
package struct Publisher: Sendable {
  package let store: Store
  private let serve: @Sendable () throws -> Void

  /// A publisher for a store.
  ///
  /// - Parameter serve: Called after each commit; serves everything that is committed.
  package init(store: Store, serve: @escaping @Sendable () throws -> Void = {}) {
    self.store = store
    self.serve = serve
  }

  func serve(_ context: WriteContext, _ stored: StoredDomain? = nil) throws {
    if context.isDryRun { return }
    do {
      try serve()
    } catch {
      throw StoreError.notServedYet(stored, detail: String(describing: error))
    }
  }
}

extension Publisher {
  /// Creates or changes a domain.
  ///
  /// - Parameters:
  ///   - action: The action for the audit.
  ///   - accepted: Codes of errors with which the document is published anyway. Errors that were accepted
  ///     for the stored document stay accepted unless there are more of them, so that the domain can
  ///     still be edited.
  ///   - creation: Unless `none`, Android apps that rows name are created with the fingerprints of the
  ///     domain's kept statements.
  ///   - change: Returns the new state of the domain, given the stored one or `nil`; of a domain with a template, both
  ///     have only its own entries and expectations. Called again if another edit was faster.
  /// - Throws: What `change` throws, too.
  package func publish(
    _ name: DomainName, if precondition: Precondition = .none, action: String,
    accepting accepted: Set<Finding.Code> = [],
    creatingAndroidApps creation: AndroidAppCreation = .none,
    by context: WriteContext, _ change: (StoredDomain?) throws -> Domain
  ) throws -> Publication {
    try publish(name, if: precondition, action: action, by: context) { stored in
      var old = stored
      if let domain = stored?.domain { old?.domain = domain.own }
      var proposal = Proposal(domain: try change(old), accepted: accepted)
      if let stored, stored.domain.template != nil, proposal.domain.template == nil,
        proposal.domain.expectations == old?.domain.expectations
      {
        // Leaving a template removes no expectation by the way.
        proposal.domain.expectations = stored.domain.expectations
      }
      if creation != .none {
        try proposal.createNamedApps(before: stored?.domain, store.appSource)
      }
      return proposal
    }
  }

  /// Makes a domain serve an association file unchanged; creates the domain if it does not exist. Its other
  /// documents stay.
  ///
  /// - Parameters:
  ///   - file: The bytes of the file.
  ///   - kind: The kind of the file.
  ///   - creation: Which Android apps of kept statements are created. Unless `none`, they are named in rows, as
  ///     far as the rows say the same.
  /// - Throws: `PublicationError` with all errors of the file.
  package func adopt(
    _ file: [UInt8], as kind: DocumentKind = .apple, for name: DomainName,
    if precondition: Precondition = .none, accepting accepted: Set<Finding.Code> = [],
    creatingAndroidApps creation: AndroidAppCreation = .none, by context: WriteContext
  ) throws -> Publication {
    let file = try AdoptedFile(file, as: kind, accepting: accepted)
    return try publish(name, if: precondition, action: "adopt file", by: context) {
      let old = $0?.domain ?? Domain(name: name)
      if let template = old.template?.name { throw PublicationError.usesTemplate(name, template) }
      var proposal = try file.proposal(for: old, apps: store.appSource)
      if creation != .none {
        try proposal.createKeptApps(creation, store.appSource)
      } else if kind == .assetLinks {
        try proposal.offerKeptApps(store.appSource)
      }
      proposal.findings += proposal.domain.findings(adoptedOver: old).about(kind)
      return proposal
    }
  }

  /// Publishes a document byte for byte under its name; creates the domain if it does not exist.
  ///
  /// - Throws: `PublicationError` with the errors of the document.
  package func put(
    _ document: NamedDocument, for name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = [], by context: WriteContext
  ) throws -> Publication {
    try publish(
      name, if: precondition, action: "put document", accepting: accepted, by: context
    ) { old in
      var domain = old?.domain ?? Domain(name: name)
      let isNew = !domain.namedDocuments.contains { $0.name == document.name }
      if isNew && domain.namedDocuments.count >= NamedDocument.mostPerDomain {
        throw InvalidInput(
          .tooMany,
          "\(name) has \(domain.namedDocuments.count) documents by name, the most that a domain can have. Remove one "
            + "first.")
      }
      domain.put(document)
      if let old { domain.takeOwnership(changing: old.domain) }
      return domain
    }
  }

  /// Publishes an earlier revision again, as a new one: its documents, names, and what else was published with them.
  /// The environment, protection, labels, owner and expectations stay as they are, and the expectations must still hold.
  /// A revision of an earlier version of the program has only its document.
  ///
  /// - Parameters:
  ///   - detaching: Whether what came from a template becomes the domain's own. Otherwise, the domain uses the template
  ///     as it is now, and must publish the same with it.
  ///   - check: Called with each name that the domain gets back; throws to refuse.
  /// - Throws: `StoreError.notFound`, `.nameTaken`, and what `check` throws.
  package func restore(
    _ number: Int, of name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = [], detaching: Bool = false, by context: WriteContext,
    checking check: (Alias) throws -> Void = { _ in }
  ) throws -> Publication {
    try publish(
      name, if: precondition, action: "restore revision \(number)", by: context
    ) { stored in
      guard let stored else { throw StoreError.notFound(.domain(name)) }
      let published = try store.revision(number, of: stored)
      var domain = try published.domain() ?? stored.domain
      domain.name = name
      domain.environment = stored.domain.environment
      domain.isStrict = stored.domain.isStrict
      domain.isProtected = stored.domain.isProtected
      domain.labels = stored.domain.labels
      domain.managedBy = stored.domain.managedBy
      if detaching { domain.template = nil }
      domain.takeExpectations(of: stored.domain)
      try published.settle(&domain, detaching: detaching, apps: store.appSource)
      let current = Set(stored.domain.aliases)
      for alias in domain.aliases where !current.contains(alias) { try check(alias) }
      return try published.proposal(
        for: domain, accepting: accepted, apps: store.appSource)
    }
  }

  /// Brings a deleted domain back as it was, as a new revision.
  ///
  /// - Parameter check: Called with each alias; throws to refuse.
  /// - Throws: `StoreError.notFound`, `.notDeleted`, `.nameTaken`, and what `check` throws.
  package func restore(
    deleted name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = [], detaching: Bool = false, by context: WriteContext,
    checking check: (Alias) throws -> Void = { _ in }
  ) throws -> Publication {
    try publish(name, action: "restore domain", by: context) { _ in
      let published = try store.lastRevision(ofDeleted: name, if: precondition)
      var domain = try published.domain() ?? Domain(name: name)
      domain.name = name
      try published.settle(&domain, detaching: detaching, apps: store.appSource)
      for alias in domain.aliases { try check(alias) }
      return try published.proposal(
        for: domain, accepting: accepted, apps: store.appSource)
    }
  }

  func publish(
    _ name: DomainName, if precondition: Precondition = .none, action: String,
    by context: WriteContext, _ propose: (StoredDomain?) throws -> Proposal
  ) throws -> Publication {
    let publication = try store.edit(context, of: name) { _ in
      let former = try store.formerDomain(of: name, if: precondition)
      let shared = SharedDocuments()
      var review = try Review(
        try propose(former.stored), over: former, apps: store.appSource, action: action,
        by: context, now: store.now(), sharing: shared)
      review.publication.compare(sharing: shared)
      return (review, try checkNames(takenBy: review.publication, by: context))
    } write: { transaction, reviewed in
      let (review, servers) = reviewed
      if try transaction.versions(of: Array(servers.keys)) != servers { throw Outdated() }
      return try review.publish(in: transaction)
    }
    try serve(context, publication.edited.stored)
    return publication
  }

  /// Deletes a domain. Its revisions and its apps are kept.
  ///
  /// - Parameter accepted: `opens-nothing`, if URLs open apps now.
  @discardableResult package func delete(
    _ name: DomainName, if precondition: Precondition = .none,
    accepting accepted: Set<Finding.Code> = [], by context: WriteContext
  ) throws -> Publication {
    let publication = try store.edit(context, of: name) { _ in
      let former = try store.formerDomain(of: name, if: precondition)
      try context.refuse(from: former.stored?.domain, to: nil)
      var publication = try Publication(deleting: name, former, accepting: accepted, by: context)
      publication.compare()
      return (former, publication)
    } write: { transaction, deletion in
      var publication = deletion.1
      try transaction.delete(deletion.0)
      try context.proposed?.note(publication)
      publication.change = transaction.change
      return publication
    }
    try serve(context)
    return publication
  }

  /// Changes an app identifier in all domains that use it and in all templates that name it, and publishes each of them.
  ///
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`, `.appExists`.
  package func rename(
    _ old: AppIdentifier, to new: AppIdentifier, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext
  ) throws -> RenamedApp {
    try rename(old, to: new, accepting: accepted, undoing: nil, by: context)
  }

  func rename(
    _ old: AppIdentifier, to new: AppIdentifier, accepting accepted: Set<Finding.Code>,
    undoing reversal: RenamingReversal?, by context: WriteContext,
    report: (Publication) throws -> Void = { _ in }
  ) throws -> RenamedApp {
    var source = store.appSource
    source.environment = { try store.environment(of: $0 == new ? old : $0) }
    return try rename(
      old, to: new, apps: source, accepting: accepted, undoing: reversal, by: context,
      report: report
    ) {
      $0.renaming(old, to: new)
    }
  }

  /// Changes a package name in the same way.
  ///
  /// - Throws: `PublicationError` with the errors of every domain; `StoreError.notFound`, `.appExists`.
  package func rename(
    _ old: PackageName, to new: PackageName, accepting accepted: Set<Finding.Code> = [],
    by context: WriteContext
  ) throws -> RenamedApp {
    try rename(old, to: new, accepting: accepted, undoing: nil, by: context)
  }

  func rename(
    _ old: PackageName, to new: PackageName, accepting accepted: Set<Finding.Code>,
    undoing reversal: RenamingReversal?, by context: WriteContext,
    report: (Publication) throws -> Void = { _ in }
  ) throws -> RenamedApp {
    var source = store.appSource
    source.androidApp = { package in
      if package == old { return nil }
      var app = try store.androidApp(package == new ? old : package)
      app?.package = package
      return app
    }
    return try rename(
      old, to: new, apps: source, accepting: accepted, undoing: reversal, by: context,
      report: report
    ) {
      $0.renaming(old, to: new)
    }
  }

  /// - Parameters:
  ///   - reversal: What the renaming undoes, if anything.
  ///   - report: Takes what is published for each domain. If it throws, nothing is.
  private func rename<Key: AppKey>(
    _ old: Key, to new: Key, apps source: AppSource, accepting accepted: Set<Finding.Code>,
    undoing reversal: RenamingReversal?, by context: WriteContext,
    report: (Publication) throws -> Void, _ renaming: (Domain) -> Domain
  ) throws -> RenamedApp {
    let action = reversal?.action ?? "rename app \(old) to \(new)"
    let renamed = try store.edit(context) { (earlier: PlannedRenaming?) in
      let edited = Result { try store.templates(changing: old.id, .rename(to: new.id)) }
      // First: another renaming at the same moment leaves no app to rename, and templates that name the new one.
      let names = try store.domains(using: old)
      let templates = try edited.get()
      let revisions = Dictionary(templates.map { ($0.changed.name, $0.revision) }) { $1 }
      try reversal?.check(names, revisions)
      let source = source.with(templates.map(\.changed))
      // The reviews do not say which revisions of these templates they are for.
      let known = earlier.flatMap { $0.revisions == revisions ? $0.reviews : nil }
      let reviews = try review(
        names.map { Domain(name: $0) }, reusing: known, apps: source, action: action, by: context
      ) { _, former in
        // It was deleted after the list was read.
        guard let stored = former.stored else { throw Outdated() }
        let domain = try source.changing(stored.domain, renaming)
        let renamed = renaming(stored.domain)
        // Also of one where only rows change.
        try context.proposed?.note(
          stored.domain.name, domain, over: stored.domain, base: stored.revision)
        former.stored?.domain = renamed
        // The store renames rows, not what is in kept statements and in parameters.
        former.stored?.domain.assetLinksExtra = stored.domain.assetLinksExtra
        former.stored?.domain.template = stored.domain.template
        return Proposal(domain: domain, before: renamed, accepted: accepted)
      }
      return PlannedRenaming(
        reviews: reviews, templates: templates.map(\.changed), revisions: revisions)
    } write: { transaction, planned in
      let reviews = planned.reviews
      if let reversal, reviews.contains(where: { !reversal.covers($0.edit.former) }) {
        throw Outdated()
      }
      transaction.beginChange(action, reverting: reversal?.change)
      try transaction.lock(planned.templates.map(\.name), .change)
      let names = try transaction.rename(old, to: new)
      if names != reviews.map(\.edit.domain.name) { throw Outdated() }
      for (name, revision) in planned.revisions
      where try transaction.template(name)?.revision != revision {
        throw Outdated()
      }
      let templates = try planned.templates.map { try transaction.put($0).stored }
      let publications = try reviews.map { try $0.publish(in: transaction) }
      for publication in publications { try report(publication) }
      return RenamedApp(
        publications: publications, templates: templates, change: transaction.change)
    }
    try serve(context)
    return renamed
  }

  /// What renaming an app publishes.
  private struct PlannedRenaming {
    let reviews: [Review]
    let templates: [Template]
    /// Those of the templates that it is planned for.
    let revisions: [TemplateName: Int]
  }

  /// Creates or changes an Android app. If its certificates change, each domain that uses it is published.
  ///
  /// - Returns: Also the domains with statements of their own that have other fingerprints than the app now has, if these
  ///   have changed.
  /// - Throws: `PublicationError` with the errors of every domain.
  package func put(
    _ app: AndroidApp, accepting accepted: Set<Finding.Code> = [], by context: WriteContext
  ) throws -> (
    app: StoredApp<PackageName>, isNew: Bool, publications: [Publication], deviating: [DomainName]
  ) {
    let package = app.package
    let result = try store.edit(context) { earlier in
      let old = try store.androidApp(package)
      let app = PackageName.rows.written(app, old, context)
      let names =
        old == nil || old?.certificates == app.certificates
        ? [] : try store.domains(using: package)
      var source = store.appSource
      source.androidApp = { try $0 == package ? app : store.androidApp($0) }
      return try review(
        names.map { Domain(name: $0) }, reusing: earlier, apps: source,
        action: "change certificates of Android app \(package)", by: context
      ) { _, former in
        // It was deleted after the list was read.
        guard var domain = former.stored?.domain, let old else { throw Outdated() }
        domain.replaceKeptCertificates(of: old, by: app)
        return Proposal(domain: domain, accepted: accepted)
      }
    } write: { transaction, reviews in
      try transaction.lock([package.id], .change)
      let old = try transaction.app(package)?.app
      let (stored, isNew) = try transaction.put(app, PackageName.self)
      let names =
        old == nil || old?.certificates == app.certificates
        ? [] : try transaction.domains(using: package)
      if names != reviews.map(\.edit.domain.name) { throw Outdated() }
      let publications = try reviews.map { try $0.publish(in: transaction) }
      let before = Set((old ?? stored.app).certificates.map(\.fingerprint))
      let deviating =
        before == Set(stored.app.certificates.map(\.fingerprint))
        ? []
        : publications.map(\.edited.stored.domain).filter {
          $0.keepsOtherFingerprints(than: stored.app)
        }
      return (stored, isNew, publications.filter(\.edited.isChanged), deviating.map(\.name))
    }
    try serve(context)
    return result
  }

  /// Reviews an edit of each of several domains.
  ///
  /// - Parameters:
  ///   - earlier: Reviews that are reused if they are not outdated.
  ///   - apps: Where the apps are found, as they are after the edit.
  private func review(
    _ domains: [Domain], reusing earlier: [Review]?, apps source: AppSource, action: String,
    by context: WriteContext, _ propose: (Domain, inout FormerDomain) throws -> Proposal
  ) throws -> [Review] {
    let known = Dictionary(
      (earlier ?? []).map { ($0.edit.domain.name, $0) }, uniquingKeysWith: { $1 })
    let shared = SharedDocuments()
    return try refusingTogether(domains) { domain in
      if let review = known[domain.name], try store.isCurrent(review.edit),
        try source.has(review.edit.apps)
      {
        return review
      }
      var former = try store.formerDomain(of: domain.name)
      let proposal = try propose(domain, &former)
      var review = try Review(
        proposal, over: former, apps: source, action: action, by: context, now: store.now(),
        sharing: shared)
      review.publication.compare(sharing: shared)
      return review
    }
  }

  /// Reviews each of several changes. Goes on after a `PublicationError`, so that the error names every
  /// domain that is refused.
  private func refusingTogether<Change, Result>(
    _ changes: [Change], _ review: (Change) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    var errors: [PublicationError] = []
    var count = 0
    for change in changes {
      do {
        let result = try review(change)
        if count == 0 { results.append(result) }
      } catch let error as PublicationError {
        count += 1
        if count <= 100 { errors.append(error) }
      }
    }
    if count == 1, let error = errors.first { throw error }
    if count > 1 { throw PublicationError.several(errors, count: count) }
    return results
  }
}

extension PublishedRevision {
  /// Settles what the domain of this revision has to do with its template.
  ///
  /// - Returns: Whether the domain is known to render these documents, because its template does.
  /// - Throws: `PublicationError.templateChanged` if it would publish something else with the template as it is now.
  @discardableResult
  func settle(
    _ domain: inout Domain, detaching: Bool = false, apps source: AppSource
  ) throws -> Bool {
    guard let template = domain.template?.name else { return false }
    if detaching {
      domain.template = nil
      return false
    }
    let before = domain
    do {
      _ = try source.resolve(&domain)
    } catch PublicationError.invalid(_, let error) {
      throw PublicationError.templateChanged(domain.name, template, error.faults.map(\.message))
    }
    let now = domain.documents(try source.androidApps(of: [domain]))
    if domain.bytes(of: now) == documents
      && domain.cacheSeconds == before.cacheSeconds
      && ServedFallback.text(of: domain) == ServedFallback.text(of: before)
    {
      return true
    }
    let comparison = try DomainComparison(
      of: domain.name, from: DomainComparison.State(ReadDocuments(stored: documents), before),
      to: DomainComparison.State(ReadDocuments(now), domain), findsExamples: false)
    throw PublicationError.templateChanged(
      domain.name, template, comparison.changes.map(\.summary))
  }

  /// Settles it, and detaches the domain only from a template that is gone or has changed since.
  ///
  /// - Throws: `PublicationError.templateChanged` if it must not detach it.
  func settle(
    _ domain: inout Domain, detachingIfChanged: Bool, _ source: AppSource
  ) throws -> Bool {
    let old = domain
    do {
      return try settle(&domain, apps: source)
    } catch PublicationError.templateChanged where detachingIfChanged {
      domain = old
      return try settle(&domain, detaching: true, apps: source)
    }
  }

  /// The domain with these documents and no others. A document that its rows do not render is adopted: that
  /// of an earlier version of the program, or of other Android apps than now. Errors that were accepted once
  /// are accepted again, except one of the change itself.
  func proposal(
    for domain: Domain, accepting accepted: Set<Finding.Code>, apps: AppSource
  ) throws -> Proposal {
    let before = revision.acceptedCodes.compactMap(Finding.Code.init).filter { !$0.concernsChange }
    var proposal = Proposal(domain: domain, accepted: accepted.union(before))
    for kind in DocumentKind.allCases {
      let bytes = documents[kind]
      if try !proposal.renders(bytes, as: kind, apps) {
        if let bytes {
          let file = try AdoptedFile(bytes, as: kind, accepting: proposal.accepted)
          let next = try file.proposal(for: proposal.domain, apps: apps)
          proposal.domain = next.domain
          proposal.findings += next.findings
        } else {
          try proposal.domain.adopt(nil, as: kind, UsedApps())
        }
      }
      if kind == .apple, let earlier = try earlierRecord() {
        proposal.domain.restoreAndroid(ofEarlier: earlier)
      }
    }
    return proposal
  }
}

/// What renaming an app published.
package struct RenamedApp: Sendable {
  package let publications: [Publication]
  /// The templates that named the app by themselves.
  package let templates: [StoredTemplate]
  /// `nil` for a dry run, and if neither a domain nor a template names the app.
  package let change: Int64?
}
