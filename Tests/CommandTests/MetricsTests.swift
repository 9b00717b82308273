import Foundation
import Association
import TestSupport
import Testing

/// `/metrics` of a running server, and the files of `Config` that use it.
@Suite struct MetricsTests {
  let scratch: TemporaryDirectory
  let server: RunningServer

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.adopt(["/first"], for: "example.com")
    server = try RunningServer(database: scratch.path("aasa.db"))
  }

  @Test(SystemProgram.need("promtool"))
  func promtoolHasNothingToSay() throws {
    let client = try server.client()
    try server.fetch("example.com", as: LedgerTests.apple)
    // An answer of each kind, so that there are samples of all that is counted.
    for (method, body) in [("PATCH", ["cacheSeconds": 5]), ("PUT", ["wrong": 1])]
      as [(String, JSON)]
    {
      _ = try client.send(method, "/v1/domains/example.com", json: body)
    }
    _ = try client.send("GET", "/v1/\"\\nothing")
    let metrics = try Metrics(of: server)
    let checked = try Program.run(
      "promtool", ["check", "metrics"], input: Array(metrics.text.utf8))
    #expect(checked.status == 0 && checked.errors.isEmpty && checked.output.isEmpty)
    #expect(metrics.text.contains("aasa_build_info{version="))
  }

  @Test func metricsAreForAnybodyOnTheAdminListenerAndForNobodyOnThePublicOne() throws {
    let admin = try Client(port: server.adminPort, lines: ["Host: x"]).send("GET", "/metrics")
    #expect(
      admin.status == 200
        && admin["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    let open = try Client(port: server.publicPort, lines: ["Host: example.com"])
      .send("GET", "/metrics")
    #expect(open.status == 404)
  }

  /// Who creates a token for a day knows that it ends; one that has expired or never does is no warning.
  @Test func theFirstExpiryOfATokenThatLivesForAMonthIsMeasured() throws {
    let day = 86_400 as Int64
    let expiry = { (days: Int64) in JSON.time(UnixTime.now + days * day) }
    let client = try server.client()
    for (name, days) in [("short", 2), ("long", 90), ("of-a-year", 365)] as [(String, Int64)] {
      let answer = try client.send(
        "POST", "/v1/tokens",
        json: ["name": .string(name), "role": "viewer", "expiresAt": expiry(days)])
      #expect(answer.status == 201, "\(answer.text)")
    }
    // The server looks once a minute, and when it starts.
    let second = try RunningServer(database: scratch.path("aasa.db"))
    let name = "aasa_token_expiry_timestamp_seconds"
    #expect(try becomesTrue { try Metrics(of: second)[name] != nil })
    let first = try #require(try Metrics(of: second)[name])
    #expect(abs(first - Double((UnixTime.now + 90 * day).seconds)) < 600)
    #expect(try !Metrics(of: second).text.contains("of-a-year"))
  }

  @Test func publicRequestsAreCountedByOutcomeAndFetcher() throws {
    for _ in 0..<3 { try server.fetch("example.com", as: LedgerTests.apple) }
    #expect(try server.file(of: "unknown.example").status == 404)
    let metrics = try Metrics(of: server)
    let name = "aasa_public_requests_total"
    #expect(metrics[name + #"{outcome="ok",code="200",fetcher="apple-cdn"}"#] == 3)
    #expect(metrics[name + #"{outcome="unknown-host",code="404",fetcher="other"}"#] == 1)
    #expect(metrics[name + #"{outcome="ok",code="200",fetcher="other"}"#] == 0)
  }

  @Test func editsAreCountedByWhatTheyDoAndWhatCameOfThem() throws {
    let client = try server.client()
    let path = "/v1/domains/example.com"
    for query in ["", "?dryRun=true"] {
      #expect(try client.send("PATCH", path + query, json: ["cacheSeconds": 5]).status == 200)
    }
    #expect(try client.send("PATCH", path, json: ["cacheSeconds": -1]).status == 422)
    let draft = try client.send("PATCH", "\(path)?draft=true", json: ["cacheSeconds": 8])
    #expect(draft.status == 202)
    let stale = try client.send("PATCH", path, json: ["cacheSeconds": 6], "If-Match: \"9\"")
    #expect(stale.status == 412)
    let file: JSON = ["applinks": ["details": [["appIDs": [5]]]]]
    let refused = try client.send("PUT", path + "/file", json: file)
    #expect(refused.status == 422)
    #expect(try server.client(token: "wrong").send("DELETE", path).status == 401)
    let metrics = try Metrics(of: server)
    func edits(_ method: String, _ outcome: String, _ suffix: String = "") -> Double? {
      metrics[
        "aasa_edits_total{method=\"\(method)\",endpoint=\"/v1/domains/{domain}\(suffix)\","
          + "outcome=\"\(outcome)\"}"]
    }
    for outcome in ["done", "tried", "drafted", "refused", "stale"] {
      #expect(edits("PATCH", outcome) == 1, "\(outcome)")
    }
    #expect(edits("PUT", "refused", "/file") == 1 && edits("DELETE", "forbidden") == 1)
    let code = try refused.code ?? ""
    #expect(metrics["aasa_findings_refused_total{finding=\"\(code)\"}"] ?? 0 >= 1)
    #expect(metrics["aasa_revisions_published_total"] == 1)
    #expect(
      metrics[
        #"aasa_admin_requests_total{method="PATCH",endpoint="/v1/domains/{domain}",code="200"}"#]
        == 2)
  }

  @Test func whatIsServedIsMeasured() throws {
    let client = try server.client()
    let routes = (0..<1_500).map { "/a-long-path-that-takes-some-room/\($0)" }
    let file = AssociationFile.routes(routes)
    let answer = try client.send("PUT", "/v1/domains/large.example/file?accept=", json: file)
    #expect(answer.status == 201)
    let bytes = try answer.json["bytes"]?.integerValue ?? 0
    #expect((65_537..<104_857).contains(bytes), "\(bytes)")
    let change: JSON = ["aliases": ["a.example", "*.b.example"]]
    #expect(try client.send("PATCH", "/v1/domains/example.com", json: change).status == 200)
    var metrics = try Metrics(of: server)
    #expect(metrics[#"aasa_documents{kind="apple-app-site-association",percent="0-50"}"#] == 1)
    #expect(metrics[#"aasa_documents{kind="apple-app-site-association",percent="50-80"}"#] == 1)
    #expect(metrics["aasa_names"] == 4)
    #expect(metrics[#"aasa_database_size_bytes{file="database"}"#] ?? 0 > 4096)
    #expect(metrics["process_resident_memory_bytes"] ?? 0 > 1_000_000)
    #expect(metrics["process_open_fds"] ?? 0 > 5)
    let age = Date.now.timeIntervalSince1970 - (metrics["process_start_time_seconds"] ?? 0)
    #expect((-2..<600).contains(age))
    let path = "/v1/domains/large.example?accept=opens-nothing"
    #expect(try client.send("DELETE", path).status == 200)
    metrics = try Metrics(of: server)
    #expect(
      metrics[#"aasa_documents{kind="apple-app-site-association",percent="50-80"}"#] == 0
        && metrics["aasa_names"] == 3)
  }

  /// As systemd shows it to a unit with `ProcSubset=pid`.
  @Test(.enabled(if: MountedDirectory.isPossible, "needs to be root, to mount /proc"))
  func theTimeOfTheStartIsToldWithoutTheKernelsStatistics() throws {
    let script = "mount -t proc -o subset=pid proc /proc && exec \"$@\""
    let server = try RunningServer(
      database: scratch.path("hidden.db"),
      program: ["unshare", "--mount", "sh", "-c", script, "sh", Program.aasa])
    let start = try Metrics(of: server)["process_start_time_seconds"] ?? 0
    #expect((-2..<60).contains(Date.now.timeIntervalSince1970 - start))
  }

  @Test func whatAnotherProcessChangesIsCounted() throws {
    try scratch.adopt(["/second"], for: "example.com")
    #expect(try becomesTrue { try Metrics(of: server)["aasa_changes_elsewhere_total"] == 1 })
    #expect(try Metrics(of: server)["aasa_revisions_published_total"] == 1)
  }

  // MARK: Files of Config

  private static let config = URL(filePath: #filePath).appending(path: "../../../Config")
    .standardized

  private func promtool(_ arguments: String...) throws {
    let result = try Program.run("promtool", arguments)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  @Test(SystemProgram.need("promtool"))
  func theAlertsAreSoundAndDoWhatTheirTestsSay() throws {
    let directory = Self.config.appending(path: "prometheus").path
    try promtool("check", "config", directory + "/prometheus.yml")
    try promtool("check", "rules", directory + "/alerts.yml")
    try promtool("test", "rules", directory + "/alerts.test.yml")
  }

  @Test func everyAlertIsTried() throws {
    func names(_ file: String, _ expression: Regex<(Substring, Substring)>) throws -> Set<Substring>
    {
      let url = Self.config.appending(path: "prometheus/\(file)")
      let text = try String(contentsOf: url, encoding: .utf8)
      return Set(text.matches(of: expression).map(\.output.1))
    }
    let tried = try names("alerts.test.yml", /alertname: (\w+)\n +exp_alerts/)
    #expect(try names("alerts.yml", /alert: (\w+)/) == tried && tried.count > 15)
  }

  @Test(arguments: [
    "prometheus/alerts.yml", "prometheus/alerts.test.yml", "grafana/dashboard.json",
  ])
  func onlyMetricsThatThereAreAreUsed(file: String) throws {
    let text = try String(contentsOf: Self.config.appending(path: file), encoding: .utf8)
    if file.hasSuffix(".json") { _ = try JSON.parse(text.utf8) }
    let used: [String] = text.matches(of: /\b(?:aasa|process)_[a-z_]+/).map {
      String(String($0.output).replacing(/_bucket$/, with: ""))
    }
    let names = try Metrics(of: server).names
    #expect(Set(used).subtracting(names) == [] && used.count > 15)
  }

  @Test func everyMetricIsInTheDocumentation() throws {
    let page = Self.config.appending(path: "../docs/metrics.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let described = Set(
      text.matches(of: /`((?:aasa|process)_[a-z_]+)`/).map { String($0.output.1) })
    #expect(try Metrics(of: server).names == described)
  }
}
