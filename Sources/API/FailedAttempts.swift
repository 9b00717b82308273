import Synchronization

/// Counts wrong tokens by address, so that who guesses is answered slowly. A right token is not kept
/// waiting: behind a proxy many clients have one address.
final class FailedAttempts: Sendable {
  /// How many wrong tokens of an address are answered at once in a window.
  static let limit = 20
  /// How long a window is, in seconds.
  static let window: Int64 = 60
  /// For how long each further answer is held back, in microseconds. It takes a thread of the admin
  /// listener for that time, so it is short.
  static let delay: UInt32 = 100_000
  /// How many addresses are remembered; beyond, all are forgotten.
  private static let addressLimit = 10_000

  private struct Attempts {
    var count = 0
    let since: Int64
  }

  private let attempts = Mutex<[String: Attempts]>([:])
  private let now: @Sendable () -> Int64

  /// - Parameter now: Tells the time, in seconds since 1970.
  init(now: @escaping @Sendable () -> Int64) { self.now = now }

  /// Notes a wrong token. Returns whether its answer is to be held back.
  func add(_ address: String) -> Bool {
    let now = now()
    return attempts.withLock { attempts in
      if attempts.count >= Self.addressLimit && attempts[address] == nil { attempts = [:] }
      var known = attempts[address] ?? Attempts(since: now)
      if known.since + Self.window <= now { known = Attempts(since: now) }
      known.count += 1
      attempts[address] = known
      return known.count > Self.limit
    }
  }
}
