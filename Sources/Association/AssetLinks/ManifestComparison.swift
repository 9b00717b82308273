/// What one intent filter of an app's manifest asks of the links of a host that it names.
package struct LinkFilter: Sendable {
  /// A `<uri-relative-filter-group>`, all of whose patterns must match.
  package struct Group: Sendable {
    /// Whether links that match open the app; otherwise they do not.
    package let isAllowed: Bool
    package let paths: [PatternMatcher]
    /// Each must match some parameter of the query.
    package let parameters: [PatternMatcher]
    package let fragments: [PatternMatcher]

    package init(
      isAllowed: Bool, paths: [PatternMatcher], parameters: [PatternMatcher],
      fragments: [PatternMatcher]
    ) {
      self.isAllowed = isAllowed
      (self.paths, self.parameters, self.fragments) = (paths, parameters, fragments)
    }
  }

  /// One of these must match, or a group; without any and without groups, every link does.
  package let paths: [PatternMatcher]
  /// If no path matches, the first that matches decides.
  package let groups: [Group]

  package init(paths: [PatternMatcher], groups: [Group]) {
    (self.paths, self.groups) = (paths, groups)
  }
}

/// Compares the links of a host that an app's manifest names with those that the published rules open.
///
/// Android asks both: the manifest first, then the rules, which never widen it (Google's page "Add intent filters for
/// App Links"). All URLs are compared, exactly, except those with `;` in the query, without a path, or with an empty
/// parameter or fragment. A comparison takes bounded time.
package struct ManifestComparison: Sendable {
  /// Links that the published file opens and the manifest does not name.
  package struct Narrowing: Sendable {
    /// Where the rule that opens them is, and its conditions in words; `nil` if the file has no rules.
    package let rule: (pointer: JSONPointer, words: String)?
    /// Whether the rule is for every link that no earlier one decides.
    package let isForAllOthers: Bool
    /// Whether the manifest names none of them.
    package let isWhole: Bool
    /// One of them.
    package let url: String
  }

  /// In the order of the rules.
  package private(set) var narrowings: [Narrowing] = []
  /// A link that opens the app on Android 14 and lower, where rules and groups have no effect, and not on later
  /// versions.
  package private(set) var openedBefore15: String?
  /// Whether something was too complex to find out.
  package private(set) var isUndecided = false

  /// The steps for all questions about a host.
  private static let budget = 4_000_000
  private static let budgetPerQuestion = 400_000
  /// About what it takes to prepare a pattern.
  private static let stepsPerPattern = 1000
  /// The most narrowings that are looked for.
  private static let most = 100

  private struct Decider {
    let route: AnalyzedRoute
    /// Whether links that it decides open the app.
    let opens: Bool
  }

  /// - Parameters:
  ///   - filters: Those that name the host.
  ///   - links: The file of the host, which lets the app open links.
  ///   - steps: What comparing several hosts may take together; reduced by the work.
  package init(
    _ filters: [LinkFilter], _ links: AssetLinks, package: PackageName, host: String,
    steps: inout Int
  ) {
    guard steps > 0 else {
      isUndecided = true
      return
    }
    let rules: [AssetLinks.Rule]?
    do throws(TooComplex) {
      rules = try AndroidMatcher(links).rules(of: package.text)
    } catch {
      isUndecided = true
      return
    }
    let manifest = Self.deciders(filters)
    let older = filters.flatMap { filter in
      filter.paths.isEmpty ? [Self.everything] : filter.paths.map(Self.decider)
    }
    // Without rules, every link opens that the manifest names.
    let published =
      rules.map { rules in
        rules.map {
          Decider(
            route: AnalyzedRoute(RouteConditions($0, reading: .android), language: -1),
            opens: !$0.isExclusion)
        }
      } ?? [Self.everything]
    let unusual = AnalyzedRoute(.emptySegment, language: -1)
    let all = ((manifest ?? []) + older + published).map(\.route) + [unusual]
    let questions = RouteQuestions(domain: host) { all.map(\.conditions) }
    steps -= Self.stepsPerPattern * all.count
    let most = max(0, min(Self.budget, steps))
    var unspent = most
    defer { steps -= most - unspent }
    func answer(_ question: RouteQuestions.Question) -> RouteQuestions.Answer {
      if unspent <= 0 { return .undecided }
      return questions.budget.spending(atMost: Self.budgetPerQuestion, from: &unspent) {
        questions.answer(question, reading: .android)
      }
    }
    /// A link that the element at a place of a list decides and that the other list decides differently, or in the
    /// same way.
    func link(
      _ place: Int, of list: [Decider], _ other: [Decider], same: Bool = false
    ) -> RouteQuestions.Answer {
      // Listing what comes before each of many places takes long, too.
      if unspent <= 0 { return .undecided }
      let opens = list[place].opens
      var question = RouteQuestions.Question(
        focus: list[place].route, blockers: list.prefix(place).map(\.route))
      question.rivals = other.map { ($0.route, ($0.opens == opens) != same) }
      question.agreesOtherwise = opens == same
      var plain = question
      plain.blockers.append(unusual)
      if case .found(let url) = answer(plain) { return .found(url: url) }
      return answer(question)
    }
    if let manifest {
      for place in published.indices where published[place].opens {
        if narrowings.count == Self.most {
          isUndecided = true
          break
        }
        switch link(place, of: published, manifest) {
        case .none: continue
        case .undecided: isUndecided = true
        case .found(let url):
          let rule = rules?[place]
          var isWhole = false
          if case .none = link(place, of: published, manifest, same: true) { isWhole = true }
          narrowings.append(
            Narrowing(
              rule: rule.map { ($0.pointer, $0.words) },
              isForAllOthers: rule?.isForEveryURL ?? true,
              isWhole: isWhole, url: url))
        }
      }
    } else {
      isUndecided = true
    }
    // Both filters on later versions, so either may keep the link out.
    let lists = [rules == nil ? nil : published, manifest].compactMap(\.self)
    for list in lists where openedBefore15 == nil {
      for place in older.indices where openedBefore15 == nil {
        switch link(place, of: older, list) {
        case .none: continue
        case .undecided: isUndecided = true
        case .found(let url): openedBefore15 = url
        }
      }
    }
  }

  private static func decider(
    _ filters: RouteConditions.Filters, opens: Bool = true
  ) -> Decider {
    Decider(route: AnalyzedRoute(RouteConditions(filters), language: -1), opens: opens)
  }

  private static var everything: Decider { decider(RouteConditions.Filters()) }

  private static func decider(_ path: PatternMatcher) -> Decider {
    decider(RouteConditions.Filters(path: [path]))
  }

  /// A group that can match, with whether links that do open the app.
  private struct Step {
    let conditions: RouteConditions.Filters
    let opens: Bool

    /// Links that match both; they open the app if either says so.
    func and(_ other: Step) -> Step {
      let (left, right) = (conditions, other.conditions)
      return Step(
        conditions: RouteConditions.Filters(
          path: left.path + right.path, parameters: left.parameters + right.parameters,
          fragment: left.fragment + right.fragment),
        opens: opens || other.opens)
    }
  }

  /// The most groups of which some keep links out, as one list.
  private static let mostSteps = 200

  /// The paths and groups of filters as one list, in which the first that matches decides. `nil` if it is too long.
  private static func deciders(_ filters: [LinkFilter]) -> [Decider]? {
    var (first, last) = ([Decider](), [Step]())
    for filter in filters {
      if filter.paths.isEmpty && filter.groups.isEmpty { first.append(everything) }
      first += filter.paths.map(decider)
      let groups = filter.groups.compactMap { group -> Step? in
        let conditions = RouteConditions.Filters(
          path: group.paths, parameters: group.parameters, fragment: group.fragments)
        // A group without a pattern never matches.
        return conditions.isEmpty ? nil : Step(conditions: conditions, opens: group.isAllowed)
      }
      if groups.allSatisfy(\.opens) {
        first += groups.map { decider($0.conditions) }
      } else {
        guard last.count * groups.count <= mostSteps else { return nil }
        last = either(last, groups)
      }
    }
    return first + last.map { decider($0.conditions, opens: $0.opens) }
  }

  /// Two lists, in each of which the first that matches decides, as one: a link opens the app if one of them opens it.
  private static func either(_ left: [Step], _ right: [Step]) -> [Step] {
    left.flatMap { step in step.opens ? [step] : right.map { step.and($0) } + [step] } + right
  }
}
