import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The number of processors that this process may use. taskset, systemd and containers may allow
/// fewer than the machine has.
package func processorCount() -> Int {
  let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
  // A mask in hexadecimal digits, `ff,ffffffff` (proc_pid_status(5)).
  let mask = fileText(at: "/proc/self/status")?.split(separator: "\n")
    .first { $0.hasPrefix("Cpus_allowed:") }?.drop { $0 != ":" }
  let allowed = mask?.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } ?? 0
  return allowed == 0 ? all : min(all, allowed)
}

/// The text of a file in `/proc`; `nil` if it cannot be read.
package func fileText(at path: String) -> String? {
  FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

/// Runs `body` on a thread of its own.
package func onThread(_ body: @escaping @Sendable () -> Void) {
  if let thread = start(body) {
    pthread_detach(thread)
  } else {
    // Without memory for a thread, libdispatch waits for one of its own.
    DispatchQueue.global().async(execute: body)
  }
}

/// Runs pieces of work on several threads, this one among them, and returns their results in order when all are done.
///
/// - Parameters:
///   - threads: The most threads.
///   - nice: How much the other threads give way to everything else; by default, as much as this one.
///   - work: Takes the number of the piece, from 0.
package func concurrently<Value: Sendable>(
  _ count: Int, threads: Int = .max, nice: CInt? = nil, _ work: @Sendable (Int) -> Value
) -> [Value] {
  let results = Mutex([Value?](repeating: nil, count: count))
  let next = Atomic(0)
  return withoutActuallyEscaping(work) { work in
    let workOff: @Sendable () -> Void = {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        if number >= count { return }
        let result = work(number)
        results.withLock { $0[number] = result }
      }
    }
    // Without memory for more threads, there are fewer.
    let others = (1..<max(1, min(count, threads))).compactMap { _ in
      start {
        // On Linux a priority belongs to a thread, and 0 means the calling one. Lowering it is always allowed.
        if let nice { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) }
        workOff()
      }
    }
    workOff()
    for thread in others { pthread_join(thread, nil) }
    return results.withLock { $0.compactMap(\.self) }
  }
}

/// Runs a piece of work on a thread of its own while this one runs `body`, and returns what both give.
///
/// - Throws: What `body` throws, when the work is done, too.
package func beside<Value: Sendable, Outcome>(
  _ work: @escaping @Sendable () -> Value, _ body: () throws -> Outcome
) throws -> (Value, Outcome) {
  let value = Mutex<Value?>(nil)
  let thread = start {
    let done = work()
    value.withLock { $0 = done }
  }
  let outcome = Result { try body() }
  if let thread { pthread_join(thread, nil) }
  // Without memory for a thread, this one does it.
  return (value.withLock(\.self) ?? work(), try outcome.get())
}

/// Starts a thread, which somebody has to join or detach; `nil` without memory for it. When it has ended, nothing refers to
/// `body` any more.
private func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body))
  let code = pthread_create(
    &thread, nil,
    { work in
      // Sound: this is the reference that was retained for the thread, and nobody else releases it.
      if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
      return nil
    }, work.toOpaque())
  if code == 0 { return thread }
  work.release()
  return nil
}
