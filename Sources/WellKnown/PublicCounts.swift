import Synchronization

/// What the public listener has answered since it started, and what it holds.
public struct PublicCounts: Sendable {
  /// Open connections.
  public internal(set) var openConnections = 0
  /// Lines of the access log that were dropped, since they came faster than they could be written.
  public internal(set) var droppedAccessLines: UInt64 = 0
  private var requests = [UInt64](repeating: 0, count: RequestCounters.count)

  /// Requests that were answered in a way, of a class of fetcher. What libmicrohttpd refuses by itself
  /// is not among them.
  public func requests(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> UInt64 {
    requests[RequestCounters.index(outcome, fetcher)]
  }

  mutating func add(_ counters: RequestCounters) {
    for index in requests.indices { requests[index] += counters[index] }
  }
}

/// The requests that one thread has answered. Only this thread counts, so a number need not be read
/// and written in one step; any thread may read.
final class RequestCounters: @unchecked Sendable {
  // Unchecked is sound: the memory is atomics, made in init and given up in deinit.
  static let count = PublicOutcome.allCases.count * FetcherClass.allCases.count

  private let numbers: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    numbers = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (numbers + index).initialize(to: Atomic(0)) }
  }

  deinit {
    numbers.deinitialize(count: Self.count)
    numbers.deallocate()
  }

  static func index(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> Int {
    outcome.index * FetcherClass.allCases.count + fetcher.index
  }

  func add(_ outcome: PublicOutcome, _ fetcher: FetcherClass) {
    let number = numbers + Self.index(outcome, fetcher)
    number.pointee.store(number.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  subscript(index: Int) -> UInt64 { numbers[index].load(ordering: .relaxed) }
}
