import Glibc

/// Polls a condition that another thread fulfills, instead of sleeping for a guessed time.
///
/// - Returns: Whether it was fulfilled before the deadline.
package func becomesTrue<Failure: Error>(
  within seconds: Double = 60, _ condition: () throws(Failure) -> Bool
) throws(Failure) -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < deadline {
    if try condition() { return true }
    usleep(1_000)
  }
  return try condition()
}
