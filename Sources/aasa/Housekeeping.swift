import Dispatch
import Service
import Synchronization

/// Has a service follow its database a few times a second, on a thread of its own: a database that is
/// locked keeps it waiting for seconds, in which signals must be seen.
final class Housekeeping: Sendable {
  private let isEnding = DispatchSemaphore(value: 0)
  private let ended = Flag()

  /// How often another process's changes are looked for.
  private static let interval = DispatchTimeInterval.milliseconds(250)

  /// Begins.
  init(of service: Service) {
    let (isEnding, ended) = (isEnding, ended)
    DispatchQueue(label: "housekeeping").async {
      while isEnding.wait(timeout: .now() + Self.interval) == .timedOut { service.follow() }
      service.writeRest()
      ended.set()
    }
  }

  /// Lets the thread write the rest and end.
  func end() { isEnding.signal() }

  /// Whether the rest is written, or was given up.
  var hasEnded: Bool { ended.isSet }
}

/// Something that another thread has done.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
