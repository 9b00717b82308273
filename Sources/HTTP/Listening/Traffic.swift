import Synchronization

/// How many requests a listener has begun and completed.
final class Traffic: Sendable {
  private let begun = Atomic<UInt>(0)
  private let completed = Atomic<UInt>(0)
  private let drains = Atomic(false)

  func begin() { begun.wrappingAdd(1, ordering: .relaxed) }

  func complete() { completed.wrappingAdd(1, ordering: .releasing) }

  /// Whether each answer is the last one of its connection.
  var isDraining: Bool { drains.load(ordering: .relaxed) }

  func drain() { drains.store(true, ordering: .relaxed) }

  /// How many requests have begun, ever.
  var total: UInt { begun.load(ordering: .relaxed) }

  /// Requests whose first line has arrived and whose answer has not left.
  var inFlight: UInt {
    let completed = completed.load(ordering: .acquiring)
    return begun.load(ordering: .relaxed) &- completed
  }
}
