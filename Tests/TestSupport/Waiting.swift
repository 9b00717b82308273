import Glibc

/// Polls a condition that another thread fulfills, instead of sleeping for a guessed time.
///
/// - Parameter seconds: Only what fails takes as long. Threads of the server that give way to everything else
///   (`nice`) may need minutes on a busy machine.
/// - Returns: Whether it was fulfilled before the deadline.
package func becomesTrue<Failure: Error>(
  within seconds: Double = 180, _ condition: () throws(Failure) -> Bool
) throws(Failure) -> Bool {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < deadline {
    if try condition() { return true }
    usleep(1_000)
  }
  return try condition()
}
