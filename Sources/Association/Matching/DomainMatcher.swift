/// The documents of a domain, compiled to resolve URLs for the apps of both platforms.
package struct DomainMatcher: Sendable {
  private var matchers: [Platform: DocumentMatcher] = [:]

  /// - Throws: `TooComplex` if a document is over a limit.
  package init(_ documents: ReadDocuments) throws(TooComplex) {
    matchers[.ios] = .apple(try Matcher(documents.apple.links))
    if let links = documents.assetLinks { matchers[.android] = .android(try AndroidMatcher(links)) }
  }

  /// Resolves a URL for an app.
  ///
  /// - Parameter domain: If given, a URL with another host matches nothing.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func resolution(
    of url: String, for app: LinkedApp, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Resolution {
    try matchers[app.platform]?.decision(
      on: url.utf8.span, for: app.text, domain: domain, budget: &budget
    ).resolution ?? .noMatch
  }

  /// Resolves a URL for an app and says why, which is slower.
  ///
  /// - Parameter domain: If given, a URL with another host matches nothing.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func explain(
    _ url: String, for app: LinkedApp, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Explanation {
    guard let matcher = matchers[app.platform] else {
      return Explanation(
        app: app.text,
        reason: "The domain has no \(DocumentKind.assetLinks.rawValue), so no Android app opens it."
      )
    }
    return try matcher.explain(url.utf8.span, for: app.text, domain: domain, budget: &budget)
  }
}
