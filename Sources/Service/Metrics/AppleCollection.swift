import Association
import Store
import Synchronization

/// The published changes that Apple has not fetched yet, as of the last query of the fetch ledger.
final class AppleCollection: Sendable {
  private struct State {
    /// `nil` before the first query.
    var waiting: [WaitingDomains]?
    var next = ContinuousClock.now
  }

  private let store: Store
  /// The query looks at every domain, so it must not run often.
  private let interval: Duration
  private let state = Mutex(State())

  init(_ store: Store, every interval: Duration = .seconds(60)) {
    self.store = store
    self.interval = interval
  }

  /// Queries again if the last result is old enough. Only one thread may call it.
  ///
  /// - Throws: `StoreError.database`. The last result is kept, because a missing sample would
  ///   restart alerts.
  func refresh() throws {
    if state.withLock(\.next) > .now { return }
    let waiting = try store.domainsWaitingForApple()
    state.withLock { $0 = State(waiting: waiting, next: .now + interval) }
  }

  /// The last result.
  var families: [MetricFamily] {
    let waiting = state.withLock(\.waiting) ?? []
    return [
      .gauge(
        "aasa_domains_waiting_for_apple",
        "Enabled domains whose current bytes Apple's CDN has not fetched, by environment and by "
          + "whether it has ever fetched any. Updated once a minute.",
        waiting.map { (key: $0.labels, value: Double($0.count)) }),
      .gauge(
        "aasa_domains_waiting_for_apple_since_timestamp_seconds",
        "When the first of the domains that wait for Apple's CDN started to serve its bytes.",
        waiting.compactMap { domains in
          domains.since.map { (key: domains.labels, value: Double($0.seconds)) }
        }),
    ]
  }
}

extension WaitingDomains {
  fileprivate var labels: Labels {
    ["environment": environment.rawValue, "collected_before": "\(isCollectedBefore)"]
  }
}
