import Dispatch
import Glibc
import Synchronization

/// A line on the terminal about work that takes its time, which goes when the work is done. It is on
/// stderr, and only where that is a terminal.
final class Progress: Sendable {
  private struct State {
    var text: String
    var isShown = false
  }

  private let state: Mutex<State>
  private let start = ContinuousClock.now

  private init(_ text: String) { state = Mutex(State(text: text)) }

  /// Does `body`, and shows a text meanwhile once it has taken half a second.
  static func during<Result>(
    _ text: String, _ body: (Progress) throws -> Result
  ) rethrows -> Result {
    let progress = Progress(text)
    guard Terminal.isTerminal(STDERR_FILENO) else { return try body(progress) }
    let queue = DispatchQueue(label: "progress")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 0.5, repeating: 0.2)
    timer.setEventHandler { progress.show() }
    timer.resume()
    defer {
      queue.sync {
        timer.cancel()
        progress.erase()
      }
    }
    return try body(progress)
  }

  /// Changes the text.
  func say(_ text: String) { state.withLock { $0.text = text } }

  /// The end of a long text goes, since what wraps could not be erased.
  private func show() {
    let seconds = (ContinuousClock.now - start).components.seconds
    state.withLock { state in
      state.isShown = true
      Terminal.showLine("\(state.text.prefix(64))… \(seconds) s")
    }
  }

  private func erase() {
    state.withLock { if $0.isShown { Terminal.showLine("") } }
  }
}
