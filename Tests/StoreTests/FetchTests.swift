import Association
import Store
import Synchronization
import TestSupport
import Testing

/// The fetch ledger.
@Suite struct FetchTests {
  let temporary: TemporaryStore
  var store: Store { temporary.store }
  let name: DomainName
  let domain: Int64

  init() throws {
    temporary = try TemporaryStore()
    name = try DomainName("example.com")
    domain = try temporary.store.put(.example()).stored.id
  }

  private func fetches(
    _ count: Int, of revision: Int = 1, by fetcher: FetcherClass = .appleCDN,
    from first: UnixTime = 100, to last: UnixTime = 200
  ) -> NewFetches {
    NewFetches(
      domain: domain, revision: revision, fetcher: fetcher, count: count, firstAt: first,
      lastAt: last)
  }

  private func report(before number: Int? = nil, limit: Int = 10) throws -> FetchReport {
    try store.fetches(of: name, before: number, limit: limit)
  }

  @Test func aNewDomainHasNoFetches() throws {
    let report = try report()
    #expect(report.totals.isEmpty && report.current.counts.isEmpty)
    #expect(report.revisions == [report.current] && report.current.revision.number == 1)
    #expect(throws: StoreError.notFound(.domain(try DomainName("other.example")))) {
      try store.fetches(of: DomainName("other.example"), before: nil, limit: 1)
    }
  }

  @Test func fetchesOfSeveralServersAddUp() throws {
    try store.add([fetches(2), fetches(5, by: .other)])
    try temporary.open().add([fetches(3, from: 50, to: 150)])
    try store.add([fetches(1, from: 300, to: 300)])
    let counts = try report().current.counts.mapValues(\.numbers)
    #expect(counts == [.appleCDN: [6, 50, 300, 1], .other: [5, 100, 200, 1]])
  }

  @Test func countsBelongToTheRevisionThatWasServed() throws {
    try store.add([fetches(2)])
    for path in ["/b", "/c"] { try store.put(.example(paths: [path])) }
    try store.add([fetches(4, of: 2, from: 300, to: 400), fetches(1, from: 350, to: 350)])
    let report = try report()
    #expect(report.current.revision.number == 3 && report.current.counts.isEmpty)
    #expect(report.revisions.map(\.revision.number) == [3, 2, 1])
    #expect(report.revisions.map { $0.counts[.appleCDN]?.count } == [nil, 4, 3])
    #expect(report.totals.mapValues(\.numbers) == [.appleCDN: [7, 100, 400, 2]])
    let page = try self.report(before: 3, limit: 1)
    #expect(page.revisions.map(\.revision.number) == [2] && page.current == report.current)
  }

  @Test func fetchesAreNeitherServedNorAudited() throws {
    let changes = try store.changes(after: 0)
    let audit = try temporary.count("audit")
    try store.add([fetches(1)])
    #expect(try store.changes(after: changes.sequence).domains?.isEmpty == true)
    #expect(try store.changes(after: 0).sequence == changes.sequence)
    #expect(try temporary.count("audit") == audit)
  }

  @Test func fetchesArePrunedWithTheirRevisionAndLateOnesAreDropped() throws {
    try store.put(.example(paths: ["/b"]))
    try store.add([fetches(1), fetches(1, of: 2)])
    let connection = try temporary.connect()
    try connection.run("DELETE FROM revision WHERE number = 1")
    #expect(try temporary.count("fetch") == 1)
    try store.add([fetches(1), fetches(1, of: 9), fetches(1, of: 2)])
    #expect(try report().totals[.appleCDN]?.count == 2)
    try store.delete(name)
    try store.add([fetches(1, of: 2)])
    #expect(try report().totals[.appleCDN]?.count == 3, "a deleted domain keeps its ledger")
  }

  @Test func uncollectedDomainsAreCountedByWhetherAppleEverFetchedThem() throws {
    try store.put(.example("never.example"))
    var staging = try Domain.example("staging.example")
    staging.environment = .staging
    try store.put(staging)
    var disabled = try Domain.example("disabled.example")
    disabled.isEnabled = false
    try store.put(disabled)
    try store.add([fetches(1), fetches(1, by: .other)])
    func waiting() throws -> [String] {
      try store.domainsWaitingForApple().filter { $0.count > 0 }.map {
        "\($0.environment) \($0.isCollectedBefore) \($0.count) \($0.since?.seconds ?? 0)"
      }
    }
    let time = TemporaryStore.time.seconds
    #expect(try waiting() == ["production false 1 \(time)", "staging false 1 \(time)"])
    try store.put(.example(paths: ["/b"]))
    let before = "production true 1 \(time)"
    #expect(try waiting().contains(before))
    try store.add([fetches(1, of: 2)])
    #expect(try !waiting().contains(before))
    #expect(try store.domainsWaitingForApple().count == 6)
  }

  @Test func theClockOfAChangeStartsWithItsBytes() throws {
    let days = Mutex<Int64>(0)
    let store = try temporary.open { TemporaryStore.time + days.withLock { $0 } }
    func waitingSince() throws -> [Int64] {
      try store.domainsWaitingForApple().compactMap(\.since).map {
        $0.seconds(since: TemporaryStore.time)
      }
    }
    // A change of the cache alone leaves the bytes as they are.
    for (day, path, seconds) in [(1, "/b", 1), (2, "/b", 2), (3, "/b", 3)] as [(Int64, String, Int)]
    {
      days.withLock { $0 = day }
      var domain = try Domain.example(paths: [path])
      domain.cacheSeconds = seconds
      try store.put(domain)
    }
    #expect(try waitingSince() == [1])
    try store.add([fetches(1, of: 2)])
    #expect(try waitingSince() == [])
    days.withLock { $0 = 4 }
    try store.put(.example(paths: ["/a"]))
    #expect(try waitingSince() == [4])
  }

  @Test func aFailedBatchAddsNothing() throws {
    #expect(throws: StoreError.self) { try store.add([fetches(1), fetches(0)]) }
    #expect(try report().totals.isEmpty)
  }
}

extension FetchCount {
  /// How often, when first, when last, and the revision that was served last.
  fileprivate var numbers: [Int64] {
    [Int64(count), firstAt.seconds, lastAt.seconds, Int64(lastRevision)]
  }
}
