/// A request that has arrived as a whole.
public struct Request: Sendable {
  /// The method.
  public let method: Method
  /// The target, split and decoded.
  public let target: RequestTarget
  /// The protocol as written: `HTTP/1.1` or `HTTP/1.0`.
  public let version: String
  /// The header.
  public let fields: Fields
  /// The content, with a chunked coding taken off; empty without one.
  public let body: [UInt8]
  /// The client's address without its port, such as `192.0.2.7`; a proxy's, behind a proxy.
  public let peer: String

  /// A request with all of its parts.
  public init(
    method: Method, target: RequestTarget, version: String = "HTTP/1.1", fields: Fields = [],
    body: [UInt8] = [], peer: String = "127.0.0.1"
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.body = body
    self.peer = peer
  }
}
