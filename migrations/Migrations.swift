/// A migration of the schema.
public struct Migration: Sendable {
  /// The version, from 1: the number in the file name.
  public let version: Int
  /// The file name without the extension.
  public let name: String
  /// The SQL statements.
  public let sql: String
}

/// All migrations, oldest first. A released migration never changes. To add one, add its file here and in
/// `Package.swift`.
public let migrations: [Migration] = [
  Migration(version: 1, name: "0001_core", bytes: PackageResources._001_core_sql),
  Migration(version: 2, name: "0002_operations", bytes: PackageResources._002_operations_sql),
  Migration(version: 3, name: "0003_fetches", bytes: PackageResources._003_fetches_sql),
  Migration(version: 4, name: "0004_first_token", bytes: PackageResources._004_first_token_sql),
  Migration(version: 5, name: "0005_settings", bytes: PackageResources._005_settings_sql),
  Migration(version: 6, name: "0006_state", bytes: PackageResources._006_state_sql),
  Migration(version: 7, name: "0007_numbers", bytes: PackageResources._007_numbers_sql),
  Migration(version: 8, name: "0008_findings", bytes: PackageResources._008_findings_sql),
  Migration(version: 9, name: "0009_documents", bytes: PackageResources._009_documents_sql),
  Migration(version: 10, name: "0010_android", bytes: PackageResources._010_android_sql),
  Migration(version: 11, name: "0011_checks", bytes: PackageResources._011_checks_sql),
  Migration(version: 12, name: "0012_webhooks", bytes: PackageResources._012_webhooks_sql),
  Migration(version: 13, name: "0013_kept", bytes: PackageResources._013_kept_sql),
]

extension Migration {
  fileprivate init(version: Int, name: String, bytes: [UInt8]) {
    self.init(version: version, name: name, sql: String(decoding: bytes, as: UTF8.self))
  }
}
