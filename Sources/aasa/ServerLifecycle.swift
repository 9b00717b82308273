import Dispatch
import Glibc
import HTTP
import Association
import Service
import Store

/// A server from startup to graceful shutdown, driven by signals: SIGHUP reloads the configuration,
/// SIGTERM and SIGINT begin the shutdown, and a second one of these ends the process at once.
struct ServerLifecycle {
  let service: Service
  let log: Log
  let systemd: Systemd
  let signals: SignalWait
  var configuration: Configuration
  /// Reads the configuration as at startup.
  let readConfiguration: () throws(Configuration.Invalid) -> Configuration
  /// When the watchdog must be notified again.
  var nextNotice = ContinuousClock.now

  private static let pollMilliseconds = 250
  /// How long the threads of both listeners may take to stop after their requests.
  private static let stopGrace = Duration.milliseconds(750)
  /// How long the final writes may take after that. With the default drainSeconds, the whole
  /// shutdown takes less than the 10 seconds that Docker waits.
  private static let writeGrace = Duration.milliseconds(750)

  /// Serves until a signal ends it.
  mutating func run() {
    let work = PeriodicWork(of: service)
    systemd.notify("READY=1")
    while true {
      switch signals.next(milliseconds: Self.pollMilliseconds) {
      case nil: notifyWatchdog()
      case SIGHUP: reload()
      default: return shutDown(work)
      }
    }
  }

  /// Reports that this loop runs and that files are served. The database does not matter: a restart would
  /// not repair it.
  private mutating func notifyWatchdog() {
    guard let watchdog = systemd.watchdog, ContinuousClock.now >= nextNotice else { return }
    nextNotice = .now + watchdog / 4
    if service.isServing() {
      systemd.notify("WATCHDOG=1")
    } else {
      log.write(.error, "The public listener does not answer.")
    }
  }

  private mutating func reload() {
    systemd.notifyReloading()
    do throws(Configuration.Invalid) {
      take(try readConfiguration())
    } catch {
      log.write(
        .error, "Cannot reload the configuration; the old one stays in effect.",
        ["error": .string(error.faults.map(\.sentence).joined(separator: " "))])
    }
    systemd.notify("READY=1")
  }

  private mutating func take(_ new: Configuration) {
    let difference = configuration.take(new)
    service.apply(configuration)
    log.write(
      .info, "Reloaded the configuration.", ["changed": .strings(difference.applied)])
    if difference.needingRestart.isEmpty { return }
    log.write(
      .warning, "Changes to these settings take effect after a restart.",
      ["settings": .strings(difference.needingRestart)])
  }

  /// Takes at most the sum of readyDelaySeconds, drainSeconds and both grace periods, whatever the
  /// database and the clients do.
  private func shutDown(_ work: PeriodicWork) {
    systemd.notify("STOPPING=1")
    service.announceEnd()
    log.write(
      .info, "Shutting down.",
      [
        "readyDelaySeconds": .integer(configuration.readyDelaySeconds),
        "drainSeconds": .integer(configuration.drainSeconds),
      ])
    wait(until: .now + .seconds(configuration.readyDelaySeconds)) { false }
    let deadline = ContinuousClock.now + .seconds(configuration.drainSeconds) + Self.stopGrace
    let hasStopped = stopListeners(deadline)
    let hasWritten = finish(work, deadline + Self.writeGrace)
    log.write(.info, "Stopped.")
    log.flush()
    // Threads may still be running, so nothing they use is freed.
    if !hasStopped || !hasWritten { _exit(ExitStatus.success.rawValue) }
  }

  /// Stops both listeners; false if a handler is still running.
  private func stopListeners(_ deadline: ContinuousClock.Instant) -> Bool {
    let drain = configuration.drainSeconds
    let stopping = DispatchGroup()
    DispatchQueue.global().async(group: stopping) { [service] in
      service.stop(within: Double(drain))
    }
    wait(until: deadline) { stopping.isDone }
    if !stopping.isDone {
      log.write(.warning, "Dropped unfinished requests after \(drain) s (drainSeconds).")
    }
    return stopping.isDone
  }

  /// Does the final writes; false if the database did not answer in time.
  private func finish(_ work: PeriodicWork, _ deadline: ContinuousClock.Instant) -> Bool {
    work.mustEnd.signal()
    wait(until: deadline) { work.running.isDone }
    if !work.running.isDone {
      log.write(
        .error, "Could not save the fetch counts of the last few seconds.",
        ["error": "The database did not answer in time. It is intact."])
    }
    return work.running.isDone
  }

  /// Waits for a condition, up to a timeout. A second signal ends the process here.
  private func wait(until deadline: ContinuousClock.Instant, _ isDone: () -> Bool) {
    while !isDone() && ContinuousClock.now < deadline {
      guard let signal = signals.next(milliseconds: 10), signal != SIGHUP else { continue }
      log.write(.warning, "A second signal ended the shutdown early.")
      log.flush()
      _exit(128 + signal)
    }
  }
}

/// Calls `Service.follow` a few times a second on its own thread, since a locked database may block it for
/// seconds and signals must not wait for that.
private struct PeriodicWork {
  /// Signal it to make the thread do the final writes and end.
  let mustEnd = DispatchSemaphore(value: 0)
  /// Is done when the thread has ended.
  let running = DispatchGroup()

  init(of service: Service) {
    DispatchQueue(label: "periodic work").async(group: running) { [mustEnd] in
      while mustEnd.wait(timeout: .now() + .milliseconds(250)) == .timedOut { service.follow() }
      service.writeRest()
    }
  }
}

extension DispatchGroup {
  /// Whether all its work has ended.
  fileprivate var isDone: Bool { wait(timeout: .now()) == .success }
}

/// Receives signals synchronously on the thread that created it, so that they interrupt nothing.
///
/// If that thread takes none for some seconds, because a database or a reader of notifications lets it wait, the signal
/// ends the process at once, as by default.
struct SignalWait {
  private var set = sigset_t()

  /// How long a signal that ends the process may wait to be taken.
  private static let mostSeconds = 5

  /// Blocks the signals; threads that are started later inherit that. Also ignores SIGPIPE, so that a
  /// client that disconnects does not end the process, and SIGXFSZ, so that a write beyond the limit of file sizes fails
  /// like one to a full disk.
  init(_ signals: [Int32]) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    onThread { [set] in Self.endIfNotTaken(set) }
  }

  private static func endIfNotTaken(_ set: sigset_t) {
    var set = set
    let looksPerSecond = 4
    var looks = 0
    while true {
      usleep(UInt32(1_000_000 / looksPerSecond))
      var pending = sigset_t()
      sigpending(&pending)
      guard let signal = [SIGTERM, SIGINT].first(where: { sigismember(&pending, $0) == 1 }) else {
        looks = 0
        continue
      }
      looks += 1
      if looks < mostSeconds * looksPerSecond { continue }
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      // The first process of a container has no default.
      _exit(128 + signal)
    }
  }

  /// The next signal; `nil` if none arrives in time.
  func next(milliseconds: Int) -> Int32? {
    var set = set
    var limit = timespec(
      tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    let signal = sigtimedwait(&set, nil, &limit)
    return signal > 0 ? signal : nil
  }
}
