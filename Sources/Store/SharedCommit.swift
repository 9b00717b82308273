import Dispatch
import Synchronization

/// A commit that makes several edits durable at once.
final class SharedCommit: Sendable {
  /// More edits would keep the first of them waiting for long.
  private static let mostEdits = 16
  /// After so long, an edit that waits commits by itself: the next one may have given up its turn.
  private let patience: DispatchTimeInterval

  private struct State {
    /// The edits that wait.
    var edits = 0
    var outcome: Result<Void, any Error>?
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)

  init(patience: Duration) {
    self.patience = .milliseconds(max(1, Int(patience / .milliseconds(1))))
  }

  /// Lets one more edit wait for it, unless there are many. If it does, `wait` must follow.
  func join() -> Bool {
    state.withLock { state in
      if state.edits == Self.mostEdits { return false }
      state.edits += 1
      return true
    }
  }

  /// Tells all edits how it ended.
  func end(_ outcome: Result<Void, any Error>) {
    let edits = state.withLock { state in
      state.outcome = outcome
      return state.edits
    }
    for _ in 0..<edits { ended.signal() }
  }

  /// Waits for its end.
  ///
  /// - Parameter commit: Commits it, unless it has ended.
  /// - Throws: what the commit failed with.
  func wait(_ commit: (SharedCommit) throws -> Void) throws {
    while ended.wait(timeout: .now() + patience) == .timedOut {
      try commit(self)
    }
    try state.withLock { $0.outcome }?.get()
  }
}
