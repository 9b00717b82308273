import Association

/// Measures the work on a state, and ends it when it takes too long.
struct StateWork {
  let longest: Duration
  let count: Int
  private let start = ContinuousClock.now
  private var begun = ContinuousClock.now
  private(set) var done = 0
  /// The domains that took longest, the slowest first.
  private var slowest: [(domain: DomainName, time: Duration)] = []

  init(longest: Duration, count: Int) {
    self.longest = longest
    self.count = count
  }

  var isOverdue: Bool { .now - start > longest }

  /// - Throws: `PublicationError.tooMuchWork`.
  mutating func begin() throws {
    begun = .now
    if !isOverdue { return }
    throw PublicationError.tooMuchWork(
      .checked, done: done, of: count, longest: longest, slowest: slowest.map(\.domain))
  }

  /// - Parameter time: How long it took, if that was not since it began.
  mutating func end(_ name: DomainName, after time: Duration? = nil) {
    done += 1
    slowest.append((name, time ?? .now - begun))
    slowest.sort { $0.time > $1.time }
    if slowest.count > 5 { slowest.removeLast() }
  }
}
