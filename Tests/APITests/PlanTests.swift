import Association
import Service
import Publishing
import TestSupport
import Testing

/// Clients read the plan of a server, which may be newer.
@Suite struct PlanTests {
  private func read(_ json: JSON, _ kind: String = "domain") throws(InvalidInput) -> Plan.Step {
    try Faults.collecting(in: json) { Plan.Step.read($0, kind) }
  }

  @Test func theStepsOfAPlanOfTheServerRoundTrip() throws {
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
    let steps = { (plan: JSON) in
      try ["app", "domain"].flatMap { kind in
        try (plan["\(kind)s"]?.arrayValue ?? []).map { json in
          let step = try read(json, kind)
          #expect(step.json(kind) == json)
          return (kind: kind, step: step)
        }
      }
    }
    #expect(try steps(first).map(\.kind) == ["domain", "domain"])
    var changed = domain("a.example", "/b").objectValue ?? [:]
    changed["expectations"] = []
    let second = try apply(true, [.object(changed), domain("c.example", "/a")])
    #expect(second["domains"]?[0]?["diff"]?["changes"]?[0]?["what"] == "domain")
    let domains = try steps(second).filter { $0.kind == "domain" }.map(\.step)
    #expect(domains.map(\.action) == [.delete, .update, .create])
    let update = try #require(domains[1].publication)
    #expect(update.revision == 2)
    #expect(update.changes.compactMap(\.example).first?.url == "https://a.example/a")
    #expect(update.changedResolutions.map(\.after) == [.noMatch])
  }

  @Test func aStepMayHaveMembersAndFindingsOfANewerServer() throws {
    let step = try read([
      "domain": "a.example", "action": "update", "revision": 2, "changed": true, "bytes": 9,
      "sha256": "x", "future": [],
      "findings": [
        ["code": "future-code", "severity": "warning", "pointer": "/a", "message": "m", "line": 3]
      ],
    ])
    #expect(step.publication?.findings.map(\.code) == ["future-code"])
  }

  @Test func aStepThatCannotBeReadNamesThePlace() throws {
    do throws(InvalidInput) {
      _ = try read(["domain": "a.example", "action": "explode"])
      Issue.record("an unknown action was read")
    } catch {
      #expect(error.faults.map(\.pointer.description) == ["/action"])
    }
  }
}
