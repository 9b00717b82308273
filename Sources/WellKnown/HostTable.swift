public import Association
import Synchronization

/// Which document each name is served with. Reading never waits and never allocates: it is meant
/// for threads that serve; writing waits until no reader holds what it takes away.
public final class HostTable: Sendable {
  // Unchecked is sound: it is only used under the lock, which guards what the pointer leads to.
  private struct Writing: @unchecked Sendable {
    var names: UnsafeMutablePointer<NameTable>
    var count = 0
    var epochs: [ReaderEpoch] = []
  }

  private let writing: Mutex<Writing>
  /// The address of the current table.
  private let current: Atomic<UInt>
  private let fetched = FetchedDocuments()

  /// An empty table.
  public init() {
    let names = NameTable.make(capacity: 0)
    current = Atomic(UInt(bitPattern: names))
    writing = Mutex(Writing(names: names))
  }

  deinit {
    // Each reader holds a reference to the table, so none is left.
    writing.withLock { NameTable.destroy($0.names) }
  }

  /// Puts new content in the place of all there is, at once.
  ///
  /// A name that comes more than once gets one of its documents. The lists are empty afterwards.
  public func replaceAll(_ lists: [NameList]) {
    let names = lists.reduce(0) { $0 + $1.count }
    // Room for names to come, so that the next edit need not double the table.
    let table = NameTable.make(capacity: names + names / 2)
    let count = lists.reduce(0) { $0 + $1.move(to: table.pointee) }
    writing.withLock { writing in
      writing.count = count
      swap(to: table, &writing)
    }
  }

  /// Serves documents under names, which may have others until then, and takes documents away from all
  /// names that have them after that. When it returns, every later request gets the new ones; a name
  /// that had a document and still has one has one at every moment. The work does not depend on how
  /// many names there are, but for doubling the table when it is full.
  public func update(
    _ documents: some Collection<(names: [Alias], document: ServedDocument)>,
    removing old: some Collection<ServedDocument> = []
  ) {
    writing.withLock { writing in
      let names = documents.reduce(0) { $0 + $1.names.count }
      if writing.count + names > writing.names.pointee.capacity {
        let larger = writing.names.pointee.copy(capacity: 2 * (writing.count + names))
        swap(to: larger, &writing)
      }
      // One wait for all changes, however many.
      var replaced: [UnsafeMutablePointer<NameNode>] = []
      func note(_ change: NameTable.Change) {
        writing.count += change.growth
        if let nodes = change.replaced { replaced.append(nodes) }
      }
      for (names, document) in documents {
        for name in names { note(writing.names.pointee.put(HostName(name), document)) }
      }
      for document in old {
        for hash in document.nameHashes { note(writing.names.pointee.remove(document, hash)) }
      }
      waitForReaders(writing)
      for nodes in replaced { nodes.destroyChain() }
    }
  }

  /// How often each document was fetched since the last call, also of those that are not served any
  /// more. Documents that nobody fetched cost nothing. A document that was fetched during the last
  /// call may be among them with nothing counted.
  public func takeFetches() -> [FetchCounts] { fetched.take() }

  /// The number of names.
  public var count: Int { writing.withLock { $0.count } }

  private func swap(to names: UnsafeMutablePointer<NameTable>, _ writing: inout Writing) {
    let old = writing.names
    writing.names = names
    current.store(UInt(bitPattern: names), ordering: .sequentiallyConsistent)
    waitForReaders(writing)
    NameTable.destroy(old)
  }

  /// Waits until each reader that is inside has left.
  private func waitForReaders(_ writing: Writing) {
    for epoch in writing.epochs { epoch.waitUntilLeft() }
  }
}

extension HostTable {
  /// Reads the table on one thread.
  final class Reader: Sendable {
    private let table: HostTable
    private let epoch = ReaderEpoch()

    init(_ table: HostTable) {
      self.table = table
      table.writing.withLock { $0.epochs.append(epoch) }
    }

    deinit {
      table.writing.withLock { writing in writing.epochs.removeAll { $0 === epoch } }
    }

    /// Calls `body` with the document of a name, or with nil. The document must not be kept.
    ///
    /// - Parameters:
    ///   - name: A name in lower case, without a dot at its end.
    ///   - isConditional: Whether the answer is most likely 304.
    func withDocument<Result>(
      of name: UnsafeRawBufferPointer, isConditional: Bool = false,
      _ body: (ServedDocument?) -> Result
    ) -> Result {
      epoch.enter()
      defer { epoch.leave() }
      // Sound: a table and its nodes are only destroyed when every reader has left that entered
      // before they were taken away.
      let names = UnsafePointer<NameTable>(
        bitPattern: table.current.load(ordering: .sequentiallyConsistent))
      let document = names?.pointee.document(for: name, isConditional: isConditional)
      guard let document else { return body(nil) }
      return document._withUnsafeGuaranteedRef { body($0) }
    }

    /// Counts a fetch of a document that `withDocument` has given.
    func count(_ fetcher: FetcherClass, of document: ServedDocument) {
      if document.fetches.add(fetcher) { table.fetched.add(document) }
    }
  }
}
