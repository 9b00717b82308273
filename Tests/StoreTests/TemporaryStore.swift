import SQL
import Store
import TestSupport

/// A store of its own, whose clock stands still: in an SQLite file, or with `TEST_DATABASE` in a database of that
/// PostgreSQL server (`Tests/Databases/with-postgresql`).
final class TemporaryStore: Sendable {
  static let time: Int64 = 1_700_000_000

  let directory: TemporaryDirectory
  let store: Store
  private let database: String?

  init(now: @escaping @Sendable () -> Int64 = { time }) throws {
    directory = try TemporaryDirectory()
    database = try TemporaryDatabase.create()
    store = try Self.open(directory, database, now)
  }

  /// The SQLite file.
  var path: String { directory.path("aasa.db") }

  private static func open(
    _ directory: TemporaryDirectory, _ database: String?, _ now: @escaping @Sendable () -> Int64
  ) throws -> Store {
    if let database { return try Store(postgreSQL: database, now: now) }
    return try Store(path: directory.path("aasa.db"), now: now)
  }

  /// Another store on the same database, as another process has it.
  func open(now: @escaping @Sendable () -> Int64 = { time }) throws -> Store {
    try Self.open(directory, database, now)
  }

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
