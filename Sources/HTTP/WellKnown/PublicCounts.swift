package import Association
import Synchronization

/// Counts of the public listener's answers since startup, and of its open connections.
package struct PublicCounts: Sendable {
  package internal(set) var openConnections = 0
  /// Access log lines dropped because they arrived faster than they could be written.
  package internal(set) var droppedAccessLines: UInt64 = 0
  private var requests = [UInt64](repeating: 0, count: RequestCounters.count)
  private var fallbacks = [UInt64](repeating: 0, count: RequestCounters.fallbackCount)
  private var documents = [UInt64](repeating: 0, count: RequestCounters.kinds)

  /// Requests by outcome and class of fetcher, without those that libmicrohttpd itself refuses.
  package func requests(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> UInt64 {
    requests[RequestCounters.index(outcome, fetcher)]
  }

  /// Requests that were answered with a document of a kind, or with 304 for it; for a named one, with any of them.
  package func requests(for kind: DocumentKind) -> UInt64 {
    if kind != .apple { return documents[kind.index] }
    let all = FetcherClass.allCases.reduce(0) {
      $0 + requests(.ok, $1) + requests(.notModified, $1)
    }
    return all - min(all, documents.reduce(0, +))
  }

  /// People without an app who were redirected, or got a page.
  package func fallbacks(_ outcome: PublicOutcome, _ device: ServedFallback.Device) -> UInt64 {
    fallbacks[RequestCounters.index(outcome, device)]
  }

  mutating func add(_ counters: RequestCounters) {
    for index in fallbacks.indices { fallbacks[index] += counters[fallback: index] }
    for index in requests.indices { requests[index] += counters[index] }
    for kind in documents.indices { documents[kind] += counters[kind: kind] }
  }
}

/// The requests that one thread has answered. Only this thread writes the counts, so no atomic
/// read-modify-write is needed. Any thread may read them.
final class RequestCounters: Sendable {
  /// Outcomes times classes of fetchers.
  static let count = 60
  /// The kinds of rendered documents, and one for all named ones.
  static let kinds = DocumentKind.allCases.count + 1
  /// Redirects and pages, times devices.
  static let fallbackCount = 6

  private let numbers = [60 of Atomic<UInt64>] { _ in Atomic(0) }
  private let fallbacks = [6 of Atomic<UInt64>] { _ in Atomic(0) }
  /// In the order of `DocumentKind.index`. Those of Apple's are not counted here: they are the rest.
  private let documents = (0..<kinds).map { _ in Count() }

  private final class Count: Sendable {
    let number = Atomic<UInt64>(0)
  }

  static func index(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> Int {
    4 * outcome.index + fetcher.index
  }

  static func index(_ outcome: PublicOutcome, _ device: ServedFallback.Device) -> Int {
    (outcome == .page ? 3 : 0) + device.index
  }

  /// Counts a redirect or a page.
  func addFallback(_ outcome: PublicOutcome, _ device: ServedFallback.Device) {
    let index = Self.index(outcome, device)
    fallbacks[index].store(
      fallbacks[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  subscript(fallback index: Int) -> UInt64 { fallbacks[index].load(ordering: .relaxed) }

  /// Counts a document that is not Apple's, or a 304 for it.
  func add(_ kindIndex: UInt8) {
    let count = documents[Int(kindIndex)]
    count.number.store(count.number.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  subscript(kind index: Int) -> UInt64 { documents[index].number.load(ordering: .relaxed) }

  func add(_ outcome: PublicOutcome, _ fetcher: FetcherClass) {
    let index = Self.index(outcome, fetcher)
    numbers[index].store(numbers[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  subscript(index: Int) -> UInt64 { numbers[index].load(ordering: .relaxed) }
}

/// How a public request was answered.
package enum PublicOutcome: String, Sendable, CaseIterable {
  /// 200
  case ok
  /// 304
  case notModified = "not-modified"
  /// 404: no file is published for the host.
  case unknownHost = "unknown-host"
  /// 404: the path of no document.
  case unknownPath = "unknown-path"
  /// 404: the domain has no document of this kind.
  case noDocument = "no-document"
  /// 405
  case methodNotAllowed = "method-not-allowed"
  /// 412
  case preconditionFailed = "precondition-failed"
  /// 400: the target, the host or the length of the body is malformed.
  case malformedRequest = "malformed-request"
  /// 431
  case headerTooLarge = "header-too-large"
  /// 413
  case bodyNotAllowed = "body-not-allowed"
  /// 503: no memory was left for the answer.
  case outOfMemory = "out-of-memory"
  /// 302, to the page for changing a password.
  case redirected
  /// 302: somebody without an app was redirected.
  case redirect
  /// 200: somebody without an app got a page.
  case page
  /// 414: the URL is too long for a redirect.
  case targetTooLong = "target-too-long"

  package var status: Int { statusAndIndex.status }

  /// Whether a person got it, of whom nothing is recorded.
  var isForPeople: Bool { self == .redirect || self == .page || self == .targetTooLong }

  /// Its index in tables of counts.
  var index: Int { statusAndIndex.index }

  private var statusAndIndex: (status: Int, index: Int) {
    switch self {
    case .ok: (200, 0)
    case .notModified: (304, 1)
    case .unknownHost: (404, 2)
    case .unknownPath: (404, 3)
    case .methodNotAllowed: (405, 4)
    case .preconditionFailed: (412, 5)
    case .malformedRequest: (400, 6)
    case .headerTooLarge: (431, 7)
    case .bodyNotAllowed: (413, 8)
    case .outOfMemory: (503, 9)
    case .noDocument: (404, 10)
    case .redirected: (302, 11)
    case .redirect: (302, 12)
    case .page: (200, 13)
    case .targetTooLong: (414, 14)
    }
  }
}
