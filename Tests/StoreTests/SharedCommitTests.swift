import Association
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Edits that come at the same time: their turns in one transaction, and its commit.
@Suite struct SharedCommitTests {
  let temporary: TemporaryStore
  let store: Store
  /// What was committed, and what the edits came to.
  let record = Record()

  init() throws {
    temporary = try TemporaryStore()
    // Long enough for any machine: how many share a commit then is not a question of time.
    store = try Store(path: temporary.path, patience: .seconds(60)) { TemporaryStore.time }
  }

  /// One edit of several.
  struct Edit: Sendable {
    var isTrial = false
    var wantsHandOver = true
    let body: @Sendable (borrowing Transaction) throws -> Void
  }

  /// What keeps a commit from being handed over.
  struct Unavailable: Error {}

  /// Does edits of which all but the first wait for their turn, one after another, while the first has
  /// its own.
  ///
  /// - Parameter failing: Whether what is committed cannot be handed over.
  private func together(_ edits: [Edit], failing: Bool = false) throws {
    let (store, record) = (store, record)
    let gate = Counter()
    let handOver: @Sendable (Commit) throws -> Void = { commit in
      record.add(commit)
      if failing { throw Unavailable() }
    }
    let threads = Threads(
      edits.enumerated().map { index, edit in
        {
          // In order, each when the one before it waits.
          _ = becomesTrue { gate.count >= index && store.waitingWriters >= index - 1 }
          do {
            try store.write(
              WriteContext(author: "\(index)", isDryRun: edit.isTrial),
              handOver: edit.wantsHandOver ? handOver : nil
            ) { transaction in
              gate.add()
              if index == 0 {
                for _ in edits { gate.add() }
                _ = becomesTrue { store.waitingWriters == edits.count - 1 }
              }
              try edit.body(transaction)
            }
            record.end(index, nil)
          } catch {
            record.end(index, error)
          }
        }
      })
    try #require(threads.end())
  }

  private func put(_ name: String) -> Edit {
    Edit { transaction in
      let domain = try Domain.example(name)
      _ = try transaction.edit(domain.name, action: "test") { _ in
        DomainEdit(domain: domain, document: domain.document.rendered())
      }
    }
  }

  private func names() throws -> [String] {
    try temporary.store.domains(after: nil, limit: 10).map(\.name.text)
  }

  @Test func editsThatWaitForEachOtherShareOneCommit() throws {
    try together([put("a.example"), put("b.example"), put("c.example"), put("d.example")])
    #expect(try names() == ["a.example", "b.example", "c.example", "d.example"])
    #expect(record.errors.isEmpty)
    let commit = try #require(record.commits.first)
    #expect(record.commits.count == 1 && commit.sequence == 1...4)
    #expect(try store.changes(after: 0).domains?.map(\.domain).sorted() == [1, 2, 3, 4])
    let served = commit.changes?.compactMap(\.served?.names.first?.name.text) ?? []
    #expect(served.sorted() == ["a.example", "b.example", "c.example", "d.example"])
  }

  @Test func anEditAloneIsCommittedAtOnceAndOneThatIsTriedAtAllIsNot() throws {
    try together([put("a.example")])
    #expect(record.commits.map(\.sequence) == [1...1])
    try together([Edit(isTrial: true, body: put("b.example").body)])
    #expect(record.commits.count == 1)
    #expect(try names() == ["a.example"])
  }

  @Test func anEditThatFailsAndOneThatIsOnlyTriedTakeNothingOfTheOthers() throws {
    struct Stop: Error {}
    let (put, failing) = (put("b.example"), put("c.example"))
    let store = temporary.store
    try together([
      self.put("a.example"),
      Edit(isTrial: true) { transaction in
        try put.body(transaction)
        #expect(try transaction.domainNames().map(\.text) == ["a.example", "b.example"])
        #expect(try store.domainCount() == 0, "nothing uncommitted is seen from outside")
      },
      Edit { transaction in
        try failing.body(transaction)
        throw Stop()
      },
      Edit { transaction in
        #expect(try transaction.domainNames().map(\.text) == ["a.example"])
        try self.put("d.example").body(transaction)
      },
    ])
    #expect(try names() == ["a.example", "d.example"])
    #expect(record.errors.keys.sorted() == [2] && record.errors[2] is Stop)
    #expect(record.commits.map(\.sequence) == [1...2])
    #expect(record.commits.first?.changes?.count == 2)
    #expect(try temporary.count("audit") == 2)
  }

  @Test func aFirstEditThatFailsLeavesTheTransactionToTheNext() throws {
    struct Stop: Error {}
    let put = put("a.example")
    try together([
      Edit { transaction in
        try put.body(transaction)
        throw Stop()
      }, self.put("b.example"),
    ])
    #expect(try names() == ["b.example"])
    #expect(record.errors.keys.sorted() == [0])
  }

  @Test func nobodyIsAnsweredBeforeTheCommit() throws {
    let (record, other) = (record, temporary.store)
    let put = put("b.example")
    try together([
      self.put("a.example"),
      Edit { transaction in
        try put.body(transaction)
        // The first is done with its edit, and could be answered by mistake now.
        #expect(!becomesTrue(within: 0.2) { record.ended > 0 })
        #expect(try other.domainCount() == 0)
      },
    ])
    #expect(record.errors.isEmpty && record.commits.count == 1)
    #expect(record.commitsBeforeFirstEnd == 1)
  }

  @Test func aCommitThatFailsFailsForAllOfThemAndForNobodyAfter() throws {
    try together([
      put("a.example"),
      Edit { transaction in
        // Looked at by the commit only, which it makes fail.
        try transaction.connection.execute("PRAGMA defer_foreign_keys = ON")
        try transaction.connection.run("INSERT INTO token_domain VALUES (99, 'x.example')")
      },
      put("b.example"),
    ])
    #expect(record.errors.keys.sorted() == [0, 1, 2])
    #expect(record.errors.values.allSatisfy { $0 is StoreError })
    #expect(record.commits.isEmpty)
    #expect(try names() == [])
    try together([put("c.example")])
    #expect(try names() == ["c.example"])
    #expect(try store.changes(after: 0).sequence == 1)
  }

  @Test func aDiskThatIsFullInTheMiddleFailsForAllThatWereNotOnIt() throws {
    try store.put(.example("before.example"))
    let put = put("b.example")
    try together([
      self.put("a.example"),
      Edit { transaction in
        let pages = try transaction.connection.first("PRAGMA page_count") { $0.int(0) } ?? 0
        try transaction.connection.run("PRAGMA max_page_count = \(pages + 2)")
        defer {
          #expect(throws: Never.self) {
            try transaction.connection.run("PRAGMA max_page_count = 1000000")
          }
        }
        // One row without anything that depends on it: SQLite then rolls back the whole transaction.
        try transaction.connection.run(
          """
          INSERT INTO audit (at, author, address, action, reason)
          VALUES (0, '', '', '', printf('%.*c', 100000, 'x'))
          """)
      },
      put,
    ])
    #expect(try names() == ["b.example", "before.example"])
    #expect(record.errors.keys.sorted() == [0, 1])
    #expect(try temporary.count("change") == 2)
    for error in record.errors.values {
      guard case .database(.diskFull, _)? = error as? StoreError else {
        Issue.record("\(error)")
        continue
      }
    }
  }

  @Test func longWorkKeepsNobodyWaitingWhoseEditIsDone() throws {
    let record = record
    let put = put("b.example")
    let begun = Counter()
    try together([
      self.put("a.example"),
      Edit { transaction in
        begun.add()
        try transaction.prepareForLongWork()
        #expect(becomesTrue { record.ended == 1 }, "the one before it has not been answered")
        try put.body(transaction)
      },
    ])
    #expect(begun.count == 2)
    #expect(try names() == ["a.example", "b.example"])
    #expect(record.commits.map(\.sequence) == [1...1, 2...2] && record.errors.isEmpty)
  }

  @Test func whatCannotBeHandedOverIsStoredAndToldToThoseWhoWantedItServed() throws {
    struct Stop: Error {}
    let refused = put("d.example").body
    // Like the fetch ledger: what it changes is nothing to be handed over, and it wants to know nothing.
    let ledger = Edit(wantsHandOver: false) { transaction in
      try transaction.connection.run("UPDATE domain SET cache_seconds = cache_seconds + 1")
    }
    try together(
      [
        put("a.example"), ledger, Edit(isTrial: true, body: put("c.example").body),
        Edit { transaction in
          try refused(transaction)
          throw Stop()
        }, put("b.example"),
      ], failing: true)
    #expect(record.commits.map(\.sequence) == [1...2], "one commit, which was tried to hand over")
    #expect(try names() == ["a.example", "b.example"], "it is on the disk")
    let increased = try temporary.connect().first(
      "SELECT cache_seconds FROM domain WHERE id = 1"
    ) { $0.int(0) }
    #expect(increased == (try Domain.example().cacheSeconds) + 1, "counted once")
    #expect(record.errors.keys.sorted() == [0, 3, 4])
    #expect(record.errors[3] is Stop)
    for index in [0, 4] {
      let error = try #require(record.errors[index] as? StoreError)
      #expect(error == .notServedYet(detail: "Unavailable()"))
    }
    try together([put("c.example")])
    #expect(record.errors[0] == nil, "nobody after is told of it")
  }

  @Test func editsThatWaitForLongDoNotShareACommit() throws {
    let hasty = try Store(path: temporary.path, patience: .zero) { TemporaryStore.time }
    let record = record
    let threads = Threads(
      (0..<4).map { index in
        {
          let edit = self.put("d\(index).example")
          #expect(throws: Never.self) {
            try hasty.write(
              WriteContext(author: ""), handOver: { record.add($0) }, edit.body)
          }
        }
      })
    #expect(threads.end())
    #expect(record.commits.compactMap(\.sequence).map(\.count) == [1, 1, 1, 1])
  }

  @Test func anotherProcessHasItsTurnAmongManyWhoWriteWithoutPause() throws {
    let (store, stop) = (try Store(path: temporary.path) { 0 }, Counter())
    let put = put("other.example")
    let threads = Threads(
      (0..<4).map { index in
        {
          var count = 0
          while stop.count == 0 {
            count += 1
            #expect(throws: Never.self) {
              try store.put(.example("d\(index).example", paths: ["/\(count)"]))
            }
          }
        }
      })
    for _ in 0..<5 {
      try temporary.store.write(WriteContext(author: "")) { try put.body($0) }
    }
    stop.add()
    #expect(threads.end())
  }
}

/// What happened, in its order.
final class Record: Sendable {
  private struct State {
    var commits: [Commit] = []
    var errors: [Int: any Error] = [:]
    var ended = 0
    var commitsBeforeFirstEnd: Int?
  }

  private let state = Mutex(State())

  var commits: [Commit] { state.withLock { $0.commits } }
  /// By the number of the edit.
  var errors: [Int: any Error] { state.withLock { $0.errors } }
  var ended: Int { state.withLock { $0.ended } }
  var commitsBeforeFirstEnd: Int? { state.withLock { $0.commitsBeforeFirstEnd } }

  func add(_ commit: Commit) { state.withLock { $0.commits.append(commit) } }

  func end(_ index: Int, _ error: (any Error)?) {
    state.withLock { state in
      if state.ended == 0 { state.commitsBeforeFirstEnd = state.commits.count }
      state.ended += 1
      state.errors[index] = error
    }
  }
}
