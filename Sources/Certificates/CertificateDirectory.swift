import Synchronization

/// A directory of pairs, and the set of them that is in use. Reading it again swaps the whole set at
/// once; connections keep the set that they began with.
public final class CertificateDirectory: Sendable {
  /// Where the pairs lie.
  public let path: String

  private let clock: @Sendable () -> Int64
  private let shown: Mutex<CertificateSet>
  private let reading: Mutex<Reading>

  /// What the files looked like.
  private struct Reading {
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
  /// - Throws: `CertificatesRefused`.
  public init(
    _ path: String, clock: @escaping @Sendable () -> Int64
  ) throws(CertificatesRefused) {
    self.path = path
    self.clock = clock
    let listing = CertificateListing(directory: path)
    let marks = CertificateMarks(listing)
    shown = Mutex(try CertificateSet(listing, now: clock(), inUse: []))
    reading = Mutex(Reading(loaded: marks, seen: marks))
  }

  /// The set that new connections get.
  public var current: CertificateSet { shown.withLock { $0 } }

  /// Reads the directory again. A set with any fault is refused as a whole, and the old one goes on.
  /// A certificate that has expired while it was in use is no fault: there is nothing better.
  ///
  /// - Throws: `CertificatesRefused`.
  public func reload() throws(CertificatesRefused) {
    try reading.withLock { reading throws(CertificatesRefused) in
      try load(CertificateListing(directory: path), &reading)
    }
  }

  /// Does what `reload` does if files have changed and have stayed the same since the last call: who
  /// renews a certificate writes its two files one after the other. To be called every few seconds.
  ///
  /// - Returns: Whether a new set is in use.
  /// - Throws: `CertificatesRefused`, once for each state of the files.
  public func reloadIfChanged() throws(CertificatesRefused) -> Bool {
    try reading.withLock { reading throws(CertificatesRefused) in
      let listing = CertificateListing(directory: path)
      let marks = CertificateMarks(listing)
      let isSettled = marks == reading.seen
      reading.seen = marks
      guard isSettled, marks != reading.loaded else { return false }
      try load(listing, &reading)
      return true
    }
  }

  private func load(
    _ listing: CertificateListing, _ reading: inout Reading
  ) throws(CertificatesRefused) {
    // The marks are taken first: a change during the load is noticed afterwards.
    reading.loaded = CertificateMarks(listing)
    let fresh = try CertificateSet(listing, now: clock(), inUse: current.pairs)
    shown.withLock { $0 = fresh }
  }
}

extension CertificateSet {
  /// Loads every pair of a listing.
  fileprivate convenience init(
    _ listing: CertificateListing, now: Int64, inUse: [CertificatePair]
  ) throws(CertificatesRefused) {
    let known = Set(inUse.map(\.fingerprint))
    var faults = listing.faults
    var pairs: [CertificatePair] = []
    var warnings: [String] = []
    for files in listing.pairs {
      do throws(CertificateFault) {
        let key = try FileContents(files.key)
        pairs.append(
          try CertificatePair(
            files, certificate: try FileContents(files.certificate), key: key, now: now,
            isAccepted: known.contains))
        if key.isReadableByAll {
          warnings.append(
            "\(files.key): every user of this machine can read the key. Use chmod o= on it.")
        }
      } catch {
        faults.append(error)
      }
    }
    if !faults.isEmpty { throw CertificatesRefused(faults: faults) }
    self.init(pairs, warnings: warnings)
  }
}
