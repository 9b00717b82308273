public import Metrics

/// Counts what the database is asked to do and how it answers.
public final class DatabaseCounts: Sendable {
  /// What a transaction is for.
  enum Kind: String, CaseIterable {
    /// Answering a request.
    case read
    /// Learning what is to be served.
    case follow
    /// Changing something; waiting for other writers is a part of it.
    case write
    /// Moving the WAL into the file.
    case checkpoint
  }

  private let durations: [Kind: Histogram]
  private let errors: Counters

  init() {
    durations = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, Histogram()) })
    errors = Counters(StoreError.Refusal.allCases.map { ["reason": $0.rawValue] })
  }

  /// Does a transaction, and adds how long it took and what the database refused.
  func time<Result>(_ kind: Kind, _ transaction: () throws -> Result) throws -> Result {
    guard let duration = durations[kind] else { return try transaction() }
    do {
      return try duration.time(transaction)
    } catch StoreError.database(let refusal, let detail) {
      errors.add(1, ["reason": refusal.rawValue])
      throw StoreError.database(refusal, detail: detail)
    }
  }

  /// What was counted.
  public var families: [MetricFamily] {
    [
      .histogram(
        "aasa_database_transaction_duration_seconds",
        "Time of transactions, by what they are for: answering (read), learning what to serve "
          + "(follow), changing (write), moving the WAL into the file (checkpoint).",
        Kind.allCases.compactMap { kind in
          durations[kind].map { (key: ["kind": kind.rawValue], value: $0) }
        }),
      .counter(
        "aasa_database_errors_total", "Transactions that the database refused, by reason.",
        errors.values),
    ]
  }
}
