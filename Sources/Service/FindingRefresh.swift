import Association
import Publishing
import Store

/// Makes findings again that are out of date.
final class FindingRefresh: Sendable {
  private static let interval = Duration.seconds(10)

  private let relinting: Relinting
  private let health: Health
  private let log: Log
  private let worker = Worker()
  private let takesWork: @Sendable () throws -> Bool

  /// - Parameter takesWork: Takes the work from other servers; returns whether they left it.
  init(
    _ store: Store, _ health: Health, _ log: Log, takesWork: @escaping @Sendable () throws -> Bool
  ) {
    self.takesWork = takesWork
    relinting = Relinting(store)
    self.health = health
    self.log = log
  }

  /// Call it a few times a second.
  func follow() {
    if !health.has(.replaced) { worker.start(every: Self.interval) { self.run() } }
  }

  /// Ends the work between two documents.
  func stop() { worker.stop() }

  private func run() {
    do {
      let count = try relinting.run(ifTaken: takesWork) { worker.isStopping }
      if count > 0 {
        log.write(
          .info, "Checked documents again because their findings were out of date.",
          ["documents": .integer(count)])
      }
    } catch {
      // The store reports failures of the database itself. The next run goes on.
    }
  }
}
