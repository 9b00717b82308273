/// Finds the effects of changes to routes or rules on links, with examples that the matchers of both
/// documents confirm.
final class LinkEffects {
  typealias RankedRoute = DifferenceAnalysis.RankedRoute

  private let before: DocumentMatcher
  private let after: DocumentMatcher
  private let analysis: DifferenceAnalysis
  /// The routes analysed so far, by their languages.
  private var analyzed: [Int: AnalyzedRoute] = [:]

  init(
    _ before: DocumentMatcher, _ after: DocumentMatcher, domain: String?,
    conditions: @escaping () -> [RouteConditions]
  ) {
    (self.before, self.after) = (before, after)
    analysis = DifferenceAnalysis(conditions: conditions, domain: domain)
  }

  /// A route or rule at its place in a list. Those of the same language match the same URLs.
  func ranked(
    _ conditions: @autoclosure () -> RouteConditions, language: Int, isExclusion: Bool
  ) -> RankedRoute {
    let known = analyzed[language] ?? AnalyzedRoute(conditions(), language: language)
    analyzed[language] = known
    return RankedRoute(known, isExclusion: isExclusion)
  }

  /// The effect of routes on the URLs about which they decide for one of the apps.
  func effect(
    of deciders: [DifferenceAnalysis.Decider], for apps: [String],
    most: Int = DifferenceAnalysis.mostExamples, isSearchable: Bool = true
  ) -> DocumentChange.Effect {
    analysis.effect(of: deciders, most: most, isSearchable: isSearchable) {
      confirmation($0, for: apps)
    }
  }

  /// The URL as an example for one of the apps, if the matchers resolve it differently.
  fileprivate func confirmation(
    _ url: String, for apps: [String]
  ) -> DifferenceAnalysis.Confirmation? {
    for app in apps {
      guard let old = decision(of: before, on: url, for: app),
        let new = decision(of: after, on: url, for: app), old.resolution != new.resolution
      else { continue }
      return DifferenceAnalysis.Confirmation(
        example: DocumentChange.Example(
          url: url, app: app, before: old.resolution, after: new.resolution),
        before: old.place, after: new.place)
    }
    return nil
  }

  /// The decision on a URL that might be an example; `nil` if it takes too many steps.
  private func decision(
    of matcher: DocumentMatcher, on url: String, for app: String
  ) -> DocumentMatcher.Decision? {
    var budget = MatchingBudget(steps: 1_000_000)
    do throws(TooComplex) {
      return try matcher.decision(on: url.utf8.span, for: app, budget: &budget)
    } catch {
      return nil
    }
  }

  /// Finds the effects of changes between two association files.
  convenience init(_ from: ComparedDocument, _ to: ComparedDocument, domain: String?) {
    self.init(.apple(from.matcher), .apple(to.matcher), domain: domain) {
      (from.entries + to.entries).flatMap(\.routes).map { RouteConditions($0) }
    }
  }

  /// A list of routes to search.
  ///
  /// - Parameter changed: The variables that have changed before this list. A route that names one has
  ///   another language.
  func ranked(_ routes: [ComparedRoute], changed: Set<[UInt8]> = []) -> [RankedRoute] {
    routes.map { route in
      let isOther = !route.variables.isDisjoint(with: changed)
      return ranked(
        RouteConditions(route.route),
        language: 2 * route.identity.conditions + (isOther ? 1 : 0),
        isExclusion: route.route.isExclusion)
    }
  }

  /// The effect of adding or removing all routes of an app.
  ///
  /// - Parameter isOpening: Whether only URLs that open the app count.
  func effect(
    ofAll routes: [RankedRoute], of app: String, isAfter: Bool, isOpening: Bool = false
  ) -> DocumentChange.Effect {
    // A link that opens the app is a better example than one that is excluded.
    let order =
      routes.indices.filter { !routes[$0].isExclusion }
      + routes.indices.filter { routes[$0].isExclusion && !isOpening }
    return effect(
      of: order.map {
        DifferenceAnalysis.Decider(place: $0, isBefore: !isAfter, list: routes, other: [])
      }, for: [app], most: 1)
  }
}

/// The routes or rules of an app before and after: what became of each, and its effect on links.
final class RouteComparison {
  typealias Lists = (before: [LinkEffects.RankedRoute], after: [LinkEffects.RankedRoute])

  let steps: [RouteAlignment.Step]
  private let effects: LinkEffects
  /// The apps that examples are tried with; none for entries that no app uses.
  private let apps: [String]
  private let isSearchable: Bool
  private let ranked: () -> Lists
  private lazy var lists = ranked()
  /// The places of the routes that were changed, removed or added.
  private lazy var edited = {
    let edits = steps.filter { $0.kind != nil && $0.kind != .moved }
    return (before: Set(edits.compactMap(\.from)), after: Set(edits.compactMap(\.to)))
  }()
  /// Whether both lists are the same to devices, route by route, so that nothing has an effect.
  private lazy var isSame =
    lists.before.count == lists.after.count
    && zip(lists.before, lists.after).allSatisfy {
      $0.route.language == $1.route.language && $0.isExclusion == $1.isExclusion
    }

  /// - Parameters:
  ///   - isSearchable: Whether a search knows all URLs that the routes match.
  ///   - ranked: The lists to search, which are made when first needed.
  init(
    _ effects: LinkEffects, for apps: [String], _ old: [RouteIdentity], _ new: [RouteIdentity],
    isSearchable: Bool = true, ranked: @escaping () -> Lists
  ) {
    (self.effects, self.apps, self.isSearchable) = (effects, apps, isSearchable)
    self.ranked = ranked
    steps = RouteAlignment(old, new).steps
  }

  /// A URL as an example, if it resolves differently.
  func example(at url: String) -> DocumentChange.Example? {
    effects.confirmation(url, for: apps)?.example
  }

  /// The effect of a step. What edited routes decide is not an effect of a move.
  func effect(of step: RouteAlignment.Step) -> DocumentChange.Effect {
    effect(from: step.from, to: step.to, besides: step.kind == .moved ? edited : ([], []))
  }

  /// The effect of adding, removing, moving or changing a route, given its place in both lists.
  func effect(
    from before: Int?, to after: Int?,
    besides others: (before: Set<Int>, after: Set<Int>) = ([], [])
  ) -> DocumentChange.Effect {
    if apps.isEmpty || isSame { return .none }
    let deciders = [
      before.map {
        DifferenceAnalysis.Decider(
          place: $0, isBefore: true, list: lists.before, other: lists.after, ignored: others.after)
      },
      after.map {
        DifferenceAnalysis.Decider(
          place: $0, isBefore: false, list: lists.after, other: lists.before,
          ignored: others.before)
      },
    ].compactMap(\.self)
    return effects.effect(of: deciders, for: apps, isSearchable: isSearchable)
  }
}
