import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The number of processors that this process may use. taskset, systemd and containers may allow
/// fewer than the machine has.
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

/// Marks threads that have called `giveWay`, so that each does it once. It holds a number, not an
/// address.
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

/// Runs pieces of work on several threads, and returns their results in order when all are done.
///
/// - Parameter work: Takes the number of the piece, from 0.
/// - Throws: What the first failing piece throws.
func concurrently<Value: Sendable>(
  _ count: Int, _ work: @Sendable (Int) throws -> Value
) throws -> [Value] {
  let results = Mutex<[Int: Result<Value, any Error>]>([:])
  DispatchQueue.concurrentPerform(iterations: count) { number in
    let result = Result { try work(number) }
    results.withLock { $0[number] = result }
  }
  return try results.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
}
