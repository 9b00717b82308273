import Synchronization

/// Tells every two seconds how many domains were loaded.
struct LoadingProgress: Sendable {
  /// The time between two reports.
  var interval = Duration.seconds(2)
  /// Takes the number of domains that were loaded, and of all; `nil` if that is unknown.
  let report: @Sendable (Int, Int?) -> Void

  /// Counts domains as several threads load them.
  final class Count: Sendable {
    /// How many domains there are between two looks at the clock.
    private static let step = 64

    private let all: Int?
    private let progress: LoadingProgress
    private let loaded = Atomic(0)
    private let next: Mutex<ContinuousClock.Instant>

    init(of all: Int?, _ progress: LoadingProgress) {
      self.all = all
      self.progress = progress
      next = Mutex(.now + progress.interval)
    }

    func add() {
      let loaded = loaded.add(1, ordering: .relaxed).newValue
      if !loaded.isMultiple(of: Self.step) { return }
      let isDue = next.withLock { next in
        if next > .now { return false }
        next = .now + progress.interval
        return true
      }
      if isDue { progress.report(loaded, all) }
    }
  }
}
