import Dispatch
import Glibc
import HTTP
import JSONValue
import Service

/// A server from the moment that it serves to its end, as signals want it: SIGHUP reads the
/// configuration again, SIGTERM and SIGINT end it, and a second one of these ends it at once.
struct ServerLife {
  let service: Service
  let log: Log
  let manager: ServiceManager
  let signals: SignalWait
  private(set) var configuration: Configuration
  /// Reads the configuration as at the start.
  let readConfiguration: () throws(Configuration.Invalid) -> Configuration

  private var nextNotice = ContinuousClock.now

  /// How often the one who watches is thought of.
  private static let pollMilliseconds = 250
  /// How long the threads of both listeners may take to end after the requests.
  private static let stopGrace = Duration.milliseconds(750)
  /// How long the last writing may take after that. With the default of drainSeconds all of it is less
  /// than the 10 seconds that Docker waits.
  private static let writeGrace = Duration.milliseconds(750)

  init(
    service: Service, log: Log, manager: ServiceManager, signals: SignalWait,
    configuration: Configuration,
    readConfiguration: @escaping () throws(Configuration.Invalid) -> Configuration
  ) {
    self.service = service
    self.log = log
    self.manager = manager
    self.signals = signals
    self.configuration = configuration
    self.readConfiguration = readConfiguration
  }

  /// Serves until a signal ends it.
  mutating func run() {
    let housekeeping = Housekeeping(of: service)
    manager.notify("READY=1")
    while true {
      switch signals.next(milliseconds: Self.pollMilliseconds) {
      case nil: noticeWatchdog()
      case SIGHUP: reload()
      default: return end(housekeeping)
      }
    }
  }

  /// Tells the one who watches that this loop goes round and that files are served. The database may
  /// fail meanwhile: a restart would not help.
  private mutating func noticeWatchdog() {
    guard let watchdog = manager.watchdog, ContinuousClock.now >= nextNotice else { return }
    nextNotice = .now + watchdog / 4
    if service.isServing() {
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

  /// Ends within readyDelaySeconds, drainSeconds and the two graces together, whatever the database and
  /// clients do.
  private func end(_ housekeeping: Housekeeping) {
    manager.notify("STOPPING=1")
    service.announceEnd()
    log.write(
      .info, "Shutting down.",
      [
        "readyDelaySeconds": .number(String(configuration.readyDelaySeconds)),
        "drainSeconds": .number(String(configuration.drainSeconds)),
      ])
    wait(until: .now + .seconds(configuration.readyDelaySeconds)) { false }
    let deadline = ContinuousClock.now + .seconds(configuration.drainSeconds) + Self.stopGrace
    let hasStopped = stopListeners(deadline)
    let hasWritten = writeRest(housekeeping, deadline + Self.writeGrace)
    log.write(.info, "Ended.")
    log.flush()
    // A thread that still works must not be pulled the ground from under.
    if !hasStopped || !hasWritten { _exit(ExitStatus.fine.rawValue) }
  }

  /// Ends both listeners; false if a handler keeps one of them.
  private func stopListeners(_ deadline: ContinuousClock.Instant) -> Bool {
    let drain = Double(configuration.drainSeconds)
    let hasStopped = Flag()
    let service = service
    DispatchQueue.global().async {
      service.stop(within: drain)
      hasStopped.set()
    }
    wait(until: deadline) { hasStopped.isSet }
    if !hasStopped.isSet { log.write(.warning, "Requests were cut off: drainSeconds are over.") }
    return hasStopped.isSet
  }

  /// Writes down what the last requests left to be written; false if the database keeps it waiting.
  private func writeRest(
    _ housekeeping: Housekeeping, _ deadline: ContinuousClock.Instant
  ) -> Bool {
    housekeeping.end()
    wait(until: deadline) { housekeeping.hasEnded }
    if !housekeeping.hasEnded {
      log.write(
        .error,
        "The fetches of the last seconds are lost.",
        ["error": "The database did not answer in time. It is whole."])
    }
    return housekeeping.hasEnded
  }

  /// Waits for a condition or until the time is over. A second signal ends the program here.
  private func wait(until deadline: ContinuousClock.Instant, _ isDone: () -> Bool) {
    while !isDone() && ContinuousClock.now < deadline {
      guard let signal = signals.next(milliseconds: 10), signal != SIGHUP else { continue }
      log.write(.warning, "Ended at once by a second signal.")
      log.flush()
      _exit(128 + signal)
    }
  }
}
