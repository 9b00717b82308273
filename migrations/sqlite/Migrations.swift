/// The migrations of SQLite databases, oldest first. A released migration never changes. To add one, add a file
/// here, one in the other folder, and both to `Package.swift`.
package let sqliteMigrations: [(name: String, sql: [UInt8])] = [
  ("0001_core", PackageResources._001_core_sql),
  ("0002_operations", PackageResources._002_operations_sql),
  ("0003_fetches", PackageResources._003_fetches_sql),
  ("0004_first_token", PackageResources._004_first_token_sql),
  ("0005_settings", PackageResources._005_settings_sql),
  ("0006_state", PackageResources._006_state_sql),
  ("0007_numbers", PackageResources._007_numbers_sql),
  ("0008_findings", PackageResources._008_findings_sql),
  ("0009_documents", PackageResources._009_documents_sql),
  ("0010_android", PackageResources._010_android_sql),
  ("0011_checks", PackageResources._011_checks_sql),
  ("0012_webhooks", PackageResources._012_webhooks_sql),
  ("0013_kept", PackageResources._013_kept_sql),
  ("0014_replicas", PackageResources._014_replicas_sql),
  ("0015_dashboard", PackageResources._015_dashboard_sql),
  ("0016_unknown_keys", PackageResources._016_unknown_keys_sql),
  ("0017_webhook_events", PackageResources._017_webhook_events_sql),
  ("0018_added_by", PackageResources._018_added_by_sql),
  ("0019_passkey_endpoints", PackageResources._019_passkey_endpoints_sql),
]
