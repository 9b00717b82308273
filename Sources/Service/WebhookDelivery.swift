import Association
import Checking
import Glibc
import HTTP
import Store
import Synchronization

/// Sends what webhooks wait for. Several servers on one database share the work.
final class WebhookDelivery: Sendable {
  /// The number of attempts under way for each webhook, so that one whose target hangs delays no other.
  private static let limit = 4
  /// How long an attempt may take, in milliseconds.
  private static let milliseconds = 15_000
  /// After how many seconds other servers take an attempt to be lost. The result of one that takes its whole
  /// time is written by then.
  private static let lease: Int64 = 60
  /// How much of an answer is read, in bytes.
  private static let answerBytes = 1024

  private struct State {
    var send: @Sendable (FetchRequest) async -> Fetch
    var underWay: [Int64: Int] = [:]
    /// Whether the store is asked for more.
    var isClaiming = false
    /// Attempts whose results are not written yet.
    var finished: [DeliveryAttempt] = []
    var pending = 0
    var pendingSince: UnixTime?
    var nextCount = ContinuousClock.now
  }

  private let store: Store
  private let log: Log
  /// A word that no other server uses.
  private let server = "\(UInt64.random(in: 0...UInt64.max))"
  private let state: Mutex<State>
  /// Held while results are written, so that none is written twice.
  private let writing = Mutex(())
  private let worker = Worker(nice: 10)
  private let attempts = Counters([
    ["outcome": "delivered"], ["outcome": "retried"], ["outcome": "failed"],
  ])

  /// - Parameter send: Sends a request, within its time.
  init(
    _ store: Store, _ log: Log, send: @escaping @Sendable (FetchRequest) async -> Fetch
  ) {
    self.store = store
    self.log = log
    state = Mutex(State(send: send))
  }

  /// Sends further requests in another way.
  func apply(send: @escaping @Sendable (FetchRequest) async -> Fetch) {
    state.withLock { $0.send = send }
  }

  /// Starts sending if anything is due or new. Call it a few times a second.
  ///
  /// - Throws: `StoreError.database`.
  func follow() throws {
    try count()
    if try worker.isFree && store.hasDueDelivery() { worker.start { self.run() } }
  }

  /// Begins no further attempts. Those under way go on.
  func prepareToStop() { worker.stop() }

  /// Writes the results that there are, and leaves the other attempts to the next server.
  ///
  /// - Throws: `StoreError`.
  func stop() throws {
    prepareToStop()
    // A claim may be under way, of which nothing is known yet.
    let deadline = ContinuousClock.now + .milliseconds(300)
    while state.withLock(\.isClaiming), .now < deadline { usleep(1000) }
    try writeResults()
    if state.withLock({ $0.isClaiming || !$0.underWay.isEmpty }) {
      try store.releaseDeliveries(of: server)
    }
  }

  /// Counts what is pending, from time to time.
  private func count() throws {
    if state.withLock(\.nextCount) > .now { return }
    let pending = try store.pendingDeliveries()
    state.withLock { state in
      (state.pending, state.pendingSince) = (pending.count, pending.since)
      state.nextCount = .now + .seconds(5)
    }
  }

  /// Sends until nothing is due and nothing under way.
  private func run() {
    while true {
      var hasMore = false
      do {
        try writeResults()
        hasMore = try !worker.isStopping && store.writeDeliveries()
        for claimed in try claim() { attempt(claimed) }
      } catch {
        // The housekeeping reports the database. A result that is not written is kept for the next round.
        worker.rest(.seconds(5))
      }
      let isIdle = state.withLock { $0.underWay.isEmpty && $0.finished.isEmpty }
      if isIdle && !hasMore { return }
      // A short pause leaves the lock of the database to other processes.
      worker.rest(.milliseconds(hasMore ? 10 : 250))
      // More attempts may end within this time. They are written together, and the next ones are claimed together.
      if hasUnfinished { worker.pause(milliseconds: 20) }
    }
  }

  private var hasUnfinished: Bool {
    state.withLock { $0.underWay.values.reduce(0, +) > $0.finished.count }
  }

  private func claim() throws -> [ClaimedDelivery] {
    let underWay = state.withLock { state in
      state.isClaiming = true
      return state.underWay
    }
    defer { state.withLock { $0.isClaiming = false } }
    if worker.isStopping { return [] }
    let claimed = try store.claimDeliveries(
      by: server, lease: Self.lease, limit: Self.limit, underWay: underWay)
    state.withLock { state in
      for delivery in claimed { state.underWay[delivery.webhookRow, default: 0] += 1 }
    }
    return claimed
  }

  private func attempt(_ claimed: ClaimedDelivery) {
    let (send, now) = (state.withLock { $0.send }, store.now())
    var request = WebhookMessage.request(claimed, at: now)
    request.agent = "aasa/\(AdminAPI.programVersion)"
    request.milliseconds = Self.milliseconds
    request.bytes = Self.answerBytes
    request.usesPlaces = false
    WorkThread.start { [request, self] in
      let attempt = Self.attempt(claimed, await send(request), at: now)
      state.withLock { $0.finished.append(attempt) }
      worker.wake()
    }
  }

  /// The server also calls this when it stops, while the thread may be writing.
  private func writeResults() throws {
    try writing.withLock { _ in try writeFinished() }
  }

  private func writeFinished() throws {
    let finished = state.withLock(\.finished)
    if finished.isEmpty { return }
    let disabled = try store.finish(finished, by: server)
    state.withLock { state in
      state.finished.removeFirst(finished.count)
      for attempt in finished {
        let row = attempt.claimed.webhookRow
        let rest = state.underWay[row, default: 1] - 1
        state.underWay[row] = rest > 0 ? rest : nil
      }
    }
    for attempt in finished { note(attempt) }
    for webhook in disabled {
      log.write(
        .warning, "Disabled a webhook because its target answered 410.",
        ["webhook": .string(webhook.name)])
    }
  }

  private func note(_ attempt: DeliveryAttempt) {
    switch attempt.outcome {
    case .delivered: attempts.add(1, ["outcome": "delivered"])
    case .retry: attempts.add(1, ["outcome": "retried"])
    case .failed, .gone:
      attempts.add(1, ["outcome": "failed"])
      let (delivery, webhook) = (attempt.claimed.delivery, attempt.claimed.webhook)
      var fields: JSON.Object = [
        "webhook": .string(webhook.name), "message": .string(delivery.message),
        "event": .string(delivery.event), "error": .string(attempt.error),
      ]
      fields["domain"] = delivery.domain.map(JSON.string)
      log.write(.warning, "Gave up on a webhook delivery.", fields)
    }
  }

  /// What follows from an answer (Standard Webhooks, "Delivery": 2xx succeeds, 410 ends the webhook).
  private static func attempt(
    _ claimed: ClaimedDelivery, _ fetch: Fetch, at now: UnixTime
  ) -> DeliveryAttempt {
    let answer: Fetch.Answer
    switch fetch.result {
    case .failure(let failure):
      return DeliveryAttempt(
        claimed, at: now, next(claimed.delivery, at: now), error: cleaned(failure.words),
        milliseconds: fetch.milliseconds)
    case .success(let success): answer = success
    }
    let (outcome, error): (DeliveryAttempt.Outcome, String) =
      switch answer.status {
      case 200...299: (.delivered, "")
      case 410: (.gone, words(of: answer))
      default:
        (
          next(claimed.delivery, at: now, pause: answer["Retry-After"].flatMap { pause($0, now) }),
          words(of: answer)
        )
      }
    return DeliveryAttempt(
      claimed, at: now, outcome, answer: answer.status, error: error,
      milliseconds: fetch.milliseconds)
  }

  /// The seconds of a `Retry-After`: a number, or a date (RFC 9110 section 10.2.3).
  private static func pause(_ text: String, _ now: UnixTime) -> Int64? {
    Int64(text)
      ?? Array(text.utf8).withUnsafeBytes { HTTPDate($0) }.map { $0.seconds - now.seconds }
  }

  /// What follows from a failure.
  ///
  /// - Parameter pause: How long the target wants to be left alone, in seconds.
  private static func next(
    _ delivery: Delivery, at now: UnixTime, pause wanted: Int64? = nil
  ) -> DeliveryAttempt.Outcome {
    guard delivery.attempts < Delivery.pauses.count,
      now.seconds(since: delivery.at) < Delivery.retryPeriod
    else {
      return .failed
    }
    let pause = Delivery.pauses[delivery.attempts]
    // Spread, so that a target that comes back does not get everything at once.
    let spread = pause + Int64.random(in: 0...pause / 10)
    return .retry(after: max(spread, min(wanted ?? 0, Delivery.pauses.max() ?? 0)))
  }

  private static func words(of answer: Fetch.Answer) -> String {
    if let redirect = answer.redirect {
      return cleaned("HTTP \(answer.status) to \(redirect); redirects are not followed")
    }
    let text = cleaned(String(decoding: answer.body, as: UTF8.self))
    return "HTTP \(answer.status)" + (text.isEmpty ? "" : ": \(text)")
  }

  /// A text from outside, short and on one line.
  private static func cleaned(_ text: String) -> String {
    let words = String(text.unicodeScalars.prefix(1024)).onOneLine
    return String(words.unicodeScalars.prefix(200))
  }

  var families: [MetricFamily] {
    let (pending, since) = state.withLock { ($0.pending, $0.pendingSince) }
    return [
      .counter(
        "aasa_webhook_deliveries_total",
        "Attempts to deliver events to webhooks, by outcome. Those retried are attempted again; those failed "
          + "are given up.", attempts.values),
      .gauge(
        "aasa_webhook_deliveries_pending",
        "Deliveries that enabled webhooks wait for, from all servers on the database. An event counts once until "
          + "the server has found the webhooks that receive it.",
        Double(pending)),
      .gauge(
        "aasa_webhook_deliveries_pending_since_timestamp_seconds",
        "When the event of the oldest pending delivery happened.", since.map { Double($0.seconds) }),
    ]
  }
}
