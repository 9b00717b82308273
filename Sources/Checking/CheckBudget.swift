import Glibc
import Synchronization

/// How much checks may compute: each domain, and all domains of a request together. What costs most is left out when
/// that is used up.
///
/// It is the time of the thread's processor, so that a busy machine changes no result, and a number of steps, so that
/// most results do not depend on the machine at all. A step is a byte of a file that is read to compare or to lint it.
package final class CheckBudget: Sendable {
  /// What a domain or a request may use.
  package struct Amount: Sendable {
    /// The time of the processor.
    package var time: Duration
    package var steps: Int

    package init(time: Duration, steps: Int) { (self.time, self.steps) = (time, steps) }

    /// Whether so many steps are left, and more than a time.
    fileprivate func has(_ steps: Int, after time: Duration) -> Bool {
      time < self.time && steps <= self.steps
    }
  }

  /// What a domain may use.
  package static let perDomain = Amount(time: .seconds(2), steps: 50_000_000)
  /// What all domains of a request may use.
  package static let perRequest = Amount(time: .seconds(6), steps: 150_000_000)

  private let domain: Amount
  private let rest: Mutex<Amount>

  /// A budget.
  ///
  /// - Parameters:
  ///   - domain: What a domain may use.
  ///   - request: What all domains together may use.
  package init(domain: Amount = perDomain, request: Amount = perRequest) {
    self.domain = domain
    rest = Mutex(request)
  }

  func share() -> Share { Share(of: self, domain) }

  /// What is left for a domain.
  final class Share: Sendable {
    private let budget: CheckBudget
    private let state: Mutex<(rest: Amount, isCut: Bool)>

    fileprivate init(of budget: CheckBudget, _ amount: Amount) {
      self.budget = budget
      state = Mutex((amount, false))
    }

    /// Whether something was left out.
    var isCut: Bool { state.withLock(\.isCut) }

    /// Does work on this thread, which counts.
    func work<Result>(_ body: (Work) throws -> Result) rethrows -> Result {
      let work = Work(share: self)
      defer { spend(work.time) }
      return try body(work)
    }

    /// Takes steps for a piece of work. If there are not enough, or there is no time, it is left out.
    fileprivate func take(_ steps: Int, after time: Duration) -> Bool {
      state.withLock { state in
        let isLeft = budget.rest.withLock { rest in
          let isLeft = state.rest.has(steps, after: time) && rest.has(steps, after: time)
          if isLeft { rest.steps -= steps }
          return isLeft
        }
        if isLeft { state.rest.steps -= steps } else { state.isCut = true }
        return isLeft
      }
    }

    private func spend(_ time: Duration) {
      state.withLock { $0.rest.time -= time }
      budget.rest.withLock { $0.time -= time }
    }
  }

  /// Work for a domain, on one thread.
  struct Work {
    let share: Share
    private let start = processorTime()

    fileprivate init(share: Share) { self.share = share }

    fileprivate var time: Duration { processorTime() - start }

    /// Whether a piece of work that takes so many steps may be done, and somebody still waits for the result.
    func goesOn(_ steps: Int) -> Bool { !Task.isCancelled && share.take(steps, after: time) }
  }
}

/// The processor time that the thread has used.
private func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
