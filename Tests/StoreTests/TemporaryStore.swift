import SQL
import Store
import TestSupport

/// A store in a directory of its own, whose clock stands still.
final class TemporaryStore: Sendable {
  static let time: Int64 = 1_700_000_000

  let directory: TemporaryDirectory
  let store: Store

  init() throws {
    directory = try TemporaryDirectory()
    store = try Store(path: directory.path("aasa.db"), now: { Self.time })
  }

  var path: String { directory.path("aasa.db") }

  /// Another store on the same file, as another process has it.
  func open() throws -> Store { try Store(path: path, now: { Self.time }) }

  /// A connection of its own to the same file, past the store.
  func connect() throws -> SQLiteConnection { try SQLiteConnection(path: path, mode: .create) }

  /// How many rows a table has.
  func count(_ table: String) throws -> Int? {
    let connection = try connect()
    return try connection.first("SELECT count(*) FROM \(table)") { $0.int(0) }
  }
}
