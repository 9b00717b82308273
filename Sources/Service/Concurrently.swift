import FoundationEssentials
import Glibc

/// How many processors this process may use: by taskset, systemd and containers perhaps not all.
func processorCount() -> Int {
  let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
  // A mask in hexadecimal digits, `ff,ffffffff` (proc_pid_status(5)).
  let mask = fileText(at: "/proc/self/status")?.split(separator: "\n")
    .first { $0.hasPrefix("Cpus_allowed:") }?.drop { $0 != ":" }
  let allowed = mask?.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } ?? 0
  return allowed == 0 ? all : min(all, allowed)
}

/// Does work in several pieces at the same time, each on a thread of its own, and returns when all are
/// done.
///
/// - Parameter work: Given the number of the piece, from 0.
/// - Throws: what the first piece throws that fails.
func concurrently<Value: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let pieces = (0..<count).map { number in Piece { try work(number) } }
  // The first is for this thread.
  let threads = pieces.dropFirst().map { $0.start() }
  pieces.first?.run()
  for (piece, thread) in zip(pieces.dropFirst(), threads) {
    if let thread { pthread_join(thread, nil) } else { piece.run() }
  }
  return try pieces.map { try $0.result() }
}

/// Work and its result.
private final class Piece<Value: Sendable>: @unchecked Sendable {
  // Unchecked is sound: the result is written by the thread that runs the work, and read when that
  // has ended.
  private let work: @Sendable () throws -> Value
  private var outcome: Result<Value, any Error>?

  init(_ work: @escaping @Sendable () throws -> Value) { self.work = work }

  func run() { outcome = Result { try work() } }

  /// To be called after `run`.
  func result() throws -> Value { try outcome?.get() ?? work() }

  /// Runs it on a new thread; `nil` where there cannot be one.
  func start() -> pthread_t? {
    let start = Unmanaged.passRetained(Start { [self] in run() })
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runStart, start.toOpaque())
    if code == 0 { return thread }
    start.release()
    return nil
  }
}

/// What a thread does.
private final class Start {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start else { return nil }
  // Sound: this is the reference that `start` retained, and it is given up here alone.
  Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
  return nil
}
