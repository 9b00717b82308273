import Association
import Glibc
import Store
import Synchronization

/// Watches the database file: whether it is still the one that was opened, whether the disk has room
/// again, and whether it is damaged. It is checked after startup, once a day in an hour of little
/// traffic, and when something looked like damage.
final class DatabaseWatch: Sendable {
  private struct State {
    var isFirstCheckDone = false
    /// The day of the year of the last check in the configured hour.
    var checkedOn: Int32?
    /// The earliest time of the next check for suspected damage.
    var nextCheck = ContinuousClock.now
    var nextRoomCheck = ContinuousClock.now
    var hasRescued = false
    /// When the last complete check ended.
    var checkedAt: UnixTime?
  }

  /// The server is shutting down.
  private struct Stopped: Error {}

  /// How much longer the check rests than it works.
  private static let rest = 4

  private let store: Store
  private let health: Health
  private let log: Log
  private let state = Mutex(State())
  private let checking = Worker()
  private let rescuing = Worker()

  init(_ store: Store, _ health: Health, _ log: Log) {
    self.store = store
    self.health = health
    self.log = log
    store.counts.observe { health.meet($0, $1) }
  }

  /// Call it a few times a second. Long work is done on a thread of its own.
  ///
  /// - Parameter hour: The hour of the day, in local time, of the daily check.
  func follow(hour: Int) {
    followFile()
    followRoom()
    let today = Self.localTime()
    let isDue = state.withLock { state in
      guard checking.isFree, !health.has(.replaced) else { return false }
      let isScheduled = Int(today.tm_hour) == hour && state.checkedOn != today.tm_yday
      let isSuspected = health.has(.damaged) && state.nextCheck <= .now
      guard !state.isFirstCheckDone || isScheduled || isSuspected else { return false }
      if Int(today.tm_hour) == hour { state.checkedOn = today.tm_yday }
      state.isFirstCheckDone = true
      return true
    }
    if isDue { checking.start { self.check() } }
  }

  /// Ends a check between two of its steps, and waits for that, but not long. While the check has the
  /// database open, its files cannot be tidied up.
  func stop() {
    let deadline = ContinuousClock.now + .milliseconds(300)
    for worker in [checking, rescuing] { worker.stop(by: deadline) }
  }

  /// When the last complete check ended.
  var families: [MetricFamily] {
    [
      .gauge(
        "aasa_database_checked_timestamp_seconds",
        "When the last complete check of the database for damage ended.",
        state.withLock(\.checkedAt).map { Double($0.seconds) })
    ]
  }

  private static func localTime() -> tm {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return parts
  }

  // MARK: Damage

  private func check() {
    let start = ContinuousClock.now
    var step = start
    do {
      let faults = try store.faults {
        let end = ContinuousClock.now + min((.now - step) * Self.rest, .seconds(2))
        repeat {
          if checking.isStopping { throw Stopped() }
          usleep(5000)
        } while ContinuousClock.now < end
        step = .now
      }
      if faults.isEmpty {
        health.end(.damaged)
      } else {
        health.begin(.damaged, faults.joined(separator: "; "))
      }
      state.withLock { $0.checkedAt = store.now() }
    } catch StoreError.database(let refusal, let detail) {
      health.meet(refusal, detail)
    } catch {
      // Only the shutdown ends a check early.
    }
    state.withLock {
      $0.nextCheck = .now + min(.seconds(60), max(.seconds(5), (.now - start) * 20))
    }
  }

  // MARK: The disk

  private func followRoom() {
    guard health.has(.full) else { return }
    let isDue = state.withLock { state in
      guard state.nextRoomCheck <= .now else { return false }
      state.nextRoomCheck = .now + .seconds(1)
      return true
    }
    if isDue && store.hasRoom { health.end(.full) }
  }

  // MARK: The file

  private func followFile() {
    guard let file = store.replacedFile else {
      health.end(.replaced)
      return
    }
    health.meet(.replaced, "\"\(file)\" was deleted or replaced")
    if state.withLock({ !$0.hasRescued }) { rescuing.start(every: .seconds(60)) { self.rescue() } }
  }

  private func rescue() {
    do {
      guard let path = try store.rescue() else { return }
      log.write(
        .warning, "Saved a rescue copy of the database. Restore it with 'aasa restore'.",
        ["file": .string(path)])
      state.withLock { $0.hasRescued = true }
    } catch {
      log.write(
        .error,
        "Cannot save a rescue copy of the database. 'aasa export --server' can still save the domains.",
        ["error": .string(String(describing: error))])
    }
  }
}

/// Logs what commands change in the database while the server runs.
final class CommandLog: Sendable {
  private let store: Store
  private let log: Log
  /// The last known record; `nil` before the first call of `follow`.
  private let last = Mutex<Int64?>(nil)

  init(_ store: Store, _ log: Log) {
    self.store = store
    self.log = log
  }

  /// Logs the first few new records since the last call, and the number of the others.
  ///
  /// - Throws: `StoreError`.
  func follow() throws {
    let (records, more) = try last.withLock { last in
      let newest = try store.lastAuditRecord()
      var new: (records: [AuditRecord], more: Int) = ([], 0)
      if let last, newest != last {
        new = try store.commandRecords(after: last, upTo: newest, limit: 20)
      }
      last = newest
      return new
    }
    for record in records { log.write(.info, "A command changed the database.", record.fields) }
    if more > 0 {
      log.write(.info, "Commands changed the database.", ["further": .integer(more)])
    }
  }
}

extension AuditRecord {
  fileprivate var fields: JSON.Object {
    var fields: JSON.Object = ["author": .string(author), "action": .string(action)]
    fields["domain"] = domain.map { .string($0.text) }
    fields["app"] = app.map { .string($0.text) }
    fields["token"] = token.map { .string($0) }
    fields["webhook"] = webhook.map { .string($0) }
    fields["revision"] = revision.map { .integer($0) }
    fields["change"] = change.map { .integer($0) }
    fields["domains"] = domainCount.map { .integer($0) }
    if !reason.isEmpty { fields["reason"] = .string(reason) }
    return fields
  }
}
