/// Which routes of a document ever decide about a URL.
///
/// The routes of all entries of an app are tried in file order, so a route may be shadowed by those of
/// earlier entries. An entry with `appID` and `paths` is compared only with others of this kind: behind
/// an entry with `components`, it is for older systems, which do not read that entry.
///
/// The analysis uses automata and is exact: a verdict holds for all URLs. If the conditions do not
/// allow a verdict, the result says so.
package struct Shadowing: Sendable {
  package enum Verdict: Sendable, Equatable {
    /// For an app of its entry, the route decides about some URLs, for instance this one.
    case decides(example: String)
    /// The route matches no possible URL.
    case matchesNothing
    /// For each app of its entry, earlier routes match every URL that the route matches. For one app,
    /// all of these are needed.
    case shadowed(by: [JSONPointer])
    /// An earlier route matches exactly the same URLs.
    case repeats(JSONPointer)
    /// The analysis could not decide whether the route ever decides.
    case notDecided(Reason)
  }

  /// Why a verdict is missing.
  package enum Reason: Sendable, Equatable {
    /// Some of the routes compare URLs with their percent-encoding, others without.
    case mixedPercentEncoding
    /// The analysis would take too long.
    case tooComplex
  }

  /// The later routes of an exclusion's apps, if the exclusion matches every URL that they match.
  package struct Hidden: Sendable, Equatable {
    /// The first of the routes.
    package let first: JSONPointer
    package let count: Int
    /// A URL that the first of them matches; `nil` if none was found in time.
    package let example: String?
  }

  package struct Route: Sendable, Equatable {
    package let pointer: JSONPointer
    /// Whether the route ever decides.
    package let verdict: Verdict
    /// A URL that the route matches; `nil` if none was found in time, or exists.
    package let example: String?
    /// Whether this is an exclusion without effect: no later route that an app of the entry uses
    /// matches any of the URLs that it excludes.
    package let isUnneededExclusion: Bool
    /// The later routes if this is an exclusion that hides them all.
    package let hidden: Hidden?
  }

  /// The routes of all entries, in file order.
  package let routes: [Route]

  /// Analyses the routes of a document; the examples have this domain.
  package init(_ links: AppLinks, domain: String = "example.com") {
    self.init(links, domain: domain, budget: ShadowingAnalysis.budgetPerDocument)
  }

  /// Analyses the routes of a document with another search budget than usual.
  package init(_ links: AppLinks, domain: String = "example.com", budget: Int) {
    routes = ShadowingAnalysis(links, domain: domain, budget: budget).result()
  }
}
