import HTTP
import Synchronization

/// A hash table of names. Slots are swapped as a whole: a chain of nodes never changes once it can
/// be seen.
struct NameTable {
  /// What a change leaves behind.
  struct Change {
    /// Nodes that are to be destroyed when no reader can see them.
    let replaced: UnsafeMutablePointer<NameNode>?
    /// By how many names the table has grown.
    let growth: Int
  }

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

  /// Puts a node into its chain, and in the place of one with the same name, while no reader can see the
  /// table.
  ///
  /// - Returns: By how many names the table has grown.
  func insert(_ node: UnsafeMutablePointer<NameNode>) -> Int {
    let index = slotIndex(node.pointee.hash)
    var growth = 1
    var previous: UnsafeMutablePointer<NameNode>?
    var next = chain(at: index)
    while let current = next {
      next = current.pointee.next
      if current.isNamed(as: node) {
        if let previous { previous.pointee.next = next } else { publish(next, at: index) }
        current.pointee.next = nil
        current.destroyChain()
        growth = 0
      } else {
        previous = current
      }
    }
    node.pointee.next = chain(at: index)
    publish(node, at: index)
    return growth
  }

  /// Gives a name a document.
  func put(_ name: HostName, _ document: ServedDocument) -> Change {
    let index = slotIndex(name.hash)
    let (old, rest, left) = copyChain(at: index) { !$0.isNamed(name) }
    publish(.make(name, document, before: rest), at: index)
    return Change(replaced: old, growth: 1 - left)
  }

  /// Takes a document from the names of a hash.
  func remove(_ document: ServedDocument, _ hash: UInt64) -> Change {
    let index = slotIndex(hash)
    let (old, rest, left) = copyChain(at: index) { !$0.has(document) }
    if left == 0 {
      rest?.destroyChain()
      return Change(replaced: nil, growth: 0)
    }
    publish(rest, at: index)
    return Change(replaced: old, growth: -left)
  }

  /// The chain of a slot, a copy of those of its nodes that stay, and how many do not.
  private func copyChain(
    at index: Int, _ stays: (UnsafeMutablePointer<NameNode>) -> Bool
  ) -> (
    old: UnsafeMutablePointer<NameNode>?, rest: UnsafeMutablePointer<NameNode>?, left: Int
  ) {
    let old = chain(at: index)
    var rest: UnsafeMutablePointer<NameNode>?
    var left = 0
    var node = old
    while let current = node {
      if stays(current) { rest = current.copy(before: rest) } else { left += 1 }
      node = current.pointee.next
    }
    return (old, rest, left)
  }

  /// The document of an exact name, else of the longest wildcard above it.
  ///
  /// - Parameter isConditional: See `NameNode.loadAnswer`.
  func document(
    for name: UnsafeRawBufferPointer, isConditional: Bool
  ) -> Unmanaged<ServedDocument>? {
    var hash = NameHash()
    var wildcard: Unmanaged<ServedDocument>?
    // From the right, so that the hash of each suffix is met on the way; the last found is the
    // longest. Most requests are for exact names, which need no look at the suffixes.
    for byte in name.reversed() { hash.combine(byte) }
    let exact = find(name, hash.exact, isWildcard: false, isConditional)
    if let exact { return exact }
    hash = NameHash()
    for index in name.indices.reversed() {
      if name[index] == UInt8(ascii: ".") {
        let suffix = UnsafeRawBufferPointer(rebasing: name[(index + 1)...])
        wildcard = find(suffix, hash.wildcard, isWildcard: true, isConditional) ?? wildcard
      }
      hash.combine(name[index])
    }
    return wildcard
  }

  private func find(
    _ name: UnsafeRawBufferPointer, _ hash: UInt64, isWildcard: Bool, _ isConditional: Bool
  ) -> Unmanaged<ServedDocument>? {
    var node = chain(at: slotIndex(hash))
    while let current = node {
      if current.pointee.hash == hash && current.isNamed(name, isWildcard: isWildcard) {
        current.pointee.loadAnswer(isConditional: isConditional)
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
