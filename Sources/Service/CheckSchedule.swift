import Association
import Checking
import Store
import Synchronization

/// Checks each domain from outside every so often. Several servers on one database share the work.
final class CheckSchedule: Sendable {
  /// How often each domain is checked, in seconds, and how many at a time.
  struct Settings: Sendable, Equatable {
    /// 0 for never.
    var interval: Int
    var concurrency: Int
  }

  /// After how many seconds other servers take a check to be lost: much longer than one takes.
  private static let lease: Int64 = 120
  /// The time between two rounds of the thread.
  private static let round = Duration.seconds(1)
  /// How often the numbers for the metrics are read, which goes through every domain.
  private static let refresh = Duration.seconds(30)

  private struct State {
    var settings: Settings
    /// Domains that are checked now, or whose results are not written yet.
    var underWay: Set<DomainName> = []
    var finished: [Check] = []
    var summary: CheckSummary?
  }

  private let store: Store
  private let health: Health
  private let checker: @Sendable () -> Checker
  private let state: Mutex<State>
  private let worker = Worker()
  private let done = Counters(CheckStatus.allCases.map { ["status": $0.rawValue] })
  private let durations = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// - Parameter checker: Returns the checker for the current settings.
  init(
    _ store: Store, _ health: Health, _ settings: Settings,
    checker: @escaping @Sendable () -> Checker
  ) {
    self.store = store
    self.health = health
    self.checker = checker
    state = Mutex(State(settings: settings))
  }

  /// Goes on with other settings.
  func apply(_ settings: Settings) {
    state.withLock { $0.settings = settings }
    worker.wake()
  }

  /// Starts the thread if there is something to do. Call it a few times a second.
  func follow() {
    if state.withLock({ $0.settings.interval > 0 }) { worker.start { self.run() } }
  }

  /// Begins no further checks. Those under way go on.
  func prepareToStop() { worker.stop() }

  /// Writes the results that there are, and leaves the other checks to the next server.
  ///
  /// - Throws: `StoreError`.
  func stop() throws {
    // A claim may be under way, of which nothing is known yet.
    worker.stop(by: .now + .milliseconds(300))
    try writeResults()
    let rest = state.withLock { state in
      defer { state.underWay = [] }
      return state.underWay
    }
    try store.releaseChecks(rest)
  }

  /// Checks until the setting is off or the server stops.
  private func run() {
    var (allowance, nextRefresh) = (Allowance(), ContinuousClock.now)
    while !worker.isStopping {
      let settings = state.withLock { state in
        if state.settings.interval == 0 { state.summary = nil }
        return state.settings
      }
      if settings.interval == 0 { return }
      do {
        try writeResults()
        if nextRefresh <= .now {
          let summary = try store.checkSummary()
          state.withLock { $0.summary = summary }
          allowance.domains = try store.scheduledDomains()
          nextRefresh = .now + Self.refresh
        }
        try claim(settings, &allowance)
      } catch {
        // The housekeeping reports the database. A result that is not written is kept for the next round.
      }
      worker.rest(Self.round)
    }
  }

  private func claim(_ settings: Settings, _ allowance: inout Allowance) throws {
    if health.has(.replaced) { return }
    allowance.grow(interval: settings.interval)
    let free = settings.concurrency - state.withLock(\.underWay.count)
    guard free > 0 else { return }
    let claimed = try store.claimChecks(
      urgent: Int(allowance.urgent), others: Int(allowance.others), limit: free,
      lease: Self.lease)
    allowance.urgent -= Double(claimed.urgent.count)
    allowance.others -= Double(claimed.others.count)
    let checker = checker()
    // All of them at once, so that `stop` releases those that are not begun yet.
    let new = state.withLock { state in
      (claimed.urgent + claimed.others).filter { state.underWay.insert($0).inserted }
    }
    for (index, name) in new.enumerated() where !worker.isStopping {
      do {
        let subject = try Subject(name, in: store)
        // A domain that was deleted since is nobody's business.
        if subject.isOurs { check(subject, checker) } else { leave([name]) }
      } catch StoreError.database(.damaged, _) {
        // A domain that is damaged is reported when it is served. It keeps no other from its check.
        leave([name])
      } catch {
        leave(new[index...])
        throw error
      }
    }
  }

  /// Does not check domains that were claimed. They are due again when their lease ends.
  private func leave(_ names: some Sequence<DomainName>) {
    state.withLock { $0.underWay.subtract(names) }
  }

  private func check(_ subject: Subject, _ checker: Checker) {
    let name = subject.domain
    WorkThread.start { [self] in
      let check = try? await checker.check(subject)
      state.withLock { state in
        // `stop` leaves it to the next server.
        if !state.underWay.contains(name) { return }
        if let check {
          state.finished.append(check)
        } else {
          // It could not be read. It is due again when its lease ends.
          state.underWay.remove(name)
        }
      }
    }
  }

  private func writeResults() throws {
    let finished = state.withLock { state in
      defer { state.finished = [] }
      return state.finished
    }
    if finished.isEmpty { return }
    let interval = state.withLock(\.settings.interval)
    let recorded: [RecordedCheck?]
    do {
      recorded = try store.record(
        finished.map(\.record), interval: interval > 0 ? interval : nil)
    } catch {
      state.withLock { $0.finished.insert(contentsOf: finished, at: 0) }
      throw error
    }
    state.withLock { $0.underWay.subtract(finished.map(\.domain)) }
    for (check, recorded) in zip(finished, recorded) {
      durations.observe(Double(check.milliseconds) / 1000)
      if let recorded { done.add(1, ["status": recorded.status.rawValue]) }
    }
  }

  /// How many checks may begin, so that they spread over the interval even if all domains are due.
  private struct Allowance {
    var domains = 0
    var urgent = 0.0
    var others = 0.0
    private var grown = ContinuousClock.now

    mutating func grow(interval: Int) {
      let seconds = (ContinuousClock.now - grown) / .seconds(1)
      grown = .now
      let even = Double(domains) / Double(max(1, interval))
      let (urgentRate, rate) = (max(4, 4 * even), max(1, 1.25 * even))
      urgent = min(max(1, 2 * urgentRate), urgent + urgentRate * seconds)
      others = min(max(1, 2 * rate), others + rate * seconds)
    }
  }

  /// What the last checks found, and what this server did.
  var families: [MetricFamily] {
    let (settings, summary) = state.withLock { ($0.settings, $0.summary) }
    return [
      .gauge(
        "aasa_check_interval_seconds",
        "How often each domain is checked from outside; 0 for never.", Double(settings.interval)),
      .counter(
        "aasa_checks_total", "Checks that this server has made by schedule, by outcome.",
        done.values),
      .histogram(
        "aasa_check_duration_seconds", "How long these checks took.",
        [(key: .none, value: durations)]),
    ] + Self.families(summary)
  }

  /// - Parameter summary: `nil` if nothing is known; then there are no samples.
  private static func families(_ summary: CheckSummary?) -> [MetricFamily] {
    let count = { (status: CheckStatus) in Double(summary?.statuses[status] ?? 0) }
    let lag = { (range: ClosedRange<Int>) in
      Double((summary?.cdnLags ?? [:]).reduce(0) { range.contains($1.key) ? $0 + $1.value : $0 })
    }
    let codes = summary?.codes ?? [:]
    let known =
      summary == nil ? [] : Finding.Code.allCases.filter(\.isOnlyFromChecks).map(\.rawValue)
    let ages = summary?.cdnAges ?? []
    return [
      .gauge(
        "aasa_checked_domains", "Domains by the outcome of their last check.", by: "status",
        summary.map {
          [
            "ok": count(.ok), "warning": count(.warning), "failing": count(.failing),
            "unchecked": Double($0.unchecked),
          ]
        } ?? [:]),
      .gauge(
        "aasa_check_status",
        "Domains whose last check has a finding with this code that is not suppressed.",
        Set(codes.keys).union(known).sorted().map {
          (key: ["code": $0], value: Double(codes[$0] ?? 0))
        }),
      .gauge(
        "aasa_check_last_timestamp_seconds", "When any server last finished a check.",
        summary?.last.map { Double($0.seconds) }),
      .gauge(
        "aasa_check_certificate_end_timestamp_seconds",
        "The earliest expiry of the certificates that checks saw.",
        summary?.certificateEnds.first.map { Double($0.seconds) }),
      .gauge(
        "aasa_check_cdn_age_seconds",
        "How old Apple's copies were when they were checked: the median, the 90th percentile and the oldest.",
        by: "percentile",
        ages.last.map { oldest in
          [
            "50": Double(ages[ages.count / 2]), "90": Double(ages[ages.count * 9 / 10]),
            "100": Double(oldest),
          ]
        } ?? [:]),
      .gauge(
        "aasa_check_cdn_lag_domains",
        "Domains by how many revisions Apple's copy is behind; \"none\" has none of ours, or no copy.",
        by: "revisions",
        summary.map {
          [
            "0": lag(0...0), "1": lag(1...1), "2-5": lag(2...5), "more": lag(6 ... .max),
            "none": Double($0.withoutRevision),
          ]
        } ?? [:]),
    ]
  }
}
