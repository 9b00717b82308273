package import Association
import Glibc
import Synchronization

/// The rows that documents are rendered from. All SQL is in this module.
///
/// Several processes may open the same database.
package final class Store: Sendable {
  let engine: any Engine
  private let writeQueue = WriteQueue()
  let ownSpoolDirectory = Mutex<String?>(nil)
  private let waitBudget = Atomic<Int>(Int(longestWait.components.seconds) * 1000)

  /// The number of short reads at the same time.
  static let readerCount = max(4, min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  /// How many lists and searches read at a time, so that their many rows leave the other readers free.
  package static let scannerCount = 3

  /// How often an edit is planned before it gives up.
  private static let mostPlans = 10

  /// How many times as long as others usually wait at most they wait for edits of several domains, all together.
  private static let longestWaits = 6
  /// The same for what the server itself writes, which no long edit ends for: as long as such an edit may take.
  private static let longestWaitsOfServer = 120

  /// How long a write waits for its turn: for other writes of this process and of others together.
  package static let longestWait = Duration.seconds(5)
  /// The token uses that are not written yet, by token name.
  let tokenUses = Mutex<[String: UnixTime]>([:])
  /// Durations and errors of transactions.
  package let counts = TransactionCounts()
  package let now: @Sendable () -> UnixTime

  /// Whether it refuses every write.
  package let isReadOnly: Bool

  /// Opens a store. Creates a file that does not exist, and migrates the schema if it may.
  ///
  /// - Parameters:
  ///   - location: Where the database is. The directory of a file must exist, and the database of a server.
  ///   - fillingEmpty: Whether an existing file without tables becomes a new database.
  ///   - isReadOnly: Whether nothing is ever written. The schema must be current.
  ///   - upgrades: Whether the database of an earlier version gets the current schema, or is refused.
  ///   - isPatient: Whether a server that cannot be reached now is looked for later, whenever it is needed.
  ///   - now: Returns the current time.
  /// - Throws: `StoreError`.
  package init(
    _ location: DatabaseLocation, fillingEmpty: Bool = false, isReadOnly: Bool = false,
    upgrades: Bool = true, isPatient: Bool = false, now: @escaping @Sendable () -> UnixTime
  ) throws {
    self.isReadOnly = isReadOnly
    self.now = now
    do {
      engine =
        switch location {
        case .file(let path):
          try SQLiteEngine(
            path: path, fillingEmpty: fillingEmpty, isReadOnly: isReadOnly, upgrades: upgrades,
            now: now)
        case .postgreSQL(let address):
          try PostgreSQLEngine(
            address, isReadOnly: isReadOnly, upgrades: upgrades, isPatient: isPatient, now: now)
        }
    } catch let error as SQLError {
      throw StoreError(error)
    }
  }

  /// Runs `body` in a write transaction. When this returns, all of it is on the disk. If `body`
  /// throws, nothing is. Writers take turns, so `body` must be short.
  ///
  /// A dry run takes no turn and no lock: its transaction reads one state, and cannot write.
  ///
  /// - Throws: `StoreError.busy`, other `StoreError`s, and what `body` throws.
  package func write<Result: Sendable>(
    _ context: WriteContext, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    var waitBudget = waitBudget(of: context)
    return try write(context, &waitBudget, body)
  }

  /// Plans an edit, and writes it in a short transaction. While an edit is planned, other edits go on,
  /// except those of the same domain. If the plan is outdated by then, it is made again. On SQLite, others wait while an
  /// edit of several domains is written, and none of them is refused.
  ///
  /// - Parameters:
  ///   - domain: The edited domain; `nil` for several.
  ///   - plan: Makes the plan, given the outdated one.
  ///   - body: Writes the plan.
  /// - Throws: Like `write`, `StoreError.tookTooLong`, and what `plan` throws.
  package func edit<Plan, Result: Sendable>(
    _ context: WriteContext, of domain: DomainName? = nil, plan: (Plan?) throws -> Plan,
    write body: (borrowing Transaction, Plan) throws -> Result
  ) throws -> Result {
    var waitBudget = waitBudget(of: context)
    guard let domain, !context.isDryRun else {
      return try edit(context, &waitBudget, isLong: domain == nil, plan, body)
    }
    return try writeQueue.take(.domain(domain), &waitBudget) {
      try edit(context, &$0, isLong: false, plan, body)
    }
  }

  private func edit<Plan, Result: Sendable>(
    _ context: WriteContext, _ waitBudget: inout WaitBudget, isLong: Bool,
    _ plan: (Plan?) throws -> Plan, _ body: (borrowing Transaction, Plan) throws -> Result
  ) throws -> Result {
    var made: Plan?
    for _ in 1...Self.mostPlans {
      do {
        context.proposed?.reset()
        // What is reused would not be noted again.
        let plan = try plan(context.proposed == nil ? made : nil)
        made = plan
        return try write(context, &waitBudget, isLong: isLong) { try body($0, plan) }
      } catch is Outdated {
      }
    }
    throw StoreError.busy
  }

  /// - Parameter isLong: Whether it may write many domains.
  private func write<Result: Sendable>(
    _ context: WriteContext, _ waitBudget: inout WaitBudget, isLong: Bool = false,
    _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    if isReadOnly { throw StoreError.readOnlyStore(writers: writers()) }
    if context.isDryRun { return try dryRun(context, isLong: isLong, body) }
    context.willWrite()
    return try translatingErrors(.write) {
      try engine.write(writeQueue, &waitBudget, isBulk: isLong) { connection in
        if context.isAbandoned() { throw StoreError.busy }
        let start = ContinuousClock.now
        let longest = self.waitBudget.load(ordering: .relaxed) * Self.longestWaits
        if isLong { writeQueue.takeLong(.database) }
        let transaction = Transaction(connection: connection, context: context, now: now()) {
          isLong && .now - start >= .milliseconds(longest)
            && self.writeQueue.isAwaitedByOthers(.database)
        }
        let result = try body(transaction)
        try transaction.endChange()
        try transaction.announce()
        return result
      }
    }
  }

  /// - Parameter isLong: Whether it may look at many domains, so that short reads must not wait for it.
  private func dryRun<Result: Sendable>(
    _ context: WriteContext, isLong: Bool, _ body: (borrowing Transaction) throws -> Result
  ) throws -> Result {
    try translatingErrors(.read) {
      if let file = replacedFile { throw StoreError.replaced(file) }
      return isLong
        ? try engine.readLong {
          try body(Transaction(connection: $0, context: context, now: now()))
        }
        : try engine.read { try body(Transaction(connection: $0, context: context, now: now())) }
    }
  }

  private func waitBudget(of context: WriteContext) -> WaitBudget {
    let milliseconds = waitBudget.load(ordering: .relaxed)
    let longest = context.isOfServer ? Self.longestWaitsOfServer : Self.longestWaits
    return WaitBudget(
      .milliseconds(milliseconds), free: .milliseconds(milliseconds * longest),
      isOfServer: context.isOfServer, isAbandoned: context.isAbandoned)
  }

  /// Runs `body` in a transaction that sees one state.
  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try engine.read(body) }
  }

  /// Runs `body` in a transaction that sees one state, of what is about to be written.
  func readToWrite<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) {
      try engine.withFreeWriter { try $0.transaction(.read, body) } ?? engine.read(body)
    }
  }

  /// Runs `body`, which goes through many domains, in a transaction that sees one state.
  func scan<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try engine.scan(body) }
  }

  /// Runs `body`, which must run a single statement about tokens, without a transaction.
  func authenticate<Result: Sendable>(
    _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try translatingErrors(.read) {
      try engine.withFreeWriter(body) ?? engine.authenticate(body)
    }
  }

  /// Runs a long `body` in a transaction that sees one state, on a separate connection.
  func readLong<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result {
    try translatingErrors(.read) { try engine.readLong(body) }
  }

  /// Runs `body` in a transaction that sees one state, on the connection for documents to serve.
  ///
  /// - Parameter short: Tried first; `nil` if it would take long.
  func follow<Result: Sendable>(
    short: ((any Connection) throws -> Result?)? = nil,
    _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try translatingErrors(.follow) {
      let result = try short.flatMap { short in
        try engine.withFreeWriter { try $0.transaction(.read, short) } ?? nil
      }
      return try result ?? engine.follow(body)
    }
  }

  /// Starts to listen for commits of other processes; `nil` if the engine does not tell of them.
  ///
  /// - Throws: `StoreError`.
  package func listen() throws -> (any Notices)? {
    do {
      return try engine.listen()
    } catch let error as SQLError {
      throw StoreError(error)
    }
  }

  func translatingErrors<Result>(
    _ kind: TransactionCounts.Kind, _ body: () throws -> Result
  ) throws -> Result {
    try counts.time(kind) {
      do {
        return try body()
      } catch let error as SQLError {
        throw StoreError(error)
      } catch let error as UnreadableColumn {
        throw StoreError.database(.damaged, detail: "a column has the value \"\(error.text)\"")
      }
    }
  }
}

extension Store {
  /// The path of a file of the database that was deleted or replaced while the store has it open; `nil`
  /// normally. Then edits are refused, and reading continues from the file that is still open.
  package var replacedFile: String? { engine.replacedFile }

  /// Saves what the store has open, even if its files were deleted or replaced, beside the database.
  ///
  /// - Returns: The path of the new file, which `Backup.restore` accepts; `nil` for a database that is no file.
  /// - Throws: `BackupError`.
  package func rescue() throws -> String? { try engine.rescue(now: now()) }

  /// Whether the disk has room for a few edits, as far as it can be known.
  package var hasRoom: Bool { engine.hasRoom }

  /// The sizes of the database's files in bytes, by word; none for a database of a server.
  package var fileSizes: [(file: String, bytes: Int)] { engine.fileSizes }

  /// Does what the database needs from time to time, without blocking writers. Call it regularly, so that no
  /// edit has to wait for it.
  ///
  /// - Throws: `StoreError`.
  package func maintain() throws {
    try translatingErrors(.checkpoint) { try engine.maintain() }
  }

  /// Makes the next start and copies fast, as far as readers in other processes allow. Call it at the end.
  ///
  /// - Throws: `StoreError`.
  package func tidyUp() throws {
    var waitBudget = waitBudget(of: .ofServer)
    try translatingErrors(.checkpoint) { try engine.tidyUp(writeQueue, &waitBudget) }
  }

  /// Sets how long writes wait for their turn, instead of `longestWait`. Limits the duration of a
  /// shutdown.
  package func setLockTimeout(milliseconds: Int) {
    waitBudget.store(milliseconds, ordering: .relaxed)
  }
}
