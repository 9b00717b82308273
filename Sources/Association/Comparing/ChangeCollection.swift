import JSONValue

/// Collects the changes between two documents.
struct ChangeCollection {
  let from: ComparedDocument
  let to: ComparedDocument
  let pairs: AppPairs
  let effects: LinkEffects
  private var variables: ChangedVariables
  private var defaults = MergedChanges()
  private var routes = MergedChanges()
  private var ofEntries = MergedChanges()

  init(from: ComparedDocument, to: ComparedDocument, domain: String) {
    (self.from, self.to) = (from, to)
    pairs = AppPairs(from, to)
    variables = ChangedVariables(from.variables, to.variables)
    effects = LinkEffects(from, to, changedVariables: variables.names, domain: domain)
  }

  /// All changes in the order in which they are shown.
  mutating func collected() -> [DocumentChange] {
    for group in AppGroup.groups(pairs, from, to) {
      compareRoutes(of: group)
      compareExtras(of: group)
    }
    let allRoutes = (from.entries + to.entries).flatMap(\.routes)
    return variables.changes(allRoutes) + appChanges() + defaults.changes + routes.changes
      + ofEntries.changes + serviceChanges()
      + ExtraMember.changes(from: from.extras, to: to.extras)
  }

  private mutating func compareExtras(of group: AppGroup) {
    let changes = ExtraMember.changes(
      from: group.from.flatMap { from.entries[$0].extras },
      to: group.to.flatMap { to.entries[$0].extras })
    for var change in changes {
      change.apps = group.names
      ofEntries.add(change)
    }
  }

  // MARK: - Routes

  private mutating func compareRoutes(of group: AppGroup) {
    let old = from.routes(of: group.from)
    let new = to.routes(of: group.to)
    let groupEffects = effects.effects(of: group, old, new)
    for step in RouteAlignment(old, new).steps {
      switch step {
      case .kept(let before, let after):
        compareKept((before, old[before]), (after, new[after]), groupEffects, group)
      case .moved(let before, let after), .changed(let before, let after):
        let effect = groupEffects.effect(from: before, to: after)
        let place = RoutePlaces(from: before, to: after, list: new)
        addRoute(old[before], new[after], place, effect, group)
      case .removed(let before):
        addRoute(old[before], nil, nil, groupEffects.effect(from: before, to: nil), group)
      case .added(let after):
        addRoute(nil, new[after], nil, groupEffects.effect(from: nil, to: after), group)
      }
    }
  }

  /// A route that says the same may match other URLs, since a variable was changed.
  private mutating func compareKept(
    _ old: (place: Int, route: ComparedRoute), _ new: (place: Int, route: ComparedRoute),
    _ groupEffects: GroupEffects, _ group: AppGroup
  ) {
    compareDetails(of: old.route, new.route, group)
    if new.route.variables.isDisjoint(with: variables.names) { return }
    let effect = groupEffects.effect(from: old.place, to: new.place)
    variables.note(effect, of: new.route)
    guard case .example = effect else { return }
    routes.add(.route(old.route, new.route, nil, effect, group.names))
  }

  private mutating func addRoute(
    _ old: ComparedRoute?, _ new: ComparedRoute?, _ places: RoutePlaces?,
    _ effect: DocumentChange.Effect, _ group: AppGroup
  ) {
    for route in [old, new].compactMap(\.self) { variables.note(effect, of: route) }
    routes.add(.route(old, new, places, effect, group.names))
    guard let old, let new else { return }
    compareDetails(of: old, new, group)
    for var change in DefaultChanges.changes(old, new) {
      change.effect = effect
      change.apps = group.names
      defaults.add(change)
    }
  }

  /// What is said of a route beside what it does.
  private mutating func compareDetails(
    of old: ComparedRoute, _ new: ComparedRoute, _ group: AppGroup
  ) {
    let comment = old.comment == new.comment ? [] : [DocumentChange.comment(old, new)]
    for var change in comment + ExtraMember.changes(from: old.extras, to: new.extras) {
      change.apps = group.names
      routes.add(change)
    }
  }
}

extension AppGroup {
  /// The identifiers of the apps.
  var names: [String] { apps.map(\.after.name) }
}
