import Association
import Foundation
import Glibc
import Publishing
import Store
import TestSupport
import Testing

/// A backup is what the database was, and a restored database is what the backup is.
@Suite(TemporaryDatabase.isFile) struct BackupTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }
  private var file: String { temporary.directory.path("backup.db") }
  private let name: DomainName

  init() throws {
    temporary = try TemporaryStore()
    name = try DomainName("example.com")
    try temporary.store.put(.example(aliases: ["www.example.com"]))
    try temporary.store.put(.example(aliases: ["www.example.com"], paths: ["/b"]))
  }

  @discardableResult
  private func save(replacing: Bool = false) throws -> DatabaseContents {
    try Backup.save(.file(temporary.path), to: file, replacing: replacing, now: 0)
  }

  @discardableResult
  private func restore(to path: String? = nil, replacing: Bool = true) throws -> Restored {
    try Backup.restore(
      file, to: .file(path ?? temporary.path), replacing: replacing, now: TemporaryStore.time + 60)
  }

  /// The names of all files beside the database.
  private func files() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: temporary.directory.url.path))
  }

  /// Breaks a file past the store.
  private func damage(_ path: String, _ sql: String) throws {
    let connection = try SQLiteConnection(path: path, mode: .existing)
    try connection.execute("PRAGMA foreign_keys = OFF;" + sql)
  }

  @Test func aBackupIsOnePrivateFileThatOpensInAReadOnlyDirectory() throws {
    let contents = try save()
    #expect(contents.domains == 1 && contents.revisions == 2)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(Int(status.st_size) == contents.bytes)
    let header = try Array(temporary.directory.read("backup.db")[18...19])
    #expect(header == [1, 1], "it has no WAL (sqlite.org/fileformat2.html)")
    #expect(try files() == ["aasa.db", "aasa.db-wal", "aasa.db-shm", "backup.db"])
    let connection = try SQLiteConnection(path: file, mode: .readOnly)
    #expect(try connection.first("SELECT count(*) FROM revision") { $0.int(0) } == 2)
    #expect(try files().count == 4, "nothing beside it")
  }

  @Test func anExistingFileIsReplacedOnlyIfAskedTo() throws {
    try temporary.directory.write("mine", to: "backup.db")
    #expect(throws: BackupError.alreadyExists(file)) { try save() }
    #expect(try temporary.directory.text("backup.db") == "mine")
    #expect(try save(replacing: true).domains == 1)
  }

  @Test(arguments: ["", "-wal", "-shm"])
  func theDatabaseIsNeverItsOwnBackup(suffix: String) throws {
    let link = temporary.directory.path("link.db")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: temporary.path + suffix)
    for path in [temporary.path + suffix, link] {
      #expect(throws: BackupError.sameFile(path)) {
        try Backup.save(.file(temporary.path), to: path, replacing: true, now: 0)
      }
      #expect(throws: BackupError.sameFile(path)) {
        try Backup.restore(path, to: .file(temporary.path), replacing: true, now: 0)
      }
    }
    #expect(try store.domain(name).revision == 2)
  }

  @Test func aDamagedDatabaseIsNotSavedAndThePreviousBackupStays() throws {
    try save()
    let before = try temporary.directory.read("backup.db")
    try damage(temporary.path, "UPDATE document SET content = x'7b7d' WHERE revision = 2")
    #expect(throws: BackupError.self) { try save(replacing: true) }
    #expect(try temporary.directory.read("backup.db") == before)
    #expect(try files().allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test func aMissingDatabaseIsNeitherSavedNorCreated() throws {
    #expect(throws: BackupError.self) {
      try Backup.save(
        .file(temporary.directory.path("none.db")), to: file, replacing: false, now: 0)
    }
    #expect(try files().allSatisfy { $0.hasPrefix("aasa.db") })
  }

  @Test func aBackupIsRestoredUnchangedToANewPath() throws {
    try save()
    let path = temporary.directory.path("new.db")
    let restored = try restore(to: path, replacing: false)
    #expect(restored.contents.revisions == 2 && restored.republished == 0)
    let other = try Store(.file(path), now: { 0 })
    #expect(try other.domain(name) == store.domain(name))
    #expect(try other.currentRevision(of: name) == store.currentRevision(of: name))
    #expect(throws: BackupError.alreadyExists(path)) { try restore(to: path, replacing: false) }
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func leftoversOfAnotherDatabaseAreNotMixedIn(suffix: String) throws {
    try save()
    let path = temporary.directory.path("new.db")
    try temporary.directory.write("old", to: "new.db" + suffix)
    #expect(throws: BackupError.leftover(path + suffix)) {
      try restore(to: path, replacing: true)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aRestoredDocumentGetsANewRevisionNumber() throws {
    try save()
    try store.put(.example(aliases: ["new.example"], paths: ["/c"]))
    try store.put(.example("later.example"))
    let ids = try store.domain(name).domain.associationFile.entries.map(\.id)
    let restored = try restore()
    #expect(restored.republished == 1)
    let stored = try store.domain(name)
    #expect(stored.revision == 4 && stored.domain.paths == ["/b"])
    #expect(stored.domain.aliases.map(\.description) == ["www.example.com"])
    let current = try store.currentRevision(of: name)
    let (documents, revision) = (current.documents, current.revision)
    #expect(try documents == store.revision(2, of: name).documents)
    #expect(revision.author == "aasa restore" && revision.reason == "restore backup")
    #expect(revision.publishedAt == TemporaryStore.time + 60)
    #expect(throws: StoreError.notFound(.prunedRevision(3))) { try store.revision(3, of: name) }
    #expect(throws: StoreError.notFound(.domain(try DomainName("later.example")))) {
      try store.domain(DomainName("later.example"))
    }
    let edited = try store.put(.example(paths: ["/d", "/e"])).stored
    #expect(edited.revision == 5)
    let routes = edited.domain.associationFile.entries.flatMap(\.routes).compactMap(\.id)
    #expect(!ids.isEmpty && Set(routes).count == 2)
  }

  @Test func aRestoredDocumentKeepsItsMediaType() throws {
    let document = try NamedDocument(DocumentName("trust.txt"), nil, bytes: Array("member=a".utf8))
    _ = try Publisher(store: store).put(document, for: name, by: WriteContext(author: "test"))
    let before = try store.currentRevision(of: name)
    try save()
    try store.put(.example(paths: ["/c"]))
    #expect(try restore().republished == 1)
    let after = try store.currentRevision(of: name)
    #expect(after.revision.number == 5 && after.documents == before.documents)
    #expect(after.revision.documents.map(\.mediaType) == before.revision.documents.map(\.mediaType))
    #expect(Set(after.revision.documents.map(\.mediaType?.text)).contains("text/plain"))
  }

  @Test func aRevisionNumberIsNotUsedAgainWhicheverSideHasDeletedTheDomain() throws {
    try save()
    try store.put(.example(paths: ["/c"]))
    try store.delete(name)
    #expect(try restore().republished == 1)
    #expect(try store.domain(name).revision == 4)
    #expect(try store.revision(4, of: name).domain()?.aliases.count == 1)
    try store.delete(name)
    try save(replacing: true)
    #expect(try store.put(.example(paths: ["/d"])).revision.number == 5)
    #expect(try restore().republished == 1)
    #expect(throws: StoreError.notFound(.domain(name))) { try store.domain(name) }
    #expect(try store.domains(DomainFilter(isDeleted: true), limit: 9).page.map(\.revision) == [6])
    #expect(try store.put(.example(paths: ["/e"])).revision.number == 7)
  }

  @Test func aDomainThatTheBackupLacksIsADeletedOneThatGivesNoNumberAgain() throws {
    let (later, gone) = (try DomainName("later.example"), try DomainName("gone.example"))
    try save()
    for path in ["/a", "/b"] { try store.put(.example("later.example", paths: [path])) }
    try store.put(.example("gone.example"))
    try store.delete(gone)
    let documents = try store.currentRevision(of: later).documents
    try SQLiteConnection(path: temporary.path, mode: .existing).execute(
      "UPDATE revision SET change_id = 7")
    for count in [1, 0] {
      #expect(try restore().deleted == count)
      #expect(try store.faults {} == [])
      let deleted = try store.domains(DomainFilter(isDeleted: true), limit: 9).page
      #expect(deleted.map(\.name) == [gone, later] && deleted.map(\.revision) == [1, 2])
    }
    #expect(try store.revision(2, of: later).documents == documents)
    #expect(try store.revision(2, of: later).revision.change == nil)
    #expect(try store.put(.example("later.example", paths: ["/c"])).revision.number == 3)
    #expect(try store.put(.example("gone.example", paths: ["/c"])).revision.number == 2)
  }

  @Test func numbersOfEntriesAndRoutesGoOnAfterARestore() throws {
    func numbers(afterAdding path: String) throws -> [Int64?] {
      var domain = try store.domain(name).domain
      domain.associationFile.entries[0].routes.append(Route(path: path))
      domain.associationFile.entries.append(
        Entry(apps: domain.associationFile.entries[0].apps, routes: [Route(path: path)]))
      let entries = try store.put(domain).stored.domain.associationFile.entries
      return [entries[0].routes.last?.id, entries.last?.id]
    }
    try save()
    let given = try numbers(afterAdding: "/c").compactMap(\.self)
    try restore()
    #expect(try numbers(afterAdding: "/d") == given.map { $0 + 1 })
  }

  @Test func aBackupWithADeletedDomainIsWhole() throws {
    try store.delete(name)
    let contents = try save()
    #expect(contents.domains == 0 && contents.revisions == 2)
    #expect(try store.faults {} == [])
  }

  @Test func unchangedDomainsAreNotRepublished() throws {
    try save()
    try store.put(.example("later.example"))
    #expect(try restore().republished == 0)
    #expect(try store.domain(name).revision == 2)
  }

  @Test func everyServerReadsEverythingAfterARestore() throws {
    try save()
    for count in 0..<5 {
      let last = try store.changes(after: 0).sequence
      try restore()
      for sequence in 0...last {
        #expect(try store.changes(after: sequence).domains == nil, "\(count): \(sequence)")
      }
      let sequence = try store.changes(after: 0).sequence
      #expect(try store.changes(after: sequence).domains?.isEmpty == true)
      let id = try store.put(.example(paths: ["/\(count)"])).stored.id
      #expect(try store.changes(after: sequence).domains?.map(\.domain) == [id])
    }
  }

  @Test func usedKeysAreNotReused() throws {
    try save()
    let later = try store.put(.example("later.example")).stored
    try restore()
    let new = try store.put(.example("new.example")).stored
    #expect(new.id > later.id)
  }

  @Test func theAuditContinuesAndTokensAreThoseOfTheBackup() throws {
    let revoked = try store.createToken(name: "revoked", role: .admin)
    let old = try store.createToken(name: "rotated", role: .admin)
    try save()
    let new = try store.write(WriteContext(author: "test")) { try $0.rotateToken("rotated").secret }
    try store.revokeToken("revoked")
    let made = try store.createToken(name: "made", role: .viewer)
    try store.put(.example(paths: ["/c"]))
    let restored = try restore()
    #expect(restored.revivedTokens == ["revoked", "rotated"])
    #expect(try store.token(old)?.name == "rotated" && store.token(new) == nil)
    #expect(try store.token(revoked)?.name == "revoked")
    #expect(try store.token(made) == nil)
    let records = try store.audit(AuditFilter(), limit: 5)
    #expect(
      records.map(\.action) == [
        "restore backup", "restore backup", "test", "create token", "revoke token",
      ])
    #expect(records.prefix(2).map(\.domain) == [name, nil])
  }

  @Test func aTemplateGoesOnUnderANewNumber() throws {
    let (template, other) = (try TemplateName("shop"), try TemplateName("other"))
    let context = WriteContext(author: "test")
    func put(_ name: TemplateName, _ seconds: Int) throws {
      _ = try store.write(context) {
        try $0.put(Template(name, parameters: [], members: ["cacheSeconds": .integer(seconds)]))
      }
    }
    try put(template, 60)
    try put(other, 60)
    try save()
    try put(template, 120)
    try put(template, 180)
    try restore()
    let stored = try store.template(template)
    #expect(stored.revision == 4 && stored.template.members["cacheSeconds"] == 60)
    #expect(try store.template(other).revision == 1)
    try put(template, 240)
    #expect(try store.template(template).revision == 5)
  }

  @Test func aTemplateThatWasDeletedOrAddedSinceGoesOnUnderANewNumber() throws {
    let (deleted, added) = (try TemplateName("deleted"), try TemplateName("added"))
    func put(_ name: TemplateName, _ seconds: Int) throws {
      try store.write(WriteContext(author: "test")) {
        _ = try $0.put(Template(name, parameters: [], members: ["cacheSeconds": .integer(seconds)]))
      }
    }
    try put(deleted, 60)
    try save()
    try put(deleted, 120)
    for seconds in 1...3 { try put(added, seconds) }
    try store.write(WriteContext(author: "test")) { try $0.delete(deleted) }
    _ = try restore()
    let stored = try store.template(deleted)
    #expect(stored.revision == 3 && stored.template.members["cacheSeconds"] == 60)
    try put(added, 4)
    #expect(try store.template(added).revision == 4)
  }

  @Test func aDomainThatTheBackupLacksMayHaveTheNameOfOneOfItsAliases() throws {
    try store.put(.example(aliases: ["www.example.com"]))
    try save()
    try store.put(.example(aliases: []))
    var domain = try Domain.example("www.example.com", aliases: ["m.example.com"])
    domain.labels = [Label(stored: "brand")]
    try store.put(domain)
    #expect(try restore().deleted == 1)
    #expect(try store.faults {} == [])
    #expect(try store.domain(name).domain.aliases.map(\.description) == ["www.example.com"])
    let deleted = try store.domains(DomainFilter(isDeleted: true), limit: 9).page
    #expect(deleted.map(\.name.text) == ["www.example.com"])
  }

  @Test func aRestoredTemplateWhoseNumberIsNoLongerKeptGoesOnUnderANewOne() throws {
    let (name, context) = (try TemplateName("shop"), WriteContext(author: "test"))
    func put(_ name: TemplateName, _ seconds: Int) throws {
      try store.write(context) {
        _ = try $0.put(Template(name, parameters: [], members: ["cacheSeconds": .integer(seconds)]))
      }
    }
    try put(name, 1)
    try save()
    try put(name, 2)
    try store.write(context) { try $0.delete(name) }
    try SQLiteConnection(path: temporary.path, mode: .existing).execute(
      "UPDATE deleted_template SET name = ''")
    _ = try restore()
    let stored = try store.template(name)
    #expect(stored.revision == 3 && stored.template.members["cacheSeconds"] == 1)
    try put(TemplateName("other"), 1)
    #expect(try store.template(TemplateName("other")).revision == 3)
  }

  @Test func serversOfAnEarlierVersionBesideThisOneDoNotSpoilNumbersOfTemplates() throws {
    let (name, context) = (try TemplateName("shop"), WriteContext(author: "test"))
    func put(_ seconds: Int) throws {
      try store.write(context) {
        _ = try $0.put(Template(name, parameters: [], members: ["cacheSeconds": .integer(seconds)]))
      }
    }
    for seconds in 1...3 { try put(seconds) }
    try save()
    try store.write(context) { try $0.delete(name) }
    // An earlier version does not know of the deleted one.
    try put(4)
    let file = try SQLiteConnection(path: temporary.path, mode: .existing)
    try file.execute(
      """
      UPDATE template_revision SET number = 1; UPDATE template SET revision = 1;
      INSERT INTO deleted_template (name, revision) VALUES ('shop', 3)
      """)
    try put(5)
    #expect(try store.template(name).revision == 4)
    try file.execute(
      "DELETE FROM template_revision WHERE number = 1; UPDATE template_revision SET number = 2;"
        + "UPDATE template SET revision = 2")
    try store.write(context) { try $0.delete(name) }
    try put(6)
    #expect(try store.template(name).revision == 4)
    try file.execute("INSERT INTO deleted_template (name, revision) VALUES ('shop', 9)")
    _ = try restore()
    #expect(try store.template(name).revision == 10)
  }

  @Test func aLabelThatProtectsNoMoreIsNamed() throws {
    let (kept, later) = (try Label("kept"), try Label("later"))
    let context = WriteContext(author: "test")
    #expect(try store.write(context) { try $0.protect(kept) })
    try save()
    #expect(try store.write(context) { try $0.protect(later) })
    #expect(try restore().unprotectedLabels == ["later"])
    #expect(try store.protectedLabels() == [kept])
  }

  @Test func usersAreThoseOfTheBackupAndSessionsEnd() throws {
    let secret = try store.createToken(name: "anna", role: .admin)
    let token = try #require(try store.token(secret))
    let begin = {
      try store.write(WriteContext(author: "test")) { try $0.beginSession(of: token, secret) }
    }
    let (saved, ended) = (try begin(), try begin())
    try store.write(WriteContext(author: "test")) { _ = try $0.put(User(name: "otto")) }
    try save()
    try store.write(WriteContext(author: "test")) {
      try $0.endSession(ended)
      try $0.deleteUser("otto")
    }
    #expect(try store.session(saved) != nil && store.session(ended) == nil)
    #expect(try restore().revivedUsers == ["otto"])
    #expect(try store.person("otto") != nil)
    // A server may also run on the backup itself.
    let backup = try Store(
      .file(temporary.directory.path("backup.db")), now: { TemporaryStore.time })
    #expect(try backup.session(saved) == nil && backup.session(ended) == nil)
    let path = temporary.directory.path("new.db")
    try restore(to: path, replacing: false)
    for store in [store, try Store(.file(path), now: { TemporaryStore.time })] {
      #expect(try store.session(saved) == nil && store.session(ended) == nil)
      #expect(try store.token(secret) != nil)
    }
  }

  @Test func aCopyDoesNotHaveTheServersThatRanOnTheDatabase() throws {
    let replica = Replica(
      id: "1", name: "host", version: "1", url: "http://127.0.0.1:1", startedAt: 0, applied: 0)
    try store.report(replica, for: 15)
    try save()
    let path = temporary.directory.path("new.db")
    #expect(try Store(.file(file), now: { TemporaryStore.time }).replicas() == [])
    // As earlier versions made it.
    try Store(.file(file), now: { TemporaryStore.time }).report(replica, for: 15)
    try restore(to: path, replacing: false)
    #expect(try Store(.file(path), now: { TemporaryStore.time }).replicas() == [])
    #expect(try store.replicas().count == 1)
  }

  @Test func everyRestoreIsAuditedEvenIfNothingIsRepublished() throws {
    try save()
    let path = temporary.directory.path("new.db")
    #expect(try restore().republished == 0)
    try restore(to: path, replacing: false)
    for store in [store, try Store(.file(path), now: { 0 })] {
      let records = try store.audit(AuditFilter(), limit: 10)
      #expect(records.map(\.action) == ["restore backup", "test", "test"])
      #expect(records.first?.author == "aasa restore" && records.first?.domain == nil)
    }
  }

  @Test func prunedAuditRecordsDoNotComeBack() throws {
    try save()
    try damage(temporary.path, "DELETE FROM audit WHERE id = 1")
    #expect(try !restore().isForeign)
    #expect(try store.audit(AuditFilter(), limit: 9).map(\.id) == [3, 2])
  }

  @Test func auditRecordsThatTheDatabaseNeverHadAreAdded() throws {
    let path = temporary.directory.path("old.db")
    _ = try Backup.save(.file(temporary.path), to: path, replacing: false, now: 0)
    try store.put(.example(paths: ["/c"]))
    try save()
    #expect(try !restore(to: path).isForeign)
    let old = try Store(.file(path), now: { 0 })
    #expect(try old.audit(AuditFilter(), limit: 9).map(\.id) == [4, 3, 2, 1])
  }

  @Test func aBackupOfAnotherDatabaseKeepsTheAuditAndIsReported() throws {
    try save()
    let other = try TemporaryStore()
    try other.store.put(.example("other.example"))
    let before = try other.store.audit(AuditFilter(), limit: 9)
    #expect(try restore(to: other.path).isForeign)
    #expect(try other.store.domain(name).revision == 2)
    let records = try other.store.audit(AuditFilter(), limit: 9)
    #expect(Array(records.dropFirst()) == before && records.first?.action == "restore backup")
  }

  @Test(arguments: [
    "UPDATE document SET content = x'7b7d'",
    "UPDATE domain SET revision = 9",
    "DELETE FROM revision WHERE number = 2",
    "UPDATE entry SET domain_id = 99",
    "DELETE FROM domain_name",
    "UPDATE migration SET version = 99 WHERE version = (SELECT max(version) FROM migration)",
    "DELETE FROM migration",
    "DROP TABLE migration",
    "DROP INDEX entry_of_domain",
    "DROP TRIGGER audit_is_not_changed",
    "ALTER TABLE token ADD COLUMN other TEXT",
    "PRAGMA ignore_check_constraints = ON; UPDATE domain SET cache_seconds = -1",
  ])
  func anIncompleteBackupIsRefusedAndChangesNothing(sql: String) throws {
    try save()
    try damage(file, sql)
    let before = try store.domain(name)
    let sequence = try store.changes(after: 0).sequence
    let path = temporary.directory.path("new.db")
    for target in [temporary.path, path] {
      #expect(throws: BackupError.self) { try restore(to: target) }
    }
    #expect(try store.domain(name) == before && store.changes(after: 0).sequence == sequence)
    #expect(try files() == ["aasa.db", "aasa.db-wal", "aasa.db-shm", "backup.db"])
  }

  @Test(arguments: [0, 100, 4096, 20_000])
  func aFileThatIsNotADatabaseOrIsTruncatedIsRefused(size: Int) throws {
    try save()
    let bytes = try temporary.directory.read("backup.db")
    try temporary.directory.write(Array(bytes.prefix(size)), to: "backup.db")
    #expect(throws: BackupError.self) { try restore(to: temporary.directory.path("new.db")) }
    try temporary.directory.write(Array(repeating: 0x78, count: size), to: "backup.db")
    #expect(throws: BackupError.self) { try restore(to: temporary.directory.path("new.db")) }
    #expect(try files() == ["aasa.db", "aasa.db-wal", "aasa.db-shm", "backup.db"])
  }

  @Test func aBackupOfAnOlderSchemaIsMigrated() throws {
    let connection = try SQLiteConnection(path: file, mode: .create)
    try connection.execute(
      "CREATE TABLE migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT"
    )
    try connection.execute(try #require(Migration.all(of: .sqlite).first).sql)
    try connection.run("INSERT INTO migration VALUES (1, '0001_core', 0)")
    let restored = try restore()
    #expect(restored.contents.schema == 1 && restored.schema > 1)
    #expect(try store.domains(limit: 1).total == 0)
    #expect(try temporary.count("migration") == restored.schema)
  }

  @Test func tablesOfOtherProgramsAreKept() throws {
    try damage(temporary.path, "CREATE TABLE _litestream_seq (id INTEGER); ")
    try save()
    try damage(temporary.path, "INSERT INTO _litestream_seq VALUES (7)")
    try restore()
    #expect(try temporary.count("_litestream_seq") == 1)
  }
}
