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
  /// Why following failed last, so that the log says it once and not at every look.
  private let trouble = Mutex<String?>(nil)

  /// Starts serving.
  ///
  /// - Throws: `StoreError`, `ListenerError`, and what building answers throws.
  public init(_ configuration: Configuration, store: Store, log: Log) throws {
    self.log = log
    let table = try LiveTable(store: store)
    let publisher = Publisher(store: store) { try table.refresh() }
    let api = AdminAPI(publisher: publisher, problems: { [] }) { log.line($0) }
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

  /// Serves what another process has changed. To be called a few times a second.
  public func follow() {
    do {
      try table.refreshIfChangedElsewhere()
      report(nil)
    } catch {
      report("The database cannot be read; files are served as before: \(error)")
    }
  }

  private func report(_ trouble: String?) {
    self.trouble.withLock { last in
      if trouble == last { return }
      log.line(trouble ?? "The database can be read again.")
      last = trouble
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
