import API
import Association
import FoundationEssentials
public import HTTP
import JSONValue
import Metrics
import Publishing
public import Store
import Synchronization
import WellKnown

/// Both listeners on one store.
public final class Service: Sendable {
  /// Sockets that listen already and that the service takes part in.
  public struct InheritedSockets: Sendable {
    /// In the place of one at `publicAddress`.
    public var publicSocket: InheritedSocket?
    /// In the place of one at `adminAddress`.
    public var adminSocket: InheritedSocket?

    /// None.
    public init() {}
  }

  private let table: LiveTable
  private let publicListener: PublicListener
  private let adminListener: Listener
  private let log: Log
  private let store: Store
  private let health: Health
  private let ledger: FetchLedger
  private let collection: AppleCollection
  private let adminConnections = Gauge()
  private let certificates: CertificateWatch
  private let pruning: Pruning
  private let retention: Mutex<Retention>
  private let liveness = Mutex(PublicLiveness())
  private let prunedRows = Counters(prunedTables)
  private static let prunedTables: [Labels] = [["table": "revision"], ["table": "audit"]]

  /// Starts serving.
  ///
  /// - Throws: `Configuration.Invalid` for an admin listener that anybody could listen to,
  ///   `StoreError`, `ListenerError`, `CertificatesRefused`, and what building answers throws.
  public init(
    _ configuration: Configuration, store: Store, log: Log,
    sockets: InheritedSockets = InheritedSockets()
  ) throws {
    try configuration.checkAdminAddress(sockets.adminSocket?.address)
    self.log = log
    self.store = store
    let certificates = try CertificateWatch(configuration, log: log)
    self.certificates = certificates
    let health = Health(log)
    self.health = health
    let table = try LiveTable(store: store)
    let publisher = Publisher(store: store) {
      do {
        try table.serveCommits()
      } catch {
        health.begin(.serving, error)
        throw error
      }
    }
    let publicListener = try PublicListener(
      on: configuration.publicAddress, inherited: sockets.publicSocket, serving: table.hosts,
      daemons: configuration.threads, certificates: certificates.forFiles,
      settings: configuration.publicSettings, log: { log.write($0) })
    pruning = Pruning(store)
    retention = Mutex(configuration.retention)
    ledger = FetchLedger(of: table.hosts, in: store)
    collection = AppleCollection(store)
    let metrics = ServiceMetrics(
      startTime: Date.now.timeIntervalSince1970, database: configuration.database, store: store,
      admin: AdminCounts(), table: table,
      ledger: ledger, collection: collection, prunedRows: prunedRows, certificates: certificates,
      health: health, publicListener: publicListener, adminConnections: adminConnections)
    let api = AdminAPI(
      publisher: publisher, readiness: { health.readiness }, serves: { table.hosts.serves($0) },
      counts: metrics.admin, metrics: { metrics.families }, log: { log.write($0) })
    self.table = table
    self.publicListener = publicListener
    adminListener = try Listener(
      on: configuration.adminAddress, inherited: sockets.adminSocket,
      limits: Limits(bodyBytes: configuration.maxBodyBytes), certificates: certificates.forAPI,
      screen: { api.screen($0) }, refuse: { api.refuse($0) },
      answer: { request in
        giveWay()
        return api.answer(request)
      })
  }

  /// Where association files are served, with the port that was free if any was asked for.
  public var publicAddress: SocketAddress { publicListener.address }

  /// Where the JSON API is.
  public var adminAddress: SocketAddress { adminListener.address }

  /// Whether association files are served over HTTPS.
  public var speaksHTTPS: Bool { certificates.forFiles != nil }

  /// Where association files are served, as a URL without a path.
  public var publicURL: String { "http\(speaksHTTPS ? "s" : "")://\(publicAddress)" }

  /// Where the JSON API is, as a URL without a path.
  public var adminURL: String {
    "http\(certificates.forAPI == nil ? "" : "s")://\(adminAddress)"
  }

  /// Takes over what can change while the service runs, and reads the certificates again.
  public func apply(_ configuration: Configuration) {
    log.format = configuration.logFormat
    publicListener.apply(configuration.publicSettings)
    certificates.reload(configuration)
    retention.withLock { $0 = configuration.retention }
  }

  /// Serves what another process has changed, and writes down what was only remembered. To be called a
  /// few times a second.
  public func follow() {
    attempt(.reading) { try table.refresh() }
    if !table.isBehind { health.end(.serving) }
    attempt(.readingLedger) { try collection.refresh() }
    attempt(.writing) {
      try store.writeTokenUses()
      try store.moveLog()
      try prune()
    }
    attempt(.writingLedger) { try ledger.write() }
    adminConnections.set(adminListener.openConnections)
    certificates.follow()
  }

  /// Whether files are served, or as many as can be. To be asked now and then; it takes a second at most.
  public func isServing() -> Bool {
    let counts = publicListener.counts
    return liveness.withLock { liveness in
      liveness.isAlive(
        answered: counts.requests, openConnections: counts.openConnections,
        limit: PublicListener.defaultLimits.connections
      ) { publicAddress.reacts(within: 1) }
    }
  }

  /// Does a part of the pruning, and counts what went.
  private func prune() throws {
    let pruned = try pruning.step(retention.withLock { $0 })
    prunedRows.add(pruned.revisions, Self.prunedTables[0])
    prunedRows.add(pruned.auditRecords, Self.prunedTables[1])
  }

  /// Does what may fail and is tried again. The log says once that it fails, and once that it does not
  /// any more.
  private func attempt(_ problem: Health.Problem, _ work: () throws -> Void) {
    do {
      try work()
      health.end(problem)
    } catch {
      health.begin(problem, error)
    }
  }

  /// Lets `/readyz` say no, so that balancers send their requests elsewhere. Everything is answered as
  /// before.
  public func announceEnd() {
    health.beginShutdown()
    publicListener.prepareToStop()
  }

  /// Takes no further connections, finishes requests that have begun, and ends both listeners: the
  /// admin listener, which tells that this goes on, at last.
  ///
  /// - Parameter seconds: How long requests that have begun may take. Those of the API get half a second
  ///   more if files have used the time up.
  public func stop(within seconds: Double = 3) {
    announceEnd()
    let deadline = ContinuousClock.now + .seconds(seconds)
    publicListener.stop(within: seconds)
    let rest = (deadline - ContinuousClock.now) / .seconds(1)
    adminListener.stop(within: max(0.5, rest))
  }

  /// Writes down what was only remembered, and empties the WAL. To be called once, after `stop`: it does
  /// not wait for long, and what cannot be written is lost, which the log says.
  public func writeRest() {
    for (work, loss) in [
      ({ try self.store.setLockTimeout(milliseconds: 300) }, "The end may take long."),
      (store.writeTokenUses, "When tokens were last used is not written down."),
      (ledger.writeAll, "The fetches of the last seconds are lost."),
      (store.checkpoint, "The database is whole, but its WAL was not emptied."),
    ] as [(() throws -> Void, String)] {
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
      revisions: keepRevisions, revisionDays: keepRevisionsDays, auditDays: keepAuditDays)
  }

  fileprivate var publicSettings: PublicSettings {
    PublicSettings(trustedProxies: trustedProxies, accessLogInterval: accessLog)
  }
}
