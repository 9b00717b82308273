import Association

/// What is different for each engine: connections, transactions, and what a database needs to stay well.
/// Everything throws `SQLError` or `StoreError`, and what `body` throws.
protocol Engine: AnyObject, Sendable {
  /// Runs `body` in a transaction whose reads are not stale when it commits. When this returns, all of it is on
  /// the disk. If `body` throws, nothing is.
  ///
  /// - Parameter isBulk: Whether `body` writes many rows, and locks what must not become stale.
  /// - Throws: `Outdated` if others were in the way of many rows.
  func write<Result: Sendable>(
    _ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget, isBulk: Bool,
    _ body: (any Connection) throws -> Result
  ) throws -> Result

  /// Runs `body` in a transaction that sees one state; no writer blocks it.
  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result

  /// Runs a short `body` on the connection for writing, outside a transaction, if that is free and faster than others;
  /// otherwise returns `nil`.
  func withFreeWriter<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result?

  /// The same for reads that go through many domains, so that no short read waits for them.
  func scan<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result

  /// Runs a single statement, so that a request is let in or refused however many others read.
  func authenticate<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result

  /// The same as `read` on a connection of its own, for several long reads at the same time.
  func readLong<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result

  /// The same as `read` for what is served, so that no API request delays it.
  func follow<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result

  /// Starts to listen for commits of other processes; `nil` if the engine does not tell of them.
  func listen() throws -> (any Notices)?

  /// A view of the present state, for as long as it is kept.
  func view() throws -> any View

  /// See `Store`.
  func faults(pausing pause: @escaping () throws -> Void) throws -> [String]
  var replacedFile: String? { get }
  func rescue(now: UnixTime) throws -> String?
  var hasRoom: Bool { get }
  var fileSizes: [(file: String, bytes: Int)] { get }
  var directory: String { get }
  func maintain() throws
  func tidyUp(_ writeQueue: WriteQueue, _ waitBudget: inout WaitBudget) throws
}

/// One state of a database, however long it is read.
protocol View: Sendable {
  func read<Result: Sendable>(_ body: (any Connection) throws -> Result) throws -> Result
}

/// Notices of commits. They only wake: one may be lost.
package protocol Notices: Sendable {
  /// Waits for the next one, and returns whether one came in time.
  ///
  /// - Throws: `SQLError` if no more will come.
  func wait(milliseconds: Int32) throws -> Bool
}
