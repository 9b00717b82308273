import Synchronization

/// Counts wrong tokens by address, so that who guesses is told to wait. A right token always goes
/// through: behind a proxy many clients have one address.
final class FailedAttempts: Sendable {
  /// How many wrong tokens an address may send in a window.
  static let limit = 20
  /// How long a window is, in seconds.
  static let window: Int64 = 60
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

  /// Notes a wrong token. Returns for how many seconds the address is to wait, if it is.
  func add(_ address: String) -> Int64? {
    let now = now()
    return attempts.withLock { attempts in
      if attempts.count >= Self.addressLimit && attempts[address] == nil { attempts = [:] }
      var known = attempts[address] ?? Attempts(since: now)
      if known.since + Self.window <= now { known = Attempts(since: now) }
      known.count += 1
      attempts[address] = known
      return known.count > Self.limit ? known.since + Self.window - now : nil
    }
  }
}
