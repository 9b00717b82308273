import Association
import Store
import Synchronization

/// Keeps a snapshot up to date with what is served, at most once a minute and at the end.
final class SnapshotWriter: Sendable {
  private struct State {
    /// Changes that are not in the file yet.
    var changes: [Changes.Change] = []
    /// Whether the file must be written anew.
    var isOutdated = true
    var writtenAt: UnixTime?
    /// Whether the write under way shall give up, because everything is about to be written anew.
    var isSuperseded = false
  }

  private static let interval = Duration.seconds(60)

  let snapshot: Snapshot
  private let store: Store
  private let state = Mutex(State())
  private let worker = Worker()
  /// Held while the file is written, so that an older write never replaces what a newer one wrote.
  private let writing = Mutex(())

  init(path: String, of store: Store) {
    snapshot = Snapshot(path: path)
    self.store = store
  }

  /// Takes note of what is served now.
  func add(_ changes: [Changes.Change]) {
    state.withLock { if !$0.isOutdated { $0.changes += changes } }
  }

  /// Takes note that everything was read anew.
  func outdate() { state.withLock { ($0.isOutdated, $0.changes) = (true, []) } }

  /// When the file was last written.
  var writtenAt: UnixTime? { state.withLock(\.writtenAt) }

  /// Whether everything is in the file, or being written.
  var hasNothingToWrite: Bool { state.withLock { !$0.isOutdated && $0.changes.isEmpty } }

  /// Writes in the background if anything changed and a minute has passed. Call it a few times a second.
  ///
  /// - Parameter health: Takes note of a failure.
  func follow(_ health: Health) {
    if hasNothingToWrite { return }
    worker.start(every: Self.interval) { [self] in
      do {
        try write { !self.isSuperseded }
        health.end(.snapshot)
      } catch is CancellationError {
        // `finish` writes everything.
      } catch {
        health.begin(.snapshot, String(describing: error))
      }
    }
  }

  /// Lets a write under way end, but not for long, and writes the rest. Call it once, at the end.
  ///
  /// - Throws: Like `write`.
  func finish() throws {
    // The thread of the write under way gives way to everything else. On a busy machine it is done here sooner.
    worker.stop(by: .now + .seconds(1))
    state.withLock { $0.isSuperseded = true }
    try write()
  }

  /// Whether `finish` waits no longer for a write under way.
  var isSuperseded: Bool { state.withLock(\.isSuperseded) }

  /// Writes what is not in the file yet.
  ///
  /// - Parameter goesOn: Is asked before each domain; the file stays as it is if it says no.
  /// - Throws: `StoreError`, `BackupError`; `CancellationError`. The next call writes everything.
  func write(while goesOn: () -> Bool = { true }) throws {
    try writing.withLock { _ in try writeChanges(while: goesOn) }
  }

  private func writeChanges(while goesOn: () -> Bool) throws {
    // Changes that come meanwhile are written later, again or not: the last one counts.
    let (changes, isOutdated) = state.withLock { state in
      defer { (state.changes, state.isOutdated) = ([], false) }
      return (state.changes, state.isOutdated)
    }
    do {
      if isOutdated {
        try snapshot.replace(by: store, while: goesOn)
      } else if !changes.isEmpty {
        try snapshot.add(changes, now: store.now(), while: goesOn)
      }
      state.withLock { $0.writtenAt = store.now() }
    } catch {
      outdate()
      throw error
    }
  }
}
