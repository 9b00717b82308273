import Glibc

/// Waits for a condition that another thread brings about, instead of sleeping for a guessed time.
///
/// - Returns: Whether it came true before the deadline.
public func becomesTrue<Failure: Error>(
  within seconds: Double = 10, _ condition: () throws(Failure) -> Bool
) throws(Failure) -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < deadline {
    if try condition() { return true }
    usleep(1_000)
  }
  return try condition()
}
