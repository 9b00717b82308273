import Dispatch
import Glibc
import HTTP
import JSONValue
import Service
import Store
import Synchronization

/// A server from the moment that it serves to its end, as signals want it: SIGHUP reads the
/// configuration again, SIGTERM and SIGINT end it, and a second one of these ends it at once.
struct ServerLife {
  let service: Service
  let store: Store
  let log: Log
  let manager: ServiceManager
  let signals: SignalWait
  private(set) var configuration: Configuration
  /// Reads the configuration as at the start.
  let readConfiguration: () throws(Configuration.Invalid) -> Configuration

  private var nextNotice = ContinuousClock.now

  /// How often another process's changes are looked for.
  private static let pollMilliseconds = 250
  /// How long the threads of both listeners may take to end after the requests.
  private static let graceSeconds = 2.0

  init(
    service: Service, store: Store, log: Log, manager: ServiceManager, signals: SignalWait,
    configuration: Configuration,
    readConfiguration: @escaping () throws(Configuration.Invalid) -> Configuration
  ) {
    self.service = service
    self.store = store
    self.log = log
    self.manager = manager
    self.signals = signals
    self.configuration = configuration
    self.readConfiguration = readConfiguration
  }

  /// Serves until a signal ends it.
  mutating func run() {
    manager.notify("READY=1")
    while true {
      switch signals.next(milliseconds: Self.pollMilliseconds) {
      case nil:
        service.follow()
        noticeWatchdog()
      case SIGHUP: reload()
      default: return end()
      }
    }
  }

  /// Tells the one who watches that this loop goes round and that files are served.
  private mutating func noticeWatchdog() {
    guard let watchdog = manager.watchdog, ContinuousClock.now >= nextNotice else { return }
    nextNotice = .now + watchdog / 4
    if service.publicAddress.reacts(within: 1) {
      manager.notify("WATCHDOG=1")
    } else {
      log.write(.error, "The public listener does not answer.")
    }
  }

  private mutating func reload() {
    manager.notifyReloading()
    do throws(Configuration.Invalid) {
      take(try readConfiguration())
    } catch {
      log.write(
        .error, "The configuration stays as it was.", ["error": .string(error.description)])
    }
    manager.notify("READY=1")
  }

  private mutating func take(_ new: Configuration) {
    let difference = configuration.take(new)
    service.apply(configuration)
    log.write(
      .info, "The configuration was read again.", ["changed": .strings(difference.applied)])
    if difference.needingRestart.isEmpty { return }
    log.write(
      .warning, "These settings need a restart: they stay as they were.",
      ["settings": .strings(difference.needingRestart)])
  }

  private func end() {
    manager.notify("STOPPING=1")
    service.announceEnd()
    log.write(
      .info, "Shutting down.",
      [
        "readyDelaySeconds": .number(String(configuration.readyDelaySeconds)),
        "drainSeconds": .number(String(configuration.drainSeconds)),
      ])
    wait(seconds: Double(configuration.readyDelaySeconds)) { false }
    let hasStopped = stopListeners()
    service.follow()  // writes down what the last requests left to be written
    checkpoint()
    log.write(.info, "Ended.")
    log.flush()
    // A handler that still works must not be pulled the ground from under.
    if !hasStopped { _exit(ExitStatus.fine.rawValue) }
  }

  /// Ends both listeners within a time; false if a handler keeps one of them.
  private func stopListeners() -> Bool {
    let drain = Double(configuration.drainSeconds)
    let flag = Flag()
    let service = service
    DispatchQueue.global().async {
      service.stop(within: drain)
      flag.set()
    }
    wait(seconds: drain + Self.graceSeconds) { flag.isSet }
    if !flag.isSet { log.write(.warning, "Requests were cut off: drainSeconds are over.") }
    return flag.isSet
  }

  private func checkpoint() {
    do {
      try store.checkpoint()
    } catch {
      log.write(
        .error, "The database is whole, but its WAL was not emptied.",
        ["error": .string(String(describing: error))])
    }
  }

  /// Waits for a condition or until the time is over. A
  /// second signal ends the program here.
  private func wait(seconds: Double, until isDone: () -> Bool) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !isDone() && ContinuousClock.now < deadline {
      guard let signal = signals.next(milliseconds: 10), signal != SIGHUP else { continue }
      log.write(.warning, "Ended at once by a second signal.")
      log.flush()
      _exit(128 + signal)
    }
  }
}

/// Something that another thread has done.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
