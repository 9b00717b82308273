import Association
import Foundation
import Store
import TestSupport
import Testing

@Suite(TemporaryDatabase.isFile) struct SchemaTests {
  let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test func everyMigrationFileIsEmbeddedUnchanged() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../migrations/sqlite").standardized
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(files == Migration.all(of: .sqlite).map { $0.name + ".sql" })
    for (migration, file) in zip(Migration.all(of: .sqlite), files) {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      #expect(migration.sql == text)
      #expect(
        file.hasPrefix(
          String(repeating: "0", count: 4 - "\(migration.version)".count) + "\(migration.version)_")
      )
    }
    #expect(Migration.all(of: .sqlite).map(\.version) == Array(1...Migration.last))
  }

  @Test func everyMigrationIsRecordedAndAppliedOnce() throws {
    let location = DatabaseLocation.file(temporary.directory.path("new.db"))
    for _ in 1...2 { _ = try Store(location, now: { TemporaryStore.time }) }
    let connection = try location.connect()
    let rows = try connection.all("SELECT version, name, applied_at FROM migration ORDER BY 1") {
      "\($0.int(0)) \($0.text(1)) \($0.integer(2))"
    }
    #expect(
      rows
        == Migration.all(of: .sqlite).map {
          "\($0.version) \($0.name) \(TemporaryStore.time.seconds)"
        })
  }

  @Test func aFailedMigrationIsRolledBack() throws {
    let path = temporary.directory.path("half.db")
    do {
      let connection = try SQLiteConnection(path: path, mode: .create)
      // A table of the schema's last statements is there already, so the first step fails late.
      try connection.execute(
        "CREATE TABLE token (x); CREATE TABLE migration (version, name, applied_at)")
      try connection.run("INSERT INTO token VALUES (5)")
    }
    #expect(throws: StoreError.self) { try Store(.file(path), now: { 0 }) }
    let connection = try SQLiteConnection(path: path, mode: .create)
    let tables = try connection.all("SELECT name FROM sqlite_schema") { $0.text(0) }
    #expect(tables == ["token", "migration"])
    #expect(try connection.first("SELECT count(*) FROM migration") { $0.int(0) } == 0)
    #expect(try connection.first("SELECT x FROM token") { $0.int(0) } == 5)
  }

  @Test func theSettingsOfCurrentRevisionsAreKnownAfterTheUpgradeAndOthersAreNot() throws {
    let app = try AppIdentifier("ABCDE12345.com.example.app")
    var domain = try Domain.example(aliases: ["z.example", "*.a.example"])
    domain.expectations = [
      Expectation(url: "https://z.example/\u{E9}\"?a=/", app: app, resolution: .noMatch),
      Expectation(url: "https://example.com/a", app: app, resolution: .match),
    ]
    domain.isEnabled = false
    try temporary.store.put(domain)
    domain.isStrict = true
    domain.environment = .staging
    try temporary.store.put(domain)
    let connection = try temporary.connect()
    let update = try #require(
      Migration.all(of: .sqlite).first { $0.version == 5 }?.sql.split(separator: ";").first {
        $0.contains("UPDATE revision")
      })
    try connection.execute("UPDATE revision SET settings = NULL; \(update)")
    #expect(try temporary.store.revision(1, of: domain.name).domain() == nil)
    var recorded = Domain(
      name: DomainName(stored: ""), isEnabled: false, environment: .staging, isStrict: true)
    (recorded.aliases, recorded.expectations) = (domain.aliases, domain.expectations)
    recorded.cacheSeconds = domain.cacheSeconds
    #expect(try temporary.store.revision(2, of: domain.name).domain() == recorded)
  }

  @Test func aNewerSchemaIsRefusedAndNotTouched() throws {
    let newer = Migration.last + 1
    let connection = try temporary.connect()
    try connection.run("INSERT INTO migration VALUES (?, 'future', 0)", [.integer(newer)])
    let before = try connection.all("SELECT sql FROM sqlite_schema ORDER BY name") { $0.text(0) }
    let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
    #expect(throws: StoreError.newerSchema(found: newer, known: Migration.last)) {
      try temporary.open()
    }
    #expect(try connection.first("PRAGMA data_version") { $0.integer(0) } == version)
    #expect(
      try connection.all("SELECT sql FROM sqlite_schema ORDER BY name") { $0.text(0) } == before)
  }

  /// During a rolling upgrade, a server looks for damage in tables that a newer one has migrated.
  @Test func tablesOfANewerVersionAreNotTakenForDamage() throws {
    let store = temporary.store
    let connection = try temporary.connect()
    try connection.execute("ALTER TABLE domain ADD COLUMN future TEXT")
    #expect(try store.faults {} == ["domain is missing or different in the schema"])
    try connection.run(
      "INSERT INTO migration VALUES (?, 'future', 0)", [.integer(Migration.last + 1)])
    #expect(try store.faults {} == [])
  }

  @Test(arguments: [
    "CREATE TABLE t (a)", "CREATE VIEW v AS SELECT 1", "CREATE TABLE migration (id INTEGER)",
    "PRAGMA journal_mode = WAL; CREATE TABLE t (a)",
  ])
  func aDatabaseOfAnotherProgramIsRefusedAndNotTouched(sql: String) throws {
    let path = temporary.directory.path("foreign.db")
    do { try SQLiteConnection(path: path, mode: .create).execute(sql) }
    let before = try temporary.directory.read("foreign.db")
    #expect(throws: StoreError.foreign) { try Store(.file(path), now: { 0 }) }
    #expect(try temporary.directory.read("foreign.db") == before)
  }

  @Test func anEmptyDatabaseMayHaveTablesOfLitestream() throws {
    let path = temporary.directory.path("new.db")
    do {
      try SQLiteConnection(path: path, mode: .create).execute("CREATE TABLE _litestream_seq (id)")
    }
    try Data().write(to: temporary.directory.url.appending(path: "empty.db"))
    for path in [path, temporary.directory.path("empty.db")] {
      #expect(throws: StoreError.empty) { try Store(.file(path), now: { 0 }) }
      #expect(try Store(.file(path), fillingEmpty: true, now: { 0 }).domains(limit: 1).total == 0)
    }
  }

  @Test func manyProcessesCanMigrateAtTheSameTime() async throws {
    let path = temporary.directory.path("race.db")
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { _ = try Store(.file(path), now: { 0 }) } }
      try await group.waitForAll()
    }
    let store = try Store(.file(path), now: { 0 })
    #expect(try store.domains(limit: 1).total == 0)
  }

  @Test(arguments: [
    "INSERT INTO app VALUES (1, 'nodot', '', 'production', 0)",
    "INSERT INTO app VALUES (1, 'a.b', '', 'test', 0)",
    "INSERT INTO app VALUES (1, 'a.b', NULL, 'production', 0)",
    "INSERT INTO app VALUES (2, 'ABCDE12345.com.example.app', '', 'production', 0)",
    "UPDATE domain SET is_enabled = 2", "UPDATE domain SET format = 'ancient'",
    "UPDATE domain SET cache_seconds = -1", "UPDATE domain SET cache_seconds = 31536001",
    "UPDATE domain SET extra = '[]'", "UPDATE domain SET extra = 'x'",
    "UPDATE domain SET revision = -1", "UPDATE domain_name SET name = 'EXAMPLE.com'",
    "UPDATE domain_name SET name = ''", "UPDATE domain_name SET name = '*.example.com'",
    "UPDATE domain_name SET position = 0", "UPDATE domain_name SET domain_id = 99",
    "INSERT INTO domain_name VALUES ('example.com', 1, 5)",
    "INSERT INTO service VALUES (1, 1, 'applinks', '{}')",
    "INSERT INTO service VALUES (1, 99, 'appclips', '{}')",
    "UPDATE entry SET has_app_id = 1", "UPDATE entry SET domain_id = 99",
    "UPDATE entry_app SET app_id = 99", "DELETE FROM app",
    "UPDATE route SET exclude = 2", "UPDATE route SET position = -1",
    "UPDATE route SET query = 'x', has_query_items = 1", "UPDATE route SET entry_id = 99",
    "INSERT INTO query_item VALUES (1, 0, 'a', NULL, NULL)",
    "INSERT INTO query_item VALUES (1, 0, 'a', 'x', '5')",
    "INSERT INTO query_item VALUES (1, 0, 'a', NULL, 'no JSON')",
    "INSERT INTO defaults (extra) VALUES ('{}')",
    "INSERT INTO defaults (domain_id, entry_id, extra) VALUES (1, 1, '{}')",
    "UPDATE revision SET number = 0", "UPDATE document SET content = x''",
    "UPDATE document SET content = zeroblob(1048577)", "UPDATE document SET sha256 = 'x'",
    "INSERT INTO token (id, name, role, hash, created_at) VALUES (1, '', 'viewer', zeroblob(32), 0)",
    "INSERT INTO token (id, name, role, hash, created_at) VALUES (1, 'a', 'owner', zeroblob(32), 0)",
    "INSERT INTO token (id, name, role, hash, created_at) VALUES (1, 'a', 'viewer', zeroblob(31), 0)",
    "INSERT INTO token_domain VALUES (99, 'x')", "UPDATE domain SET cache_seconds = 'x'",
    "UPDATE domain SET environment = 'x'", "UPDATE audit SET author = 'x'",
    "INSERT INTO expectation VALUES (1, 0, 'x', 1, NULL, 'maybe')",
    "INSERT INTO expectation VALUES (1, 0, 'x', 99, NULL, 'match')",
    "UPDATE domain SET deleted_at = 5", "UPDATE domain SET deleted_name = 'a.example'",
    "UPDATE revision SET settings = '[]'", "UPDATE revision SET settings = 'x'",
    "INSERT INTO fetch VALUES (1, 1, 'webauthn', '', 1, 0, 0)",
    "INSERT INTO fetch VALUES (1, 1, 'webauthn', 'other', 0, 0, 0)",
    "INSERT INTO fetch VALUES (1, 1, 'webauthn', 'other', 1, 5, 4)",
    "INSERT INTO fetch VALUES (1, 2, 'webauthn', 'other', 1, 0, 0)",
    "INSERT INTO fetch VALUES (99, 1, 'webauthn', 'other', 1, 0, 0)",
    "INSERT INTO android_app VALUES (2, 'nodot', '', 'production', 0, NULL, NULL)",
    "UPDATE android_app SET added_by = 'a'", "UPDATE android_app SET added_within = '[]'",
    "UPDATE android_app SET added_by = 'a', added_within = '{}'",
    "INSERT INTO android_app VALUES (2, 'com.example.shop', '', 'production', 0, NULL, NULL)",
    "INSERT INTO android_certificate VALUES (1, 5, 'AA', 'debug')",
    "INSERT INTO android_certificate SELECT 1, 5, lower(fingerprint), label FROM android_certificate",
    "INSERT INTO android_certificate SELECT 1, 5, fingerprint, label FROM android_certificate",
    "UPDATE android_certificate SET label = 'release'", "DELETE FROM android_app",
    "INSERT INTO entry_android_app VALUES (1, 0, 99)",
    "INSERT INTO android_credential VALUES (1, 1, 99)",
    "INSERT INTO webauthn_origin VALUES (1, 0, 'http://example.com')",
    "UPDATE domain SET has_dynamic_app_links = 2", "UPDATE domain SET assetlinks_extra = '{}'",
    "UPDATE domain SET webauthn_extra = '[]'",
    "UPDATE domain SET passkey_endpoints = '[]'", "UPDATE domain SET managed_by = ''",
    "INSERT INTO domain_label VALUES (1, 0, 'Brand')",
    "INSERT INTO domain_label VALUES (1, 0, 'a'), (1, 1, 'a')",
  ])
  func theSchemaRefusesInvalidRows(sql: String) throws {
    try temporary.store.putApp(.example())
    var domain = try Domain.example(aliases: ["www.example.com"])
    domain.androidCredentials = [try AndroidApp.example().package]
    try temporary.store.put(domain)
    let connection = try temporary.connect()
    do {
      try connection.run(sql)
      Issue.record("The schema takes it.")
    } catch let error as SQLError {
      // `json_type` fails by itself on what is no JSON, before its CHECK does.
      let kinds: [SQLError.Kind] = [.unique, .foreignKey, .constraint]
      #expect(kinds.contains(error.kind) || error.message == "malformed JSON", "\(error)")
    }
  }

  @Test func anInvalidOrImpossibleDatabaseFileIsRefusedUntouched() throws {
    let text = Data(repeating: UInt8(ascii: "x"), count: 5000)
    let file = temporary.directory.url.appending(path: "text.db")
    try text.write(to: file)
    for (path, expected) in [
      (file.path, StoreError.Refusal.damaged),
      (temporary.directory.path("missing/aasa.db"), .cannotOpen),
      (temporary.directory.url.path, .cannotOpen),
    ] {
      do {
        _ = try Store(.file(path), now: { 0 })
        Issue.record("\(path) was opened.")
      } catch StoreError.database(let refusal, let detail) {
        #expect(refusal == expected && !detail.isEmpty, "\(path)")
      }
    }
    #expect(try Data(contentsOf: file) == text)
  }
}
