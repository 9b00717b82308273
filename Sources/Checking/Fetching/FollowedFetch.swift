/// A request with every redirect that was followed.
package struct FollowedFetch: Sendable {
  /// One request of the chain.
  package struct Hop: Sendable {
    package let url: String
    package let fetch: Fetch

    package init(url: String, fetch: Fetch) { (self.url, self.fetch) = (url, fetch) }
  }

  /// The most redirects that are followed.
  package static let limit = 5

  /// The requests in their order, at least one. The last one is no redirect, or is one too many.
  package let hops: [Hop]

  /// A chain of at least one request.
  package init(hops: [Hop]) { self.hops = hops }

  package var last: Hop { hops[hops.count - 1] }

  /// Whether the last answer is a redirect, which was not followed.
  package var isEndless: Bool {
    if case .success(let answer) = last.fetch.result { answer.redirect != nil } else { false }
  }
}

extension Fetcher {
  /// Fetches a URL and follows redirects, all within the request's time, to the ports of the web and that of the URL.
  package func follow(_ request: FetchRequest) async -> FollowedFetch {
    let ports = Destination.webPorts + [Destination.port(of: request.url)].compactMap(\.self)
    var request = request
    var hops: [FollowedFetch.Hop] = []
    while true {
      let fetch = await fetch(request)
      hops.append(FollowedFetch.Hop(url: request.url, fetch: fetch))
      // Without time, the next one fails for that reason.
      request.milliseconds = max(1, request.milliseconds - fetch.milliseconds)
      guard case .success(let answer) = fetch.result, let next = answer.redirect,
        hops.count <= FollowedFetch.limit
      else { return FollowedFetch(hops: hops) }
      if let port = Destination.port(of: next), !ports.contains(port) {
        var refused = Fetch()
        refused.result = .failure(
          .url(
            "redirects are followed to ports 443 and 80 and to that of the first URL, not to \(port)"
          ))
        hops.append(FollowedFetch.Hop(url: next, fetch: refused))
        return FollowedFetch(hops: hops)
      }
      request.url = next
    }
  }
}
