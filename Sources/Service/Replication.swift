import Association
import FoundationEssentials
import HTTP
import Store
import Synchronization

/// What several servers on one database owe each other: each serves soon what another commits, and tells how far
/// it is.
final class Replication: Sendable {
  /// How often a server tells that it runs, and after how many seconds it is taken to be gone. A file has one
  /// server, as a rule, and nobody needs to know soon that it has gone.
  private struct Beat {
    let interval: Duration
    let lease: Int64
  }

  private struct State {
    var next = ContinuousClock.now
    var reported: Int64 = .min
    var others: [Replica] = []
  }

  /// A word that no other server uses.
  let id = String(UInt64.random(in: 0 ... .max), radix: 16)
  private let store: Store
  private let table: LiveTable
  private let beat: Beat
  private let state = Mutex(State())
  private let listening = Worker(nice: 0)
  private let startedAt: UnixTime
  private let url: Mutex<String>

  init(_ store: Store, _ table: LiveTable, isShared: Bool) {
    self.store = store
    self.table = table
    beat =
      isShared ? Beat(interval: .seconds(2), lease: 15) : Beat(interval: .seconds(60), lease: 180)
    startedAt = store.now()
    url = Mutex("")
  }

  /// Begins.
  ///
  /// - Parameter url: Where the JSON API of this server is reached.
  func start(url: String) {
    self.url.withLock { $0 = url }
    listening.start { self.listen() }
  }

  /// Serves what others commit: as soon as they say so, and twice a second whatever they say. The housekeeping
  /// looks as well, but it writes, too, and may have to wait for that.
  private func listen() {
    while !listening.isStopping {
      do {
        guard let notices = try store.listen() else { return }
        while !listening.isStopping {
          _ = try notices.wait(milliseconds: 500)
          try table.refresh()
        }
      } catch {
        // The housekeeping reports the database.
        listening.rest(.milliseconds(500))
      }
    }
  }

  /// Tells how far this server is if it is time, or if somebody waits for it. Call it a few times a second.
  ///
  /// - Throws: `StoreError`.
  func follow() throws {
    if store.isReadOnly || url.withLock(\.isEmpty) { return }
    let (isDue, reported) = state.withLock { ($0.next <= .now, $0.reported) }
    let applied = table.sequence
    if !isDue {
      guard applied > reported, let awaited = try store.awaited(of: id), awaited > reported else {
        return
      }
    }
    let replica = Replica(
      id: id, name: ProcessInfo.processInfo.hostName, version: AdminAPI.programVersion,
      url: url.withLock { $0 }, startedAt: startedAt, applied: max(0, applied))
    try store.report(replica, for: beat.lease)
    let others = try store.replicas()
    state.withLock { state in
      (state.next, state.reported, state.others) = (.now + beat.interval, applied, others)
    }
  }

  /// Takes work for a minute that one server does for all.
  ///
  /// - Returns: Whether it is this server's.
  /// - Throws: `StoreError`.
  func take(_ work: SharedWork, for seconds: Int64 = 60) throws -> Bool {
    try store.take(work, by: id, for: seconds)
  }

  /// Listens no longer.
  func prepareToStop() { listening.stop() }

  /// Ends, and leaves the work to others.
  ///
  /// - Throws: `StoreError`.
  func stop() throws {
    prepareToStop()
    if !store.isReadOnly { try store.leave(id) }
  }

  /// The servers on the database, as this one last saw them.
  var families: [MetricFamily] {
    let others = state.withLock(\.others)
    let labels = { (replica: Replica) -> Labels in
      ["name": replica.name, "url": replica.url]
    }
    return [
      .gauge(
        "aasa_replica_lag_changes",
        "How many changes behind each server on the database was when it was last seen.",
        others.map { (key: labels($0), value: Double($0.lag)) }),
      .gauge(
        "aasa_replica_seen_timestamp_seconds", "When each server on the database was last seen.",
        others.map { (key: labels($0), value: Double($0.seenAt.seconds)) }),
    ]
  }
}

extension SocketAddress {
  /// Where others reach a listener, as a URL.
  func url(_ scheme: String) -> String {
    let isEverywhere = host == "0.0.0.0" || host == "::"
    let name = isEverywhere ? ProcessInfo.processInfo.hostName : host
    let part = name.contains(":") ? "[\(name)]" : name
    return "\(scheme)://\(part):\(port)"
  }
}
