import HTTP
import Synchronization

/// A hash table of names. Slots are swapped as a whole: a chain of nodes never changes once it can
/// be seen.
struct NameTable {
  /// How many names it holds before it should be copied to a larger one.
  let capacity: Int
  private let mask: UInt64
  private let slots: UnsafeMutablePointer<Atomic<UInt>>

  private var slotCount: Int { Int(mask) + 1 }

  /// An empty table in memory of its own, to be given up with `destroy`.
  static func make(capacity: Int) -> UnsafeMutablePointer<NameTable> {
    // Copying a table takes milliseconds, which an edit should not cost: this one, of a megabyte, is
    // only copied for more than a quarter of a million names.
    var slotCount = 131_072
    while slotCount < capacity { slotCount *= 2 }
    let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: slotCount)
    for index in 0..<slotCount { (slots + index).initialize(to: Atomic(0)) }
    let table = UnsafeMutablePointer<NameTable>.allocate(capacity: 1)
    table.initialize(
      to: NameTable(capacity: 2 * slotCount, mask: UInt64(slotCount - 1), slots: slots))
    return table
  }

  /// Gives up a table that no reader can see.
  static func destroy(_ table: UnsafeMutablePointer<NameTable>) {
    for index in 0..<table.pointee.slotCount {
      table.pointee.chain(at: index)?.destroyChain()
    }
    table.pointee.slots.deinitialize(count: table.pointee.slotCount)
    table.pointee.slots.deallocate()
    table.deallocate()
  }

  /// A table with the same names and more slots.
  func copy(capacity: Int) -> UnsafeMutablePointer<NameTable> {
    let table = Self.make(capacity: capacity)
    for index in 0..<slotCount {
      var node = chain(at: index)
      while let current = node {
        let target = table.pointee.slotIndex(current.pointee.hash)
        table.pointee.publish(current.copy(before: table.pointee.chain(at: target)), at: target)
        node = current.pointee.next
      }
    }
    return table
  }

  /// Changes one name's document, or takes the name away.
  ///
  /// - Returns: The nodes that are to be destroyed when no reader can see them, and by how many
  ///   names the table has grown.
  func replace(
    _ name: HostName, with document: ServedDocument?
  ) -> (nodes: UnsafeMutablePointer<NameNode>?, growth: Int) {
    let index = slotIndex(name.hash)
    let old = chain(at: index)
    var growth = 0
    var new: UnsafeMutablePointer<NameNode>?
    var node = old
    while let current = node {
      if current.isNamed(name) { growth -= 1 } else { new = current.copy(before: new) }
      node = current.pointee.next
    }
    if let document {
      growth += 1
      new = .make(name, document, before: new)
    }
    publish(new, at: index)
    return (old, growth)
  }

  /// The document of an exact name, else of the longest wildcard above it.
  func document(for name: UnsafeRawBufferPointer) -> Unmanaged<ServedDocument>? {
    var hash = NameHash()
    var wildcard: Unmanaged<ServedDocument>?
    // From the right, so that the hash of each suffix is met on the way; the last found is the
    // longest. Most requests are for exact names, which need no look at the suffixes.
    for byte in name.reversed() { hash.combine(byte) }
    if let document = find(name, hash.exact, isWildcard: false) { return document }
    hash = NameHash()
    for index in name.indices.reversed() {
      if name[index] == UInt8(ascii: ".") {
        let suffix = UnsafeRawBufferPointer(rebasing: name[(index + 1)...])
        wildcard = find(suffix, hash.wildcard, isWildcard: true) ?? wildcard
      }
      hash.combine(name[index])
    }
    return wildcard
  }

  private func find(
    _ name: UnsafeRawBufferPointer, _ hash: UInt64, isWildcard: Bool
  ) -> Unmanaged<ServedDocument>? {
    var node = chain(at: slotIndex(hash))
    while let current = node {
      if current.pointee.hash == hash && current.isNamed(name, isWildcard: isWildcard) {
        current.pointee.loadAnswer()
        return current.pointee.document
      }
      node = current.pointee.next
    }
    return nil
  }

  private func slotIndex(_ hash: UInt64) -> Int { Int((hash ^ hash >> 32) & mask) }

  private func chain(at index: Int) -> UnsafeMutablePointer<NameNode>? {
    UnsafeMutablePointer(bitPattern: slots[index].load(ordering: .sequentiallyConsistent))
  }

  private func publish(_ chain: UnsafeMutablePointer<NameNode>?, at index: Int) {
    slots[index].store(UInt(bitPattern: chain), ordering: .sequentiallyConsistent)
  }
}
