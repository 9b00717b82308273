import JSONValue

/// Finds the effects of changes on links, with examples that the matchers of both documents confirm.
final class LinkEffects {
  typealias RankedRoute = DifferenceAnalysis.RankedRoute

  private let from: ComparedDocument
  private let to: ComparedDocument
  private let changedVariables: Set<[UInt8]>
  private let analysis: DifferenceAnalysis
  /// The routes analysed so far, by their languages.
  private var analyzed: [Int: AnalyzedRoute] = [:]

  init(
    _ from: ComparedDocument, _ to: ComparedDocument, changedVariables: Set<[UInt8]>,
    domain: String
  ) {
    (self.from, self.to) = (from, to)
    self.changedVariables = changedVariables
    analysis = DifferenceAnalysis(
      routes: (from.matcher.links.entries + to.matcher.links.entries).flatMap(\.routes),
      domain: domain)
  }

  /// A route that decides about some URLs.
  struct Decision {
    /// The place of the route in its list.
    let index: Int
    let pointer: JSONPointer
    let list: [RankedRoute]
    /// The list in the other document.
    let other: [RankedRoute]
  }

  /// The effects of changes to the routes of a group of apps.
  func effects(of group: AppGroup, _ old: [ComparedRoute], _ new: [ComparedRoute]) -> GroupEffects {
    GroupEffects(effects: self, apps: group.apps, old, new)
  }

  /// The effect of adding or removing all routes of an app.
  ///
  /// - Parameter isOpening: Whether only URLs that open the app count.
  func effect(
    ofAll routes: [ComparedRoute], of app: String, isAfter: Bool, isOpening: Bool = false
  ) -> DocumentChange.Effect {
    let list = isAfter ? routesAfter(routes) : routesBefore(routes)
    // A link that opens the app is a better example than one that is excluded.
    let order =
      list.indices.filter { !list[$0].isExclusion }
      + list.indices.filter { list[$0].isExclusion && !isOpening }
    let decisions = order.map {
      Decision(index: $0, pointer: routes[$0].route.pointer, list: list, other: [])
    }
    return effect(of: decisions, for: [app])
  }

  /// The effect of these decisions. Each is first tried with a small budget, since one example is
  /// enough.
  func effect(of decisions: [Decision], for apps: [String]) -> DocumentChange.Effect {
    var open = decisions
    var isKnown = true
    for depth in [DifferenceAnalysis.Depth.quick, .thorough] {
      var undecided: [Decision] = []
      for decision in open {
        let verdict = analysis.verdict(
          on: decision.index, of: decision.list, beside: decision.other, depth
        ) { example($0, for: apps, decidedBy: decision.pointer) != nil }
        switch verdict {
        case .found(let url):
          if let example = example(url, for: apps) { return .example(example) }
          isKnown = false
        case .none: break
        case .undecidable: isKnown = false
        case .undecided: undecided.append(decision)
        }
      }
      open = undecided
    }
    return isKnown && open.isEmpty ? .none : .unknown
  }

  func routesBefore(_ routes: [ComparedRoute]) -> [RankedRoute] {
    routes.map { ranked($0, language: 2 * $0.conditionsNumber) }
  }

  /// A route that names a changed variable has another language after the change.
  func routesAfter(_ routes: [ComparedRoute]) -> [RankedRoute] {
    routes.map { route in
      let isOther = !route.variables.isDisjoint(with: changedVariables)
      return ranked(route, language: 2 * route.conditionsNumber + (isOther ? 1 : 0))
    }
  }

  private func ranked(_ route: ComparedRoute, language: Int) -> RankedRoute {
    let known = analyzed[language] ?? AnalyzedRoute(route.route, language: language)
    analyzed[language] = known
    return RankedRoute(known, isExclusion: route.route.isExclusion)
  }

  /// The URL as an example for one of the apps, if the matchers confirm it.
  ///
  /// - Parameter route: The route that must decide about the URL, in either document.
  private func example(
    _ url: String, for apps: [String], decidedBy route: JSONPointer? = nil
  ) -> DocumentChange.Example? {
    for app in apps {
      guard let before = from.matcher.quickDecision(on: url, for: app),
        let after = to.matcher.quickDecision(on: url, for: app)
      else { continue }
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
  /// The route that made a decision.
  fileprivate func pointer(of decision: Decision) -> JSONPointer? {
    decision.route.map { links.route(at: places[$0]).pointer }
  }

  /// The decision on a URL that might be an example; `nil` if it takes too many steps.
  fileprivate func quickDecision(on url: String, for app: String) -> Decision? {
    var budget = MatchingBudget(steps: 1_000_000)
    do throws(TooComplex) {
      return try resolve(url.utf8.span, in: scope(of: app), domain: nil, budget: &budget)
    } catch {
      return nil
    }
  }
}

/// The effects of changes to the routes that a group of apps shares.
final class GroupEffects {
  private let effects: LinkEffects
  /// The apps that examples are tried with; none for entries that no app uses.
  private let apps: [String]
  private let old: [ComparedRoute]
  private let new: [ComparedRoute]
  private lazy var routesBefore = effects.routesBefore(old)
  private lazy var routesAfter = effects.routesAfter(new)
  /// Whether both lists are the same to devices, route by route, so that nothing has an effect.
  private lazy var isSame =
    old.count == new.count
    && zip(routesBefore, routesAfter).allSatisfy {
      $0.route.language == $1.route.language && $0.isExclusion == $1.isExclusion
    }

  fileprivate init(
    effects: LinkEffects, apps: [AppPairs.Pair], _ old: [ComparedRoute], _ new: [ComparedRoute]
  ) {
    self.effects = effects
    (self.old, self.new) = (old, new)
    let example = apps.first { !$0.isRenamed } ?? apps.first
    let names = example.map { [$0.after.name, $0.before.name] } ?? []
    self.apps = example?.isRenamed == true ? names : Array(names.prefix(1))
  }

  /// The effect of adding, removing, moving or changing a route, given its place in both lists.
  func effect(from before: Int?, to after: Int?) -> DocumentChange.Effect {
    if apps.isEmpty || isSame { return .none }
    var decisions: [LinkEffects.Decision] = []
    if let before {
      decisions.append(
        LinkEffects.Decision(
          index: before, pointer: old[before].route.pointer, list: routesBefore,
          other: routesAfter))
    }
    if let after {
      decisions.append(
        LinkEffects.Decision(
          index: after, pointer: new[after].route.pointer, list: routesAfter,
          other: routesBefore))
    }
    return effects.effect(of: decisions, for: apps)
  }
}
