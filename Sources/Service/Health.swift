import API
import JSONValue
import Store
import Synchronization

/// The current problems of the service, for `/readyz`, the metrics and the log. The log gets one
/// line when a problem begins and one when it ends.
final class Health: Sendable {
  enum Problem: CaseIterable {
    case reading, serving, writing, full, replaced, damaged, damagedFiles
    case writingLedger, readingLedger, shuttingDown

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
      case .shuttingDown: nil
      }
    }
  }

  private struct State {
    var problems: Set<Problem> = []
    var damagedFiles: [String] = []
  }

  private let state = Mutex(State())
  private let log: Log

  init(_ log: Log) { self.log = log }

  /// Only a shutdown makes the service unready: without its database it still serves files.
  var readiness: Readiness {
    let problems = state.withLock { $0.problems }
    return Readiness(
      isEnding: problems.contains(.shuttingDown),
      problems: Problem.allCases.filter(problems.contains).map(\.sentence))
  }

  func has(_ problem: Problem) -> Bool { state.withLock { $0.problems.contains(problem) } }

  func hasAny(of problems: [Problem]) -> Bool { problems.contains(where: has) }

  func begin(_ problem: Problem, _ detail: String) {
    if state.withLock({ $0.problems.insert(problem).inserted }) {
      log.write(.error, problem.sentence, ["error": .string(detail)])
    }
  }

  func end(_ problem: Problem) {
    guard state.withLock({ $0.problems.remove(problem) }) != nil else { return }
    if let recovery = problem.recovery { log.write(.info, recovery) }
  }

  func beginShutdown() { state.withLock { _ = $0.problems.insert(.shuttingDown) } }
}

extension Health {
  /// The problem that a failure of the database shows, apart from what the caller could not do. Errors
  /// that should not happen are taken for damage; a check of the database then tells.
  private static func problem(of refusal: StoreError.Refusal) -> Problem? {
    switch refusal {
    case .damaged, .unexpected: .damaged
    case .diskFull: .full
    case .replaced: .replaced
    case .readOnly, .cannotOpen, .inputOutput: nil
    }
  }

  /// Takes note of a failed transaction of any kind.
  func meet(_ refusal: StoreError.Refusal, _ detail: String) {
    if let problem = Self.problem(of: refusal) { begin(problem, detail) }
  }

  /// Takes note of periodic work that failed, unless the cause is already reported.
  func begin(_ problem: Problem, _ error: any Error) {
    if case StoreError.database(let refusal, _) = error, Self.problem(of: refusal) != nil { return }
    begin(problem, String(describing: error))
  }

  /// Takes note of the domains that cannot be read as they were stored, as sentences.
  func report(damagedFiles: [String]) {
    let isNew = state.withLock { state in
      defer { state.damagedFiles = damagedFiles }
      return state.damagedFiles != damagedFiles
    }
    if damagedFiles.isEmpty { return end(.damagedFiles) }
    guard isNew else { return }
    state.withLock { _ = $0.problems.insert(.damagedFiles) }
    log.write(
      .error, Problem.damagedFiles.sentence,
      [
        "files": .strings(Array(damagedFiles.prefix(20))), "count": .integer(damagedFiles.count),
      ])
  }

  /// The number of domains that cannot be read as they were stored.
  var damagedFiles: Int { state.withLock { $0.damagedFiles.count } }
}
