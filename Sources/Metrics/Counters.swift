import Synchronization

/// Counts of what happened, by labels. Meant for what happens some thousand times a second at most.
public final class Counters: Sendable {
  private let counts: Mutex<[Labels: Int]>

  /// Counters at 0.
  ///
  /// - Parameter labels: Which are shown from the start. A rate needs a value before the first event.
  public init(_ labels: [Labels] = []) {
    counts = Mutex(Dictionary(labels.map { ($0, 0) }) { first, _ in first })
  }

  /// Counts.
  public func add(_ count: Int = 1, _ labels: Labels = .none) {
    counts.withLock { $0[labels, default: 0] += count }
  }

  /// All counts, in a stable order.
  public var values: [(key: Labels, value: Int)] {
    counts.withLock { Array($0) }.sorted { $0.key.text < $1.key.text }
  }
}
