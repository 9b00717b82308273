import Synchronization

/// Durations and errors of transactions, for the metrics.
package final class TransactionCounts: Sendable {
  /// The purpose of a transaction.
  enum Kind: String, CaseIterable {
    /// Answering an API request.
    case read
    /// Reading documents to serve.
    case follow
    /// Writing, including the wait for other writers.
    case write
    /// Moving the WAL into the database file.
    case checkpoint
  }

  private let durations: [Kind: Histogram]
  private let errors: Counters
  private struct Observer {
    var report: (@Sendable (StoreError.Refusal, String) -> Void)?
  }

  private let observer = Mutex(Observer())

  /// Calls `body` with each failure of the database from now on.
  package func observe(_ body: @escaping @Sendable (StoreError.Refusal, String) -> Void) {
    observer.withLock { $0.report = body }
  }

  init() {
    durations = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, Histogram()) })
    errors = Counters(
      (StoreError.Refusal.allCases.map(\.rawValue) + ["busy"]).map { ["reason": $0] })
  }

  /// Runs a transaction and counts its duration or its error.
  func time<Result>(_ kind: Kind, _ transaction: () throws -> Result) throws -> Result {
    guard let duration = durations[kind] else { return try transaction() }
    do {
      return try duration.time(transaction)
    } catch let error as StoreError {
      if case .database(let refusal, let detail) = error {
        errors.add(1, ["reason": refusal.rawValue])
        observer.withLock { $0.report }?(refusal, detail)
      }
      if error == .busy { errors.add(1, ["reason": "busy"]) }
      throw error
    }
  }

  package var families: [MetricFamily] {
    [
      .histogram(
        "aasa_database_transaction_duration_seconds",
        "Duration of database transactions, by kind: read (API requests), follow (reading what to "
          + "serve), write, checkpoint (moving the WAL into the database file).",
        Kind.allCases.compactMap { kind in
          durations[kind].map { (key: ["kind": kind.rawValue], value: $0) }
        }),
      .counter(
        "aasa_database_errors_total", "Failed database transactions, by reason.",
        errors.values),
    ]
  }
}
