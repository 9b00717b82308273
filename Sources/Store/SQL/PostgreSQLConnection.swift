import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server.
///
/// Statements that are repeated are prepared, unless a pooler may give each transaction another connection of its
/// own.
package final class PostgreSQLConnection: Connection {
  private let handle: OpaquePointer
  /// Whether no pooler is in between. One that is tells the number of another process than the one that answers.
  private let isDirect: Bool
  private var statements: [Statement: Statement.State] = [:]
  private var preparedCount = 0
  /// Whether the transaction sends statements without waiting for their results.
  package private(set) var isPipelining = false
  /// What the sequences of tables have given to the transaction, and it has not used.
  private var newIDs: [String: ArraySlice<Int64>] = [:]
  private var mayNotTakeIDs = false
  /// Rows that are still to be sent, by their INSERT.
  private var rows: [(insertion: Insertion, values: [[Value]])] = []
  /// The size of these rows, roughly.
  private var rowBytes = 0
  /// What is to be sent after them.
  private var updates: [(sql: String, values: [Value])] = []
  /// The statements whose results have not been read.
  private var pending: [String] = []
  /// An error of such a statement, for the next one to throw.
  private var failure: SQLError?
  private var lastChanges = 0

  /// What an address does not say itself: nothing waits forever for a server that does not answer.
  private static let defaults = [
    "connect_timeout": "5", "tcp_user_timeout": "10000", "keepalives_idle": "10",
    "keepalives_interval": "3", "keepalives_count": "3", "application_name": "aasa",
  ]

  package init(_ address: PostgreSQLAddress) throws(SQLError) {
    // What comes later in the list takes precedence.
    let words = Self.defaults.map { ($0.key, $0.value) } + [("dbname", address.text)]
    let (names, values) = (words.map { strdup($0.0) }, words.map { strdup($0.1) })
    defer { for word in names + values { free(word) } }
    // Sound: libpq only reads the strings, during the call.
    let handle = PQconnectdbParams(
      names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    guard let handle else {
      throw SQLError(.other, code: "53200", message: "there is not enough memory")
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      let error = SQLError(connecting: handle)
      PQfinish(handle)
      throw error
    }
    // Notices would go to stderr.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    isDirect = Self.isDirect(handle)
    self.handle = handle
    // Compiling a statement takes longer than running it for a list. A pooler would keep the setting for others.
    if isDirect && serverVersion >= 110_000 { try execute("SET jit = off") }
  }

  deinit { PQfinish(handle) }

  private static func isDirect(_ handle: OpaquePointer) -> Bool {
    let result = PQexec(handle, "SELECT pg_backend_pid()")
    defer { PQclear(result) }
    return PQgetvalue(result, 0, 0).flatMap { Int32(String(cString: $0)) } == PQbackendPID(handle)
  }

  package var dialect: Dialect { .postgreSQL }

  /// The version of the server as a number, such as 150004.
  package var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// The encoding of the database, such as `UTF8`.
  package var encoding: String {
    PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? ""
  }

  /// Waits until another connection sends a notice on a channel that this one listens to, and takes all that
  /// have come.
  ///
  /// - Returns: Whether one came in time.
  /// - Throws: `SQLError` if the connection is gone.
  package func waitForNotice(milliseconds: Int32) throws(SQLError) -> Bool {
    if takeNotices() { return true }
    var poll = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    _ = Glibc.poll(&poll, 1, milliseconds)
    guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
      throw SQLError(.disconnected, connection: handle)
    }
    return takeNotices()
  }

  private func takeNotices() -> Bool {
    var hasAny = false
    while let notice = PQnotifies(handle) {
      PQfreemem(notice)
      hasAny = true
    }
    return hasAny
  }

  /// Whether a transaction has begun and not ended.
  package var isInTransaction: Bool {
    !pending.isEmpty || [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(handle))
  }

  /// Whether a transaction can begin, as far as can be seen without asking the server.
  package var isUsable: Bool {
    // Of a connection that the server has closed, the first call may only read why.
    let isThere =
      PQconsumeInput(handle) == 1 && PQconsumeInput(handle) == 1
      && PQstatus(handle) == CONNECTION_OK
    // A pooler may pass on notices that another connection listens to. Nobody would take them here.
    _ = takeNotices()
    return isThere && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Runs a script of statements without parameters, and ignores their rows.
  package func execute(_ script: String) throws(SQLError) {
    try sendRows()
    try settle()
    let result = PQexec(handle, script)
    defer { PQclear(result) }
    try check(result, script)
  }

  /// Begins a transaction.
  ///
  /// - Throws: `SQLError`.
  package func begin(_ kind: TransactionKind) throws {
    isPipelining = false
    // A restore sets sequences back.
    (newIDs, mayNotTakeIDs, rows, rowBytes, updates) = ([:], false, [], 0, [])
    let withoutJIT = isDirect ? "" : "; SET LOCAL jit = off"
    switch kind {
    case .read: try execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + withoutJIT)
    // Nobody waits forever for a lock, or for a program that stands still in the middle of a transaction.
    case .write, .bulk:
      // What one transaction writes is found by an index. Plans that were made for empty tables would not use it, and
      // they stay when the tables grow.
      let level = kind == .write ? "SERIALIZABLE" : "READ COMMITTED"
      try execute(
        """
        BEGIN ISOLATION LEVEL \(level); SET LOCAL lock_timeout = '5s';
        SET LOCAL idle_in_transaction_session_timeout = '15s'
        """ + (isDirect ? "; SET LOCAL enable_seqscan = off" : withoutJIT))
      isPipelining = kind == .bulk && isDirect
    // The number stands for aasa among the users of a database.
    case .schema: try execute("BEGIN; SELECT pg_advisory_xact_lock(1633776481)")
    }
  }

  /// Runs ANALYZE on tables that have more than doubled, as after a large edit. Until autovacuum does so, PostgreSQL
  /// scans whole tables for the rows of a hundred domains. Only the owner of a table can.
  package func analyzeGrownTables() {
    do {
      let grown = try all(
        """
        SELECT CAST(CAST(oid AS regclass) AS text) FROM pg_class
        WHERE relkind = 'r' AND pg_has_role(relowner, 'USAGE')
          AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
          AND pg_relation_size(oid) > 2 * 8192 * GREATEST(relpages, 50)
        """
      ) { $0.text(0) }
      // One by one, so that the statement timeout applies to each; without waiting for another VACUUM.
      for table in grown { try execute("ANALYZE (SKIP_LOCKED) " + table) }
    } catch {
      // Nothing that was written depends on it.
    }
  }

  /// A statement with the types of its values.
  private struct Statement: Hashable {
    let sql: String
    let types: [Oid]

    enum State {
      /// It has been run once.
      case known
      case prepared(name: String)
    }

    /// The number of statements that are remembered. Those with filters have many forms.
    static let most = 500
  }

  /// The name of the prepared statement; `nil` for one that is not repeated.
  private func prepared(_ sql: String, _ types: [Oid]) throws(SQLError) -> String? {
    if !isDirect { return nil }
    let statement = Statement(sql: sql, types: types)
    switch statements[statement] {
    case .prepared(let name): return name
    case .known:
      try settle()
      preparedCount += 1
      let name = "aasa\(preparedCount)"
      let result = PQprepare(handle, name, Self.numbered(sql), Int32(types.count), types)
      defer { PQclear(result) }
      try check(result, sql)
      statements[statement] = .prepared(name: name)
      return name
    case nil:
      if statements.count < Statement.most { statements[statement] = .known }
      return nil
    }
  }

  /// Runs one statement and calls `row` with each row.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func run(
    _ sql: String, _ values: [Value], row: (borrowing Row) throws -> Void
  ) throws {
    // What failed is undone, whatever it was.
    let isUndoing = sql.hasPrefix("ROLLBACK")
    if isUndoing { (rows, rowBytes, updates) = ([], 0, []) } else { try sendRows() }
    if let failure = settled(), !isUndoing { throw failure }
    let parameters = Parameters(values)
    let name = try prepared(sql, parameters.types)
    let result = parameters.withAddresses { addresses in
      if let name {
        PQexecPrepared(
          handle, name, Int32(values.count), addresses, parameters.lengths, parameters.formats, 1)
      } else {
        PQexecParams(
          handle, Self.numbered(sql), Int32(values.count), parameters.types, addresses,
          parameters.lengths, parameters.formats, 1)
      }
    }
    defer { PQclear(result) }
    try check(result, sql)
    lastChanges = Self.changes(result)
    guard let result, PQresultStatus(result) == PGRES_TUPLES_OK else { return }
    for index in 0..<PQntuples(result) { try row(Row(.postgreSQL(result, index))) }
  }

  /// Runs one statement, and ignores its rows. In a bulk transaction, it does not wait for the result of a statement
  /// that writes.
  ///
  /// - Throws: `SQLError`, also of an earlier such statement.
  package func submit(_ sql: String, _ values: [Value]) throws {
    // Of other statements, the result may be so long that the server waits until it is read.
    let writes = ["INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
    guard isPipelining, writes else { return try run(sql, values) { _ in } }
    try sendRows()
    try send(sql, values)
  }

  package func insert(_ insertion: Insertion, _ values: [Value]) throws {
    guard isPipelining else { return try submit(insertion.sql, values) }
    let place = rows.firstIndex { $0.insertion == insertion } ?? rows.count
    if place == rows.count { rows.append((insertion, [])) }
    rows[place].values.append(values)
    rowBytes += values.reduce(0) { $0 + $1.bytes }
    if rows[place].values.count == Self.mostRows || rowBytes > Self.mostRowBytes { try sendRows() }
  }

  package func update(_ sql: String, _ values: [Value]) throws {
    guard isPipelining else { return try submit(sql, values) }
    updates.append((sql, values))
    if updates.count == 4 * Self.mostRows { try sendRows() }
  }

  /// PostgreSQL reads the constraints of a table for each statement, which takes longer than a row.
  private static let mostRows = 64
  private static let mostRowBytes = 1_000_000

  private func sendRows() throws(SQLError) {
    let rows = rows.sorted { $0.insertion.depth < $1.insertion.depth }
    (self.rows, rowBytes) = ([], 0)
    for (insertion, values) in rows {
      // With more than one, there would be too many forms to prepare.
      try send(
        insertion.sql(rows: values.count), values.flatMap(\.self), isRepeated: values.count == 1)
    }
    let updates = updates
    self.updates = []
    for (sql, values) in updates { try send(sql, values) }
  }

  private func send(
    _ sql: String, _ values: [Value], isRepeated: Bool = true
  ) throws(SQLError) {
    if pending.count == Self.mostPending { try settle() }
    let parameters = Parameters(values)
    let name = isRepeated ? try prepared(sql, parameters.types) : nil
    if PQpipelineStatus(handle) == PQ_PIPELINE_OFF && PQenterPipelineMode(handle) != 1 {
      throw SQLError(.disconnected, connection: handle, sql: sql)
    }
    let isSent = parameters.withAddresses { addresses in
      if let name {
        PQsendQueryPrepared(
          handle, name, Int32(values.count), addresses, parameters.lengths, parameters.formats, 1)
      } else {
        PQsendQueryParams(
          handle, Self.numbered(sql), Int32(values.count), parameters.types, addresses,
          parameters.lengths, parameters.formats, 1)
      }
    }
    if isSent != 1 { throw SQLError(.disconnected, connection: handle, sql: sql) }
    pending.append(sql)
  }

  package func add(_ insertion: Insertion, _ values: [Value]) throws -> Int64 {
    try number(insertion.sql + " RETURNING id", values) ?? 0
  }

  /// Takes many at a time; what is left of them is never used. A role that may not use the sequences gets none.
  package func newID(in table: String) throws -> Int64? {
    if !isPipelining || mayNotTakeIDs { return nil }
    if let next = newIDs[table]?.popFirst() { return next }
    var ids = try all(
      """
      SELECT nextval(sequence) FROM pg_get_serial_sequence(?, 'id') AS sequence, generate_series(1, ?)
      WHERE has_sequence_privilege(sequence, 'USAGE')
      """, [.text(table), .integer(Self.mostNewIDs)]
    ) { $0.integer(0) }[...]
    let first = ids.popFirst()
    newIDs[table] = ids
    mayNotTakeIDs = first == nil
    return first
  }

  private static let mostNewIDs = 500

  /// The number of statements that are sent without reading results: these fit into the buffers of a socket.
  private static let mostPending = 200

  /// Reads the results of all statements that were sent, and returns the first error among them.
  private func settled() -> SQLError? {
    var failed = failure
    failure = nil
    if !pending.isEmpty {
      PQpipelineSync(handle)
      for sql in pending {
        let result = PQgetResult(handle)
        defer { PQclear(result) }
        // After an error, the server skips the others.
        if failed == nil {
          failed = error(result, sql)
          lastChanges = Self.changes(result)
        }
        while let more = PQgetResult(handle) { PQclear(more) }
      }
      // The end of the pipeline.
      PQclear(PQgetResult(handle))
      pending = []
    }
    if PQpipelineStatus(handle) != PQ_PIPELINE_OFF { PQexitPipelineMode(handle) }
    return failed
  }

  private func settle() throws(SQLError) {
    if let failure = settled() { throw failure }
  }

  /// The number of rows that the last statement changed.
  package var changes: Int {
    failure = settled()
    return lastChanges
  }

  private static func changes(_ result: OpaquePointer?) -> Int {
    PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  private func check(_ result: OpaquePointer?, _ sql: String) throws(SQLError) {
    if let error = error(result, sql) { throw error }
  }

  private func error(_ result: OpaquePointer?, _ sql: String) -> SQLError? {
    guard let result else { return SQLError(.disconnected, connection: handle, sql: sql) }
    let isFine = [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY].contains(
      PQresultStatus(result))
    if isFine { return nil }
    let error = SQLError(result: result, connection: handle, sql: sql)
    // A prepared statement may no longer fit the tables: feature_not_supported, invalid_sql_statement_name.
    if ["0A000", "26000"].contains(error.code) { statements = [:] }
    return error
  }

  /// `$1`, `$2` and so on instead of `?` or `?1`, outside of quotes.
  static func numbered(_ sql: String) -> String {
    var numbered: [UInt8] = []
    var (count, isQuoted) = (0, false)
    var rest = Array(sql.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      guard byte == UInt8(ascii: "?"), !isQuoted else {
        numbered.append(byte)
        continue
      }
      numbered.append(UInt8(ascii: "$"))
      if let next = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { continue }
      count += 1
      numbered += Array(String(count).utf8)
    }
    return String(decoding: numbered, as: UTF8.self)
  }
}

/// Values as libpq takes them. Numbers and texts go as text, bytes as they are.
private struct Parameters {
  private(set) var types: [Oid] = []
  private(set) var lengths: [Int32] = []
  private(set) var formats: [Int32] = []
  private var bytes: [UInt8] = []
  /// Where each value begins in `bytes`; `nil` for NULL.
  private var offsets: [Int?] = []

  init(_ values: [Value]) {
    for value in values {
      let start = bytes.count
      switch value {
      case .null, .nullText, .nullInteger:
        types.append(value.nullType)
        formats.append(0)
      case .integer(let number):
        bytes += Array(String(number).utf8)
        types.append(20)
        formats.append(0)
      case .text(let text):
        bytes += PostgreSQLText.stored(text)
        types.append(25)
        formats.append(0)
      case .blob(let blob):
        bytes += blob
        types.append(17)
        formats.append(1)
      }
      offsets.append(value.isNull ? nil : start)
      lengths.append(Int32(clamping: bytes.count - start))
      bytes.append(0)
    }
  }

  /// Calls `body` with the addresses of the values, which are valid until it returns.
  func withAddresses<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        // Sound: each offset is within the bytes, which are valid until `body` returns.
        body(offsets.map { offset in offset.flatMap { characters.baseAddress?.advanced(by: $0) } })
      }
    }
  }
}

extension Value {
  fileprivate var nullType: Oid {
    switch self {
    case .nullText: 25
    case .nullInteger: 20
    default: 0
    }
  }
}
