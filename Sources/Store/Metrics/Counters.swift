import Synchronization

/// Counts events by labels. Meant for up to some thousand events per second.
package final class Counters: Sendable {
  private let counts: Mutex<[Labels: Int]>

  /// Counters at 0.
  ///
  /// - Parameter labels: Labels that exist at 0 from the start, because a rate needs a value before
  ///   the first event.
  package init(_ labels: [Labels] = []) {
    counts = Mutex(Dictionary(labels.map { ($0, 0) }) { first, _ in first })
  }

  package func add(_ count: Int = 1, _ labels: Labels = .none) {
    counts.withLock { $0[labels, default: 0] += count }
  }

  /// All counts, in a stable order.
  package var values: [(key: Labels, value: Int)] {
    counts.withLock { Array($0) }.sorted { $0.key.text < $1.key.text }
  }
}

/// A number that one thread sets and others read.
package final class Gauge: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var value: Int { number.load(ordering: .relaxed) }

  package func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}
