package import Association
import Synchronization

/// Counts of the public listener's answers since startup, and of its open connections.
package struct PublicCounts: Sendable {
  package internal(set) var openConnections = 0
  /// Access log lines dropped because they arrived faster than they could be written.
  package internal(set) var droppedAccessLines: UInt64 = 0
  private var requests = [UInt64](repeating: 0, count: RequestCounters.count)
  private var documents = [UInt64](repeating: 0, count: DocumentKind.allCases.count)

  /// Requests by outcome and class of fetcher, without those that libmicrohttpd itself refuses.
  package func requests(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> UInt64 {
    requests[RequestCounters.index(outcome, fetcher)]
  }

  /// Requests that were answered with a document of a kind, or with 304 for it.
  package func requests(for kind: DocumentKind) -> UInt64 {
    if kind != .apple { return documents[kind.index] }
    let all = FetcherClass.allCases.reduce(0) {
      $0 + requests(.ok, $1) + requests(.notModified, $1)
    }
    return all - min(all, documents.reduce(0, +))
  }

  mutating func add(_ counters: RequestCounters) {
    for index in requests.indices { requests[index] += counters[index] }
    for kind in DocumentKind.allCases { documents[kind.index] += counters[kind] }
  }
}

/// The requests that one thread has answered. Only this thread writes the counts, so no atomic
/// read-modify-write is needed. Any thread may read them.
final class RequestCounters: Sendable {
  /// Outcomes times classes of fetchers.
  static let count = 44

  private let numbers = [44 of Atomic<UInt64>] { _ in Atomic(0) }
  /// In the order of `DocumentKind.index`. Those of Apple's are not counted here: they are the rest.
  private let documents = DocumentKind.allCases.map { _ in Count() }

  private final class Count: Sendable {
    let number = Atomic<UInt64>(0)
  }

  static func index(_ outcome: PublicOutcome, _ fetcher: FetcherClass) -> Int {
    4 * outcome.index + fetcher.index
  }

  /// Counts a document that is not Apple's, or a 304 for it.
  func add(_ kind: DocumentKind) {
    let count = documents[kind.index]
    count.number.store(count.number.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  subscript(kind: DocumentKind) -> UInt64 { documents[kind.index].number.load(ordering: .relaxed) }

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

  /// The status of the answer.
  package var status: Int { statusAndIndex.status }

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
    }
  }
}
