import Association
import Store
import Synchronization
import HTTP

/// Counts what is served and what was published. It has its own locks, so reading it never waits for the
/// database.
final class LiveTableCounts: Sendable {
  /// How much of the maximum size a document uses, in percent.
  private enum Part: String, CaseIterable {
    case upTo50 = "0-50"
    case upTo80 = "50-80"
    case upTo95 = "80-95"
    case upTo100 = "95-100"

    init(of document: ServedDocument) {
      switch document.bytes * 100 / document.kind.maximumSize {
      case ..<50: self = .upTo50
      case ..<80: self = .upTo80
      case ..<95: self = .upTo95
      default: self = .upTo100
      }
    }
  }

  private struct State {
    var counts: [DocumentKind: [Part: Int]] = [:]
    /// How many documents end at a time.
    var ends: [UnixTime: Int] = [:]
    var followedAt: UnixTime?

    /// Counts a document and those behind it.
    mutating func add(_ number: Int, _ first: ServedDocument) {
      var next: ServedDocument? = first
      while let document = next {
        next = document.next
        if document.isRedirect { continue }
        let kind = document.kind.isRendered ? document.kind : LiveTableCounts.named
        counts[kind, default: [:]][Part(of: document), default: 0] += number
        if let end = document.expiresAt { ends[end] = (ends[end] ?? 0) + number }
      }
    }
  }

  /// What stands for all named documents in metrics, since anybody may choose their names.
  static let named = DocumentKind.named(DocumentName(stored: "other"))

  private let state = Mutex(State())
  private let revisions = Counters([.none])
  private let changesElsewhere = Counters([.none])
  private let commitsNotServed = Counters([.none])

  /// A domain's documents were replaced, of which these are the first; `nil` means no documents.
  func replace(_ old: ServedDocument?, with new: ServedDocument?) {
    state.withLock { state in
      let (old, new) = (old?.enabled, new?.enabled)
      if let old { state.add(-1, old) }
      guard let new else { return }
      state.add(1, new)
      revisions.add(max(0, new.revision - (old?.revision ?? new.revision - 1)))
    }
  }

  /// The whole table was read again, with these documents.
  func replaceAll(_ documents: some Sequence<ServedDocument>) {
    state.withLock { state in
      (state.counts, state.ends) = ([:], [:])
      for document in documents where !document.isDisabled { state.add(1, document) }
    }
  }

  /// The store was checked for changes.
  ///
  /// - Parameter changes: How many domains another process had changed.
  func noteFollowed(at time: UnixTime, changes: Int = 0) {
    state.withLock { $0.followedAt = time }
    changesElsewhere.add(changes)
  }

  /// A commit of this process could not be served immediately.
  func noteNotServed() { commitsNotServed.add() }

  func families(at now: UnixTime) -> [MetricFamily] {
    let (counts, ends, followedAt) = state.withLock { ($0.counts, $0.ends, $0.followedAt) }
    let soon = now + NamedDocument.expiryWarning
    let expired = ends.reduce(0) { $0 + ($1.key <= now ? $1.value : 0) }
    let expiring = ends.reduce(0) { $0 + ($1.key > now && $1.key < soon ? $1.value : 0) }
    return [
      .gauge(
        "aasa_documents",
        "Served documents by kind, and by how much of the maximum size of the kind they use, in percent.",
        (DocumentKind.allCases + [Self.named]).flatMap { kind in
          Part.allCases.map { part -> (key: Labels, value: Double) in
            (
              key: ["kind": kind.rawValue, "percent": part.rawValue],
              value: Double(counts[kind]?[part] ?? 0)
            )
          }
        }),
      .gauge(
        "aasa_documents_expiring",
        "Served security.txt that have expired, or expire within 30 days.", by: "state",
        ["expired": Double(expired), "soon": Double(expiring)]),
      .counter(
        "aasa_revisions_published_total",
        "Revisions published since startup, by any process on the database.", revisions.values),
      .counter(
        "aasa_changes_elsewhere_total", "Changes to domains by other processes on the database.",
        changesElsewhere.values),
      .counter(
        "aasa_commits_not_served_total",
        "Commits that could not be served immediately and were retried.", commitsNotServed.values),
      .gauge(
        "aasa_last_follow_timestamp_seconds",
        "When the database was last successfully checked for changes.",
        followedAt.map { Double($0.seconds) }),
    ]
  }
}

extension ServedDocument {
  /// Itself, unless its domain is disabled.
  fileprivate var enabled: ServedDocument? { isDisabled ? nil : self }
}
