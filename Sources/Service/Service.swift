import API
import Association
public import HTTP
import JSONValue
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
  private let trouble: Trouble

  /// Starts serving.
  ///
  /// - Throws: `Configuration.Invalid` for an admin listener that anybody could listen to,
  ///   `StoreError`, `ListenerError`, and what building answers throws.
  public init(
    _ configuration: Configuration, store: Store, log: Log,
    sockets: InheritedSockets = InheritedSockets()
  ) throws {
    try configuration.checkAdminAddress(sockets.adminSocket?.address)
    self.log = log
    self.store = store
    let trouble = Trouble()
    self.trouble = trouble
    let table = try LiveTable(store: store)
    let publisher = Publisher(store: store) { try table.refresh() }
    let api = AdminAPI(
      publisher: publisher, problems: { trouble.sentences }, serves: { table.hosts.serves($0) },
      log: { log.write($0) })
    self.table = table
    publicListener = try PublicListener(
      on: configuration.publicAddress, inherited: sockets.publicSocket, serving: table.hosts,
      daemons: configuration.threads, settings: configuration.publicSettings,
      log: { log.write($0) })
    adminListener = try Listener(
      on: configuration.adminAddress, inherited: sockets.adminSocket,
      limits: Limits(bodyBytes: configuration.maxBodyBytes),
      refuse: { api.refuse($0) }, answer: { api.answer($0) })
  }

  /// Where association files are served, with the port that was free if any was asked for.
  public var publicAddress: SocketAddress { publicListener.address }

  /// Where the JSON API is.
  public var adminAddress: SocketAddress { adminListener.address }

  /// Takes over what can change while the service runs.
  public func apply(_ configuration: Configuration) {
    log.format = configuration.logFormat
    publicListener.apply(configuration.publicSettings)
  }

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
      if trouble.end(kind) { log.write(.info, kind.recovery) }
    } catch {
      if trouble.begin(kind) {
        log.write(.error, kind.sentence, ["error": .string(String(describing: error))])
      }
    }
  }

  /// Lets `/readyz` say no, so that balancers send their requests elsewhere. Everything is answered as
  /// before.
  public func announceEnd() { _ = trouble.begin(.ending) }

  /// Takes no further connections, finishes requests that have begun, and ends both listeners: the
  /// admin listener, which tells that this goes on, at last.
  ///
  /// - Parameter seconds: How long requests that have begun may take. Those of the API get a second
  ///   more if files have used the time up.
  public func stop(within seconds: Double = 3) {
    announceEnd()
    let deadline = ContinuousClock.now + .seconds(seconds)
    publicListener.stop(within: seconds)
    let rest = (deadline - ContinuousClock.now) / .seconds(1)
    adminListener.stop(within: max(1, rest))
  }
}

extension Configuration {
  fileprivate var publicSettings: PublicSettings {
    PublicSettings(trustedProxies: trustedProxies, accessLogInterval: accessLog)
  }
}

/// What keeps the service from being ready.
private final class Trouble: Sendable {
  enum Kind: CaseIterable {
    case reading, writing, ending

    /// What is wrong.
    var sentence: String {
      switch self {
      case .reading: "The database cannot be read; files are served as before."
      case .writing: "The database cannot be written; files are served as before."
      case .ending: "The service is shutting down."
      }
    }

    /// What is said when it is over.
    var recovery: String {
      switch self {
      case .reading: "The database can be read again."
      case .writing: "The database can be written again."
      case .ending: "The service goes on."
      }
    }
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
