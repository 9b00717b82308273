import Dispatch
import Glibc
import Store
import Synchronization

/// A line on stderr about work in progress, if stderr is a terminal. It disappears when the work is done.
final class Progress: Sendable {
  private let text: Mutex<String>
  private let isShown = isatty(STDERR_FILENO) == 1
  /// The work that is shown. What is done as a part of it shows nothing of its own.
  private static let current = Mutex<Progress?>(nil)

  private init(_ text: String) { self.text = Mutex(text) }

  /// Runs `body`, and shows a text once it has run for half a second.
  static func during<Result>(
    _ text: String, _ body: (Progress) throws -> Result
  ) rethrows -> Result {
    if let outer = current.withLock({ $0 }) { return try body(outer) }
    let (progress, start) = (Progress(text), ContinuousClock.now)
    guard progress.isShown else { return try body(progress) }
    current.withLock { $0 = progress }
    defer { current.withLock { $0 = nil } }
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

  /// The same for a copy of a database. A signal that ends the process first removes the copy if it is not complete.
  static func copy<Result>(_ body: (BackupProgress) throws -> Result) rethrows -> Result {
    try cleaningUp(by: Backup.removeUnfinished) {
      try during("Opening the database") { progress in
        try body { work, percent in progress.say(percent.map { "\(work): \($0) %" } ?? work) }
      }
    }
  }

  /// Runs `body`. A signal that ends the process first calls `cleanUp`.
  static func cleaningUp<Result>(
    by cleanUp: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    // What arrives before a source is installed would be lost with the signals only ignored; blocked, it waits.
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let ending = blocked
    let queue = DispatchQueue(label: "signals")
    let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
      // Sound: both are addresses. What is ignored already, such as SIGHUP by nohup, stays so.
      let isIgnored = unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == 1
      if isIgnored { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        cleanUp()
        signal(number, SIG_DFL)
        var unblocked = ending
        pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        raise(number)
      }
      source.resume()
      return source
    }
    defer {
      for source in sources {
        source.cancel()
        signal(Int32(source.handle), SIG_DFL)
      }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return try body()
  }

  func say(_ text: String) { self.text.withLock { $0 = text } }

  /// Runs `body`, which writes lines, and keeps them apart from the text.
  func above(_ body: () throws -> Void) rethrows {
    try text.withLock { _ in
      if isShown { Terminal.showLine("") }
      try body()
    }
  }
}
