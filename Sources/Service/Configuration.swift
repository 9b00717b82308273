package import Checking
package import HTTP
package import Store

/// The configuration of a service. Each property is declared as a setting in `settings`, which
/// documents it.
package struct Configuration: Sendable, Equatable {
  package var database = DatabaseLocation.file("aasa.db")
  package var readOnly = false
  package var snapshot: String?
  package var spoolDirectory: String?
  package var adminURL: String?
  package var publicAddress = SocketAddress(host: "127.0.0.1", port: 8080)
  package var adminAddress = SocketAddress(host: "127.0.0.1", port: 8081)
  package var insecureAdmin = false
  package var trustedProxies: [AddressRange] = []
  package var adminUserHeader: String?
  package var adminGroupsHeader: String?
  package var adminHosts: [String] = []
  package var publicCertificates: String?
  package var adminCertificates: String?
  package var threads = 1
  package var clientPercent = 25
  package var maxBodyBytes = 8_388_608
  package var logFormat = Log.Format.text
  package var accessLog = 0
  package var drainSeconds = 8
  package var readyDelaySeconds = 0
  package var keepRevisions = 100
  package var keepRevisionsDays = 0
  package var keepAuditDays = 0
  package var checkHour = 3
  package var allowPrivateAddresses: [AddressRange] = []
  package var checkAuthorities: String?
  package var checkPlaces: [Fetcher.Place] = []
  package var checkProxy: String?
  package var checkInterval = 0
  package var checkConcurrency = 16
  package var keepCheckDays = 30
  package var appleCDN = Checker.Services().appleCDN
  package var googleDigitalAssetLinks = Checker.Services().googleDigitalAssetLinks
  package var googleKey: String?
  package var appleOverdueHours = 24

  package init() {}

  /// Invalid settings that prevent startup.
  package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
    /// All of them, at least one.
    package let faults: [Fault]

    /// What is wrong with a setting.
    package struct Fault: Sendable, Equatable {
      /// A sentence: what is wrong, where, and what is allowed.
      package let sentence: String
      /// Whether it is about the address of the database.
      package let isDatabaseAddress: Bool

      init(_ sentence: String, isDatabaseAddress: Bool = false) {
        (self.sentence, self.isDatabaseAddress) = (sentence, isDatabaseAddress)
      }
    }

    init(_ sentence: String) { faults = [Fault(sentence)] }

    private init(_ faults: [Fault]) { self.faults = faults }

    /// Throws unless there are no faults.
    static func check(_ faults: [Fault]) throws(Invalid) {
      if !faults.isEmpty { throw Invalid(faults) }
    }

    /// The sentences, one in each line.
    package var description: String { faults.map(\.sentence).joined(separator: "\n") }
  }
}

extension Setting {
  /// This is also an option of every command that works on a database.
  package static let database = Setting(
    "database", \.database, .database, .afterRestart,
    "The SQLite database file, whose directory must exist and be writable. Or a PostgreSQL database that "
      + "several servers share, as postgresql://USER@HOST/NAME or service=NAME; its password is best kept in "
      + "PGPASSWORD or ~/.pgpass.")
}

extension Setting {
  /// This is also an option of `aasa check`.
  package static let googleKey = Setting(
    "googleKey", \.googleKey, .secret, .atOnce,
    "A key for Google's Digital Asset Links API. Without one, Google answers only a few requests.")

  /// This is also an option of the commands that fetch from other machines.
  package static let checkProxy = Setting(
    "checkProxy", \.checkProxy, .proxy, .atOnce,
    "The HTTP proxy that webhooks and checks use for everything but IP addresses. The proxy, not aasa, decides "
      + "whether private addresses are allowed. Proxies in environment variables are not used.")
}

extension Configuration {
  /// All settings, in the order of help and documentation.
  package static let settings: [Setting] = [
    .database,
    Setting(
      "readOnly", \.readOnly, .flag, .afterRestart,
      "Write nothing to the database, which may be a PostgreSQL hot standby. Files are served and the JSON "
        + "API can be read; edits are refused, and the answer names servers that accept them."),
    Setting(
      "snapshot", \.snapshot, .file, .afterRestart,
      "A file in which the server keeps what it serves, so that it can start while its PostgreSQL database "
        + "cannot be reached. It is written at most once a minute and at shutdown."),
    Setting(
      "spoolDirectory", \.spoolDirectory, .directory, .afterRestart,
      "A directory for the temporary files of large apply requests, which are gone after each request. By default, "
        + "that of an SQLite database, or TMPDIR or /tmp beside PostgreSQL, which may be in memory."
    ),
    Setting(
      "publicAddress", \.publicAddress, .address, .afterRestart,
      "Where association files are served. 0.0.0.0 listens on every IPv4 address, [::] on every "
        + "IPv4 and IPv6 address. A systemd socket named \"public\" takes precedence."),
    Setting(
      "adminAddress", \.adminAddress, .address, .afterRestart,
      "Where the JSON API listens. An address that other machines can reach needs "
        + "adminCertificates or insecureAdmin. A systemd socket named \"admin\" takes precedence."),
    Setting(
      "adminURL", \.adminURL, .optionalURL, .afterRestart,
      "Where others reach this server's JSON API, for the list of servers on a database. By default, "
        + "adminAddress with the name of the machine if it listens on every address."),
    Setting(
      "insecureAdmin", \.insecureAdmin, .flag, .afterRestart,
      "Let other machines reach the JSON API over plain HTTP. Use it only on a private network: "
        + "anyone who reads a token in transit can change every file."),
    Setting(
      "trustedProxies", \.trustedProxies, .ranges, .atOnce,
      "Proxies whose X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto and Forwarded headers are trusted, as "
        + "IP addresses and ranges. The audit log shows the client behind them. From all other clients, these "
        + "headers are ignored. clientPercent does not limit proxies."),
    Setting(
      "adminUserHeader", \.adminUserHeader, .headerName, .atOnce,
      "The header in which trustedProxies name the user who sends a request to the JSON API, such as "
        + "X-Forwarded-User. The proxy must remove this header from what clients send. Add users with PUT "
        + "/v1/users/NAME."),
    Setting(
      "adminGroupsHeader", \.adminGroupsHeader, .headerName, .atOnce,
      "The header in which trustedProxies list the groups of that user, with commas between them, such as "
        + "X-Forwarded-Groups. The proxy must remove this header, too. Give groups roles with PUT /v1/groups/NAME."
    ),
    Setting(
      "adminHosts", \.adminHosts, .hosts, .atOnce,
      "The host names at which people open the dashboard through such a proxy. Requests to other hosts "
        + "that name a user are refused: a web page can send them with DNS rebinding. Required with adminUserHeader."
    ),
    Setting(
      "publicCertificates", \.publicCertificates, .directory, .betweenDirectories,
      "A directory of PEM certificates and keys. If set, association files are served over HTTPS, "
        + "and new certificates in the directory are used without a restart."),
    Setting(
      "adminCertificates", \.adminCertificates, .directory, .betweenDirectories,
      "A directory of PEM certificates and keys for the JSON API, which then speaks HTTPS."),
    Setting(
      "threads", \.threads, .number(1...64), .afterRestart,
      "Threads that serve association files. One is enough for most networks."),
    Setting(
      "clientPercent", \.clientPercent, .number(1...100), .afterRestart,
      "The share of a listener's connections that one client may use, in percent. A client is an "
        + "IPv4 address or an IPv6 /64 network. Beyond its share, each new connection closes the "
        + "client's longest idle one."),
    Setting(
      "maxBodyBytes", \.maxBodyBytes, .number(131_072...1_073_741_824), .afterRestart,
      "The largest request body that the JSON API accepts, in bytes. Endpoints other than apply "
        + "have lower limits."),
    Setting(
      "logFormat", \.logFormat, .logFormat, .atOnce,
      "The format of log lines on stderr: text for people, json for programs."),
    Setting(
      "accessLog", \.accessLog, .number(0...1_000_000_000), .atOnce,
      "Log one in N public requests; 0 turns the access log off."),
    Setting(
      "drainSeconds", \.drainSeconds, .number(0...3600), .atOnce,
      "How long a graceful shutdown waits for unfinished requests, in seconds."),
    Setting(
      "readyDelaySeconds", \.readyDelaySeconds, .number(0...3600), .atOnce,
      "How long /readyz fails before the server stops accepting connections, in seconds, so that "
        + "load balancers notice in time."),
    Setting(
      "keepRevisions", \.keepRevisions, .number(1...1_000_000_000), .atOnce,
      "How many of each domain's newest revisions are kept regardless of age."),
    Setting(
      "keepRevisionsDays", \.keepRevisionsDays, .number(0...100_000), .atOnce,
      "Delete older revisions, and deleted domains, after this many days; 0 keeps them forever."),
    Setting(
      "keepAuditDays", \.keepAuditDays, .number(0...100_000), .atOnce,
      "Delete audit records after this many days; 0 keeps them forever."),
    Setting(
      "checkHour", \.checkHour, .number(0...23), .atOnce,
      "The hour of the day, in local time, at which the database is checked for damage."),
    Setting(
      "allowPrivateAddresses", \.allowPrivateAddresses, .ranges, .atOnce,
      "Private, loopback and reserved addresses that the server may connect to, for webhooks and checks, as "
        + "IP addresses and ranges. By default, it connects only to public addresses."),
    Setting(
      "checkAuthorities", \.checkAuthorities, .file, .atOnce,
      "A PEM file of certificate authorities that webhooks and checks trust, besides those of the system."
    ),
    Setting(
      "checkInterval", \.checkInterval, .duration, .atOnce,
      "How often each domain is checked from outside, from 1m to 365d, such as 6h; 0 for never."),
    Setting(
      "checkConcurrency", \.checkConcurrency, .number(1...256), .atOnce,
      "How many domains are checked at a time."),
    Setting(
      "keepCheckDays", \.keepCheckDays, .number(0...100_000), .atOnce,
      "Delete the details of older checks after this many days; 0 keeps them forever. The times at "
        + "which a domain's result changed are always kept."),
    Setting(
      "checkPlaces", \.checkPlaces, .places, .atOnce,
      "Addresses that checks use for hosts instead of those in DNS, as HOST:ADDRESS or HOST:ADDRESS:PORT, "
        + "for split DNS; * stands for every host."),
    .checkProxy,
    Setting(
      "appleCDN", \.appleCDN, .url, .atOnce, "Where checks ask for Apple's copy of a file."),
    Setting(
      "googleDigitalAssetLinks", \.googleDigitalAssetLinks, .url, .atOnce,
      "Where checks ask whether Google knows that an Android app is linked."),
    .googleKey,
    Setting(
      "appleOverdueHours", \.appleOverdueHours, .number(0...8760), .atOnce,
      "After how many hours without a fetch of a changed file by Apple's CDN webhooks get the event "
        + "apple.overdue; 0 for never."),
  ]

  /// Copies from another configuration the settings that can change while a service runs. Returns
  /// the names of those that changed, and of those that take effect after a restart.
  package mutating func take(
    _ new: Configuration
  ) -> (applied: [String], needingRestart: [String]) {
    var difference: (applied: [String], needingRestart: [String]) = ([], [])
    for setting in Self.settings where setting.text(self) != setting.text(new) {
      if setting.canChange(from: self, to: new) {
        setting.copy(new, &self)
        difference.applied.append(setting.name)
      } else {
        difference.needingRestart.append(setting.name)
      }
    }
    return difference
  }
}
