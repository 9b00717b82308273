public import Association
import Synchronization

/// Names with their documents, which one thread collects to be put into a table together with those of
/// others. What it takes lies in memory as the table wants it, so nothing of it is given back in pieces.
public final class NameList: Sendable {
  // Unchecked is sound: the nodes are only used under the lock, and nobody else knows them.
  private struct Nodes: @unchecked Sendable {
    var last: UnsafeMutablePointer<NameNode>?
    var count = 0
  }

  private let nodes = Mutex(Nodes())

  /// An empty list.
  public init() {}

  deinit { nodes.withLock { $0.last?.destroyChain() } }

  /// Adds a document under some names.
  public func add(_ names: [Alias], _ document: ServedDocument) {
    nodes.withLock { nodes in
      for name in names { nodes.last = .make(HostName(name), document, before: nodes.last) }
      nodes.count += names.count
    }
  }

  /// The number of names.
  var count: Int { nodes.withLock { $0.count } }

  /// Moves all names into a table that no reader can see.
  func move(to table: NameTable) -> Int {
    nodes.withLock { nodes in
      var growth = 0
      while let node = nodes.last {
        nodes.last = node.pointee.next
        growth += table.insert(node)
      }
      nodes.count = 0
      return growth
    }
  }
}
