import Association
import HTTP
import Store
import Synchronization

/// When a certificate in use expires.
struct CertificateExpiry: Sendable, Hashable {
  /// The setting of its directory: `publicCertificates` or `adminCertificates`.
  let setting: String
  /// The name of the pair's file or directory.
  let name: String
  /// The last second in which it is valid.
  let notAfter: UnixTime
}

/// Follows changes in the certificate directories of both listeners, and warns before a certificate
/// expires.
final class CertificateReloader: Sendable {
  /// For association files; nil for plain HTTP.
  let forFiles: CertificateDirectory?
  /// For the JSON API; nil for plain HTTP.
  let forAPI: CertificateDirectory?

  private let log: Log
  private let state: Mutex<State>

  private struct State {
    var nextCheck = ContinuousClock.now
    /// The last day on which the log warned about a certificate.
    var warnedOn: [CertificateExpiry: Int64] = [:]
  }

  private static let interval = Duration.seconds(2)
  private static let day: Int64 = 86_400
  private static let warningDays: Int64 = 14

  /// - Throws: `CertificatesRefused` if a directory has no valid pair.
  init(_ configuration: Configuration, log: Log) throws(CertificatesRefused) {
    self.log = log
    state = Mutex(State())
    forFiles = try Self.open(configuration.publicCertificates)
    forAPI = try Self.open(configuration.adminCertificates)
    for (_, directory) in directories { report(directory) }
  }

  private static func open(
    _ path: String?
  ) throws(CertificatesRefused) -> CertificateDirectory? {
    guard let path else { return nil }
    return try CertificateDirectory(path) { UnixTime.now.seconds }
  }

  /// Reloads both directories, from the paths in the current settings. Invalid pairs are logged,
  /// and the pairs in use stay in use.
  func reload(_ configuration: Configuration) {
    for (directory, path) in [
      (forFiles, configuration.publicCertificates), (forAPI, configuration.adminCertificates),
    ] {
      guard let directory, let path else { continue }
      directory.reload(from: path)
      reportReload(of: directory)
    }
  }

  /// Looks for changed files and for certificates that expire soon. Call it a few times a second.
  func follow() {
    let isDue = state.withLock { state in
      guard ContinuousClock.now >= state.nextCheck else { return false }
      state.nextCheck = .now + Self.interval
      return true
    }
    guard isDue else { return }
    for (_, directory) in directories where directory.reloadIfChanged() {
      reportReload(of: directory)
    }
    warnOfExpiry()
  }

  /// Every certificate in use.
  private var expiries: [CertificateExpiry] {
    directories.flatMap { setting, directory in
      directory.current.pairs.map {
        CertificateExpiry(setting: setting, name: $0.name, notAfter: UnixTime($0.notAfter))
      }
    }
  }

  var families: [MetricFamily] {
    [
      .gauge(
        "aasa_certificate_not_after_timestamp_seconds",
        "When a certificate expires, by the setting of its directory and by its name.",
        expiries.map {
          (key: ["setting": $0.setting, "name": $0.name], value: Double($0.notAfter.seconds))
        }),
      .gauge(
        "aasa_certificates_refused",
        "Invalid certificate/key pairs, by the setting of their directory.",
        directories.map {
          (key: ["setting": $0.setting], value: Double($0.directory.current.faults.count))
        }),
    ]
  }

  private var directories: [(setting: String, directory: CertificateDirectory)] {
    [("publicCertificates", forFiles), ("adminCertificates", forAPI)].compactMap {
      setting, directory in directory.map { (setting, $0) }
    }
  }

  private func reportReload(of directory: CertificateDirectory) {
    log.write(
      .info, "Reloaded certificates.",
      [
        "directory": .string(directory.path),
        "certificates": .number(String(directory.current.pairs.count)),
      ])
    report(directory)
  }

  private func report(_ directory: CertificateDirectory) {
    let set = directory.current
    for fault in set.faults {
      log.write(
        .error,
        "Ignored an invalid certificate/key pair; pairs in use stay in use. \(fault)",
        ["directory": .string(directory.path)])
    }
    for warning in set.warnings { log.write(.warning, warning) }
  }

  private func warnOfExpiry() {
    let now = UnixTime.now
    let today = now.seconds / Self.day
    let current = expiries.filter { $0.notAfter.seconds(since: now) < Self.warningDays * Self.day }
    let due = state.withLock { state in
      let due = current.filter { state.warnedOn[$0] != today }
      state.warnedOn = Dictionary(current.map { ($0, today) }, uniquingKeysWith: max)
      return due
    }
    for expiry in due { warn(expiry, now) }
  }

  private func warn(_ expiry: CertificateExpiry, _ now: UnixTime) {
    let hasExpired = expiry.notAfter < now
    log.write(
      hasExpired ? .error : .warning,
      hasExpired
        ? "A certificate has expired, and clients refuse it. "
          + "Still serving it: no other certificate covers these names."
        : "A certificate expires soon. Renew it.",
      [
        "setting": .string(expiry.setting), "certificate": .string(expiry.name),
        "notAfter": .time(expiry.notAfter),
      ])
  }
}
