import Dispatch
import Checking
import Glibc
import Store
import Synchronization

/// Work on a thread of its own, one piece at a time.
final class Worker: Sendable {
  private struct State {
    var isBusy = false
    var isStopping = false
    var next = ContinuousClock.now
  }

  private let nice: CInt
  private let state = Mutex(State())
  private let alarm = DispatchSemaphore(value: 0)

  /// - Parameter nice: How much its thread gives way to others; by default, as much as it can.
  init(nice: CInt = 19) { self.nice = nice }

  /// Whether the piece under way should end early.
  var isStopping: Bool { state.withLock(\.isStopping) }

  /// Whether a piece of work may begin.
  var isFree: Bool { state.withLock { !$0.isBusy && !$0.isStopping } }

  /// Begins a piece of work, unless one is under way, the interval since the last one began is not over, or
  /// the server stops. Returns whether it does.
  @discardableResult
  func start(every interval: Duration = .zero, _ work: @escaping @Sendable () -> Void) -> Bool {
    let starts = state.withLock { state in
      guard !state.isBusy, !state.isStopping, state.next <= .now else { return false }
      (state.isBusy, state.next) = (true, .now + interval)
      return true
    }
    if starts {
      onThread { [self] in
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
        work()
        state.withLock { $0.isBusy = false }
      }
    }
    return starts
  }

  /// Lets the piece under way rest until the time is over or somebody calls `wake`.
  func rest(_ duration: Duration) {
    _ = alarm.wait(timeout: .now() + duration / .seconds(1))
    forgetWakes()
  }

  /// Pauses the piece under way, also if somebody calls `wake`. It must look for their reasons afterwards.
  func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
    forgetWakes()
  }

  private func forgetWakes() {
    while alarm.wait(timeout: .now()) == .success {}
  }

  /// Ends a rest.
  func wake() { alarm.signal() }

  /// Begins no further piece of work, and makes the one under way end early.
  ///
  /// - Parameter deadline: How long to wait for its end.
  func stop(by deadline: ContinuousClock.Instant = .now) {
    state.withLock { $0.isStopping = true }
    wake()
    while state.withLock(\.isBusy), .now < deadline { usleep(1000) }
  }
}
