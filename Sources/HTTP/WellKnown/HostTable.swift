package import Association
import Glibc
import Synchronization

/// Maps each name to its served document. Readers are the serving threads: they never wait,
/// allocate or take a lock. Writers take turns, and release replaced documents once no reader holds
/// them.
package final class HostTable: Sendable {
  private struct Writing {
    var slots: NameSlots
    var epochs: [ReaderEpoch] = []
  }

  private let writing: Mutex<Writing>
  /// The slots that readers use. `Writing` holds the reference.
  private let current: Atomic<Unmanaged<NameSlots>>
  private let fetched = FetchedDocuments()
  /// Whether any domain has had something for people without an app.
  private let hasFallbacks = Atomic(false)

  package init() {
    let slots = NameSlots(names: 0)
    current = Atomic(.passUnretained(slots))
    writing = Mutex(Writing(slots: slots))
  }

  /// Atomically replaces everything that is served with these documents. If several documents have
  /// a name, one of them is served.
  package func replaceAll(_ documents: some Collection<ServedDocument>) {
    let slots = NameSlots(names: documents.reduce(0) { $0 + $1.names.count })
    // No reader can see this table yet.
    for document in documents { put(document, in: slots) { $0.release() } }
    writing.withLock { swap(to: slots, &$0) }
  }

  /// Serves documents under their names, and stops serving others. After it returns, every request
  /// gets the new documents. A name that keeps having a document has one at every moment.
  ///
  /// The work depends on the number of changed names, not on the size of the table. Only a full
  /// table is copied to a new one, sized for the names that are served: a cost shared by many edits.
  package func update(
    adding new: some Collection<ServedDocument>, removing old: some Collection<ServedDocument> = []
  ) {
    writing.withLock { writing in
      let names = new.reduce(0) { $0 + $1.names.count }
      if !writing.slots.hasRoom(for: names) {
        swap(to: writing.slots.copy(with: names), &writing)
      }
      let slots = writing.slots
      var replaced: [Unmanaged<ServedDocument>] = []
      for document in new { put(document, in: slots) { replaced.append($0) } }
      for document in old {
        replaced += document.names.compactMap { slots.remove(document, from: $0) }
      }
      // A single wait for all changes.
      waitForReaders(writing)
      for document in replaced { document.release() }
    }
  }

  private func put(
    _ document: ServedDocument, in slots: NameSlots,
    _ replaced: (Unmanaged<ServedDocument>) -> Void
  ) {
    if document.fallback != nil { hasFallbacks.store(true, ordering: .relaxed) }
    slots.allowWildcards(labels: document.wildcardLabels)
    for name in document.names {
      if let old = slots.put(name, document) { replaced(old) }
    }
  }

  private func swap(to slots: NameSlots, _ writing: inout Writing) {
    let old = writing.slots
    writing.slots = slots
    current.store(.passUnretained(slots), ordering: .sequentiallyConsistent)
    // The old slots retain their documents, including those that are in the new slots, until this
    // returns.
    withExtendedLifetime(old) { waitForReaders(writing) }
  }

  private func waitForReaders(_ writing: Writing) {
    for epoch in writing.epochs { epoch.waitUntilLeft() }
  }

  /// How often each document was fetched since the last call, including documents that are no
  /// longer served. Documents without fetches cost nothing. A document that was fetched during the
  /// last call may be listed with a count of 0.
  package func takeFetches() -> [FetchCounts] { fetched.take() }

  /// The number of names with a file.
  package var count: Int { writing.withLock { $0.slots.served - $0.slots.disabled } }

  /// The number of slots that all edits have visited: a measure of work that does not depend on the
  /// machine.
  package var editSteps: Int { writing.withLock { $0.slots.steps } }

  /// The number of slots, of 24 bytes each.
  package var slotCount: Int { writing.withLock { $0.slots.count } }

  /// Whether a document is currently served for a name, directly or through a wildcard.
  ///
  /// Registers a reader for the call, so serving threads must not use it.
  package func serves(_ name: DomainName) -> Bool {
    var text = name.text
    return text.withUTF8 { bytes in
      Reader(self).withDocument(of: UnsafeRawBufferPointer(bytes)) { $0 != nil }
    }
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

    /// Whether any path may be answered for some host. Without it, no host is looked up for other paths.
    var hasFallbacks: Bool { table.hasFallbacks.load(ordering: .relaxed) }

    /// Calls `body` with the document of a name, or nil. `body` must not keep the document.
    ///
    /// - Parameter name: In lower case, without a trailing dot.
    func withDocument<Result>(
      of name: UnsafeRawBufferPointer, _ body: (ServedDocument?) -> Result
    ) -> Result {
      epoch.enter()
      defer { epoch.leave() }
      // Sound: replaced slots and documents are released only after every reader that was inside at
      // that time has left.
      let slots = table.current.load(ordering: .sequentiallyConsistent)
      let document = slots._withUnsafeGuaranteedRef { $0.document(for: name) }
      guard let document else { return body(nil) }
      // All of its lines at once.
      Content.prefetch(document.toOpaque(), bytes: 192)
      return document._withUnsafeGuaranteedRef { body($0.isDisabled ? nil : $0) }
    }

    /// Counts a fetch of a document passed by `withDocument`.
    func count(_ fetcher: FetcherClass, of document: ServedDocument) {
      if document.fetches.add(fetcher) { table.fetched.add(document) }
    }
  }
}

/// Whether a reader is inside: its number is odd while it is.
///
/// Sequentially consistent ordering on both sides ensures that either the writer sees the reader
/// inside, or the reader sees what the writer wrote before checking.
private final class ReaderEpoch: Sendable {
  private let number = Atomic<UInt>(0)

  /// Only the reader writes the number, so no atomic read-modify-write is needed.
  func enter() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  func leave() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Returns when the reader is outside, or has left at least once since the call.
  func waitUntilLeft() {
    let seen = number.load(ordering: .sequentiallyConsistent)
    if seen.isMultiple(of: 2) { return }
    while number.load(ordering: .acquiring) == seen { usleep(20) }
  }
}
