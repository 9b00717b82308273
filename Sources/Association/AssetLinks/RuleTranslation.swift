/// Rewrites Apple's routes as dynamic rules.
enum RuleTranslation {
  private enum Condition {
    case path(String)
    case parameter(name: String, value: String)
    case fragment(String)
  }

  /// The number of rules that one route may become.
  private static let mostRules = PatternTranslation.mostPatterns

  /// The rules for a route, in any order; none if Android cannot express any of it.
  ///
  /// An allowing route becomes rules that open no more than it does, an exclusion rules that exclude no less.
  /// `PatternTranslation` says for which URLs that holds. With a budget that is spent, the rules are of no use.
  static func rules(for route: AppLinks.Route, _ budget: SearchBudget) -> [JSON] {
    let translation = PatternTranslation(for: route, budget)
    var choices: [[Condition]] = []
    switch route.query {
    case .any, .ignored: break
    case .whole(let pattern) where pattern.tokens.isStar: break
    // Android does not compare a query as a whole.
    case .whole: if !route.isExclusion { return [] }
    case .items(let items):
      for item in items {
        guard let parameters = translation.parameter(item) else { continue }
        choices.append(parameters.map { .parameter(name: $0.name, value: $0.value) })
      }
    }
    if let fragments = translation.fragment(route.fragment) {
      choices.append(fragments.map(Condition.fragment))
    }
    guard let paths = translation.path(route.path) else {
      return rules(choices, isExclusion: route.isExclusion)
    }
    // A guard only keeps out what the patterns behind it would open.
    let exact = rules([paths.exact.map(Condition.path)] + choices, isExclusion: route.isExclusion)
    let guards = rules([paths.guards.map(Condition.path)] + choices, isExclusion: true)
    let guarded = rules([paths.guarded.map(Condition.path)] + choices, isExclusion: false)
    return exact + (guarded.isEmpty || guards.isEmpty ? [] : guards + guarded)
  }

  /// A rule for each choice of one condition from every list.
  private static func rules(_ choices: [[Condition]], isExclusion: Bool) -> [JSON] {
    var choices = choices
    if choices.contains(where: \.isEmpty) { return [] }
    if isExclusion {
      // With fewer conditions, an exclusion keeps more URLs out.
      while choices.reduce(1, { min($0 * $1.count, mostRules + 1) }) > mostRules {
        choices.removeLast()
      }
    }
    var rules: [[Condition]] = [[]]
    for choice in choices {
      rules = Array(
        rules.lazy.flatMap { rule in choice.lazy.map { rule + [$0] } }.prefix(mostRules))
    }
    return rules.compactMap { json($0, isExclusion: isExclusion) }
  }

  /// The rule; `nil` if two conditions are about one parameter, which a rule cannot have.
  private static func json(_ conditions: [Condition], isExclusion: Bool) -> JSON? {
    var (path, fragment): (JSON?, JSON?)
    var query: JSON.Object = [:]
    for condition in conditions {
      switch condition {
      case .path(let pattern): path = .string(pattern)
      case .parameter(let name, let value) where query[name] == nil: query[name] = .string(value)
      case .parameter where isExclusion: break
      case .parameter: return nil
      case .fragment(let pattern): fragment = .string(pattern)
      }
    }
    var rule: JSON.Object = [:]
    rule["/"] = path ?? (conditions.isEmpty ? "*" : nil)
    rule["?"] = query.isEmpty ? nil : .object(query)
    rule["#"] = fragment
    if isExclusion { rule["exclude"] = true }
    return .object(rule)
  }
}
