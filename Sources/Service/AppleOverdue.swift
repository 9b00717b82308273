import Store
import Synchronization

/// Looks for domains whose file Apple's CDN should have fetched long ago, on a thread of its own.
final class AppleOverdue: Sendable {
  private struct State {
    var isBusy = false
    var next = ContinuousClock.now
  }

  /// With webhooks, the look reads every domain, so it must not run often.
  private static let interval = Duration.seconds(300)
  /// The number of events in one transaction, so that no edit waits long for it.
  private static let limit = 200

  private let store: Store
  private let state = Mutex(State())
  private let mustStop = Atomic(false)

  init(_ store: Store) { self.store = store }

  /// Call it a few times a second.
  ///
  /// - Parameter hours: After how many hours a fetch is overdue; 0 for never.
  func follow(hours: Int) {
    let isDue = state.withLock { state in
      guard hours > 0, !state.isBusy, state.next <= .now else { return false }
      (state.isBusy, state.next) = (true, .now + Self.interval)
      return true
    }
    if isDue { inBackground { self.run(hours) } }
  }

  /// Ends the work between two transactions.
  func stop() { mustStop.store(true, ordering: .relaxed) }

  private func run(_ hours: Int) {
    do {
      while try store.emitOverdue(hours: hours, limit: Self.limit) == Self.limit {
        if mustStop.load(ordering: .relaxed) { break }
      }
    } catch {
      // The housekeeping reports the database. The next look finds the rest.
    }
    state.withLock { $0.isBusy = false }
  }
}
