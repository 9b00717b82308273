import Foundation
import Synchronization
import TestSupport

/// Work on threads of its own, since it waits.
final class Threads: Sendable {
  private let running: Atomic<Int>

  init(_ work: [@Sendable () -> Void]) {
    running = Atomic(work.count)
    for body in work {
      Thread.detachNewThread { [self] in
        body()
        running.subtract(1, ordering: .releasing)
      }
    }
  }

  /// Waits until all have ended.
  func end() -> Bool { becomesTrue(within: 30) { running.load(ordering: .acquiring) == 0 } }
}

/// A number that threads add to.
final class Counter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add() { value.add(1, ordering: .relaxed) }
}
