import Dispatch
import Glibc
import Synchronization

/// Lets a few requests work at a time, so that all of them stay fast. The others wait for their turn: those of
/// the token that has the fewest turns first, then first come, first served. One token never has all turns.
final class HeavyWork: Sendable {
  /// A request that waits.
  private struct Waiter {
    let sharer: String
    let turn: DispatchSemaphore
  }

  private struct State {
    /// The number of turns that each token has.
    var taken: [String: Int] = [:]
    var waiting: [Waiter] = []

    /// Gives free turns to those who wait.
    mutating func giveTurns(of all: Int, share: Int) {
      for _ in 0..<max(0, all - taken.values.reduce(0, +)) {
        let counts = waiting.map { taken[$0.sharer] ?? 0 }
        guard let next = counts.indices.min(by: { counts[$0] < counts[$1] }), counts[next] < share
        else { return }
        let waiter = waiting.remove(at: next)
        taken[waiter.sharer, default: 0] += 1
        waiter.turn.signal()
      }
    }
  }

  private let atOnce: Int
  /// How many turns one token may have.
  let share: Int
  private let longestWait: Double
  private let state = Mutex(State())

  /// - Parameters:
  ///   - atOnce: How many requests work at a time, at least two. By default, one more than there are
  ///     processors.
  ///   - share: How many of these turns one token may have. At most, and by default, all but one.
  ///   - longestWait: How long a request waits for its turn, in seconds.
  init(atOnce: Int? = nil, share: Int? = nil, longestWait: Double = 5) {
    self.atOnce = atOnce ?? max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN)) + 1)
    self.share = min(share ?? .max, self.atOnce - 1)
    self.longestWait = longestWait
  }

  /// How many requests wait.
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// A turn, until it is released, or nobody has it any more.
  final class Turn: Sendable {
    private let work: HeavyWork
    private let sharer: String
    private let hasEnded = Atomic(false)

    fileprivate init(_ work: HeavyWork, _ sharer: String) {
      self.work = work
      self.sharer = sharer
    }

    deinit { release() }

    /// Ends the turn, if it has not ended.
    func release() {
      if hasEnded.exchange(true, ordering: .relaxed) { return }
      work.state.withLock { state in
        state.taken[sharer] = state.taken[sharer].flatMap { $0 == 1 ? nil : $0 - 1 }
        state.giveTurns(of: work.atOnce, share: work.share)
      }
    }
  }

  /// Waits for a turn.
  ///
  /// - Parameters:
  ///   - sharer: Whose share of the turns it takes.
  ///   - isUnwanted: Whether nobody waits for the answer any longer.
  /// - Throws: `Problem` without a turn.
  func turn(for sharer: String, unless isUnwanted: () -> Bool = { false }) throws(Problem) -> Turn {
    let turn = DispatchSemaphore(value: 0)
    state.withLock { state in
      state.waiting.append(Waiter(sharer: sharer, turn: turn))
      state.giveTurns(of: atOnce, share: share)
    }
    var hasTurn = turn.wait(timeout: .now()) == .success
    if hasTurn { return Turn(self, sharer) }
    let deadline = DispatchTime.now() + longestWait
    repeat {
      hasTurn = turn.wait(timeout: min(deadline, .now() + 0.25)) == .success
    } while !hasTurn && .now() < deadline && !isUnwanted()
    if !hasTurn {
      hasTurn = state.withLock { state in
        let count = state.waiting.count
        state.waiting.removeAll { $0.turn === turn }
        // The turn may have come at the last moment.
        return state.waiting.count == count
      }
    }
    guard let turn = hasTurn ? Turn(self, sharer) : nil, !isUnwanted() else { throw Self.busy }
    return turn
  }

  private static let busy = Problem.busy("The server is busy with other requests.")
}
