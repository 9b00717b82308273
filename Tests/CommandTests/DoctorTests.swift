import FoundationEssentials
import Glibc
import Association
import Store
import TestSupport
import Testing

/// `aasa doctor` finds what would make a server fail, and says what to do.
@Suite struct DoctorTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    chmod(scratch.url.path, 0o700)
    let result = try Program.aasa(
      "import", "--domain", "example.com", "--database", database, "-",
      input: AssociationFile.routes(["/a"]).serialized())
    #expect(result.status == 0)
  }

  private func doctor(_ words: String...) throws -> Program.Result {
    try Program.run(Program.aasa, ["doctor", "--database", database] + words)
  }

  /// The lines of problems with a topic.
  private func problems(_ topic: String, _ words: String...) throws -> [String] {
    let result = try Program.run(Program.aasa, ["doctor", "--database", database] + words)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    return result.lines.filter { $0.hasPrefix("problem  \(topic) ") }
  }

  private func change(_ sql: String) throws {
    try SQLiteConnection(path: database, mode: .existing)
      .execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; \(sql)")
  }

  @Test func aHealthyServerHasNoProblemWhetherItRunsOrNot() throws {
    for isRunning in [false, true] {
      let server = try isRunning ? RunningServer(database: database) : nil
      let result = try doctor()
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.output)\(result.errors)")
      #expect(result.lines.count == 8 && result.lines.allSatisfy { $0.hasPrefix("ok  ") })
      #expect(result.output.contains("1 domain, 1 revision, schema"))
      if let server { #expect(try server.end() == .exited(0)) }
      if isRunning { continue }
      for suffix in ["-wal", "-shm"] { #expect(FileContents(database + suffix) == nil) }
    }
  }

  @Test(arguments: [
    ("DELETE FROM app", "refers to a missing row"),
    ("UPDATE domain SET cache_seconds = -1", "CHECK constraint failed in domain"),
    ("UPDATE document SET content = x'7b7d'", "was changed after it was published"),
    ("DROP TABLE route", "does not have the schema that aasa creates"),
  ])
  func damageIsFoundAndWhatToDoIsSaid(sql: String, fault: String) throws {
    try change(sql)
    let lines = try problems("database")
    #expect(lines.count == 1 && lines[0].contains(fault), "\(lines)")
    #expect(lines[0].contains("aasa restore --force BACKUP --database \"\(database)\""))
  }

  @Test func withJSONEachLineIsAnObject() throws {
    let result = try doctor("--json")
    let lines = try result.lines.map { try JSON.parse($0.utf8).value }
    #expect(lines.first?["topic"] == "database" && lines.first?["problem"] == false)
  }

  @Test func aLostDatabaseIsAProblem() throws {
    try scratch.write("", to: "aasa.db")
    #expect(try problems("database").first?.contains("is empty") == true)
    #expect(unlink(database) == 0)
    #expect(try problems("database").first?.contains("There is no") == true)
    #expect(FileContents(database) == nil)
  }

  @Test func permissionsOfOthersAreAProblem() throws {
    chmod(database, 0o640)
    chmod(scratch.url.path, 0o777)
    let lines = try problems("permissions")
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix("Run: chmod 600 \"\(database)\""))
    #expect(lines[1].hasSuffix("Run: chmod o-w \"\(scratch.url.path)\""))
    // As in /tmp: others cannot delete a file there, but put a journal beside it.
    chmod(database, 0o600)
    chmod(scratch.url.path, 0o1777)
    let sticky = try problems("permissions")
    #expect(sticky.count == 1 && sticky[0].contains("Move the database"), "\(sticky)")
  }

  @Test func settingsThatOpenTheDoorAreAProblem() throws {
    #expect(try problems("proxies", "--trusted-proxies", "10.0.0.0/8,0.0.0.0/0").count == 1)
    #expect(try problems("settings", "--admin-address", "0.0.0.0:8081").count == 1)
    #expect(try problems("settings", "--public-certificates", scratch.url.path).count == 1)
  }

  @Test func aClockThatWasSetBackIsAProblem() throws {
    let later = timespec(tv_sec: time(nil) + 7200, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, database, [later, later], 0) == 0)
    #expect(try problems("clock").count == 1)
  }

  @Test func aLowLimitOfOpenFilesIsAProblem() throws {
    let result = try Program.run(
      "sh", ["-c", "ulimit -n 256; exec \"$0\" doctor --database \"$1\"", Program.aasa, database])
    #expect(result.status == 1)
    #expect(result.output.contains("problem  open files    A process may open only 256 files"))
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount a small disk"))
  func aDiskThatIsNearlyFullIsAProblem() throws {
    let disk = try MountedDirectory(kilobytes: 2048)
    let copy = disk.path("aasa.db")
    #expect(try Program.aasa("backup", copy, "--database", database).status == 0)
    let result = try Program.aasa("doctor", "--database", copy)
    #expect(result.status == 1)
    #expect(result.lines.count { $0.hasPrefix("problem  disk ") } == 1)
  }
}
