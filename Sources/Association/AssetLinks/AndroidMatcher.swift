/// An assetlinks.json file compiled to resolve URLs for Android apps.
///
/// The first statement that lets the app handle links applies. Without dynamic rules, the app opens every
/// URL that its manifest names; the manifest is taken to name every URL of the site. Otherwise the first
/// rule that holds decides (Google's page "Configure website associations").
package final class AndroidMatcher: Sendable {
  /// The packages of the apps that may handle links, in the order of first appearance.
  package let apps: [String]
  private let statements: [String: [AssetLinks.Statement]]
  private let hasIncludes: Bool

  /// Compiles a file.
  ///
  /// - Throws: `TooComplex` if it is over a limit.
  package init(_ links: AssetLinks) throws(TooComplex) {
    if let error = links.complexity { throw error }
    var apps: [String] = []
    var statements: [String: [AssetLinks.Statement]] = [:]
    for statement in links.statements where statement.relations.contains(.handleAllURLs) {
      guard case .app(let package, _) = statement.target else { continue }
      if statements[package.text] == nil { apps.append(package.text) }
      statements[package.text, default: []].append(statement)
    }
    (self.apps, self.statements) = (apps, statements)
    hasIncludes = !links.includes.isEmpty
  }

  /// What decides about a URL.
  private enum Decision {
    case notLinked
    case statement(AssetLinks.Statement)
    case rule(Int, of: [AssetLinks.Rule])
    case noRule(of: [AssetLinks.Rule])

    var resolution: Resolution {
      switch self {
      case .notLinked, .noRule: .noMatch
      case .statement: .match
      case .rule(let index, let rules): rules[index].resolution
      }
    }
  }

  /// Resolves a URL for an app; with the index of the rule that decides, if one does.
  ///
  /// - Parameters:
  ///   - app: The package; `nil` for nobody.
  ///   - domain: If given, a URL with another host matches nothing.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func decision(
    on url: Span<UInt8>, for app: String?, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> (resolution: Resolution, rule: Int?) {
    guard url.count <= MatchingBudget.mostURLBytes else { throw .tooLong(url) }
    guard let parts = URLParts(url), parts.isHost(of: domain, in: url) else {
      return (.noMatch, nil)
    }
    let decision = try decide(url, DynamicURL(url, parts), app, &budget)
    if case .rule(let index, of: _) = decision { return (decision.resolution, index) }
    return (decision.resolution, nil)
  }

  /// The rules of an app; `nil` if it has none, so that its manifest decides, or is not linked.
  func rules(of app: String) -> [AssetLinks.Rule]? {
    if case .list(let rules)? = statements[app]?.first?.rules { rules } else { nil }
  }

  /// Whether every URL that the manifest of an app names opens it.
  func isDecidedByManifest(_ app: String) -> Bool {
    statements[app] != nil && rules(of: app) == nil
  }

  private func decide(
    _ text: Span<UInt8>, _ url: DynamicURL, _ app: String?, _ budget: inout MatchingBudget
  ) throws(TooComplex) -> Decision {
    guard let statement = app.flatMap({ statements[$0]?.first }) else { return .notLinked }
    guard case .list(let rules) = statement.rules else { return .statement(statement) }
    for (index, rule) in rules.enumerated() {
      let holds = rule.holds(for: url, &budget.steps)
      if budget.steps < 0 { throw .tooSlow(text, at: rule.pointer) }
      if holds { return .rule(index, of: rules) }
    }
    return .noRule(of: rules)
  }

  /// Resolves a URL as `decision` does and says why, which is slower.
  ///
  /// The reason has "Undocumented:" if the answer depends on a rule that none of Google's documents or
  /// tests states, with these rules.
  package func explain(
    _ url: Span<UInt8>, for app: String?, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Explanation {
    guard url.count <= MatchingBudget.mostURLBytes else { throw .tooLong(url) }
    let parts = URLParts(url)
    guard let parts, parts.isHost(of: domain, in: url) else {
      return .otherURL(url, parts, for: app, domain: domain)
    }
    let compared = DynamicURL(url, parts)
    let decision = try decide(url, compared, app, &budget)
    var undocumented = UndocumentedRules(compared, atMost: budget.stepsForUndocumented)
    defer { budget.stepsForUndocumented -= undocumented.spent }
    if let app { undocumented.compare(statements[app] ?? []) }
    switch decision {
    case .notLinked: return notLinked(app)
    case .statement(let statement):
      return Explanation(
        app: app, resolution: .match, route: statement.pointer,
        reason: Self.reason(statement, &undocumented) + undocumented.sentences)
    case .rule(let index, let rules):
      undocumented.inspect(rules, decidedBy: index)
      let rule = rules[index]
      return Explanation(
        app: app, resolution: rule.resolution, route: rule.pointer,
        reason:
          "The first matching rule is \(rule.pointer), \(rule.isExclusion ? "an exclusion" : "a rule")"
          + " for \(rule.words).\(undocumented.sentences)")
    case .noRule(let rules):
      undocumented.inspect(rules, decidedBy: nil)
      let miss = nearMiss(url, parts, of: rules, &budget)
      let closest = try closest(of: miss.map { [$0.rule] } ?? rules, url, compared, &budget)
      return Explanation(
        app: app, closest: closest?.rule.pointer,
        reason: "No rule matches"
          + (closest.map {
            ". The closest is \($0.rule.pointer), which requires \($0.failed.words)"
          }
            ?? ", since none has a condition") + ".\(miss?.sentence ?? "")\(undocumented.sentences)"
      )
    }
  }

  private func notLinked(_ app: String?) -> Explanation {
    let relation = Relation.handleAllURLs
    let reason =
      app.map { app in
        "No statement grants \(relation) to the app \(app.shown)."
          + (PackageName(app)?.sentence(onOthersIn: statements.keys.sorted()) ?? "")
      }
      ?? "No statement grants \(relation) to an app, so no app opens the URL."
    return Explanation(
      app: app, reason: reason + (hasIncludes ? " Included files are not read." : ""))
  }

  private static func reason(
    _ statement: AssetLinks.Statement, _ undocumented: inout UndocumentedRules
  ) -> String {
    let rest = "so every URL that the app's manifest names opens the app."
    guard case .dropped(let pointer, let isDocumented) = statement.rules else {
      return "The statement \(statement.pointer) has no dynamic rules, \(rest)"
    }
    if !isDocumented { undocumented.add(.emptyField) }
    return "Android drops the dynamic rules of \(statement.pointer) because of \(pointer), \(rest)"
  }

  /// The first rule that meets the most conditions, with the first condition it fails; an exclusion only
  /// if there is nothing else.
  private func closest(
    of rules: [AssetLinks.Rule], _ text: Span<UInt8>, _ url: DynamicURL,
    _ budget: inout MatchingBudget
  ) throws(TooComplex) -> (rule: AssetLinks.Rule, failed: AssetLinks.Condition)? {
    var best: (rule: AssetLinks.Rule, failed: AssetLinks.Condition, met: Int)?
    let rules = rules.filter { !$0.conditions.isEmpty }
    let areExclusions = rules.allSatisfy(\.isExclusion)
    for rule in rules where areExclusions || !rule.isExclusion {
      var (met, failed) = (0, nil as AssetLinks.Condition?)
      for condition in rule.conditions {
        if condition.holds(for: url, &budget.steps) {
          met += 1
        } else {
          failed = failed ?? condition
        }
      }
      if budget.steps < 0 { throw .tooSlow(text, at: rule.pointer) }
      if let failed, met > best?.met ?? -1 { best = (rule, failed, met) }
    }
    return best.map { ($0.rule, $0.failed) }
  }
}

extension AssetLinks {
  /// Why nothing may be made of the rules; `nil` if the file is within the limits.
  var complexity: TooComplex? {
    if isTooLarge {
      return TooComplex(
        pointer: .root,
        message: "The file is not read: it has more than \(ReadDocument.limits.values) values or "
          + "\(ReadDocument.longestText) bytes of text.",
        help: "Remove statements and rules that no app needs.")
    }
    let rules = statements.reduce(0) { count, statement in
      if case .list(let rules) = statement.rules { count + rules.count } else { count }
    }
    if rules <= PatternLimits.routes { return nil }
    return TooComplex(
      pointer: .root,
      message: "The file has more than \(PatternLimits.routes) dynamic rules, the limit.",
      help: "Merge rules with wildcards.")
  }
}

extension AssetLinks.Rule {
  /// What the rule decides about URLs for which it holds.
  var resolution: Resolution { isExclusion ? .blocked : .match }

  /// Whether the rule has conditions and the URL meets each.
  func holds(for url: DynamicURL, _ steps: inout Int) -> Bool {
    steps -= 1
    return !conditions.isEmpty && conditions.allSatisfy { $0.holds(for: url, &steps) }
  }
}

extension AssetLinks.Condition {
  /// The texts of which the pattern must cover one.
  func texts(of url: DynamicURL) -> [[UInt16]] {
    switch self {
    case .path: [url.path]
    case .parameter: url.parameters
    case .fragment: url.fragment.map { [$0] } ?? []
    }
  }

  func holds(for url: DynamicURL, _ steps: inout Int) -> Bool {
    texts(of: url).contains { pattern.matches($0, &steps) }
  }
}
