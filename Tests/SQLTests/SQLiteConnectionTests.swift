import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct SQLiteTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("test.db") }

  init() throws { directory = try TemporaryDirectory() }

  /// A connection to a database with a table of each kind of value.
  private func open(busyMilliseconds: Int32 = 5000) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path: path, mode: .create, busyMilliseconds: busyMilliseconds)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT;
      CREATE TABLE IF NOT EXISTS child (
        parent_id INTEGER NOT NULL REFERENCES parent, number INTEGER CHECK (number > 0)
      ) STRICT;
      CREATE TABLE IF NOT EXISTS thing (text TEXT, bytes BLOB, number INTEGER) STRICT;
      """)
    return connection
  }

  /// The kind of the error that `body` throws.
  private func kind(_ body: () throws -> Void) throws -> SQLError.Kind? {
    do {
      try body()
      return nil
    } catch let error as SQLError {
      #expect(!error.message.isEmpty)
      return error.kind
    }
  }

  @Test func aConnectionDoesNotRememberEachFormOfAQuery() throws {
    let connection = try open()
    for number in 0..<1000 {
      #expect(try connection.number("SELECT \(number)") == Int64(number))
    }
    #expect(connection.statements.count <= 500)
  }

  @Test(arguments: [
    "", "a", "\u{0}", "a\u{0}b\u{0}", "é", "e\u{301}", "日本", "😀", "'; DROP TABLE thing",
  ])
  func textsRoundTrip(text: String) throws {
    let connection = try open()
    try connection.run("INSERT INTO thing (text) VALUES (?)", [.text(text)])
    let back = try connection.first("SELECT text, typeof(text) FROM thing") {
      (Array($0.text(0).utf8), $0.text(1), $0.isNull(0))
    }
    #expect(back?.0 == Array(text.utf8) && back?.1 == "text" && back?.2 == false)
    let found = try connection.all("SELECT 1 FROM thing WHERE text = ?", [.text(text)]) { _ in true
    }
    #expect(found.count == 1)
  }

  @Test(arguments: [[], [0], [0, 1, 0], [0xFF, 0xFE], Array(repeating: 7, count: 1_000_000)])
  func blobsRoundTrip(bytes: [UInt8]) throws {
    let connection = try open()
    try connection.run("INSERT INTO thing (bytes) VALUES (?)", [.blob(bytes)])
    let back = try connection.first("SELECT bytes, typeof(bytes) FROM thing") {
      ($0.blob(0), $0.text(1))
    }
    #expect(back?.0 == bytes && back?.1 == "blob")
  }

  @Test func nullsAndNumbersRoundTrip() throws {
    let connection = try open()
    for number in [Int64.min, -1, 0, Int64.max] {
      try connection.run("DELETE FROM thing")
      try connection.run("INSERT INTO thing VALUES (?, ?, ?)", [.null, .null, .integer(number)])
      try connection.run("SELECT * FROM thing") { row in
        #expect(row.isNull(0) && row.optionalText(0) == nil && row.text(0).isEmpty)
        #expect(row.blob(1).isEmpty && row.integer(2) == number)
        #expect(row.optionalInteger(0) == nil && row.bool(2) == (number != 0))
      }
    }
  }

  @Test func kindsOfErrorsAreDistinguished() throws {
    let connection = try open()
    try connection.run("INSERT INTO parent VALUES (1, 'a')")
    #expect(try kind { try connection.run("INSERT INTO parent VALUES (2, 'a')") } == .unique)
    #expect(try kind { try connection.run("INSERT INTO parent VALUES (1, 'b')") } == .unique)
    #expect(try kind { try connection.run("INSERT INTO child VALUES (9, 1)") } == .foreignKey)
    #expect(try kind { try connection.run("INSERT INTO child VALUES (1, 0)") } == .constraint)
    #expect(try kind { try connection.run("INSERT INTO child VALUES (NULL, 1)") } == .constraint)
    #expect(try kind { try connection.run("SELECT nonsense") } == .other)
    #expect(try kind { try connection.run("") } == .other)
    #expect(try kind { try connection.run("SELECT ?", []) } == .other)
    #expect(try kind { try connection.run("SELECT 1", [.null]) } == .other)
  }

  @Test func anErrorHasTheReasonAndTheCodeButNeitherStatementNorValues() throws {
    let connection = try open()
    try connection.run("INSERT INTO parent VALUES (1, ?)", [.text("secret")])
    do {
      try connection.run("INSERT INTO parent VALUES (2, ?)", [.text("secret")])
      Issue.record("The name is there twice.")
    } catch let error as SQLError {
      #expect(error.description == "UNIQUE constraint failed: parent.name (2067)")
    }
  }

  @Test func aStatementIsReusableAfterAnError() throws {
    let connection = try open()
    let sql = "INSERT INTO parent VALUES (?, ?)"
    try connection.run(sql, [.integer(1), .text("a")])
    #expect(try kind { try connection.run(sql, [.integer(2), .text("a")]) } == .unique)
    #expect(try kind { try connection.run(sql, [.integer(2)]) } == .other)
    try connection.run(sql, [.integer(2), .text("b")])
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.run("SELECT id FROM parent") { _ in throw Stop() }
    }
    let ids = try connection.all("SELECT id FROM parent ORDER BY id") { $0.integer(0) }
    #expect(ids == [1, 2])
  }

  @Test func aTransactionThatThrowsIsRolledBack() throws {
    struct Stop: Error {}
    let connection = try open()
    #expect(throws: Stop.self) {
      try connection.transaction(.write) { connection in
        try connection.run("INSERT INTO parent VALUES (1, 'a')")
        throw Stop()
      }
    }
    #expect(try connection.first("SELECT count(*) FROM parent") { $0.int(0) } == 0)
    try connection.transaction(.write) { try $0.run("INSERT INTO parent VALUES (1, 'a')") }
    #expect(try connection.first("SELECT count(*) FROM parent") { $0.int(0) } == 1)
    #expect(connection.changes == 1)
  }

  @Test func aHeldLockIsBusyForWritersAndReadersGoOn() throws {
    let holder = try open()
    let other = try open(busyMilliseconds: 20)
    try holder.transaction(.write) { holder in
      try holder.run("INSERT INTO parent VALUES (1, 'a')")
      #expect(try kind { try other.transaction(.write) { _ in } } == .busy)
      #expect(try other.first("SELECT count(*) FROM parent") { $0.int(0) } == 0)
    }
    try other.transaction(.write) { try $0.run("INSERT INTO parent VALUES (2, 'b')") }
    #expect(try holder.first("SELECT count(*) FROM parent") { $0.int(0) } == 2)
  }

  @Test func aReadOnlyConnectionCannotWrite() throws {
    _ = try open()
    let reader = try SQLiteConnection(path: path, mode: .readOnly)
    #expect(try kind { try reader.run("INSERT INTO parent VALUES (1, 'a')") } == .readOnly)
    #expect(try reader.first("SELECT count(*) FROM parent") { $0.int(0) } == 0)
  }

  @Test func aMissingOrInvalidBackupIsRefused() throws {
    #expect(
      try kind { _ = try SQLiteConnection(path: directory.path("no.db"), mode: .readOnly) }
        == .cannotOpen)
    #expect(
      try kind { _ = try SQLiteConnection(path: directory.path("no/no.db"), mode: .create) }
        == .cannotOpen)
    let text = directory.url.appending(path: "text.db")
    try Data(repeating: UInt8(ascii: "x"), count: 5000).write(to: text)
    #expect(
      try kind {
        let connection = try SQLiteConnection(path: text.path, mode: .create)
        try connection.execute("PRAGMA journal_mode = WAL")
      } == .corrupt)
  }

  @Test func aFullDatabaseKeepsCommittedData() throws {
    let connection = try open()
    try connection.run("INSERT INTO thing (number) VALUES (1)")
    try connection.execute("PRAGMA max_page_count = 10")
    let big = Value.blob(Array(repeating: 1, count: 1_000_000))
    #expect(
      try kind {
        try connection.transaction(.write) {
          try $0.run("INSERT INTO thing (bytes) VALUES (?)", [big])
        }
      } == .full)
    #expect(try connection.first("SELECT count(*) FROM thing") { $0.int(0) } == 1)
    try connection.transaction(.write) { try $0.run("INSERT INTO thing (number) VALUES (2)") }
  }
}
