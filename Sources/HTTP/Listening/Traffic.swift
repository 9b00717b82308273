import Synchronization

/// How many requests a listener has begun and completed.
final class Traffic: Sendable {
  private let begun = Atomic<UInt>(0)
  private let completed = Atomic<UInt>(0)

  func begin() { begun.wrappingAdd(1, ordering: .relaxed) }

  func complete() { completed.wrappingAdd(1, ordering: .releasing) }

  /// Requests whose first line has arrived and whose answer has not left.
  var inFlight: UInt {
    let completed = completed.load(ordering: .acquiring)
    return begun.load(ordering: .relaxed) &- completed
  }
}
