import Dispatch
import Glibc
import Synchronization

/// The thread on which asynchronous work runs between its requests: looks at domains, and deliveries to
/// webhooks. There is one, so that such work never takes more than one processor, and none of the threads of
/// Swift's concurrency, which others may block.
public final class WorkThread: TaskExecutor {
  /// The only one. It starts with its first work.
  public static let shared = WorkThread()

  private let jobs = Mutex<[UnownedJob]>([])
  private let wake = DispatchSemaphore(value: 0)

  private init() {
    onThread { [self] in
      while true {
        wake.wait()
        let jobs = jobs.withLock { jobs in
          defer { jobs = [] }
          return jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      }
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    wake.signal()
  }

  /// Starts work, which goes on by itself.
  public static func start(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: shared, operation: work)
  }

  /// Runs work, and blocks the calling thread until it is done.
  public static func wait<Result: Sendable>(
    for work: @escaping @Sendable () async -> Result
  ) -> Result {
    let shared = Awaited<Result>()
    start {
      let result = await work()
      shared.result.withLock { $0 = result }
      shared.done.signal()
    }
    while true {
      shared.done.wait()
      if let result = shared.result.withLock({ $0 }) { return result }
    }
  }
}

/// What work leaves for the thread that waits for it.
private final class Awaited<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
  let done = DispatchSemaphore(value: 0)
}

/// Runs `body` on a thread of its own.
package func onThread(_ body: @escaping @Sendable () -> Void) {
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
  if code == 0 {
    pthread_detach(thread)
  } else {
    // Without memory for a thread, libdispatch waits for one of its own.
    let work = work.takeRetainedValue()
    DispatchQueue.global().async { work.body() }
  }
}
