import JSONValue

/// Finds out what changes do to links, with examples that both documents' matchers confirm.
final class LinkEffects {
  private let from: ComparedDocument
  private let to: ComparedDocument
  private let changedVariables: Set<[UInt8]>
  private let examination: DifferenceExamination
  /// The routes that were looked at, by their languages.
  private var examined: [Int: ExaminedRoute] = [:]

  init(
    _ from: ComparedDocument, _ to: ComparedDocument, changedVariables: Set<[UInt8]>,
    domain: String
  ) {
    (self.from, self.to) = (from, to)
    self.changedVariables = changedVariables
    let routes = (from.matcher.links.entries + to.matcher.links.entries).flatMap(\.routes)
    let values = (from.variables + to.variables).flatMap(\.values).map(AppLinks.Route.init(value:))
    examination = DifferenceExamination(routes: routes + values, domain: domain)
  }

  /// The effects of changes of a group's routes.
  func examination(
    of group: AppGroup, _ old: [ComparedRoute], _ new: [ComparedRoute]
  ) -> GroupExamination {
    GroupExamination(effects: self, apps: group.apps, old, new)
  }

  /// What it does that the routes of an app come or go all together.
  func effect(ofAll routes: [ComparedRoute], of app: String, isAfter: Bool) -> DocumentChange.Effect
  {
    let list = isAfter ? listedAfter(routes) : listedBefore(routes)
    // A link that opens the app says more than one that is kept from it.
    let order =
      list.indices.filter { !list[$0].isExclusion } + list.indices.filter { list[$0].isExclusion }
    let decisions = order.map {
      Decision(index: $0, pointer: routes[$0].route.pointer, list: list, other: [])
    }
    return effect(of: decisions, for: [app])
  }

  /// A route of one of the lists, which decides about some URLs.
  struct Decision {
    let index: Int
    let pointer: JSONPointer
    let list: [DifferenceExamination.Listed]
    /// The list in the other document.
    let other: [DifferenceExamination.Listed]
  }

  /// What it does that these routes decide as they do: briefly looked into first, since one example
  /// is enough.
  func effect(of decisions: [Decision], for apps: [String]) -> DocumentChange.Effect {
    var open = decisions
    var isKnown = true
    for care in [DifferenceExamination.Care.brief, .thorough] {
      var undecided: [Decision] = []
      for decision in open {
        let verdict = examination.verdict(
          on: decision.index, of: decision.list, beside: decision.other, care
        ) { example($0, for: apps, decidedBy: decision.pointer) != nil }
        switch verdict {
        case .found(let url):
          if let example = example(url, for: apps) { return .example(example) }
          isKnown = false
        case .none: break
        case .undecidable: isKnown = false
        case .unknown: undecided.append(decision)
        }
      }
      open = undecided
    }
    return isKnown && open.isEmpty ? .none : .unknown
  }

  func listedBefore(_ routes: [ComparedRoute]) -> [DifferenceExamination.Listed] {
    routes.map { listed($0, language: 2 * $0.conditionsNumber) }
  }

  /// A route that names a changed variable has another language after the change.
  func listedAfter(_ routes: [ComparedRoute]) -> [DifferenceExamination.Listed] {
    routes.map { route in
      let isOther = !route.variables.isDisjoint(with: changedVariables)
      return listed(route, language: 2 * route.conditionsNumber + (isOther ? 1 : 0))
    }
  }

  private func listed(
    _ route: ComparedRoute, language: Int
  ) -> DifferenceExamination.Listed {
    let known = examined[language] ?? ExaminedRoute(route.route, language: language)
    examined[language] = known
    return DifferenceExamination.Listed(
      route: known, isExclusion: route.route.isExclusion, start: known.start)
  }

  /// The URL as an example for one of the apps, if the matchers confirm that it is one.
  ///
  /// - Parameter route: Where the route stands, in either document, that must decide about the URL.
  private func example(
    _ url: String, for apps: [String], decidedBy route: JSONPointer? = nil
  ) -> DocumentChange.Example? {
    for app in apps {
      let before = from.matcher.resolve(url, in: from.matcher.scope(of: app))
      let after = to.matcher.resolve(url, in: to.matcher.scope(of: app))
      let deciders = [from.matcher.pointer(of: before), to.matcher.pointer(of: after)]
      if before.resolution == after.resolution || route != nil && !deciders.contains(route) {
        continue
      }
      return DocumentChange.Example(
        url: url, app: app, before: before.resolution, after: after.resolution)
    }
    return nil
  }
}

extension Matcher {
  /// Where the route stands that decided.
  fileprivate func pointer(of decision: Decision) -> JSONPointer? {
    decision.route.map { links.entries[places[$0].entry].routes[places[$0].route].pointer }
  }
}

/// The effects of changes of the routes that some apps have.
final class GroupExamination {
  private let effects: LinkEffects
  /// The identifiers to try examples with; none for entries that no app reads.
  private let apps: [String]
  private let old: [ComparedRoute]
  private let new: [ComparedRoute]
  private lazy var listedBefore = effects.listedBefore(old)
  private lazy var listedAfter = effects.listedAfter(new)

  init(
    effects: LinkEffects, apps: [AppPairs.Pair], _ old: [ComparedRoute], _ new: [ComparedRoute]
  ) {
    self.effects = effects
    (self.old, self.new) = (old, new)
    let example = apps.first { !$0.isRenamed } ?? apps.first
    let names = example.map { [$0.after.name, $0.before.name] } ?? []
    self.apps = example?.isRenamed == true ? names : Array(names.prefix(1))
  }

  /// What it does that a route stands where it does, says what it says or is there at all; its places
  /// in the lists before and after.
  func effect(from before: Int?, to after: Int?) -> DocumentChange.Effect {
    if apps.isEmpty { return .none }
    var decisions: [LinkEffects.Decision] = []
    if let before {
      decisions.append(
        LinkEffects.Decision(
          index: before, pointer: old[before].route.pointer, list: listedBefore,
          other: listedAfter))
    }
    if let after {
      decisions.append(
        LinkEffects.Decision(
          index: after, pointer: new[after].route.pointer, list: listedAfter,
          other: listedBefore))
    }
    return effects.effect(of: decisions, for: apps)
  }
}

extension AppLinks.Route {
  /// A route that has the characters of a variable's value. An alphabet reads variables of one name
  /// once, since in one document they are the same.
  fileprivate init(value: String) {
    self.init(
      pointer: .root, isLegacy: true, isExclusion: false, isCaseSensitive: false,
      isPercentEncoded: true, path: Pattern(withoutVariables: value), query: .any, fragment: nil)
  }
}
