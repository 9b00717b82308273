import Foundation
import Association
import Store
import TestSupport
import Testing

/// Domains are checked without anybody asking for it.
@Suite(CheckedWorld.needs) struct CheckScheduleTests {
  private static let interval = ["AASA_CHECK_INTERVAL": "1h"]

  /// Makes every domain due, instead of waiting for the minute after an edit.
  private static func makeDue(_ world: CheckedWorld) throws {
    let connection = try SQLiteConnection(path: world.scratch.path("aasa.db"), mode: .existing)
    try connection.run("UPDATE check_schedule SET due_at = 0")
  }

  /// The domains that were checked, with their outcomes.
  private static func checks(_ world: CheckedWorld, _ query: String = "") throws -> [String] {
    try world.client.send("GET", "/v1/checks\(query)").json["items"]?.arrayValue?.map {
      "\($0["domain"]?.stringValue ?? "") \($0["status"]?.stringValue ?? "") \($0["checks"]?.integerValue ?? 0)"
    } ?? []
  }

  private static func history(_ world: CheckedWorld, _ domain: String) throws -> [JSON] {
    try world.client.send("GET", "/v1/domains/\(domain)/checks").json["items"]?.arrayValue ?? []
  }

  @Test func dueDomainsAreCheckedAndTheirStateIsListedEverywhere() throws {
    let world = try CheckedWorld(settings: Self.interval)
    try world.publish("bad.example")
    try world.publish("good.example")
    try world.site("bad.example", CheckedWorld.page)
    try Self.makeDue(world)
    #expect(try becomesTrue { try Self.checks(world).count == 2 })
    #expect(try Self.checks(world, "?status=failing") == ["bad.example failing 1"])
    let run = try #require(try Self.history(world, "bad.example").first)
    #expect(run["codes"]?.arrayValue?.contains("html-answer") == true)
    #expect(run["last"]?["requests"]?.arrayValue?.isEmpty == false)
    let domains = try world.client.send("GET", "/v1/domains?check=failing").json
    #expect(domains["total"] == 1)
    #expect(domains["items"]?.arrayValue?.first?["check"]?["status"] == "failing")
    #expect(try world.client.send("GET", "/v1/domains?check=unchecked").json["total"] == 0)
    let findings = try world.client.send("GET", "/v1/findings?source=check&code=html-answer").json
    let finding = try #require(findings["items"]?.arrayValue?.first)
    #expect(finding["domain"] == "bad.example" && finding["source"] == "check")
    #expect(finding["url"]?.stringValue?.hasPrefix("https://bad.example/") == true)

    let database = world.scratch.path("aasa.db")
    let listed = try Program.aasa("domains", "--check", "failing", "--database", database)
    #expect(listed.output.contains("bad.example") && listed.output.contains("failing"))
    #expect(!listed.output.contains("good.example"))
    let found = try Program.aasa(
      "findings", "--source", "check", "--code", "html-answer", "--database", database)
    #expect(found.output.contains("https://bad.example/"))
  }

  @Test func oneDomainThatCannotBeReadKeepsNoOtherFromItsCheck() throws {
    let world = try CheckedWorld(settings: Self.interval)
    let names = (1...6).map { "c\($0).example" }
    for name in names { try world.publish(name) }
    let connection = try SQLiteConnection(path: world.scratch.path("aasa.db"), mode: .existing)
    try connection.execute(
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE domain SET environment = 'x' WHERE id =
        (SELECT domain_id FROM domain_name WHERE name = 'c1.example')
      """)
    try Self.makeDue(world)
    #expect(
      try becomesTrue {
        try Set(Self.checks(world).map { $0.prefix(10) }).isSuperset(
          of: names.dropFirst().map { $0[...] })
      })
  }

  @Test func aServerEndsQuicklyWhileASiteHangsAndTheDomainIsDueAgain() throws {
    let world = try CheckedWorld(settings: Self.interval)
    try world.publish("slow.example")
    try world.site("slow.example", ["hang": true])
    try Self.makeDue(world)
    #expect(try becomesTrue { try !world.outside.agents(of: "slow.example").isEmpty })
    let start = ContinuousClock.now
    #expect(try world.server.end() == .exited(0))
    #expect(
      ContinuousClock.now - start < .seconds(25), "the site would say something after 30 seconds")
    let connection = try SQLiteConnection(path: world.scratch.path("aasa.db"), mode: .existing)
    let due = try connection.first("SELECT due_at FROM check_schedule") { $0.integer(0) }
    #expect(due ?? .max <= Int64(Date.now.timeIntervalSince1970))
  }

  @Test func aReloadTurnsChecksOnAndOff() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write("checkInterval = \"0\"\n", to: "aasa.toml")
    let world = try CheckedWorld(settings: ["AASA_CONFIG": scratch.path("aasa.toml")])
    try world.publish("example.com")
    try Self.makeDue(world)
    #expect(try Metrics(of: world.server)["aasa_check_interval_seconds"] == 0)
    try scratch.write("checkInterval = \"1h\"\n", to: "aasa.toml")
    world.server.process.signal(SIGHUP)
    #expect(try becomesTrue { try Self.checks(world).count == 1 })
    try scratch.write("checkInterval = \"0\"\n", to: "aasa.toml")
    world.server.process.signal(SIGHUP)
    #expect(
      try becomesTrue { try Metrics(of: world.server)["aasa_check_interval_seconds"] == 0 })
  }

  @Test func metricsTellWhatChecksFoundWithoutASeriesForEachDomain() throws {
    let world = try CheckedWorld(settings: Self.interval)
    for number in 1...3 { try world.publish("\(number).example") }
    try world.site("1.example", CheckedWorld.page)
    let count = { try Metrics(of: world.server).text.split(separator: "\n").count }
    #expect(try becomesTrue { try Metrics(of: world.server).text.contains("aasa_check_status{") })
    let before = try count()
    try Self.makeDue(world)
    #expect(try becomesTrue { try Self.checks(world).count == 3 })
    // They are read every half a minute, also between two of the checks.
    let isTold = try becomesTrue {
      let metrics = try Metrics(of: world.server)
      return metrics[#"aasa_checked_domains{status="failing"}"#] == 1
        && metrics[#"aasa_check_status{code="html-answer"}"#] == 1
        && metrics[#"aasa_check_cdn_lag_domains{revisions="0"}"#] == 2
        && metrics["aasa_check_duration_seconds_count"] == 3
    }
    let metrics = try Metrics(of: world.server)
    #expect(isTold, "\(metrics.text)")
    let left =
      (metrics["aasa_check_certificate_end_timestamp_seconds"] ?? 0)
      - Date.now.timeIntervalSince1970
    #expect((80 * 86_400...91 * 86_400).contains(left))
    #expect(try count() - before < 12)
    let checked = try Program.run(
      "promtool", ["check", "metrics"], input: Array(metrics.text.utf8))
    #expect(checked.status == 0 && checked.output.isEmpty, "\(checked.errors)")
  }
}
