import FoundationEssentials
import Glibc

/// How many processors this process may use. taskset, systemd and containers may allow fewer than the
/// machine has.
func processorCount() -> Int {
  let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
  // A mask in hexadecimal digits, `ff,ffffffff` (proc_pid_status(5)).
  let mask = fileText(at: "/proc/self/status")?.split(separator: "\n")
    .first { $0.hasPrefix("Cpus_allowed:") }?.drop { $0 != ":" }
  let allowed = mask?.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } ?? 0
  return allowed == 0 ? all : min(all, allowed)
}

/// The text of a file in `/proc`; `nil` if it cannot be read.
func fileText(at path: String) -> String? {
  FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

/// Marks threads that have called `giveWay`, so that each does it once. It holds a number, no address.
private let hasGivenWay: pthread_key_t? = {
  var key = pthread_key_t()
  return pthread_key_create(&key, nil) == 0 ? key : nil
}()

/// Lowers the priority of this thread (`nice`), so that on a busy machine fetching a file does not wait
/// for edits.
func giveWay() {
  if let hasGivenWay {
    if pthread_getspecific(hasGivenWay) != nil { return }
    pthread_setspecific(hasGivenWay, UnsafeRawPointer(bitPattern: 1))
  }
  // On Linux a priority belongs to a thread, and 0 means the calling one. Lowering it is always allowed.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
}

/// Runs pieces of work at the same time, each on its own thread, and returns when all are done.
///
/// - Parameter work: Takes the number of the piece, from 0.
/// - Throws: What the first failing piece throws.
func concurrently<Value: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let pieces = (0..<count).map { number in Piece { try work(number) } }
  // This thread runs the first piece.
  let threads = pieces.dropFirst().map { $0.start() }
  pieces.first?.run()
  for (piece, thread) in zip(pieces.dropFirst(), threads) {
    if let thread { pthread_join(thread, nil) } else { piece.run() }
  }
  return try pieces.map { try $0.result() }
}

/// Work and its result.
private final class Piece<Value: Sendable>: @unchecked Sendable {
  // Unchecked is sound: the thread that runs the work writes the result, which is read after that thread
  // has ended.
  private let work: @Sendable () throws -> Value
  private var outcome: Result<Value, any Error>?

  init(_ work: @escaping @Sendable () throws -> Value) { self.work = work }

  func run() { outcome = Result { try work() } }

  /// Call it after `run`.
  func result() throws -> Value { try outcome?.get() ?? work() }

  /// Runs the work on a new thread; `nil` if none can be created.
  func start() -> pthread_t? {
    let body = Unmanaged.passRetained(ThreadBody { [self] in run() })
    var thread = pthread_t()
    if pthread_create(&thread, nil, runThread, body.toOpaque()) == 0 { return thread }
    body.release()
    return nil
  }
}

private final class ThreadBody {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}

private func runThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let body else { return nil }
  // Sound: this is the reference that `start` retained, and only this line releases it.
  Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
  return nil
}
