import Foundation
import Synchronization

/// Blocking work on separate threads.
public final class Threads: Sendable {
  private let running: Atomic<Int>

  /// Starts one thread per piece of work.
  public init(_ work: [@Sendable () -> Void]) {
    running = Atomic(work.count)
    for body in work {
      Thread.detachNewThread { [self] in
        body()
        running.subtract(1, ordering: .releasing)
      }
    }
  }

  /// Waits until all threads have ended. Returns false if they did not end in time.
  public func end() -> Bool { becomesTrue(within: 30) { running.load(ordering: .acquiring) == 0 } }
}

/// A counter that threads share.
public final class Counter: Sendable {
  private let value = Atomic(0)

  /// Zero.
  public init() {}

  /// The sum.
  public var count: Int { value.load(ordering: .relaxed) }

  /// Adds.
  public func add(_ number: Int = 1) { value.add(number, ordering: .relaxed) }
}
