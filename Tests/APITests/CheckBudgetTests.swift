import Association
import Checking
import HTTP
import Service
import Store
import TestSupport
import Testing

/// What a check answers if comparing what it found would take too long.
@Suite(SystemProgram.need("python3", "openssl")) struct CheckBudgetTests {
  private let running: RunningService
  private let outside: StandIns
  private let checker: Checker

  init() throws {
    running = try RunningService()
    outside = try StandIns()
    let port = Int(running.service.publicAddress.port)
    try outside.site("*", ["upstream": .integer(port)])
    var policy = Fetcher.Policy()
    policy.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
    policy.places = [try #require(Fetcher.Place("*:127.0.0.1:\(outside.sitePort)"))]
    policy.authorities = outside.authorities
    var services = Checker.Services()
    services.appleCDN = "http://127.0.0.1:1"
    services.googleDigitalAssetLinks = "http://127.0.0.1:1"
    checker = Checker(Fetcher(policy), services) { 1_800_000_000 }
  }

  private static let plenty = CheckBudget.Amount(time: .seconds(1000), steps: .max)
  private let other = #"{"applinks": {"details": []}, "by": "somebody else"}"#

  private func publish(_ domain: String, _ path: String, aliases: [String] = []) throws -> [UInt8] {
    let entry: JSON = ["apps": [.string(app)], "routes": [["path": .string(path)]]]
    try running.put(domain, ["entries": [entry], "aliases": .strings(aliases)])
    return try running.serve(domain).body
  }

  private func site(_ host: String, serves body: String) throws {
    let file: JSON = ["body": .string(body)]
    try outside.site(
      host,
      [
        "paths": [
          "/.well-known/apple-app-site-association": file, "/apple-app-site-association": file,
        ]
      ])
  }

  private func checks(_ domains: [String], _ budget: CheckBudget) throws -> [Check] {
    let subjects = try domains.map { try Subject(DomainName($0), in: running.store) }
    return try WorkThread.wait { [checker] in await checker.checks(of: subjects, budget) }
      .map { try $0.get() }
  }

  private func check(_ domain: String, steps: Int) throws -> Check {
    let amount = CheckBudget.Amount(time: Self.plenty.time, steps: steps)
    return try #require(
      try checks([domain], CheckBudget(domain: amount, request: Self.plenty)).first)
  }

  private func count(_ code: Finding.Code, _ check: Check) -> Int {
    check.findings.count { $0.code == code }
  }

  @Test(arguments: [
    CheckBudget(domain: CheckBudget.Amount(time: .zero, steps: .max), request: plenty),
    CheckBudget(domain: CheckBudget.Amount(time: plenty.time, steps: 0), request: plenty),
    CheckBudget(domain: plenty, request: CheckBudget.Amount(time: .zero, steps: .max)),
    CheckBudget(domain: plenty, request: CheckBudget.Amount(time: plenty.time, steps: 0)),
  ])
  func aCheckThatLeavesSomethingOutSaysSoAndReportsTheRest(budget: CheckBudget) throws {
    _ = try publish("a.example", "/a")
    try site("a.example", serves: other)
    let whole = try #require(try checks(["a.example"], CheckBudget()).first)
    #expect(count(.bodyNotOurs, whole) == 1 && count(.tooComplex, whole) == 0)
    #expect(whole.origin?.changes.isEmpty == false)
    let cut = try #require(try checks(["a.example"], budget).first)
    #expect(count(.bodyNotOurs, cut) == 1 && cut.origin?.changes == [])
    let finding = try #require(cut.findings.first { $0.code == .tooComplex })
    #expect(finding.severity == .warning && finding.message.contains("left something out"))
  }

  @Test func aFileOfSomebodyElseIsLintedAsLongAsStepsAreLeft() throws {
    let file = #"{"applinks": {"details": [{"appIDs": ["x"], "components": [{"/": "/a"}]}]}}"#
    try site("other.example", serves: file)
    let linted = try check("other.example", steps: file.utf8.count)
    #expect(count(.malformedAppIdentifier, linted) == 1 && count(.tooComplex, linted) == 0)
    let cut = try check("other.example", steps: file.utf8.count - 1)
    #expect(count(.malformedAppIdentifier, cut) == 0 && count(.tooComplex, cut) == 1)
  }

  /// With a budget that is over, a file that is served as it is needs no comparison.
  @Test func aRightFileIsRightWithoutAnyComparison() throws {
    _ = try publish("a.example", "/a", aliases: ["b.example"])
    let check = try check("a.example", steps: 0)
    #expect(check.origin?.isCurrent == true && count(.tooComplex, check) == 0)
    #expect(count(.aliasNotReached, check) == 0)
  }

  @Test func earlierRevisionsAreReadAsLongAsStepsAreLeft() throws {
    let first = try publish("a.example", "/first")
    let second = try publish("a.example", "/2")
    // As a proxy rewrites JSON.
    try site("a.example", serves: String(decoding: first, as: UTF8.self) + "\n\n")
    let needed = first.count + second.count
    let found = try check("a.example", steps: needed)
    #expect(found.origin?.revision == 1 && found.origin?.equality == .meaning)
    #expect(count(.tooComplex, found) == 0)
    let cut = try check("a.example", steps: needed - 1)
    #expect(cut.origin?.equality == nil && count(.tooComplex, cut) == 1)
  }

  @Test func aliasesThatServeTheSameBytesAreComparedOnce() throws {
    let aliases = ["b.example", "c.example", "d.example"]
    _ = try publish("a.example", "/a", aliases: aliases)
    for alias in aliases { try site(alias, serves: other) }
    let steps = other.utf8.count
    let found = try check("a.example", steps: steps)
    #expect(count(.aliasNotReached, found) == 3 && count(.tooComplex, found) == 0)
    let cut = try check("a.example", steps: steps - 1)
    #expect(count(.aliasNotReached, cut) == 0 && count(.tooComplex, cut) == 1)
    // Other bytes are compared by themselves.
    try site("d.example", serves: other.replacing("somebody", with: "everbody"))
    let both = try check("a.example", steps: 2 * steps)
    #expect(count(.aliasNotReached, both) == 3 && count(.tooComplex, both) == 0)
    let one = try check("a.example", steps: 2 * steps - 1)
    #expect((1...2).contains(count(.aliasNotReached, one)) && count(.tooComplex, one) == 1)
  }

  @Test func theDomainsOfARequestShareItsBudget() throws {
    let domains = ["a.example", "b.example", "c.example"]
    var file: [UInt8] = []
    for domain in domains {
      file = try publish(domain, "/a")
      try site(domain, serves: other)
    }
    // The current revision is read once more, and then what changes from it.
    let needed = file.count + other.utf8.count
    for share in 1...domains.count {
      let request = CheckBudget.Amount(time: Self.plenty.time, steps: share * needed)
      let checks = try checks(domains, CheckBudget(domain: Self.plenty, request: request))
      #expect(checks.count { count(.tooComplex, $0) == 0 } == share)
      #expect(checks.allSatisfy { count(.bodyNotOurs, $0) == 1 })
    }
  }

  @Test func aCheckEndsWithItsTask() async throws {
    _ = try publish("a.example", "/a")
    let subject = try Subject(DomainName("a.example"), in: running.store)
    let task = Task { [checker] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await checker.check(subject)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
