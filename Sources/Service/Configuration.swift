public import HTTP

/// How a service is set up.
public struct Configuration: Sendable, Equatable {
  /// The database file.
  public var database = "aasa.db"
  /// Where association files are served.
  public var publicAddress = SocketAddress(host: "127.0.0.1", port: 8080)
  /// Where the JSON API is.
  public var adminAddress = SocketAddress(host: "127.0.0.1", port: 8081)
  /// Whether the JSON API may be reached from other machines without TLS.
  public var insecureAdmin = false
  /// The proxies whose word on the host of a request counts.
  public var trustedProxies: [AddressRange] = []
  /// The directory of the certificates with which association files are served over HTTPS; nil for
  /// plain HTTP.
  public var publicCertificates: String?
  /// The same for the JSON API.
  public var adminCertificates: String?
  /// How many threads serve association files.
  public var threads = 1
  /// The largest body that the JSON API takes, in bytes.
  public var maxBodyBytes = 8_388_608
  /// What a line of the log looks like.
  public var logFormat = Log.Format.text
  /// Every how many public requests one is logged: 0 for none, 1 for each.
  public var accessLog = 0
  /// How long requests that have begun may take to end when the service ends, in seconds.
  public var drainSeconds = 8
  /// How long `/readyz` says no before the listeners take no further connections, in seconds.
  public var readyDelaySeconds = 0
  /// How many of the newest revisions of a domain are kept whatever their age.
  public var keepRevisions = 100
  /// After how many days older revisions may be deleted; 0 for never.
  public var keepRevisionsDays = 0
  /// After how many days rows of the audit may be deleted; 0 for never.
  public var keepAuditDays = 0

  /// The defaults.
  public init() {}

  /// A value that is not what it has to be.
  public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, where, and what is allowed.
    public let description: String
  }
}
