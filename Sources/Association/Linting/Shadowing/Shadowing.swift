public import JSONValue

/// What the routes of a document do together: which of them ever decide about a URL.
///
/// Decided with automata, exactly: what is said holds for all URLs. Where the conditions do not allow
/// that, the verdict says so.
public struct Shadowing: Sendable {
  /// What becomes of a route.
  public enum Verdict: Sendable, Equatable {
    /// The route decides about some URLs, this one for instance.
    case decides(example: String)
    /// The route matches no URL that can exist.
    case matchesNothing
    /// Earlier routes of the entry match every URL that the route matches: these alone suffice.
    case shadowed(by: [JSONPointer])
    /// An earlier route of the entry matches exactly the same URLs.
    case repeats(JSONPointer)
    /// It is not known whether the route ever decides.
    case notDecided(Reason)
  }

  /// Why a question has no answer.
  public enum Reason: Sendable, Equatable {
    /// Some of the routes compare URLs with their percent-encoding, others without.
    case mixedPercentEncoding
    /// The answer would take too long.
    case tooComplex
  }

  /// A route and what becomes of it.
  public struct Route: Sendable, Equatable {
    /// Where the route stands.
    public let pointer: JSONPointer
    /// What becomes of it.
    public let verdict: Verdict
    /// Whether it is an exclusion after which no route that an app of the entry reaches, in this
    /// entry or a later one, matches any of what it excludes.
    public let isUnneededExclusion: Bool
  }

  /// The routes of all entries, in the order of the file.
  public let routes: [Route]

  /// Examines the routes of a document; the examples have this domain.
  public init(_ links: AppLinks, domain: String = "example.com") {
    self.init(links, domain: domain, effort: ShadowingExamination.effortPerDocument)
  }

  /// Examines the routes of a document with another limit on the work than usual.
  package init(_ links: AppLinks, domain: String = "example.com", effort: Int) {
    routes = ShadowingExamination(links, domain: domain, effort: effort).examined()
  }
}
