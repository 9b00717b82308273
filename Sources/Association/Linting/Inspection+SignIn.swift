import JSONValue

extension Inspection {
  /// Paths on which sites often let people sign in, or providers send them back.
  private static let signInPaths = [
    "/login", "/signin", "/sign-in", "/sso", "/auth/callback", "/oauth/callback",
    "/oauth2/callback",
    "/login/callback", "/signin-oidc", "/users/sign_in",
  ]
  /// The apps that are tried.
  private static let mostApps = 100
  /// The paths that a message names.
  private static let mostNamed = 4

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
      for scope in matcher.scopes.lazy.filter({ $0.twin == nil }).prefix(Self.mostApps) {
        var taken: [(path: String, route: Int)] = []
        for path in Self.signInPaths {
          let url = "https://\(domain)\(path)"
          let decision = try matcher.resolve(
            url.utf8.span, in: scope, domain: nil, budget: &budget)
          if decision.resolution == .match, let route = decision.route, routes[route].isForEveryPath
          {
            taken.append((path, route))
          }
        }
        if let first = taken.first {
          return addSignInPages(taken.map(\.path), routes[first.route], scope.app ?? "", domain)
        }
      }
    } catch {
      // Whoever resolves URLs by these routes is told.
      return
    }
  }

  private mutating func addSignInPages(
    _ paths: [String], _ route: AppLinks.Route, _ app: String, _ domain: String
  ) {
    let others = paths.count > Self.mostNamed ? " and others" : ""
    let expectation: JSON = [
      "url": .string("https://\(domain)\(paths[0])"), "app": .string(app), "resolution": "blocked",
    ]
    let exclusion =
      route.isLegacy
      ? "`\"NOT \(paths[0])\"`" : "`{\"/\": \"\(paths[0])\", \"exclude\": true}`"
    add(
      .takesSignInPages, at: route.pointer,
      "This route takes every path that no earlier one does, also those where people often sign in:"
        + " \(paths.prefix(Self.mostNamed).joined(separator: ", "))\(others). If the site has such a page, the app"
        + " may open in the middle of a sign-in in the browser.",
      help:
        "Exclude the pages where your site and its identity providers sign people in, before this route:"
        + " \(exclusion). To keep it so, add expectations such as \(expectation.text).")
  }
}

extension AppLinks.Route {
  /// Whether the only condition is a path that nearly every URL has.
  fileprivate var isForEveryPath: Bool {
    if isExclusion || fragment.map({ !$0.tokens.isStar }) == true { return false }
    let takesEveryQuery =
      switch query {
      case .any: true
      // The finding about the query tells.
      case .ignored: false
      case .whole(let pattern): pattern.tokens.isStar
      case .items(let items): items.allSatisfy(\.pattern.tokens.isStar)
      }
    guard takesEveryQuery else { return false }
    guard let path else { return true }
    let rest = path.text.utf8.drop { $0 == UInt8(ascii: "/") }
    return rest.contains(UInt8(ascii: "*"))
      && rest.allSatisfy { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
  }
}
