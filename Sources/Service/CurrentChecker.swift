import Association
import Checking
import Synchronization

/// The checker that the current settings ask for.
final class CurrentChecker: Sendable {
  private let now: @Sendable () -> UnixTime
  private let checker: Mutex<Checker>

  init(_ configuration: Configuration, now: @escaping @Sendable () -> UnixTime) {
    self.now = now
    checker = Mutex(Self.checker(configuration, now))
  }

  var current: Checker { checker.withLock { $0 } }

  /// Later checks run with other settings.
  func apply(_ configuration: Configuration) {
    let new = Self.checker(configuration, now)
    checker.withLock { $0 = new }
  }

  private static func checker(
    _ configuration: Configuration, _ now: @escaping @Sendable () -> UnixTime
  ) -> Checker {
    Checker(Fetcher(configuration.fetchPolicy), configuration.checkServices, now: now)
  }
}
