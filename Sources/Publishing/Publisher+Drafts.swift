package import Association
package import Store

extension Publisher {
  /// Plans a state like `apply`, and stores it as a draft instead of applying it.
  ///
  /// - Parameters:
  ///   - content: The state as it is stored.
  ///   - proposed: What a request would change, if the state is made of that.
  /// - Throws: What `apply` throws; `StoreError.tooManyDrafts`; `InvalidInput` for too many domains; `Outdated` if others
  ///   have changed what the request is about.
  package func addDraft(
    _ state: DesiredState, _ content: JSON, _ options: ApplyOptions,
    of proposed: ProposedState.Content? = nil, by context: WriteContext
  ) throws -> Draft {
    var state =
      try options.overwrite
      ? state : state.leavingToOthers(store, by: context, goesOn: false)
    let leftApps = Set(state.leftApps.map(\.text))
    state.apps.removeAll(where: \.isLeft)
    state.androidApps.removeAll(where: \.isLeft)
    // Before the plan, so that it is never older.
    var draft = Draft()
    draft.bases = try store.bases(
      templates: state.templates.map(\.name), apps: state.apps.map(\.id),
      androidApps: state.androidApps.map(\.id))
    draft.acceptedCodes = options.accepted.map(\.rawValue).sorted()
    var domains: [DomainName: Int] = [:]
    var used: Set<LinkedApp> = []
    var templates: Set<TemplateName> = []
    let applied = try apply(
      state, options, by: context.planningAny
    ) { name, action, publication in
      guard let publication, action != .unchanged else { return }
      domains[name] = publication.edited.base
      let domain = publication.edited.stored.domain
      used.formUnion(
        domain.associationFile.appIdentifiers.map(\.id)
          + (domain.associationFile.androidApps + domain.androidCredentials).map(\.id))
      if let template = domain.template { templates.insert(template.name) }
    }
    let actions =
      applied.apps.map(\.action) + applied.androidApps.map(\.action)
      + applied.templates.map(\.action)
    if domains.isEmpty && applied.deleted.isEmpty && actions.allSatisfy({ $0 == .unchanged }) {
      throw PublicationError.nothingToApprove
    }
    if domains.count > Draft.mostDomains { throw Draft.tooManyDomains }
    if let proposed, try !isCurrent(proposed, domains, draft.bases) { throw Outdated() }
    draft.bases.domains = domains
    draft.bases.within = context.within
    // What its domains use belongs to what is approved, too.
    let others = try store.bases(
      templates: Array(templates), apps: used.compactMap(\.identifier),
      androidApps: used.compactMap(\.package))
    draft.bases.add(others)
    let own = content.leaving(
      { applied.leftOut.contains($0) || domains[$0] == nil },
      apps: leftApps, onlyTemplates: Set(state.templates.map(\.name)))
    return try store.write(context) { try $0.addDraft(draft, own) }
  }

  /// Whether a draft would be over exactly what a request was planned on.
  private func isCurrent(
    _ proposed: ProposedState.Content, _ domains: [DomainName: Int], _ bases: Draft.Bases
  ) throws -> Bool {
    let isOfDomains = domains.allSatisfy { name, base in
      proposed.domains[name].map { $0.base == base } ?? true
    }
    let isOfTemplates = proposed.templates.allSatisfy { bases.templates[$0] == $1.base }
    let isOfApps = try proposed.apps.allSatisfy { try store.current($0) == $1.old }
    return isOfDomains && isOfTemplates && isOfApps
  }

  /// Applies a draft over exactly what it was made from, and ends it.
  ///
  /// - Parameters:
  ///   - state: The state of the draft.
  ///   - listsRefusals: Whether a dry run lists what would be refused, also what others have changed.
  ///   - approver: Who approves it; somebody else than its author.
  ///   - visible: The domains that the one who reads the answer may see.
  /// - Throws: `StoreError.draftEnded`, `PublicationError.draftOutdated`, and what `apply` throws.
  package func approve(
    _ draft: Draft, _ state: DesiredState, accepting accepted: Set<Finding.Code> = [],
    listsRefusals: Bool = false, by approver: WriteContext, visible: Scope,
    report: @escaping AppliedState.Report
  ) throws -> AppliedState {
    var state = state
    state.hidden = (
      { !visible.covers(Alias($0.name), labels: $0.labels) },
      .draftOutdated(draft.id, "which domains use an app or a template of it", nil)
    )
    state.check = { publication in
      let name = publication.edited.stored.domain.name
      if publication.edited.isChanged,
        draft.bases.domains[name] != publication.edited.base
      {
        throw PublicationError.draftOutdated(draft.id, name.text.quoted, name)
      }
    }
    // What others have changed is found by the bases, exactly.
    var options = ApplyOptions(
      overwrite: true,
      accepted: accepted.union(draft.acceptedCodes.compactMap(Finding.Code.init)),
      listsRefusals: listsRefusals)
    options.action = Revision.publishingDraft
    // A plan for reading lists what is outdated, so the author's limits must not stop it.
    let context = approver.approving(
      draft, within: listsRefusals ? approver.within : draft.bases.within)
    func outdated(_ thing: String) -> PublicationError {
      .draftOutdated(draft.id, visible.isEverything ? thing : "a template or an app", nil)
    }
    let applied = try store.edit(context) { (earlier: StatePlan?) in
      try store.draft(draft.id).checkIsOpen()
      // First, because the author's limits do not fit what others have made of it.
      if !listsRefusals, let thing = try store.outdated(draft.bases) { throw outdated(thing) }
      var planning = StatePlanning(self, state, options, by: context, report: report)
      return try planning.plan(reusing: earlier)
    } write: { transaction, plan in
      try transaction.end(draft, as: .approved, by: approver)
      try transaction.lock(draft.bases)
      let change = try transaction.outdated(draft.bases).map(outdated)
      if let change, !listsRefusals { throw change }
      var applied = try transaction.apply(state, plan, options)
      if let change { applied.refusals.append(change) }
      if !visible.isEverything {
        applied.apps.removeAll { !plan.named.contains($0.app.id) }
        applied.androidApps.removeAll { !plan.named.contains($0.app.id) }
      }
      try transaction.noteChange(of: draft, approvedBy: approver.author)
      return applied
    }
    try serve(context)
    return applied
  }
}

extension WriteContext {
  /// A dry run of the same author, who may plan changes of any protected domain.
  fileprivate var planningAny: WriteContext {
    var context = self
    (context.unapproved, context.isDryRun) = (Scope(), true)
    return context
  }

  /// The author of a draft with the approval of this one, who covers all of its domains.
  ///
  /// - Parameter limits: What the author is limited to. Without limits, those of the approver count.
  fileprivate func approving(_ draft: Draft, within limits: Scope) -> WriteContext {
    let approval = "draft \(draft.id), approved by \(author)"
    var context = self
    context.author = draft.author
    context.approvedWithin = within
    if !limits.isEverything { context.within = limits }
    context.unapproved = Scope()
    context.reason = draft.reason.isEmpty ? approval : "\(draft.reason) (\(approval))"
    return context
  }
}

extension ProposedState {
  /// Notes a publication or a deletion.
  func note(_ publication: Publication, followsTemplate: Bool = false) throws {
    let edited = publication.edited
    if let place = publication.managedBy { note(edited.stored.domain.name, managedBy: place) }
    if publication.isDeletion {
      try note(edited.stored.domain.name, nil, over: edited.domainBefore, base: edited.base)
    } else if edited.isChanged {
      note(accepted: edited.revision.acceptedCodes)
      try note(
        edited.stored.domain.name, edited.stored.domain, over: edited.domainBefore,
        base: edited.base, followsTemplate: followsTemplate)
    }
  }
}

extension EditedDomain {
  /// What a draft is based on: the revision, or for a domain that does not exist the last one, which is negative.
  fileprivate var base: Int { isNew ? -revisionBefore : revisionBefore }
}

extension JSON {
  /// A state without some of its domains and apps, and with only some of its templates. Who may see its domains may see all
  /// of it.
  fileprivate func leaving(
    _ isLeft: (DomainName) -> Bool, apps: Set<String>, onlyTemplates templates: Set<TemplateName>
  ) -> JSON {
    guard var state = objectValue else { return self }
    state["keep"] = nil
    func keep(_ list: String, _ key: String, _ isKept: (String) -> Bool) {
      guard let elements = state[list]?.arrayValue else { return }
      state[list] = .array(elements.filter { isKept($0[key]?.stringValue ?? "") })
    }
    keep("domains", "domain") { text in
      DomainName(usable: text).map { !isLeft($0) } ?? true
    }
    if let deleted = state["delete"]?.arrayValue {
      state["delete"] = .array(
        deleted.filter {
          $0.stringValue.flatMap(DomainName.init(usable:)).map { !isLeft($0) } ?? true
        })
    }
    keep("apps", "app") { !apps.contains($0) }
    keep("androidApps", "package") { !apps.contains($0) }
    keep("templates", "template") { templates.contains(TemplateName(stored: $0)) }
    return .object(state)
  }
}
