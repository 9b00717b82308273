import Association
import TestSupport
import Testing

@Suite struct DeleteCommandTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial() }

  @Test(arguments: StateTrial.Site.allCases)
  func domainsAreDeletedInOneChangeThatCanBeUndone(site: StateTrial.Site) throws {
    #expect(try trial.run("import", at: .database, "--domain", "c.example", file).status == 0)
    #expect(try trial.run("import", at: .database, "--domain", "d.example", file).status == 0)
    let names = ["c.example", "d.example"]
    let refused = try trial.run("delete", at: site, names[0], names[1])
    #expect(refused.status == 1 && refused.errors.contains("--accept opens-nothing"), "\(refused)")
    let dry = try trial.run(
      "delete", at: site, "--dry-run", "--accept", "opens-nothing", names[0], names[1])
    #expect(dry.lines.last == "Domains: 2 to delete. Nothing was changed.", "\(dry)")
    let deleted = try trial.run(
      "delete", at: site, "--accept", "opens-nothing", "--from", "-",
      input: Array(
        """
        c.example  # sold
        d.example
        """.utf8))
    #expect(deleted.status == 0 && deleted.lines.last == "Domains: 2 deleted.", "\(deleted)")
    // Another process may have changed the database.
    #expect(try becomesTrue { try trial.server.file(of: "d.example").status == 404 })
    #expect(try trial.isServed(["/a"], for: "a.example"))
    let number = try #require(deleted.errors.firstMatch(of: /'aasa undo ([0-9]+)'/)?.1)
    #expect(try trial.run("undo", at: site, String(number)).lines.last == "Domains: 2 created.")
    #expect(try becomesTrue { try trial.server.file(of: "d.example").status == 200 })
  }

  private var file: String {
    get throws {
      try trial.scratch.write(Array(AssociationFile.routes(["/c"]).text.utf8), to: "c.json")
    }
  }

  @Test func aDomainThatDoesNotExistIsAMistake() throws {
    let result = try trial.run(
      "delete", at: .database, "--accept", "opens-nothing", "a.example", "typo.example")
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("The domain \"typo.example\" does not exist."), "\(result)")
    #expect(try trial.isServed(["/a"], for: "a.example"))
  }

  @Test func theDomainsWithALabelAreDeleted() throws {
    let client = try trial.server.client()
    let labelled = try client.send(
      "PATCH", "/v1/domains/b.example", json: ["labels": ["sold"], "expectations": []])
    #expect(labelled.status == 200)
    let result = try trial.run(
      "delete", at: .server, "--label", "sold", "--accept", "opens-nothing", "--reason", "Sold")
    #expect(result.status == 0 && result.lines.last == "Domains: 1 deleted.", "\(result)")
    #expect(try trial.isServed(["/a"], for: "a.example"))
  }
}
