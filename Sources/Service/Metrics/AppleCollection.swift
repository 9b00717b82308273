import Association
import Metrics
import Store
import Synchronization

/// Which changes Apple has not collected, as the ledger last said.
final class AppleCollection: Sendable {
  private struct State {
    /// `nil` until it is known.
    var waiting: [WaitingDomains]?
    var next = ContinuousClock.now
  }

  private let store: Store
  /// How often the ledger is asked: it looks at every domain.
  private let interval: Duration
  private let state = Mutex(State())

  init(_ store: Store, every interval: Duration = .seconds(60)) {
    self.store = store
    self.interval = interval
  }

  /// Asks the ledger, if it is time to. To be called now and then, by one thread.
  ///
  /// - Throws: `StoreError.database`; what was known stays until it goes well. So no sample is missing
  ///   meanwhile, which would begin an alert anew.
  func refresh() throws {
    if state.withLock(\.next) > .now { return }
    let waiting = try store.domainsWaitingForApple()
    state.withLock { $0 = State(waiting: waiting, next: .now + interval) }
  }

  /// What it said.
  var families: [MetricFamily] {
    let waiting = state.withLock(\.waiting) ?? []
    return [
      .gauge(
        "aasa_domains_waiting_for_apple",
        "Domains whose current revision Apple's CDN has not fetched, by environment and by whether it "
          + "ever fetched one before. Looked up once a minute.",
        waiting.map { (key: $0.labels, value: Double($0.count)) }),
      .gauge(
        "aasa_domains_waiting_for_apple_since_timestamp_seconds",
        "When the oldest of these revisions was published.",
        waiting.compactMap { domains in
          domains.since.map { (key: domains.labels, value: Double($0)) }
        }),
    ]
  }
}

extension WaitingDomains {
  fileprivate var labels: Labels {
    ["environment": environment.rawValue, "collected_before": "\(isCollectedBefore)"]
  }
}
