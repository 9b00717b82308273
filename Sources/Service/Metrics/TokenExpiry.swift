import Association
import Store
import Synchronization

/// When the next token expires, as of the last look, so that nobody learns it from a pipeline that fails.
final class TokenExpiry: Sendable {
  private let store: Store
  private let state = Mutex((first: UnixTime?.none, next: ContinuousClock.now))

  init(_ store: Store) { self.store = store }

  /// Looks again if the last look was a minute ago. Only one thread may call it.
  ///
  /// - Throws: `StoreError.database`. The last result is kept.
  func refresh() throws {
    if state.withLock(\.next) > .now { return }
    let first = try store.nextTokenExpiry()
    state.withLock { $0 = (first, .now + .seconds(60)) }
  }

  /// The last result. Without names, because everybody who reaches the admin listener may read metrics.
  var families: [MetricFamily] {
    [
      .gauge(
        "aasa_token_expiry_timestamp_seconds",
        "Earliest expiry of the tokens whose secret was created to live for 30 days or longer. Updated once a minute.",
        state.withLock(\.first).map { Double($0.seconds) })
    ]
  }
}
