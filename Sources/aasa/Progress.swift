import Dispatch
import Glibc
import Synchronization

/// A line on the terminal about work that takes its time, which goes when the work is done. It is on
/// stderr, and only where that is a terminal.
final class Progress: Sendable {
  private let text: Mutex<String>
  private let start = ContinuousClock.now

  private init(_ text: String) { self.text = Mutex(text) }

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
        Terminal.eraseLine()
      }
    }
    return try body(progress)
  }

  /// Changes the text.
  func say(_ text: String) { self.text.withLock { $0 = text } }

  /// The end of a long text goes, since what wraps could not be erased.
  private func show() {
    let seconds = (ContinuousClock.now - start).components.seconds
    Terminal.showLine("\(text.withLock { $0 }.prefix(64))… \(seconds) s")
  }
}
