/// The pairs of a directory as they were at one time. It never changes.
public final class CertificateSet: Sendable {
  /// The name of the pair for clients that name no host, or one that no pair is for.
  static let defaultName = "default"

  /// Every pair, in the order of the names.
  public let pairs: [CertificatePair]
  /// What is wrong with the pairs of the directory that are not in use as they lie there, in the
  /// order of the files' names.
  public let faults: [CertificateFault]
  /// What should be put right, and keeps nothing from working: a sentence each.
  public let warnings: [String]

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

  /// The pair for the host that a client named (RFC 6066 section 3), or for one that named none: that
  /// of the exact name, else of the wildcard above its first label (RFC 9525 section 6.3), else the
  /// default. Of several for the same name, the one that expires last. Nil: the client is refused.
  public func pair(for host: String?) -> CertificatePair? {
    guard let host = host?.lowercased() else { return fallback }
    if let pair = byHost[host] { return pair }
    let rest = host.drop { $0 != "." }
    return rest.isEmpty || rest.count == host.count ? fallback : byHost["*" + rest] ?? fallback
  }
}
