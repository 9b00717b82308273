/// A document of any kind that decides about links, compiled to resolve URLs.
package enum DocumentMatcher: Sendable {
  case apple(Matcher)
  case android(AndroidMatcher)

  /// Compiles a document; `nil` if its kind does not decide about links.
  ///
  /// - Throws: `TooComplex` if it is over a limit.
  package init?(_ document: JSON, kind: DocumentKind) throws(TooComplex) {
    switch kind.platform {
    case .ios: self = .apple(try Matcher(document: document))
    case .android: self = .android(try AndroidMatcher(AssetLinks(document)))
    case nil: return nil
    }
  }

  /// The platform that reads the document.
  package var platform: Platform {
    switch self {
    case .apple: .ios
    case .android: .android
    }
  }

  /// The apps to resolve for: the given one, or all that the document names. If it names none, `nil` for
  /// nobody.
  package func apps(asking app: String?) -> [String?] {
    switch self {
    case .apple(let matcher): matcher.scopes(asking: app).map(\.app)
    case .android(let matcher): matcher.apps(asking: app)
    }
  }

  /// Resolves a URL for each app in the document, or for one app, and says why.
  ///
  /// - Parameters:
  ///   - app: The app; without it, every app in the document.
  ///   - domain: If given, a URL with another host matches nothing.
  ///   - budget: The steps that this may take.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func results(
    for url: String, app: String? = nil, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> [MatchResult] {
    switch self {
    case .apple(let matcher):
      return try matcher.results(for: url, app: app, domain: domain, budget: &budget)
    case .android(let matcher):
      var results: [MatchResult] = []
      for app in matcher.apps(asking: app) {
        let explanation = try matcher.explain(
          url.utf8.span, for: app, domain: domain, budget: &budget)
        results.append(MatchResult(url: url, platform: .android, explanation: explanation))
      }
      return results
    }
  }
}

extension [DocumentMatcher] {
  /// The documents to ask about an app, or about all apps: those that name it. If none does, the one of the
  /// app's platform, or the first.
  package func asking(_ app: String?) -> [DocumentMatcher] {
    let naming = filter { document in
      let names = document.apps(asking: nil).compactMap(\.self)
      return app.map(names.contains) ?? !names.isEmpty
    }
    if !naming.isEmpty { return naming }
    let likely = app.flatMap { app in first { $0.platform == Platform(likelyOf: app) } }
    return (likely ?? first).map { [$0] } ?? []
  }
}
