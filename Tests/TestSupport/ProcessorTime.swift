import Glibc

/// Runs `work`, and returns its result and the processor time that this thread spent on it. Unlike a time limit of the
/// test library, that does not grow while other tests have the processors.
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
