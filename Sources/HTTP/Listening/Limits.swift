import Glibc

/// Limits for clients of a listener, so that none of them exhausts it.
package struct Limits: Sendable {
  /// The maximum number of open connections. A further one takes the place of the one that has been
  /// idle longest.
  package var connections: Int
  /// The percentage of them that one client may have: an IPv4 address, or an IPv6 network of 64
  /// bits.
  package var clientPercent = 25
  /// Paths that a listener with a thread per connection also answers where all connections are
  /// taken by requests that are being answered.
  package var probes: Set<String> = []
  /// Seconds without a byte after which a connection is closed.
  package var idleSeconds: Int
  /// Seconds from the start of a connection, or the end of an answer, to the end of the next
  /// request's header, even if bytes keep arriving slowly. Each answer restarts the time.
  package var headerSeconds: Int
  /// Seconds to receive each megabyte of a body, or the rest of it.
  package var bodySeconds: Int
  /// Seconds to send the answer, without the handler's time. Listeners with prepared responses use
  /// `headerSeconds`.
  package var answerSeconds: Int
  /// The largest header (request line and fields), in bytes.
  package var headerBytes: Int
  /// The largest body, in bytes.
  package var bodyBytes: Int
  /// How much of each body is always taken, in bytes. The limits below are for what is beyond it.
  package var smallBodyBytes = Self.smallBody
  /// Enough for a few values, in bytes.
  package static let smallBody = 65_536
  /// The bodies of one token that may be arriving or being handled, in bytes. A client may have twice as
  /// many, all together three times as many: so one token leaves room for the others of its client, and one
  /// client for other clients.
  package var bodyShareBytes: Int

  /// Limits; the defaults fit a JSON API.
  package init(
    connections: Int = 256, idleSeconds: Int = 30, headerSeconds: Int = 60,
    bodySeconds: Int = 60, answerSeconds: Int = 300, headerBytes: Int = 16_384,
    bodyBytes: Int = 8_388_608
  ) {
    self.connections = connections
    self.idleSeconds = idleSeconds
    self.headerSeconds = headerSeconds
    self.bodySeconds = bodySeconds
    self.answerSeconds = answerSeconds
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    bodyShareBytes = max(16_777_216, bodyBytes)
  }
}

/// How the process divides its file descriptors. The rest is for the database, the API's
/// connections and the log.
enum OpenFiles {
  /// The number of descriptors that the process may open.
  private static var limit: Int {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Documents that are files in memory, and their responses.
  static var forDocuments: Int { limit / 4 }

  /// Connections of the public listener.
  static var forConnections: Int { max(limit / 4, limit / 4 * 3 - 512) }
}
