public import Association
public import HTTP

/// What the API tells about itself, for a log. No token and no body is in it.
public enum AdminEvent: Sendable {
  /// A request was answered.
  case answered(AnsweredRequest)
  /// Something failed that clients are not told about.
  case failed(requestID: String, detail: String)
}

/// A request and how it was answered.
public struct AnsweredRequest: Sendable {
  /// What the request is called, in its answer too (`X-Request-Id`).
  public let id: String
  /// The method; empty for a request that could not be read.
  public let method: String
  /// The path as the client wrote it, without its query; empty for a request that could not be read.
  public let path: String
  /// The name that a proxy asks for (`/tls/ask`); nil for any other request.
  public let domain: DomainName?
  /// How it was answered.
  public let status: Status
  /// How long the answer took to make.
  public let duration: Duration
  /// The name of the token that it came with; nil without one that is known.
  public let token: String?
  /// The client's address; empty if it is not known.
  public let peer: String
}
