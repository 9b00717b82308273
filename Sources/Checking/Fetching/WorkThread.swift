import Dispatch
import Glibc
import Store
import Synchronization

/// A thread on which asynchronous work runs: checks of domains, and deliveries to webhooks. Such work takes none
/// of the threads of Swift's concurrency, which others may block.
package final class WorkThread: TaskExecutor {
  /// For what mostly waits: the steps between requests.
  package static let shared = WorkThread(nice: 0)
  /// For comparing and linting what was fetched, which may take seconds, and which nothing else should wait
  /// for.
  package static let computing = WorkThread(nice: 19)

  private let jobs = Mutex<[UnownedJob]>([])
  private let wake = DispatchSemaphore(value: 0)

  /// - Parameter nice: How much the thread gives way to others.
  private init(nice: CInt) {
    onThread { [self] in
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
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

  /// Takes the next piece of work; for Swift's concurrency, which calls it.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    wake.signal()
  }

  /// Starts work, which goes on by itself.
  package static func start(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: shared, operation: work)
  }

  /// Runs work, and blocks the calling thread until it is done.
  ///
  /// - Parameter isUnwanted: Whether nobody waits for the result any longer. Then the work is cancelled, and returns
  ///   what it has.
  package static func wait<Result: Sendable>(
    unless isUnwanted: () -> Bool = { false }, for work: @escaping @Sendable () async -> Result
  ) -> Result {
    let awaited = Awaited<Result>()
    let task = Task(executorPreference: shared) {
      let result = await work()
      awaited.result.withLock { $0 = result }
      awaited.done.signal()
    }
    while true {
      _ = awaited.done.wait(timeout: .now() + .milliseconds(250))
      if let result = awaited.result.withLock({ $0 }) { return result }
      if isUnwanted() { task.cancel() }
    }
  }
}

/// What work leaves for the thread that waits for it.
private final class Awaited<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
  let done = DispatchSemaphore(value: 0)
}
