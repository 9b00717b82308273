import Association
import Glibc
import HTTP

/// A name in the table, with its document. The bytes of the name lie behind it in memory.
struct NameNode {
  let next: UnsafeMutablePointer<NameNode>?
  let hash: UInt64
  /// Retained.
  let document: Unmanaged<ServedDocument>
  let nameBytes: Int
  let isWildcard: Bool
  /// Of the document's response, so that all of it is loaded while the document itself is.
  let footprint: Footprint
}

/// The key of a name: what a wildcard stands before, and that it does.
struct HostName {
  let bytes: [UInt8]
  let isWildcard: Bool
  let hash: UInt64

  init(_ alias: Alias) {
    bytes = Array(alias.name.text.utf8)
    isWildcard = alias.isWildcard
    var hash = NameHash()
    for byte in bytes.reversed() { hash.combine(byte) }
    self.hash = alias.isWildcard ? hash.wildcard : hash.exact
  }
}

/// The hash of a name, from its last byte to its first (FNV-1a). Only names that an administrator
/// chose are in the table, so nobody outside can make chains long.
struct NameHash {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  var exact: UInt64 { value }
  var wildcard: UInt64 { ~value }
}

extension UnsafeMutablePointer<NameNode> {
  /// Sound: a node is allocated together with room for its name.
  private var name: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(self).advanced(by: MemoryLayout<NameNode>.size)
  }

  static func make(_ name: HostName, _ document: ServedDocument, before next: Self?) -> Self {
    // Sound: the bytes live until the copy is made, and `destroyChain` gives the reference back.
    name.bytes.withUnsafeBytes { bytes in
      allocate(
        NameNode(
          next: next, hash: name.hash, document: .passRetained(document), nameBytes: bytes.count,
          isWildcard: name.isWildcard, footprint: document.full.footprint), name: bytes)
    }
  }

  func copy(before next: Self?) -> Self {
    let node = pointee
    return Self.allocate(
      NameNode(
        next: next, hash: node.hash, document: node.document.retain(), nameBytes: node.nameBytes,
        isWildcard: node.isWildcard, footprint: node.footprint),
      name: UnsafeRawBufferPointer(start: name, count: node.nameBytes))
  }

  private static func allocate(_ node: NameNode, name: UnsafeRawBufferPointer) -> Self {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<NameNode>.size + name.count,
      alignment: MemoryLayout<NameNode>.alignment)
    let pointer = memory.initializeMemory(as: NameNode.self, to: node)
    if let bytes = name.baseAddress { memcpy(pointer.name, bytes, name.count) }
    return pointer
  }

  func isNamed(_ bytes: UnsafeRawBufferPointer, isWildcard: Bool) -> Bool {
    pointee.isWildcard == isWildcard
      && bytes.equals(UnsafeRawBufferPointer(start: name, count: pointee.nameBytes))
  }

  func isNamed(_ other: HostName) -> Bool {
    other.bytes.withUnsafeBytes { isNamed($0, isWildcard: other.isWildcard) }
  }

  /// Gives up a node and those behind it, and their references to documents.
  func destroyChain() {
    var node: Self? = self
    while let current = node {
      node = current.pointee.next
      current.pointee.document.release()
      UnsafeMutableRawPointer(current).deallocate()
    }
  }
}
