import Glibc
import Synchronization

/// Whether one reader is inside: its number is odd while it is.
///
/// Sequentially consistent order on both sides makes sure that either the writer sees the reader
/// inside, or the reader sees what the writer wrote before it looked.
final class ReaderEpoch: Sendable {
  private let number = Atomic<UInt>(0)

  /// Only the reader writes the number, so it need not be read and written in one step.
  func enter() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  func leave() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Returns when the reader has left, at least once, since the call.
  func waitUntilLeft() {
    let seen = number.load(ordering: .sequentiallyConsistent)
    if seen.isMultiple(of: 2) { return }
    while number.load(ordering: .acquiring) == seen { usleep(20) }
  }
}
