package import Association
import Glibc
import SQLite
import Synchronization

/// The rows that documents are rendered from, in one SQLite file. All SQL is in this module.
///
/// Several processes may open the same file. One of them writes at a time; readers never wait.
public final class Store: Sendable {
  /// Reads for API requests; no writer blocks it. The readers are closed before the writer: only if the
  /// last connection to close may write does SQLite delete the WAL.
  private let readers: Databases
  /// Reads that go through many domains, so that no other request waits for them.
  private let scanners: Databases
  /// Reads tokens, so that a request is let in or refused however many others read.
  private let authenticator: Database
  /// Reads documents to serve, so that no API request delays them.
  private let follower: Database
  private let writer: Database
  private let turns = Turns()
  private let patience = Atomic<Int>(Int(longestWait.components.seconds) * 1000)
  let path: String
  private let files: OpenFiles

  /// The number of short reads at the same time.
  private static let readerCount = max(4, min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// How often an edit is planned before it gives up.
  private static let mostPlans = 10

  /// How long a write waits for its turn: for other writes of this process and of others together.
  public static let longestWait = Duration.seconds(5)
  /// The token uses that are not written yet, by token name.
  let tokenUses = Mutex<[String: Int64]>([:])
  /// Commits since the last checkpoint by `moveLog`.
  private let commits = Atomic<Int>(0)
  /// Durations and errors of transactions.
  public let counts = DatabaseCounts()
  /// The current time in seconds since 1970.
  public let now: @Sendable () -> Int64

  /// Opens a store. Creates the file if it does not exist, and migrates its schema.
  ///
  /// - Parameters:
  ///   - path: The file; its directory must exist.
  ///   - fillingEmpty: Whether an existing file without tables becomes a new database.
  ///   - now: Returns the current time in seconds since 1970.
  /// - Throws: `StoreError`.
  public init(
    path: String, fillingEmpty: Bool = false, now: @escaping @Sendable () -> Int64
  ) throws {
    self.now = now
    self.path = path
    do {
      switch DatabaseFile.size(path) {
      case nil: try DatabaseFile.create(path, now: now())
      case 0 where !fillingEmpty: throw StoreError.empty
      default: break
      }
      writer = try Database(path: path, mode: .existing)
      try writer.withConnection { connection in
        try Migrator.refuseForeign(connection)
        if try !fillingEmpty && Migrator.version(connection) == 0 { throw StoreError.empty }
        // FULL makes a commit durable before it is acknowledged
        // (sqlite.org/pragma.html#pragma_synchronous). The server checkpoints with `moveLog`, so an
        // edit does so itself only when that falls behind, or in a process that is not a server. There
        // may be no place for temporary files.
        try connection.execute(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; "
            + "PRAGMA wal_autocheckpoint = 16000")
        try Migrator.migrate(connection, now: now())
      }
      readers = try Databases(Self.readerCount, path: path)
      scanners = try Databases(2, path: path)
      authenticator = try Database(path: path, mode: .readOnly)
      follower = try Database(path: path, mode: .readOnly)
      files = OpenFiles(of: path)
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
  }

  /// Runs `body` in a write transaction. When this returns, all of it is on the disk. If `body`
  /// throws, or for a dry run, nothing is. Writers take turns, so `body` must be short.
  ///
  /// - Throws: `StoreError.busy`, other `StoreError`s, and what `body` throws.
  public func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    var patience = patience(of: context)
    return try write(context, &patience, body)
  }

  /// Plans an edit, and writes it in a short transaction. While an edit is planned, other edits go on,
  /// except those of the same domain. If the plan is outdated by then, it is made again.
  ///
  /// - Parameters:
  ///   - domain: The edited domain; `nil` for several.
  ///   - plan: Makes the plan, given the outdated one.
  ///   - body: Writes the plan.
  /// - Throws: Like `write`, and what `plan` throws.
  package func edit<Plan, Result: Sendable>(
    _ context: WriteContext, of domain: DomainName? = nil, plan: (Plan?) throws -> Plan,
    write body: (borrowing Transaction, Plan) throws -> Result
  ) throws -> Result {
    var patience = patience(of: context)
    guard let domain else { return try edit(context, &patience, plan, body) }
    return try turns.take(.domain(domain), &patience) { try edit(context, &$0, plan, body) }
  }

  private func edit<Plan, Result: Sendable>(
    _ context: WriteContext, _ patience: inout Patience, _ plan: (Plan?) throws -> Plan,
    _ body: (borrowing Transaction, Plan) throws -> Result
  ) throws -> Result {
    var made: Plan?
    for _ in 0..<Self.mostPlans {
      do {
        let plan = try plan(made)
        made = plan
        return try write(context, &patience) { try body($0, plan) }
      } catch is Outdated {}
    }
    throw StoreError.busy
  }

  private func write<Result: Sendable>(
    _ context: WriteContext, _ patience: inout Patience,
    _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    let result = try translatingErrors(.write) {
      let result = try turns.take(.database, &patience) { patience in
        try writer.withConnection { connection in
          try patience.wait {
            connection.setBusyTimeout(milliseconds: Int32($0))
            return try connection.begin(.write)
          }
          return try connection.finish(keeping: !context.isDryRun) { connection in
            if context.isAbandoned() { throw StoreError.busy }
            let result = try body(
              Transaction(connection: connection, context: context, now: now()))
            try files.check()
            return result
          }
        }
      }
      // The files may have gone during the commit. Only an edit that is still there is acknowledged.
      try files.check()
      return result
    }
    if !context.isDryRun { commits.add(1, ordering: .relaxed) }
    return result
  }

  private func patience(of context: WriteContext) -> Patience {
    Patience(
      .milliseconds(patience.load(ordering: .relaxed)), isAbandoned: context.isAbandoned)
  }

  /// Runs `body` in a transaction that sees one state.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try readers.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Runs `body`, which goes through many domains, in a transaction that sees one state.
  func scan<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try scanners.withConnection { try $0.transaction(.read, body) }
    }
  }

  /// Runs `body`, which must run a single statement about tokens, without a transaction.
  func authenticate<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try authenticator.withConnection(body) }
  }

  /// Runs a long `body` in a transaction that sees one state, on a separate connection. If the file was
  /// deleted or replaced, a connection that still has it open is used.
  func readLong<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      if files.missing != nil {
        return try scanners.withConnection { try $0.transaction(.read, body) }
      }
      return try Database(path: path, mode: .readOnly).withConnection {
        try $0.transaction(.read, body)
      }
    }
  }

  /// Runs `body` in a transaction that sees one state, on the connection for documents to serve.
  func follow<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors(.follow) {
      try follower.withConnection { try $0.transaction(.read, body) }
    }
  }

  func translatingErrors<Result>(
    _ kind: DatabaseCounts.Kind, _ body: () throws -> Result
  ) throws -> Result {
    try counts.time(kind) {
      do {
        return try body()
      } catch let error as SQLiteError {
        throw StoreError(error)
      } catch let error as UnreadableColumn {
        throw StoreError.database(.damaged, detail: "a column has the value \"\(error.text)\"")
      }
    }
  }
}

extension Store {
  /// The path of a file that was deleted or replaced while the store has it open; `nil` normally. Then
  /// edits are refused, and reading continues from the file that is still open.
  public var replacedFile: String? { files.missing }

  /// Saves what the store has open, even if its files were deleted or replaced, beside the database.
  ///
  /// - Returns: The path of the new file, which `Backup.restore` accepts.
  /// - Throws: `BackupError`.
  public func rescue() throws -> String {
    let path = DatabaseFile.dated(path, "rescue", now())
    let file = try AtomicFile(at: path)
    try BackupError.naming(path) {
      try follower.withConnection { try Backup.copy($0, of: self.path, to: file.temporaryPath) }
    }
    try file.commit(replacing: false)
    return path
  }

  /// Whether the disk has room for a few edits.
  public var hasRoom: Bool { DatabaseFile.hasRoom(beside: path) }

  /// Moves the WAL into the database file and empties it, as far as readers in other processes allow
  /// (sqlite.org/pragma.html#pragma_wal_checkpoint).
  ///
  /// - Throws: `StoreError`.
  public func checkpoint() throws {
    var patience = patience(of: WriteContext(author: ""))
    try translatingErrors(.checkpoint) {
      try turns.take(.database, &patience) { _ in
        try writer.withConnection { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      }
    }
  }

  /// Moves the WAL into the database file after every 50 commits, without blocking writers. Call it
  /// regularly, so that no edit has to wait for a checkpoint.
  ///
  /// - Throws: `StoreError`.
  public func moveLog() throws {
    if commits.load(ordering: .relaxed) < 50 { return }
    commits.store(0, ordering: .relaxed)
    try translatingErrors(.checkpoint) {
      // By its path, a connection would move our WAL into another file.
      try files.check()
      try Database(path: path, mode: .existing).withConnection {
        try $0.run("PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }

  /// Sets how long writes wait for their turn, instead of `longestWait`. Limits the duration of a
  /// shutdown.
  public func setLockTimeout(milliseconds: Int) {
    patience.store(milliseconds, ordering: .relaxed)
  }
}
