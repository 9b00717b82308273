import Association

/// What the document of a domain says of URLs of that domain.
struct Resolver {
  private let domain: Domain
  private let matcher: Matcher

  init(_ domain: Domain, _ document: ReadDocument) {
    self.domain = domain
    matcher = Matcher(document.links)
  }

  /// The expectations of the domain that its document does not meet.
  func broken() -> [BrokenExpectation] {
    domain.expectations.compactMap { expectation in
      let explanation = explain(expectation)
      if explanation.resolution == expectation.resolution { return nil }
      return BrokenExpectation(expectation: expectation, explanation: explanation)
    }
  }

  /// The URLs of expectations, then or now, that resolve differently now.
  func changes(since old: Resolver) -> [ChangedResolution] {
    var seen: Set<Expectation> = []
    return (old.domain.expectations + domain.expectations).compactMap { expectation in
      guard seen.insert(expectation).inserted else { return nil }
      let before = old.explain(expectation).resolution
      let after = explain(expectation).resolution
      if before == after { return nil }
      return ChangedResolution(
        url: expectation.url, app: expectation.app, before: before, after: after)
    }
  }

  private func explain(_ expectation: Expectation) -> Explanation {
    matcher.explain(
      expectation.url, in: matcher.scope(of: expectation.app.text),
      domain: domain.hostThatCounts(in: expectation.url))
  }
}
