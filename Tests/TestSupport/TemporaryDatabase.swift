import Association
import FoundationEssentials
import Glibc
package import Store
import Synchronization
package import Testing

/// Where the databases of tests are: SQLite files, or with `TEST_POSTGRESQL` databases of that server
/// (`Tests/Databases/with-postgresql`), each owned by the role `aasa`, which has no other right.
package enum TemporaryDatabase {
  private static let folder = ProcessInfo.processInfo.environment["TEST_POSTGRESQL"]

  /// Runs a test only on SQLite, because it is about its files or its locks.
  package static let isFile = ConditionTrait.enabled(if: folder == nil, "It is about SQLite.")
  /// Runs a test only on PostgreSQL.
  package static let isServer = ConditionTrait.enabled(if: folder != nil, "It is about PostgreSQL.")

  /// A database with tables, but no rows: of the server, or the file `aasa.db` in a directory.
  package static func create(in directory: TemporaryDirectory) throws -> DatabaseLocation {
    // Copying it is much faster than migrating each.
    guard let folder else {
      let path = directory.path("aasa.db")
      try directory.write(emptyFile.get(), to: "aasa.db")
      chmod(path, 0o600)
      return .file(path)
    }
    return try create(on: folder, from: template.get())
  }

  private static let emptyFile = Result {
    let directory = try TemporaryDirectory()
    _ = try Store(.file(directory.path("aasa.db")), now: { 0 })
    return try directory.read("aasa.db")
  }

  /// The same without tables; a path that nothing has if tests use SQLite.
  package static func createEmpty(in directory: TemporaryDirectory) throws -> DatabaseLocation {
    guard let folder else { return .file(directory.path("aasa.db")) }
    return try create(on: folder, from: emptyTemplate.get())
  }

  /// The superuser of the server, in one of its databases.
  package static func administrator(in database: String = "postgres") throws -> PostgreSQLConnection
  {
    try PostgreSQLConnection(uri(database, user: "postgres"))
  }

  /// How a role reaches a database of the server.
  package static func uri(_ database: String, user: String = "aasa") throws -> PostgreSQLAddress {
    try PostgreSQLAddress("postgresql://\(user)@/\(database)?host=\(folder ?? "")")
  }

  /// What creates and removes databases: in a new connection, each takes twice as long.
  private static let administrators = Result { try Databases(2) { try administrator() } }

  private static let emptyTemplate = Result {
    try administrator().execute("CREATE ROLE aasa LOGIN")
    return "template1"
  }

  private static let template = Result {
    let location = try create(on: folder ?? "", from: emptyTemplate.get())
    _ = try Store(location, now: { 0 })
    return name(of: location)
  }

  private static func create(on folder: String, from template: String) throws -> DatabaseLocation {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    // Copying files takes half as long as copying pages through the log.
    try administrators.get().withConnection {
      try $0.execute("CREATE DATABASE \(name) OWNER aasa TEMPLATE \(template) STRATEGY file_copy")
    }
    return .postgreSQL(try uri(name))
  }

  /// Removes a database of the server, which is in memory, a little later: PostgreSQL waits for a tenth of a second if
  /// a connection to it has just ended. A file goes with its directory.
  package static func remove(_ location: DatabaseLocation) {
    guard folder != nil else { return }
    let oldest = unused.withLock { unused in
      unused.append(location)
      return unused.count > 20 ? unused.removeFirst() : nil
    }
    guard let oldest else { return }
    do {
      try administrators.get().withConnection {
        try $0.execute("DROP DATABASE \(name(of: oldest)) WITH (FORCE)")
      }
    } catch {
      print("\(oldest) is left: \(error)")
    }
  }

  private static let unused = Mutex<[DatabaseLocation]>([])

  /// The name of a database that `create` made.
  package static func name(of location: DatabaseLocation) -> String {
    location.description.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? ""
  }
}

extension DatabaseLocation {
  /// A connection to the database, past the store.
  package func connect(_ mode: SQLiteConnection.Mode = .existing) throws -> any Connection {
    switch self {
    case .file(let path): try SQLiteConnection(path: path, mode: mode)
    case .postgreSQL(let address): try PostgreSQLConnection(address)
    }
  }
}
