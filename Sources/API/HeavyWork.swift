import Dispatch
import Glibc
import Synchronization

/// Lets a few requests do heavy work at a time, so that cheap ones stay fast. The others wait for their
/// turn, first come, first served, but one token never has all turns.
final class HeavyWork: Sendable {
  /// A request that waits.
  private struct Waiter {
    let token: String
    let turn: DispatchSemaphore
  }

  private struct State {
    /// The number of turns that each token has.
    var taken: [String: Int] = [:]
    var waiting: [Waiter] = []

    /// Gives free turns to those who wait.
    mutating func giveTurns(of all: Int, share: Int) {
      var free = all - taken.values.reduce(0, +)
      waiting.removeAll { waiter in
        if free == 0 || taken[waiter.token] ?? 0 >= share { return false }
        free -= 1
        taken[waiter.token, default: 0] += 1
        waiter.turn.signal()
        return true
      }
    }
  }

  private let turns: Int
  private let share: Int
  private let patience: Double
  private let state = Mutex(State())

  /// - Parameters:
  ///   - turns: How many requests work at a time, at least two. By default, one more than there are
  ///     processors.
  ///   - share: How many of these turns one token may have. By default, all but one.
  ///   - patience: How long a request waits for its turn, in seconds.
  init(turns: Int? = nil, share: Int? = nil, patience: Double = 5) {
    self.turns = turns ?? max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN)) + 1)
    self.share = share ?? self.turns - 1
    self.patience = patience
  }

  /// A turn, until it is released.
  final class Turn: Sendable {
    private let work: HeavyWork
    private let token: String

    fileprivate init(_ work: HeavyWork, _ token: String) {
      self.work = work
      self.token = token
    }

    deinit {
      work.state.withLock { state in
        state.taken[token] = state.taken[token].flatMap { $0 == 1 ? nil : $0 - 1 }
        state.giveTurns(of: work.turns, share: work.share)
      }
    }
  }

  /// Waits for a turn.
  ///
  /// - Parameters:
  ///   - token: The name of the request's token.
  ///   - isUnwanted: Whether nobody waits for the answer any longer.
  /// - Throws: `Problem` without a turn.
  func turn(for token: String, unless isUnwanted: () -> Bool = { false }) throws(Problem) -> Turn {
    let turn = DispatchSemaphore(value: 0)
    state.withLock { state in
      state.waiting.append(Waiter(token: token, turn: turn))
      state.giveTurns(of: turns, share: share)
    }
    let deadline = DispatchTime.now() + patience
    repeat {
      if turn.wait(timeout: min(deadline, .now() + 0.25)) == .success { return Turn(self, token) }
    } while .now() < deadline && !isUnwanted()
    let isWaiting = state.withLock { state in
      let count = state.waiting.count
      state.waiting.removeAll { $0.turn === turn }
      return state.waiting.count < count
    }
    // The turn may have come at the last moment.
    if isWaiting { throw .busy("The server is busy with other requests.") }
    return Turn(self, token)
  }
}
