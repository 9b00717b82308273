import Association
import WellKnown

/// Whether the public listener does its work, so that nobody restarts one that has much of it.
struct PublicLiveness {
  /// How many requests were answered when this was asked last.
  private var answeredBefore: UInt64 = 0

  /// A probe waits behind everybody else: if every connection is taken, nobody takes it. So whoever
  /// answers, or has no connection left to give, is not asked.
  ///
  /// - Parameters:
  ///   - answered: Requests that were answered since the start.
  ///   - openConnections: Connections that are open.
  ///   - limit: How many may be.
  ///   - reacts: Makes a connection and sees whether it is dealt with.
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
