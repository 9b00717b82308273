import Foundation
import Association
import TestSupport
import Testing

/// Addresses of databases, and copies between them.
@Suite struct CopyCommandTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  private static let wrong = [
    ("postgresql://u:secret@h/x?nope=1", "invalid URI query parameter"),
    ("postgresql://u:secret@[h/x", "\"]\""),
    ("postgres:u:secret@h/x", "missing \"=\""),
    ("service=nowhere", "nowhere"),
    ("postgresql://u:secret@127.0.0.1:1/x", "cannot be reached"),
    ("postgresql://u:secret@127.0.0.1:port/x", "invalid"),
  ]

  @Test(arguments: wrong)
  func aWrongAddressEndsWithASentenceAndWithoutItsPassword(address: String, part: String) throws {
    let result = try Program.aasa("domains", "--database", address)
    #expect(result.status == (part == "cannot be reached" ? 69 : 1) && result.output.isEmpty)
    #expect(result.errors.contains(part) && !result.errors.contains("secret"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  private static let shown = [
    ("postgresql://u:secret@h:1/x?sslmode=require", "postgresql://u@h:1/x"),
    ("postgresql://h/x?user=u&password=secret", "postgresql://u@h/x"),
    ("postgresql://u:secret@a,b:2/x", "postgresql://u@a,b:2/x"),
    ("postgresql://u:secret@/x?host=/run/a", "postgresql://u@/x?host=/run/a"),
    ("service=main password=secret", "service=main"),
    ("files/aasa.db", "files/aasa.db"),
  ]

  @Test(arguments: shown)
  func theSettingsShowAnAddressWithoutItsPassword(address: String, text: String) throws {
    let plain = try Program.aasa("config", environment: ["AASA_DATABASE": address])
    #expect(plain.lines.first == "database\t\(text)\tAASA_DATABASE")
    let json = try Program.aasa("config", "--json", environment: ["AASA_DATABASE": address])
    #expect(!json.output.contains("secret"))
  }

  @Test func aCopyIsRefusedWhileAServerMayWriteAndMadeWhileOneOnlyReads() throws {
    let copy = scratch.path("copy.db")
    let writing = try RunningServer(database: database)
    let client = try writing.client()
    let entry: JSON = ["apps": ["ABCDE12345.com.example.app"], "routes": [["path": "/a"]]]
    let published = try client.send(
      "PUT", "/v1/domains/example.com", json: ["entries": [entry]])
    #expect(published.status == 201)
    let isListed = try becomesTrue {
      try client.send("GET", "/v1/replicas").json["items"]?.arrayValue?.count == 1
    }
    #expect(isListed)
    let refused = try Program.aasa("copy", "--from", database, "--to", copy)
    #expect(refused.status == 1 && refused.errors.contains("http://127.0.0.1:\(writing.adminPort)"))
    #expect(access(copy, F_OK) != 0)
    let token = try writing.firstToken()
    _ = try writing.end()
    let reading = try RunningServer(database: database, arguments: ["--read-only"])
    #expect(try reading.file(of: "example.com").text.contains("/a"))
    let edit = try reading.client(token: token).send(
      "PATCH", "/v1/domains/example.com", json: ["cacheSeconds": 60])
    #expect(try edit.status == 409 && edit.code == "read-only-server")
    let made = try Program.aasa("copy", "--from", database, "--to", copy, "--json")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try JSON.parse(made.bytes).value["rows"]?["domain"] == 1)
    let again = try Program.aasa("copy", "--from", database, "--to", copy)
    #expect(again.status == 1 && again.errors.contains("already exists"))
    #expect(try Program.aasa("show", "example.com", "--database", copy).output.contains("/a"))
    #expect(try reading.errors().contains(" error ") == false)
  }
}
