import SQLite
import Synchronization

/// The one connection that writes. Edits that come at the same time take turns in one transaction,
/// each of them all or nothing, and share its commit, which is what takes the disk's time.
///
/// Whoever sees others waiting leaves the transaction to them; the last one commits for all. Nobody
/// has an answer before the commit is on the disk.
final class Writer: Sendable {
  /// What an edit does in its turn.
  typealias Body<Value> = (Connection, Turn) throws -> Value
  /// Takes what was committed.
  typealias HandOver = @Sendable (Commit) throws -> Void

  private let transaction: Mutex<SharedTransaction>
  /// How many wait for their turn.
  private let waiting = Atomic<Int>(0)
  /// How many commits there were since they were last asked for.
  private let commits = Atomic<Int>(0)

  /// A writer on a connection that nothing else uses.
  ///
  /// - Parameter patience: For how long a transaction is left to others, so that a crowd delays nobody's
  ///   answer for long, nor another process.
  init(_ connection: sending Connection, patience: Duration) {
    transaction = Mutex(SharedTransaction(connection: connection, patience: patience))
  }

  /// How many wait for their turn.
  var waitingCount: Int { waiting.load(ordering: .sequentiallyConsistent) }

  /// Does `body` in a transaction and returns when that is on the disk.
  ///
  /// - Parameters:
  ///   - isTrial: Whether what `body` did is undone.
  ///   - handOver: Called with what was committed before anybody who waits for it is told. Edits that
  ///     share a commit must not have different ones.
  /// - Throws: `SQLiteError`, what `body` throws, which then has changed nothing, and
  ///   `StoreError.notServedYet` where `handOver` fails, which undoes nothing.
  func write<Value: Sendable>(
    isTrial: Bool, handOver: HandOver?, _ body: Body<Value>
  ) throws -> Value {
    waiting.add(1, ordering: .sequentiallyConsistent)
    let (outcome, group, commit) = transaction.withLock { transaction in
      waiting.subtract(1, ordering: .sequentiallyConsistent)
      let outcome = transaction.take(isTrial: isTrial, handOver: handOver, body)
      let group = transaction.group
      let isDue = waitingCount == 0 || transaction.isOld
      return (outcome, group, isDue ? transaction.commit() : nil)
    }
    if let commit {
      commits.add(1, ordering: .relaxed)
      commit.tell()
    }
    // What failed has seen the edits before it, too: only when they are there it is true.
    let handOverFailure = try group?.wait()
    let value = try outcome.get()
    // Of others that shared the commit it is no concern: they are done with what they did.
    if let handOverFailure, handOver != nil, !isTrial {
      throw StoreError.notServedYet(detail: String(describing: handOverFailure))
    }
    return value
  }

  /// Whether there were so many commits since this was last true.
  func takeCommits(atLeast number: Int) -> Bool {
    if commits.load(ordering: .relaxed) < number { return false }
    commits.store(0, ordering: .relaxed)
    return true
  }

  /// Does `body` on the connection without a transaction; one that is open is committed before.
  func withoutTransaction<Value: Sendable>(_ body: (Connection) throws -> Value) throws -> Value {
    let (outcome, commit) = transaction.withLock { $0.interrupt(body) }
    commit?.tell()
    return try outcome.get()
  }
}

/// An edit's turn in a transaction that others may share.
struct Turn {
  /// What the transaction changes.
  let notes: ChangeNotes
  /// What the last edits left.
  let recent: RecentEdits
  /// Whether edits of others wait for its commit.
  let isShared: Bool

  /// Thrown by an edit that takes its time, while others wait for the commit: they get it first, and
  /// the edit begins again.
  struct IsLong: Error {}
}

/// What is to be told to those who wait for a commit, which has been tried.
private struct Settlement: Sendable {
  let group: CommitGroup
  let commit: Result<Commit, any Error>
  let handOver: Writer.HandOver?

  func tell() {
    switch commit {
    case .failure(let error): group.settle(.failed(error))
    case .success(let commit):
      do {
        try handOver?(commit)
        group.settle(.committed(handOverFailure: nil))
      } catch {
        group.settle(.committed(handOverFailure: error))
      }
    }
  }
}

/// The transaction of a connection, in which one edit after another has its turn.
private struct SharedTransaction: @unchecked Sendable {
  // Unchecked is sound: it is only used under the writer's lock, and edits are lent the connection
  // for their turn.

  private let connection: Connection
  private let patience: Duration
  private let notes = ChangeNotes()
  private let recent = RecentEdits()
  private var open: Open?

  /// A transaction that has something to commit.
  private struct Open {
    let group = CommitGroup()
    let since = ContinuousClock.now
    var handOver: Writer.HandOver?
  }

  init(connection: Connection, patience: Duration) {
    self.connection = connection
    self.patience = patience
  }

  /// Those who wait for the commit; `nil` where nothing is to be committed.
  var group: CommitGroup? { open?.group }

  /// Whether it has been left to others for long enough.
  var isOld: Bool { open.map { ContinuousClock.now - $0.since > patience } ?? false }

  /// Does one edit. An edit that fails, or is a trial, leaves those before it as they are.
  mutating func take<Value>(
    isTrial: Bool, handOver: Writer.HandOver?, _ body: Writer.Body<Value>
  ) -> Result<Value, any Error> {
    let result: Result<Value, any Error>
    if open == nil {
      result = Result { try begin(isTrial: isTrial, body) }
    } else {
      do {
        result = .success(try join(isTrial: isTrial, body))
      } catch is Turn.IsLong {
        commit()?.tell()
        result = Result { try begin(isTrial: isTrial, body) }
      } catch {
        result = .failure(error)
      }
    }
    if let handOver { open?.handOver = handOver }
    return result
  }

  /// Commits what is open, then does what needs the connection without a transaction.
  mutating func interrupt<Value>(
    _ body: (Connection) throws -> Value
  ) -> (Result<Value, any Error>, Settlement?) {
    let settlement = commit()
    return (Result { try body(connection) }, settlement)
  }

  /// Commits, if there is something to commit.
  mutating func commit() -> Settlement? {
    guard let open else { return nil }
    self.open = nil
    let commit = Result {
      do {
        try connection.run("COMMIT")
      } catch {
        try rollBack()
        throw error
      }
      return notes.commit
    }
    return Settlement(group: open.group, commit: commit, handOver: open.handOver)
  }

  /// Does an edit as the first of a transaction. If it leaves nothing to commit, there is none.
  private mutating func begin<Value>(isTrial: Bool, _ body: Writer.Body<Value>) throws -> Value {
    try connection.run("BEGIN IMMEDIATE")
    notes.keepFirst(0)
    do {
      let value = try body(connection, Turn(notes: notes, recent: recent, isShared: false))
      try connection.checkTransaction()
      if isTrial { try rollBack() } else { open = Open() }
      return value
    } catch {
      try rollBack()
      throw error
    }
  }

  /// Does an edit after others that wait for the commit.
  private mutating func join<Value>(isTrial: Bool, _ body: Writer.Body<Value>) throws -> Value {
    let before = notes.number
    do {
      try connection.run("SAVEPOINT edit")
      let value = try body(connection, Turn(notes: notes, recent: recent, isShared: true))
      try connection.checkTransaction()
      if isTrial { try undo(keeping: before) }
      try connection.run("RELEASE edit")
      return value
    } catch {
      do {
        // After some errors (a full disk) SQLite has rolled back all of it by itself.
        try connection.checkTransaction()
        try undo(keeping: before)
        try connection.run("RELEASE edit")
      } catch let failure {
        // None of the edits is there any more.
        open?.group.settle(.failed(connection.isInTransaction ? failure : error))
        open = nil
        try rollBack()
      }
      throw error
    }
  }

  private func undo(keeping number: Int) throws {
    recent.forget()
    try connection.run("ROLLBACK TO edit")
    notes.keepFirst(number)
  }

  private func rollBack() throws {
    recent.forget()
    if connection.isInTransaction { try connection.run("ROLLBACK") }
  }
}
