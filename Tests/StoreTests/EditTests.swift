import Association
import Publishing
@testable import Store
import Synchronization
import TestSupport
import Testing

/// An edit is a transaction of its own, committed and served before it returns.
@Suite struct EditTests {
  private let temporary: TemporaryStore
  private let name: DomainName
  private var store: Store { temporary.store }

  private struct Stop: Error {}
  private let context = WriteContext(author: "test")

  init() throws {
    temporary = try TemporaryStore()
    name = try DomainName("example.com")
  }

  private func put(_ domain: Domain, in transaction: borrowing Transaction) throws {
    _ = try transaction.save(store.edit(to: domain), action: "test")
  }

  private func names() throws -> [String] {
    try store.domains(limit: 10).page.map(\.name.text)
  }

  @Test func anEditIsServedAfterItsCommitAndADryRunIsNot() throws {
    let other = try temporary.open()
    let seen = Mutex<[Int]>([])
    let publisher = Publisher(store: store) {
      let revision = try other.domain(DomainName("example.com")).revision
      seen.withLock { $0.append(revision) }
    }
    for (isDryRun, path) in [(false, "/a"), (true, "/b"), (false, "/b")] {
      let context = WriteContext(author: "test", isDryRun: isDryRun)
      let publication = try publisher.publish(name, action: "test", by: context) { _ in
        try .example(paths: [path])
      }
      #expect(publication.edited.isChanged)
    }
    #expect(seen.withLock { $0 } == [1, 2])
    #expect(throws: Stop.self) {
      try publisher.publish(name, action: "test", by: context) { _ in throw Stop() }
    }
    #expect(seen.withLock { $0 } == [1, 2])
  }

  @Test func aDryRunDoesNotWaitForAnEditOfItsDomain() throws {
    store.setLockTimeout(milliseconds: 20)
    let dryRun = WriteContext(author: "test", isDryRun: true)
    try store.edit(context, of: name) { (_: Void?) in
      #expect(throws: Never.self) {
        try store.edit(dryRun, of: name) { (_: Void?) in
        } write: { _, _ in
        }
      }
      #expect(throws: StoreError.busy) {
        try store.edit(context, of: name) { (_: Void?) in
        } write: { _, _ in
        }
      }
    } write: { _, _ in
    }
  }

  @Test func anEditThatCannotBeServedIsStoredAndSaysSo() throws {
    let publisher = Publisher(store: store) { throw Stop() }
    do {
      _ = try publisher.publish(name, action: "test", by: context) { _ in try .example() }
      Issue.record("it was served")
    } catch StoreError.notServedYet(let stored, _) {
      #expect(try stored == store.domain(name) && stored?.revision == 1)
    }
    #expect(try temporary.count("audit") == 1)
  }

  @Test func dryRunsAndFailedEditsChangeNothing() throws {
    try store.put(.example())
    let before = try store.domain(name)
    try store.write(WriteContext(author: "test", isDryRun: true)) { transaction in
      try put(.example(paths: ["/b"]), in: transaction)
      try put(.example("other.example"), in: transaction)
      #expect(try transaction.domainNames().map(\.text) == ["example.com"])
    }
    #expect(throws: Stop.self) {
      try store.write(context) { transaction in
        try put(.example(paths: ["/c"]), in: transaction)
        try put(.example("other.example"), in: transaction)
        #expect(try transaction.domainNames().map(\.text) == ["example.com", "other.example"])
        #expect(try names() == ["example.com"], "nothing uncommitted is visible")
        throw Stop()
      }
    }
    #expect(try names() == ["example.com"])
    #expect(try store.domain(name) == before)
    #expect(try store.changes(after: 0).sequence == 1)
    try store.put(.example(paths: ["/d"]))
    #expect(try store.domain(name).revision == 2)
  }

  @Test(TemporaryDatabase.isFile) func anEditOnAFullDiskIsRolledBack() throws {
    try store.put(.example("before.example"))
    do {
      try store.write(context) { transaction in
        try put(.example(), in: transaction)
        let pages = try transaction.connection.first("PRAGMA page_count") { $0.int(0) } ?? 0
        try transaction.connection.run("PRAGMA max_page_count = \(pages + 2)")
        // One row without anything that depends on it: SQLite rolls back the whole transaction itself.
        try transaction.connection.run(
          """
          INSERT INTO audit (at, author, address, action, reason)
          VALUES (0, '', '', '', printf('%.*c', 100000, 'x'))
          """)
      }
      Issue.record("the disk was not full")
    } catch StoreError.database(.diskFull, _) {
      #expect(try names() == ["before.example"])
    }
    try store.write(context) {
      try $0.connection.run("PRAGMA max_page_count = 1000000")
      try put(.example(), in: $0)
    }
    #expect(try names() == ["before.example", "example.com"])
  }

  @Test func canonicallyEquivalentTextsAreDifferent() throws {
    for text in ["\u{E9}", "e\u{301}"] {
      var domain = try store.formerDomain(of: name).stored?.domain ?? .example()
      domain.associationFile.apps = [text]
      let edited = try store.put(domain)
      let apps = edited.stored.domain.associationFile.apps?.map { Array($0.utf8) }
      #expect(apps == [Array(text.utf8)] && edited.isChanged)
    }
  }

  @Test func anotherProcessCanWriteBesideThreadsThatWriteWithoutPause() throws {
    let (busy, stop) = (try temporary.open(), Counter())
    let threads = Threads(
      (0..<4).map { index in
        {
          var count = 0
          while stop.count == 0 {
            count += 1
            #expect(throws: Never.self) {
              try busy.put(.example("d\(index).example", paths: ["/\(count)"]))
            }
          }
        }
      })
    for _ in 0..<20 {
      let start = ContinuousClock.now
      #expect(throws: Never.self) { try store.put(.example("other.example")) }
      #expect(ContinuousClock.now - start < .seconds(30))
    }
    stop.add()
    #expect(threads.end())
  }
}
