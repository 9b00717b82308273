import Association

extension Matcher {
  func resolve(
    _ url: String, in scope: Scope, domain: String? = nil
  ) throws(TooComplex) -> Decision {
    var budget = MatchingBudget()
    return try resolve(url.utf8.span, in: scope, domain: domain, budget: &budget)
  }

  func explain(
    _ url: String, in scope: Scope, domain: String? = nil
  ) throws(TooComplex) -> Explanation {
    var budget = MatchingBudget()
    return try explain(url.utf8.span, in: scope, domain: domain, budget: &budget)
  }
}

extension AndroidMatcher {
  func explain(
    _ url: String, for app: String?, domain: String? = nil
  ) throws(TooComplex) -> Explanation {
    var budget = MatchingBudget()
    return try explain(url.utf8.span, for: app, domain: domain, budget: &budget)
  }
}
