import Dispatch
import Synchronization

/// Runs asynchronous work, and blocks the calling thread until it is done. Call it only on a thread of your
/// own: the threads of Swift's concurrency must not wait.
public func waiting<Result: Sendable>(
  for work: @escaping @Sendable () async -> Result
) -> Result {
  let done = DispatchSemaphore(value: 0)
  let result = Shared<Result>()
  Task.detached {
    let value = await work()
    result.value.withLock { $0 = value }
    done.signal()
  }
  while true {
    done.wait()
    if let value = result.value.withLock({ $0 }) { return value }
  }
}

/// What a task leaves for the thread that waits for it.
private final class Shared<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
