import API
import Synchronization

/// What goes wrong.
final class Trouble: Sendable {
  enum Kind: CaseIterable {
    case reading, serving, writing, counting, measuring, ending

    /// What is wrong.
    var sentence: String {
      switch self {
      case .reading: "The database cannot be read; files are served as before."
      case .serving:
        "An edit is stored and cannot be served yet; until it can, its file is served as before."
      case .writing: "The database cannot be written; files are served as before."
      case .counting: "The fetch ledger cannot be written; fetches are counted in memory."
      case .measuring: "The fetch ledger cannot be read; metrics of it are old."
      case .ending: "The service is shutting down."
      }
    }

    /// What is said when it is over.
    var recovery: String {
      switch self {
      case .reading: "The database can be read again."
      case .serving: "Every edit that is stored is served again."
      case .writing: "The database can be written again."
      case .counting: "The fetch ledger can be written again."
      case .measuring: "The fetch ledger can be read again."
      case .ending: "The service goes on."
      }
    }
  }

  private let current = Mutex<Set<Kind>>([])

  /// Only an end keeps the service from being ready: without its database it serves files as before.
  var readiness: Readiness {
    let current = current.withLock { $0 }
    return Readiness(
      isEnding: current.contains(.ending),
      problems: Kind.allCases.filter(current.contains).map(\.sentence))
  }

  /// Whether it goes on.
  func has(_ kind: Kind) -> Bool { current.withLock { $0.contains(kind) } }

  /// Whether it is new.
  func begin(_ kind: Kind) -> Bool { current.withLock { $0.insert(kind).inserted } }

  /// Whether it was there.
  func end(_ kind: Kind) -> Bool { current.withLock { $0.remove(kind) != nil } }
}
