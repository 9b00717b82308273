import Certificates
import FoundationEssentials
import JSONValue
import Synchronization

/// When a certificate in use expires.
struct CertificateExpiry: Sendable, Hashable {
  /// The setting whose directory it lies in: `publicCertificates` or `adminCertificates`.
  let setting: String
  /// The pair's name: that of its file or directory.
  let name: String
  /// The last second in which it is valid, since 1970.
  let notAfter: Int64
}

/// Keeps the certificates of both listeners the same as their directories, and tells when one is about
/// to expire.
final class CertificateWatch: Sendable {
  /// With which association files are served; nil for plain HTTP.
  let forFiles: CertificateDirectory?
  /// With which the API is served.
  let forAPI: CertificateDirectory?

  private let log: Log
  private let clock: @Sendable () -> Int64
  private let state: Mutex<State>

  private struct State {
    var nextLook = ContinuousClock.now
    /// What was told of each certificate, so that it is told once a day.
    var told: [CertificateExpiry: Int64] = [:]
  }

  /// How often files are looked at.
  private static let interval = Duration.seconds(2)
  private static let day: Int64 = 86_400
  /// How many days before the end somebody should have renewed a certificate.
  private static let warningDays: Int64 = 14

  /// - Throws: `CertificatesRefused` if no pair of a directory can be used.
  init(
    _ configuration: Configuration, log: Log,
    clock: @escaping @Sendable () -> Int64 = { Int64(Date.now.timeIntervalSince1970) }
  ) throws(CertificatesRefused) {
    self.log = log
    self.clock = clock
    state = Mutex(State())
    forFiles = try Self.open(configuration.publicCertificates, clock)
    forAPI = try Self.open(configuration.adminCertificates, clock)
    for directory in [forFiles, forAPI].compactMap(\.self) { tell(directory) }
  }

  private static func open(
    _ path: String?, _ clock: @escaping @Sendable () -> Int64
  ) throws(CertificatesRefused) -> CertificateDirectory? {
    guard let path else { return nil }
    return try CertificateDirectory(path, clock: clock)
  }

  /// Reads both directories again, where the settings now say that they are. What cannot be used is
  /// told, and what was in use goes on.
  func reload(_ configuration: Configuration) {
    for (directory, path) in [
      (forFiles, configuration.publicCertificates), (forAPI, configuration.adminCertificates),
    ] {
      guard let directory, let path else { continue }
      directory.reload(from: path)
      tellReading(of: directory)
    }
  }

  /// Looks for changes, and for certificates that expire. To be called a few times a second.
  func follow() {
    let isTime = state.withLock { state in
      guard ContinuousClock.now >= state.nextLook else { return false }
      state.nextLook = .now + Self.interval
      return true
    }
    guard isTime else { return }
    for directory in [forFiles, forAPI] {
      guard let directory, directory.reloadIfChanged() else { continue }
      tellReading(of: directory)
    }
    tellExpiries()
  }

  /// How many pairs of each directory are refused as they lie there now, by its setting.
  var refusals: [(setting: String, count: Int)] {
    directories.map { ($0.setting, $0.directory.current.faults.count) }
  }

  /// Every certificate in use.
  var expiries: [CertificateExpiry] {
    directories.flatMap { setting, directory in
      directory.current.pairs.map {
        CertificateExpiry(setting: setting, name: $0.name, notAfter: $0.notAfter)
      }
    }
  }

  private var directories: [(setting: String, directory: CertificateDirectory)] {
    [("publicCertificates", forFiles), ("adminCertificates", forAPI)].compactMap {
      setting, directory in directory.map { (setting, $0) }
    }
  }

  private func tellReading(of directory: CertificateDirectory) {
    log.write(
      .info, "Certificates were read again.",
      [
        "directory": .string(directory.path),
        "certificates": .number(String(directory.current.pairs.count)),
      ])
    tell(directory)
  }

  private func tell(_ directory: CertificateDirectory) {
    let set = directory.current
    for fault in set.faults {
      log.write(
        .error,
        "A pair of certificates is refused; the others are used, and so is what was there before: "
          + "\(fault)",
        ["directory": .string(directory.path)])
    }
    for warning in set.warnings { log.write(.warning, warning) }
  }

  private func tellExpiries() {
    let now = clock()
    let today = now / Self.day
    let current = expiries.filter { $0.notAfter - now < Self.warningDays * Self.day }
    let untold = state.withLock { state in
      let untold = current.filter { state.told[$0] != today }
      state.told = Dictionary(current.map { ($0, today) }, uniquingKeysWith: max)
      return untold
    }
    for expiry in untold { tell(expiry, now) }
  }

  private func tell(_ expiry: CertificateExpiry, _ now: Int64) {
    let hasExpired = expiry.notAfter < now
    log.write(
      hasExpired ? .error : .warning,
      hasExpired
        ? "A certificate has expired: clients refuse it. It is served for want of a better one."
        : "A certificate expires soon. Renew it.",
      [
        "setting": .string(expiry.setting), "certificate": .string(expiry.name),
        "notAfter": .string(CertificateTime(expiry.notAfter).description),
      ])
  }
}
