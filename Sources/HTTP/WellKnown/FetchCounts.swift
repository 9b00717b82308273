package import Association
import Glibc
import Synchronization

/// How often a revision of a domain was fetched, by GET requests answered with 200 or 304.
package struct FetchCounts: Sendable {
  /// The row of the domain.
  package let domain: Int64
  package let revision: Int
  package let kind: DocumentKind
  /// In the order of `FetcherClass.index`.
  private let numbers: [4 of Int]

  init(domain: Int64, revision: Int, kind: DocumentKind, _ numbers: [4 of Int]) {
    self.domain = domain
    self.revision = revision
    self.kind = kind
    self.numbers = numbers
  }

  /// The fetches by a class of fetcher.
  package subscript(fetcher: FetcherClass) -> Int { numbers[fetcher.index] }
}

/// A linked list, through the documents themselves, of those fetched since their counts were last
/// taken. The list retains them, so no count of a replaced document is lost. Documents without
/// fetches cost nothing.
final class FetchedDocuments: Sendable {
  /// The address of the newest one, retained.
  private let newest = Atomic<UInt>(0)

  deinit { _ = take() }

  /// Adds a document that is not in the list; the caller has just set its flag.
  func add(_ document: ServedDocument) {
    let reference = UInt(bitPattern: Unmanaged.passRetained(document).toOpaque())
    var head = newest.load(ordering: .relaxed)
    while true {
      document.fetches.next.store(head, ordering: .relaxed)
      let (isExchanged, original) = newest.weakCompareExchange(
        expected: head, desired: reference, successOrdering: .releasing, failureOrdering: .relaxed)
      if isExchanged { return }
      head = original
    }
  }

  /// Takes all counts and resets them to zero. Some may be 0.
  func take() -> [FetchCounts] {
    var counts: [FetchCounts] = []
    var address = newest.exchange(0, ordering: .acquiring)
    while let pointer = UnsafeRawPointer(bitPattern: address) {
      // Sound: this is the reference that `add` retained. Taking the list transfers all of its
      // references.
      let document = Unmanaged<ServedDocument>.fromOpaque(pointer).takeRetainedValue()
      address = document.fetches.next.load(ordering: .relaxed)
      counts.append(document.takeFetches())
    }
    return counts
  }
}

/// The counts of one document. Any thread may add or take counts.
struct DocumentFetches: ~Copyable {
  /// The address of the next one in the list.
  let next = Atomic<UInt>(0)
  /// In the order of `FetcherClass.index`.
  private let numbers = [4 of Atomic<UInt32>] { _ in Atomic(0) }
  /// Whether the document is in the list of fetched documents, or about to be.
  private let isListed = Atomic<Bool>(false)

  /// Counts a fetch. Returns whether the caller must add the document to the list.
  borrowing func add(_ fetcher: FetcherClass) -> Bool {
    let before = numbers[fetcher.index].wrappingAdd(1, ordering: .relaxed).oldValue
    // After an earlier fetch, the document is already in the list.
    return before == 0 && !isListed.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Clears the flag first, so that a later fetch adds the document to the list again.
  borrowing func take() -> [4 of Int] {
    _ = isListed.exchange(false, ordering: .acquiringAndReleasing)
    return [4 of Int] { Int(numbers[$0].exchange(0, ordering: .relaxed)) }
  }
}

extension FetcherClass {
  /// The class of a request. Checks from outside, which ask like Apple's bot, are no fetches of Apple.
  init(_ fields: borrowing DirectFields) {
    self = fields.isCheck ? .other : FetcherClass(userAgent: fields.userAgent.value)
  }

  /// The class of a User-Agent; `other` without one.
  init(userAgent: UnsafeRawBufferPointer) {
    if userAgent.begins(with: "swcd") || userAgent.begins(with: "com.apple.swcd") {
      self = .device
    } else if userAgent.begins(with: "GoogleAssociationService") {
      self = .google
    } else {
      self = Self.namesBot(userAgent) ? .appleCDN : .other
    }
  }

  /// Looks for hyphens, which are rarer than letters.
  private static func namesBot(_ userAgent: UnsafeRawBufferPointer) -> Bool {
    guard let start = userAgent.baseAddress else { return false }
    let end = start + userAgent.count
    var rest = start
    while let hyphen = memchr(rest, CInt(UInt8(ascii: "-")), end - rest) {
      let hyphen = UnsafeRawPointer(hyphen)
      if hyphen - start >= 4, end - hyphen >= 4,
        memcmp(hyphen - 4, "AASA-Bot", 8) == 0
      {
        return true
      }
      rest = hyphen + 1
    }
    return false
  }

  /// Its index in tables of counts.
  var index: Int {
    switch self {
    case .appleCDN: 0
    case .device: 1
    case .google: 2
    case .other: 3
    }
  }
}
