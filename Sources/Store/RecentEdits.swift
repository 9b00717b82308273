import Association
import SQLite

/// Domains as the last edits of this process left them, so that the next edit of one need not read it.
///
/// All of it is forgotten when anything else has changed the database: another process, or another
/// statement of this one, whatever it changed. It is for one thread at a time: the one whose turn it
/// is to write.
final class RecentEdits {
  /// A domain with the revision that is served, and what a device reads of it where that is known.
  struct Domain {
    let stored: StoredDomain
    let revision: Revision
    let document: [UInt8]
    let read: ReadDocument?

    /// About how many bytes it has: expectations and aliases are in no document.
    fileprivate var bytes: Int {
      let (expectations, aliases) = (stored.domain.expectations, stored.domain.aliases)
      return document.count + expectations.reduce(0) { $0 + 100 + $1.url.utf8.count }
        + aliases.count * 100
    }
  }

  /// How many there are at most.
  private static let limit = 128
  /// How many bytes all of them have at most. What is made of a document takes some twenty times as much.
  private static let bytesLimit = 262_144

  private var domains: [DomainName: Domain] = [:]
  private var bytes = 0
  /// The state of the database that this is true of.
  private var dataVersion: Int64 = 0
  private var changes: Int64 = 0

  /// A domain, in a transaction that nobody else can write beside.
  func domain(_ name: DomainName, _ connection: Connection) throws -> Domain? {
    // It is another one whenever another connection has committed something
    // (sqlite.org/pragma.html#pragma_data_version).
    let version = try connection.first("PRAGMA data_version") { $0.integer(0) } ?? 0
    if version != dataVersion { forget() }
    dataVersion = version
    noticeChanges(connection)
    return domains[name]
  }

  /// Forgets everything if this connection has changed a row of which nothing is known here.
  func noticeChanges(_ connection: Connection) {
    if connection.totalChanges != changes { forget() }
    changes = connection.totalChanges
  }

  /// Keeps a domain, which alone was changed since `noticeChanges`.
  ///
  /// - Parameter oldName: The name that it had before.
  func keep(_ domain: Domain, insteadOf oldName: DomainName, _ connection: Connection) {
    changes = connection.totalChanges
    let name = domain.stored.domain.name
    for name in [oldName, name] {
      bytes -= domains.removeValue(forKey: name)?.bytes ?? 0
    }
    if bytes + domain.bytes > Self.bytesLimit || domains.count == Self.limit { forget() }
    if domain.bytes > Self.bytesLimit { return }
    domains[name] = domain
    bytes += domain.bytes
  }

  /// To be called when edits were undone.
  func forget() {
    domains = [:]
    bytes = 0
  }
}
