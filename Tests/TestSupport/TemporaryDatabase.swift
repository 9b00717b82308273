import FoundationEssentials
public import SQL
public import Store
public import Testing

/// Where the databases of tests are: SQLite files, or with `TEST_DATABASE` databases of that PostgreSQL server
/// (`Tests/Databases/with-postgresql`).
public enum TemporaryDatabase {
  private static let server = ProcessInfo.processInfo.environment["TEST_DATABASE"]

  /// Runs a test only on SQLite, because it is about its files or its locks.
  public static let isFile = ConditionTrait.enabled(if: server == nil, "It is about SQLite.")
  /// Runs a test only on PostgreSQL.
  public static let isServer = ConditionTrait.enabled(if: server != nil, "It is about PostgreSQL.")

  /// A database of the server with tables, but no rows; a path that nothing has in a directory if tests use
  /// SQLite.
  public static func create(in directory: TemporaryDirectory) throws -> DatabaseLocation {
    guard let server else { return .file(directory.path("aasa.db")) }
    // Copying it is much faster than migrating each.
    return try create(on: server, from: template.get())
  }

  /// The same without tables.
  public static func createEmpty(in directory: TemporaryDirectory) throws -> DatabaseLocation {
    guard let server else { return .file(directory.path("aasa.db")) }
    return try create(on: server, from: "template1")
  }

  private static let template = Result {
    let location = try create(on: server ?? "", from: "template1")
    _ = try Store(location, now: { 0 })
    return location.description.split(separator: "?")[0].split(separator: "/").last.map(String.init)
      ?? ""
  }

  private static func create(on server: String, from template: String) throws -> DatabaseLocation {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    try PostgreSQLConnection(PostgreSQLAddress(server)).run(
      "CREATE DATABASE \(name) TEMPLATE \(template)")
    return .postgreSQL(
      try PostgreSQLAddress(server.replacing("/postgres?", with: "/\(name)?")))
  }
}

extension DatabaseLocation {
  /// A connection to the database, past the store.
  public func connect(_ mode: SQLiteConnection.Mode = .existing) throws -> any Connection {
    switch self {
    case .file(let path): try SQLiteConnection(path: path, mode: mode)
    case .postgreSQL(let address): try PostgreSQLConnection(address)
    }
  }
}
