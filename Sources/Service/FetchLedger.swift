import Association
import Store
import Synchronization
import HTTP

/// Moves fetch counts from the served documents to the store. If the process is killed, only
/// unwritten counts are lost.
final class FetchLedger: Sendable {
  /// The interval between collections. After a slow write it is longer, up to `longestInterval`, so
  /// that writing takes at most a fraction 1/`restAfterWriting` of the time.
  private static let interval = Duration.seconds(2)
  private static let longestInterval = Duration.seconds(30)
  private static let restAfterWriting = 50
  /// The maximum number of rows per transaction. An edit may have to wait for the transaction,
  /// which takes a few milliseconds.
  private static let rows = 2000
  /// The maximum number of transactions per call of `write`.
  private static let transactions = 10

  private struct State {
    /// The counts that are not written yet, in the order of the table, so that one transaction writes
    /// neighbouring rows.
    var waiting: [NewFetches] = []
    var next = ContinuousClock.now
  }

  private let hosts: HostTable
  private let store: Store
  private let state = Mutex(State())
  private let waitingRows = Gauge()
  private let written = Counters([.none])
  private let writes = Counters([.none])
  private let failures = Counters([.none])

  /// A ledger for the documents of a table.
  init(of hosts: HostTable, in store: Store) {
    self.hosts = hosts
    self.store = store
  }

  /// Collects and writes counts if the interval has passed. Call it a few times a second.
  ///
  /// - Throws: `StoreError.database`; the counts are kept for the next call.
  func write() throws {
    try state.withLock { state in
      let begin = ContinuousClock.now
      if state.next <= begin {
        take(&state)
        state.next = .now + Self.interval
      }
      if state.waiting.isEmpty { return }
      defer {
        // Each call adds a rest in proportion to its own duration.
        let rest = (.now - begin) * Self.restAfterWriting
        state.next = min(max(state.next, .now) + rest, .now + Self.longestInterval)
      }
      for _ in 0..<Self.transactions where !state.waiting.isEmpty { try writeSome(&state) }
    }
  }

  /// Collects and writes all counts.
  ///
  /// - Throws: `StoreError.database`.
  func writeAll() throws {
    try state.withLock { state in
      take(&state)
      while !state.waiting.isEmpty { try writeSome(&state) }
    }
  }

  /// Collects the counts of the documents.
  private func take(_ state: inout State) {
    let now = store.now()
    let fetched = hosts.takeFetches()
    if fetched.isEmpty { return }
    for counts in fetched {
      for fetcher in FetcherClass.allCases where counts[fetcher] > 0 {
        state.waiting.append(
          NewFetches(
            domain: counts.domain, revision: counts.revision, kind: counts.kind, fetcher: fetcher,
            count: counts[fetcher], firstAt: now, lastAt: now))
      }
    }
    NewFetches.addUp(&state.waiting)
    waitingRows.set(state.waiting.count)
  }

  private func writeSome(_ state: inout State) throws {
    // An array, because a slice would make `removeLast` copy all of `waiting`.
    let some = Array(state.waiting.suffix(Self.rows))
    do {
      try store.add(some)
    } catch {
      failures.add()
      throw error
    }
    state.waiting.removeLast(some.count)
    waitingRows.set(state.waiting.count)
    written.add(some.reduce(0) { $0 + $1.count })
    writes.add()
  }

  var families: [MetricFamily] {
    [
      .counter(
        "aasa_ledger_fetches_written_total", "Fetches written to the fetch ledger.", written.values),
      .counter(
        "aasa_ledger_writes_total", "Transactions that wrote to the fetch ledger.", writes.values),
      .counter(
        "aasa_ledger_write_failures_total",
        "Failed transactions of the fetch ledger. The counts are kept for the next one.",
        failures.values),
      .gauge(
        "aasa_ledger_rows_waiting", "Rows waiting to be written to the fetch ledger.",
        Double(waitingRows.value)),
    ]
  }
}
