import Dispatch
import Glibc
import Synchronization

/// A line on stderr about work in progress, if stderr is a terminal. It disappears when the work is done.
final class Progress: Sendable {
  private struct State {
    var text: String
    var isShown = false
  }

  private let state: Mutex<State>
  private let start = ContinuousClock.now

  private init(_ text: String) { state = Mutex(State(text: text)) }

  /// Runs `body`, and shows a text once it has run for half a second.
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

  /// Long text is cut, because a wrapped line could not be erased.
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
