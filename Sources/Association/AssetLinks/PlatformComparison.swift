/// Compares what Android's rules of a domain open with what the same routes open on Apple's systems.
///
/// All URLs without percent-encoding are compared, exactly, except those that no client writes: with an empty
/// path segment or query item, with `;` in the query, or with a parameter twice that a route names. For each
/// route that names others, and once for all routes, an example among the others is looked for. If there may
/// be one, it is reported even if none is found. Every example is one by the matchers. A comparison takes
/// bounded time.
package struct PlatformComparison: Sendable {
  /// The differences, as findings about the rendered file: at most two for a route.
  package let findings: [Finding]

  /// - Parameter domain: The host of examples.
  package init(_ rendering: AssetLinksRendering, domain: String) {
    let links = AssetLinks(rendering.json)
    if rendering.rules.isEmpty || links.isTooLarge {
      findings = []
      return
    }
    if let first = rendering.rules.first(where: \.areTooMany) {
      let package = first.packages.first?.text ?? ""
      let limit = TooComplex(
        pointer: JSONPointer.root.appending(first.statement),
        message:
          "The rules for \(package) would exceed a limit: \(PatternLimits.routes) dynamic rules in a file,"
          + " \(ReadDocument.longestText) bytes of text, or the time to make them. No link would open the app.",
        help:
          "Use fewer routes, fewer `*` inside of patterns, or variables with fewer values; or turn"
          + " `dynamicAppLinks` off, so that the app's manifest decides.")
      findings = [limit.finding]
      return
    }
    do throws(TooComplex) {
      let apple = DocumentMatcher.apple(try Matcher(rendering.routes.links))
      let android = DocumentMatcher.android(try AndroidMatcher(links))
      var list = FindingList()
      var unspent = GroupComparison.budget
      for rules in rendering.rules {
        let comparison = GroupComparison(rules, rendering.routes, links, apple, android, domain)
        for finding in comparison.findings(&unspent) { list.add(finding) }
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
  private let apple: DocumentMatcher
  private let android: DocumentMatcher
  private let appleRoutes: [AnalyzedRoute]
  private let androidRoutes: [AnalyzedRoute]
  private let routeRules: [Range<Int>]
  /// Matches URLs that are left out; `nil` if no condition is about the query.
  private let irregular: AnalyzedRoute?
  private let commonQuestions: RouteQuestions
  /// Answers questions in the readings of Apple's routes.
  private lazy var otherQuestions = RouteQuestions(domain: domain) { [appleRoutes, otherRules] in
    (appleRoutes + otherRules[0] + otherRules[1]).map(\.conditions)
  }
  /// The rules, as compared with routes that read URLs as written, and decoded.
  private lazy var otherRules: [[AnalyzedRoute]] =
    [Alphabet.Reading.written, .decoded].map { reading in
      written.enumerated().map {
        AnalyzedRoute(RouteConditions($1, reading: reading), language: $0)
      }
    }
  private let domain: String

  init(
    _ rules: AssetLinksRendering.Rules, _ routes: AndroidRoutes, _ links: AssetLinks,
    _ apple: DocumentMatcher, _ android: DocumentMatcher, _ domain: String
  ) {
    self.rules = rules
    self.domain = domain
    (self.apple, self.android) = (apple, android)
    package = rules.packages.first?.text ?? ""
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
    let appleRoutes = self.routes.enumerated().map { AnalyzedRoute($1, language: $0) }
    let androidRoutes = written.enumerated().map {
      AnalyzedRoute(RouteConditions($1, reading: .common), language: $0)
    }
    var routeRules = self.routes.map { _ in 0..<0 }
    for (rule, route) in rules.origins.enumerated() {
      let start = routeRules[route].isEmpty ? rule : routeRules[route].lowerBound
      routeRules[route] = start..<(rule + 1)
    }
    self.routeRules = routeRules
    let irregular = AnalyzedRoute(irregularBeside: self.routes, appleRoutes + androidRoutes)
    (self.appleRoutes, self.androidRoutes, self.irregular) = (appleRoutes, androidRoutes, irregular)
    commonQuestions = RouteQuestions(domain: domain) {
      (appleRoutes + androidRoutes + [irregular].compactMap(\.self)).map(\.conditions)
    }
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
        guard let finding = finding(about: url, openedOnAndroid: true, &unspent) else {
          fallthrough
        }
        opened.insert(origin)
        findings.append(finding)
      case .undecided: undecided.insert(origin)
      case .none: break
      }
    }
    for index in routes.indices where !routes[index].isExclusion && !arePlain {
      switch answer(openedByRoute(index), &unspent) {
      case .found(let url):
        guard let finding = finding(about: url, openedOnAndroid: false, &unspent) else {
          fallthrough
        }
        findings.append(finding)
      case .undecided: undecided.insert(index)
      case .none:
        guard routeRules[index].isEmpty || appleRoutes[index].conditions.hasUnusualText else {
          break
        }
        switch answer(
          openedByRouteAsRead(index), &unspent, in: appleRoutes[index].conditions.reading)
        {
        case .found(let url):
          if let finding = findingAboutLoss(of: index, url, &unspent) { findings.append(finding) }
        case .undecided: undecided.insert(index)
        case .none: break
        }
      }
    }
    if let finding = findingAboutOtherURLs(&unspent) { findings.append(finding) }
    if let first = undecided.min() { findings.append(notDecided(first, undecided.count)) }
    return findings
  }

  // MARK: - Questions

  private func answer(
    _ question: @autoclosure () -> RouteQuestions.Question, _ unspent: inout Int,
    in reading: Alphabet.Reading = .common
  ) -> RouteQuestions.Answer {
    if unspent <= 0 { return .undecided }
    let questions = reading == .common ? commonQuestions : otherQuestions
    return questions.budget.spending(atMost: Self.budgetPerQuestion, from: &unspent) {
      // Filtering the others takes time, too.
      questions.budget.spend((appleRoutes.count + androidRoutes.count) / 4)
      return questions.answer(question(), reading: reading)
    }
  }

  /// Whether a rule is known to open no more than its route, by questions that cost less than the one below:
  /// each of its URLs matches its route, and if an exclusion before the route does, also a rule for that.
  private func opensNoMore(_ index: Int, _ unspent: inout Int) -> Bool {
    let rule = androidRoutes[index]
    let origin = rules.origins[index]
    let irregular = [irregular].compactMap(\.self)
    var own = RouteQuestions.Question(focus: rule, blockers: irregular)
    own.rivals = [(appleRoutes[origin], true)]
    guard case .none = answer(own, &unspent) else { return false }
    for earlier in routes.indices.prefix(origin)
    where routes[earlier].isExclusion && appleRoutes[earlier].mayMeet(rule) {
      var question = RouteQuestions.Question(
        focus: rule, blockers: irregular + androidRoutes[routeRules[earlier]])
      question.rivals = [(appleRoutes[earlier], false)]
      question.agreesOtherwise = true
      guard case .none = answer(question, &unspent) else { return false }
    }
    return true
  }

  /// Asks for a URL that a rule decides and that Apple's systems keep in the browser.
  private func openedByRule(_ index: Int) -> RouteQuestions.Question {
    let rule = androidRoutes[index]
    let origin = rules.origins[index]
    let earlier = androidRoutes.indices.prefix(index).filter {
      (rules.origins[$0] != origin || written[$0].isExclusion) && androidRoutes[$0].mayMeet(rule)
    }
    let rivals = appleRoutes.indices.filter { appleRoutes[$0].mayMeet(rule) }
    return question(
      rule, behind: earlier.map { androidRoutes[$0] },
      rivals.map { (appleRoutes[$0], !routes[$0].isExclusion) })
  }

  /// Asks for a URL that a route opens on Apple's systems and that Android keeps in the browser.
  private func openedByRoute(_ index: Int) -> RouteQuestions.Question {
    let route = appleRoutes[index]
    let earlier = appleRoutes.prefix(index).filter { $0.mayMeet(route) }
    let rivals = androidRoutes.indices.filter { androidRoutes[$0].mayMeet(route) }
    return question(
      route, behind: earlier, rivals.map { (androidRoutes[$0], !written[$0].isExclusion) })
  }

  /// Asks for the same among all URLs in the way that the route reads them. Android's rules are taken to
  /// match what is escaped where it must be, so a URL is only a candidate.
  private func openedByRouteAsRead(_ index: Int) -> RouteQuestions.Question {
    let route = appleRoutes[index]
    let earlier = appleRoutes.prefix(index).filter {
      $0.mayMeet(route) && $0.isComparable(with: route)
    }
    let rules = otherRules[route.conditions.reading == .written ? 0 : 1]
    let rivals = rules.indices.filter { rules[$0].mayMeet(route) }
    var question = RouteQuestions.Question(focus: route, blockers: earlier)
    question.rivals = rivals.map { (rules[$0], !written[$0].isExclusion) }
    while question.rivals.last?.agrees == false { question.rivals.removeLast() }
    return question
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
  private func finding(
    about url: String, openedOnAndroid: Bool, _ unspent: inout Int
  ) -> Finding? {
    guard let (onApple, onAndroid) = resolutions(of: url, &unspent),
      (onAndroid.resolution == .match) == openedOnAndroid,
      (onApple.resolution == .match) != openedOnAndroid
    else { return nil }
    if openedOnAndroid {
      let route = onAndroid.place.flatMap { place in
        rules.origins.indices.contains(place) ? routes[rules.origins[place]] : nil
      }
      return Finding(
        .androidDiffers, at: onAndroid.place.map { written[$0].pointer } ?? pointer,
        "Android opens \(url.quoted) in \(package) (match), by the \(route?.words ?? "rules"). By the same routes,"
          + " Apple's systems keep it in the browser (\(onApple.resolution.rawValue)).",
        help: "Use `?` only before other characters, or exclude such URLs with a route above it.")
    }
    let place = onApple.place
    let rule = place.flatMap { rules.origins.firstIndex(of: $0) }
    return Finding(
      .androidDiffers, severity: .note, at: rule.map { written[$0].pointer } ?? pointer,
      "Apple's systems open \(url.quoted) (match), by the \(place.map { routes[$0].words } ?? "routes"). Android"
        + " cannot express all of the routes and keeps it in the browser (\(onAndroid.resolution.rawValue)).",
      help: "If Android should open it, add a route with plain text or one `*` at the end.")
  }

  /// A note about a URL that was found as one that a route opens and no rule, if it is one.
  private func findingAboutLoss(
    of index: Int, _ url: String, _ unspent: inout Int
  ) -> Finding? {
    if let finding = finding(about: url, openedOnAndroid: false, &unspent) { return finding }
    // Another rule opens what this route does.
    if let (apple, android) = resolutions(of: url, &unspent), apple.resolution == .match,
      android.resolution == .match
    {
      return nil
    }
    guard routeRules[index].isEmpty else { return nil }
    return Finding(
      .androidDiffers, severity: .note, at: pointer,
      "Android cannot express the \(routes[index].words), so \(package) has no rule for it. No example was found of"
        + " a URL that only Apple's systems open by it, but there may be one.",
      help: "If Android should open it, add a route with plain text or one `*` at the end.")
  }

  /// The decisions of both matchers; `nil` if one takes too many steps.
  private func resolutions(
    of url: String, _ unspent: inout Int
  ) -> (apple: DocumentMatcher.Decision, android: DocumentMatcher.Decision)? {
    var budget = MatchingBudget(steps: 1_000_000)
    defer { unspent -= (1_000_000 - budget.steps) / 4 }
    do throws(TooComplex) {
      return (
        try apple.decision(on: url.utf8.span, for: package, budget: &budget),
        try android.decision(on: url.utf8.span, for: package, budget: &budget)
      )
    } catch {
      return nil
    }
  }

  private func notDecided(_ first: Int, _ count: Int) -> Finding {
    Finding(
      .androidDiffers, severity: .note, at: pointer,
      "It would take too long to find out whether Android opens the same URLs in \(package) by the"
        + " \(routes[first].words)\(count > 1 ? " and \((count - 1).counted("other route"))" : "").",
      help: "Use fewer `*` and variables in one pattern.")
  }

  // MARK: - Other URLs

  /// The number of routes whose URLs are varied.
  private static let mostVaried = 64

  /// Whether both platforms open the same, however URLs are written: everything or nothing.
  private var isTheSameForAllURLs: Bool {
    if routes.allSatisfy(\.isExclusion) || written.allSatisfy(\.isExclusion) { return true }
    guard let first = androidRoutes.firstIndex(where: \.isUnconditional) else { return false }
    return
      !(written[...first].contains(where: \.isExclusion)
      || routes[...rules.origins[first]].contains(where: \.isExclusion))
  }

  /// A note about URLs that are written in an unusual way. Best is an example that only Android opens.
  private func findingAboutOtherURLs(_ unspent: inout Int) -> Finding? {
    if isTheSameForAllURLs { return nil }
    let reason =
      "decodes URLs before it compares them, keeps all slashes, and looks for one of several parameters."
    let rest = " Others may differ the other way round."
    var less: String?
    let exclusions = routes.indices.filter { routes[$0].isExclusion }
    let others = routes.indices.filter { !routes[$0].isExclusion }
    for index in (exclusions + others).prefix(Self.mostVaried) {
      for url in examples(of: index, &unspent) {
        for variant in UnusualURLs.variants(of: url, domain: domain) where unspent > 0 {
          guard let (onApple, onAndroid) = resolutions(of: variant, &unspent) else { continue }
          switch (onApple.resolution, onAndroid.resolution) {
          case (.match, .match): break
          case (.match, _):
            less =
              less
              ?? "Apple's systems open \(variant.quoted) (match), and Android keeps it in the browser"
              + " (\(onAndroid.resolution.rawValue)): it \(reason)\(rest)"
          case (_, .match):
            return otherURLs(
              "Android \(reason) So it opens \(variant.quoted) in \(package) (match), which Apple's systems keep in"
                + " the browser (\(onApple.resolution.rawValue)).\(rest)")
          default: break
          }
        }
      }
    }
    return otherURLs(
      less
        ?? "Android \(reason) So there may be URLs that only one of the platforms opens in \(package), although"
        + " no example was found.")
  }

  private func otherURLs(_ message: String) -> Finding {
    Finding(
      .androidDiffers, severity: .note, at: pointer, message,
      help: "Nothing, unless links are written like this.")
  }

  /// URLs that a route matches, and for one that is no exclusion, also Android by it if possible.
  private func examples(of index: Int, _ unspent: inout Int) -> [String] {
    typealias Question = RouteQuestions.Question
    let reading = appleRoutes[index].conditions.reading
    var questions = [(Question(focus: appleRoutes[index]), reading)]
    // Exclusions match more for Android, and guards other URLs.
    let rule = routeRules[index].first { !written[$0].isExclusion }
    if let rule {
      // Best is a URL that no other route opens.
      let others = routes.indices.filter { $0 != index && !routes[$0].isExclusion }
      let asRead = otherRules[reading == .written ? 0 : 1][rule]
      questions =
        [
          (Question(focus: androidRoutes[rule], blockers: others.map { appleRoutes[$0] }), .common),
          (Question(focus: androidRoutes[rule]), .common), (Question(focus: asRead), reading),
        ] + questions
    }
    var urls: [String] = []
    for (question, reading) in questions where urls.isEmpty || reading == .common {
      if case .found(let url) = answer(question, &unspent, in: reading) { urls.append(url) }
    }
    return urls
  }
}

extension [Pattern.Token] {
  /// The texts of all parts, also of variables.
  fileprivate var texts: [[Unicode.Scalar]] {
    flatMap { token -> [[Unicode.Scalar]] in
      switch token {
      case .literal(let text): [text]
      case .values(let variable): variable.values.flatMap(\.texts)
      case .anyRun, .one, .runUntil, .nothing: []
      }
    }
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
    let escapable = rest.indices.lazy.dropFirst().reversed().filter { index in
      rest[index].asciiValue?.isASCIILetterOrDigit == true
        && !rest[max(0, index - 2)..<index].contains("%")
    }
    for index in escapable.prefix(mostEscaped) {
      for text in [rest[index].asciiValue?.percentEscaped ?? "", "%C3%A9"] {
        variants.append(start + String(rest[..<index]) + text + String(rest[(index + 1)...]))
      }
    }
    for slash in ["/", "//", "%2F"] { variants.append(start + path + slash + end) }
    for slash in ["//", "/%2F"] {
      variants += [start + slash + path.dropFirst() + end, start + slash + end]
    }
    let parent = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    for slash in ["/", "//"] { variants.append(start + parent + slash + end) }
    let last = path.lastIndex { $0 != "/" } ?? path.startIndex
    for slash in ["//", "%2F/"] { variants.append(start + path[..<last] + slash + end) }
    let query = end.prefix { $0 != "#" }
    let fragment = String(end.dropFirst(query.count))
    for separator in query.isEmpty ? [] : ["&", "&&"] {
      variants.append(start + path + query + separator + fragment)
    }
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
  /// Matches the URLs that are not compared because of their query; `nil` if no condition is about it.
  ///
  /// - Parameters:
  ///   - routes: Apple's routes.
  ///   - all: These routes and Android's rules.
  convenience init?(irregularBeside routes: [AppLinks.Route], _ all: [AnalyzedRoute]) {
    if !all.contains(where: \.conditions.hasQuery) { return nil }
    let names = routes.flatMap { route -> [[Unicode.Scalar]] in
      guard case .items(let items) = route.query else { return [] }
      return items.map { Array($0.name.unicodeScalars) }
    }
    self.init(RouteConditions(irregularNames: names.uniqued()), language: -1)
  }

  /// Whether some URL may match both.
  func mayMeet(_ other: AnalyzedRoute) -> Bool {
    prefix.filter.mayMeet(other.prefix.filter) && prefix.mayMeet(other.prefix)
  }
}

extension RouteConditions {
  /// Whether some URL that matches is none of those that are compared exactly.
  var hasUnusualText: Bool {
    var texts = patterns.flatMap(\.texts)
    if case .items(let items) = query { texts += items.map(\.name) }
    return texts.contains { text in
      text.contains { !$0.isASCII || $0 == "%" || $0 == ";" || $0 == "&" }
        || zip(text, text.dropFirst()).contains { $0 == "/" && $1 == "/" }
    }
  }

  /// Whether some query does not meet the condition on it.
  var hasQuery: Bool {
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

  fileprivate var words: String {
    guard let path else { return "route without a path" }
    return "\(isExclusion ? "exclusion" : "route") \(path.text.quoted)"
  }
}
