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

  /// Serves everything that was committed before the call. Returns when it is served.
  ///
  /// - Throws: `StoreError`, `PreparedResponse.Failure`. What was served before goes on being served.
  func refresh() throws {
    try state.withLock { state in try follow(&state) }
  }

  /// Does what `refresh` does if another process has changed the database.
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
    // Names go before names come, since one may go from one domain to another.
    var documents: [Alias: ServedDocument?] = [:]
    var names: [Int64: [Alias]] = [:]
    for domain in domains {
      for name in state.names[domain] ?? [] { documents.updateValue(nil, forKey: name) }
    }
    for domain in domains {
      guard let served = try store.served(domain) else { continue }
      let document = try ServedDocument(served, content: Content(served.document))
      for name in served.names { documents[name] = document }
      names[domain] = served.names
    }
    hosts.update(documents.map { (name: $0.key, document: $0.value) })
    for domain in domains { state.names[domain] = names[domain] }
    state.sequence = changes.sequence
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
