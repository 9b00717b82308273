/// What comes before a request's body.
public struct RequestHead: Sendable {
  /// The method.
  public let method: Method
  /// The target, split and decoded.
  public let target: RequestTarget
  /// The fields.
  public let fields: Fields
  /// The client's address without its port, such as `192.0.2.7`; a proxy's, behind a proxy.
  public let peer: String
}

extension Request {
  /// What came before the body.
  public var head: RequestHead {
    RequestHead(method: method, target: target, fields: fields, peer: peer)
  }
}
