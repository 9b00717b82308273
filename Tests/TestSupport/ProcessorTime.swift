import Glibc

/// What the work returns, and the processor time of this thread for it: unlike a time limit of the test library, it
/// does not grow while other tests have the processors.
package func processorTime<Result>(of work: () throws -> Result) rethrows -> (
  result: Result, time: Duration
) {
  let start = threadTime()
  let result = try work()
  return (result, threadTime() - start)
}

private func threadTime() -> Duration {
  var time = timespec()
  // It fails only for a clock that does not exist.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
