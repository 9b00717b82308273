import FoundationEssentials
import Association
import Store
import TestSupport
import Testing

/// `aasa backup` and `aasa restore` as a cron job and an operator run them.
@Suite struct BackupCommandTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }
  private var file: String { scratch.path("backup.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    try adopt(["/a"])
  }

  private func adopt(_ paths: [String], _ domain: String = "example.com") throws {
    let result = try Program.aasa(
      "import", "--domain", domain, "--database", database, "-",
      input: AssociationFile.routes(paths).serialized())
    #expect(result.status == 0)
  }

  private func run(_ command: String, _ more: String...) throws -> Program.Result {
    try Program.run(Program.aasa, [command, file, "--database", database] + more)
  }

  @Test func backupAndRestoreReportWhatTheyDid() throws {
    let saved = try run("backup")
    #expect(saved.status == 0 && saved.errors.isEmpty)
    #expect(saved.output.hasPrefix("\(file): ") && saved.lines.count == 1)
    #expect(saved.output.contains(" bytes, 1 domain, 1 revision, schema "))
    let again = try run("backup")
    #expect(again.status == 1 && again.output.isEmpty && again.errors.contains("--force"))
    let json = try JSON.parse(run("backup", "--force", "--json").bytes).value
    #expect(json["domains"] == 1 && json["revisions"] == 1 && json["file"] == .string(file))

    try adopt(["/b"])
    let refused = try run("restore")
    #expect(refused.status == 1 && refused.errors.contains("--force"))
    let restored = try run("restore", "--force")
    #expect(restored.status == 0)
    #expect(restored.output.hasPrefix("\(database): restored from \(file), "))
    #expect(restored.errors.contains("under a new number"))
    let export = try Program.aasa("export", "--database", database)
    #expect(export.output.contains("\"/a\"") && !export.output.contains("\"/b\""))
  }

  @Test func restoreReportsABackupOfAnotherDatabase() throws {
    #expect(try run("backup").status == 0)
    #expect(try !run("restore", "--force").errors.contains("another database"))
    let other = scratch.path("other.db")
    let made = try Program.aasa(
      "token", "create", "--name", "me", "--role", "viewer", "--database", other)
    #expect(made.status == 0, "\(made.errors)")
    let restored = try Program.aasa(
      "restore", file, "--database", other, "--force", "--json")
    #expect(restored.status == 0 && restored.errors.contains("another database"))
    #expect(try JSON.parse(restored.bytes).value["isOfOtherDatabase"] == true)
  }

  @Test func theErrorForALockedDatabaseNamesItAndNotTheCopy() throws {
    let connection = try SQLiteConnection(path: database, mode: .existing)
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let result = try run("backup")
    #expect(result.status == 69 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("\"\(database)\" is locked by another program."),
      "\(result.errors)")
    #expect(FileContents(file) == nil)
    try connection.execute("ROLLBACK")
  }

  @Test func anUnusedDatabaseStaysOneFile() throws {
    #expect(try run("backup").status == 0)
    for suffix in ["-wal", "-shm", "-journal"] {
      for path in [database, file] { #expect(FileContents(path + suffix) == nil) }
    }
  }

  @Test func aRunningServerServesARestoreAndStaleEditsFail() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    #expect(try run("backup").status == 0)
    let target = "/v1/domains/example.com"
    func put(_ path: String, _ condition: String) throws -> RawResponse {
      let body = AssociationFile.routes([path]).serialized()
      return try client.send("PUT", "\(target)/file", body: body, "If-Match: \(condition)")
    }
    #expect(try put("/b", "\"1\"").status == 200)
    let last = try #require(try put("/c", "\"2\"")["ETag"])
    try adopt(["/x"], "later.example")
    #expect(try becomesTrue { try server.file(of: "later.example").status == 200 })
    for round in 1...3 {
      #expect(try run("restore", "--force").status == 0)
      let isServed = try becomesTrue {
        try server.file(of: "example.com").json == AssociationFile.routes(["/a"])
          && server.file(of: "later.example").status == 404
      }
      #expect(isServed, "round \(round)")
      #expect(try put("/d", last).status == 412, "what the client knew is not there any more")
    }
    let etag = try #require(try client.send("GET", target)["ETag"])
    #expect(try put("/d", etag).status == 200)
    #expect(try server.file(of: "example.com").json == AssociationFile.routes(["/d"]))
    #expect(try client.send("GET", "\(target)/revisions/2").code == "revision-pruned")
  }

  @Test func whatIsKnownOfADomainThatTheBackupLacksHoldsForNoNewOne() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    #expect(try run("backup").status == 0)
    let target = "/v1/domains/later.example/file"
    func put(_ path: String, _ condition: String) throws -> RawResponse {
      let body = AssociationFile.routes([path]).serialized()
      return try client.send("PUT", target, body: body, condition)
    }
    let stale = try #require(try put("/a", "If-None-Match: *")["ETag"])
    #expect(try run("restore", "--force").status == 0)
    #expect(try put("/b", "If-Match: \(stale)").status == 412)
    #expect(try put("/c", "If-None-Match: *").status == 201)
    #expect(try put("/b", "If-Match: \(stale)").status == 412)
    #expect(try put("/b", "If-Match: \"2\"").status == 200)
  }

  @Test func aDatabaseWithoutItsTablesIsNotSaved() throws {
    let connection = try SQLiteConnection(path: database, mode: .existing)
    try connection.execute("PRAGMA foreign_keys = OFF; DROP TABLE route; DROP TABLE expectation")
    let result = try run("backup")
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("does not have the schema that aasa creates: expectation"))
    #expect(FileContents(file) == nil)
  }

  @Test(arguments: [0, 100, 5000, 9000])
  func aDamagedDatabaseIsSetAsideByARestore(length: Int) throws {
    #expect(try run("backup").status == 0)
    var bytes = try scratch.read("aasa.db")
    if length == 9000 {
      for index in 4096..<12_288 { bytes[index] = 0xAA }
    } else {
      bytes = Array(bytes.prefix(length))
    }
    try scratch.write(bytes, to: "aasa.db")
    let restored = try run("restore", "--force", "--json")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(restored.errors.contains("The database was damaged. It is kept as \"\(database)."))
    let setAside = try #require(try JSON.parse(restored.bytes).value["setAside"]?.stringValue)
    #expect(try scratch.read(String(setAside.dropFirst(scratch.url.path.count + 1))) == bytes)
    let export = try Program.aasa("export", "--database", database)
    #expect(export.status == 0 && export.output.contains("\"/a\""))
  }

  @Test(arguments: [
    ["backup"], ["backup", "-"], ["backup", "a", "b"], ["backup", ""], ["restore"],
    ["restore", "-"], ["backup", "a", "--all"],
  ])
  func wrongUsageEndsWith64(words: [String]) throws {
    #expect(try Program.run(Program.aasa, words, in: scratch).status == 64)
  }

  @Test func failuresToSaveOrRestoreNameTheFile() throws {
    for (words, named) in [
      (["backup", file, "--database", scratch.path("none.db")], "none.db"),
      (["backup", scratch.path("no/backup.db"), "--database", database], "no/backup.db"),
      (["restore", scratch.path("none.db"), "--database", scratch.path("new.db")], "none.db"),
      (
        ["restore", try scratch.write("text", to: "text"), "--database", database, "--force"],
        "text"
      ),
    ] {
      let result = try Program.run(Program.aasa, words)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors.contains(named), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(!result.errors.contains(".part"), "\(result.errors)")
    }
    #expect(FileContents(scratch.path("none.db")) == nil)
  }
}
