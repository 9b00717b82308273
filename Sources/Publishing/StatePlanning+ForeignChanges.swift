import Association
import Store

// What applying a state would undo of changes that others made.
extension StatePlanning {
  /// The number of changes that a plan names for each domain.
  private static let mostUndone = 1000

  /// Whether others may have changed a domain after this revision, so that applying a state of it could undo
  /// that. What `apply` published is its own, and so is what drafts of its author did.
  func mayUndo(since number: Int?, _ former: FormerDomain) throws -> Bool {
    if options.overwrite { return false }
    guard let stored = former.stored, let published = former.published else {
      return number != nil && former.lastNumber > 0
    }
    let last = published.revision
    if number == stored.revision || last.isApplied { return false }
    if last.author != context.author { return true }
    // Without a number, others were looked for when the draft was made.
    return try !store.hasOnlyOwnRevisions(
      of: stored, after: number ?? stored.revision - 1, by: context.author)
  }

  /// Whether somebody else's `apply` published a domain after this revision. A state that has the domain as its author got
  /// it does not take that back; one that has edited it does.
  func isAppliedByOthers(since number: Int?, _ former: FormerDomain) -> Bool {
    guard !options.overwrite, let applier = context.applier, let number,
      let stored = former.stored, let last = former.published?.revision
    else { return false }
    return number != stored.revision && last.isApplied && last.author != applier
  }

  /// Whether the state has a domain as its author got it: in the revision that it names, or in the last one
  /// that `apply` published since. It says nothing about what others made of the domain then.
  func isAsBefore(_ index: Int, _ base: PublishedRevision?) throws -> Bool {
    guard let base, let before = try base.wholeDomain(),
      let domain = try state.earlier(
        index, StoredDomain(before, revision: base.revision.number))
    else { return false }
    if domain.template == nil { return domain.isSame(as: before) }
    // What the template gave is not in the state.
    return domain.isSame(as: before.ownPart)
      || DomainResource.exported(StoredDomain(domain))
        == DomainResource.exported(StoredDomain(before))
  }

  /// What applying a domain would undo of changes that others made.
  ///
  /// - Parameter base: The revision that its author had before them.
  func foreignChange(
    to desired: DesiredDomain, _ former: FormerDomain, since base: PublishedRevision?
  ) throws -> ForeignChange? {
    guard let stored = former.stored, let published = former.published else {
      let name = desired.domain.name
      return ForeignChange(
        domain: name, current: try store.revision(former.lastNumber, of: name).revision,
        expected: desired.revision, undone: ["domain \(name) deleted"], isDeleted: true)
    }
    return try changes(by: desired, stored, published, since: base)
  }

  /// The differences to the current revision that the author of the state has not made: those to the
  /// revision that the author had are missing. Without that, whatever the domain would lose was made by others.
  private func changes(
    by desired: DesiredDomain, _ stored: StoredDomain, _ published: PublishedRevision,
    since base: PublishedRevision?
  ) throws -> ForeignChange? {
    let name = stored.domain.name
    var change = ForeignChange(
      domain: name, current: published.revision, expected: desired.revision, undone: [])
    let earlier = try base?.wholeDomain()
    // What one template gives on both sides is not taken from anybody.
    let template = desired.domain.template?.name
    let sharesTemplate =
      template != nil && template == stored.domain.template?.name
      && (base == nil || template == earlier?.template?.name)
    let own =
      try sharesTemplate
      ? ownStates(of: [desired.domain, stored.domain] + [earlier].compactMap(\.self)) : nil
    let new = try own?[0] ?? state(of: desired.domain)
    let current = try own?[1] ?? published.state(stored.domain)
    let before = try base.map { try own?.last ?? $0.state($0.domain()) }
    do throws(TooComplex) {
      let changes = try DomainComparison(
        of: name, from: current, to: new, findsExamples: false
      ).changes
      guard let base, let before else {
        change.undone = Self.words(changes.filter(\.loses))
        return change.undone.isEmpty ? nil : change
      }
      let mine = try DomainComparison(of: name, from: before, to: new, findsExamples: false)
      let made = Set(mine.changes.map(\.identity))
      let halves = Set(mine.changes.flatMap(\.halves))
      change.undone = Self.words(
        changes.filter { change in
          !made.contains(change.identity)
            && (change.halves.isEmpty || !halves.isSuperset(of: change.halves))
            && (mine.areSettingsKnown || !change.concernsSettings || change.loses)
        })
      if change.undone.isEmpty { return nil }
      let others = try DomainComparison(of: name, from: before, to: current, findsExamples: false)
      change.sides = ForeignChange.Sides(
        base: base.revision.number, own: Self.words(mine.changes),
        others: Self.words(others.changes))
    } catch {
      change.undone = ["the document, which is too complex to compare"]
    }
    return change
  }

  /// What domains have besides their template; `nil` if one of them names an app that no longer exists.
  private func ownStates(of domains: [Domain]) throws -> [DomainComparison.State]? {
    do {
      return try domains.map { try state(of: $0.ownPart) }
    } catch StoreError.unknownApps {
      return nil
    }
  }

  private func state(of domain: Domain) throws -> DomainComparison.State {
    DomainComparison.State(
      ReadDocuments(domain.documents(try appSource.apps(of: [domain]))), domain)
  }

  private static func words(_ changes: [DocumentChange]) -> [String] {
    changes.prefix(mostUndone).map(\.summary)
  }
}

extension PublishedRevision {
  /// What it published, to be compared.
  ///
  /// - Throws: `JSON.SyntaxError` if the stored document is damaged.
  fileprivate func state(_ domain: Domain?) throws -> DomainComparison.State {
    DomainComparison.State(try ReadDocuments(stored: documents), domain)
  }
}

extension DocumentChange {
  /// Whether the second state lacks something that somebody put into the first. A setting with its default
  /// was not set by anybody.
  fileprivate var loses: Bool {
    switch kind {
    case .added: false
    case .removed, .moved: true
    case .changed: before == nil || before != Self.defaults[what]
    }
  }

  fileprivate var concernsSettings: Bool {
    Self.defaults[what] != nil || Self.others.contains(what)
  }

  private static let others: Set<What> = [
    .alias, .label, .managedBy, .template, .parameter, .fallback, .expectation,
  ]

  private static let defaults: [What: JSON] = [
    .enabled: true, .cacheSeconds: .integer(Domain.defaultCacheSeconds),
    .environment: .string(App.Environment.production.rawValue), .strict: false, .protected: false,
  ]

  /// What it takes away and what it adds: which of both a comparison reports as one change depends on the
  /// other things in the documents.
  fileprivate var halves: [String] {
    if kind == .moved { return [] }
    let removed = before.map { ("removed", $0) }
    let added = after.map { ("added", $0) }
    return [removed, added].compactMap(\.self).map { kind, thing in
      ([kind, what.rawValue, thing.text] + apps).joined(separator: "\0")
    }
  }

  /// The same change, wherever the thing is in the document.
  fileprivate var identity: String {
    [kind.rawValue, what.rawValue, summary, before?.text ?? "", after?.text ?? ""]
      .joined(separator: "\0") + apps.joined(separator: "\0")
  }
}
