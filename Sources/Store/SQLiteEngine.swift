import Association
import Glibc
import Synchronization

/// A database in an SQLite file. One connection of all processes writes at a time; readers never wait.
final class SQLiteEngine: Engine {
  /// The readers are closed before the writer: only if the last connection to close may write does SQLite
  /// delete the WAL.
  private let readers: Databases<SQLiteConnection>
  private let scanners: Databases<SQLiteConnection>
  private let authenticator: Database<SQLiteConnection>
  private let follower: Database<SQLiteConnection>
  private let writer: Database<SQLiteConnection>
  private let path: String
  private let files: OpenFiles
  /// How long the lock is free after as many edits as share a commit, in microseconds.
  private static let pause: UInt32 = 1000
  /// The commit of the open transaction. Only who has the connection for writing uses it.
  private let pending = Mutex<SharedCommit?>(nil)
  /// Edits since `maintain` last moved the WAL.
  private let commits = Atomic<Int>(0)

  init(
    path: String, fillingEmpty: Bool, isReadOnly: Bool, upgrades: Bool, now: () -> UnixTime
  ) throws {
    self.path = path
    switch DatabaseFile.size(path) {
    case nil where !isReadOnly: try DatabaseFile.create(path, now: now())
    case 0 where !fillingEmpty: throw StoreError.empty
    default: break
    }
    writer = try Database {
      try SQLiteConnection(path: path, mode: isReadOnly ? .readOnly : .existing)
    }
    try writer.withConnection { connection in
      try Migrator.refuseForeign(connection)
      if isReadOnly { return try Migrator.checkCurrent(connection) }
      if !upgrades { try Migrator.refuseOlder(connection) }
      if try !fillingEmpty && Migrator.version(connection) == 0 { throw StoreError.empty }
      // FULL makes a commit durable before it is acknowledged
      // (sqlite.org/pragma.html#pragma_synchronous). The server moves the WAL with `maintain`, so an
      // edit does so itself only when that falls behind, or in a process that is not a server. There
      // may be no place for temporary files.
      try connection.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; "
          + "PRAGMA wal_autocheckpoint = 16000")
      try Migrator.migrate(connection, now: now())
    }
    let reader: () throws -> sending SQLiteConnection = {
      try SQLiteConnection(path: path, mode: .readOnly)
    }
    readers = try Databases(Store.readerCount, reader)
    scanners = try Databases(Store.scannerCount, reader)
    authenticator = try Database(reader)
    follower = try Database(reader)
    files = OpenFiles(of: path)
  }

  /// Edits that wait for each other share a commit: each begins where the one before ended, and the last one commits
  /// them all.
  func write<Result: Sendable>(
    _ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget, isBulk: Bool,
    _ body: (any Connection) throws -> Result
  ) throws -> Result {
    let (result, commit) = try writeQueue.take(.database, &waitBudget) { waitBudget in
      try writer.withConnection { connection in
        if isBulk { commitOthers(connection) }
        let result = try add(body, to: connection, &waitBudget)
        let isLast = isBulk || !writeQueue.isAwaited(.database)
        if !isLast, let commit = pending.withLock({ $0 }), commit.join() {
          return (result, SharedCommit?.some(commit))
        }
        try self.commit(connection)
        // Another process that waits for the lock looks for it now and then.
        if !isLast { usleep(Self.pause) }
        return (result, nil)
      }
    }
    try commit?.wait { commit in
      try writer.withConnection { connection in
        if pending.withLock({ $0 }) === commit { try self.commit(connection) }
      }
    }
    // The files may have gone during the commit. Only an edit that is still there is acknowledged.
    try files.check()
    commits.add(1, ordering: .relaxed)
    return result
  }

  /// Runs `body` in the transaction of the pending commit, or begins one. If `body` throws, what it wrote is undone,
  /// and the edits before it are committed.
  private func add<Result: Sendable>(
    _ body: (any Connection) throws -> Result, to connection: SQLiteConnection,
    _ waitBudget: inout WaitBudget
  ) throws -> Result {
    let isFirst = pending.withLock { $0 == nil }
    if isFirst {
      try waitBudget.wait {
        connection.setBusyTimeout(milliseconds: Int32($0))
        return try Self.begins(connection)
      }
      pending.withLock { $0 = SharedCommit(patience: waitBudget.patience) }
    } else {
      try connection.run("SAVEPOINT edit")
    }
    do {
      let result = try body(connection)
      try files.check()
      if !isFirst { try connection.run("RELEASE edit") }
      return result
    } catch {
      if !isFirst && undo(connection) {
        commitOthers(connection)
      } else {
        let lost = SQLError(
          .other, code: "", message: "another edit ended the transaction: \(error)")
        end(.failure(error as? SQLError ?? lost))
        if connection.isInTransaction { try connection.run("ROLLBACK") }
      }
      throw error
    }
  }

  /// Undoes an edit. If that fails, or if an error such as a full disk has ended the transaction, those before it are
  /// lost, too.
  private func undo(_ connection: SQLiteConnection) -> Bool {
    if !connection.isInTransaction { return false }
    do {
      try connection.run("ROLLBACK TO edit")
      return true
    } catch {
      return false
    }
  }

  /// Commits the edits that wait for that, which get the error if it fails.
  private func commitOthers(_ connection: SQLiteConnection) {
    do {
      try commit(connection)
    } catch {
      // They have been told.
    }
  }

  /// Commits the edits that wait for that.
  private func commit(_ connection: SQLiteConnection) throws {
    if pending.withLock({ $0 == nil }) { return }
    do {
      try connection.run("COMMIT")
      end(.success(()))
    } catch {
      end(.failure(error))
      if connection.isInTransaction { try connection.run("ROLLBACK") }
      throw error
    }
  }

  private func end(_ outcome: Result<Void, any Error>) {
    pending.withLock { $0.take() }?.end(outcome)
  }

  /// Whether another connection did not hold the lock for longer than the busy timeout.
  private static func begins(_ connection: SQLiteConnection) throws -> Bool {
    do {
      try connection.begin(.write)
      return true
    } catch let error as SQLError where error.kind == .busy {
      return false
    }
  }

  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try readers.withConnection { try $0.transaction(.read, body) }
  }

  /// A reader drops all that it has in memory at each commit. The writer does not.
  func withFreeWriter<Result: Sendable>(
    _ body: (any Connection) throws -> Result
  ) throws -> Result? {
    // An open transaction has what is not committed yet.
    try writer.withFreeConnection { connection in
      if connection.isInTransaction { return nil }
      // The last edit may have set a shorter one.
      connection.setBusyTimeout(milliseconds: 5000)
      return try body(connection)
    } ?? nil
  }

  func scan<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try scanners.withConnection { try $0.transaction(.read, body) }
  }

  func authenticate<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try authenticator.withConnection { try body($0) }
  }

  /// If the file was deleted or replaced, a connection that still has it open is used.
  func readLong<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    if files.missing != nil { return try scan(body) }
    return try Database { try SQLiteConnection(path: path, mode: .readOnly) }.withConnection {
      try $0.transaction(.read, body)
    }
  }

  func follow<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try follower.withConnection { try $0.transaction(.read, body) }
  }

  func listen() -> (any Notices)? { nil }

  func view() throws -> any View {
    // Nothing changes any more in a file that was deleted or replaced.
    if files.missing != nil { return OpenFile(engine: self) }
    let database = try Database { try SQLiteConnection(path: path, mode: .readOnly) }
    // Every page is read once, so few are kept.
    try database.withConnection { try $0.execute("PRAGMA cache_size = -256; BEGIN") }
    return Snapshot(database: database)
  }

  /// A connection with an open transaction, which ends when it is closed.
  private struct Snapshot: View {
    let database: Database<SQLiteConnection>

    func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
      try database.withConnection { try body($0) }
    }
  }

  private struct OpenFile: View {
    let engine: SQLiteEngine

    func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
      try engine.scan(body)
    }
  }

  func faults(pausing pause: @escaping () throws -> Void) throws -> [String] {
    do {
      // Takes a while on a busy machine. A server that ends meanwhile can tidy up, because the database is not open yet.
      let known = try Schema.known()
      try pause()
      let mode: SQLiteConnection.Mode = access(path, W_OK) == 0 ? .existing : .readOnly
      let connection = try SQLiteConnection(path: path, mode: mode)
      try connection.execute("PRAGMA query_only = ON")
      // Tables of a newer version may differ; its servers check them.
      if try Migrator.version(connection) <= Migration.last {
        try known.check(connection, path)
      }
      return try DamageCheck.faults(connection, pausing: pause)
    } catch BackupError.otherSchema(_, let objects) {
      return objects.map { "\($0) is missing or different in the schema" }
    }
  }

  var replacedFile: String? { files.missing }

  func rescue(now: UnixTime) throws -> String? {
    let path = DatabaseFile.dated(path, "rescue", now)
    let file = try AtomicFile(at: path)
    try BackupError.naming(path) {
      try follower.withConnection { try Backup.copy($0, of: self.path, to: file.temporaryPath) }
    }
    try file.commit(replacing: false)
    return path
  }

  var fileSizes: [(file: String, bytes: Int)] {
    [("database", ""), ("wal", "-wal")].compactMap { file, suffix in
      DatabaseFile.size(path + suffix).map { (file, $0) }
    }
  }

  var hasRoom: Bool { DatabaseFile.hasRoom(beside: path) }

  var directory: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Moves the WAL into the database file after every 50 commits.
  func maintain() throws {
    if commits.load(ordering: .relaxed) < 50 { return }
    commits.store(0, ordering: .relaxed)
    // By its path, a connection would move our WAL into another file.
    try files.check()
    try SQLiteConnection(path: path, mode: .existing).run("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /// Moves the WAL into the database file and empties it
  /// (sqlite.org/pragma.html#pragma_wal_checkpoint).
  func tidyUp(_ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget) throws {
    try writeQueue.take(.database, &waitBudget) { _ in
      try writer.withConnection { connection in
        commitOthers(connection)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }
}
