import Synchronization

/// Slows down those who guess tokens: an address that has sent too many wrong ones is not listened to
/// for a while.
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

  /// For how many seconds an address is not listened to; `nil` if it is.
  func wait(of address: String) -> Int64? {
    attempts.withLock { attempts in
      guard let known = attempts[address] else { return nil }
      let end = known.since + Self.window
      if end <= now() {
        attempts[address] = nil
        return nil
      }
      return known.count >= Self.limit ? end - now() : nil
    }
  }

  /// Notes a wrong token.
  func add(_ address: String) {
    attempts.withLock { attempts in
      if attempts.count >= Self.addressLimit && attempts[address] == nil { attempts = [:] }
      attempts[address, default: Attempts(since: now())].count += 1
    }
  }

  /// Forgets an address that has sent a right token.
  func forgive(_ address: String) { attempts.withLock { $0[address] = nil } }
}
