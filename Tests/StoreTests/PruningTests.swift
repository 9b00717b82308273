import Association
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// What is old goes by policy, in small parts, and what is served never does.
@Suite struct PruningTests {
  private static let day: Int64 = 86_400
  private let temporary: TemporaryStore
  private let clock: Clock
  private let store: Store
  private let name: DomainName

  /// A clock that the test sets.
  private final class Clock: Sendable {
    private let days = Atomic<Int64>(0)
    var now: UnixTime { TemporaryStore.time + days.load(ordering: .relaxed) * day }
    func set(day: Int) { days.store(Int64(day), ordering: .relaxed) }
  }

  init() throws {
    let clock = Clock()
    self.clock = clock
    temporary = try TemporaryStore { clock.now }
    store = temporary.store
    name = try DomainName("example.com")
  }

  /// Publishes a revision of a domain on each of some days.
  private func publish(_ domain: String = "example.com", days: Range<Int>) throws {
    for day in days {
      clock.set(day: day)
      try store.put(.example(domain, paths: ["/\(day)"]))
    }
  }

  /// Steps until the round has ended, and returns what went.
  @discardableResult
  private func prune(_ retention: Retention) throws -> Pruned {
    let pruning = Pruning(store)
    var total = Pruned()
    while true {
      let step = try pruning.step(retention)
      total.revisions += step.revisions
      total.auditRecords += step.auditRecords
      total.domains += step.domains
      if step.isComplete { return total }
    }
  }

  private func numbers(_ domain: String = "example.com") throws -> [Int] {
    try store.revisions(of: DomainName(domain), before: nil, limit: 1000).map(\.number).reversed()
  }

  @Test(arguments: [
    // Days are 0 to 19 and make the revisions 1 to 20; it is day 20.
    (keep: 1, days: 0, oldest: 1), (keep: 5, days: 0, oldest: 1), (keep: 1, days: 10, oldest: 11),
    (keep: 5, days: 10, oldest: 11), (keep: 15, days: 10, oldest: 6),
    (keep: 20, days: 1, oldest: 1),
    (keep: 19, days: 1, oldest: 2), (keep: 1, days: 1, oldest: 20), (keep: 0, days: 1, oldest: 20),
    (keep: 100, days: 1, oldest: 1), (keep: 1, days: 20, oldest: 1),
    (keep: 1, days: .max, oldest: 1),
  ])
  func aRevisionIsPrunedIfItIsOldAndManyAreNewer(keep: Int, days: Int, oldest: Int) throws {
    try publish(days: 0..<20)
    clock.set(day: 20)
    let pruned = try prune(Retention(revisions: keep, revisionDays: days))
    #expect(try numbers() == Array(oldest...20))
    #expect(pruned.revisions == oldest - 1 && pruned.auditRecords == 0)
  }

  @Test func theCurrentRevisionIsNeverPruned() throws {
    try publish(days: 0..<3)
    try publish("other.example", days: 0..<1)
    let before = try store.currentRevision(of: name)
    clock.set(day: 10_000)
    #expect(try prune(Retention(revisions: 1, revisionDays: 1)).revisions == 2)
    #expect(try store.currentRevision(of: name) == before)
    #expect(try numbers("other.example") == [1])
    #expect(throws: StoreError.notFound(.prunedRevision(1))) { try store.revision(1, of: name) }
    #expect(throws: StoreError.notFound(.revision(4))) { try store.revision(4, of: name) }
    #expect(throws: StoreError.notFound(.revision(0))) { try store.revision(0, of: name) }
    #expect(try store.put(.example()).revision.number == 4)
  }

  @Test func aStepIsSmallAndARoundReachesEveryDomain() throws {
    for index in 0..<450 { try publish("d\(index).example", days: 0..<2) }
    try publish(days: 0..<170)
    clock.set(day: 10_000)
    let pruning = Pruning(store)
    let retention = Retention(revisions: 1, revisionDays: 1)
    var (steps, revisions) = (0, 0)
    while true {
      let step = try pruning.step(retention)
      steps += 1
      revisions += step.revisions
      #expect(step.revisions <= 50)
      if step.isComplete { break }
    }
    #expect(revisions == 450 + 169 && steps >= 13)
    #expect(try numbers() == [170])
    try publish(days: 170..<180)
    #expect(try pruning.step(retention) == Pruned(), "the next round is an hour later")
    clock.set(day: 10_001)
    while try !pruning.step(retention).isComplete {}
    #expect(try numbers() == [180])
  }

  @Test func aDeletedDomainIsPrunedWhenItsDeletionIsOld() throws {
    try publish(days: 0..<120)
    try publish("other.example", days: 119..<120)
    clock.set(day: 125)
    for name in [name, try DomainName("other.example")] { try store.delete(name) }
    let retention = Retention(revisions: 1000, revisionDays: 10)
    #expect(try prune(Retention(revisions: 1)).domains == 0, "0 days keep everything")
    clock.set(day: 134)
    #expect(try prune(retention) == Pruned(), "it was deleted 9 days ago")
    #expect(try numbers().count == 120)
    try publish("other.example", days: 134..<135)
    clock.set(day: 136)
    let pruned = try prune(retention)
    #expect(pruned.domains == 1 && pruned.revisions == 119)
    #expect(throws: StoreError.notFound(.domain(name))) { try numbers() }
    #expect(try numbers("other.example") == [1, 2])
    #expect(try store.domains(DomainFilter(isDeleted: true), limit: 9).total == 0)
    #expect(try store.put(.example()).revision.number == 1)
  }

  @Test func theRevisionThatAppleHasIsKept() throws {
    try publish(days: 0..<5)
    let domain = try store.domain(name).id
    for revision in 1...2 {
      try store.add([
        NewFetches(
          domain: domain, revision: revision, fetcher: .appleCDN, count: 1, firstAt: clock.now,
          lastAt: clock.now)
      ])
    }
    clock.set(day: 100)
    try prune(Retention(revisions: 1, revisionDays: 1))
    #expect(try numbers() == [2, 5])
  }

  @Test func auditRecordsArePrunedByAge() throws {
    try publish(days: 0..<120)
    clock.set(day: 120)
    #expect(try prune(Retention(revisions: 1, auditDays: 0)) == Pruned())
    let pruned = try prune(Retention(revisions: 1, auditDays: 20))
    #expect(pruned.auditRecords == 100 && pruned.revisions == 0)
    let kept = try store.audit(AuditFilter(), limit: 1000)
    #expect(kept.map(\.revision) == (101...120).reversed())
    let changes = try store.changes(ChangeFilter(), limit: 1000).page
    #expect(changes.map(\.id) == (101...120).reversed())
    #expect(try store.changedDomains(of: 100).isEmpty)
    #expect(try store.changedDomains(of: 101).map(\.after) == [101])
  }
}
