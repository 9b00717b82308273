import Association
import Glibc
import HTTP
import Synchronization

/// A name in the table, with its document. The bytes of the name lie behind it in memory.
struct NameNode: ~Copyable {
  /// Does not change any more once a reader can see the node.
  var next: UnsafeMutablePointer<NameNode>?
  let hash: UInt64
  /// Retained.
  let document: Unmanaged<ServedDocument>
  let nameBytes: Int
  let isWildcard: Bool
  /// Where the document's bytes lie, so that all of them are loaded while the document itself is.
  private let content: Extent
  /// The same of the headers of the answers 200 and 304: the bits of their extents, 0 until they are
  /// known.
  private let fullHeader = Atomic<UInt>(0)
  private let notModifiedHeader = Atomic<UInt>(0)

  init(
    _ hash: UInt64, _ document: ServedDocument, nameBytes: Int, isWildcard: Bool,
    before next: UnsafeMutablePointer<NameNode>?
  ) {
    self.next = next
    self.hash = hash
    self.document = .passRetained(document)
    self.nameBytes = nameBytes
    self.isWildcard = isWildcard
    content = document.contentExtent
  }

  /// Begins to load what the answer to a request is most likely sent from.
  ///
  /// - Parameter isConditional: Whether the request has a tag. Nearly always it is the current one.
  borrowing func loadAnswer(isConditional: Bool) {
    if isConditional {
      load(notModifiedHeader, \.notModifiedExtent)
    } else {
      load(fullHeader, \.fullExtent)
      content.load()
    }
  }

  private borrowing func load(
    _ header: borrowing Atomic<UInt>, _ extent: (ServedDocument) -> Extent
  ) {
    let bits = header.load(ordering: .relaxed)
    Extent(bits: bits).load()
    // Made since it was last looked for, or not yet. Several readers may store the same.
    if bits == 0 {
      header.store(document._withUnsafeGuaranteedRef { extent($0) }.bits, ordering: .relaxed)
    }
  }
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
    document.add(nameHash: name.hash)
    // Sound: the bytes live until the copy is made, and `destroyChain` gives the reference back.
    return name.bytes.withUnsafeBytes { bytes in
      allocate(
        NameNode(
          name.hash, document, nameBytes: bytes.count, isWildcard: name.isWildcard, before: next),
        name: bytes)
    }
  }

  func copy(before next: Self?) -> Self {
    Self.allocate(
      NameNode(
        pointee.hash, pointee.document.takeUnretainedValue(), nameBytes: pointee.nameBytes,
        isWildcard: pointee.isWildcard, before: next),
      name: UnsafeRawBufferPointer(start: name, count: pointee.nameBytes))
  }

  private static func allocate(_ node: consuming NameNode, name: UnsafeRawBufferPointer) -> Self {
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

  func isNamed(as other: Self) -> Bool {
    pointee.hash == other.pointee.hash
      && isNamed(
        UnsafeRawBufferPointer(start: other.name, count: other.pointee.nameBytes),
        isWildcard: other.pointee.isWildcard)
  }

  func has(_ document: ServedDocument) -> Bool {
    pointee.document.toOpaque() == Unmanaged.passUnretained(document).toOpaque()
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
