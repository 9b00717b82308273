public import JSONValue

/// Which routes of a document ever decide about a URL.
///
/// The analysis uses automata and is exact: a verdict holds for all URLs. If the conditions do not
/// allow a verdict, the result says so.
public struct Shadowing: Sendable {
  /// The verdict on a route.
  public enum Verdict: Sendable, Equatable {
    /// The route decides about some URLs, for instance this one.
    case decides(example: String)
    /// The route matches no possible URL.
    case matchesNothing
    /// Earlier routes of the entry match every URL that the route matches. All of these are needed.
    case shadowed(by: [JSONPointer])
    /// An earlier route of the entry matches exactly the same URLs.
    case repeats(JSONPointer)
    /// The analysis could not decide whether the route ever decides.
    case notDecided(Reason)
  }

  /// Why a verdict is missing.
  public enum Reason: Sendable, Equatable {
    /// Some of the routes compare URLs with their percent-encoding, others without.
    case mixedPercentEncoding
    /// The analysis would take too long.
    case tooComplex
  }

  /// A route with its verdict.
  public struct Route: Sendable, Equatable {
    /// Where the route is in the document.
    public let pointer: JSONPointer
    /// Whether the route ever decides.
    public let verdict: Verdict
    /// Whether this is an exclusion without effect: no later route that an app of the entry uses
    /// matches any of the URLs that it excludes.
    public let isUnneededExclusion: Bool
  }

  /// The routes of all entries, in file order.
  public let routes: [Route]

  /// Analyses the routes of a document; the examples have this domain.
  public init(_ links: AppLinks, domain: String = "example.com") {
    self.init(links, domain: domain, budget: ShadowingAnalysis.budgetPerDocument)
  }

  /// Analyses the routes of a document with another search budget than usual.
  package init(_ links: AppLinks, domain: String = "example.com", budget: Int) {
    routes = ShadowingAnalysis(links, domain: domain, budget: budget).verdicts()
  }
}
