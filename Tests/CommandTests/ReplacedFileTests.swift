import FoundationEssentials
import Glibc
import Association
import TestSupport
import Testing

/// The database file of a running server is deleted or replaced: no edit is acknowledged and lost.
@Suite struct ReplacedFileTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("data/aasa.db") }
  private let target = "/v1/domains/example.com/file"

  init() throws {
    scratch = try TemporaryDirectory()
    #expect(mkdir(scratch.path("data"), 0o700) == 0)
  }

  private func delete(_ suffixes: [String]) {
    for suffix in suffixes { #expect(unlink(database + suffix) == 0) }
  }

  private func rescueCopy() throws -> String? {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path("data"))
      .first { $0.contains(".rescue-") && !$0.hasSuffix(".part") }
      .map { scratch.path("data/\($0)") }
  }

  enum Loss: CaseIterable {
    case database, everything, wal, replaced, replacedBesideWAL
  }

  @Test(arguments: Loss.allCases)
  func editsAreRefusedAndEverythingIsSaved(loss: Loss) throws {
    let server = try RunningServer(database: database)
    let token = try server.firstToken()
    let client = server.client(token: token)
    let file = AssociationFile.routes(["/acknowledged"])
    #expect(try client.send("PUT", target, json: file).status == 201)
    let other = scratch.path("data/other.db")
    let made = try Program.aasa(
      "import", "--domain", "other.example", "--database", other, "-", input: file.serialized())
    #expect(made.status == 0)
    switch loss {
    case .database: delete([""])
    case .everything: delete(["", "-wal", "-shm"])
    case .wal: delete(["-wal"])
    case .replaced:
      delete(["-wal", "-shm"])
      #expect(rename(other, database) == 0)
    case .replacedBesideWAL: #expect(rename(other, database) == 0)
    }

    let refused = try client.send("PUT", target, json: AssociationFile.routes(["/lost"]))
    #expect(refused.status == 503)
    #expect(try refused.code == "database-replaced")
    #expect(try server.file(of: "example.com").json == file)
    #expect(try client.send("GET", target).json == file)
    let readiness = try Client(port: server.adminPort, lines: ["Host: x"]).send("GET", "/readyz")
    #expect(readiness.status == 200)
    #expect(try readiness.json["status"] == "degraded")
    #expect(readiness.text.contains("The database file was deleted or replaced."))
    for operation in ["read", "write"] {
      #expect(try Metrics(of: server)["aasa_database_up{operation=\"\(operation)\"}"] == 0)
    }
    let export = try Program.aasa(
      "export", "--server", "http://127.0.0.1:\(server.adminPort)",
      environment: ["AASA_TOKEN": token])
    #expect(export.status == 0)
    #expect(export.output.contains("/acknowledged") && !export.output.contains("/lost"))
    #expect(export.errors.contains("was deleted or replaced. This is what the server still has"))
    #expect(try becomesTrue { try server.errors().contains("Saved a rescue copy") })
    #expect(try server.end() == .exited(0))
    let sentence = "The database file was deleted or replaced."
    #expect(try server.errors().split(separator: "\n").count { $0.contains(sentence) } == 1)

    let copy = try #require(try rescueCopy())
    var status = stat()
    #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let restored = scratch.path("restored.db")
    #expect(try Program.aasa("restore", copy, "--database", restored).status == 0)
    let saved = try Program.aasa("export", "--database", restored)
    #expect(saved.output.contains("/acknowledged") && !saved.output.contains("/lost"))
    if loss == .replaced {
      let new = try Program.aasa("export", "--database", database)
      #expect(new.output.contains("other.example"), "the new file was not touched")
    }
  }

  @Test func aFileThatIsPutBackIsUsedAgain() throws {
    let server = try RunningServer(database: database)
    let client = try server.client()
    #expect(rename(database, database + ".away") == 0)
    let file = AssociationFile.routes(["/a"])
    #expect(try client.send("PUT", target, json: file).code == "database-replaced")
    #expect(rename(database + ".away", database) == 0)
    #expect(try client.send("PUT", target, json: file).status == 201)
    #expect(try becomesTrue { try server.errors().contains("The database file is back.") })
    #expect(try server.end() == .exited(0))
    let saved = try Program.aasa("export", "--database", database)
    #expect(saved.output.contains("example.com"))
  }
}
