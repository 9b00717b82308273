import Foundation
import SQL
import Store
import TestSupport

/// A store of its own, whose clock stands still: in an SQLite file, or with `TEST_DATABASE` in a database of that
/// PostgreSQL server.
final class TemporaryStore: Sendable {
  static let time: Int64 = 1_700_000_000

  let directory: TemporaryDirectory
  let store: Store
  private let database: String?

  init() throws {
    directory = try TemporaryDirectory()
    database = try TemporaryDatabase.create()
    store = try Self.open(directory, database)
  }

  var path: String { directory.path("aasa.db") }

  private static func open(_ directory: TemporaryDirectory, _ database: String?) throws -> Store {
    if let database { return try Store(postgreSQL: database, now: { time }) }
    return try Store(path: directory.path("aasa.db"), now: { time })
  }

  /// Another store on the same database, as another process has it.
  func open() throws -> Store { try Self.open(directory, database) }

  /// A connection of its own to the same database, past the store.
  func connect() throws -> any Connection {
    if let database { return try PostgreSQLConnection(database) }
    return try SQLiteConnection(path: path, mode: .create)
  }

  /// How many rows a table has.
  func count(_ table: String) throws -> Int? {
    let connection = try connect()
    return try connection.first("SELECT count(*) FROM \"\(table)\"") { $0.int(0) }
  }
}

/// Databases of the server that `TEST_DATABASE` names.
enum TemporaryDatabase {
  /// Creates an empty one and returns how to connect to it; `nil` if tests use SQLite.
  static func create() throws -> String? {
    guard let server = ProcessInfo.processInfo.environment["TEST_DATABASE"] else { return nil }
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    try PostgreSQLConnection(server + " dbname=postgres").run("CREATE DATABASE \(name)")
    return server + " dbname=" + name
  }
}
