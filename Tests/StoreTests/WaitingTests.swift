import Association
import Dispatch
@testable import Store
import Synchronization
import TestSupport
import Testing

/// Writers take turns, and wait only so long. Readers and authentication wait for nobody's work.
@Suite(TemporaryDatabase.isFile) struct WaitingTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }
  private let context = WriteContext(author: "test")

  init() throws { temporary = try TemporaryStore() }

  /// Runs `body` while a thread writes.
  private func whileWriting(_ body: () throws -> Void) throws {
    let (store, context) = (store, context)
    let (writes, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Threads([
      {
        #expect(throws: Never.self) {
          try store.write(context) { _ in
            writes.signal()
            end.wait()
          }
        }
      }
    ])
    writes.wait()
    defer { #expect(thread.end()) }
    defer { end.signal() }
    try body()
  }

  @Test func aWriterWhoseTurnDoesNotComeInTimeIsRefusedAndChangesNothing() throws {
    store.setLockTimeout(milliseconds: 20)
    try whileWriting {
      #expect(throws: StoreError.busy) { try store.createToken(name: "late", role: .viewer) }
    }
    #expect(try store.tokens().isEmpty)
    _ = try store.createToken(name: "next", role: .viewer)
  }

  @Test func aLockOfAnotherProcessIsWaitedForAsLong() throws {
    let other = try temporary.connect()
    try other.transaction(.write) { _ -> Void in
      store.setLockTimeout(milliseconds: 20)
      #expect(throws: StoreError.busy) { try store.createToken(name: "late", role: .viewer) }
    }
    #expect(try store.tokens().isEmpty)
    _ = try store.createToken(name: "next", role: .viewer)
  }

  @Test func aWriterWhoseClientHasGoneGivesUp() throws {
    store.setLockTimeout(milliseconds: 600_000)
    let gone = WriteContext(author: "test", isAbandoned: { true })
    try whileWriting {
      #expect(throws: StoreError.busy) {
        try store.write(gone) { try $0.createToken(name: "late", role: .viewer) }
      }
    }
    let other = try temporary.connect()
    try other.transaction(.write) { _ -> Void in
      #expect(throws: StoreError.busy) {
        try store.write(gone) { try $0.createToken(name: "late", role: .viewer) }
      }
    }
    #expect(try store.tokens().isEmpty)
  }

  @Test func turnsComeInTheOrderOfTheWriters() throws {
    store.setLockTimeout(milliseconds: 600_000)
    let store = store
    let order = Mutex<[String]>([])
    var threads: [Threads] = []
    try whileWriting {
      for number in 0..<5 {
        let waits = Counter()
        let context = WriteContext(author: "\(number)") {
          waits.add()
          return false
        }
        threads.append(
          Threads([
            {
              #expect(throws: Never.self) {
                try store.write(context) { transaction in
                  order.withLock { $0.append(transaction.context.author) }
                }
              }
            }
          ]))
        // A writer asks for the first time after it has queued.
        #expect(becomesTrue { waits.count > 0 })
      }
    }
    #expect(threads.allSatisfy { $0.end() })
    #expect(order.withLock { $0 } == ["0", "1", "2", "3", "4"])
  }

  /// Creates a token and, with the same commit, does what `second` does.
  private func writeTogether(
    _ second: @escaping @Sendable (borrowing Transaction) throws -> Void
  ) throws -> (first: Result<Void, any Error>, second: Result<Void, any Error>) {
    store.setLockTimeout(milliseconds: 600_000)
    let (store, context) = (store, context)
    let (writes, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let outcomes = Mutex<[Int: Result<Void, any Error>]>([:])
    let first = Threads([
      {
        let outcome = Result {
          try store.write(context) { transaction in
            _ = try transaction.createToken(name: "first", role: .viewer)
            writes.signal()
            goesOn.wait()
          }
        }
        outcomes.withLock { $0[1] = outcome }
      }
    ])
    writes.wait()
    let waits = Counter()
    let waiting = WriteContext(author: "second") {
      waits.add()
      return false
    }
    let last = Threads([
      {
        let outcome = Result { try store.write(waiting, second) }
        outcomes.withLock { $0[2] = outcome }
      }
    ])
    #expect(becomesTrue { waits.count > 0 })
    goesOn.signal()
    #expect(first.end() && last.end())
    return try outcomes.withLock { (try #require($0[1]), try #require($0[2])) }
  }

  @Test func editsThatWaitForEachOtherAreCommittedAtOnce() throws {
    let other = try temporary.open()
    let seen = Mutex<[Int]>([])
    let outcomes = try writeTogether { transaction in
      let own = try transaction.connection.count("SELECT count(*) FROM token")
      let others = try other.tokens().count
      seen.withLock { $0 = [others, own] }
      _ = try transaction.createToken(name: "second", role: .viewer)
    }
    try outcomes.first.get()
    try outcomes.second.get()
    #expect(seen.withLock { $0 } == [0, 1])
    #expect(try store.tokens().map(\.name) == ["first", "second"])
  }

  @Test func anEditThatFailsTakesNoOtherWithIt() throws {
    let outcomes = try writeTogether { transaction in
      _ = try transaction.createToken(name: "second", role: .viewer)
      throw Outdated()
    }
    try outcomes.first.get()
    #expect(throws: Outdated.self) { try outcomes.second.get() }
    #expect(try store.tokens().map(\.name) == ["first"])
  }

  @Test func anEditWhoseCommitIsLostWithAnotherIsNotAcknowledged() throws {
    let outcomes = try writeTogether { transaction in
      // As after an error of the disk.
      try transaction.connection.run("ROLLBACK")
      throw SQLError(.full, code: "13", message: "full")
    }
    #expect(throws: StoreError.self) { try outcomes.first.get() }
    #expect(throws: StoreError.self) { try outcomes.second.get() }
    #expect(try store.tokens().isEmpty)
    _ = try store.createToken(name: "next", role: .viewer)
  }

  /// An edit of several domains, while others never stop writing.
  ///
  /// - Parameters:
  ///   - milliseconds: How long others wait at most.
  ///   - others: What each of the others does.
  ///   - duration: How long the edit writes, unless it must end before.
  private func editWhileOthersWrite(
    waiting milliseconds: Int,
    others: [@Sendable (Store, WriteContext) throws -> Void] = [{ try $0.write($1) { _ in } }],
    for duration: Duration
  ) throws {
    store.setLockTimeout(milliseconds: milliseconds)
    let (store, context) = (store, context)
    let hasEnded = Atomic(false)
    let writes = DispatchSemaphore(value: 0)
    let others = Threads(
      others.map { other in
        {
          writes.wait()
          writes.signal()
          while !hasEnded.load(ordering: .acquiring) {
            #expect(throws: Never.self) { try other(store, context) }
          }
        }
      })
    defer {
      hasEnded.store(true, ordering: .releasing)
      #expect(others.end())
    }
    try store.edit(context) { _ in
    } write: { transaction, _ in
      writes.signal()
      let start = ContinuousClock.now
      while .now - start < duration { try transaction.goOn() }
    }
  }

  @Test func anEditOfSeveralDomainsIsWrittenWhileOthersNeverStopWriting() throws {
    try editWhileOthersWrite(waiting: 1000, for: .milliseconds(1500))
  }

  @Test func editsOfOneDomainWaitForOneThatWaitsForAnEditOfSeveralDomains() throws {
    let domain = try DomainName("example.com")
    try editWhileOthersWrite(
      waiting: 1000,
      others: Array(
        repeating: {
          try $0.edit($1, of: domain) { (_: Void?) in
          } write: { _, _ in
          }
        }, count: 3),
      for: .milliseconds(1500))
  }

  @Test func anEditTellsThatAllThatIsLeftIsToWriteBeforeItWaitsForThat() throws {
    store.setLockTimeout(milliseconds: 600_000)
    let (store, waits) = (store, Counter())
    let context = WriteContext(author: "test", willWrite: { waits.add() })
    var threads: Threads?
    try whileWriting {
      threads = Threads([
        { #expect(throws: Never.self) { try store.write(context) { _ in } } }
      ])
      #expect(becomesTrue { waits.count == 1 })
    }
    #expect(threads?.end() == true)
  }

  @Test func anEditOfSeveralDomainsThatKeepsOthersWaitingForTooLongIsRefused() throws {
    #expect(throws: StoreError.tookTooLong) {
      try editWhileOthersWrite(waiting: 3000, for: .seconds(60))
    }
  }

  @Test func anEditOfSeveralDomainsDoesNotEndBecauseTheServerItselfWaits() throws {
    try editWhileOthersWrite(
      waiting: 300,
      others: Array(repeating: { store, _ in try store.write(.ofServer) { _ in } }, count: 3),
      for: .milliseconds(2500))
  }

  @Test func authenticationWaitsForNoReader() throws {
    let secret = try store.createToken(name: "known", role: .viewer)
    let store = store
    let (reads, end) = (Counter(), DispatchSemaphore(value: 0))
    let hold: @Sendable (any Connection) -> Void = { _ in
      reads.add()
      end.wait()
    }
    // More of them than there are connections.
    let threads = Threads(
      (0..<40).map { number in
        {
          #expect(throws: Never.self) {
            if number.isMultiple(of: 2) { try store.read(hold) } else { try store.scan(hold) }
          }
        }
      })
    #expect(becomesTrue { reads.count >= 6 })
    #expect(try store.token(secret)?.name == "known")
    for _ in 0..<40 { end.signal() }
    #expect(threads.end())
  }
}
