import Foundation
import Association
import TestSupport
import Testing

/// Servers and commands with the rights that docs/scaling.md names, and no others.
@Suite(PostgreSQLServer.needs) struct DatabaseRightsTests {
  private let scratch: TemporaryDirectory
  private let database: PostgreSQLServer

  init() throws {
    scratch = try TemporaryDirectory()
    database = try PostgreSQLServer()
  }

  @discardableResult private func psql(as user: String, _ statements: [String]) throws -> String {
    let words = ["-qAt", "-v", "ON_ERROR_STOP=1", "-h", database.folder, "-U", user, "-d", "aasa"]
    let result = try Program.run("psql", words + statements.flatMap { ["-c", $0] })
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  private func hasTables() throws -> Bool {
    let count = "SELECT count(*) FROM pg_class WHERE relname = 'domain'"
    return try psql(as: "postgres", [count]) != "0\n"
  }

  /// Creates a role, to which the owner grants what the page says.
  private func create(_ role: String, except right: String? = nil) throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/scaling.md").standardized
    let statements = try String(contentsOf: page, encoding: .utf8).split(separator: "\"")
      .filter { $0.hasSuffix(" TO \(role)") }.map(String.init)
    try #require(statements.count == (4))
    try psql(as: "postgres", ["CREATE ROLE \(role) LOGIN"])
    try psql(
      as: "aasa", statements.filter { statement in right.map { !statement.contains($0) } ?? true })
  }

  private func uri(_ role: String) -> String { database.uri.replacing("aasa@", with: "\(role)@") }

  /// What a team does in its first weeks.
  private func work(_ server: RunningServer, _ client: Client) throws {
    try client.publish("example.com", "/a")
    try client.publish("gone.example", "/a")
    #expect(try server.file(of: "example.com").text.contains("/a"))
    #expect(try client.change("example.com", "/b").status == 200)
    let domain = "/v1/domains/example.com"
    let requests: [(method: String, target: String, body: JSON?)] = [
      (
        "PUT", "/v1/android-apps/com.example.app",
        [
          "fingerprints": [
            [
              "sha256": .string(Array(repeating: "AB", count: 32).joined(separator: ":")),
              "label": "upload",
            ]
          ]
        ]
      ),
      ("PUT", "\(domain)/expectations", ["expectations": []]),
      ("POST", "\(domain)/revisions/1/restore", nil),
      ("DELETE", "/v1/domains/gone.example?accept=opens-nothing", nil),
      ("POST", "/v1/domains/gone.example/restore", nil),
      ("POST", "/v1/apps/ABCDE12345.com.example.app/rename", ["to": "ABCDE12345.com.example.new"]),
      (
        "PUT", "/v1/webhooks/chat",
        ["url": "https://chat.example/hook", "events": ["revision.published"]]
      ),
      ("DELETE", "/v1/webhooks/chat", nil),
      ("POST", "/v1/tokens", ["name": "ci", "role": "editor", "domains": ["*.example"]]),
      ("DELETE", "/v1/tokens/ci", nil),
      ("PUT", "/v1/users/anna", ["role": "viewer"]),
      ("DELETE", "/v1/users/anna", nil),
      ("POST", "/v1/check", ["domains": ["example.com"]]),
      ("POST", "/v1/apply", ["domains": [["domain": "new.example", "entries": []]]]),
      ("GET", "/v1/findings", nil), ("GET", "/v1/export", nil), ("GET", "/v1/audit", nil),
      ("GET", "/v1/replicas", nil), ("GET", "/v1/checks", nil), ("GET", "/v1/apps", nil),
    ]
    for (method, target, body) in requests {
      let response = try client.send(
        method, target, body: body.map { $0.serialized() },
        target.hasPrefix(domain) ? "If-Match: *" : "Accept: */*")
      #expect((200..<300).contains(response.status), "\(method) \(target): \(response.text)")
    }
    #expect(try client.send("GET", "/healthz").status == 200)
    #expect(try client.send("GET", "/readyz").json["status"] == "ready")
    let errors = try server.errors()
    #expect(!errors.contains("permission denied"), "\(errors)")
  }

  @Test func theOwnerOfTheDatabaseNeedsNoFurtherRight() throws {
    let server = try RunningServer(database: database.uri)
    try work(server, server.client())
    for file in ["a.db", "b.db"] {
      let saved = try Program.aasa("backup", scratch.path(file), "--database", database.uri)
      #expect(saved.status == 0, "\(saved.errors)")
    }
    _ = try server.end()
    let restored = try Program.aasa(
      "restore", scratch.path("a.db"), "--database", database.uri, "--force")
    #expect(restored.status == 0, "\(restored.errors)")
    let copied = try Program.aasa("copy", "--from", database.uri, "--to", scratch.path("copy.db"))
    #expect(copied.status == 0, "\(copied.errors)")
    let checked = try Program.aasa("doctor", "--database", database.uri)
    #expect(!checked.output.contains("permission denied"), "\(checked.output)")
  }

  /// Earlier versions of the page did not grant the sequences.
  @Test(arguments: [nil, "SEQUENCES"])
  func aServerThatMayOnlyReadAndWriteRowsDoesEverythingAfterTheFirstStart(
    _ withheld: String?
  ) throws {
    let first = try RunningServer(database: database.uri)
    let token = try first.firstToken()
    _ = try first.end()
    try create("aasa_server", except: withheld)
    let server = try RunningServer(database: uri("aasa_server"))
    try work(server, server.client(token: token))
    if withheld == nil {
      let saved = try Program.aasa(
        "backup", scratch.path("a.db"), "--database", uri("aasa_server"))
      #expect(saved.status == 0, "\(saved.errors)")
    }
    _ = try server.end()
  }

  @Test(arguments: ["missing", "damaged"])
  func aRestoreThatFailsChangesNothing(backup: String) throws {
    if backup == "damaged" { try scratch.write("SQLite format 3", to: backup) }
    let file = scratch.path(backup)
    for words in [
      ["restore", "--force", file, "--database", database.uri],
      ["copy", "--from", file, "--to", database.uri],
    ] {
      let refused = try Program.run(Program.aasa, words)
      #expect(refused.status == 1 && refused.errors.contains(file), "\(refused.errors)")
      #expect(try !hasTables(), "\(words)")
    }
  }

  @Test func aReadOnlyServerThatMayOnlySelectServesAndAnswers() throws {
    let primary = try RunningServer(database: database.uri)
    let token = try primary.firstToken()
    try primary.client(token: token).publish("example.com", "/a")
    try create("aasa_reader")
    let reader = try RunningServer(database: uri("aasa_reader"), arguments: ["--read-only"])
    #expect(try reader.file(of: "example.com").text.contains("/a"))
    #expect(try primary.client(token: token).change("example.com", "/b").status == 200)
    #expect(try becomesTrue { try reader.file(of: "example.com").text.contains("/b") })
    let client = reader.client(token: token)
    for target in [
      "/v1/domains", "/v1/domains/example.com", "/v1/domains/example.com/revisions", "/v1/findings",
      "/v1/export", "/v1/audit", "/v1/replicas", "/v1/checks", "/v1/webhooks", "/v1/tokens",
    ] { #expect(try client.send("GET", target).status == 200, "\(target)") }
    #expect(try client.change("example.com", "/c").json["code"] == "read-only-server")
    let saved = try Program.aasa(
      "backup", scratch.path("reader.db"), "--database", uri("aasa_reader"))
    #expect(saved.status == 0, "\(saved.errors)")
    let errors = try reader.errors()
    #expect(!errors.contains("permission denied"), "\(errors)")
  }

  @Test func aRoleThatMayNotCreateTablesIsToldWhatItLacks() throws {
    try psql(as: "postgres", ["CREATE ROLE nobody LOGIN"])
    let refused = try Program.aasa("serve", "--database", uri("nobody"))
    #expect(refused.status == 1)
    #expect(refused.errors.contains("permission denied for schema public (42501)"))
    #expect(refused.errors.contains("start a server once as its owner"), "\(refused.errors)")
    #expect(try !hasTables())
  }

  @Test func whatTheServerReportsHasNoSQL() throws {
    try psql(
      as: "aasa",
      [
        "CREATE TABLE migration (version BIGINT, name TEXT, applied_at BIGINT)",
        "CREATE TABLE app (id INT)",
      ])
    let refused = try Program.aasa("serve", "--database", database.uri)
    #expect(refused.status == 1)
    #expect(refused.errors.contains(#"relation "app" already exists (42P07)"#), "\(refused.errors)")
    #expect(!refused.errors.contains("CREATE") && refused.errors.utf8.count < 400)
  }
}
