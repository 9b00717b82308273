/// Ways to do the same work, measured one after the other in rounds, so that what else happens on the
/// machine hits all of them.
struct Measurement {
  private static let rounds = 5
  private static let slice = Duration.milliseconds(300)

  /// How often a second each way does its work: the median of the rounds.
  ///
  /// Each returns a number that depends on the work, so that none of it can be left out.
  static func rates(_ ways: [() throws -> Int]) throws -> [Double] {
    var rates: [[Double]] = ways.map { _ in [] }
    for _ in 0...rounds {
      for (index, way) in ways.enumerated() { rates[index].append(try rate(way)) }
    }
    // The first round warms up.
    return rates.map { $0.dropFirst().sorted()[rounds / 2] }
  }

  /// How long the work takes once, in seconds.
  static func seconds(_ work: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(work) / .seconds(1)
  }

  private static func rate(_ work: () throws -> Int) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    var (count, sum) = (0, 0)
    while clock.now - start < slice {
      sum &+= try work()
      count += 1
    }
    precondition(sum >= 0)
    return Double(count) / ((clock.now - start) / .seconds(1))
  }
}
