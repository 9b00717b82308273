import Association
import Store
import TestSupport

/// A store of its own, whose clock stands still: in an SQLite file, or with `TEST_POSTGRESQL` in a database of that
/// PostgreSQL server (`Tests/Databases/with-postgresql`).
final class TemporaryStore: Sendable {
  static let time: UnixTime = 1_700_000_000

  let directory: TemporaryDirectory
  let store: Store
  let location: DatabaseLocation

  init(now: @escaping @Sendable () -> UnixTime = { time }) throws {
    directory = try TemporaryDirectory()
    location = try TemporaryDatabase.create(in: directory)
    store = try Store(location, now: now)
  }

  deinit { TemporaryDatabase.remove(location) }

  /// The SQLite file.
  var path: String { directory.path("aasa.db") }

  /// Another store on the same database, as another process has it.
  func open(now: @escaping @Sendable () -> UnixTime = { time }) throws -> Store {
    try Store(location, now: now)
  }

  /// A connection of its own to the same database, past the store.
  func connect() throws -> any Connection { try location.connect() }

  /// How many rows a table has.
  func count(_ table: String) throws -> Int? {
    let connection = try connect()
    return try connection.first("SELECT count(*) FROM \"\(table)\"") { $0.int(0) }
  }
}
