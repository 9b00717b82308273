import Dispatch
import Glibc
import Synchronization

/// A line on stderr about work in progress, if stderr is a terminal. It disappears when the work is done.
final class Progress: Sendable {
  private let text: Mutex<String>
  private let isShown = isatty(STDERR_FILENO) == 1

  private init(_ text: String) { self.text = Mutex(text) }

  /// Runs `body`, and shows a text once it has run for half a second.
  static func during<Result>(
    _ text: String, _ body: (Progress) throws -> Result
  ) rethrows -> Result {
    let (progress, start) = (Progress(text), ContinuousClock.now)
    guard progress.isShown else { return try body(progress) }
    let queue = DispatchQueue(label: "progress")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 0.5, repeating: 0.2)
    timer.setEventHandler {
      // Long text is cut, because a wrapped line could not be erased.
      progress.text.withLock {
        Terminal.showLine("\($0.prefix(64))… \((.now - start).components.seconds) s")
      }
    }
    timer.resume()
    defer {
      queue.sync {
        timer.cancel()
        Terminal.showLine("")
      }
    }
    return try body(progress)
  }

  /// Changes the text.
  func say(_ text: String) { self.text.withLock { $0 = text } }

  /// Runs `body`, which writes lines, and keeps them apart from the text.
  func above(_ body: () throws -> Void) rethrows {
    try text.withLock { _ in
      if isShown { Terminal.showLine("") }
      try body()
    }
  }
}
