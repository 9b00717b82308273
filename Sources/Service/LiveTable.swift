import Association
package import HTTP
import Store
import Synchronization

/// Serves the current documents of the store, whichever process changed them.
///
/// The store is the only source. After each commit of this process, and a few times a second for
/// other processes, the table reads what changed since the last time. So an older document never
/// replaces a newer one, regardless of the order in which edits end.
package final class LiveTable: Sendable {
  /// The documents that the public listener answers with.
  package let hosts = HostTable()
  /// Metrics of what is served and published.
  let counts = LiveTableCounts()

  private let store: Store
  private let state: Mutex<State>
  /// Apart from the state, which is locked while the database is read: metrics ask for it.
  private let snapshotTime = Mutex<UnixTime?>(nil)

  private struct State {
    /// The position of the last served change in the store's order of changes.
    var sequence: Int64 = 0
    /// Whether the last attempt to serve what changed failed.
    var isBehind = false
    /// The first document of each domain, by the domain's row.
    var documents: [Int64: ServedDocument] = [:]
    /// What is wrong with damaged domains, by the domain's row.
    var faults: [Int64: String] = [:]
  }

  /// No position in the order of changes: everything must be read.
  private static let unknown: Int64 = -2

  private let kept: SnapshotWriter?

  private let progress: LoadingProgress

  /// A table that serves everything in the store.
  ///
  /// - Parameters:
  ///   - kept: What is served instead if the store cannot be reached.
  ///   - progress: Hears how many domains were loaded, as long as that takes.
  /// - Throws: `StoreError`, `PreparedResponse.Failure`.
  init(
    store: Store, or kept: SnapshotWriter? = nil,
    progress: LoadingProgress = LoadingProgress { _, _ in }
  ) throws {
    self.store = store
    self.kept = kept
    self.progress = progress
    state = Mutex(State())
    try state.withLock { state in
      do {
        try load(&state)
      } catch StoreError.database(let refusal, let detail) {
        guard let kept, kept.snapshot.exists else {
          throw StoreError.database(refusal, detail: detail)
        }
        try load(&state, from: kept.snapshot)
      }
    }
  }

  /// When the snapshot was taken that is served because the database could not be read since the start;
  /// `nil` once it was read.
  var snapshotAt: UnixTime? { snapshotTime.withLock(\.self) }

  /// The number of the last served change.
  var sequence: Int64 { state.withLock { $0.sequence } }

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

  /// What is wrong with damaged domains, as sentences.
  var faults: [String] { state.withLock { $0.faults.sorted { $0.key < $1.key }.map(\.value) } }

  /// Serves everything that changed, and returns the number of changed domains.
  private func follow() throws -> Int {
    try state.withLock { state in
      state.isBehind = true
      do {
        let count = try follow(&state)
        state.isBehind = false
        return count
      } catch StoreError.database(.unreachable, let detail) {
        // Another server may be the primary now, with a history of its own.
        state.sequence = Self.unknown
        throw StoreError.database(.unreachable, detail: detail)
      }
    }
  }

  private func follow(_ state: inout State) throws -> Int {
    let changes = try store.changes(after: state.sequence)
    guard let domains = changes.domains else {
      try load(&state)
      return state.documents.count
    }
    if !domains.isEmpty {
      try serve(domains, &state)
      kept?.add(domains)
    }
    state.sequence = changes.sequence
    return domains.count
  }

  private func serve(_ changes: [Changes.Change], _ state: inout State) throws {
    var contents = SharedContents()
    let read = try changes.map { try LoadedDomain($0, &contents) }
    // What cannot be read stays as it was.
    let served = read.filter { !$0.isUnreadable }
    // A name may move from one domain to another: then the new document replaces the old one.
    hosts.update(
      adding: served.compactMap(\.document),
      removing: served.compactMap { state.documents[$0.domain] })
    for domain in served {
      counts.replace(state.documents[domain.domain], with: domain.document)
      state.documents[domain.domain] = domain.document
    }
    for domain in read { state.faults[domain.domain] = domain.fault }
  }

  /// Reads everything on all processors. Equal documents that one of them reads share their bytes.
  private func load(_ state: inout State) throws {
    let store = store
    // If the number of domains cannot be read, files are served all the same.
    let loading = LoadingProgress.Count(of: try? store.scheduledDomains(), progress)
    let count = min(8, processorCount())
    let parts = try concurrently(count) { part in
      Result { try LoadedPart(part, of: count, from: store, loading) }
    }.map { try $0.get() }
    try serve(all: parts.map(\.domains), &state)
    kept?.outdate()
    snapshotTime.withLock { $0 = nil }
    state.sequence = parts.map(\.sequence).min() ?? 0
    // Changes made during the reading may be in only some of the parts.
    if parts.contains(where: { $0.sequence != state.sequence }) { _ = try follow(&state) }
  }

  private func load(_ state: inout State, from snapshot: Snapshot) throws {
    var (contents, read) = (SharedContents(), LoadedDomains())
    let time = try snapshot.read { read.add(try LoadedDomain($0, &contents)) }
    snapshotTime.withLock { $0 = time }
    try serve(all: [read], &state)
    (state.sequence, state.isBehind) = (Self.unknown, true)
  }

  private func serve(all read: [LoadedDomains], _ state: inout State) throws {
    var documents: [ServedDocument] = []
    documents.reserveCapacity(read.reduce(0) { $0 + $1.documents.count })
    for part in read {
      documents += part.documents
      documents += part.unreadable.compactMap { state.documents[$0] }
    }
    (state.documents, _) = try beside { [documents] in
      var byDomain = [Int64: ServedDocument](minimumCapacity: documents.count)
      for document in documents { byDomain[document.domain] = document }
      return byDomain
    } _: {
      hosts.replaceAll(documents)
    }
    state.faults = read.reduce(into: [:]) { $0.merge($1.faults) { $1 } }
    counts.replaceAll(documents)
  }
}

/// A domain, ready to be served.
private struct LoadedDomain: Sendable {
  let domain: Int64
  /// `nil` if it was deleted, or cannot be read.
  let document: ServedDocument?
  /// What is wrong with it.
  let fault: String?
  let isUnreadable: Bool

  init(_ change: Changes.Change, _ contents: inout SharedContents) throws {
    domain = change.domain
    switch change.now {
    case .deleted: (document, fault, isUnreadable) = (nil, nil, false)
    case .unreadable(let reason): (document, fault, isUnreadable) = (nil, reason, true)
    case .served(let served, let reason):
      let (fallback, damage) = Self.fallback(of: served)
      document = try ServedDocument.first(of: served, change.domain, &contents, fallback)
      (fault, isUnreadable) = (reason ?? damage, false)
    }
  }
}

extension LoadedDomain {
  /// What people without an app get, and what is wrong with it. Then they get 404.
  private static func fallback(of served: ServedDomain) -> (ServedFallback?, fault: String?) {
    guard let text = served.fallback, !served.files.isEmpty else { return (nil, nil) }
    do {
      return (try ServedFallback(text: text), nil)
    } catch {
      let name = served.names.first?.description ?? ""
      return (nil, "the fallback of \(name) cannot be read")
    }
  }
}

/// Very many domains, ready to be served.
private struct LoadedDomains: Sendable {
  private(set) var documents: [ServedDocument] = []
  /// What is wrong with some of them.
  private(set) var faults: [Int64: String] = [:]
  private(set) var unreadable: [Int64] = []

  mutating func add(_ domain: LoadedDomain) {
    if let document = domain.document { documents.append(document) }
    if let fault = domain.fault { faults[domain.domain] = fault }
    if domain.isUnreadable { unreadable.append(domain.domain) }
  }
}

/// A part of all domains.
private struct LoadedPart: Sendable {
  let sequence: Int64
  let domains: LoadedDomains

  init(
    _ part: Int, of parts: Int, from store: Store, _ loading: LoadingProgress.Count
  ) throws {
    var (contents, domains) = (SharedContents(), LoadedDomains())
    sequence = try store.readServed(part: part, of: parts) { change in
      domains.add(try LoadedDomain(change, &contents))
      loading.add()
    }
    self.domains = domains
  }
}

/// Bodies without duplicates.
private struct SharedContents {
  private var byDigest: [DocumentDigest: Content] = [:]

  mutating func content(of served: ServedFile, _ digest: DocumentDigest) -> Content {
    if let known = byDigest[digest] { return known }
    let content = Content(served.document)
    byDigest[digest] = content
    return content
  }
}

extension ServedDocument {
  /// The first document of a domain, with the others behind it.
  fileprivate static func first(
    of served: ServedDomain, _ domain: Int64, _ contents: inout SharedContents,
    _ fallback: ServedFallback?
  ) throws -> ServedDocument {
    // Behind all documents: the first one stands for the domain.
    var next = served.changePassword.flatMap { location in
      served.files.first.map {
        ServedDocument(redirectingTo: location, domain: domain, revision: $0.revision)
      }
    }
    for (index, file) in served.files.enumerated().reversed() {
      guard let digest = DocumentDigest(hexadecimal: file.sha256) else {
        throw PreparedResponse.Failure.invalidField("ETag")
      }
      next = ServedDocument(
        // The table finds the others through the first one.
        names: index == 0 ? served.names : [], content: contents.content(of: file, digest),
        digest: digest, publishedAt: file.publishedAt, cacheSeconds: file.cacheSeconds,
        domain: domain, revision: file.revision, kind: file.kind, named: file.named, next: next,
        fallback: index == 0 ? fallback : nil)
    }
    return next ?? ServedDocument(disabled: served.names, domain: domain)
  }
}

extension ServedFile {
  /// What makes it a named document; `nil` for a rendered one.
  fileprivate var named: ServedDocument.Named? {
    guard case .named(let name) = kind else { return nil }
    return ServedDocument.Named(name, mediaType ?? .json, expiresAt: expiresAt)
  }
}
