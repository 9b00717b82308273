import JSONValue

/// Compares what Android's rules of a domain open with what the same routes open on Apple's systems.
///
/// All URLs without percent-encoding are compared, exactly, except those that no client writes: with an empty
/// path segment or query item, with `;` in the query, or with a parameter twice that a route names. Of the
/// others, one example is looked for. Every example is one by the matchers. A comparison takes bounded time.
public struct PlatformComparison: Sendable {
  /// The differences, as findings about the rendered file: at most two for a route.
  public let findings: [Finding]

  /// Compares the two platforms.
  ///
  /// - Parameters:
  ///   - rendering: The rendered file.
  ///   - domain: The host of examples.
  public init(_ rendering: AssetLinksRendering, domain: String) {
    let links = AssetLinks(rendering.json)
    if rendering.rules.isEmpty || links.isTooLarge {
      findings = []
      return
    }
    do throws(TooComplex) {
      let matchers = (try Matcher(rendering.routes.links), try AndroidMatcher(links))
      var list = FindingList()
      var unspent = GroupComparison.budget
      for rules in rendering.rules {
        let comparison = GroupComparison(rules, rendering.routes, links, matchers, domain)
        for finding in comparison.findings(&unspent)
        where list.count(finding.code, finding.severity) { list.append(finding) }
      }
      findings = list.listed
    } catch {
      findings = [error.finding]
    }
  }
}

/// The comparison for apps that have the same routes.
private final class GroupComparison {
  /// The steps for all questions about a file, and for one of them.
  static let budget = 2_000_000
  private static let budgetPerQuestion = 200_000

  private let rules: AssetLinksRendering.Rules
  /// The rules of the statement that the app has in the file.
  private let written: [AssetLinks.Rule]
  private let pointer: JSONPointer
  private let package: String
  private let routes: [AppLinks.Route]
  private let apple: Matcher
  private let scope: Matcher.Scope
  private let android: AndroidMatcher
  private let ofApple: [AnalyzedRoute]
  private let ofAndroid: [AnalyzedRoute]
  /// Matches URLs that are left out; `nil` if no condition is about the query.
  private let irregular: AnalyzedRoute?
  private let questions: RouteQuestions
  private let domain: String

  init(
    _ rules: AssetLinksRendering.Rules, _ routes: AndroidRoutes, _ links: AssetLinks,
    _ matchers: (apple: Matcher, android: AndroidMatcher), _ domain: String
  ) {
    self.rules = rules
    self.domain = domain
    (apple, android) = matchers
    package = rules.packages.first?.text ?? ""
    scope = apple.scope(of: package)
    self.routes = routes.routes(of: rules.entries)
    pointer = JSONPointer.root.appending(rules.statement).appending("relation_extensions")
      .appending(Relation.handleAllURLs.description).appending(AssetLinks.Rules.key)
    if case .statement(let statement) = links.elements[rules.statement].meaning,
      case .list(let list) = statement.rules
    {
      written = list
    } else {
      written = []
    }
    let ofApple = self.routes.enumerated().map { AnalyzedRoute($1, language: $0) }
    let ofAndroid = written.enumerated().map {
      AnalyzedRoute(RouteConditions($1, reading: .common), language: $0)
    }
    let names = self.routes.flatMap { route -> [[Unicode.Scalar]] in
      guard case .items(let items) = route.query else { return [] }
      return items.map { Array($0.name.unicodeScalars) }
    }
    let hasQuery = (ofApple + ofAndroid).contains { $0.conditions.hasQuery }
    let irregular =
      hasQuery
      ? AnalyzedRoute(RouteConditions(irregularNames: Self.distinct(names)), language: -1) : nil
    (self.ofApple, self.ofAndroid, self.irregular) = (ofApple, ofAndroid, irregular)
    questions = RouteQuestions(domain: domain) {
      (ofApple + ofAndroid + [irregular].compactMap(\.self)).map(\.conditions)
    }
  }

  private static func distinct(_ names: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
    var seen: Set<[Unicode.Scalar]> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// The findings about the rules in order, then those about routes without a rule.
  func findings(_ unspent: inout Int) -> [Finding] {
    // Android does not read a statement without a fingerprint, which the linter reports.
    if written.count != rules.rules.count { return [] }
    var findings: [Finding] = []
    var undecided: Set<Int> = []
    var opened: Set<Int> = []
    // The rules for plain routes in the same order mean the same.
    let arePlain = routes.allSatisfy(\.isPlain)
    for index in written.indices where !written[index].isExclusion && !arePlain {
      guard rules.origins.indices.contains(index) else { continue }
      let origin = rules.origins[index]
      if opened.contains(origin) || opensNoMore(index, &unspent) { continue }
      switch answer(openedByRule(index), &unspent) {
      case .found(let url):
        guard let finding = finding(about: url, openedOnAndroid: true) else { fallthrough }
        opened.insert(origin)
        findings.append(finding)
      case .undecided: undecided.insert(origin)
      case .none: break
      }
    }
    for index in routes.indices where !routes[index].isExclusion && !arePlain {
      switch answer(openedByRoute(index), &unspent) {
      case .found(let url):
        guard let finding = finding(about: url, openedOnAndroid: false) else { fallthrough }
        findings.append(finding)
      case .undecided: undecided.insert(index)
      case .none: break
      }
    }
    if opened.isEmpty, let finding = findingAboutOtherURLs(&unspent) { findings.append(finding) }
    if let first = undecided.min() { findings.append(notDecided(first, undecided.count)) }
    return findings
  }

  // MARK: - Questions

  private func answer(
    _ question: RouteQuestions.Question?, _ unspent: inout Int
  ) -> RouteQuestions.Answer {
    guard let question else { return .none(covering: [], always: []) }
    if unspent <= 0 { return .undecided }
    return questions.budget.spending(atMost: Self.budgetPerQuestion, from: &unspent) {
      // Filtering the others takes time, too.
      questions.budget.spend((ofApple.count + ofAndroid.count) / 4)
      return questions.answer(question, reading: .common)
    }
  }

  /// Whether a rule is known to open no more than its route, by questions that cost less than the one below:
  /// each of its URLs matches its route, and if an exclusion before the route does, also a rule for that.
  private func opensNoMore(_ index: Int, _ unspent: inout Int) -> Bool {
    let rule = ofAndroid[index]
    let origin = rules.origins[index]
    let irregular = [irregular].compactMap(\.self)
    var own = RouteQuestions.Question(focus: rule, blockers: irregular)
    own.rivals = [(ofApple[origin], true)]
    guard case .none = answer(own, &unspent) else { return false }
    for earlier in routes.indices.prefix(origin)
    where routes[earlier].isExclusion && ofApple[earlier].mayMeet(rule) {
      let blockers = written.indices.prefix(index).filter { rules.origins[$0] == earlier }
      var question = RouteQuestions.Question(
        focus: rule, blockers: irregular + blockers.map { ofAndroid[$0] })
      question.rivals = [(ofApple[earlier], false)]
      question.agreesOtherwise = true
      guard case .none = answer(question, &unspent) else { return false }
    }
    return true
  }

  /// Asks for a URL that a rule decides and that Apple's systems keep in the browser.
  private func openedByRule(_ index: Int) -> RouteQuestions.Question? {
    let rule = ofAndroid[index]
    let origin = rules.origins[index]
    let earlier = ofAndroid.indices.prefix(index).filter {
      (rules.origins[$0] != origin || written[$0].isExclusion) && ofAndroid[$0].mayMeet(rule)
    }
    let rivals = ofApple.indices.filter { ofApple[$0].mayMeet(rule) }
    return question(
      rule, behind: earlier.map { ofAndroid[$0] },
      rivals.map { (ofApple[$0], !routes[$0].isExclusion) })
  }

  /// Asks for a URL that a route opens on Apple's systems and that Android keeps in the browser.
  private func openedByRoute(_ index: Int) -> RouteQuestions.Question? {
    let route = ofApple[index]
    let earlier = ofApple.prefix(index).filter { $0.mayMeet(route) }
    let rivals = ofAndroid.indices.filter { ofAndroid[$0].mayMeet(route) }
    return question(
      route, behind: earlier, rivals.map { (ofAndroid[$0], !written[$0].isExclusion) })
  }

  private func question(
    _ focus: AnalyzedRoute, behind earlier: [AnalyzedRoute],
    _ rivals: [(route: AnalyzedRoute, agrees: Bool)]
  ) -> RouteQuestions.Question {
    var rivals = rivals
    while rivals.last?.agrees == false { rivals.removeLast() }
    return RouteQuestions.Question(
      focus: focus, blockers: [irregular].compactMap(\.self) + earlier, rivals: rivals)
  }

  // MARK: - Findings

  /// A difference that the matchers confirm; `nil` if they do not.
  private func finding(about url: String, openedOnAndroid: Bool) -> Finding? {
    guard let (ofApple, ofAndroid) = resolutions(of: url),
      (ofAndroid.resolution == .match) == openedOnAndroid,
      (ofApple.resolution == .match) != openedOnAndroid
    else { return nil }
    if openedOnAndroid {
      let route = ofAndroid.rule.flatMap { place in
        rules.origins.indices.contains(place) ? routes[rules.origins[place]] : nil
      }
      return Finding(
        .androidDiffers, at: ofAndroid.rule.map { written[$0].pointer } ?? pointer,
        "Android opens \(url.quoted) in \(package) (match), by the \(route?.words ?? "rules"). By the same routes,"
          + " Apple's systems keep it in the browser (\(ofApple.resolution.rawValue)).",
        help: "Use `?` only before other characters, or exclude such URLs with a route above it.")
    }
    let place = ofApple.route
    let rule = place.flatMap { rules.origins.firstIndex(of: $0) }
    return Finding(
      .androidDiffers, severity: .note, at: rule.map { written[$0].pointer } ?? pointer,
      "Apple's systems open \(url.quoted) (match), by the \(place.map { routes[$0].words } ?? "routes"). Android"
        + " cannot express all of the routes and keeps it in the browser (\(ofAndroid.resolution.rawValue)).",
      help: "If Android should open it, add a route with plain text or one `*` at the end.")
  }

  /// The decisions of both matchers; `nil` if one takes too many steps.
  private func resolutions(
    of url: String
  ) -> (
    apple: (resolution: Resolution, route: Int?), android: (resolution: Resolution, rule: Int?)
  )? {
    var budget = MatchingBudget(steps: 1_000_000)
    do throws(TooComplex) {
      let ofApple = try apple.resolve(url.utf8.span, in: scope, domain: nil, budget: &budget)
      let ofAndroid = try android.resolve(url.utf8.span, for: package, budget: &budget)
      return (
        (ofApple.resolution, ofApple.route.map(place)),
        (ofAndroid, try android.rule(deciding: url.utf8.span, for: package, budget: &budget))
      )
    } catch {
      return nil
    }
  }

  /// The place in `routes` of a route of the matcher.
  private func place(of route: Int) -> Int {
    var start = 0
    for range in scope.routes {
      if range.contains(route) { return start + route - range.lowerBound }
      start += range.count
    }
    return 0
  }

  private func notDecided(_ first: Int, _ count: Int) -> Finding {
    Finding(
      .androidDiffers, severity: .note, at: pointer,
      "It would take too long to find out whether Android opens the same URLs in \(package) by the"
        + " \(routes[first].words)\(count > 1 ? " and \((count - 1).counted("other route"))" : "").",
      help: "Use fewer `*` and variables in one pattern.")
  }

  // MARK: - Other URLs

  /// The number of rules whose URLs are varied.
  private static let mostVaried = 16

  /// A note about a URL that Android opens because it is written in an unusual way.
  private func findingAboutOtherURLs(_ unspent: inout Int) -> Finding? {
    if written.allSatisfy(\.isExclusion) { return nil }
    for index in written.indices.prefix(Self.mostVaried) where rules.origins.indices.contains(index)
    {
      // Best is a URL that no other route opens.
      let others = routes.indices.filter { $0 != rules.origins[index] && !routes[$0].isExclusion }
      for blockers in [others.map { ofApple[$0] }, []] {
        let question = RouteQuestions.Question(focus: ofAndroid[index], blockers: blockers)
        guard case .found(let url) = answer(question, &unspent) else { continue }
        if let finding = finding(aboutVariantsOf: url) { return finding }
      }
    }
    return nil
  }

  private func finding(aboutVariantsOf url: String) -> Finding? {
    for variant in UnusualURLs.variants(of: url, domain: domain) {
      guard let (ofApple, ofAndroid) = resolutions(of: variant), ofAndroid.resolution == .match,
        ofApple.resolution != .match
      else { continue }
      return Finding(
        .androidDiffers, severity: .note, at: pointer,
        "Android decodes URLs before it compares them, keeps all slashes, and looks for one of several"
          + " parameters. So it opens \(variant.quoted) in \(package) (match), which Apple's systems keep in the"
          + " browser (\(ofApple.resolution.rawValue)).",
        help: "Nothing, unless links are written like this.")
    }
    return nil
  }
}

/// URLs that only Android takes for another one.
private enum UnusualURLs {
  /// The number of characters that are escaped, one at a time, the last first.
  private static let mostEscaped = 12

  static func variants(of url: String, domain: String) -> [String] {
    let start = "https://\(domain)"
    let rest = Array(url.dropFirst(start.count))
    let path = String(rest.prefix { $0 != "?" && $0 != "#" })
    let end = String(rest[path.count...])
    var variants: [String] = []
    for index in rest.indices.dropFirst().reversed().prefix(mostEscaped) {
      guard let byte = rest[index].asciiValue, byte.isASCIILetterOrDigit else { continue }
      for text in [byte.percentEscaped, "%C3%A9"] {
        variants.append(start + String(rest[..<index]) + text + String(rest[(index + 1)...]))
      }
    }
    for slash in ["/", "//", "%2F"] { variants.append(start + path + slash + end) }
    for slash in ["//", "/%2F"] {
      variants += [start + slash + path.dropFirst() + end, start + slash + end]
    }
    let query = end.prefix { $0 != "#" }
    let fragment = String(end.dropFirst(query.count))
    for item in query.dropFirst().split(separator: "&") {
      let name = item.prefix { $0 != "=" }
      for more in ["&\(name)=", "&\(name)=~", ";~", "%26~"] {
        variants.append(start + path + query + more + fragment)
      }
    }
    return variants
  }
}

extension AnalyzedRoute {
  /// Whether some URL may match both.
  fileprivate func mayMeet(_ other: AnalyzedRoute) -> Bool {
    prefix.filter.mayMeet(other.prefix.filter) && prefix.mayMeet(other.prefix)
  }
}

extension RouteConditions {
  /// Whether some query does not meet the condition on it.
  fileprivate var hasQuery: Bool {
    if case .whole(let tokens) = query { !tokens.isStar } else { true }
  }
}

extension AppLinks.Route {
  /// Whether the only condition is a path of plain characters, with or without one `*` at the end.
  fileprivate var isPlain: Bool {
    guard isCaseSensitive, RouteConditions(self).isFreeAfterPath else { return false }
    let tokens = path?.pathTokens ?? [.anyRun]
    switch (tokens.first, tokens.count) {
    case (.anyRun, 1): return true
    case (.literal(let text), 1...2):
      return (tokens.count == 1 || tokens[1].isAnyRun)
        && text.allSatisfy {
          $0.isASCII
            && (UInt8($0.value).isASCIILetterOrDigit || "/-._~".unicodeScalars.contains($0))
        } && !zip(text, text.dropFirst()).contains { $0 == "/" && $1 == "/" }
    default: return false
    }
  }

  /// The route in words.
  fileprivate var words: String {
    guard let path else { return "route without a path" }
    return "\(isExclusion ? "exclusion" : "route") \(path.text.quoted)"
  }
}
