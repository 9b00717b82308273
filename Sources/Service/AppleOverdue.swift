import Store

/// Looks for domains whose file Apple's CDN should have fetched long ago.
final class AppleOverdue: Sendable {
  /// With webhooks, the look reads every domain, so it must not run often.
  private static let interval = Duration.seconds(300)
  /// The number of events in one transaction, so that no edit waits long for it.
  private static let limit = 200

  private let store: Store
  private let worker = Worker()

  init(_ store: Store) { self.store = store }

  /// Call it a few times a second.
  ///
  /// - Parameter hours: After how many hours a fetch is overdue; 0 for never.
  func follow(hours: Int) {
    if hours > 0 { worker.start(every: Self.interval) { self.run(hours) } }
  }

  /// Ends the work between two transactions.
  func stop() { worker.stop() }

  private func run(_ hours: Int) {
    do {
      while try store.emitOverdue(hours: hours, limit: Self.limit) == Self.limit {
        if worker.isStopping { break }
      }
    } catch {
      // The housekeeping reports the database. The next look finds the rest.
    }
  }
}
