import Association

/// Copies the rows of all tables between databases of any engine with the current schema. What belongs to a
/// database itself stays: its migrations, the servers that run on it, and the sessions of its dashboard.
struct TableCopy {
  fileprivate struct Table {
    let name: String
    let columns: [Column]
    /// Whether a column numbers the rows by itself: its name.
    let counter: String?
  }

  fileprivate struct Column {
    enum Kind { case integer, text, blob }

    let name: String
    let kind: Kind
  }

  /// What was copied of a table. The digest does not depend on the order of rows.
  struct Content: Equatable {
    var rows = 0
    fileprivate var digest = [UInt8](repeating: 0, count: 32)

    fileprivate mutating func add(_ row: [Value]) {
      rows += 1
      for (index, byte) in SHA256.digest(of: row.flatMap(\.canonical)).enumerated() {
        digest[index] ^= byte
      }
    }
  }

  /// How much is written with one statement.
  private enum Batch {
    static let values = 8000
    static let bytes = 1 << 20
  }

  /// Referenced tables come before those that refer to them.
  private let tables: [Table]

  /// Reads the tables of the current schema.
  init() throws {
    let connection = try SQLiteConnection(path: ":memory:", mode: .create)
    try Migrator.migrate(connection, now: 0)
    let own = ["migration"] + Backup.ofServers
    var waiting = try connection.all(
      """
      SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
      ORDER BY name
      """
    ) { (name: $0.text(0), sql: $0.text(1)) }.filter { !own.contains($0.name) }
    var tables: [Table] = []
    while !waiting.isEmpty {
      let ready = try waiting.filter { table in
        let references = try connection.all(
          "SELECT \"table\" FROM pragma_foreign_key_list(?)", [.text(table.name)]
        ) { $0.text(0) }
        return references.allSatisfy { reference in
          reference == table.name || tables.contains { $0.name == reference }
        }
      }
      // Tables that refer to each other in a circle would have no order; there are none.
      if ready.isEmpty { throw BackupError.otherSchema("", objects: waiting.map(\.name)) }
      for (name, _) in ready {
        var counter: String?
        let columns = try connection.all(
          "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", [.text(name)]
        ) { row in
          let kind: Column.Kind =
            switch row.text(1) {
            case "INTEGER": .integer
            case "BLOB": .blob
            default: .text
            }
          if row.int(2) == 1 && kind == .integer { counter = row.text(0) }
          return Column(name: row.text(0), kind: kind)
        }
        let keys = try connection.count(
          "SELECT count(*) FROM pragma_table_info(?) WHERE pk > 0", [.text(name)])
        tables.append(Table(name: name, columns: columns, counter: keys == 1 ? counter : nil))
      }
      waiting.removeAll { table in ready.contains { $0.name == table.name } }
    }
    self.tables = tables
  }

  /// The tables with what they contain, in a transaction of the caller.
  func contents(
    of connection: any Connection, _ progress: BackupProgress
  ) throws -> [String: Content] {
    var contents: [String: Content] = [:]
    var rows = try RowProgress("Comparing rows", of: tables, in: connection)
    for table in tables {
      var content = Content()
      try connection.stream(table.selection) { row in
        content.add(table.values(row))
        rows.add(progress)
      }
      contents[table.name] = content
    }
    return contents
  }

  /// Deletes all rows, in a transaction of the caller.
  func clear(_ connection: any Connection) throws {
    for table in tables.reversed() { try connection.run("DELETE FROM \"\(table.name)\"") }
  }

  /// Copies all rows into empty tables, each side in a transaction of the caller. Numbers of rows go on from
  /// those of both.
  ///
  /// - Returns: What was read.
  /// - Throws: `SQLError`.
  func copy(
    from source: any Connection, to target: any Connection, _ progress: BackupProgress
  ) throws -> [String: Content] {
    var contents: [String: Content] = [:]
    var rows = try RowProgress("Copying rows", of: tables, in: source)
    for table in tables {
      var content = Content()
      var batch: [Value] = []
      var bytes = 0
      try source.stream(table.selection) { row in
        let values = table.values(row)
        content.add(values)
        rows.add(progress)
        batch += values
        bytes += values.reduce(0) { $0 + $1.bytes }
        if batch.count >= Batch.values || bytes >= Batch.bytes {
          try table.insert(batch, into: target)
          (batch, bytes) = ([], 0)
        }
      }
      try table.insert(batch, into: target)
      contents[table.name] = content
      try table.continueNumbers(of: source, in: target)
    }
    return contents
  }
}

/// How many of all rows were read.
private struct RowProgress {
  private let work: String
  private let total: Int
  private var done = 0

  init(_ work: String, of tables: [TableCopy.Table], in connection: any Connection) throws {
    self.work = work
    total = try tables.reduce(0) { total, table in
      try total + (connection.count("SELECT count(*) FROM \"\(table.name)\""))
    }
  }

  mutating func add(_ progress: BackupProgress) {
    done += 1
    if done.isMultiple(of: 1000) { progress(work, done * 100 / max(1, total)) }
  }
}

extension TableCopy.Table {
  fileprivate var selection: String {
    "SELECT \(columns.map { "\"\($0.name)\"" }.joined(separator: ", ")) FROM \"\(name)\""
  }

  fileprivate func values(_ row: borrowing Row) -> [Value] {
    columns.enumerated().map { index, column in
      let index = Int32(index)
      return switch column.kind {
      case .integer: .optional(row.optionalInteger(index))
      case .text: .optional(row.optionalText(index))
      case .blob: row.isNull(index) ? .null : .blob(row.blob(index))
      }
    }
  }

  fileprivate func insert(_ values: [Value], into target: any Connection) throws {
    if values.isEmpty { return }
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
    let rows = Array(repeating: row, count: values.count / columns.count).joined(separator: ", ")
    try target.run("INSERT INTO \"\(name)\" (\(names)) VALUES \(rows)", values)
  }

  /// No number that was given before is given again.
  fileprivate func continueNumbers(
    of source: any Connection, in target: any Connection
  ) throws {
    guard let counter else { return }
    let last = max(try lastNumber(counter, source), try lastNumber(counter, target))
    switch target.dialect {
    case .sqlite:
      // Only tables that never give a number again have a row there, once they have had one.
      try target.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(name)])
      try target.run(
        """
        INSERT INTO sqlite_sequence (name, seq) SELECT name, ?1 FROM sqlite_schema
        WHERE name = ?2 AND sql LIKE '%AUTOINCREMENT%' AND ?1 > 0
        """, [.integer(last), .text(name)])
    case .postgreSQL:
      guard last > 0 else { return }
      try target.run(
        "SELECT setval(pg_get_serial_sequence(?, ?), ?) WHERE pg_get_serial_sequence(?1, ?2) IS NOT NULL",
        [.text(name), .text(counter), .integer(last)])
    }
  }

  private func lastNumber(_ counter: String, _ connection: any Connection) throws -> Int64 {
    let highest = try connection.number("SELECT max(\"\(counter)\") FROM \"\(name)\"")
    let given: Int64?
    switch connection.dialect {
    case .sqlite:
      given = try connection.number("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(name)])
    case .postgreSQL:
      given = try connection.number(
        "SELECT pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass)",
        [.text(name), .text(counter)])
    }
    return max(highest ?? 0, given ?? 0)
  }
}

extension Value {
  /// Bytes that differ for different values, whatever comes after them.
  fileprivate var canonical: [UInt8] {
    switch self {
    case .null, .nullText, .nullInteger: [0]
    case .integer(let number): [1] + Self.bytes(of: number)
    case .text(let text): [2] + Self.bytes(of: Int64(text.utf8.count)) + Array(text.utf8)
    case .blob(let blob): [3] + Self.bytes(of: Int64(blob.count)) + blob
    }
  }

  /// Its size, roughly.
  var bytes: Int {
    switch self {
    case .null, .nullText, .nullInteger, .integer: 8
    case .text(let text): text.utf8.count
    case .blob(let blob): blob.count
    }
  }

  private static func bytes(of number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
