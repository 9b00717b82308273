import Association
import Metrics
import Store
import Synchronization

/// Counts what is served and what came to be served. It has a lock of its own, so that who asks never
/// waits for the database.
final class TableCounts: Sendable {
  /// A document: the number of its revision and its size in bytes, small since there may be many.
  struct Document: Sendable {
    fileprivate let revision: Int32
    fileprivate let bytes: Int32

    init(_ served: ServedDomain) {
      revision = Int32(clamping: served.revision)
      bytes = Int32(clamping: served.document.count)
    }
  }

  /// Parts of the largest size that a document may have.
  private enum Part: String, CaseIterable {
    case upTo50 = "0-50"
    case upTo80 = "50-80"
    case upTo95 = "80-95"
    case upTo100 = "95-100"

    init(bytes: Int32) {
      switch Int(bytes) * 100 / Linter.maximumSize {
      case ..<50: self = .upTo50
      case ..<80: self = .upTo80
      case ..<95: self = .upTo95
      default: self = .upTo100
      }
    }
  }

  private struct State {
    var documents: [Int64: Document] = [:]
    var counts: [Part: Int] = [:]
    var revisions = 0
    var changesElsewhere = 0
    var commitsNotServed = 0
    var followedAt: Int64?

    mutating func set(_ document: Document?, for domain: Int64) {
      if let old = documents[domain] { counts[Part(bytes: old.bytes), default: 0] -= 1 }
      if let document { counts[Part(bytes: document.bytes), default: 0] += 1 }
      documents[domain] = document
    }
  }

  private let state = Mutex(State())

  /// What a domain serves now is counted; `nil` for nothing any more.
  func set(_ served: ServedDomain?, for domain: Int64) {
    let document = served.map(Document.init)
    state.withLock { state in
      if let document {
        let before = state.documents[domain]?.revision ?? document.revision - 1
        state.revisions += max(0, Int(document.revision - before))
      }
      state.set(document, for: domain)
    }
  }

  /// Everything was read anew: these are all that is served.
  func replaceAll(_ documents: some Sequence<(domain: Int64, document: Document)>) {
    state.withLock { state in
      state.documents = [:]
      state.counts = [:]
      for (domain, document) in documents { state.set(document, for: domain) }
    }
  }

  /// The store was looked at.
  ///
  /// - Parameter changes: How many domains another process had changed.
  func noteFollowed(at time: Int64, changes: Int = 0) {
    state.withLock { state in
      state.followedAt = time
      state.changesElsewhere += changes
    }
  }

  /// A commit of this process could not be served at once.
  func noteNotServed() { state.withLock { $0.commitsNotServed += 1 } }

  /// What was counted.
  var families: [MetricFamily] {
    let (counts, revisions, changes, notServed, followedAt) = state.withLock {
      ($0.counts, $0.revisions, $0.changesElsewhere, $0.commitsNotServed, $0.followedAt)
    }
    return [
      .gauge(
        "aasa_documents",
        "Documents that are served, by the part of the largest size (131072 bytes) that they have, in "
          + "percent.",
        Part.allCases.map { (key: ["percent": $0.rawValue], value: Double(counts[$0] ?? 0)) }),
      .counter(
        "aasa_revisions_published_total",
        "Revisions that came to be served since the start, whichever process published them.",
        Double(revisions)),
      .counter(
        "aasa_changes_elsewhere_total",
        "Changes of domains by other processes on the database that this one followed.",
        Double(changes)),
      .counter(
        "aasa_commits_not_served_total",
        "Commits of edits that could not be served when they were made, which is then tried again.",
        Double(notServed)),
      .gauge(
        "aasa_last_follow_timestamp_seconds",
        "When the database was last asked with success what changed.", followedAt.map(Double.init)),
    ]
  }
}
