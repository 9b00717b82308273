import Association
import Store
import TestSupport
import Testing

/// What another process does to the database of a running server is served within a second.
@Suite struct FollowingTests {
  private let scratch: TemporaryDirectory
  private let server: RunningServer
  private var database: String { scratch.path("aasa.db") }

  init() throws {
    scratch = try TemporaryDirectory()
    server = try RunningServer(database: scratch.path("aasa.db"))
  }

  private func adopt(_ file: JSON, _ domain: String) throws {
    let result = try Program.aasa(
      "import", "--domain", domain, "--database", database, "-", input: file.serialized())
    #expect(result.status == 0)
  }

  private func isServed(
    _ file: JSON, for host: String, within seconds: Double = 180
  ) throws -> Bool {
    try becomesTrue(within: seconds) {
      let answer = try server.file(of: host)
      return try answer.status == 200 && answer.json == file
    }
  }

  @Test func aNewDomainAndItsNextRevisionsAreServedWithinASecond() throws {
    for paths in [["/a"], ["/b", "/a"], ["/c"]] {
      try adopt(AssociationFile.routes(paths), "new.example")
      #expect(try isServed(AssociationFile.routes(paths), for: "new.example"))
    }
    // A busy machine may need longer for most of them.
    var number = 0
    let isQuick = try becomesTrue {
      number += 1
      let file = AssociationFile.routes(["/\(number)"])
      try adopt(file, "new.example")
      return try isServed(file, for: "new.example", within: 1)
    }
    #expect(isQuick)
  }

  @Test func anAliasThatMovesToAnotherDomainIsServedThere() throws {
    // Two servers on one database: the second one's edits are another process's to the first.
    let token = try server.firstToken()
    let second = try RunningServer(database: database)
    let client = second.client(token: token)
    try adopt(AssociationFile.routes(["/one"]), "one.example")
    try adopt(AssociationFile.routes(["/two"]), "two.example")
    func setAliases(_ aliases: JSON, of domain: String) throws {
      let answer = try client.send("PATCH", "/v1/domains/\(domain)", json: ["aliases": aliases])
      #expect(answer.status == 200)
    }
    try setAliases(["www.example"], of: "one.example")
    #expect(try isServed(AssociationFile.routes(["/one"]), for: "www.example"))
    try setAliases([], of: "one.example")
    try setAliases(["www.example"], of: "two.example")
    #expect(try isServed(AssociationFile.routes(["/two"]), for: "www.example"))
    let path = "/v1/domains/two.example?accept=opens-nothing"
    #expect(try client.send("DELETE", path).status == 200)
    #expect(try becomesTrue { try server.file(of: "www.example").status == 404 })
    #expect(try server.file(of: "one.example").json == AssociationFile.routes(["/one"]))
  }

  @Test func aFailureToFollowIsLoggedOnceAndFilesAreServedAsBefore() throws {
    try adopt(AssociationFile.routes(["/a"]), "example.com")
    #expect(try isServed(AssociationFile.routes(["/a"]), for: "example.com"))
    let other = try Database { try SQLiteConnection(path: database, mode: .create) }
    try other.withConnection { try $0.execute("ALTER TABLE change RENAME TO gone") }
    func count(_ words: String) throws -> Int { try server.errors().ranges(of: words).count }
    #expect(try becomesTrue { try count("The database is damaged.") == 1 })
    #expect(try server.file(of: "example.com").status == 200)
    #expect(try !becomesTrue(within: 1) { try count("The database is damaged.") > 1 })

    // SQLite puts the new name into quotes, which would be another schema.
    try other.withConnection {
      try $0.execute(
        """
        ALTER TABLE gone RENAME TO change; PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '"change"', 'change') WHERE name = 'change';
        PRAGMA writable_schema = OFF
        """)
    }
    try adopt(AssociationFile.routes(["/b"]), "example.com")
    #expect(try isServed(AssociationFile.routes(["/b"]), for: "example.com"))
    #expect(try becomesTrue { try count("A new check found no damage") == 1 })
  }

  @Test func alternatingEditsOfTwoProcessesAreAllKept() throws {
    let client = try server.client()
    for number in 1...10 {
      try adopt(AssociationFile.routes(["/import/\(number)"]), "shared.example")
      let file = AssociationFile.routes(["/put/\(number)"])
      let answer = try client.send("PUT", "/v1/domains/shared.example/file", json: file)
      #expect(answer["ETag"] == "\"\(2 * number)\"")
      #expect(try server.file(of: "shared.example").json == file, "at once, not within a second")
    }
  }
}
