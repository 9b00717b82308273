import Glibc
import Synchronization

/// How long checks may compute: each domain, and all domains of a request together. What costs most is left out when
/// the time is over.
///
/// The time is that of the thread's processor, so that a busy machine changes no result.
public final class CheckBudget: Sendable {
  /// How long a domain may take.
  public static let ofDomain = Duration.seconds(2)
  /// How long all domains of a request may take.
  public static let ofRequest = Duration.seconds(6)

  private let longest: Duration
  private let rest: Mutex<Duration>

  /// A budget.
  ///
  /// - Parameters:
  ///   - domain: How long a domain may take.
  ///   - request: How long all domains together may take.
  public init(domain: Duration = ofDomain, request: Duration = ofRequest) {
    longest = domain
    rest = Mutex(request)
  }

  /// What is left for a domain, while a thread computes for it.
  struct Share {
    private let start = processorTime()
    private let limit: Duration

    fileprivate init(_ limit: Duration) { self.limit = limit }

    fileprivate var used: Duration { processorTime() - start }

    /// Whether there is time, and somebody still waits for the result.
    var isLeft: Bool { used < limit && !Task.isCancelled }
  }

  /// The share of a domain. Return it with `end` on the same thread.
  func begin() -> Share { Share(rest.withLock { min($0, longest) }) }

  func end(_ share: Share) { rest.withLock { $0 -= share.used } }
}

/// The processor time that the thread has used.
private func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
