import Association
import HTTP
import Store
import Synchronization
public import WellKnown

/// Keeps what is served the same as what the store says, whoever changed it.
public final class LiveTable: Sendable {
  /// What the public listener answers from.
  public let hosts = HostTable()

  private let store: Store
  private let state: Mutex<State>

  /// How far the table has followed the store.
  private struct State {
    /// The place in the store's order of changes.
    var sequence: Int64 = 0
    /// The database's version when it was last looked at.
    var dataVersion: Int64 = 0
    /// Under which names each domain is served.
    var names: [Int64: [Alias]] = [:]
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
  /// - Throws: `StoreError`, `PreparedResponse.Failure`. What was served before goes on being served.
  func serve(_ commit: Commit) throws {
    guard let sequence = commit.sequence else { return }
    try state.withLock { state in
      guard let changes = commit.changes, state.sequence + 1 == sequence.lowerBound else {
        return try follow(&state)
      }
      try serve(changes, upTo: sequence.upperBound, &state)
    }
  }

  /// Serves everything that was committed before the call if another process has changed the database.
  ///
  /// - Throws: as `serve`.
  func refreshIfChangedElsewhere() throws {
    try state.withLock { state in
      let version = try store.dataVersion()
      if version == state.dataVersion { return }
      try follow(&state)
      state.dataVersion = version
    }
  }

  private func follow(_ state: inout State) throws {
    let changes = try store.changes(after: state.sequence)
    guard let domains = changes.domains else { return try load(&state) }
    try serve(domains, upTo: changes.sequence, &state)
  }

  /// Puts what domains serve into the table; the last of several for one domain counts.
  private func serve(
    _ changes: [Commit.Change], upTo sequence: Int64, _ state: inout State
  ) throws {
    let last = Dictionary(changes.map { ($0.domain, $0.served) }, uniquingKeysWith: { $1 })
    // Names go before names come, since one may go from one domain to another.
    var documents: [Alias: ServedDocument?] = [:]
    for domain in last.keys {
      for name in state.names[domain] ?? [] { documents.updateValue(nil, forKey: name) }
    }
    for case let served? in last.values {
      let document = try ServedDocument(served, content: Content(served.document))
      for name in served.names { documents[name] = document }
    }
    hosts.update(documents.map { (name: $0.key, document: $0.value) })
    for (domain, served) in last { state.names[domain] = served?.names }
    state.sequence = sequence
  }

  /// Reads all of it. Documents with equal bytes share them.
  private func load(_ state: inout State) throws {
    var contents: [String: Content] = [:]
    var documents: [(name: Alias, document: ServedDocument)] = []
    var names: [Int64: [Alias]] = [:]
    state.sequence = try store.readServed { served in
      let content = contents[served.sha256] ?? Content(served.document)
      contents[served.sha256] = content
      let document = try ServedDocument(served, content: content)
      documents += served.names.map { (name: $0, document: document) }
      names[served.id] = served.names
    }
    hosts.replaceAll(documents)
    state.names = names
  }
}

extension ServedDocument {
  fileprivate convenience init(_ served: ServedDomain, content: Content) throws {
    try self.init(
      content: content, digest: served.sha256, publishedAt: served.publishedAt,
      cacheSeconds: served.cacheSeconds, domain: served.id, revision: served.revision)
  }
}
