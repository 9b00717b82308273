package import HTTP

/// Fetches from other machines, many at once on one thread, over libcurl's multi interface.
///
/// It follows no redirect, ignores the proxies of the environment, and connects only to public addresses
/// unless its policy allows others.
package final class Fetcher: Sendable {
  /// Where it may connect, and what it trusts.
  package struct Policy: Sendable {
    /// The private, loopback, link-local and reserved addresses that it may connect to.
    package var allowedAddresses: [AddressRange] = []
    /// Where hosts are found instead of at what their names resolve to. Such an address is refused like any
    /// other, unless it is allowed.
    package var places: [Place] = []
    /// A PEM file of certificate authorities that are trusted besides those of the system.
    package var authorities: String?
    /// The URL of an HTTP proxy for hosts that are names, which then decides about addresses itself.
    package var proxy: String?

    /// Public addresses and the system's authorities only.
    package init() {}
  }

  private let transfers: Transfers

  /// A fetcher, whose thread starts with the first request.
  package init(_ policy: Policy = Policy()) { transfers = Transfers(policy) }

  /// Every fetch keeps the fetcher alive, so none is under way.
  deinit { transfers.stop() }

  /// Fetches a URL. Returns within the request's time.
  package func fetch(_ request: FetchRequest) async -> Fetch { await transfers.fetch(request) }

  /// Where a host is: at the policy's places, or else at the addresses of its name that the policy allows. None
  /// if a proxy decides that.
  package func places(of host: String, milliseconds: Int = 5_000) async -> [Place] {
    let own = transfers.policy.places.filter { $0.host == host }
    let all = transfers.policy.places.filter { $0.host == "*" }
    if let places = [own, all].first(where: { !$0.isEmpty }) { return places }
    if transfers.policy.proxy != nil { return [] }
    var request = FetchRequest("https://\(host)/")
    request.milliseconds = milliseconds
    request.isLookup = true
    return await fetch(request).addresses.map { Place(host: host, address: $0) }
  }
}

extension Fetcher {
  /// Where a host is found instead of at what its name resolves to.
  package struct Place: Sendable, Equatable, CustomStringConvertible {
    /// The host; `*` for every name.
    package let host: String
    package let address: IPAddress
    /// The port; `nil` for that of the URL.
    package let port: UInt16?

    /// A place at the port of the URL.
    init(host: String, address: IPAddress) {
      (self.host, self.address, port) = (host, address, nil)
    }

    /// Parses `HOST:ADDRESS` or `HOST:ADDRESS:PORT`, such as `example.com:192.0.2.1` or
    /// `*:[::1]:8443`; nil for anything else.
    package init?(_ text: String) {
      guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
      host = text[..<colon].lowercased()
      let rest = String(text[text.index(after: colon)...])
      if let address = IPAddress(Self.withoutBrackets(rest)) {
        (self.address, port) = (address, nil)
      } else if let place = SocketAddress(rest), place.port != 0,
        let address = IPAddress(place.host)
      {
        (self.address, port) = (address, place.port)
      } else {
        return nil
      }
    }

    private static func withoutBrackets(_ text: String) -> String {
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }

    /// As it is parsed.
    package var description: String { "\(host):\(addressAndPort)" }

    /// The same without the host.
    package var addressAndPort: String {
      (address.isIPv4 ? "\(address)" : "[\(address)]") + (port.map { ":\($0)" } ?? "")
    }
  }
}
