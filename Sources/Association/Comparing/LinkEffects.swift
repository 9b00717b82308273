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
    var effect = DocumentChange.Effect.none
    for index in order {
      effect = effect.joined(
        with: confirmed(examination.verdict(on: index, of: list, beside: []), for: [app]))
      if case .example = effect { break }
    }
    return effect
  }

  /// What it does that a route of one of the lists decides as it does there.
  func effect(
    ofRoute index: Int, of list: [DifferenceExamination.Listed],
    beside other: [DifferenceExamination.Listed], for apps: [String]
  ) -> DocumentChange.Effect {
    confirmed(examination.verdict(on: index, of: list, beside: other), for: apps)
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
    return DifferenceExamination.Listed(route: known, isExclusion: route.route.isExclusion)
  }

  private func confirmed(
    _ verdict: DifferenceExamination.Verdict, for apps: [String]
  ) -> DocumentChange.Effect {
    let urls: [String]
    switch verdict {
    case .none: return .none
    case .found(let url): urls = [url]
    case .unknown(let candidates): urls = candidates
    }
    for url in urls {
      for app in apps {
        if let example = example(url, app) { return .example(example) }
      }
    }
    return .unknown
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
    var effect = DocumentChange.Effect.none
    if let before {
      effect = effects.effect(
        ofRoute: before, of: listedBefore, beside: listedAfter, for: apps)
    }
    if case .example = effect { return effect }
    guard let after else { return effect }
    return effect.joined(
      with: effects.effect(ofRoute: after, of: listedAfter, beside: listedBefore, for: apps))
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
