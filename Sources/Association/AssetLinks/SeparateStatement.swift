import JSONValue

/// A statement that lets an app handle links, and that was not rendered from the routes of its domain.
struct SeparateStatement {
  /// A URL that the two platforms resolve differently.
  struct Difference {
    let url: String
    let apple: Resolution
    let android: Resolution

    /// Whether Android opens what an exclusion keeps in the browser on Apple's systems.
    var opensExclusion: Bool { apple == .blocked && android == .match }

    /// What each platform does with the URL.
    func words(for package: PackageName) -> String {
      android == .match
        ? "Android opens \(url.quoted) in \(package) (match), which Apple's systems keep in the browser"
          + " (\(apple.rawValue))."
        : "Apple's systems open \(url.quoted) (match), which Android keeps in the browser"
          + " (\(android.rawValue))."
    }
  }

  /// How a statement compares with routes.
  enum Comparison {
    case same
    case differs(Difference)
    /// The comparison takes too long.
    case undecided
  }

  /// The steps for all questions about a file, and for one of them.
  static let budget = 2_000_000
  private static let budgetPerQuestion = 200_000

  let package: PackageName
  /// The rules; one for every URL if the app's manifest decides alone.
  private let rules: [AssetLinks.Rule]
  private let matcher: AndroidMatcher

  /// Whether the statement has no rules that Android reads, so that the app's manifest decides alone.
  let isDecidedByManifest: Bool

  /// Reads a statement; `nil` if it lets no app handle links, or is too complex to be compared.
  init?(_ json: JSON) {
    let links = AssetLinks(.array([json]))
    guard let statement = links.statements.first, statement.relations.contains(.handleAllURLs),
      case .app(let package, _) = statement.target
    else { return nil }
    do throws(TooComplex) { matcher = try AndroidMatcher(links) } catch { return nil }
    self.package = package
    if case .list(let rules) = statement.rules {
      (self.rules, isDecidedByManifest) = (rules, false)
    } else {
      let everything = AssetLinks.Rule(
        pointer: statement.pointer, isExclusion: false, conditions: [.path(DynamicPattern("*"))],
        hasUnknownKey: false)
      (rules, isDecidedByManifest) = ([everything], true)
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

  /// Compares the statement with routes, exactly: with all URLs that `PlatformComparison` compares, and with
  /// an example for each route about others. What Android opens although a route excludes it comes first.
  ///
  /// - Parameters:
  ///   - entries: The entries of the document whose routes count, as one list.
  ///   - domain: The host of examples.
  ///   - unspent: The steps that are left, of `budget`.
  func compared(
    with entries: [Int], of document: Document, domain: String, _ unspent: inout Int
  ) -> Comparison {
    var own = document
    for index in own.entries.indices {
      own.entries[index].androidApps = entries.contains(index) ? [package] : []
    }
    let routes = AndroidRoutes(own)
    if routes.links.isTooLarge { return .undecided }
    do throws(TooComplex) {
      let apple = try Matcher(routes.links)
      let search = Search(
        routes.routes(of: Array(routes.numbers.indices)), rules, domain: domain
      ) { url in
        var budget = MatchingBudget()
        do throws(TooComplex) {
          let scope = apple.scope(of: package.text)
          let ofApple = try apple.resolve(url.utf8.span, in: scope, domain: nil, budget: &budget)
          let ofAndroid = try matcher.resolve(url.utf8.span, for: package.text, budget: &budget)
          return Difference(url: url, apple: ofApple.resolution, android: ofAndroid)
        } catch {
          return nil
        }
      }
      return search.run(&unspent)
    } catch {
      return .undecided
    }
  }

  /// Looks for a URL that one of two lists opens and the other does not.
  private struct Search {
    private let routes: [AppLinks.Route]
    private let rules: [AssetLinks.Rule]
    private let ofApple: [AnalyzedRoute]
    private let ofAndroid: [AnalyzedRoute]
    private let irregular: [AnalyzedRoute]
    private let questions: RouteQuestions
    /// What the matchers say of a URL; `nil` if one takes too many steps.
    private let resolve: (String) -> Difference?

    init(
      _ routes: [AppLinks.Route], _ rules: [AssetLinks.Rule], domain: String,
      resolve: @escaping (String) -> Difference?
    ) {
      let ofApple = routes.enumerated().map { AnalyzedRoute($1, language: $0) }
      let ofAndroid = rules.enumerated().map {
        AnalyzedRoute(RouteConditions($1, reading: .common), language: $0)
      }
      let irregular = AnalyzedRoute(irregularBeside: routes, ofApple + ofAndroid).map { [$0] } ?? []
      (self.routes, self.rules, self.ofApple, self.ofAndroid) = (routes, rules, ofApple, ofAndroid)
      (self.irregular, self.resolve) = (irregular, resolve)
      questions = RouteQuestions(domain: domain) {
        (ofApple + ofAndroid + irregular).map(\.conditions)
      }
    }

    func run(_ unspent: inout Int) -> Comparison {
      let exclusions = routes.indices.filter { routes[$0].isExclusion }
      let opening = routes.indices.filter { !routes[$0].isExclusion }
      let openedByRules = rules.indices.filter { !rules[$0].isExclusion }
      var isDecided = true
      func difference(_ question: RouteQuestions.Question, _ reading: Alphabet.Reading)
        -> Difference?
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
      for index in exclusions {
        var question = question(ofApple, index, rules.map { $0.isExclusion }, ofAndroid)
        question.agreesOtherwise = true
        if let found = difference(question, .common) { return .differs(found) }
      }
      for index in openedByRules {
        let question = question(ofAndroid, index, routes.map { !$0.isExclusion }, ofApple)
        if let found = difference(question, .common) { return .differs(found) }
      }
      for index in opening {
        let question = question(ofApple, index, rules.map { !$0.isExclusion }, ofAndroid)
        if let found = difference(question, .common) { return .differs(found) }
      }
      for index in exclusions + opening where ofApple[index].conditions.hasUnusualText {
        let earlier = ofApple.prefix(index).filter { $0.isComparable(with: ofApple[index]) }
        let question = RouteQuestions.Question(focus: ofApple[index], blockers: earlier)
        let reading = ofApple[index].conditions.reading
        if let found = difference(question, reading) { return .differs(found) }
      }
      return isDecided ? .same : .undecided
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
        atMost: SeparateStatement.budgetPerQuestion, from: &unspent
      ) { questions.answer(question, reading: reading) }
    }
  }
}

extension Document {
  /// The number of lists in `entriesOfAppleApps`.
  private static let mostLists = 8

  /// The entries of each of the first Apple apps, then of all: the routes that Android's may follow.
  var entriesOfAppleApps: [[Int]] {
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
    var seen: Set<[Int]> = []
    let distinct = order.compactMap { lists[$0] }.filter { seen.insert($0).inserted }
    let first = distinct.prefix(Self.mostLists - 1)
    return first + (all.isEmpty || first.contains(all) ? [] : [all])
  }
}
