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
  func effect(ofAll routes: [ComparedRoute], of app: String, isAfter: Bool) -> DocumentChange.Effect {
    let list = isAfter ? listedAfter(routes) : listedBefore(routes)
    // A link that opens the app says more than one that is kept from it.
    let order =
      list.indices.filter { !list[$0].isExclusion } + list.indices.filter { list[$0].isExclusion }
    return effect(of: order.map { Decision(index: $0, list: list, other: []) }, for: [app])
  }

  /// A route of one of the lists, which decides about some URLs.
  struct Decision {
    let index: Int
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
          on: decision.index, of: decision.list, beside: decision.other, care)
        if let example = example(verdict, for: apps) { return .example(example) }
        switch verdict {
        case .none: break
        case .found, .undecidable: isKnown = false
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
      let isOther = route.names(anyOf: changedVariables)
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

  /// The first URL of a verdict that the matchers confirm.
  private func example(
    _ verdict: DifferenceExamination.Verdict, for apps: [String]
  ) -> DocumentChange.Example? {
    let urls: [String] =
      switch verdict {
      case .none: []
      case .found(let url): [url]
      case .unknown(let candidates), .undecidable(let candidates): candidates
      }
    for url in urls {
      for app in apps {
        if let example = example(url, app) { return example }
      }
    }
    return nil
  }

  private func example(_ url: String, _ app: String) -> DocumentChange.Example? {
    let before = from.matcher.resolve(url, in: from.matcher.scope(of: app)).resolution
    let after = to.matcher.resolve(url, in: to.matcher.scope(of: app)).resolution
    if before == after { return nil }
    return DocumentChange.Example(url: url, app: app, before: before, after: after)
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
        LinkEffects.Decision(index: before, list: listedBefore, other: listedAfter))
    }
    if let after {
      decisions.append(LinkEffects.Decision(index: after, list: listedAfter, other: listedBefore))
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
