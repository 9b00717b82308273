extension Inspection {
  /// Paths to which identity providers often send people back.
  private static let callbackPaths = [
    "/oauth/callback", "/oauth2/callback", "/auth/callback", "/callback", "/login/callback",
    "/signin-oidc",
  ]
  /// Paths on which sites often let people sign in.
  private static let signInPaths = ["/login", "/signin", "/sign-in", "/sso", "/users/sign_in"]
  /// The apps that are tried.
  private static let mostApps = 100
  /// The apps that a message names.
  private static let mostNamed = 4

  /// Routes of an app for every path that also take pages for signing in.
  private struct SignInTaking {
    let app: String
    let route: AppLinks.Route
    var callbacks: [String] = []
    var pages: [String] = []

    var paths: [String] { callbacks + pages }
    /// Those that stand for the others: of each sort one.
    var examples: [String] {
      callbacks.isEmpty || pages.isEmpty
        ? Array(paths.prefix(2)) : [callbacks[0], pages[0]]
    }
  }

  /// Reports routes for every path that also take pages for signing in: the app then opens in the middle of a
  /// sign-in in the browser. One finding for all, at the first.
  mutating func inspectSignInPages(domain: String) {
    guard links.entries.contains(where: { $0.routes.contains(where: \.isForEveryPath) }) else {
      return
    }
    do throws(TooComplex) {
      let matcher = try Matcher(links)
      let routes = links.entries.flatMap(\.routes)
      var budget = MatchingBudget()
      var found: [SignInTaking] = []
      var takings: [Int: SignInTaking] = [:]
      for (index, scope) in matcher.scopes.enumerated().prefix(Self.mostApps) {
        let taking: SignInTaking?
        if let twin = scope.twin {
          taking = takings[twin]
        } else {
          taking = try signInPages(taken: scope, matcher, routes, domain, &budget)
        }
        takings[index] = taking
        // What is no identifier opens nothing, as another finding says.
        guard let taking, scope.app.map({ AppIdentifier.fault(of: $0) == nil }) ?? true else {
          continue
        }
        found.append(
          SignInTaking(
            app: scope.app ?? "", route: taking.route, callbacks: taking.callbacks,
            pages: taking.pages))
      }
      if let first = found.first { addSignInPages(first, found.dropFirst(), domain) }
    } catch {
      // `too-complex` reports such routes.
      return
    }
  }

  /// The pages that routes for every path take; `nil` without any, or if the exclusions show that somebody thought
  /// of the site's own.
  private func signInPages(
    taken scope: Matcher.Scope, _ matcher: Matcher, _ routes: [AppLinks.Route], _ domain: String,
    _ budget: inout MatchingBudget
  ) throws(TooComplex) -> SignInTaking? {
    var taking: SignInTaking?
    var exclusions: Set<Int> = []
    var excluded = (callbacks: false, pages: false)
    for (path, isCallback) in Self.callbackPaths.map({ ($0, true) })
      + Self.signInPaths.map({ ($0, false) })
    {
      let url = "https://\(domain)\(path)"
      let decision = try matcher.resolve(url.utf8.span, in: scope, domain: nil, budget: &budget)
      guard let route = decision.route else { continue }
      if decision.resolution == .blocked {
        exclusions.insert(route)
        if isCallback { excluded.callbacks = true } else { excluded.pages = true }
      } else if routes[route].isForEveryPath {
        var known = taking ?? SignInTaking(app: scope.app ?? "", route: routes[route])
        if isCallback { known.callbacks.append(path) } else { known.pages.append(path) }
        taking = known
      }
    }
    let isConsidered =
      exclusions.count >= 3 || exclusions.count == 2 && excluded.callbacks && excluded.pages
    return isConsidered ? nil : taking
  }

  private mutating func addSignInPages(
    _ first: SignInTaking, _ others: ArraySlice<SignInTaking>, _ domain: String
  ) {
    let names = others.prefix(Self.mostNamed).map { other in
      other.route.pointer == first.route.pointer
        ? other.app.shown : "\(other.app.shown) (\(other.route.pointer))"
    }
    let more = others.count > names.count ? " and \(others.count - names.count) more" : ""
    let also =
      others.isEmpty
      ? "" : " The same is true of \(names.joined(separator: ", "))\(more)."
    let exclusions = first.examples.map {
      first.route.isLegacy ? "`\"NOT \($0)\"`" : "`{\"/\": \"\($0)\", \"exclude\": true}`"
    }
    let expectations = ([first] + others.prefix(Self.mostNamed)).flatMap { taking in
      taking.examples.map { path -> String in
        let expectation: JSON = [
          "url": .string("https://\(domain)\(path)"), "app": .string(taking.app),
          "resolution": "blocked",
        ]
        return expectation.text
      }
    }
    add(
      .takesSignInPages, at: first.route.pointer,
      "This route takes every path that no earlier one does, also those where people often sign in or come back from"
        + " an identity provider: \(first.paths.joined(separator: ", ")). If the site has such a page, the app"
        + " \(first.app.shown) may open in the middle of a sign-in in the browser.\(also)",
      help:
        "Exclude the pages where your site and its identity providers sign people in, before this route:"
        + " \(exclusions.joined(separator: ", ")). To keep it so, add expectations such as"
        + " \(expectations.joined(separator: ", ")).")
  }
}

extension AppLinks.Route {
  /// Whether the only condition is a path that says nothing but how long it is, and perhaps how deep.
  fileprivate var isForEveryPath: Bool {
    if isExclusion || !takesEveryQuery || fragment.map({ !$0.tokens.isStar }) == true {
      return false
    }
    // The finding about the query tells.
    if case .ignored = query { return false }
    guard let path else { return true }
    return path.text.utf8.contains(UInt8(ascii: "*"))
      && path.text.utf8.allSatisfy { "*?/".utf8.contains($0) }
  }
}
