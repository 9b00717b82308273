/// What a listener allows, so that no client takes all of it.
public struct Limits: Sendable {
  /// Open connections at the same time. Further ones wait in the kernel's queue.
  public var connections: Int
  /// Seconds without a byte after which a connection is closed.
  public var idleSeconds: Int
  /// Seconds from a connection's begin, or the end of an answer, within which the next request's
  /// header must have arrived, though a byte comes now and then. When most connections are taken it
  /// is a tenth, counted anew for an answer.
  public var headerSeconds: Int
  /// Seconds that a body, and then the answer, may take on the way. What the handler takes does not
  /// count. Not for listeners whose requests have no bodies: there an answer has `headerSeconds`.
  public var bodySeconds: Int
  /// The largest header (request line and fields), in bytes.
  public var headerBytes: Int
  /// The largest body, in bytes.
  public var bodyBytes: Int

  /// Limits; the defaults fit a JSON API.
  public init(
    connections: Int = 256, idleSeconds: Int = 30, headerSeconds: Int = 60,
    bodySeconds: Int = 300, headerBytes: Int = 16_384, bodyBytes: Int = 8_388_608
  ) {
    self.connections = connections
    self.idleSeconds = idleSeconds
    self.headerSeconds = headerSeconds
    self.bodySeconds = bodySeconds
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
  }
}
