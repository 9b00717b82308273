public import Association
public import Fetching
import JSONValue
public import Store

/// Looks at domains from outside.
public struct Checker: Sendable {
  /// Where Apple's and Google's services are.
  public struct Services: Sendable, Equatable {
    /// Apple's CDN, without the path.
    public var appleCDN = "https://app-site-association.cdn-apple.com"
    /// Google's Digital Asset Links service, without the path.
    public var googleDigitalAssetLinks = "https://digitalassetlinks.googleapis.com"
    /// The key for Google's service; `nil` asks without one.
    public var googleKey: String?

    /// The real services.
    public init() {}
  }

  private let fetcher: Fetcher
  private let services: Services
  private let now: @Sendable () -> Int64

  /// A checker.
  ///
  /// - Parameter now: Returns the current time in seconds since 1970.
  public init(
    _ fetcher: Fetcher, _ services: Services = Services(), now: @escaping @Sendable () -> Int64
  ) {
    self.fetcher = fetcher
    self.services = services
    self.now = now
  }

  /// Looks at a domain. Takes at most about 10 seconds.
  public func check(_ subject: Subject) async -> Check {
    Check(of: subject.domain, at: now())
  }

  /// What is looked at, and what should be there.
  public struct Subject: Sendable {
    /// The domain.
    public let domain: DomainName

    /// A domain, with what a store has of it.
    ///
    /// - Throws: `StoreError.database`.
    public init(_ domain: DomainName, in store: Store) throws { self.domain = domain }
  }
}
