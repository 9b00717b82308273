import Synchronization

/// A directory of pairs, and the set of them that is in use. Reading it again swaps the set at
/// once; connections keep the set that they began with.
public final class CertificateDirectory: Sendable {
  private let clock: @Sendable () -> Int64
  private let shown: Mutex<CertificateSet>
  private let reading: Mutex<Reading>

  /// Where the pairs lie, and what the files looked like.
  private struct Reading {
    var path: String
    /// When they were last loaded, or could not be.
    var loaded: CertificateMarks
    /// When they were last looked at.
    var seen: CertificateMarks
  }

  /// Loads a directory.
  ///
  /// - Parameters:
  ///   - path: Where the pairs lie; see `docs/https.md` for the forms.
  ///   - clock: Seconds since 1970.
  /// - Throws: `CertificatesRefused` if no pair can be used. Where only some cannot, `current` tells
  ///   their faults.
  public init(
    _ path: String, clock: @escaping @Sendable () -> Int64
  ) throws(CertificatesRefused) {
    self.clock = clock
    let listing = CertificateListing(directory: path)
    let marks = CertificateMarks(listing)
    let set = CertificateSet(listing, now: clock(), old: [])
    if set.pairs.isEmpty { throw CertificatesRefused(faults: set.faults) }
    shown = Mutex(set)
    reading = Mutex(Reading(path: path, loaded: marks, seen: marks))
  }

  /// The set that new connections get.
  public var current: CertificateSet { shown.withLock { $0 } }

  /// Where the pairs lie.
  public var path: String { reading.withLock(\.path) }

  /// Reads the directory again, or another one from now on. A pair with a fault is refused, and the
  /// one of its name that was in use stays, also where it has expired: there is nothing better. If no
  /// pair could be used, all that were in use stay. `current` tells the faults.
  public func reload(from newPath: String? = nil) {
    reading.withLock { reading in
      reading.path = newPath ?? reading.path
      load(CertificateListing(directory: reading.path), &reading)
    }
  }

  /// Does what `reload` does if files have changed and have stayed the same since the last call: who
  /// renews a certificate writes its two files one after the other. To be called every few seconds.
  ///
  /// - Returns: Whether the files were read, once for each state of them.
  public func reloadIfChanged() -> Bool {
    reading.withLock { reading in
      let listing = CertificateListing(directory: reading.path)
      let marks = CertificateMarks(listing)
      let isSettled = marks == reading.seen
      reading.seen = marks
      guard isSettled, marks != reading.loaded else { return false }
      load(listing, &reading)
      return true
    }
  }

  private func load(_ listing: CertificateListing, _ reading: inout Reading) {
    // The marks are taken first: a change during the load is noticed afterwards.
    reading.loaded = CertificateMarks(listing)
    let fresh = CertificateSet(listing, now: clock(), old: current.pairs)
    shown.withLock { $0 = fresh }
  }
}

extension CertificateSet {
  /// Loads every pair of a listing that can be used, and keeps the old ones of those that cannot.
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
        if key.isReadableByAll {
          warnings.append(
            "\(files.key): every user of this machine can read the key. Use chmod o= on it.")
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

  /// A file and a directory may have the same name, so that one is refused and the other is not.
  private static func kept(
    of old: [CertificatePair], refused: Set<String>, fresh: [CertificatePair]
  ) -> [CertificatePair] {
    let taken = Set(fresh.map(\.path))
    return old.filter { refused.contains($0.name) && !taken.contains($0.path) }
  }
}
