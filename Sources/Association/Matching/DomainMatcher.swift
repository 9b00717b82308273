/// The documents of a domain, compiled to resolve URLs for the apps of both platforms.
package struct DomainMatcher: Sendable {
  private let ios: Matcher
  /// `nil` if there is no file for Android.
  private let android: AndroidMatcher?

  /// Compiles documents.
  ///
  /// - Throws: `TooComplex` if one is over a limit.
  package init(_ documents: ReadDocuments) throws(TooComplex) {
    ios = try Matcher(documents.apple.links)
    android = try documents.assetLinks.map { links throws(TooComplex) in
      try AndroidMatcher(links)
    }
  }

  /// Resolves a URL for an app and says why.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - app: The app.
  ///   - domain: If given, a URL with another host matches nothing.
  ///   - budget: The steps that this may take.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func explain(
    _ url: String, for app: LinkedApp, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Explanation {
    switch app {
    case .ios(let app):
      return try ios.explain(
        url.utf8.span, in: ios.scope(of: app.text), domain: domain, budget: &budget)
    case .android(let package):
      guard let android else {
        return Explanation(
          app: package.text,
          reason:
            "The domain has no \(DocumentKind.assetLinks.rawValue), so no Android app opens it.")
      }
      return try android.explain(
        url.utf8.span, for: package.text, domain: domain, budget: &budget)
    }
  }
}
