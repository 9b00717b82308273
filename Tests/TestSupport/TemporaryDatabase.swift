import FoundationEssentials
import SQL
public import Testing

/// Databases of the PostgreSQL server that `TEST_DATABASE` names (`Tests/Databases/with-postgresql`).
public enum TemporaryDatabase {
  private static let server = ProcessInfo.processInfo.environment["TEST_DATABASE"]

  /// Runs a test only on SQLite, because it is about its files or its locks.
  public static let isFile = ConditionTrait.enabled(if: server == nil, "It is about SQLite.")

  /// Creates an empty one and returns how to connect to it; `nil` if tests use SQLite.
  public static func create() throws -> String? {
    guard let server else { return nil }
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    try PostgreSQLConnection(server + " dbname=postgres").run("CREATE DATABASE \(name)")
    return server + " dbname=" + name
  }
}
