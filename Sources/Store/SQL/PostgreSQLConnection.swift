import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server.
///
/// Statements are not prepared, so that a pooler may give each transaction another connection of its own.
package final class PostgreSQLConnection: Connection {
  private let handle: OpaquePointer
  /// The number of rows that the last statement changed.
  package private(set) var changes = 0

  /// What an address does not say itself: nothing waits forever for a server that does not answer.
  private static let defaults = [
    "connect_timeout": "5", "tcp_user_timeout": "10000", "keepalives_idle": "10",
    "keepalives_interval": "3", "keepalives_count": "3", "application_name": "aasa",
  ]

  /// Connects.
  ///
  /// - Throws: `SQLError`.
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
    self.handle = handle
  }

  deinit { PQfinish(handle) }

  /// The engine.
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
    [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(handle))
  }

  /// Whether a transaction can begin, as far as can be seen without asking the server.
  package var isUsable: Bool {
    let isThere = PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
    // A pooler may pass on notices that another connection listens to. Nobody would take them here.
    _ = takeNotices()
    return isThere && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Runs a script of statements without parameters, and ignores their rows.
  ///
  /// - Throws: `SQLError`.
  package func execute(_ script: String) throws(SQLError) {
    let result = PQexec(handle, script)
    defer { PQclear(result) }
    try check(result, script)
  }

  /// Begins a transaction.
  ///
  /// - Throws: `SQLError`.
  package func begin(_ kind: TransactionKind) throws {
    switch kind {
    case .read: try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    // Nobody waits forever for a lock, or for a program that stands still in the middle of a transaction.
    case .write:
      try execute(
        """
        BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL lock_timeout = '5s';
        SET LOCAL idle_in_transaction_session_timeout = '15s'
        """)
    // The number stands for aasa among the users of a database.
    case .schema: try execute("BEGIN; SELECT pg_advisory_xact_lock(1633776481)")
    }
  }

  /// Runs one statement and calls `row` with each row.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func run(
    _ sql: String, _ values: [Value], row: (borrowing Row) throws -> Void
  ) throws {
    let result = Parameters.with(values) { types, addresses, lengths, formats in
      PQexecParams(
        handle, Self.numbered(sql), Int32(values.count), types, addresses, lengths, formats, 1)
    }
    defer { PQclear(result) }
    try check(result, sql)
    changes = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    guard let result, PQresultStatus(result) == PGRES_TUPLES_OK else { return }
    for index in 0..<PQntuples(result) { try row(Row(.postgreSQL(result, index))) }
  }

  private func check(_ result: OpaquePointer?, _ sql: String) throws(SQLError) {
    guard let result else { throw SQLError(.disconnected, connection: handle, sql: sql) }
    let isFine = [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY].contains(
      PQresultStatus(result))
    if !isFine { throw SQLError(result: result, connection: handle, sql: sql) }
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
private enum Parameters {
  /// Calls `body` with the types, addresses, lengths and formats, which are valid until it returns.
  static func with<Result>(
    _ values: [Value],
    _ body: (
      UnsafePointer<Oid>, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>,
      UnsafePointer<Int32>
    ) -> Result
  ) -> Result {
    var bytes: [UInt8] = []
    var offsets: [Int?] = []
    var types: [Oid] = []
    var lengths: [Int32] = []
    var formats: [Int32] = []
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
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { characters in
        // Sound: each offset is within the bytes, which are valid until `body` returns.
        let addresses = offsets.map { offset in
          offset.flatMap { characters.baseAddress?.advanced(by: $0) }
        }
        return body(types, addresses, lengths, formats)
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
