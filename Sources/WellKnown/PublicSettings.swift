public import HTTP
import Synchronization

/// What of the public listener may change while it runs.
public struct PublicSettings: Sendable, Equatable {
  /// The proxies whose `Forwarded` and `X-Forwarded-Host` are believed. From anybody else they are
  /// ignored.
  ///
  /// Such a proxy must write one of the two itself, or take both away: what a client sends must not
  /// come through. The last element counts, which is the one that the nearest proxy wrote; where both
  /// are there, they must name the same host.
  public var trustedProxies: [AddressRange]
  /// Every how many-th request of a thread is noted in the access log; 0 for none.
  public var accessLogInterval: Int

  /// Settings; by default nobody is trusted and nothing is noted.
  public init(trustedProxies: [AddressRange] = [], accessLogInterval: Int = 0) {
    self.trustedProxies = trustedProxies
    self.accessLogInterval = accessLogInterval
  }
}

/// The settings that count now. Threads that serve look at a number to see that there are new ones, and
/// wait for no lock as long as there are none.
final class CurrentSettings: Sendable {
  private let number = Atomic(0)
  private let settings: Mutex<PublicSettings>

  init(_ settings: PublicSettings) { self.settings = Mutex(settings) }

  func replace(by new: PublicSettings) {
    settings.withLock { $0 = new }
    number.add(1, ordering: .releasing)
  }

  /// The settings, if they are not those that had a number.
  func newer(than seen: Int) -> (number: Int, settings: PublicSettings)? {
    let number = number.load(ordering: .acquiring)
    return number == seen ? nil : (number, settings.withLock { $0 })
  }
}
