package import CGnuTLS
import Synchronization

/// A directory of certificate/key pairs, and the set of pairs in use. A reload replaces the set
/// atomically; open connections keep the set that they began with.
package final class CertificateDirectory: Sendable {
  private let clock: @Sendable () -> Int64
  private let used: Mutex<CertificateSet>
  private let reading: Mutex<Reading>
  /// The key of session tickets, and when it was made.
  private let ticketKey = Mutex((bytes: [UInt8](), made: Int64(0)))

  /// How long tickets have the same key. Whoever learns a key can read recorded TLS 1.2 connections
  /// that were resumed with it, so it is kept in memory only, and not for long.
  private static let ticketKeySeconds: Int64 = 6 * 3600
  /// As GnuTLS requires (TICKET_MASTER_KEY_SIZE).
  private static let ticketKeyBytes = 64

  /// Where the pairs are, and the state of their files.
  private struct Reading {
    var path: String
    /// When they were last loaded, whether that succeeded or not.
    var loaded: FileStates
    /// When they were last checked.
    var seen: FileStates
  }

  /// Loads a directory.
  ///
  /// - Parameters:
  ///   - path: Where the pairs are; see `docs/https.md` for the forms.
  ///   - clock: Seconds since 1970.
  /// - Throws: `CertificatesRefused` if no pair is valid. If only some are invalid, `current` has their
  ///   faults.
  package init(
    _ path: String, clock: @escaping @Sendable () -> Int64
  ) throws(CertificatesRefused) {
    self.clock = clock
    let listing = CertificateListing(directory: path)
    let states = FileStates(listing)
    let set = CertificateSet(listing, now: clock(), old: [])
    if set.pairs.isEmpty { throw CertificatesRefused(faults: set.faults) }
    used = Mutex(set)
    reading = Mutex(Reading(path: path, loaded: states, seen: states))
  }

  /// Lets clients resume a session without a signature (RFC 5077, RFC 8446 section 2.2), by
  /// tickets. A ticket under an older key is worth nothing, and costs a full handshake.
  package func enableTickets(on session: gnutls_session_t) {
    ticketKey.withLock { key in
      let now = clock()
      if key.bytes.isEmpty || !(0..<Self.ticketKeySeconds).contains(now - key.made) {
        // The system's generator is fit for keys.
        key = ((0..<Self.ticketKeyBytes).map { _ in .random(in: .min ... .max) }, now)
      }
      // Copies the key. If it fails, the session is not resumed.
      _ = withDatum(key.bytes) { gnutls_session_ticket_enable_server(session, $0) }
    }
  }

  /// The set that new connections get.
  package var current: CertificateSet { used.withLock { $0 } }

  package var path: String { reading.withLock(\.path) }

  /// Reloads the directory, or switches to another one. If a pair is invalid, the previous pair
  /// with the same name stays in use, even if it has expired. If no pair is valid, all previous
  /// pairs stay in use. `current` has the faults.
  package func reload(from newPath: String? = nil) {
    reading.withLock { reading in
      reading.path = newPath ?? reading.path
      load(CertificateListing(directory: reading.path), &reading)
    }
  }

  /// Reloads once files have changed and then stayed the same between two calls, because the two
  /// files of a pair are written one after the other. Call it every few seconds.
  ///
  /// - Returns: Whether the files were read, which happens once per change.
  package func reloadIfChanged() -> Bool {
    reading.withLock { reading in
      let listing = CertificateListing(directory: reading.path)
      let states = FileStates(listing)
      let isSettled = states == reading.seen
      reading.seen = states
      guard isSettled, states != reading.loaded else { return false }
      load(listing, &reading)
      return true
    }
  }

  private func load(_ listing: CertificateListing, _ reading: inout Reading) {
    // Taken first, so that the next call notices a change during the load.
    reading.loaded = FileStates(listing)
    let fresh = CertificateSet(listing, now: clock(), old: current.pairs)
    used.withLock { $0 = fresh }
  }
}

extension CertificateSet {
  /// Loads every valid pair of a listing, and keeps the old ones of those that are invalid.
  fileprivate convenience init(_ listing: CertificateListing, now: Int64, old: [CertificatePair]) {
    var refused = listing.faults
    var pairs: [CertificatePair] = []
    var warnings: [String] = []
    for files in listing.pairs {
      do throws(CertificateFault) {
        let key = try FileContents(files.key)
        pairs.append(
          try CertificatePair(
            files, certificate: try FileContents(files.certificate), key: key, now: now))
        if key.isReadableByOthers {
          warnings.append(
            "\(files.key): users other than its owner can read the key. Run: chmod 600 \(files.key)"
          )
        }
      } catch {
        refused.append((files.name, error))
      }
    }
    pairs += Self.kept(of: old, refused: Set(refused.compactMap(\.pair)), fresh: pairs)
    self.init(
      pairs.isEmpty ? old : pairs.sorted { $0.name < $1.name },
      faults: refused.map(\.fault).sorted { $0.path < $1.path },
      warnings: warnings)
  }

  /// A file and a directory may share a name, so one of them may be invalid and the other in use.
  private static func kept(
    of old: [CertificatePair], refused: Set<String>, fresh: [CertificatePair]
  ) -> [CertificatePair] {
    let taken = Set(fresh.map(\.path))
    return old.filter { refused.contains($0.name) && !taken.contains($0.path) }
  }
}

/// An immutable snapshot of the pairs of a directory.
package final class CertificateSet: Sendable {
  /// The name of the pair for clients that name no host, or a host without a pair.
  static let defaultName = "default"

  package let pairs: [CertificatePair]
  /// The faults of the invalid pairs in the directory, by file name.
  package let faults: [CertificateFault]
  /// Warnings about pairs that are in use, one line each.
  package let warnings: [String]

  private let byHost: [String: CertificatePair]
  private let fallback: CertificatePair?

  init(_ pairs: [CertificatePair], faults: [CertificateFault], warnings: [String]) {
    self.pairs = pairs
    self.faults = faults
    self.warnings = warnings
    fallback = pairs.first { $0.name == Self.defaultName }
    var byHost: [String: CertificatePair] = [:]
    for pair in pairs {
      for host in pair.hosts where (byHost[host]?.notAfter ?? .min) < pair.notAfter {
        byHost[host] = pair
      }
    }
    self.byHost = byHost
  }

  /// The pair for the host that a client named (RFC 6066 section 3): the pair with the exact name,
  /// else with the wildcard for its first label (RFC 9525 section 6.3), else the default. If
  /// several pairs have a name, the one that expires last. Without a pair, the client is refused.
  package func pair(for host: String?) -> CertificatePair? {
    guard let host = host?.lowercased() else { return fallback }
    if let pair = byHost[host] { return pair }
    let rest = host.drop { $0 != "." }
    return rest.isEmpty || rest.count == host.count ? fallback : byHost["*" + rest] ?? fallback
  }
}
