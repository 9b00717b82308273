/// A statement that lets an app handle links, and that was not rendered from the routes of its domain.
struct SeparateStatement {
  /// A URL that the two platforms resolve differently.
  struct Difference {
    let url: String
    let apple: Resolution
    let android: Resolution

    /// Whether the app's manifest decides what Android opens.
    let isDecidedByManifest: Bool

    /// Whether Android opens what an exclusion keeps in the browser on Apple's systems.
    var opensExclusion: Bool { apple == .blocked && android == .match }

    /// What each platform does with the URL.
    func words(for package: PackageName) -> String {
      android == .match
        ? (isDecidedByManifest
          ? "Android may open \(url.quoted) in \(package) if the app's manifest claims it, which"
          : "Android opens \(url.quoted) in \(package) (match), which")
          + " Apple's systems keep in the browser (\(apple.rawValue))."
        : "Apple's systems open \(url.quoted) (match), which Android keeps in the browser"
          + " (\(android.rawValue))."
    }
  }

  let package: PackageName
  /// The rules; one for every URL if the app's manifest decides alone.
  fileprivate let rules: [AssetLinks.Rule]
  /// The statement alone.
  fileprivate let links: AssetLinks
  /// Statements with the same text open the same URLs.
  fileprivate let rulesText: [UInt8]

  /// Whether the statement has no rules that Android reads, so that the app's manifest decides alone.
  let isDecidedByManifest: Bool

  /// Reads a statement; `nil` if it lets no app handle links.
  init?(_ json: JSON) {
    links = AssetLinks(.array([json]))
    guard let statement = links.statements.first, statement.relations.contains(.handleAllURLs),
      case .app(let package, _) = statement.target
    else { return nil }
    self.package = package
    if case .list(let rules) = statement.rules {
      (self.rules, isDecidedByManifest) = (rules, false)
      rulesText = json["relation_extensions"]?.serialized() ?? []
    } else {
      let everything = AssetLinks.Rule(
        pointer: statement.pointer, isExclusion: false, conditions: [.path(DynamicPattern("*"))],
        hasUnknownKey: false)
      (rules, isDecidedByManifest, rulesText) = ([everything], true, [])
    }
  }

  /// Routes with the conditions of the rules; `nil` if the app's manifest decides.
  var routes: [Route]? {
    isDecidedByManifest
      ? nil
      : rules.map { rule in
        var (route, items) = (Route(exclude: rule.isExclusion ? true : nil), [Route.Query.Item]())
        for condition in rule.conditions {
          let text = condition.pattern.text
          switch condition {
          case .path: route.path = text
          case .fragment: route.fragment = text
          case .parameter(let name, _):
            let value = String(decoding: text.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self)
            items.append(Route.Query.Item(name: name, value: .string(value)))
          }
        }
        if !items.isEmpty { route.query = .items(items) }
        return route
      }
  }
}

/// The routes of a domain's Apple apps, and how statements compare with them, in bounded time.
///
/// The routes are those of each of the first apps, and those of all, each as one list. All comparisons share a
/// budget. Everything is built once, and statements with the same rules are compared once.
struct AppleRoutes {
  /// How a statement compares with the lists.
  enum Comparison {
    /// It opens the same URLs as the routes of these entries.
    case same(entries: [Int])
    case differs(SeparateStatement.Difference)
    /// The comparison takes too long.
    case undecided
  }

  /// The steps for all comparisons of a file.
  private static let budget = 2_000_000
  private static let budgetPerQuestion = 200_000
  /// The steps for building a list, and for comparing a statement with it, per route or rule; the size of the
  /// patterns comes on top.
  private static let stepsPerRoute = (toBuild: 100, toCompare: 20)

  private struct List {
    let routes: [AppLinks.Route]
    let conditions: [RouteConditions]
    let size: Int
    let matcher: Matcher
    let scope: Matcher.Scope
  }

  private let domain: Domain
  /// The entries of each list.
  let lists: [[Int]]
  /// `nil` in place of a list that takes too long.
  private var built: [Int: List?] = [:]
  private var known: [[UInt8]: Comparison] = [:]
  private var unspent = AppleRoutes.budget

  init(of domain: Domain) {
    self.domain = domain
    lists = domain.associationFile.appleAppEntries
  }

  /// Compares a statement with the lists, exactly: with all URLs that `PlatformComparison` compares, and with an
  /// example for each route about others. What Android opens although a route excludes it comes first.
  mutating func compared(with statement: SeparateStatement) -> Comparison {
    if let known = known[statement.rulesText] { return known }
    var result = Comparison.undecided
    search: for (index, entries) in lists.enumerated() {
      switch compared(statement, with: index) {
      case nil: break
      case .some(nil):
        result = .same(entries: entries)
        break search
      case .some(.some(let difference)):
        if case .undecided = result { result = .differs(difference) }
      }
    }
    known[statement.rulesText] = result
    return result
  }

  /// A URL that differs, or none; `nil` if that takes too long to find out.
  private mutating func compared(
    _ statement: SeparateStatement, with index: Int
  ) -> SeparateStatement.Difference?? {
    guard let list = list(index, for: statement.package) else { return nil }
    let rules = statement.rules.map { RouteConditions($0, reading: .common) }
    unspent -= list.size + (list.routes.count + rules.count) * Self.stepsPerRoute.toCompare
    unspent -= rules.reduce(0) { $0 + $1.size }
    if unspent <= 0 { return nil }
    do throws(TooComplex) {
      let android = try AndroidMatcher(statement.links)
      let search = Search(
        list.routes, list.conditions, statement.rules, rules, domain: domain.name.text
      ) { url in
        var budget = MatchingBudget()
        do throws(TooComplex) {
          let onApple = try list.matcher.resolve(
            url.utf8.span, in: list.scope, budget: &budget)
          let onAndroid = try android.decision(
            on: url.utf8.span, for: statement.package.text, budget: &budget)
          return SeparateStatement.Difference(
            url: url, apple: onApple.resolution, android: onAndroid.resolution,
            isDecidedByManifest: statement.isDecidedByManifest)
        } catch {
          return nil
        }
      }
      return search.run(&unspent)
    } catch {
      return nil
    }
  }

  /// A list; `nil` if it takes too long to build.
  ///
  /// - Parameter package: Any package: the routes are written for it.
  private mutating func list(_ index: Int, for package: PackageName) -> List? {
    if unspent <= 0 { return nil }
    if let known = built[index] { return known }
    let new = build(lists[index], for: package)
    built[index] = .some(new)
    return new
  }

  private mutating func build(_ entries: [Int], for package: PackageName) -> List? {
    let count = entries.reduce(0) { $0 + domain.associationFile.entries[$1].routes.count }
    unspent -= count * Self.stepsPerRoute.toBuild
    if unspent <= 0 { return nil }
    var own = domain.associationFile
    for index in own.entries.indices { own.entries[index].androidApps = [] }
    for index in entries { own.entries[index].androidApps = [package] }
    let android = AndroidRoutes(own)
    if android.links.isTooLarge { return nil }
    let routes = android.routes(of: Array(android.numbers.indices))
    let conditions = routes.map { RouteConditions($0) }
    let size = conditions.reduce(0) { $0 + $1.size }
    unspent -= size
    if unspent <= 0 { return nil }
    do throws(TooComplex) {
      let matcher = try Matcher(android.links)
      return List(
        routes: routes, conditions: conditions, size: size, matcher: matcher,
        scope: matcher.scope(of: package.text))
    } catch {
      return nil
    }
  }

  /// Looks for a URL that one of two lists opens and the other does not.
  private struct Search {
    private let routes: [AppLinks.Route]
    private let rules: [AssetLinks.Rule]
    private let appleRoutes: [AnalyzedRoute]
    private let androidRoutes: [AnalyzedRoute]
    private let irregular: [AnalyzedRoute]
    private let questions: RouteQuestions
    /// What the matchers say of a URL; `nil` if one takes too many steps.
    private let resolve: (String) -> SeparateStatement.Difference?

    init(
      _ routes: [AppLinks.Route], _ conditionsOfRoutes: [RouteConditions],
      _ rules: [AssetLinks.Rule], _ conditionsOfRules: [RouteConditions], domain: String,
      resolve: @escaping (String) -> SeparateStatement.Difference?
    ) {
      let appleRoutes = conditionsOfRoutes.enumerated().map { AnalyzedRoute($1, language: $0) }
      let androidRoutes = conditionsOfRules.enumerated().map { AnalyzedRoute($1, language: $0) }
      let irregular =
        AnalyzedRoute(irregularBeside: routes, appleRoutes + androidRoutes).map { [$0] } ?? []
      (self.routes, self.rules, self.appleRoutes, self.androidRoutes) = (
        routes, rules, appleRoutes, androidRoutes
      )
      (self.irregular, self.resolve) = (irregular, resolve)
      questions = RouteQuestions(domain: domain) {
        (appleRoutes + androidRoutes + irregular).map(\.conditions)
      }
    }

    /// A URL that differs, or none; `nil` if that takes too long to find out.
    func run(_ unspent: inout Int) -> SeparateStatement.Difference?? {
      let exclusions = routes.indices.filter { routes[$0].isExclusion }
      let opening = routes.indices.filter { !routes[$0].isExclusion }
      let openedByRules = rules.indices.filter { !rules[$0].isExclusion }
      var isDecided = true
      func difference(_ question: RouteQuestions.Question, _ reading: Alphabet.Reading)
        -> SeparateStatement.Difference?
      {
        switch answer(question, reading, &unspent) {
        case .found(let url):
          guard let found = resolve(url) else {
            isDecided = false
            return nil
          }
          return (found.apple == .match) != (found.android == .match) ? found : nil
        case .undecided: isDecided = false
        case .none: break
        }
        return nil
      }
      /// Whether the next question may be asked; choosing its routes takes time, too.
      func mayAsk(among count: Int) -> Bool {
        unspent -= count / 4
        if unspent <= 0 { isDecided = false }
        return unspent > 0
      }
      let all = routes.count + rules.count
      for index in exclusions where mayAsk(among: all) {
        var question = question(appleRoutes, index, rules.map { $0.isExclusion }, androidRoutes)
        question.agreesOtherwise = true
        if let found = difference(question, .common) { return found }
      }
      for index in openedByRules where mayAsk(among: all) {
        let question = question(androidRoutes, index, routes.map { !$0.isExclusion }, appleRoutes)
        if let found = difference(question, .common) { return found }
      }
      for index in opening where mayAsk(among: all) {
        let question = question(appleRoutes, index, rules.map { !$0.isExclusion }, androidRoutes)
        if let found = difference(question, .common) { return found }
      }
      for index in exclusions + opening
      where mayAsk(among: index) && appleRoutes[index].conditions.hasUnusualText {
        let earlier = appleRoutes.prefix(index).filter { $0.isComparable(with: appleRoutes[index]) }
        let question = RouteQuestions.Question(focus: appleRoutes[index], blockers: earlier)
        let reading = appleRoutes[index].conditions.reading
        if let found = difference(question, reading) { return found }
      }
      return isDecided ? .some(nil) : nil
    }

    /// Asks for a URL that one of a list decides, and that another list resolves differently.
    ///
    /// - Parameter agrees: Whether each of the others resolves its URLs as the one does.
    private func question(
      _ list: [AnalyzedRoute], _ index: Int, _ agrees: [Bool], _ others: [AnalyzedRoute]
    ) -> RouteQuestions.Question {
      let focus = list[index]
      let rivals = zip(others, agrees).filter { $0.0.mayMeet(focus) }
      return RouteQuestions.Question(
        focus: focus, blockers: irregular + list.prefix(index).filter { $0.mayMeet(focus) },
        rivals: rivals.map { ($0.0, $0.1) })
    }

    private func answer(
      _ question: RouteQuestions.Question, _ reading: Alphabet.Reading, _ unspent: inout Int
    ) -> RouteQuestions.Answer {
      if unspent <= 0 { return .undecided }
      return questions.budget.spending(
        atMost: AppleRoutes.budgetPerQuestion, from: &unspent
      ) { questions.answer(question, reading: reading) }
    }
  }
}

extension AssociationFile {
  private static let mostLists = 8

  /// The entries of each of the first Apple apps, then of all: the routes that Android's may follow.
  var appleAppEntries: [[Int]] {
    var lists: [AppIdentifier: [Int]] = [:]
    var order: [AppIdentifier] = []
    var all: [Int] = []
    for (index, entry) in entries.enumerated() {
      let apps = entry.apps + (entry.appID.map { [$0] } ?? [])
      if !apps.isEmpty { all.append(index) }
      for app in apps {
        if lists[app] == nil { order.append(app) }
        if lists[app]?.last != index { lists[app, default: []].append(index) }
      }
    }
    let first = order.compactMap { lists[$0] }.uniqued().prefix(Self.mostLists - 1)
    return first + (all.isEmpty || first.contains(all) ? [] : [all])
  }
}
