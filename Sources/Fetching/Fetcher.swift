public import HTTP

/// Fetches from other machines, many at once on one thread, over libcurl's multi interface.
///
/// It follows no redirect, uses no proxy, and connects only to public addresses unless its policy allows
/// others.
public final class Fetcher: Sendable {
  /// Where it may connect, and what it trusts.
  public struct Policy: Sendable {
    /// The private, loopback, link-local and reserved addresses that it may connect to.
    public var allowedAddresses: [AddressRange] = []
    /// Where hosts are found instead of at what their names resolve to. Such an address is refused like any
    /// other, unless it is allowed.
    public var places: [Place] = []
    /// A PEM file of certificate authorities that are trusted besides those of the system.
    public var authorities: String?

    /// Public addresses and the system's authorities only.
    public init() {}
  }

  /// Where a host is found instead of at what its name resolves to.
  public struct Place: Sendable, Equatable {
    /// The host; `*` for every host.
    public let host: String
    /// The address.
    public let address: IPAddress
    /// The port; `nil` for that of the URL.
    public let port: UInt16?

    /// Parses `HOST:ADDRESS` or `HOST:ADDRESS:PORT`, such as `example.com:192.0.2.1` or
    /// `*:[::1]:8443`; nil for anything else.
    public init?(_ text: String) { return nil }
  }

  /// Starts the thread.
  public init(_ policy: Policy = Policy()) {}

  /// Fetches a URL. Returns within the request's time.
  public func fetch(_ request: FetchRequest) async -> Fetch { Fetch() }
}
