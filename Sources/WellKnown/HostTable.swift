public import Association
import Glibc
import Synchronization

/// Which document is served for each name. Readers never wait, never allocate, and take no lock: they are
/// the threads that serve. Writers take turns, and release what they replaced once no reader holds it.
public final class HostTable: Sendable {
  private struct Writing {
    var slots: NameSlots
    var epochs: [ReaderEpoch] = []
  }

  private let writing: Mutex<Writing>
  /// The slots that readers use. `Writing` holds the reference.
  private let current: Atomic<Unmanaged<NameSlots>>
  private let fetched = FetchedDocuments()

  /// An empty table.
  public init() {
    let slots = NameSlots(names: 0)
    current = Atomic(.passUnretained(slots))
    writing = Mutex(Writing(slots: slots))
  }

  /// Serves these documents and nothing else, from one moment to the next. Of several documents with a
  /// name one is served.
  public func replaceAll(_ documents: some Collection<ServedDocument>) {
    let slots = NameSlots(names: documents.reduce(0) { $0 + $1.names.count })
    // No reader can see this table yet.
    for document in documents { Self.put(document, in: slots) { $0.release() } }
    writing.withLock { swap(to: slots, &$0) }
  }

  /// Serves documents under their names, and stops serving others. When it returns, every later request
  /// gets the new documents; a name that had a document and still has one has one at every moment.
  ///
  /// The work depends on how many names change, not on how many there are. Only where the table is full is
  /// it copied to one of twice the size, which many edits share.
  public func update(
    adding new: some Collection<ServedDocument>, removing old: some Collection<ServedDocument> = []
  ) {
    writing.withLock { writing in
      let names = new.reduce(0) { $0 + $1.names.count }
      if !writing.slots.hasRoom(for: names) {
        swap(to: writing.slots.copy(with: names), &writing)
      }
      let slots = writing.slots
      var replaced: [Unmanaged<ServedDocument>] = []
      for document in new { Self.put(document, in: slots) { replaced.append($0) } }
      for document in old {
        replaced += document.names.compactMap { slots.remove(document, from: $0) }
      }
      // One wait for all changes, however many.
      waitForReaders(writing)
      for document in replaced { document.release() }
    }
  }

  private static func put(
    _ document: ServedDocument, in slots: NameSlots,
    _ replaced: (Unmanaged<ServedDocument>) -> Void
  ) {
    slots.allowWildcards(labels: document.wildcardLabels)
    for name in document.names {
      if let old = slots.put(name, document) { replaced(old) }
    }
  }

  private func swap(to slots: NameSlots, _ writing: inout Writing) {
    let old = writing.slots
    writing.slots = slots
    current.store(.passUnretained(slots), ordering: .sequentiallyConsistent)
    // The old slots hold their documents, also those that are in the new ones, until this returns.
    withExtendedLifetime(old) { waitForReaders(writing) }
  }

  private func waitForReaders(_ writing: Writing) {
    for epoch in writing.epochs { epoch.waitUntilLeft() }
  }

  /// How often each document was fetched since the last call, including documents that are not served any
  /// more. Documents that nobody fetched cost nothing. A document that was fetched during the last call
  /// may be listed with a count of 0.
  public func takeFetches() -> [FetchCounts] { fetched.take() }

  /// The number of names.
  public var count: Int { writing.withLock { $0.slots.served } }

  /// How many slots all edits together have looked at: their work, in steps that do not depend on the
  /// machine.
  package var editSteps: Int { writing.withLock { $0.slots.steps } }

  /// How many slots the table has, of 24 bytes each.
  package var slotCount: Int { writing.withLock { $0.slots.count } }

  /// Whether a document is served for a name now, under the name itself or a wildcard above it.
  ///
  /// Registers a reader for the call, so it is not for the threads that serve.
  public func serves(_ name: DomainName) -> Bool {
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

    /// Calls `body` with the document of a name, or with nil. The document must not be kept.
    ///
    /// - Parameter name: In lower case, without a dot at its end.
    func withDocument<Result>(
      of name: UnsafeRawBufferPointer, _ body: (ServedDocument?) -> Result
    ) -> Result {
      epoch.enter()
      defer { epoch.leave() }
      // Sound: slots and documents are released only after every reader has left that was inside when they
      // were replaced.
      let slots = table.current.load(ordering: .sequentiallyConsistent)
      let document = slots._withUnsafeGuaranteedRef { $0.document(for: name) }
      guard let document else { return body(nil) }
      return document._withUnsafeGuaranteedRef { body($0) }
    }

    /// Counts a fetch of a document that `withDocument` has given.
    func count(_ fetcher: FetcherClass, of document: ServedDocument) {
      if document.fetches.add(fetcher) { table.fetched.add(document) }
    }
  }
}

/// Whether one reader is inside: its number is odd while it is.
///
/// Sequentially consistent order on both sides makes sure that either the writer sees the reader inside,
/// or the reader sees what the writer wrote before it looked.
private final class ReaderEpoch: Sendable {
  private let number = Atomic<UInt>(0)

  /// Only the reader writes the number, so it need not be read and written in one step.
  func enter() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  func leave() {
    number.store(number.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Returns when the reader has left, at least once, since the call.
  func waitUntilLeft() {
    let seen = number.load(ordering: .sequentiallyConsistent)
    if seen.isMultiple(of: 2) { return }
    while number.load(ordering: .acquiring) == seen { usleep(20) }
  }
}
