import Association
import Store
import TestSupport
import Testing

/// Results of checks are kept, domains that are due are checked once, and changes become events.
@Suite struct CheckTests {
  private static let start = TemporaryStore.time
  let hooks: WebhookStore
  var store: Store { hooks.store }
  let name: DomainName

  init() throws {
    hooks = try WebhookStore()
    name = try DomainName("example.com")
    try store.put(.example())
  }

  private static func finding(
    _ code: Finding.Code, severity: Finding.Severity? = nil, _ message: String = "It is so."
  ) -> Finding {
    var finding = Finding(code, severity: severity, at: .root, message, help: "Mend it.")
    finding.source = .check
    finding.url = "https://example.com/"
    finding.appleCode = code == .botBlocked ? "BAD_HTTP_RESPONSE" : nil
    return finding
  }

  /// Records a check now.
  @discardableResult
  private func check(
    _ codes: Finding.Code..., of name: DomainName? = nil, at time: UnixTime? = nil,
    cdn: CheckRecord.Copy? = nil, certificate: CheckRecord.Certificate? = nil, interval: Int? = nil
  ) throws -> RecordedCheck? {
    var check = CheckRecord(
      name ?? self.name, at: time ?? store.now(), findings: codes.map { Self.finding($0) },
      result: ["at": .integer(store.now().seconds)])
    check.cdn = cdn
    check.certificate = certificate
    return try store.record([check], interval: interval).first ?? nil
  }

  /// The runs of the domain, the newest first: status, codes, number of checks.
  private func runs() throws -> [String] {
    try store.checks(of: name, before: nil, limit: 100).map {
      "\($0.status.rawValue) \($0.codes.joined(separator: ",")) \($0.count)"
    }
  }

  private func suppress(_ code: Finding.Code, until: UnixTime = start + 1000) throws {
    var new = SuppressionDecision()
    (new.code, new.reason, new.owner, new.endsAt) = (code.rawValue, "known", "web", until)
    _ = try store.write(WriteContext(author: "test")) { try $0.suppress(new, in: name) }
  }

  private func claim(
    urgent: Int = 10, others: Int = 10, limit: Int = 20, lease: Int64 = 60, in store: Store? = nil
  ) throws -> [String] {
    let claimed = try (store ?? self.store).claimChecks(
      urgent: urgent, others: others, limit: limit, lease: lease)
    return (claimed.urgent + claimed.others).map(\.text)
  }

  @Test func theHistoryHasOneElementForEachChange() throws {
    try check()
    hooks.wait(10)
    try check()
    hooks.wait(10)
    try check(.botBlocked, .slow)
    try check(.slow, .botBlocked)
    try check(.slow)
    try check(.slow, cdn: .init(revision: 1, lag: 0, fetchedAt: nil))
    #expect(
      try runs() == ["warning slow 1", "warning slow 1", "failing bot-blocked,slow 2", "ok  2"])
    let first = try #require(try store.checks(of: name, before: nil, limit: 100).last)
    #expect(first.firstAt == Self.start && first.lastAt == Self.start + 10)
    #expect(
      first.result?["at"] == .integer(Self.start.seconds + 10), "the latest check of a run is kept")
    let newest = try store.checks(of: name, before: nil, limit: 1)
    #expect(newest.map(\.cdnRevision) == [1])
    #expect(try store.checks(of: name, before: newest[0].id, limit: 1).map(\.cdnRevision) == [nil])
  }

  @Test func findingsOfACheckAreBesideThoseOfTheLinterUntilTheNextCheck() throws {
    try check(.botBlocked, .slow)
    let all = try store.findings(FindingFilter(), limit: 100).page
    #expect(all.map(\.finding.code).suffix(2) == ["bot-blocked", "slow"])
    #expect(all.last?.finding.source == .check && all.last?.finding.url == "https://example.com/")
    #expect(all.map(\.finding.appleCode).suffix(2) == ["BAD_HTTP_RESPONSE", nil])
    // An edit replaces only the linter's.
    try store.put(
      .example(paths: ["/b"]),
      findings: [
        Finding(.unusedVariable, at: .root, "a", help: "b")
      ])
    let codes = try store.findings(FindingFilter(), limit: 100).page.map(\.finding.code)
    #expect(codes == ["unused-variable", "bot-blocked", "slow"])
    try check(.slow)
    #expect(
      try store.findings(FindingFilter(source: .check), limit: 100).page.map(\.finding.code) == [
        "slow"
      ])
    #expect(
      try store.findings(FindingFilter(source: .lint), limit: 100).page.map(\.finding.code)
        == ["unused-variable"])
  }

  @Test func aListOfDomainsHasNoFindingsWhileTheyAreMadeAgain() throws {
    let summary = { try #require(try store.domains(limit: 1).page.first) }
    #expect(try summary().findings == [:])
    try check(.slow, certificate: .init(names: [], issuer: "", endsAt: Self.start + 100))
    #expect(try summary().findings == [.warning: 1])
    try hooks.connect().run("UPDATE domain SET linted_by = linted_by - 1")
    #expect(try summary().findings == nil)
    #expect(try summary().certificateEndsAt == Self.start + 100)
  }

  @Test func aSuppressionOfAnErrorKeepsADomainFromFailingUntilItEnds() throws {
    #expect(try check(.botBlocked)?.status == .failing)
    try suppress(.botBlocked)
    let recorded = try #require(try check(.botBlocked, .slow))
    #expect(recorded.status == .warning && recorded.isSuppressed == [true, false])
    #expect(recorded.result["status"] == "warning")
    #expect(
      recorded.result["findings"]?.arrayValue?.map { $0["suppressed"] } == [
        ["id": 1, "reason": "known", "owner": "web", "until": "2023-11-14T22:30:00Z"], nil,
      ])
    #expect(try runs() == ["warning slow 1", "failing bot-blocked 1"])
    hooks.wait(2000)
    #expect(try check(.botBlocked)?.status == .failing)
  }

  @Test func aDigestGroupsFailingChecksByTheirWorstFinding() throws {
    try hooks.put("all", events: [.checkFailed], digestSeconds: 60)
    let domains = try ["b.example", "c.example", "d.example"].map { try DomainName($0) }
    for domain in domains { try store.put(.example(domain.text)) }
    for _ in 1...2 {
      try check(.botBlocked, .slow)
      try check(.htmlAnswer, .botBlocked, of: domains[0])
      try check(.htmlAnswer, of: domains[1])
      try check(.htmlAnswer, .slow, of: domains[2])
    }
    hooks.wait(60)
    while try store.writeDeliveries() {}
    let groups = try hooks.deliveries("all").first?.data["groups"]?.arrayValue ?? []
    #expect(groups.map { $0["cause"] } == [["code": "bot-blocked"], ["code": "html-answer"]])
    #expect(
      groups.map { $0["domains"] } == [["example.com"], ["b.example", "c.example", "d.example"]])
  }

  @Test func aNewWebhookHearsOfTheDomainsThatFailAlready() throws {
    let other = try DomainName("b.brand.example")
    try store.put(.example(other.text))
    for _ in 1...2 { try check(.botBlocked) }
    try suppress(.slow)
    for _ in 1...2 { try check(.botBlocked, .slow) }
    for _ in 1...2 { try check(.botBlocked, of: other) }
    // One failure is no alert yet.
    try store.put(.example("c.example"))
    try check(.botBlocked, of: DomainName("c.example"))

    try hooks.put("all")
    #expect(
      try hooks.events("all") == ["check.failed b.brand.example", "check.failed example.com"])
    let data = try #require(try hooks.deliveries("all").last?.data)
    #expect(data["checks"] == 4 && data["since"] == .time(Self.start), "\(data)")
    #expect(data["codes"] == ["bot-blocked"] && data["findings"]?.arrayValue?.count == 1)
    #expect(data["findings"]?.arrayValue?.first?["url"] == "https://example.com/")

    // Only of what it receives, and of nothing twice.
    try hooks.put("brand", events: [.checkFailed], domains: ["*.brand.example"])
    try hooks.put("news", events: [.revisionPublished])
    try hooks.put("off", isEnabled: false)
    try hooks.put("all", events: [.checkFailed])
    #expect(try hooks.events("brand") == ["check.failed b.brand.example"])
    #expect(try hooks.events("news") == [] && hooks.events("off") == [])
    #expect(try hooks.deliveries("all").count == 2)

    // What it receives from now on counts as new.
    try hooks.put("brand", events: [.checkFailed])
    try hooks.put("off")
    #expect(
      try hooks.events("brand") == ["check.failed b.brand.example", "check.failed example.com"])
    #expect(try hooks.events("off").count == 2)
    try check(of: other)
    #expect(try hooks.events("off").last == "check.recovered b.brand.example")
  }

  @Test func aDomainIsAlertedAfterTwoFailuresInARowAndOnceWhenItRecovers() throws {
    try hooks.put("all", events: [.checkFailed, .checkRecovered])
    for codes in ["f", "o", "f", "o", "f", "w", "f", "f", "f", "o", "o"] {
      hooks.wait(60)
      switch codes {
      case "f": try check(.botBlocked)
      case "w": try check(.slow)
      default: try check()
      }
    }
    let told = try hooks.deliveries("all")
    #expect(told.map(\.event) == ["check.failed", "check.recovered"])
    #expect(
      told[0].data == [
        "domain": "example.com", "status": "failing", "since": "2023-11-14T22:20:20Z", "checks": 2,
        "codes": ["bot-blocked"],
        "findings": [
          [
            "code": "bot-blocked", "severity": "error", "message": "It is so.",
            "help": "Mend it.", "url": "https://example.com/",
          ]
        ],
      ])
    #expect(
      told[1].data == [
        "domain": "example.com", "status": "ok", "failedSince": "2023-11-14T22:20:20Z",
      ])
  }

  @Test func aCertificateThatEndsSoonIsToldOnce() throws {
    try hooks.put("all", events: [.certificateExpiring])
    let day: Int64 = 86_400
    let certificate = { (days: Int64) in
      CheckRecord.Certificate(
        names: ["example.com"], issuer: "R11", endsAt: Self.start + days * day)
    }
    try check(certificate: certificate(15))
    #expect(try hooks.events("all").isEmpty)
    hooks.wait(2 * day)
    try check(certificate: certificate(15))
    hooks.wait(day)
    try check(certificate: certificate(15))
    try check(certificate: certificate(90))
    try check(certificate: certificate(10))
    #expect(
      try hooks.deliveries("all").map(\.data) == [
        [
          "domain": "example.com", "expires": "2023-11-29T22:13:20Z", "days": 13,
          "names": ["example.com"], "issuer": "R11",
        ],
        [
          "domain": "example.com", "expires": "2023-11-24T22:13:20Z", "days": 7,
          "names": ["example.com"], "issuer": "R11",
        ],
      ])
  }

  @Test func twoServersDoNotCheckADomainTwice() throws {
    for number in 1...20 { try store.put(.example("\(number).example")) }
    hooks.wait(100)
    let other = try hooks.open()
    let claims = [
      try claim(limit: 5), try claim(limit: 5, in: other), try claim(in: other), try claim(),
    ]
    #expect(claims.map(\.count) == [5, 5, 10, 1])
    #expect(Set(claims.joined()).count == 21)
    #expect(try claim().isEmpty)
    hooks.wait(60)
    #expect(try claim(urgent: 30, limit: 30).count == 21, "those of a server that died")
  }

  @Test func domainsThatFailOrHaveChangedComeFirst() throws {
    for number in 1...3 { try store.put(.example("\(number).example")) }
    hooks.wait(100)
    _ = try claim()
    for number in 1...3 { try check(of: DomainName("\(number).example"), interval: 3600) }
    try check(.botBlocked, interval: 3600)
    hooks.wait(10_000)
    try store.put(.example("2.example", paths: ["/b"]))
    hooks.wait(60)
    let order = try claim()
    #expect(Set(order.prefix(2)) == ["example.com", "2.example"] && order.count == 4)
  }

  @Test func aChangeIsCheckedAMinuteLater() throws {
    hooks.wait(100)
    #expect(try claim() == ["example.com"])
    try check(interval: 3600)
    hooks.wait(100)
    try store.put(.example(paths: ["/b"]))
    hooks.wait(30)
    try store.put(.example(paths: ["/c"]))
    #expect(try claim().isEmpty)
    hooks.wait(30)
    #expect(try claim() == ["example.com"])
    // The second edit was shortly before this check.
    try check(interval: 3600)
    hooks.wait(30)
    #expect(try claim() == ["example.com"])
  }

  @Test func aFailureIsCheckedAgainSoonAndAllOthersWithinTheInterval() throws {
    hooks.wait(100)
    try check(.botBlocked, interval: 6 * 3600)
    hooks.wait(200)
    #expect(try claim().isEmpty)
    hooks.wait(100)
    #expect(try claim() == ["example.com"])
    try check(.botBlocked, interval: 6 * 3600)
    hooks.wait(3600)
    #expect(try claim() == ["example.com"])
    try check(interval: 6 * 3600)
    hooks.wait(5 * 3600)
    #expect(try claim().isEmpty)
    hooks.wait(3600)
    #expect(try claim() == ["example.com"])
  }

  @Test func checksAreSpreadOverTheInterval() throws {
    for number in 1...49 { try store.put(.example("\(number).example")) }
    hooks.wait(100)
    let all = try claim(urgent: 50, limit: 50)
    _ = try store.record(
      all.map { CheckRecord(try DomainName($0), at: store.now(), findings: [], result: [:]) },
      interval: 1000)
    var counts: [Int] = []
    for _ in 1...10 {
      hooks.wait(100)
      counts.append(try claim(others: 50, limit: 50, lease: 10_000).count)
    }
    #expect(counts.prefix(4).allSatisfy { $0 == 0 } && counts.reduce(0, +) == 50)
    #expect(counts.dropFirst(5).allSatisfy { (1...24).contains($0) })
  }

  @Test func whatIsNotCheckedAtShutdownIsDueAgain() throws {
    hooks.wait(100)
    #expect(try claim() == ["example.com"])
    try store.releaseChecks([name])
    #expect(try claim() == ["example.com"])
  }

  @Test func detailsOfOldChecksGoAndTransitionsStay() throws {
    try check(.slow)
    hooks.wait(86_400)
    try check()
    hooks.wait(40 * 86_400)
    let pruned = try Pruning(store).step(Retention(checkDays: 30))
    #expect(pruned.checks == 1)
    let all = try store.checks(of: name, before: nil, limit: 10)
    #expect(all.map { $0.result == nil } == [false, true])
    #expect(try runs() == ["ok  1", "warning slow 1"])
  }

  @Test func aDomainThatComesBackBeginsANewRunOfChecks() throws {
    try check(.slow)
    try check(.slow)
    try store.delete(name)
    try store.put(.example(name.text))
    try check(.slow)
    #expect(try runs() == ["warning slow 1", "warning slow 2"])
  }

  @Test func aSlowCheckDoesNotReplaceALaterOne() throws {
    try check(.slow)
    #expect(try check(.botBlocked, at: store.now() - 5) == nil)
    #expect(try runs() == ["warning slow 1"])
    // A clock that was set back.
    try check(.slow, at: store.now() + 3600)
    try check(.botBlocked)
    #expect(try runs() == ["failing bot-blocked 1", "warning slow 2"])
  }

  @Test func aDomainThatIsNotHereIsNotRecorded() throws {
    #expect(try check(of: DomainName("other.example")) == nil)
    #expect(try store.checks(limit: 10).total == 0)
  }

  @Test func theLastCheckOfEachDomainIsListed() throws {
    try store.put(.example("a.example"))
    try store.put(.example("b.example"))
    try check(.botBlocked, cdn: .init(revision: 1, lag: 2, fetchedAt: 5))
    try check(of: DomainName("a.example"))
    #expect(try store.checks(limit: 1).page.map(\.domain.text) == ["a.example"])
    #expect(
      try store.checks(after: "a.example", limit: 9).page.map(\.domain.text) == ["example.com"])
    let failing = try store.checks(.failing, limit: 9)
    #expect(failing.total == 1 && failing.page.map(\.cdnLag) == [2])
    #expect(
      failing.page.map(\.failures) == [1] && failing.page.map(\.run.codes) == [["bot-blocked"]])
    #expect(try store.checks(within: Scope(domains: [Alias("a.example")]), limit: 9).total == 1)
    // Its history outlives a domain, its state does not.
    try store.delete(name)
    #expect(try store.checks(limit: 9).page.map(\.domain.text) == ["a.example"])
    #expect(try runs() == ["failing bot-blocked 1"])
    #expect(try store.findings(FindingFilter(source: .check), limit: 9).page.isEmpty)
  }
}
