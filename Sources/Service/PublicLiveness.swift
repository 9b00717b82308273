import Association
import HTTP

/// Whether the public listener works, without mistaking a busy one for a hung one.
struct PublicLiveness {
  /// The number of answered requests at the last call.
  private var answeredBefore: UInt64 = 0

  /// A probe queues behind other connections, and is not accepted once the limit is reached. So a
  /// listener that answers requests, or is at its limit, is not probed.
  ///
  /// - Parameters:
  ///   - answered: Requests answered since startup.
  ///   - limit: The limit of open connections.
  ///   - reacts: Opens a connection and returns whether the listener handles it.
  mutating func isAlive(
    answered: UInt64, openConnections: Int, limit: Int, reacts: () -> Bool
  ) -> Bool {
    defer { answeredBefore = answered }
    return answered != answeredBefore || openConnections >= limit || reacts()
  }
}

extension PublicCounts {
  /// All requests that were answered.
  var requests: UInt64 {
    PublicOutcome.allCases.reduce(0) { sum, outcome in
      FetcherClass.allCases.reduce(sum) { $0 &+ requests(outcome, $1) }
    }
  }
}
