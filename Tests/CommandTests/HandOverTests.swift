import Association
import Store
import TestSupport
import Testing

/// An edit that is stored, while something keeps the server from serving what is stored.
@Suite struct HandOverTests {
  private let trial: StateTrial
  private let connection: SQLiteConnection
  private var server: RunningServer { trial.server }

  init() throws {
    trial = try StateTrial()
    connection = try SQLiteConnection(path: trial.database, mode: .create)
  }

  /// Whoever reads what changed fails, while changes can still be written.
  private func damage() throws {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      ALTER TABLE change RENAME TO real_change;
      CREATE VIEW change AS
        SELECT sequence, abs(-9223372036854775808 + 0 * domain_id) AS domain_id FROM real_change;
      CREATE TRIGGER adding INSTEAD OF INSERT ON change
        BEGIN INSERT INTO real_change (domain_id) VALUES (new.domain_id); END;
      CREATE TRIGGER deleting INSTEAD OF DELETE ON change BEGIN SELECT 1; END;
      COMMIT
      """)
  }

  private func repair() throws {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      DROP VIEW change;
      ALTER TABLE real_change RENAME TO change;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '"change"', 'change') WHERE name = 'change';
      COMMIT
      """)
  }

  private func revision(of domain: String) throws -> JSON? {
    try server.client().send("GET", "/v1/domains/\(domain)").json["revision"]
  }

  private func readiness() throws -> JSON { try server.client().send("GET", "/readyz").json }

  private static let sentence =
    "An edit is stored but not served yet. The previous file is still served."

  @Test func anEditThatIsStoredButNotServedIsReportedAndServedLater() throws {
    let client = try server.client()
    let path = "/v1/domains/a.example"
    try damage()
    let change = StateTrial.domain("a.example", ["/z"])
    let answer = try client.send("PUT", path, json: change, "If-Match: *")
    #expect(answer.status == 500)
    #expect(try answer.code == "committed-not-served")
    #expect(try answer.json["domain"] == "a.example" && answer.json["revision"] == 2)
    #expect(answer["ETag"] == "\"2\"")
    #expect(try revision(of: "a.example") == 2, "it is stored")
    #expect(try AssociationFile.paths(of: server.file(of: "a.example").json) == ["/a"])
    #expect(try readiness()["problems"]?.arrayValue?.contains(.string(Self.sentence)) == true)

    let again = try client.send("PUT", path, json: change, "If-Match: *")
    #expect(try again.code == "committed-not-served", "a success would say that it is served")
    #expect(try revision(of: "a.example") == 2)
    #expect(try Metrics(of: server)["aasa_commits_not_served_total"] == 2)

    try repair()
    #expect(try trial.isServed(["/z"], for: "a.example"))
    #expect(try client.send("PUT", path, json: change, "If-Match: *").status == 200)
    #expect(try becomesTrue { try readiness() == ["status": "ready"] })
    func count(_ words: String) throws -> Int { try server.errors().ranges(of: words).count }
    #expect(try becomesTrue { try count("All stored edits are served again.") == 1 })
    #expect(try count(Self.sentence) == 1, "told once")
  }

  @Test func requestsThatServeNothingSucceedMeanwhile() throws {
    let client = try server.client()
    try damage()
    let deletion = try client.send("DELETE", "/v1/domains/a.example?accept=opens-nothing")
    #expect(try deletion.code == "committed-not-served")
    let token = try client.send("POST", "/v1/tokens", json: ["name": "new", "role": "viewer"])
    #expect(try token.status == 201 && token.json["token"]?.stringValue != nil)
    let app = try client.send(
      "PUT", "/v1/apps/ABCDE12345.com.example.new", json: ["name": "New"])
    #expect(app.status == 201)
    let dryRun = try client.send(
      "PUT", "/v1/domains/c.example?dryRun=true", json: StateTrial.domain("c.example", ["/c"]))
    #expect(dryRun.status == 201)
    #expect(try client.send("GET", "/v1/domains/a.example").status == 404)
    #expect(try server.file(of: "a.example").status == 200)
    try repair()
    #expect(try becomesTrue { try server.file(of: "a.example").status == 404 })
  }

  @Test func applyReportsThatTheStateIsStored() throws {
    #expect(try trial.exportDirectory().status == 0)
    try trial.replace("/a", with: "/z", in: "a.example.json")
    try damage()
    let result = try trial.run("apply", at: .server, trial.directory)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("The change is stored but not served yet"))
    #expect(!result.errors.contains("Nothing was changed"))
    #expect(try trial.run("diff", at: .server, trial.directory).status == 0)
    try repair()
    #expect(try trial.isServed(["/z"], for: "a.example"))
    #expect(try trial.run("apply", at: .server, trial.directory).status == 0)
  }
}
