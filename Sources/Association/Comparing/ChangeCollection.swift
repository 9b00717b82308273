/// Collects the differences in meaning between two association files.
///
/// This compares what a device reads: for every app, the ordered list of its routes, each with
/// everything it inherits from `defaults`. It makes no difference whether a setting is in `defaults`
/// or in every route, whether two apps share an entry or have equal ones, whether one app is in
/// `appID` or in `appIDs`, and how keys are ordered. Values that devices do not read are compared
/// too; those changes do not affect links.
///
/// A comparison takes bounded time.
struct ChangeCollection {
  private let from: ComparedDocument
  private let to: ComparedDocument
  private let pairs: AppPairs
  private let effects: LinkEffects
  private var variables: ChangedVariables
  private var defaults = MergedChanges()
  private var routes = MergedChanges()
  private var entryChanges = MergedChanges()

  /// The changes: variables, apps, the routes of each app in order, other services, the rest.
  static func changes(
    from: ReadDocument, to: ReadDocument, domain: String?
  ) throws(TooComplex) -> [DocumentChange] {
    let interning = Interning()
    let from = try ComparedDocument(from, interning)
    let to = try ComparedDocument(to, like: from, interning)
    var collection = ChangeCollection(from: from, to: to, domain: domain)
    return collection.collected()
  }

  private init(from: ComparedDocument, to: ComparedDocument, domain: String?) {
    (self.from, self.to) = (from, to)
    pairs = AppPairs(from, to)
    variables = ChangedVariables(from.variables, to.variables)
    effects = LinkEffects(from, to, domain: domain)
  }

  private mutating func collected() -> [DocumentChange] {
    for group in AppGroup.groups(pairs, from, to) {
      compareRoutes(of: group)
      compareExtras(of: group)
    }
    let allRoutes = (from.routes + to.routes).flatMap(\.self)
    return variables.changes(allRoutes) + appChanges() + defaults.changes + routes.changes
      + entryChanges.changes + serviceChanges()
      + DocumentChange.changes(from: from.read.extras, to: to.read.extras)
  }

  private mutating func compareExtras(of group: AppGroup) {
    let changes = DocumentChange.changes(
      from: group.from.flatMap { from.entries[$0].extras },
      to: group.to.flatMap { to.entries[$0].extras })
    for var change in changes {
      change.apps = group.names
      entryChanges.add(change)
    }
  }

  // MARK: - Routes

  private mutating func compareRoutes(of group: AppGroup) {
    let old = from.routes(of: group.from)
    let new = to.routes(of: group.to)
    let comparison = RouteComparison(
      effects, for: group.exampleNames, old.map(\.identity), new.map(\.identity)
    ) { [effects, changed = variables.names] in
      (effects.ranked(old), effects.ranked(new, changed: changed))
    }
    for step in comparison.steps {
      let (before, after) = (step.from.map { old[$0] }, step.to.map { new[$0] })
      if step.kind == nil, let before, let after {
        compareDetails(of: before, after, group)
        // An equal route may still match other URLs, if one of its variables changed.
        if after.variables.isDisjoint(with: variables.names) { continue }
      }
      let effect = comparison.effect(of: step)
      for route in [before, after].compactMap(\.self) { variables.note(effect, of: route) }
      if step.kind != nil || effect.affectsLinks == true {
        routes.add(.route(before, after, step, in: new, effect, group.names))
      }
      guard step.kind != nil, let before, let after else { continue }
      compareDetails(of: before, after, group)
      for var change in DefaultChanges.changes(before, after) {
        change.effect = effect
        change.apps = group.names
        defaults.add(change)
      }
    }
  }

  /// Compares what devices do not read of a route.
  private mutating func compareDetails(
    of old: ComparedRoute, _ new: ComparedRoute, _ group: AppGroup
  ) {
    let comment = old.comment == new.comment ? [] : [DocumentChange.comment(old, new)]
    for var change in comment + DocumentChange.changes(from: old.extras, to: new.extras) {
      change.apps = group.names
      routes.add(change)
    }
  }

  // MARK: - Apps

  /// Apps that were added, removed, renamed or reordered.
  private func appChanges() -> [DocumentChange] {
    pairs.removed.map { change(from: $0, to: nil) } + pairs.added.map { change(from: nil, to: $0) }
      + pairs.renamed.map { change(from: $0.before, to: $0.after) } + moves()
  }

  private func change(
    from before: ComparedDocument.App?, to after: ComparedDocument.App?
  ) -> DocumentChange {
    let old = from.routes(of: before?.entries ?? [])
    let new = to.routes(of: after?.entries ?? [])
    let effect =
      if let before {
        effects.effect(ofAll: effects.ranked(old), of: before.name, isAfter: false)
      } else {
        effects.effect(
          ofAll: effects.ranked(new, changed: variables.names), of: after?.name ?? "",
          isAfter: true)
      }
    let routes = (after == nil ? old.count : new.count).counted("route")
    return DocumentChange(
      DocumentChange.Kind(before, after), .app, from: pointer(of: before, in: from),
      to: pointer(of: after, in: to), before: before.map { .string($0.name) },
      after: after.map { .string($0.name) }, apps: [(after ?? before)?.name].compactMap(\.self),
      effect: effect, "app \(Wording.rename(before?.name, after?.name)), with \(routes)")
  }

  /// Apps of other services that were added, removed, or renamed as in `applinks`.
  private func serviceChanges() -> [DocumentChange] {
    DocumentPart.appListServices.flatMap { service in
      let (old, new) = (from.apps(ofService: service), to.apps(ofService: service))
      let find = { (name: String, apps: [ComparedDocument.ServiceApp]) in
        apps.firstIndex { sameScalars($0.name, name) }
      }
      var added = new.filter { find($0.name, old) == nil }
      var changes: [DocumentChange] = []
      for app in old where find(app.name, new) == nil {
        let newName = pairs.renamed.first { sameScalars($0.before.name, app.name) }?.after.name
        let index = newName.flatMap { find($0, added) }
        changes.append(change(of: service, from: app, to: index.map { added.remove(at: $0) }))
      }
      return changes + added.map { change(of: service, from: nil, to: $0) }
    }
  }

  private func change(
    of service: String, from before: ComparedDocument.ServiceApp?,
    to after: ComparedDocument.ServiceApp?
  ) -> DocumentChange {
    DocumentChange(
      DocumentChange.Kind(before, after), .serviceApp, from: before?.pointer, to: after?.pointer,
      before: before.map { .string($0.name) }, after: after.map { .string($0.name) },
      apps: [(after ?? before)?.name].compactMap(\.self),
      "\(service) app \(Wording.rename(before?.name, after?.name))")
  }

  /// Where the first entry of an app is.
  private func pointer(
    of app: ComparedDocument.App?, in document: ComparedDocument
  ) -> JSONPointer? {
    app?.entries.first.map { document.entries[$0].pointer }
  }

  /// Apps that changed places in the order of first entries. Apps that share an entry have no order.
  private func moves() -> [DocumentChange] {
    guard !from.read.links.isKeyed, !to.read.links.isKeyed else { return [] }
    let apps = (pairs.same + pairs.renamed).sorted { Self.order($0) < Self.order($1) }
    let ranks = apps.indices.map {
      PlacePair(from: $0, to: (apps[$0].after.entries.first ?? 0) * apps.count + $0)
    }
    let kept = Set(PlacePair.longestRising(ranks).map(\.from))
    return apps.indices.filter { !kept.contains($0) }.map { index in
      let app = apps[index]
      return DocumentChange(
        .moved, .app, from: pointer(of: app.before, in: from),
        to: pointer(of: app.after, in: to), apps: [app.after.name], effect: .unknown,
        "app \(app.after.name.harmless) moved in the order of apps")
    }
  }

  private static func order(_ pair: AppPairs.Pair) -> (Int, Int) {
    (pair.before.entries.first ?? 0, pair.after.entries.first ?? 0)
  }
}

extension AppGroup {
  fileprivate var names: [String] { apps.map(\.after.name) }

  /// The identifiers of an app that is not renamed if possible, the one after first.
  fileprivate var exampleNames: [String] {
    guard let app = apps.first(where: { !$0.isRenamed }) ?? apps.first else { return [] }
    return app.isRenamed ? [app.after.name, app.before.name] : [app.after.name]
  }
}

/// Changes in the order in which they are found, each once with all the apps it affects.
struct MergedChanges {
  private(set) var changes: [DocumentChange] = []
  private var places: [Identity: Int] = [:]

  private struct Identity: Hashable {
    let kind: DocumentChange.Kind
    let what: DocumentChange.What
    let from: JSONPointer?
    let to: JSONPointer?
  }

  mutating func add(_ change: DocumentChange) {
    let identity = Identity(
      kind: change.kind, what: change.what, from: change.from, to: change.to)
    guard let place = places[identity] else {
      places[identity] = changes.count
      return changes.append(change)
    }
    changes[place].apps += change.apps
    changes[place].effect = changes[place].effect.joined(with: change.effect)
  }
}
