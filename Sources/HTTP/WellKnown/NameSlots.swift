import Synchronization

/// A hash table of fixed size from names to documents: open addressing with linear probing.
///
/// A slot keeps its name forever; only its document is added, replaced and removed. So a slot that
/// a reader has found stays the right one whatever the writer does, and readers need no lock.
final class NameSlots: @unchecked Sendable {
  // Unchecked is sound: readers use atomics, and keys that were written before the atomic that
  // publishes them. Everything else is used only by the writer, under the lock of `HostTable`.

  private struct Slot: ~Copyable {
    /// The upper half of the key; 0 while the slot has no name.
    let high = Atomic<UInt64>(0)
    /// Written before `high`, and never again.
    var low: UInt64 = 0
    /// Retained; nil if the name is not currently served.
    let document = Atomic<Unmanaged<ServedDocument>?>(nil)
  }

  private let slots: UnsafeMutablePointer<Slot>
  private let mask: Int
  /// The number of labels of the longest wildcard, which limits the suffixes of a name to look up.
  private let wildcardLabels = Atomic(0)
  /// Slots that have a name, served or not.
  private var used = 0
  /// Names that have a document.
  private(set) var served = 0
  /// Those of disabled domains.
  private(set) var disabled = 0
  /// The number of slots that the writer has visited, as a measure of its work.
  private(set) var steps = 0

  private static let smallest = 1024

  /// An empty table.
  ///
  /// - Parameter names: The required capacity. At least a quarter more names will fit, so that many
  ///   edits pass before the next copy.
  init(names: Int) {
    var count = Self.smallest
    while count < 2 * names { count *= 2 }
    mask = count - 1
    slots = .allocate(capacity: count)
    for index in 0..<count { (slots + index).initialize(to: Slot()) }
  }

  deinit {
    for index in 0...mask { slots[index].document.load(ordering: .relaxed)?.release() }
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  var count: Int { mask + 1 }

  /// A larger table with the names that are served.
  func copy(with names: Int) -> NameSlots {
    let copy = NameSlots(names: served + names)
    copy.steps = steps + count
    copy.wildcardLabels.store(wildcardLabels.load(ordering: .relaxed), ordering: .relaxed)
    for index in 0...mask {
      guard let document = slots[index].document.load(ordering: .relaxed) else { continue }
      let high = slots[index].high.load(ordering: .relaxed)
      copy.put(HostKey(high: high, low: slots[index].low), document.takeUnretainedValue())
    }
    return copy
  }

  /// Whether three of eight slots stay empty with this many more names. Otherwise probing would be
  /// slow.
  func hasRoom(for names: Int) -> Bool { 8 * (used + names) <= 5 * count }

  /// The document of an exact name, else of the longest wildcard above it.
  func document(for name: UnsafeRawBufferPointer) -> Unmanaged<ServedDocument>? {
    if let exact = document(of: HostKey(name, isWildcard: false)) { return exact }
    var wildcard: Unmanaged<ServedDocument>?
    var labels = wildcardLabels.load(ordering: .relaxed)
    for index in name.indices.reversed() where name[index] == UInt8(ascii: ".") {
      if labels == 0 { break }
      labels -= 1
      let suffix = UnsafeRawBufferPointer(rebasing: name[(index + 1)...])
      wildcard = document(of: HostKey(suffix, isWildcard: true)) ?? wildcard
    }
    return wildcard
  }

  private func document(of key: HostKey) -> Unmanaged<ServedDocument>? {
    var index = home(of: key)
    while true {
      let high = slots[index].high.load(ordering: .acquiring)
      if high == 0 { return nil }
      if high == key.high && slots[index].low == key.low {
        return slots[index].document.load(ordering: .sequentiallyConsistent)
      }
      index = (index + 1) & mask
    }
  }

  private func home(of key: HostKey) -> Int { Int(truncatingIfNeeded: key.low) & mask }
}

extension NameSlots {
  /// Makes wildcards with this many labels findable.
  func allowWildcards(labels: Int) {
    if labels > wildcardLabels.load(ordering: .relaxed) {
      wildcardLabels.store(labels, ordering: .relaxed)
    }
  }

  /// Serves a document under a name.
  ///
  /// - Returns: The previously served document, to be released when no reader can hold it any
  ///   longer.
  @discardableResult func put(
    _ key: HostKey, _ document: ServedDocument
  ) -> Unmanaged<ServedDocument>? {
    let index = index(of: key)
    let new = Unmanaged.passRetained(document)
    let old = slots[index].document.exchange(new, ordering: .sequentiallyConsistent)
    if old == nil { served += 1 }
    if document.isDisabled { disabled += 1 }
    if old?.takeUnretainedValue().isDisabled == true { disabled -= 1 }
    if slots[index].high.load(ordering: .relaxed) == 0 {
      slots[index].low = key.low
      slots[index].high.store(key.high, ordering: .sequentiallyConsistent)
      used += 1
    }
    return old
  }

  /// Stops serving a document under a name, unless the name has another document.
  ///
  /// - Returns: Like `put`.
  func remove(_ document: ServedDocument, from key: HostKey) -> Unmanaged<ServedDocument>? {
    let index = index(of: key)
    let current = slots[index].document.load(ordering: .relaxed)
    guard current?.toOpaque() == Unmanaged.passUnretained(document).toOpaque() else { return nil }
    slots[index].document.store(nil, ordering: .sequentiallyConsistent)
    served -= 1
    if document.isDisabled { disabled -= 1 }
    return current
  }

  /// The slot of a name, or the empty slot where it belongs.
  private func index(of key: HostKey) -> Int {
    var index = home(of: key)
    while true {
      steps += 1
      let high = slots[index].high.load(ordering: .relaxed)
      if high == 0 || high == key.high && slots[index].low == key.low { return index }
      index = (index + 1) & mask
    }
  }
}
