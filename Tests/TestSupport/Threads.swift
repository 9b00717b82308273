import Foundation
import Synchronization

/// Blocking work on separate threads.
package final class Threads: Sendable {
  private let running: Atomic<Int>

  /// Starts one thread per piece of work.
  package init(_ work: [@Sendable () -> Void]) {
    running = Atomic(work.count)
    for body in work {
      Thread.detachNewThread { [self] in
        body()
        running.subtract(1, ordering: .releasing)
      }
    }
  }

  /// Waits until all threads have ended. Returns false if they did not end in time.
  package func end() -> Bool { becomesTrue { running.load(ordering: .acquiring) == 0 } }
}

/// A counter that threads share.
package final class Counter: Sendable {
  private let value = Atomic(0)

  /// Zero.
  package init() {}

  /// The sum.
  package var count: Int { value.load(ordering: .relaxed) }

  /// Adds.
  package func add(_ number: Int = 1) { value.add(number, ordering: .relaxed) }
}
