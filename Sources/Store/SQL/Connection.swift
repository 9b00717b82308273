/// An open database, for one thread at a time.
package protocol Connection: AnyObject {
  /// Which engine it is, for SQL that the engines spell differently.
  var dialect: Dialect { get }

  /// Runs a script of statements without parameters, and ignores their rows.
  func execute(_ script: String) throws(SQLError)

  /// Runs one statement and calls `row` with each row. Its parameters are `?`, or `?1`, `?2` and so on.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  func run(_ sql: String, _ values: [Value], row: (borrowing Row) throws -> Void) throws

  /// Runs one statement, and ignores its rows. In a bulk transaction, its error may be thrown by a later statement,
  /// at the latest by COMMIT.
  func submit(_ sql: String, _ values: [Value]) throws

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  var changes: Int { get }

  /// Whether a transaction has begun and not ended.
  var isInTransaction: Bool { get }

  /// The statement that begins a transaction.
  func begin(_ kind: TransactionKind) throws

  /// Adds a row. A pipelining transaction collects the rows of each INSERT, and sends them in the order of their
  /// depth before the next statement that is neither an `insert` nor an `update`.
  func insert(_ insertion: Insertion, _ values: [Value]) throws

  /// Adds a row at once, and returns its `id`.
  ///
  /// - Throws: `SQLError`.
  func add(_ insertion: Insertion, _ values: [Value]) throws -> Int64

  /// Changes rows in a way that no INSERT depends on. A pipelining transaction sends these after the INSERTs that it has
  /// collected.
  ///
  /// - Throws: `SQLError`.
  func update(_ sql: String, _ values: [Value]) throws

  /// Whether it is in a transaction that sends statements without waiting for their results.
  var isPipelining: Bool { get }

  /// An `id` for a new row of a table, taken before the INSERT, so that the transaction need not wait for it. Returns
  /// `nil` outside of a pipeline, and for a role that may not use the table's sequence.
  ///
  /// - Throws: `SQLError`.
  func newID(in table: String) throws -> Int64?
}

/// An INSERT of rows with parameters.
package struct Insertion: Sendable, Hashable {
  /// The length of the longest chain of foreign keys above a row: rows with a lower depth must be sent first.
  package let depth: Int
  private let head: String
  private let row: String
  private let tail: String
  /// The statement for one row.
  package let sql: String

  /// - Parameters:
  ///   - parameters: SQL for the value of each column, with one `?`.
  ///   - tail: SQL after the rows.
  package init(
    into table: String, depth: Int, _ columns: [String], _ parameters: [String]? = nil,
    tail: String = ""
  ) {
    self.depth = depth
    head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    row = "(\((parameters ?? columns.map { _ in "?" }).joined(separator: ", ")))"
    self.tail = tail.isEmpty ? "" : " " + tail
    sql = head + row + self.tail
  }

  /// The statement for some rows.
  package func sql(rows: Int) -> String {
    rows == 1 ? sql : head + repeatElement(row, count: rows).joined(separator: ", ") + tail
  }
}

package enum TransactionKind: Sendable {
  /// Reads one consistent state.
  case read
  /// Nothing that it has read is stale when it commits.
  case write
  /// Writes many rows. What it has read is only current when it commits if it has locked the rows. In return,
  /// others' transactions that touch other rows do not end it.
  case bulk
  /// Changes the schema, alone.
  case schema
}

/// An engine, for SQL that the engines spell differently.
package enum Dialect: Sendable {
  case sqlite, postgreSQL
}

/// What a transaction does with rows that it locks until it ends. Any number may use a row, or one may change it.
package enum RowLock: String, Sendable {
  case use = "SHARE"
  case change = "NO KEY UPDATE"
}

extension Connection {
  /// The end of a SELECT that locks rows of a table. Nothing for SQLite, where one transaction writes at a time.
  package func lock(_ lock: RowLock, of table: String) -> String {
    dialect == .postgreSQL ? "FOR \(lock.rawValue) OF \(table)" : ""
  }

  /// The end of a condition that a number is one of these, which are the first parameter.
  package func isOne(of ids: [Int64]) -> (sql: String, ids: Value) {
    if ids.count == 1 { return ("= ?1", .integer(ids[0])) }
    let list = ids.map(String.init).joined(separator: ",")
    return dialect == .postgreSQL
      ? ("= ANY(CAST(?1 AS BIGINT[]))", .text("{\(list)}"))
      : ("IN (SELECT each.value FROM json_each(?1) AS each)", .text("[\(list)]"))
  }

  /// The same as `submit`.
  ///
  /// - Throws: `SQLError`.
  package func run(_ sql: String, _ values: [Value] = []) throws {
    try submit(sql, values)
  }

  /// Runs one statement without parameters.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func run(_ sql: String, row: (borrowing Row) throws -> Void) throws {
    try run(sql, [], row: row)
  }

  /// Runs one statement and maps each row.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func all<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    try run(sql, values) { elements.append(try row($0)) }
    return elements
  }

  /// Runs one statement and maps its only row; `nil` without a row.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func first<Element>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Row) throws -> Element
  ) throws -> Element? {
    var element: Element?
    try run(sql, values) { element = try row($0) }
    return element
  }

  /// The number in the first column of the only row; `nil` without a row.
  package func number(_ sql: String, _ values: [Value] = []) throws -> Int64? {
    try first(sql, values) { $0.integer(0) }
  }

  /// The same for a number of rows; 0 without a row.
  package func count(_ sql: String, _ values: [Value] = []) throws -> Int {
    try first(sql, values) { $0.int(0) } ?? 0
  }

  /// Whether there is a row.
  package func has(_ sql: String, _ values: [Value] = []) throws -> Bool {
    try first(sql, values) { _ in true } ?? false
  }

  /// Runs a SELECT with many rows in a transaction, without having all of them in memory.
  ///
  /// - Throws: `SQLError`, and what `row` throws.
  package func stream(_ select: String, row: (borrowing Row) throws -> Void) throws {
    guard dialect == .postgreSQL else { return try run(select, row: row) }
    try run("DECLARE stream NO SCROLL CURSOR FOR " + select)
    var count = 500
    while count == 500 {
      count = 0
      try run("FETCH 500 FROM stream") {
        count += 1
        try row($0)
      }
    }
    try run("CLOSE stream")
  }

  /// Runs `body` in a transaction: commits it afterwards, or rolls it back if `body` throws.
  ///
  /// - Throws: `SQLError`, and what `body` throws.
  package func transaction<Result>(
    _ kind: TransactionKind, _ body: (any Connection) throws -> Result
  ) throws -> Result {
    try begin(kind)
    return try finish(after: body)
  }

  /// Runs `body` in the transaction that has begun, and ends it like `transaction`.
  ///
  /// - Throws: `SQLError`, and what `body` throws.
  package func finish<Result>(
    after body: (any Connection) throws -> Result
  ) throws -> Result {
    do {
      let result = try body(self)
      try run("COMMIT")
      return result
    } catch {
      // After some errors, such as a full disk, the engine has already rolled back.
      if isInTransaction { try run("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body`, which may violate a constraint, in a transaction that goes on after that, unless it pipelines.
  ///
  /// - Throws: `SQLError`, and what `body` throws.
  package func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    // SQLite undoes only the statement. In a pipeline, any error ends the transaction, so a savepoint would not help.
    if dialect == .sqlite || isPipelining { return try body() }
    try run("SAVEPOINT attempt")
    do {
      let result = try body()
      try run("RELEASE attempt")
      return result
    } catch {
      try run("ROLLBACK TO attempt")
      throw error
    }
  }
}
