import JSONValue
import Publishing
import Store
import Synchronization

/// Makes findings again that are out of date, on a thread of its own.
final class FindingRefresh: Sendable {
  private struct State {
    var isBusy = false
    var next = ContinuousClock.now
  }

  private static let interval = Duration.seconds(10)

  private let relinting: Relinting
  private let health: Health
  private let log: Log
  private let state = Mutex(State())
  private let mustStop = Atomic(false)

  private let takesWork: @Sendable () throws -> Bool

  /// - Parameter takesWork: Takes the work from other servers; returns whether they left it.
  init(
    _ store: Store, _ health: Health, _ log: Log, takesWork: @escaping @Sendable () throws -> Bool
  ) {
    self.takesWork = takesWork
    relinting = Relinting(store)
    self.health = health
    self.log = log
  }

  /// Call it a few times a second.
  func follow() {
    let isDue = state.withLock { state in
      guard !state.isBusy, state.next <= .now, !health.has(.replaced) else { return false }
      (state.isBusy, state.next) = (true, .now + Self.interval)
      return true
    }
    if isDue { inBackground { self.run() } }
  }

  /// Ends the work between two documents.
  func stop() { mustStop.store(true, ordering: .relaxed) }

  private func run() {
    do {
      let count = try relinting.run(ifTaken: takesWork) { mustStop.load(ordering: .relaxed) }
      if count > 0 {
        log.write(
          .info, "Checked documents again because their findings were out of date.",
          ["documents": .integer(count)])
      }
    } catch {
      // The store reports failures of the database itself. The next run goes on.
    }
    state.withLock { $0.isBusy = false }
  }
}
