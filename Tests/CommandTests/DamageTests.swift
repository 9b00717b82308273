import Glibc
import Association
import Store
import TestSupport
import Testing

/// Damage to the database is reported, and damaged files are never served as intact.
@Suite struct DamageTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path("aasa.db") }
  private let domains = (1...6).map { "d\($0).example" }

  init() throws {
    scratch = try TemporaryDirectory()
    let token = try Program.aasa(
      "token", "create", "--name", "me", "--role", "admin", "--database", database)
    #expect(token.status == 0)
    try scratch.write(token.lines.first ?? "", to: "token")
    for revision in 1...3 {
      for domain in domains {
        let paths = (1...20).map { "/\(domain)/\(revision)/\($0)/*" }
        let result = try Program.aasa(
          "import", "--domain", domain, "--database", database, "-",
          input: AssociationFile.routes(paths).serialized())
        #expect(result.status == 0, "\(result.errors)")
      }
    }
  }

  private func readiness(_ server: RunningServer) throws -> JSON {
    try Client(port: server.adminPort, lines: ["Host: x"]).send("GET", "/readyz").json
  }

  private func lines(_ server: RunningServer, with text: String) throws -> Int {
    try server.errors().split(separator: "\n").count { $0.contains(text) }
  }

  @Test func damagedPagesThatAreMetMakeTheServerDegradedAndAreLoggedOnce() throws {
    let pages = try Database { try SQLiteConnection(path: database, mode: .existing) }
      .withConnection { connection in
        try connection.all(
          "SELECT rootpage FROM sqlite_schema WHERE name IN ('app', 'entry', 'route', 'entry_app', "
            + "'query_item', 'defaults', 'check_schedule_of_check')"
        ) { $0.int(0) }
      }
    #expect(pages.count == 7)
    var bytes = try scratch.read("aasa.db")
    for page in pages { for index in 0..<4096 { bytes[(page - 1) * 4096 + index] = 0xAA } }
    try scratch.write(bytes, to: "aasa.db")

    let server = try RunningServer(database: database)
    let client = server.client(token: try scratch.text("token"))
    for domain in domains {
      #expect(try client.send("GET", "/v1/domains/\(domain)").status == 500)
      #expect(try server.file(of: domain).status == 200)
    }
    #expect(try readiness(server)["status"] == "degraded")
    let problems = try readiness(server)["problems"]?.arrayValue ?? []
    #expect(problems.count { $0.stringValue?.contains("The database is damaged.") == true } == 1)
    #expect(try Metrics(of: server)["aasa_database_up{operation=\"read\"}"] == 0)
    #expect(try server.end() == .exited(0))
    #expect(try lines(server, with: "The database is damaged.") == 1)
  }

  /// What only a check of the whole database finds.
  @Test(arguments: [
    "DELETE FROM app",
    "PRAGMA ignore_check_constraints = ON; UPDATE domain SET cache_seconds = -1 WHERE id = 1",
    "UPDATE sqlite_schema SET sql = 'CREATE INDEX entry_of_domain ON entry (position, domain_id)' "
      + "WHERE name = 'entry_of_domain'",
  ])
  func aServerLooksForDamageAfterItsStart(sql: String) throws {
    try Database { try SQLiteConnection(path: database, mode: .existing) }.withConnection {
      connection in
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; \(sql)")
    }
    let server = try RunningServer(database: database)
    #expect(try becomesTrue { try readiness(server)["status"] == "degraded" })
    #expect(try server.file(of: domains[0]).status == 200)
    #expect(try server.end() == .exited(0))
    #expect(try lines(server, with: "The database is damaged.") == 1)
  }

  @Test func aWholeDatabaseIsCheckedAfterTheStartAndReady() throws {
    let server = try RunningServer(database: database)
    #expect(
      try becomesTrue {
        try Metrics(of: server)["aasa_database_checked_timestamp_seconds"] != nil
      })
    #expect(try readiness(server) == ["status": "ready"])
    #expect(try Metrics(of: server)["aasa_damaged_files"] == 0)
  }

  @Test func aDomainWithADamagedDocumentCanBeEditedAndDeletedAndCostsNoOther() throws {
    try Database { try SQLiteConnection(path: database, mode: .existing) }.withConnection {
      connection in
      try connection.execute(
        """
        UPDATE document SET content = x'7b' WHERE revision = 3 AND domain_id IN (1, 2);
        UPDATE document SET kind = 'of-tomorrow' WHERE revision = 3 AND domain_id = 3;
        """)
    }
    let server = try RunningServer(database: database)
    for (number, domain) in domains.enumerated() {
      let paths = (1...20).map { "/\(domain)/\(number < 3 ? 2 : 3)/\($0)/*" }
      #expect(AssociationFile.paths(of: try server.file(of: domain).json) == paths)
    }
    let client = server.client(token: try scratch.text("token"))
    let deleted = try client.send("DELETE", "/v1/domains/d1.example?accept=opens-nothing")
    #expect(deleted.status == 200, "\(deleted.text)")
    let edited = try client.send("PATCH", "/v1/domains/d2.example", json: ["cacheSeconds": 60])
    #expect(edited.status == 200, "\(edited.text)")
    let paths = (1...20).map { "/d2.example/3/\($0)/*" }
    #expect(AssociationFile.paths(of: try server.file(of: "d2.example").json) == paths)
  }

  @Test func aChangedDocumentIsNotServedButTheNewestIntactRevision() throws {
    try Database { try SQLiteConnection(path: database, mode: .existing) }.withConnection {
      connection in
      try connection.execute(
        """
        UPDATE document SET content = CAST(replace(content, '/1/*', '/9/*') AS BLOB)
          WHERE revision = 3 AND domain_id IN (1, 2);
        UPDATE document SET content = x'7b7d' WHERE domain_id = 3;
        """)
    }
    let server = try RunningServer(database: database)
    for (number, domain) in domains.enumerated() {
      let answer = try server.file(of: domain)
      let revision = number < 2 ? 2 : 3
      let paths = (1...20).map { "/\(domain)/\(revision)/\($0)/*" }
      #expect(answer.status == (number == 2 ? 404 : 200))
      if number != 2 { #expect(AssociationFile.paths(of: try answer.json) == paths) }
    }
    #expect(try readiness(server)["status"] == "degraded")
    #expect(try Metrics(of: server)["aasa_damaged_files"] == 3)
    let errors = try server.errors()
    #expect(errors.contains("revision 3 of d1.example is damaged; revision 2 is served"))
    #expect(errors.contains("revision 3 of d3.example is damaged, and no older one is intact"))
    // Publishing again repairs a domain.
    let client = server.client(token: try scratch.text("token"))
    for domain in domains.prefix(3) {
      let file = AssociationFile.routes(["/\(domain)"])
      #expect(try client.send("PUT", "/v1/domains/\(domain)/file", json: file).status == 200)
      #expect(try server.file(of: domain).json == file)
    }
    #expect(try becomesTrue { try Metrics(of: server)["aasa_damaged_files"] == 0 })
    #expect(try server.end() == .exited(0))
  }

  @Test func aRevisionAfterTheCurrentOneIsToldAndServed() throws {
    try Database { try SQLiteConnection(path: database, mode: .existing) }.withConnection {
      try $0.execute("UPDATE domain SET revision = 2 WHERE id = 1")
    }
    let server = try RunningServer(database: database)
    let paths = (1...20).map { "/d1.example/3/\($0)/*" }
    #expect(AssociationFile.paths(of: try server.file(of: "d1.example").json) == paths)
    let errors = try server.errors()
    #expect(errors.contains("revision 2 of d1.example is damaged; revision 3 is served"))
    #expect(try server.end() == .exited(0))
  }

  /// Each database has one changed byte. Wherever it is, a file is served with the tag of its own
  /// bytes, and one that is not the newest is told.
  @Test func noFlippedByteChangesOrLosesAFileSilently() throws {
    let whole = try scratch.read("aasa.db")
    let original = try RunningServer(database: database)
    let tags = try domains.map { try original.file(of: $0)["ETag"] }
    #expect(try original.end() == .exited(0))
    var random = SeededGenerator(seed: 12)
    for seed in 1...60 {
      var bytes = whole
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] ^= UInt8.random(in: 1...255, using: &random)
      try scratch.write(bytes, to: "flipped.db")
      for suffix in ["-wal", "-shm"] { unlink(scratch.path("flipped.db\(suffix)")) }
      let server: RunningServer
      do {
        server = try RunningServer(database: scratch.path("flipped.db"))
      } catch let error as RunningServer.NotStarted {
        #expect(error.errors.contains("\"\(scratch.path("flipped.db"))\""), "\(seed): \(index)")
        continue
      }
      for (domain, tag) in zip(domains, tags) {
        let answer = try server.file(of: domain)
        if answer.status == 200 {
          let digest = SHA256.hexadecimal(of: answer.body)
          #expect(answer["ETag"] == "\"\(digest)\"", "\(seed): \(index)")
        }
        if answer["ETag"] != tag {
          #expect(
            try becomesTrue { try readiness(server)["status"] == "degraded" },
            "\(seed): \(index), \(domain): \(answer.statusLine)")
          #expect(try becomesTrue { try server.errors().contains(" error ") })
        }
      }
      #expect(try server.end() == .exited(0))
    }
  }

  @Test func theDatabaseIsCheckedInTheConfiguredHour() throws {
    // A time zone in which it is half past twelve now.
    let offset = time(nil) / 60 % 1440 - 750
    let zone = "XXX\(offset < 0 ? "-" : "+")\(abs(offset) / 60):\(abs(offset) % 60)"
    try scratch.write("checkHour = 11", to: "aasa.toml")
    let server = try RunningServer(
      database: database, arguments: ["--config", scratch.path("aasa.toml")],
      environment: ["TZ": zone])
    #expect(
      try becomesTrue {
        try Metrics(of: server)["aasa_database_checked_timestamp_seconds"] != nil
      })
    try Database { try SQLiteConnection(path: database, mode: .existing) }.withConnection {
      connection in
      try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM app")
    }
    #expect(try readiness(server) == ["status": "ready"])
    try scratch.write("checkHour = 12", to: "aasa.toml")
    server.process.signal(SIGHUP)
    #expect(try becomesTrue { try readiness(server)["status"] == "degraded" })
    #expect(try server.end() == .exited(0))
    #expect(try server.errors().contains("refers to a missing row of"))
  }
}
