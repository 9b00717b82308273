import API
import JSONValue
import Synchronization

/// The current problems of the service, for `/readyz`, the metrics and the log. The log gets one
/// line when a problem begins and one when it ends.
final class Health: Sendable {
  enum Problem: CaseIterable {
    case reading, serving, writing, writingLedger, readingLedger, shuttingDown

    var sentence: String {
      switch self {
      case .reading: "Cannot read the database. Files are still served from memory."
      case .serving: "An edit is stored but not served yet. The previous file is still served."
      case .writing: "Cannot write the database. Files are still served, but edits fail."
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
      case .writingLedger: "The fetch ledger can be written again."
      case .readingLedger: "The fetch ledger can be read again."
      case .shuttingDown: nil
      }
    }
  }

  private let current = Mutex<Set<Problem>>([])
  private let log: Log

  init(_ log: Log) { self.log = log }

  /// Only a shutdown makes the service unready: without its database it still serves files.
  var readiness: Readiness {
    let current = current.withLock { $0 }
    return Readiness(
      isEnding: current.contains(.shuttingDown),
      problems: Problem.allCases.filter(current.contains).map(\.sentence))
  }

  func has(_ problem: Problem) -> Bool { current.withLock { $0.contains(problem) } }

  func begin(_ problem: Problem, _ error: any Error) {
    if current.withLock({ $0.insert(problem).inserted }) {
      log.write(.error, problem.sentence, ["error": .string(String(describing: error))])
    }
  }

  func end(_ problem: Problem) {
    guard current.withLock({ $0.remove(problem) }) != nil else { return }
    if let recovery = problem.recovery { log.write(.info, recovery) }
  }

  func beginShutdown() { current.withLock { _ = $0.insert(.shuttingDown) } }
}
