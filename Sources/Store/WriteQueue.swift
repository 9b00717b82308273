import Association
import Dispatch
import Synchronization

/// Lets one thread at a time write, in the order in which they came.
final class WriteQueue: Sendable {
  /// What threads take turns at.
  enum Subject: Hashable {
    /// Writing to the database.
    case database
    /// Editing a domain, from reading it until it is written.
    case domain(DomainName)
  }

  /// A thread that waits, or has the turn.
  private struct Place {
    /// Signalled when its turn comes.
    let turn: DispatchSemaphore
    /// Whether the server itself writes, for nobody who waits for an answer.
    let isOfServer: Bool
    /// Whether it needs its turn for long.
    var isLong = false
  }

  /// The thread that has the turn, then those that wait for it.
  private let queues = Mutex<[Subject: [Place]]>([:])

  /// Whether some thread waits for its turn.
  func isAwaited(_ subject: Subject) -> Bool {
    queues.withLock { ($0[subject]?.count ?? 0) > 1 }
  }

  /// Whether somebody but the server itself waits for a turn.
  func isAwaitedByOthers(_ subject: Subject) -> Bool {
    queues.withLock { $0[subject]?.dropFirst().contains { !$0.isOfServer } ?? false }
  }

  /// Marks that the thread that has the turn needs it for long. Meanwhile, nobody who waits gives up.
  func takeLong(_ subject: Subject) {
    queues.withLock { $0[subject]?[0].isLong = true }
  }

  private func isLong(_ subject: Subject) -> Bool {
    queues.withLock { $0[subject]?.first?.isLong ?? false }
  }

  /// Runs `body` when the thread's turn comes.
  ///
  /// - Throws: `StoreError.busy`, and what `body` throws.
  func take<Result>(
    _ subject: Subject, _ waitBudget: inout WaitBudget, _ body: (inout WaitBudget) throws -> Result
  ) throws -> Result {
    let turn = DispatchSemaphore(value: 0)
    let isFree = queues.withLock { queues in
      queues[subject, default: []].append(Place(turn: turn, isOfServer: waitBudget.isOfServer))
      return queues[subject]?.count == 1
    }
    defer { leave(subject, turn) }
    if !isFree {
      try waitBudget.wait {
        turn.wait(timeout: .now() + .milliseconds($0)) == .success
      } unless: {
        isLong(subject) || isLong(.database)
      }
    }
    return try body(&waitBudget)
  }

  /// Ends a turn, or gives up waiting for it.
  private func leave(_ subject: Subject, _ turn: DispatchSemaphore) {
    queues.withLock { queues in
      guard var queue = queues.removeValue(forKey: subject) else { return }
      let hadTurn = queue.first?.turn === turn
      queue.removeAll { $0.turn === turn }
      if queue.isEmpty { return }
      if hadTurn { queue[0].turn.signal() }
      queues[subject] = queue
    }
  }
}

/// How much longer a writer waits, for all of its turns together.
struct WaitBudget {
  private var rest: Duration
  /// How much longer it may wait beside that while others write many domains.
  private var free: Duration
  let isOfServer: Bool
  /// Whether nobody waits for the result any more.
  let isAbandoned: @Sendable () -> Bool

  init(
    _ rest: Duration, free: Duration, isOfServer: Bool = false,
    isAbandoned: @escaping @Sendable () -> Bool
  ) {
    (self.rest, self.free) = (rest, free)
    self.isOfServer = isOfServer
    self.isAbandoned = isAbandoned
  }

  /// How long it waits for a commit together with others: 10 ms of the usual 5 seconds.
  var patience: Duration { rest / 500 }

  /// Repeats `attempt`, which waits up to the given number of milliseconds, until it succeeds.
  ///
  /// - Parameter isFree: Whether somebody writes many domains now.
  /// - Throws: `StoreError.busy`, and what `attempt` throws.
  mutating func wait(
    _ attempt: (Int) throws -> Bool, unless isFree: () -> Bool = { false }
  ) throws {
    while true {
      let start = ContinuousClock.now
      if try attempt(min(100, max(1, Int(rest / .milliseconds(1))))) { return }
      let waited = ContinuousClock.now - start
      if free > .zero && isFree() { free -= waited } else { rest -= waited }
      if rest <= .zero || isAbandoned() { throw StoreError.busy }
    }
  }
}
