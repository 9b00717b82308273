import Association
import Metrics
import Store
import Synchronization
import WellKnown

/// Fetches on their way from the documents that count them into the store. What is not written yet is
/// lost when the process is killed, and nothing else is.
final class FetchLedger: Sendable {
  /// How often documents are asked what they have counted.
  private static let interval = Duration.seconds(2)
  /// How many rows a transaction has at most: some milliseconds, in which no edit can be written.
  private static let rows = 500
  /// How many transactions one call of `write` makes at most.
  private static let transactions = 10

  private struct Key: Hashable {
    let domain: Int64
    let revision: Int
    let fetcher: FetcherClass
  }

  private struct State {
    /// What is not written yet.
    var waiting: [Key: NewFetches] = [:]
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
      if state.next <= .now {
        take(&state)
        state.next = .now + Self.interval
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
    for counts in hosts.takeFetches() {
      for fetcher in FetcherClass.allCases where counts[fetcher] > 0 {
        let key = Key(domain: counts.domain, revision: counts.revision, fetcher: fetcher)
        let before = state.waiting[key]
        state.waiting[key] = NewFetches(
          domain: key.domain, revision: key.revision, fetcher: fetcher,
          count: counts[fetcher] + (before?.count ?? 0), firstAt: before?.firstAt ?? now,
          lastAt: now)
      }
    }
    progress.withLock { $0.waiting = state.waiting.count }
  }

  private func writeSome(_ state: inout State) throws {
    let some = Array(state.waiting.prefix(Self.rows))
    do {
      try store.add(some.map(\.value))
    } catch {
      progress.withLock { $0.failures += 1 }
      throw error
    }
    for key in some.map(\.key) { state.waiting[key] = nil }
    progress.withLock { progress in
      progress.waiting = state.waiting.count
      progress.written += some.reduce(0) { $0 + $1.value.count }
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
