import Glibc

/// Waits for signals on the thread that made it; they interrupt nothing and no other thread.
struct SignalWait {
  private var set = sigset_t()

  /// Blocks the signals. Threads that are started later inherit that. A client that goes away must
  /// not end the process, so SIGPIPE is ignored.
  init(_ signals: [Int32]) {
    signal(SIGPIPE, SIG_IGN)
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// The signal that came within a time.
  func next(milliseconds: Int) -> Int32? {
    var set = set
    var limit = timespec(
      tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    let signal = sigtimedwait(&set, nil, &limit)
    return signal > 0 ? signal : nil
  }
}
