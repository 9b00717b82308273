import Association
import HTTP
import Store
import Synchronization
public import WellKnown

/// Keeps what is served the same as what the store says, whoever changed it.
public final class LiveTable: Sendable {
  /// What the public listener answers from.
  public let hosts = HostTable()
  /// Counts what is served.
  let counts = TableCounts()

  private let store: Store
  private let state: Mutex<State>

  /// How far the table has followed the store.
  private struct State {
    /// The place in the store's order of changes.
    var sequence: Int64 = 0
    /// The database's version when it was last looked at.
    var dataVersion: Int64 = 0
    /// Whether a commit of this process could not be served yet.
    var isBehind = false
    /// What each domain serves.
    var documents: [Int64: ServedDocument] = [:]
  }

  /// A table that serves all that the store says.
  ///
  /// - Throws: `StoreError`, `PreparedResponse.Failure`.
  init(store: Store) throws {
    self.store = store
    state = Mutex(State())
    try state.withLock { state in
      state.dataVersion = try store.dataVersion()
      try load(&state)
    }
  }

  /// Serves what a commit of this process changed. Returns when it is served.
  ///
  /// Commits may come in any order: for one that does not follow what is served, since another one or
  /// another process came between, the store is asked what changed.
  ///
  /// - Throws: `StoreError`, `PreparedResponse.Failure`. What was served before goes on being served
  ///   until a later commit, or the next look at the store, brings what this one has.
  func serve(_ commit: Commit) throws {
    try state.withLock { state in
      // An edit that changes nothing may repeat one that could not be served.
      if commit.sequence == nil && !state.isBehind { return }
      state.isBehind = true
      defer { if state.isBehind { counts.noteNotServed() } }
      if let sequence = commit.sequence, let changes = commit.changes,
        state.sequence + 1 == sequence.lowerBound
      {
        try serve(changes, upTo: sequence.upperBound, &state)
      } else {
        _ = try follow(&state)
      }
      state.isBehind = false
    }
  }

  /// Whether a commit of this process could not be served yet.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Serves everything that was committed before the call if another process has changed the database,
  /// or if a commit of this one could not be served.
  ///
  /// - Throws: as `serve`.
  func refreshIfChangedElsewhere() throws {
    try state.withLock { state in
      let version = try store.dataVersion()
      let isCurrent = version == state.dataVersion && !state.isBehind
      let changes = isCurrent ? 0 : try follow(&state)
      state.dataVersion = version
      state.isBehind = false
      counts.noteFollowed(at: store.now(), changes: changes)
    }
  }

  /// Returns how many domains have changed.
  private func follow(_ state: inout State) throws -> Int {
    let changes = try store.changes(after: state.sequence)
    guard let domains = changes.domains else {
      try load(&state)
      return state.documents.count
    }
    try serve(domains, upTo: changes.sequence, &state)
    return domains.count
  }

  /// Puts what domains serve into the table; the last of several for one domain counts.
  private func serve(
    _ changes: [Commit.Change], upTo sequence: Int64, _ state: inout State
  ) throws {
    let last = Dictionary(changes.map { ($0.domain, $0.served) }, uniquingKeysWith: { $1 })
    let contents = SharedContents()
    let documents = try last.compactMapValues { try $0.map { try ServedDocument($0, contents) } }
    // A name may go from one domain to another: the new document replaces the old one.
    hosts.update(
      adding: documents.values, removing: last.keys.compactMap { state.documents[$0] })
    for domain in last.keys {
      let document = documents[domain]
      counts.replace(state.documents[domain], with: document)
      state.documents[domain] = document
    }
    state.sequence = sequence
  }

  /// Reads all of it, with all processors. Documents with equal bytes share them.
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
    // What changed while the parts were read is in some of them only.
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

/// Bodies, each once.
private final class SharedContents: Sendable {
  private let byDigest = Mutex<[DocumentDigest: Content]>([:])

  func content(of served: ServedDomain, _ digest: DocumentDigest) -> Content {
    if let known = byDigest.withLock({ $0[digest] }) { return known }
    // Made outside the lock. Where two threads make the same one, the first is shared.
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
