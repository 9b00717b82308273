import Association
import HTTP
import Store
import Synchronization
public import WellKnown

/// Serves the current documents of the store, whichever process changed them.
///
/// The store is the only source. After each commit of this process, and a few times a second for
/// other processes, the table reads what changed since the last time. So an older document never
/// replaces a newer one, regardless of the order in which edits end.
public final class LiveTable: Sendable {
  /// The documents that the public listener answers with.
  public let hosts = HostTable()
  /// Metrics of what is served and published.
  let counts = TableCounts()

  private let store: Store
  private let state: Mutex<State>

  private struct State {
    /// The position of the last served change in the store's order of changes.
    var sequence: Int64 = 0
    /// Whether the last attempt to serve what changed failed.
    var isBehind = false
    /// The document of each domain, by the domain's row.
    var documents: [Int64: ServedDocument] = [:]
  }

  /// A table that serves everything in the store.
  ///
  /// - Throws: `StoreError`, `PreparedResponse.Failure`.
  init(store: Store) throws {
    self.store = store
    state = Mutex(State())
    try state.withLock { try load(&$0) }
  }

  /// Serves what this process committed before the call.
  ///
  /// - Throws: `StoreError`, `PreparedResponse.Failure`. The table keeps serving the previous
  ///   documents until the next call, or the next `refresh`, succeeds.
  func serveCommits() throws {
    do {
      _ = try follow()
    } catch {
      counts.noteNotServed()
      throw error
    }
  }

  /// Serves what other processes committed before the call.
  ///
  /// - Throws: like `serveCommits`.
  func refresh() throws {
    let changes = try follow()
    counts.noteFollowed(at: store.now(), changes: changes)
  }

  /// Whether a commit may not be served yet, because the last attempt failed.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Serves everything that changed, and returns the number of changed domains.
  private func follow() throws -> Int {
    try state.withLock { state in
      state.isBehind = true
      let count = try follow(&state)
      state.isBehind = false
      return count
    }
  }

  private func follow(_ state: inout State) throws -> Int {
    let changes = try store.changes(after: state.sequence)
    guard let domains = changes.domains else {
      try load(&state)
      return state.documents.count
    }
    if !domains.isEmpty { try serve(domains, &state) }
    state.sequence = changes.sequence
    return domains.count
  }

  private func serve(_ changes: [Changes.Change], _ state: inout State) throws {
    let contents = SharedContents()
    let served = try changes.map { change in
      (domain: change.domain, document: try change.served.map { try ServedDocument($0, contents) })
    }
    // A name may move from one domain to another: then the new document replaces the old one.
    hosts.update(
      adding: served.compactMap(\.document),
      removing: changes.compactMap { state.documents[$0.domain] })
    for (domain, document) in served {
      counts.replace(state.documents[domain], with: document)
      state.documents[domain] = document
    }
  }

  /// Reads everything on all processors. Equal documents share their bytes.
  private func load(_ state: inout State) throws {
    let (store, contents) = (store, SharedContents())
    let count = min(8, processorCount())
    let parts = try concurrently(count) { part in
      try LoadedPart(part, of: count, from: store, contents)
    }
    let documents = parts.flatMap(\.documents)
    hosts.replaceAll(documents)
    state.documents = Dictionary(minimumCapacity: documents.count)
    for document in documents { state.documents[document.domain] = document }
    counts.replaceAll(documents)
    state.sequence = parts.map(\.sequence).min() ?? 0
    // Changes made during the reading may be in only some of the parts.
    if parts.contains(where: { $0.sequence != state.sequence }) { _ = try follow(&state) }
  }
}

/// A part of all documents, ready to be served.
private struct LoadedPart: Sendable {
  let sequence: Int64
  let documents: [ServedDocument]

  init(_ part: Int, of parts: Int, from store: Store, _ contents: SharedContents) throws {
    var documents: [ServedDocument] = []
    sequence = try store.readServed(part: part, of: parts) { served in
      documents.append(try ServedDocument(served, contents))
    }
    self.documents = documents
  }
}

/// Bodies without duplicates.
private final class SharedContents: Sendable {
  private let byDigest = Mutex<[DocumentDigest: Content]>([:])

  func content(of served: ServedDomain, _ digest: DocumentDigest) -> Content {
    if let known = byDigest.withLock({ $0[digest] }) { return known }
    // Made outside the lock. If two threads make the same content, the first one is shared.
    let content = Content(served.document)
    return byDigest.withLock { byDigest in
      if let known = byDigest[digest] { return known }
      byDigest[digest] = content
      return content
    }
  }
}

extension ServedDocument {
  fileprivate convenience init(_ served: ServedDomain, _ contents: SharedContents) throws {
    guard let digest = DocumentDigest(hexadecimal: served.sha256) else {
      throw PreparedResponse.Failure.invalidField("ETag")
    }
    self.init(
      names: served.names, content: contents.content(of: served, digest), digest: digest,
      publishedAt: served.publishedAt, cacheSeconds: served.cacheSeconds, domain: served.id,
      revision: served.revision)
  }
}
