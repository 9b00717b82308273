import Synchronization

/// A distribution of durations or sizes.
package final class Histogram: Sendable {
  /// Bounds in seconds that suit database transactions and requests.
  package static let seconds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private struct Counts {
    /// The count of each bucket, not cumulative. The last one is above all bounds.
    var buckets: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let counts: Mutex<Counts>

  /// A histogram without observations.
  ///
  /// - Parameter bounds: The upper bounds of the buckets, inclusive and ascending.
  package init(bounds: [Double] = Histogram.seconds) {
    self.bounds = bounds
    counts = Mutex(Counts(buckets: Array(repeating: 0, count: bounds.count + 1)))
  }

  package func observe(_ value: Double) {
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    counts.withLock { counts in
      counts.buckets[bucket] += 1
      counts.sum += value
    }
  }

  /// Runs `body` and observes how long it took, even if it throws.
  package func time<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = ContinuousClock.now
    defer { observe((ContinuousClock.now - start) / .seconds(1)) }
    return try body()
  }

  /// Cumulative buckets, the sum and the count.
  func samples(labels: Labels) -> [MetricFamily.Sample] {
    let counts = counts.withLock { $0 }
    var total = 0
    var samples: [MetricFamily.Sample] = []
    for (bound, count) in zip(bounds + [.infinity], counts.buckets) {
      total += count
      samples.append(
        MetricFamily.Sample(
          suffix: "_bucket", labels: labels.with("le", MetricFamily.text(bound)),
          value: Double(total)))
    }
    return samples + [
      MetricFamily.Sample(suffix: "_sum", labels: labels, value: counts.sum),
      MetricFamily.Sample(suffix: "_count", labels: labels, value: Double(total)),
    ]
  }
}
