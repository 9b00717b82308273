import API
import Association
public import HTTP
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

  /// Starts serving.
  ///
  /// - Throws: `StoreError`, `ListenerError`, and what building answers throws.
  public init(_ configuration: Configuration, store: Store, log: Log) throws {
    self.log = log
    self.store = store
    let trouble = Trouble()
    self.trouble = trouble
    let table = try LiveTable(store: store)
    let publisher = Publisher(store: store) { try table.serve($0) }
    let api = AdminAPI(publisher: publisher, problems: { trouble.sentences }) { log.line($0) }
    self.table = table
    publicListener = try PublicListener(
      on: configuration.publicAddress, serving: table.hosts, daemons: configuration.threads)
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
    attempt(.reading) { try table.refreshIfChangedElsewhere() }
    attempt(.writing) { try store.writeTokenUses() }
  }

  /// Does what may fail and is tried again. The log says once that it fails, and once that it does not
  /// any more.
  private func attempt(_ kind: Trouble.Kind, _ work: () throws -> Void) {
    do {
      try work()
      if trouble.end(kind) { log.line("The database can be \(kind.rawValue) again.") }
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
  }
}

/// What keeps the service from being ready.
private final class Trouble: Sendable {
  /// What cannot be done with the database.
  enum Kind: String, CaseIterable {
    case reading = "read"
    case writing = "written"

    var sentence: String { "The database cannot be \(rawValue); files are served as before." }
  }

  private let current = Mutex<Set<Kind>>([])

  /// As sentences, in a stable order.
  var sentences: [String] {
    current.withLock { current in Kind.allCases.filter(current.contains).map(\.sentence) }
  }

  /// Whether it is new.
  func begin(_ kind: Kind) -> Bool { current.withLock { $0.insert(kind).inserted } }

  /// Whether it was there.
  func end(_ kind: Kind) -> Bool { current.withLock { $0.remove(kind) != nil } }
}
