import JSONValue

/// Finds the effects of changes on links, with examples that the matchers of both documents confirm.
final class LinkEffects {
  typealias RankedRoute = DifferenceAnalysis.RankedRoute

  private let from: ComparedDocument
  private let to: ComparedDocument
  private let changedVariables: Set<[UInt8]>
  fileprivate let analysis: DifferenceAnalysis
  /// The routes analysed so far, by their languages.
  private var analyzed: [Int: AnalyzedRoute] = [:]

  init(
    _ from: ComparedDocument, _ to: ComparedDocument, changedVariables: Set<[UInt8]>,
    domain: String?
  ) {
    (self.from, self.to) = (from, to)
    self.changedVariables = changedVariables
    analysis = DifferenceAnalysis(
      routes: (from.matcher.links.entries + to.matcher.links.entries).flatMap(\.routes),
      domain: domain)
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
    let places = Self.places(routes)
    return analysis.effect(
      of: order.map {
        DifferenceAnalysis.Decider(place: $0, isBefore: !isAfter, list: list, other: [])
      }, most: 1
    ) { confirmation($0, for: [app], isAfter ? [:] : places, isAfter ? places : [:]) }
  }

  /// The places of routes in their list.
  fileprivate static func places(_ routes: [ComparedRoute]) -> [JSONPointer: Int] {
    Dictionary(
      zip(routes.lazy.map(\.route.pointer), routes.indices), uniquingKeysWith: { first, _ in first }
    )
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

  /// The URL as an example for one of the apps, if the matchers resolve it differently.
  ///
  /// - Parameter before: The places of the routes that may decide about it in the first document.
  fileprivate func confirmation(
    _ url: String, for apps: [String], _ before: [JSONPointer: Int], _ after: [JSONPointer: Int]
  ) -> DifferenceAnalysis.Confirmation? {
    for app in apps {
      guard let old = from.matcher.quickDecision(on: url, for: app),
        let new = to.matcher.quickDecision(on: url, for: app), old.resolution != new.resolution
      else { continue }
      return DifferenceAnalysis.Confirmation(
        example: DocumentChange.Example(
          url: url, app: app, before: old.resolution, after: new.resolution),
        before: from.matcher.pointer(of: old).flatMap { before[$0] },
        after: to.matcher.pointer(of: new).flatMap { after[$0] })
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
  private lazy var placesBefore = LinkEffects.places(old)
  private lazy var placesAfter = LinkEffects.places(new)
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
  ///
  /// - Parameter others: The places in both lists of changes that explain the URLs on which they
  ///   decide.
  func effect(
    from before: Int?, to after: Int?,
    besides others: (before: Set<Int>, after: Set<Int>) = ([], [])
  ) -> DocumentChange.Effect {
    if apps.isEmpty || isSame { return .none }
    let deciders = [
      before.map {
        DifferenceAnalysis.Decider(
          place: $0, isBefore: true, list: routesBefore, other: routesAfter, ignored: others.after)
      },
      after.map {
        DifferenceAnalysis.Decider(
          place: $0, isBefore: false, list: routesAfter, other: routesBefore,
          ignored: others.before)
      },
    ].compactMap(\.self)
    return effects.analysis.effect(of: deciders) {
      effects.confirmation($0, for: apps, placesBefore, placesAfter)
    }
  }
}
