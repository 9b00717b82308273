import Glibc
import Association
import TestSupport
import Testing

@Suite(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount a small disk"))
struct FullDiskTests {
  private let disk: MountedDirectory
  private let ports = ["--public-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"]
  private var database: String { disk.path("aasa.db") }

  init() throws { disk = try MountedDirectory(kilobytes: 2048) }

  /// A file of some size: what is free within the database's own files may take a small one.
  private func file(_ name: String) -> JSON {
    AssociationFile.large("/\(name)", bytes: 60_000)
  }

  @Test func aFullDiskRefusesEditsKeepsServingAndRecovers() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    let path = "/v1/domains/example.com/file"
    var served = file("before")
    #expect(try client.send("PUT", path, json: served).status == 201)
    disk.fill()
    var refusal: RawResponse?
    for number in 1...50 where refusal == nil {
      let answer = try client.send("PUT", path, json: file("\(number)"))
      if answer.status == 200 { served = file("\(number)") } else { refusal = answer }
    }
    let answer = try #require(refusal)
    #expect(answer.status == 507)
    #expect(try answer.code == "disk-full")
    #expect(answer["Content-Type"] == "application/problem+json")
    try checkHealth(server, isFull: true)
    #expect(try server.file(of: "example.com").json == served)
    #expect(try client.send("GET", path).json == served, "reading needs no room")
    try checkOtherProcess(server, served)
    try disk.makeRoom()
    try checkHealth(server, isFull: false)
    #expect(try client.send("PUT", path, json: file("after")).status == 200)
    #expect(try server.file(of: "example.com").json == file("after"))
    #expect(try server.end() == .exited(0))
  }

  /// The server says that the disk is full, and notices by itself that it has room again.
  private func checkHealth(_ server: RunningServer, isFull: Bool) throws {
    func readiness() throws -> RawResponse {
      try Client(port: server.adminPort, lines: ["Host: x"]).send("GET", "/readyz")
    }
    #expect(try becomesTrue { try readiness().text.contains("The disk is full.") == isFull })
    #expect(try readiness().json["status"] == (isFull ? "degraded" : "ready"))
    #expect(try Metrics(of: server)["aasa_database_up{operation=\"write\"}"] == (isFull ? 0 : 1))
    let again = "The disk has room again."
    #expect(try becomesTrue { try server.errors().contains(again) == !isFull })
  }

  /// Another process says what is the matter, and changes nothing either.
  private func checkOtherProcess(_ server: RunningServer, _ served: JSON) throws {
    let result = try Program.aasa(
      "import", "--domain", "example.com", "--database", database, "-",
      input: file("import").serialized())
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("is on a full disk. Free some space."), "\(result.errors)")
    #expect(try server.file(of: "example.com").json == served)
  }

  @Test func startingOnAFullDiskIsReportedAndLosesNothing() throws {
    let adopted = try Program.aasa(
      "import", "--domain", "example.com", "--database", database, "-",
      input: file("before").serialized())
    #expect(adopted.status == 0)
    disk.fill()
    let result = try Program.aasa("serve", "--database", database)
    #expect(result.status == 1)
    #expect(result.errors.contains("is on a full disk. Free some space."), "\(result.errors)")
    try disk.makeRoom()
    let server = try RunningServer(database: database)
    #expect(try server.file(of: "example.com").json == file("before"))
  }

  private static let tokenCreate = ["token", "create", "--name", "a", "--role", "viewer"]

  @Test(arguments: [["serve"], tokenCreate], [false, true])
  func anUnwritableDirectoryIsReportedWithAdvice(words: [String], hasDatabase: Bool) throws {
    if hasDatabase {
      let words = ["token", "create", "--name", "b", "--role", "viewer", "--database", database]
      #expect(try Program.run(Program.aasa, words).status == 0)
    }
    try disk.makeReadOnly()
    let result = try Program.run(
      Program.aasa, words + ["--database", database] + (words == ["serve"] ? ports : []))
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("\"\(database)\" cannot be opened or created."))
    #expect(result.errors.contains("cannot be opened or created"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  /// SQLite can read what a crash on a failing disk leaves; a database that was closed well it
  /// cannot open without a place for the WAL.
  @Test func aReadOnlyDatabaseIsServedAfterACrashAndEditsAreRefused() throws {
    let first = try RunningServer(database: database)
    let token = try first.firstToken()
    let path = "/v1/domains/example.com/file"
    #expect(try first.client().send("PUT", path, json: file("before")).status == 201)
    #expect(try first.end(SIGKILL) == .killed(bySignal: SIGKILL))
    try disk.makeReadOnly()

    let server = try RunningServer(database: database)
    #expect(try server.file(of: "example.com").json == file("before"))
    let answer = try server.client(token: token).send("PUT", path, json: file("after"))
    #expect(answer.status == 503)
    #expect(try answer.code == "database-unavailable")
    #expect(try server.file(of: "example.com").json == file("before"))
    #expect(try server.end() == .exited(0))
    #expect(
      try server.errors().contains("aasa.db\": Read-only file system. Files are served"))
  }
}
