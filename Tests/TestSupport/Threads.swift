import Foundation
import Synchronization

/// Work on threads of its own, since it waits.
public final class Threads: Sendable {
  private let running: Atomic<Int>

  /// Starts a thread for each piece of work.
  public init(_ work: [@Sendable () -> Void]) {
    running = Atomic(work.count)
    for body in work {
      Thread.detachNewThread { [self] in
        body()
        running.subtract(1, ordering: .releasing)
      }
    }
  }

  /// Waits until all have ended; whether they have.
  public func end() -> Bool { becomesTrue(within: 30) { running.load(ordering: .acquiring) == 0 } }
}

/// A number that threads add to.
public final class Counter: Sendable {
  private let value = Atomic(0)

  /// Zero.
  public init() {}

  /// What was added up.
  public var count: Int { value.load(ordering: .relaxed) }

  /// Adds.
  public func add(_ number: Int = 1) { value.add(number, ordering: .relaxed) }
}
