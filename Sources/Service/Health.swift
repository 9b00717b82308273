import Association
import Store
import Synchronization

/// The current problems of the service, for `/readyz`, the metrics and the log. The log gets one
/// line when a problem begins and one when it ends.
final class Health: Sendable {
  enum Problem: CaseIterable {
    case reading, serving, writing, full, replaced, damaged, damagedFiles
    case writingLedger, readingLedger, snapshot, oldStart, shuttingDown

    var sentence: String {
      switch self {
      case .reading: "Cannot read the database. Files are still served from memory."
      case .serving: "An edit is stored but not served yet. The previous file is still served."
      case .writing: "Cannot write the database. Files are still served, but edits fail."
      case .full: "The disk is full. Files are still served, but edits fail. Free some space."
      case .replaced:
        "The database file was deleted or replaced. Files are still served, but edits are refused. "
          + "Restore the rescue copy, and restart the server."
      case .damaged:
        "The database is damaged. Files are still served. Run 'aasa doctor', and restore a backup."
      case .damagedFiles:
        "Files in the database are damaged. Their newest intact revisions are served. Publish them "
          + "again, or restore a backup."
      case .writingLedger: "Cannot write the fetch ledger. Fetches are still counted in memory."
      case .readingLedger: "Cannot read the fetch ledger. Its metrics are out of date."
      case .snapshot:
        "Cannot write the snapshot. Without it, the server cannot start without its database."
      case .oldStart:
        "The server started without its database and serves a snapshot. Later changes are missing."
      case .shuttingDown: "The service is shutting down."
      }
    }

    /// The sentence for the end of the problem. A shutdown has none.
    var recovery: String? {
      switch self {
      case .reading: "The database can be read again."
      case .serving: "All stored edits are served again."
      case .writing: "The database can be written again."
      case .full: "The disk has room again."
      case .replaced: "The database file is back."
      case .damaged: "A new check found no damage in the database."
      case .damagedFiles: "All files in the database are intact again."
      case .writingLedger: "The fetch ledger can be written again."
      case .readingLedger: "The fetch ledger can be read again."
      case .snapshot: "The snapshot can be written again."
      case .oldStart: "The database was read. The snapshot is not served any more."
      case .shuttingDown: nil
      }
    }

    /// The word in metrics.
    var word: String { String(describing: self) }
  }

  private struct State {
    /// When each problem began.
    var problems: [Problem: UnixTime] = [:]
    var damagedFiles: [String] = []
  }

  private let state = Mutex(State())
  private let log: Log

  init(_ log: Log) { self.log = log }

  /// Only a shutdown makes the service unready: without its database it still serves files.
  var readiness: Readiness {
    let problems = state.withLock { $0.problems }
    return Readiness(
      isEnding: problems[.shuttingDown] != nil,
      problems: Problem.allCases.filter { problems[$0] != nil }.map(\.sentence),
      since: problems.values.min())
  }

  func has(_ problem: Problem) -> Bool { state.withLock { $0.problems[problem] != nil } }

  func hasAny(of problems: [Problem]) -> Bool { problems.contains(where: has) }

  func begin(_ problem: Problem, _ detail: String) {
    if insert(problem) { log.write(.error, problem.sentence, ["error": .string(detail)]) }
  }

  func end(_ problem: Problem) {
    guard state.withLock({ $0.problems.removeValue(forKey: problem) }) != nil else { return }
    if let recovery = problem.recovery { log.write(.info, recovery) }
  }

  func beginShutdown() { _ = insert(.shuttingDown) }

  /// Whether the problem is a new one.
  private func insert(_ problem: Problem) -> Bool {
    let now = UnixTime.now
    return state.withLock { state in
      if state.problems[problem] != nil { return false }
      state.problems[problem] = now
      return true
    }
  }

  var families: [MetricFamily] {
    let problems = state.withLock(\.problems)
    return [
      .gauge(
        "aasa_problem_since_timestamp_seconds",
        "When each current problem began; /readyz and the log say what it is.",
        Problem.allCases.compactMap { problem in
          problems[problem].map { (key: ["problem": problem.word], value: Double($0.seconds)) }
        })
    ]
  }
}

extension Health {
  /// The problem that a failure of the database shows, apart from what the caller could not do. Errors
  /// that should not happen are taken for damage; a check of the database then tells.
  private static func problem(of refusal: StoreError.Refusal) -> Problem? {
    switch refusal {
    case .damaged, .unexpected: .damaged
    case .diskFull: .full
    case .replaced: .replaced
    case .readOnly, .cannotOpen, .unreachable, .unknownOutcome, .inputOutput: nil
    }
  }

  /// Takes note of a failed transaction of any kind.
  func meet(_ refusal: StoreError.Refusal, _ detail: String) {
    if let problem = Self.problem(of: refusal) { begin(problem, detail) }
  }

  /// Takes note of periodic work that failed, unless the cause is already reported.
  func begin(_ problem: Problem, _ error: any Error) {
    guard case StoreError.database(let refusal, let detail) = error else {
      return begin(problem, String(describing: error))
    }
    if Self.problem(of: refusal) == nil { begin(problem, detail) }
  }

  /// Takes note of the domains that cannot be read as they were stored, as sentences.
  func report(damagedFiles: [String]) {
    let isNew = state.withLock { state in
      defer { state.damagedFiles = damagedFiles }
      return state.damagedFiles != damagedFiles
    }
    if damagedFiles.isEmpty { return end(.damagedFiles) }
    guard isNew else { return }
    _ = insert(.damagedFiles)
    log.write(
      .error, Problem.damagedFiles.sentence,
      [
        "files": .strings(Array(damagedFiles.prefix(20))), "count": .integer(damagedFiles.count),
      ])
  }

  /// The number of domains that cannot be read as they were stored.
  var damagedFiles: Int { state.withLock { $0.damagedFiles.count } }
}
