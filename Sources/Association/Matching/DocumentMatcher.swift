/// A document of any kind that decides about links, compiled to resolve URLs.
package enum DocumentMatcher: Sendable {
  case apple(Matcher)
  case android(AndroidMatcher)

  /// What decides about a URL: the place of a route or rule in the app's list, if one does.
  package typealias Decision = (resolution: Resolution, place: Int?)

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

  package var platform: Platform {
    switch self {
    case .apple: .ios
    case .android: .android
    }
  }

  /// The apps to resolve for: the given one, or all that the document names. If it names none, `nil` for
  /// nobody.
  package func apps(asking app: String?) -> [String?] {
    if let app { return [app] }
    let apps =
      switch self {
      case .apple(let matcher): matcher.scopes.map(\.app)
      case .android(let matcher): matcher.apps as [String?]
      }
    return apps.isEmpty ? [nil] : apps
  }

  /// Resolves a URL for one of the `apps`.
  ///
  /// - Parameter domain: If given, a URL with another host matches nothing.
  /// - Throws: `TooComplex` if the URL is too long or takes too many steps.
  package func decision(
    on url: Span<UInt8>, for app: String?, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Decision {
    switch self {
    case .apple(let matcher):
      let scope = matcher.scope(of: app)
      let decision = try matcher.resolve(url, in: scope, domain: domain, budget: &budget)
      return (decision.resolution, decision.route.map(scope.place))
    case .android(let matcher):
      let decision = try matcher.decision(on: url, for: app, domain: domain, budget: &budget)
      return (decision.resolution, decision.rule)
    }
  }

  /// Explains the outcome of `decision`, which is slower.
  package func explain(
    _ url: Span<UInt8>, for app: String?, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> Explanation {
    switch self {
    case .apple(let matcher):
      try matcher.explain(url, in: matcher.scope(of: app), domain: domain, budget: &budget)
    case .android(let matcher):
      try matcher.explain(url, for: app, domain: domain, budget: &budget)
    }
  }

  /// Explains the resolution of a URL for each app in the document, or for one app.
  package func explanations(
    for url: String, app: String? = nil, domain: String? = nil, budget: inout MatchingBudget
  ) throws(TooComplex) -> [Explanation] {
    if case .apple(let matcher) = self, app == nil {
      return try matcher.explanations(for: url, domain: domain, budget: &budget)
    }
    var explanations: [Explanation] = []
    for app in apps(asking: app) {
      explanations.append(try explain(url.utf8.span, for: app, domain: domain, budget: &budget))
    }
    return explanations
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
