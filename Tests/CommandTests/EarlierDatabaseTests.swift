import Foundation
import Association
import TestSupport
import Testing

/// This program opens the databases of earlier versions, as docs/upgrading.md promises.
@Suite struct EarlierDatabaseTests {
  private static let folder = URL(filePath: #filePath)
    .appending(path: "../../Fixtures/Databases").standardized
  static let versions: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []

  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }

  init() throws { scratch = try TemporaryDirectory() }

  /// Copies the database of a version, and returns the files that its hosts get.
  private func files(of version: String) throws -> [String: [UInt8]] {
    let folder = Self.folder.appending(path: version)
    try scratch.write(Array(Data(contentsOf: folder.appending(path: "aasa.db"))), to: "aasa.db")
    chmod(database, 0o600)
    return try Self.files(in: folder)
  }

  private static func files(in folder: URL) throws -> [String: [UInt8]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        (String($0.dropLast(5)), Array(try Data(contentsOf: folder.appending(path: $0))))
      })
  }

  private func token(_ options: String..., in other: String? = nil) throws -> String {
    let created = try Program.run(
      Program.aasa,
      ["token", "create", "--database", other ?? database, "--name", "new", "--role", "admin"]
        + options)
    return created.output.trimmingCharacters(in: .newlines)
  }

  @Test func thereIsOne() { #expect(!Self.versions.isEmpty) }

  @Test(arguments: versions)
  func itsFilesAreServedByteForByte(version: String) throws {
    let files = try files(of: version)
    try Self.expect(files, from: RunningServer(database: database))
  }

  private static func expect(_ files: [String: [UInt8]], from server: RunningServer) throws {
    #expect(files.count >= 6)
    for (host, expected) in files {
      let answer = try server.file(of: host)
      #expect(answer.status == 200 && answer.body == expected, "\(host)")
    }
    for host in ["off.example", "gone.example"] {
      #expect(try server.file(of: host).status == 404)
    }
  }

  @Test(arguments: versions)
  func itsDomainsCanBeEditedAndRolledBack(version: String) throws {
    let before = try #require(try files(of: version)["example.com"])
    try Self.editAndRollBack(
      RunningServer(database: database), token: token(), before: before)
  }

  private static func editAndRollBack(
    _ server: RunningServer, token: String, before: [UInt8]
  ) throws {
    let client = server.client(token: token)
    let path = "/v1/domains/example.com"
    let edited = try client.send("POST", path + "/entries/1/routes", json: ["path": "/new/*"])
    #expect(edited.status == 201, "\(edited.text)")
    let history = try client.send("GET", path + "/revisions").json
    let previous =
      try #require(history["items"]?.arrayValue?.dropFirst().first?["revision"])
      .integerValue ?? 0
    let restored = try client.send("POST", path + "/revisions/\(previous)/restore")
    #expect(restored.status == 200, "\(restored.text)")
    let file = try client.send("GET", path + "/file")
    #expect(file.body == before)
    // The expectation of the earlier version still protects its link.
    let refused = try client.send("DELETE", path + "/entries/1/routes/1")
    #expect(refused.status == 409, "\(refused.text)")
    #expect(try server.file(of: "example.com").body == before)
  }

  @Test(arguments: [
    ["domains"], ["export"], ["token", "list"], ["match", "https://example.com/a"],
    ["show", "example.com"], ["apply", "--dry-run", "state.json"], ["diff", "state.json"],
    ["check", "example.com"], ["template", "suggest", "example.com"],
  ])
  func whatOnlyReadsDoesNotUpgradeIt(words: [String]) throws {
    _ = try files(of: "before-1.0.0")
    try scratch.write("{}", to: "state.json")
    let result = try Program.run(
      Program.aasa, words + ["--database", database], in: scratch)
    #expect(result.status == 1 && result.errors.contains("has schema 4"), "\(result.errors)")
    let report = try Program.aasa("doctor", "--database", database)
    #expect(report.output.contains("schema 4"), "\(report.output)")
    _ = try token()
    #expect(try Program.aasa("domains", "--database", database).status == 0)
  }

  @Test(arguments: versions)
  func itsTokensAreKeptAndNothingIsDamaged(version: String) throws {
    _ = try files(of: version)
    _ = try token()
    let list = try Program.aasa("token", "list", "--database", database).output
    #expect(list.contains("fixture") && list.contains("*.brand.example"))
    let report = try Program.aasa("doctor", "--database", database)
    #expect(report.lines.first { $0.contains(" database ") }?.hasPrefix("ok ") == true)
    #expect(report.output.contains("no damage"))
    let state = try Program.aasa("export", "--database", database)
    #expect(state.status == 0)
    try scratch.write(state.bytes, to: "state.json")
    let difference = try Program.aasa(
      "diff", scratch.path("state.json"), "--database", database)
    #expect(difference.status == 0, "\(difference.output)\(difference.errors)")
  }

  /// What `Tests/Fixtures/make-database` writes since 1.0.0.
  static let releases = versions.filter { $0 != "before-1.0.0" }

  @Test(PostgreSQLServer.needs, arguments: releases)
  func itsDumpIsServedAndEditedByItsOwnerOnPostgreSQL(version: String) throws {
    let folder = Self.folder.appending(path: version)
    let postgresql = try PostgreSQLServer()
    // PostgreSQL's user must be able to read it.
    let dump = postgresql.folder + "/aasa.sql"
    try FileManager.default.copyItem(atPath: folder.appending(path: "aasa.sql").path, toPath: dump)
    chmod(dump, 0o644)
    try postgresql.run(
      "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", postgresql.uri, "-f", dump)
    let server = try RunningServer(database: postgresql.uri)
    let files = try Self.files(in: folder)
    try Self.expect(files, from: server)
    try Self.editAndRollBack(
      server, token: token(in: postgresql.uri), before: #require(files["example.com"]))
    let report = try Program.aasa("doctor", "--database", postgresql.uri)
    #expect(report.output.contains("no damage"))
  }

  @Test(arguments: releases)
  func itsDocumentsAndTemplatesAndDraftsGoOn(version: String) throws {
    _ = try files(of: version)
    let server = try RunningServer(database: database)
    let client = server.client(token: try token("--publishes-protected"))
    for (name, content) in [
      ("gpc.json", #"{"gpc": true}"#), ("webauthn", #"{"origins":["https://full.example"]}"#),
      ("passkey-endpoints", #"{"enroll":"https://full.example/passkeys"}"#),
    ] {
      let answer = try server.file(name, of: "full.example")
      #expect(answer.status == 200 && answer.body == Array(content.utf8), "\(name): \(answer.body)")
    }
    let links = try server.file("assetlinks.json", of: "full.example")
    #expect(try links.status == 200 && links.json.text.contains("com.example.shop"))
    for (target, location) in [
      ("/.well-known/change-password", "https://full.example/password"),
      ("/nowhere", "https://www.example.com/nowhere"),
      ("/private/1", "https://www.example.com/sorry"),
    ] {
      let answer = try RawConnection(port: server.publicPort).exchange(
        "GET \(target) HTTP/1.1\r\nHost: full.example\r\n\r\n")
      #expect(answer["Location"] == location, "\(target): \(answer.status)")
    }
    let path = "/v1/templates/white-label"
    let template = try client.send("GET", path).json
    let edited = try client.send(
      "PUT", path,
      json: [
        "parameters": try #require(template["parameters"]), "cacheSeconds": 60,
        "entries": try #require(template["entries"]),
      ])
    #expect(try edited.status == 200 && edited.json["published"] == 2, "\(edited.text)")
    let approved = try client.send("POST", "/v1/drafts/1/approve")
    #expect(approved.status == 200, "\(approved.text)")
    let domain = try client.send("GET", "/v1/domains/protected.example").json
    #expect(domain["cacheSeconds"] == 60 && domain["protected"] == true)
  }
}
