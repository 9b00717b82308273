import Association
import Metrics
import Store
import Synchronization
import WellKnown

/// Fetches on their way from the documents that count them into the store. What is not written yet is
/// lost when the process is killed, and nothing else is.
final class FetchLedger: Sendable {
  /// How often documents are asked what they have counted. Where writing takes long it is less often,
  /// so that it takes little of the time.
  private static let interval = Duration.seconds(2)
  private static let longestInterval = Duration.seconds(30)
  private static let restAfterWriting = 50
  /// How many rows a transaction has at most: some milliseconds, in which no edit can be written.
  private static let rows = 2000
  /// How many transactions one call of `write` makes at most.
  private static let transactions = 10

  private struct State {
    /// What is not written yet, in the order of the table, so that what is written together lies
    /// together.
    var waiting: [NewFetches] = []
    var next = ContinuousClock.now
  }

  /// How it goes, under a lock that nobody holds while the database is asked.
  private struct Progress {
    var waiting = 0
    var written = 0
    var transactions = 0
    var failures = 0
  }

  private let hosts: HostTable
  private let store: Store
  private let state = Mutex(State())
  private let progress = Mutex(Progress())

  /// A ledger of what a table serves.
  init(of hosts: HostTable, in store: Store) {
    self.hosts = hosts
    self.store = store
  }

  /// Writes what was counted, if it is time to. To be called a few times a second.
  ///
  /// - Throws: `StoreError.database`; what was counted is kept for the next time.
  func write() throws {
    try state.withLock { state in
      let begin = ContinuousClock.now
      if state.next <= begin {
        take(&state)
        state.next = .now + Self.interval
      }
      if state.waiting.isEmpty { return }
      defer {
        // Each call adds the rest for what it has written, so that all of them together take little.
        let rest = (.now - begin) * Self.restAfterWriting
        state.next = min(max(state.next, .now) + rest, .now + Self.longestInterval)
      }
      for _ in 0..<Self.transactions where !state.waiting.isEmpty { try writeSome(&state) }
    }
  }

  /// Writes all that was counted.
  ///
  /// - Throws: `StoreError.database`.
  func writeAll() throws {
    try state.withLock { state in
      take(&state)
      while !state.waiting.isEmpty { try writeSome(&state) }
    }
  }

  /// Takes from documents what they have counted.
  private func take(_ state: inout State) {
    let now = store.now()
    let fetched = hosts.takeFetches().flatMap { counts in
      FetcherClass.allCases.compactMap { fetcher in
        counts[fetcher] == 0
          ? nil
          : NewFetches(
            domain: counts.domain, revision: counts.revision, fetcher: fetcher,
            count: counts[fetcher], firstAt: now, lastAt: now)
      }
    }
    if fetched.isEmpty { return }
    state.waiting = NewFetches.addingUp(state.waiting + fetched)
    progress.withLock { $0.waiting = state.waiting.count }
  }

  private func writeSome(_ state: inout State) throws {
    // An array of its own: with a slice of `waiting`, to shorten that would copy all of it.
    let some = Array(state.waiting.suffix(Self.rows))
    do {
      try store.add(some)
    } catch {
      progress.withLock { $0.failures += 1 }
      throw error
    }
    state.waiting.removeLast(some.count)
    progress.withLock { progress in
      progress.waiting = state.waiting.count
      progress.written += some.reduce(0) { $0 + $1.count }
      progress.transactions += 1
    }
  }

  /// How it goes.
  var families: [MetricFamily] {
    let progress = progress.withLock { $0 }
    return [
      .counter(
        "aasa_ledger_fetches_written_total", "Fetches that were written to the fetch ledger.",
        Double(progress.written)),
      .counter(
        "aasa_ledger_writes_total", "Transactions that wrote to the fetch ledger.",
        Double(progress.transactions)),
      .counter(
        "aasa_ledger_write_failures_total",
        "Transactions of the fetch ledger that failed. What was counted is kept for the next one.",
        Double(progress.failures)),
      .gauge(
        "aasa_ledger_rows_waiting", "Rows of the fetch ledger that are not written yet.",
        Double(progress.waiting)),
    ]
  }
}
