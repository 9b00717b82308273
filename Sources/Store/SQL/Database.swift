import Dispatch
import Synchronization

/// A connection that threads share: one of them uses it at a time.
package final class Database<Connected: Connection>: Sendable {
  private let connection: Mutex<Connected>

  /// Shares the connection that `open` makes.
  ///
  /// - Throws: what `open` throws.
  package init(_ open: () throws -> sending Connected) rethrows {
    connection = Mutex(try open())
  }

  /// Waits for the connection and runs `body` with it. Only `Sendable` values can leave, so no
  /// statement can.
  ///
  /// - Throws: what `body` throws.
  package func withConnection<Result: Sendable>(
    _ body: (Connected) throws -> Result
  ) rethrows -> Result {
    try connection.withLock { connection in try body(connection) }
  }

  /// Runs `body` with the connection if no other thread uses it; otherwise returns `nil`. A thread that uses it already
  /// must not call this.
  ///
  /// - Throws: what `body` throws.
  package func withFreeConnection<Result: Sendable>(
    _ body: (Connected) throws -> Result
  ) rethrows -> Result? {
    try connection.withLockIfAvailable { connection in try body(connection) }
  }
}

/// A bounded number of connections for reading, of which each thread uses one that is free.
package final class Databases<Connected: Connection>: Sendable {
  private let free: Mutex<[Database<Connected>]>
  private let count: DispatchSemaphore

  /// Shares the connections that `open` makes.
  ///
  /// - Throws: what `open` throws.
  package init(_ count: Int, _ open: () throws -> sending Connected) rethrows {
    var databases: [Database<Connected>] = []
    for _ in 0..<count { databases.append(try Database(open)) }
    free = Mutex(databases)
    self.count = DispatchSemaphore(value: count)
  }

  /// Waits for a connection and runs `body` with it.
  ///
  /// - Throws: what `body` throws.
  package func withConnection<Result: Sendable>(
    _ body: (Connected) throws -> Result
  ) throws -> Result {
    count.wait()
    defer { count.signal() }
    // There is one: no more threads than there are connections come past `count`.
    let database = free.withLock { $0.removeLast() }
    defer { free.withLock { $0.append(database) } }
    return try database.withConnection(body)
  }
}
