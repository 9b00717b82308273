import Association
import TestSupport
import Testing

/// `aasa suppression` and `aasa group`, of a server and of a database.
@Suite struct AdministrationTests {
  private let trial: StateTrial

  init() throws { trial = try StateTrial() }

  @Test(arguments: StateTrial.Site.allCases)
  func findingsOfManyDomainsAreSuppressedAndShownAgain(site: StateTrial.Site) throws {
    let created = try trial.run(
      "suppression create", at: site, "--code", "shadowed-route", "--reason", "known", "--owner",
      "Anna", "--until", "2099-01-31", "--domain", "*.example")
    #expect(created.status == 0, "\(created.errors)")
    let number = created.output.split(separator: "\n").first.map(String.init) ?? ""
    let list = try trial.run("suppression list", at: site)
    #expect(
      (list.lines.first ?? "").split(separator: "\t").map(String.init) == [
        number, "shadowed-route", "*.example", "0", "2099-01-31T00:00:00Z", "Anna", "known",
      ], "\(list.output)")
    #expect(try trial.run("suppression delete", at: site, number).status == 0)
    #expect(try trial.run("suppression list", at: site).output.isEmpty)
    #expect(try trial.run("suppression delete", at: site, number).status == 1)
  }

  @Test(arguments: StateTrial.Site.allCases)
  func groupsAreSetListedAndDeleted(site: StateTrial.Site) throws {
    let set = try trial.run(
      "group set", at: site, "Link editors", "--role", "editor", "--label", "brand-a")
    #expect(set.status == 0, "\(set.errors)")
    let groups = try trial.server.client().send("GET", "/v1/groups").json["items"]
    let group = groups?.arrayValue?.first
    #expect(group?["name"] == "Link editors" && group?["labels"] == ["brand-a"])
    let list = try trial.run("group list", at: site)
    #expect(list.output.hasPrefix("Link editors\teditor\tall domains with brand-a\t"))
    #expect(try trial.run("group delete", at: site, "Link editors").status == 0)
    #expect(try trial.run("group delete", at: site, "Link editors").status == 1)
  }

  @Test(arguments: [
    ["group", "set", "a"], ["group", "set", "a", "--role", "owner"],
    ["suppression", "create", "--code", "shadowed-route"], ["suppression", "delete", "x"],
    [
      "suppression", "create", "--code", "shadowed-route", "--reason", "a", "--owner", "a",
      "--until",
      "2001-01-01", "--label", "a",
    ],
    [
      "suppression", "create", "--code", "shadowed-route", "--reason", "a", "--owner", "a",
      "--until",
      "2099-01-01",
    ],
  ])
  func wrongUsageIsRefused(words: [String]) throws {
    #expect(try Program.run(Program.aasa, words + ["--database", trial.database]).status == 64)
  }
}
