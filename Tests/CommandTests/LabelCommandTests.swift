import Association
import TestSupport
import Testing

/// `--label` of `aasa domains`, `findings`, `check`, `export` and `token create`.
@Suite struct LabelCommandTests {
  let trial: StateTrial

  init() throws {
    trial = try StateTrial()
    let labelled = try trial.server.client().send(
      "PATCH", "/v1/domains/a.example", json: ["labels": ["brand-a"]])
    guard labelled.status == 200 else { throw Refused(text: labelled.text) }
  }

  private struct Refused: Error {
    let text: String
  }

  private func names(_ result: Program.Result, _ column: Int = 0) -> Set<String> {
    Set(result.lines.map { $0.split(separator: "\t").map(String.init)[column] })
  }

  @Test(arguments: StateTrial.Site.allCases)
  func listsHaveOnlyTheDomainsWithTheLabel(site: StateTrial.Site) throws {
    #expect(try names(trial.run("domains", at: site, "--label", "brand-a")) == ["a.example"])
    let none = try trial.run("domains", at: site, "--label", "brand-b")
    #expect(none.status == 0 && none.output.isEmpty)
    let findings = try trial.run("findings", at: site, "--label", "brand-a")
    #expect(findings.status == 0 && names(findings, 2).isSubset(of: ["a.example"]))
    let export = try trial.run("export", at: site, "--label", "brand-a")
    let domains = try JSON.parse(export.output.utf8).value["domains"]?.arrayValue ?? []
    #expect(domains.map { $0["domain"] } == ["a.example"])
    #expect(domains.first?["labels"] == ["brand-a"])
    let wrong = try trial.run("domains", at: site, "--label", "Brand")
    #expect(wrong.status != 0 && wrong.errors.contains("\"Brand\" is not a label."))
  }

  @Test func aDirectoryHasTheWholeState() throws {
    let path = trial.scratch.path("state")
    let result = try trial.run("export", at: .server, "--label", "brand-a", path)
    #expect(result.status == 64 && result.errors.contains("Use --label without DIR."))
  }

  @Test func checkTakesTheDomainsWithTheLabel() throws {
    let checked = try trial.run("check", at: .server, "--label", "brand-a", "--json")
    let domains = try checked.lines.map { try JSON.parse($0.utf8).value["domain"] }
    #expect(domains == ["a.example"])
    let none = try trial.run("check", at: .server, "--label", "brand-b")
    #expect(none.status == 1 && none.errors.hasPrefix("No domain has the label \"brand-b\"."))
    let both = try trial.run("check", at: .server, "--label", "brand-a", "a.example", "--json")
    #expect(both.lines.count == 1)
  }

  @Test func aTokenIsLimitedToLabels() throws {
    let created = try Program.aasa(
      "token", "create", "--name", "team-a", "--role", "editor", "--label", "brand-a", "--label",
      "brand-b", "--database", trial.database)
    #expect(created.status == 0, "\(created.errors)")
    #expect(
      created.errors.contains("editor, all domains with brand-a,brand-b, never expires."),
      "\(created.errors)")
    let list = try Program.aasa("token", "list", "--database", trial.database)
    #expect(list.output.contains("all domains with brand-a,brand-b"))
  }
}
