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
  }

  private static let interval = Duration.seconds(60)

  let snapshot: Snapshot
  private let store: Store
  private let state = Mutex(State())
  private let worker = Worker()

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
        try write()
        health.end(.snapshot)
      } catch {
        health.begin(.snapshot, String(describing: error))
      }
    }
  }

  /// Lets a write under way end, and writes the rest. Call it once, at the end.
  ///
  /// - Throws: Like `write`.
  func finish() throws {
    worker.stop(by: .now + .seconds(5))
    try write()
  }

  /// Writes what is not in the file yet.
  ///
  /// - Throws: `StoreError`, `BackupError`. The next call writes everything.
  func write() throws {
    // Changes that come meanwhile are written later, again or not: the last one counts.
    let (changes, isOutdated) = state.withLock { state in
      defer { (state.changes, state.isOutdated) = ([], false) }
      return (state.changes, state.isOutdated)
    }
    do {
      if isOutdated {
        try snapshot.replace(by: store)
      } else if !changes.isEmpty {
        try snapshot.add(changes, now: store.now())
      }
      state.withLock { $0.writtenAt = store.now() }
    } catch {
      outdate()
      throw error
    }
  }
}
