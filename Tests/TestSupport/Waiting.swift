import Glibc

/// Waits for a condition that another thread brings about, instead of sleeping for a guessed time.
///
/// - Returns: Whether it came true before the deadline.
public func becomesTrue(within seconds: Double = 10, _ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < deadline {
    if condition() { return true }
    usleep(1_000)
  }
  return condition()
}
