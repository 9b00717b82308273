/// One step of the schema.
public struct Migration: Sendable {
  /// Its place in the order, from 1, which is the number in the name of its file.
  public let version: Int
  /// The name of its file without the ending.
  public let name: String
  /// The statements.
  public let sql: String
}

/// The steps that make the schema, oldest first. A released step never changes; a new one is a new
/// file, added here and to `Package.swift`.
public let migrations: [Migration] = [
  Migration(version: 1, name: "0001_core", bytes: PackageResources._001_core_sql),
  Migration(version: 2, name: "0002_operations", bytes: PackageResources._002_operations_sql),
  Migration(version: 3, name: "0003_fetches", bytes: PackageResources._003_fetches_sql),
]

extension Migration {
  fileprivate init(version: Int, name: String, bytes: [UInt8]) {
    self.init(version: version, name: name, sql: String(decoding: bytes, as: UTF8.self))
  }
}
