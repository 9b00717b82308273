import API
import Association
public import HTTP
import Metrics
import Publishing
public import Store
import Synchronization
import WellKnown

/// Both listeners on one store.
public final class Service: Sendable {
  private let table: LiveTable
  private let publicListener: PublicListener
  private let adminListener: Listener
  private let log: Log
  private let store: Store
  private let trouble: Trouble
  private let ledger: FetchLedger
  private let collection: AppleCollection
  private let adminConnections = Gauge()

  /// Starts serving.
  ///
  /// - Throws: `StoreError`, `ListenerError`, and what building answers throws.
  public init(_ configuration: Configuration, store: Store, log: Log) throws {
    self.log = log
    self.store = store
    let trouble = Trouble()
    self.trouble = trouble
    let table = try LiveTable(store: store)
    let publisher = Publisher(store: store) { try table.refresh() }
    let publicListener = try PublicListener(
      on: configuration.publicAddress, serving: table.hosts, daemons: configuration.threads)
    ledger = FetchLedger(of: table.hosts, in: store)
    collection = AppleCollection(store)
    let metrics = ServiceMetrics(
      database: configuration.database, store: store, admin: AdminCounts(), table: table,
      ledger: ledger, collection: collection, trouble: trouble, publicListener: publicListener,
      adminConnections: adminConnections)
    let api = AdminAPI(
      publisher: publisher, problems: { trouble.sentences }, counts: metrics.admin,
      metrics: { metrics.families }
    ) { log.line($0) }
    self.table = table
    self.publicListener = publicListener
    adminListener = try Listener(
      on: configuration.adminAddress, limits: Limits(bodyBytes: configuration.maxBodyBytes),
      refuse: { api.refuse($0) }, answer: { api.answer($0) })
  }

  /// Where association files are served, with the port that was free if any was asked for.
  public var publicAddress: SocketAddress { publicListener.address }

  /// Where the JSON API is.
  public var adminAddress: SocketAddress { adminListener.address }

  /// Serves what another process has changed, and writes down what was only remembered. To be called a
  /// few times a second.
  public func follow() {
    attempt(.reading) {
      try table.refreshIfChangedElsewhere()
      try collection.refresh()
    }
    attempt(.writing) { try store.writeTokenUses() }
    attempt(.counting) { try ledger.write() }
    adminConnections.set(adminListener.openConnections)
  }

  /// Does what may fail and is tried again. The log says once that it fails, and once that it does not
  /// any more.
  private func attempt(_ kind: Trouble.Kind, _ work: () throws -> Void) {
    do {
      try work()
      if trouble.end(kind) { log.line(kind.recovery) }
    } catch {
      if trouble.begin(kind) { log.line("\(kind.sentence) \(error)") }
    }
  }

  /// How long requests that have begun may take to arrive, in seconds. Together the two listeners
  /// stay below the 10 seconds after which a container's engine kills what it stops.
  private static let grace = 3.0

  /// Takes no further connections, finishes requests that have begun, and ends both listeners.
  public func stop() {
    adminListener.stop(within: Self.grace)
    publicListener.stop(within: Self.grace)
    do {
      try ledger.writeAll()
    } catch {
      log.line("The fetches of the last seconds are lost. \(error)")
    }
  }
}

/// What goes wrong.
final class Trouble: Sendable {
  /// What cannot be done with the database.
  enum Kind: CaseIterable {
    case reading, writing, counting

    /// Whether it keeps the service from being ready. Fetches that are not counted do not: files are
    /// served.
    var isUnready: Bool { self != .counting }

    var sentence: String {
      switch self {
      case .reading: "The database cannot be read; files are served as before."
      case .writing: "The database cannot be written; files are served as before."
      case .counting: "The fetch ledger cannot be written; fetches are counted in memory."
      }
    }

    /// What is said when it is over.
    var recovery: String {
      switch self {
      case .reading: "The database can be read again."
      case .writing: "The database can be written again."
      case .counting: "The fetch ledger can be written again."
      }
    }
  }

  private let current = Mutex<Set<Kind>>([])

  /// What keeps the service from being ready, as sentences in a stable order.
  var sentences: [String] {
    Kind.allCases.filter { $0.isUnready && has($0) }.map(\.sentence)
  }

  /// Whether it goes on.
  func has(_ kind: Kind) -> Bool { current.withLock { $0.contains(kind) } }

  /// Whether it is new.
  func begin(_ kind: Kind) -> Bool { current.withLock { $0.insert(kind).inserted } }

  /// Whether it was there.
  func end(_ kind: Kind) -> Bool { current.withLock { $0.remove(kind) != nil } }
}
