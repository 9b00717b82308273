import Association
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// A database of a PostgreSQL server, which several machines may use.
final class PostgreSQLEngine: Engine {
  private let server: PostgreSQLServer
  private let writers: Connections
  private let readers: Connections
  private let scanners: Connections
  private let longReaders: Connections
  private let authenticators: Connections
  private let followers: Connections

  /// - Parameter isPatient: Whether a server that cannot be reached is no error yet.
  init(
    _ address: PostgreSQLAddress, isReadOnly: Bool, upgrades: Bool, isPatient: Bool,
    now: @escaping @Sendable () -> UnixTime
  ) throws {
    let server = PostgreSQLServer(address) { connection in
      try Self.check(connection)
      try Migrator.refuseForeign(connection)
      if isReadOnly { return try Migrator.checkCurrent(connection) }
      if !upgrades { try Migrator.refuseOlder(connection) }
      try Migrator.migrate(connection, now: now())
    }
    self.server = server
    writers = Connections(8, to: server)
    readers = Connections(Store.readerCount, to: server)
    scanners = Connections(Store.scannerCount, to: server)
    longReaders = Connections(4, to: server)
    authenticators = Connections(2, to: server)
    followers = Connections(1, to: server)
    do {
      try readers.use { _ in }
    } catch let error as SQLError where isPatient && error.kind == .disconnected {}
  }

  /// The oldest version that is tested, as `PQserverVersion` writes it.
  private static let oldest = 140_000

  /// - Throws: `StoreError.unsuitable`.
  private static func check(_ connection: PostgreSQLConnection) throws {
    let version = connection.serverVersion
    if version < oldest {
      throw StoreError.unsuitable(
        "runs PostgreSQL \(version / 10_000), but aasa needs \(oldest / 10_000) or later. Upgrade it."
      )
    }
    if connection.encoding != "UTF8" {
      throw StoreError.unsuitable(
        "has the encoding \(connection.encoding). Create a database with ENCODING 'UTF8'.")
    }
  }

  /// Transactions that do not depend on each other run at the same time. One that does is run again.
  func write<Result: Sendable>(
    _ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget, isBulk: Bool,
    _ body: (any Connection) throws -> Result
  ) throws -> Result {
    var result: Result?
    var pause = 1.0
    try waitBudget.wait { _ in
      do {
        result = try writers.transaction(isBulk ? .bulk : .write, body)
        return true
      } catch let error as SQLError where [.conflict, .unique].contains(error.kind) {
        if isBulk { throw Outdated() }
        // What another transaction has changed meanwhile, the next attempt sees. A pause of its own length lets
        // one of them be first.
        usleep(UInt32(Double.random(in: 0...pause) * 1000))
        pause = min(50, pause * 2)
        return false
      } catch let error as SQLError where error.kind == .disconnected && error.sql == "COMMIT" {
        throw StoreError.database(.unknownOutcome, detail: error.description)
      }
    }
    guard let result else { throw StoreError.busy }
    if isBulk { writers.analyzeGrownTables() }
    return result
  }

  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try readers.transaction(.read, body)
  }

  func withFreeWriter<Result: Sendable>(
    _ body: (any Connection) throws -> Result
  ) throws -> Result? {
    nil
  }

  func scan<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try scanners.transaction(.read, body)
  }

  func authenticate<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try authenticators.use { try body($0) }
  }

  func readLong<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try longReaders.transaction(.read, body)
  }

  func follow<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try followers.transaction(.read, body)
  }

  func view() throws -> any View {
    let database = try Database { try server.connect() }
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

  /// A pooler may pass notices to another connection. Then nothing is heard, and the waiting ends in time.
  func listen() throws -> (any Notices)? {
    let database = try Database { try server.connect() }
    try database.withConnection { try $0.run("LISTEN aasa") }
    return Listening(database: database)
  }

  private struct Listening: Notices {
    let database: Database<PostgreSQLConnection>

    func wait(milliseconds: Int32) throws -> Bool {
      try database.withConnection { try $0.waitForNotice(milliseconds: milliseconds) }
    }
  }

  /// The server looks after its files and references itself.
  func faults(pausing pause: @escaping () throws -> Void) throws -> [String] {
    try DamageCheck.documentFaults(server.connect(), pause)
  }

  var replacedFile: String? { nil }
  func rescue(now: UnixTime) -> String? { nil }
  var hasRoom: Bool { true }
  var fileSizes: [(file: String, bytes: Int)] { [] }
  var directory: String { FileManager.default.temporaryDirectory.path }
  func maintain() {}
  func tidyUp(_ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget) {}
}

/// A PostgreSQL server. After a failed attempt to connect to it, the next ones fail at once for a while, so that
/// a server that comes back is not overwhelmed.
private final class PostgreSQLServer: Sendable {
  private struct State {
    var failure: SQLError?
    var failures = 0
    var next = ContinuousClock.now
  }

  private let address: PostgreSQLAddress
  private let prepare: @Sendable (PostgreSQLConnection) throws -> Void
  private let isPrepared = Mutex(false)
  private let state = Mutex(State())

  /// - Parameter prepare: Called once, with the first connection.
  init(
    _ address: PostgreSQLAddress, prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void
  ) {
    self.address = address
    self.prepare = prepare
  }

  func connect() throws -> sending PostgreSQLConnection {
    if let failure = state.withLock({ $0.next > .now ? $0.failure : nil }) { throw failure }
    let connection: PostgreSQLConnection
    do {
      connection = try PostgreSQLConnection(address)
    } catch {
      state.withLock { state in
        state.failure = error
        state.failures = min(state.failures + 1, 6)
        // From 0.1 to 5 s, and different for each server.
        let longest = min(5, 0.1 * Double(1 << state.failures))
        state.next = .now + .seconds(Double.random(in: longest / 2...longest))
      }
      throw error
    }
    state.withLock { ($0.failure, $0.failures) = (nil, 0) }
    try isPrepared.withLock { isPrepared in
      if !isPrepared { try prepare(connection) }
      isPrepared = true
    }
    return connection
  }
}

/// A bounded number of connections, each opened when it is needed and closed when it is broken.
private final class Connections: Sendable {
  private let server: PostgreSQLServer
  private let free = Mutex<[Database<PostgreSQLConnection>]>([])
  private let count: DispatchSemaphore

  init(_ count: Int, to server: PostgreSQLServer) {
    self.server = server
    self.count = DispatchSemaphore(value: count)
  }

  func transaction<Result: Sendable>(
    _ kind: TransactionKind, _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try use { try $0.transaction(kind, body) }
  }

  /// See `PostgreSQLConnection`.
  func analyzeGrownTables() {
    // Without a connection, autovacuum does it later.
    do { try use { $0.analyzeGrownTables() } } catch {}
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
    let database = try idle ?? Database { try server.connect() }
    defer {
      if database.withConnection({ $0.isUsable }) { free.withLock { $0.append(database) } }
    }
    return try database.withConnection(body)
  }
}
