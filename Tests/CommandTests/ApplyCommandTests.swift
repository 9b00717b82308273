import Association
import TestSupport
import Testing

@Suite struct ApplyCommandTests {
  let trial: StateTrial

  init() throws { trial = try StateTrial(isExported: true) }

  @Test(arguments: StateTrial.Site.allCases)
  func aChangedFileIsPlannedAppliedAndServed(site: StateTrial.Site) throws {
    try trial.replace("/a", with: "/z", in: "a.example.json")
    let plan = try trial.run("apply", at: site, "--dry-run", trial.directory)
    #expect(plan.status == 0)
    #expect(plan.lines.last?.contains("1 to update, 1 unchanged. ") == true)
    #expect(try trial.isServed(["/a"], for: "a.example"))

    let result = try trial.run("apply", at: site, trial.directory)
    #expect(result.status == 0)
    #expect(result.lines.last == "Domains: 1 updated, 1 unchanged. Apps: 1 unchanged.")
    #expect(try trial.isServed(["/z"], for: "a.example"))
    #expect(try trial.run("diff", at: site, trial.directory).status == 0)
    #expect(
      try trial.exportDirectory(at: site).output == "0 files written, 0 removed, 3 unchanged\n",
      "it says the same, although the revision is another one")
  }

  @Test(arguments: StateTrial.Site.allCases)
  func onlyPruneDeletesDomainsThatAreNotListed(site: StateTrial.Site) throws {
    try trial.remove("b.example.json")
    #expect(try trial.run("apply", at: site, trial.directory).status == 0)
    #expect(try trial.isServed(["/b", "/c/*"], for: "b.example"))
    let expecting = try trial.run("apply", at: site, "--prune", trial.directory)
    #expect(expecting.status == 1 && expecting.errors.contains("1 expectation"))
    let client = try trial.server.client()
    let patch: JSON = ["expectations": [], "aliases": ["www.example"]]
    #expect(try client.send("PATCH", "/v1/domains/b.example", json: patch).status == 200)
    let refused = try trial.run("apply", at: site, "--prune", trial.directory)
    #expect(refused.status == 1 && refused.errors.contains("opens-nothing"))
    let result = try trial.run(
      "apply", at: site, "--prune", "--accept", "opens-nothing", trial.directory)
    #expect(result.status == 0)
    #expect(result.lines.contains("- b.example"))
    #expect(result.output.contains("    - domain b.example deleted [https://b.example/b for "))
    #expect(result.output.contains("    - alias www.example removed [https://www.example/b for "))
    #expect(try becomesTrue { try trial.server.file(of: "b.example").status == 404 })
    #expect(try trial.isServed(["/a"], for: "a.example"))
    #expect(try trial.run("revisions", at: site, "b.example").lines.count == 2)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func aBrokenExpectationIsReportedAndNothingChanges(site: StateTrial.Site) throws {
    try trial.replace("/a", with: "/z", in: "a.example.json")
    try trial.replace("\"/c/*\"", with: "\"/d/*\"", in: "b.example.json")
    let result = try trial.run("apply", at: site, trial.directory)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("Not published: 1 expectation of \"b.example\" would break."))
    #expect(
      result.errors.contains(
        "b.example https://b.example/c/1 for \(AssociationFile.app): expected match, would be no-match"
      ))
    #expect(try trial.isServed(["/a"], for: "a.example"))

    let json = try trial.run("apply", at: site, "--json", trial.directory)
    #expect(json.status == 1)
    #expect(try JSON.parse(json.bytes).value["code"] == "expectation-broken")
  }

  @Test func applyCreatesADatabaseFromADirectory() throws {
    let path = trial.scratch.path("new.db")
    let result = try Program.aasa("apply", "--database", path, trial.directory)
    #expect(result.status == 0)
    #expect(result.lines.last == "Domains: 2 created. Apps: 1 created.")
    let export = try Program.aasa("export", "--database", path)
    #expect(try export.bytes == trial.run("export", at: .server).bytes)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func documentErrorsArePublishedOnlyIfAccepted(site: StateTrial.Site) throws {
    let state: JSON = ["domains": [StateTrial.domain("a.example", ["/$(food)"])]]
    let refused = try trial.run("apply", at: site, "-", input: state.serialized())
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains(
        " To publish anyway, repeat with --accept opens-nothing,undefined-variable."))
    #expect(
      refused.errors.contains(
        "\n  a.example route 1 of entry 1 (\"/\"): undefined-variable: "))
    let accepted = try trial.run(
      "apply", at: site, "--accept", "undefined-variable,opens-nothing", "-",
      input: state.serialized())
    #expect(accepted.status == 0, "\(refused.errors)\(accepted.errors)")
    #expect(accepted.output.contains("\n    accepted error undefined-variable "))
  }

  @Test func aWrongTokenIsRefusedAndNotShown() throws {
    let token = "aasa_" + String(repeating: "x", count: 43)
    let result = try trial.run("apply", at: .server, trial.directory, token: token)
    #expect(result.status == 77)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("The token is "))
    #expect(!result.errors.contains(token))
  }

  @Test(arguments: ["", "aasa_\u{1B}[2J", "z9 k3"])
  func anInvalidTokenIsWrongUsageAndNotShown(token: String) throws {
    let result = try trial.run("diff", at: .server, trial.directory, token: token)
    #expect(result.status == 64)
    #expect(token.isEmpty || !result.errors.contains(token))
    #expect(result.errors.split(separator: "\n").count == 2, "no usage: \(result.errors)")
  }

  @Test func anUnreachableServerIsReported() throws {
    let port = trial.server.adminPort
    #expect(try trial.server.end() == .exited(0))
    let result = try trial.run("apply", at: .server, trial.directory)
    #expect(result.status == 69)
    #expect(result.errors.hasPrefix("http://127.0.0.1:\(port) does not answer: "))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func anotherServerThanTheAdminListenerIsReported() throws {
    let result = try Program.aasa(
      "export", "--server", "http://127.0.0.1:\(trial.server.publicPort)",
      environment: ["AASA_TOKEN": "aasa_x"])
    #expect(result.status == 1)
    #expect(result.errors.contains("--server must be the URL of aasa's admin listener"))
  }

  @Test(arguments: [
    ["apply"], ["diff"], ["diff", "--dry-run", "a"], ["export", "a", "b"],
    ["apply", "--accept", "everything", "a"], ["export", "--server", "ftp://a.example"],
    ["export", "--server", "https://user@a.example"], ["export", "--server", "a.example:8081"],
    ["export", "--server", "http://a.example", "--database", "aasa.db"],
  ])
  func wrongUsageEndsWith64(words: [String]) throws {
    let result = try Program.run(Program.aasa, words, environment: ["AASA_TOKEN": "aasa_x"])
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasSuffix("\nRun 'aasa \(words[0]) --help'.\n"))
  }
}
