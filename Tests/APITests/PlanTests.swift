import Association
import Service
import Publishing
import TestSupport
import Testing

/// Clients read the plan of a server, which may be newer.
@Suite struct PlanTests {
  private func read(_ json: JSON) throws(InvalidInput) -> Plan {
    try Faults.collecting(in: json, Plan.read)
  }

  @Test func aPlanOfTheServerRoundTrips() throws {
    let running = try RunningService()
    let app = "ABCDE12345.com.example.app"
    let domain = { (name: String, path: String) -> JSON in
      [
        "domain": .string(name),
        "entries": [["apps": [.string(app)], "routes": [["path": .string(path)]]]],
        "expectations": name == "b.example"
          ? []
          : [["url": .string("https://\(name)/a"), "app": .string(app), "resolution": "match"]],
      ]
    }
    let apply = { (dryRun: Bool, domains: [JSON]) in
      try running.admin.send(
        "POST", "/v1/apply?prune=true&accept=opens-nothing&dryRun=\(dryRun)",
        json: ["domains": .array(domains)]
      ).json
    }
    var gone = domain("b.example", "/a").objectValue ?? [:]
    gone["expectations"] = []
    let first = try apply(false, [domain("a.example", "/a"), .object(gone)])
    #expect(try read(first).json == first)
    var changed = domain("a.example", "/b").objectValue ?? [:]
    changed["expectations"] = []
    let second = try apply(true, [.object(changed), domain("c.example", "/a")])
    #expect(second["domains"]?[0]?["diff"]?["changes"]?[0]?["what"] == "domain")
    let plan = try read(second)
    #expect(plan.json == second && plan.isDryRun && !plan.isEmpty)
    #expect(plan.domains.map(\.action) == [.delete, .update, .create])
    let update = try #require(plan.domains[1].publication)
    #expect(update.revision == 2)
    #expect(update.changes.compactMap(\.example).first?.url == "https://a.example/a")
    #expect(update.changedResolutions.map(\.after) == [.noMatch])
  }

  @Test func aPlanMayHaveMembersAndFindingsOfANewerServer() throws {
    let plan = try read([
      "apps": [], "future": 1,
      "domains": [
        [
          "domain": "a.example", "action": "update", "revision": 2, "changed": true, "bytes": 9,
          "sha256": "x", "future": [],
          "findings": [
            [
              "code": "future-code", "severity": "warning", "pointer": "/a", "message": "m",
              "line": 3,
            ]
          ],
        ]
      ],
    ])
    #expect(plan.domains.first?.publication?.findings.map(\.code) == ["future-code"])
    #expect(!plan.isDryRun)
  }

  @Test func aPlanThatCannotBeReadNamesThePlace() throws {
    let step: JSON = ["domain": "a.example", "action": "explode"]
    do throws(InvalidInput) {
      _ = try read(["apps": [], "domains": [step]])
      Issue.record("an unknown action was read")
    } catch {
      #expect(error.faults.map(\.pointer.description) == ["/domains/0/action"])
    }
  }
}
