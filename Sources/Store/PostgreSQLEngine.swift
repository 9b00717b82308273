import Dispatch
import Foundation
import SQL
import Synchronization

/// A database of a PostgreSQL server, which several machines may use.
final class PostgreSQLEngine: Engine {
  private let writers: Connections
  private let readers: Connections
  private let scanners: Connections
  private let authenticators: Connections
  private let followers: Connections
  private let info: String

  init(_ info: String, now: () -> Int64) throws {
    self.info = info
    writers = Connections(8, to: info)
    readers = Connections(Store.readerCount, to: info)
    scanners = Connections(2, to: info)
    authenticators = Connections(2, to: info)
    followers = Connections(1, to: info)
    try writers.use { connection in
      try Migrator.refuseForeign(connection)
      try Migrator.migrate(connection, now: now())
    }
  }

  /// Transactions that do not depend on each other run at the same time. One that does is run again.
  func write<Result: Sendable>(
    _ turns: Turns, _ patience: inout Patience, keeping: Bool,
    _ body: (any Connection) throws -> Result
  ) throws -> Result {
    var result: Result?
    try patience.wait { _ in
      do {
        result = try writers.transaction(.write, keeping: keeping, body)
        return true
      } catch let error as SQLError where [.conflict, .unique].contains(error.kind) {
        // What another transaction has changed meanwhile, the next attempt sees.
        return false
      }
    }
    guard let result else { throw StoreError.busy }
    return result
  }

  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try readers.transaction(.read, body)
  }

  func scan<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try scanners.transaction(.read, body)
  }

  func authenticate<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try authenticators.transaction(.read, body)
  }

  func readLong<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try Connections(1, to: info).transaction(.read, body)
  }

  func follow<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try followers.transaction(.read, body)
  }

  func view() throws -> any View {
    let database = try Database { () throws(SQLError) in try PostgreSQLConnection(info) }
    try database.withConnection { try $0.begin(.read) }
    return Snapshot(database: database)
  }

  /// A connection with an open transaction, which ends when it is closed.
  private struct Snapshot: View {
    let database: Database<PostgreSQLConnection>

    func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
      try database.withConnection { try body($0) }
    }
  }

  /// The server looks after its files itself.
  func faults(pausing pause: @escaping () throws -> Void) -> [String] { [] }

  var replacedFile: String? { nil }
  func rescue(now: Int64) -> String? { nil }
  var hasRoom: Bool { true }
  var directory: String { FileManager.default.temporaryDirectory.path }
  func maintain() {}
  func tidyUp(_ turns: Turns, _ patience: inout Patience) {}
}

/// A bounded number of connections, each opened when it is needed and closed when it is broken.
private final class Connections: Sendable {
  private let info: String
  private let free = Mutex<[Database<PostgreSQLConnection>]>([])
  private let count: DispatchSemaphore

  init(_ count: Int, to info: String) {
    self.info = info
    self.count = DispatchSemaphore(value: count)
  }

  func transaction<Result: Sendable>(
    _ kind: TransactionKind, keeping: Bool = true, _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try use { connection in
      try connection.begin(kind)
      return try connection.finish(keeping: keeping, after: body)
    }
  }

  /// Waits for a connection and runs `body` with it.
  func use<Result: Sendable>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    count.wait()
    defer { count.signal() }
    // The server may have closed an idle connection since it was last used.
    var idle = free.withLock { $0.popLast() }
    while let database = idle, !database.withConnection({ $0.isUsable }) {
      idle = free.withLock { $0.popLast() }
    }
    let database = try idle ?? Database { () throws(SQLError) in try PostgreSQLConnection(info) }
    defer {
      if database.withConnection({ $0.isUsable }) { free.withLock { $0.append(database) } }
    }
    return try database.withConnection(body)
  }
}
