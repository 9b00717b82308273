import Association
import TestSupport
import Testing

/// Changes of what a visitor gets are shown, guarded and undone with the commands.
@Suite struct ChangeStoryTests {
  private let trial: StateTrial
  private let url = "https://a.example/a"
  private let both = ["a.example.json", "b.example.json"]

  init() throws { trial = try StateTrial(isExported: true) }

  private func becomes(_ status: Int) throws -> Bool {
    try becomesTrue { try trial.server.file(of: "a.example").status == status }
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aDomainIsDisabledAndComesBack(site: StateTrial.Site) throws {
    try trial.replace("\"enabled\": true", with: "\"enabled\": false", in: "a.example.json")
    let refused = try trial.run("apply", at: site, trial.directory)
    #expect(refused.status == 1 && refused.errors.contains("--accept opens-nothing"))
    let change =
      "enabled changed: from true to false [\(url) for \(AssociationFile.app): match → no-match]"
    for command in ["diff", "apply"] {
      let result = try trial.run(command, at: site, "--accept", "opens-nothing", trial.directory)
      #expect(result.output.contains(change), "\(result.output)")
    }
    #expect(try becomes(404))
    let match = try trial.run("match", at: site, "--explain", url)
    #expect(match.status == 1 && match.output.hasPrefix("no-match\t"))
    #expect(match.output.contains("The domain a.example is disabled"))
    let audit = try trial.run("audit", at: site, "--domain", "a.example", "--limit", "1")
    #expect(audit.lines[0].hasSuffix("\tenabled changed: from true to false"))
    let back = try trial.run("rollback", at: site, "a.example", "1")
    #expect(back.output.contains("enabled changed: from false to true"), "\(back.output)")
    #expect(try becomes(200))
  }

  @Test(arguments: StateTrial.Site.allCases)
  func anAliasThatMovedIsTakenUntilItsNewDomainGivesItUp(site: StateTrial.Site) throws {
    let (none, alias) = ("\"aliases\": []", "\"aliases\": [\n    \"www.example\"\n  ]")
    try trial.replace(none, with: alias, in: both[0])
    #expect(try trial.run("apply", at: site, trial.directory).status == 0)
    try trial.replace(alias, with: none, in: both[0])
    try trial.replace(none, with: alias, in: both[1])
    let moved = try trial.run("apply", at: site, trial.directory)
    #expect(moved.output.contains("alias www.example moved to b.example"), "\(moved.output)")
    #expect(moved.output.contains("alias www.example moved here from a.example"))
    let refused = try trial.run("rollback", at: site, "a.example", "2")
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasSuffix(
        "\"www.example\" is a name or an alias of the domain \"b.example\". Remove it there first.\n"
      ))
    #expect(try trial.run("rollback", at: site, "b.example", "1").status == 0)
    #expect(try trial.run("rollback", at: site, "a.example", "2").status == 0)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aSuppressedFindingIsListedAndDoesNotCount(site: StateTrial.Site) throws {
    let code = "www-sibling-missing"
    let both = try trial.run("findings", at: site, "--code", code).lines
    #expect(both.count == 1 && both[0].contains("\ta.example and 1 more\t"), "\(both)")
    let suppressed = try trial.server.client().send(
      "POST", "/v1/domains/a.example/suppressions",
      json: [
        "code": .string(code), "pointer": "", "reason": "no www", "owner": "web",
        "until": "2100-01-01T00:00:00Z",
      ])
    #expect(suppressed.status == 201, "\(suppressed.text)")
    let lines = try trial.run("findings", at: site, "--code", code).lines
    #expect(lines[0].hasPrefix("note (suppressed)\t\(code)\ta.example\t"))
    #expect(lines[1].hasPrefix("note\t\(code)\tb.example\t"))
    let answer = try trial.server.client().send("GET", "/v1/findings?code=\(code)")
    #expect(try answer.json["counts"] == [code: 1] && answer.json["suppressed"] == 1)
  }
}
