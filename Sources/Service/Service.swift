import Association
import Checking
import FoundationEssentials
package import HTTP
package import Store
import Publishing
import Synchronization

/// Both listeners on one store.
package final class Service: Sendable {
  /// Sockets that already listen, for the service to use instead of opening its own.
  package struct InheritedSockets: Sendable {
    /// Used instead of `publicAddress`.
    package var publicSocket: InheritedSocket?
    /// Used instead of `adminAddress`.
    package var adminSocket: InheritedSocket?

    package init() {}
  }

  private let table: LiveTable
  private let publicListener: PublicListener
  private let adminListener: Listener
  private let api: AdminAPI
  private let log: Log
  private let store: Store
  private let health: Health
  private let ledger: FetchLedger
  private let collection: AppleCollection
  private let tokenExpiry: TokenExpiry
  private let adminConnections = Gauge()
  private let certificates: CertificateReloader
  private let watch: DatabaseWatch
  private let findings: FindingRefresh
  private let commandLog: CommandLog
  private let checker: CurrentChecker
  private let checks: CheckSchedule
  private let webhooks: WebhookDelivery
  private let overdue: AppleOverdue
  private let replication: Replication
  private let kept: SnapshotWriter?
  private let overdueHours: Mutex<Int>
  private let pruning: Pruning
  private let retention: Mutex<Retention>
  private let checkHour: Mutex<Int>
  private let liveness = Mutex(PublicLiveness())
  private let prunedRows = Counters(prunedTables)
  private static let prunedTables: [Labels] = [
    ["table": "revision"], ["table": "audit"], ["table": "domain"],
    ["table": "webhook_delivery"],
  ]

  /// Starts serving.
  ///
  /// - Throws: `Configuration.Invalid`, such as for an admin listener whose tokens could be read in transit,
  ///   `StoreError`, `ListenerError`, `CertificatesRefused`, and errors from preparing responses.
  package init(
    _ configuration: Configuration, store: Store, log: Log,
    sockets: InheritedSockets = InheritedSockets()
  ) throws {
    try configuration.checkStartup(admin: sockets.adminSocket?.address)
    self.log = log
    self.store = store
    store.keepSpools(in: configuration.spoolDirectory)
    let certificates = try CertificateReloader(configuration, log: log)
    self.certificates = certificates
    let health = Health(log)
    self.health = health
    watch = DatabaseWatch(store, health, log)
    commandLog = CommandLog(store, log)
    let checker = CurrentChecker(configuration, now: store.now)
    self.checker = checker
    let checks = CheckSchedule(store, health, configuration.checkSchedule) { checker.current }
    self.checks = checks
    let webhooks = WebhookDelivery(
      store, log, send: Self.sending(configuration))
    self.webhooks = webhooks
    overdue = AppleOverdue(store)
    overdueHours = Mutex(configuration.appleOverdueHours)
    let kept = configuration.snapshot.map { SnapshotWriter(path: $0, of: store) }
    self.kept = kept
    let progress = LoadingProgress { loaded, all in
      var fields: JSON.Object = ["loaded": .integer(loaded)]
      fields["domains"] = all.map { .integer($0) }
      log.write(.info, "Loading domains.", fields)
    }
    let table = try LiveTable(store: store, or: kept, progress: progress)
    health.report(damagedFiles: table.faults)
    if let takenAt = table.snapshotAt {
      health.begin(
        .oldStart, "the snapshot was taken \(store.now().seconds(since: takenAt)) seconds ago")
    }
    let replication = Replication(
      store, table, isShared: configuration.database.path == nil)
    self.replication = replication
    findings = FindingRefresh(store, health, log) { try replication.take(.findings) }
    let publisher = Publisher(store: store) {
      do {
        try table.serveCommits()
      } catch {
        health.begin(.serving, String(describing: error))
        throw error
      }
    }
    let publicListener = try PublicListener(
      on: configuration.publicAddress, inherited: sockets.publicSocket, serving: table.hosts,
      daemons: configuration.threads, limits: configuration.publicLimits,
      certificates: certificates.forFiles,
      settings: configuration.publicSettings, log: { log.write($0) })
    pruning = Pruning(store) { try replication.take(.pruning, for: $0) }
    retention = Mutex(configuration.retention)
    checkHour = Mutex(configuration.checkHour)
    ledger = FetchLedger(of: table.hosts, in: store)
    collection = AppleCollection(store)
    tokenExpiry = TokenExpiry(store)
    let metrics = ServiceMetrics(
      startTime: Date.now.timeIntervalSince1970,
      store: store,
      admin: AdminCounts(), table: table,
      ledger: ledger, collection: collection, tokenExpiry: tokenExpiry, prunedRows: prunedRows,
      certificates: certificates,
      checks: checks, webhooks: webhooks, replication: replication, kept: kept, health: health,
      watch: watch,
      publicListener: publicListener,
      adminConnections: adminConnections)
    let api = AdminAPI(
      publisher: publisher, checker: { checker.current }, readiness: { health.readiness },
      serves: { table.hosts.serves($0) },
      counts: metrics.admin, metrics: { metrics.families }, usesTLS: certificates.forAPI != nil,
      trust: configuration.proxyTrust, log: { log.write($0) })
    self.api = api
    self.table = table
    self.publicListener = publicListener
    adminListener = try Listener(
      on: configuration.adminAddress, inherited: sockets.adminSocket,
      limits: configuration.adminLimits, certificates: certificates.forAPI,
      screen: { api.screen($0) }, refuse: { api.refuse($0) },
      answer: { request in
        giveWay()
        return api.answer(request)
      })
    adminListener.exempt(configuration.trustedProxies)
    // What commands change from now on is logged.
    attempt(.reading) { try commandLog.follow() }
    replication.start(
      url: configuration.adminURL
        ?? adminListener.address.url(certificates.forAPI == nil ? "http" : "https"))
  }

  /// Where association files are served, with the actual port if port 0 was requested.
  package var publicAddress: SocketAddress { publicListener.address }

  /// Where the JSON API listens, with the actual port.
  package var adminAddress: SocketAddress { adminListener.address }

  /// Whether association files are served over HTTPS.
  package var speaksHTTPS: Bool { certificates.forFiles != nil }

  /// Where association files are served, as a URL without a path.
  package var publicURL: String { "http\(speaksHTTPS ? "s" : "")://\(publicAddress)" }

  /// Where the JSON API listens, as a URL without a path.
  package var adminURL: String {
    "http\(certificates.forAPI == nil ? "" : "s")://\(adminAddress)"
  }

  /// Applies the settings that can change while the service runs, and reloads the certificates.
  package func apply(_ configuration: Configuration) {
    log.format = configuration.logFormat
    publicListener.apply(configuration.publicSettings)
    adminListener.exempt(configuration.trustedProxies)
    api.apply(configuration.proxyTrust)
    certificates.reload(configuration)
    retention.withLock { $0 = configuration.retention }
    checkHour.withLock { $0 = configuration.checkHour }
    webhooks.apply(send: Self.sending(configuration))
    checker.apply(configuration)
    checks.apply(configuration.checkSchedule)
    overdueHours.withLock { $0 = configuration.appleOverdueHours }
  }

  /// How requests to webhooks are sent.
  private static func sending(
    _ configuration: Configuration
  ) -> @Sendable (FetchRequest) async -> Fetch {
    let fetcher = Fetcher(configuration.fetchPolicy)
    return { await fetcher.fetch($0) }
  }

  /// Picks up changes of other processes and does the periodic writes. Call it a few times a
  /// second.
  package func follow() {
    watch.follow(hour: checkHour.withLock { $0 })
    attempt(.reading) {
      try table.refresh()
      try commandLog.follow()
      try tokenExpiry.refresh()
    }
    health.report(damagedFiles: table.faults)
    if !table.isBehind { health.end(.serving) }
    // As long as the snapshot is served, the database cannot be read, and there is nothing to write.
    if table.snapshotAt == nil {
      health.end(.oldStart)
      kept?.follow(health)
    }
    attempt(.readingLedger) { try collection.refresh() }
    if !store.isReadOnly { followWithWrites() }
    adminConnections.set(adminListener.openConnections)
    certificates.follow()
  }

  private func followWithWrites() {
    findings.follow()
    checks.follow()
    attempt(.reading) { try webhooks.follow() }
    overdue.follow(hours: overdueHours.withLock { $0 })
    attempt(.writing) {
      try replication.follow()
      try store.writeTokenUses()
      try store.maintain()
      try prune()
    }
    attempt(.writingLedger) { try ledger.write() }
  }

  /// Whether the public listener serves files, or is at its limit of connections. Takes up to a second.
  package func isServing() -> Bool {
    let counts = publicListener.counts
    return liveness.withLock { liveness in
      liveness.isAlive(
        answered: counts.requests, openConnections: counts.openConnections,
        limit: PublicListener.defaultLimits.connections
      ) { publicAddress.reacts(within: 1) }
    }
  }

  /// Deletes a few old rows and counts them.
  private func prune() throws {
    let pruned = try pruning.step(retention.withLock { $0 })
    prunedRows.add(pruned.revisions, Self.prunedTables[0])
    prunedRows.add(pruned.auditRecords, Self.prunedTables[1])
    prunedRows.add(pruned.domains, Self.prunedTables[2])
    prunedRows.add(pruned.deliveries, Self.prunedTables[3])
  }

  /// Does work that is retried later if it fails. Failure and recovery are each logged once.
  private func attempt(_ problem: Health.Problem, _ work: () throws -> Void) {
    do {
      try work()
      health.end(problem)
    } catch {
      health.begin(problem, error)
    }
  }

  /// Makes `/readyz` fail, so that load balancers send their requests elsewhere. All requests are still
  /// answered.
  package func announceEnd() {
    health.beginShutdown()
    publicListener.prepareToStop()
  }

  /// Stops accepting connections, finishes the requests that have begun, and stops both listeners. The
  /// admin listener goes last, so that `/readyz` can report the shutdown.
  ///
  /// - Parameters:
  ///   - seconds: How long unfinished requests may take.
  ///   - least: How long API requests may take at least, in seconds.
  package func stop(within seconds: Double = 3, requests least: Double = 0.5) {
    announceEnd()
    webhooks.prepareToStop()
    checks.prepareToStop()
    let deadline = ContinuousClock.now + .seconds(seconds)
    publicListener.stop(within: seconds)
    let rest = (deadline - ContinuousClock.now) / .seconds(1)
    adminListener.stop(within: max(least, rest))
    replication.prepareToStop()
  }

  /// Writes everything that is only in memory, and leaves the database tidy. Call it once, after `stop`. It
  /// does not wait long: anything that cannot be written is lost, and the loss is logged.
  package func writeRest() {
    watch.stop()
    findings.stop()
    overdue.stop()
    store.setLockTimeout(milliseconds: 300)
    for (work, loss) in [
      ({ try self.kept?.finish() }, "Could not write the snapshot. The last one stays."),
      (store.writeTokenUses, "Could not save when tokens were last used."),
      (webhooks.stop, "Could not save webhook delivery results. The deliveries will be repeated."),
      (checks.stop, "Could not save the results of the last checks."),
      (ledger.writeAll, "Could not save the fetch counts of the last few seconds."),
      (replication.stop, "Could not tell other servers about the shutdown. They will notice soon."),
      (store.tidyUp, "Could not tidy up the database. It is intact."),
    ].prefix(store.isReadOnly ? 1 : .max) as ArraySlice<(() throws -> Void, String)> {
      do {
        try work()
      } catch {
        log.write(.error, loss, ["error": .string(String(describing: error))])
      }
    }
  }
}

extension Configuration {
  fileprivate var retention: Retention {
    Retention(
      revisions: keepRevisions, revisionDays: keepRevisionsDays, auditDays: keepAuditDays,
      checkDays: keepCheckDays)
  }

  fileprivate var proxyTrust: ProxyTrust {
    ProxyTrust(
      proxies: trustedProxies, userHeader: adminUserHeader, groupsHeader: adminGroupsHeader,
      hosts: adminHosts)
  }

  fileprivate var checkSchedule: CheckSchedule.Settings {
    CheckSchedule.Settings(interval: checkInterval, concurrency: checkConcurrency)
  }

  fileprivate var publicLimits: Limits {
    var limits = PublicListener.defaultLimits
    limits.clientPercent = clientPercent
    return limits
  }

  fileprivate var adminLimits: Limits {
    var limits = Limits(bodyBytes: maxBodyBytes)
    (limits.clientPercent, limits.probes) = (clientPercent, AdminAPI.probes)
    return limits
  }

  fileprivate var publicSettings: PublicSettings {
    PublicSettings(trustedProxies: trustedProxies, accessLogInterval: accessLog)
  }
}
