/// A complete request.
package struct Request: Sendable {
  package let method: Method
  /// The target, split and decoded.
  package let target: RequestTarget
  /// The protocol as written: `HTTP/1.1` or `HTTP/1.0`.
  package let version: String
  package let fields: Fields
  /// The content, without chunked coding; empty if there is none.
  package let body: [UInt8]
  /// The content, if it was received into a spool; `body` is empty then.
  package let spool: Spool?
  /// The client's address without its port, such as `192.0.2.7`; a proxy's, behind a proxy.
  package let peer: String
  /// Whether the client has reset or closed the connection, so that nobody will read the answer. A
  /// client that has only ended its sending is still there. For the handler, while it works.
  package let clientHasGone: @Sendable () -> Bool

  /// A request with all of its parts.
  package init(
    method: Method, target: RequestTarget, version: String = "HTTP/1.1", fields: Fields = [],
    body: [UInt8] = [], spool: Spool? = nil, peer: String = "127.0.0.1",
    clientHasGone: @escaping @Sendable () -> Bool = { false }
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.body = body
    self.spool = spool
    self.peer = peer
    self.clientHasGone = clientHasGone
  }
}

/// The part of a request before its body.
package struct RequestHead: Sendable {
  package let method: Method
  /// The target, split and decoded.
  package let target: RequestTarget
  package let fields: Fields
  /// The client's address without its port, such as `192.0.2.7`; a proxy's, behind a proxy.
  package let peer: String
}

extension Request {
  /// The part before the body.
  package var head: RequestHead {
    RequestHead(method: method, target: target, fields: fields, peer: peer)
  }
}

/// A request that a listener refuses, because it is malformed or exceeds a limit.
package struct Refusal: Sendable {
  /// What is wrong with the request.
  package enum Reason: Sendable, Equatable {
    /// The target cannot be split or decoded: 400.
    case malformedTarget(RequestTarget.Malformed)
    /// The header contradicts itself or RFC 9112; the reason as a sentence: 400.
    case malformedHeader(String)
    /// A transfer coding other than `chunked` (RFC 9112 section 6.1): 501.
    case unknownTransferCoding
    /// The body is larger than the limit, in bytes: 413.
    case bodyTooLarge(limit: Int)
    /// The bodies of all requests together, or those of the client or the token, are larger than the limit, in
    /// bytes: 503.
    case tooManyBodies(limit: Int, isShare: Bool)
    /// The disk has no room for the body: 507.
    case noRoom
    /// The body cannot be written to a file: 503.
    case spoolFailed
    /// The header is larger than the limit, in bytes: 431.
    case headerTooLarge(limit: Int)
    /// All connections, or those of the client, are taken by requests that are being answered: 503.
    case tooManyConnections
  }

  /// What is wrong with the request.
  package let reason: Reason
  /// The request's header, for example for its ID.
  package let fields: Fields
  /// The part before the body, unless that is malformed.
  package let head: RequestHead?

  /// What is wrong with a header that is not built as RFC 9112 says.
  package static let malformedHeaderDetail =
    "The header is malformed: a line is folded or has no CRLF, a name or the method is not a token, or "
    + "it has a bare CR, a NUL or extra white space."

  /// The status that fits the reason.
  package var status: Status {
    switch reason {
    case .malformedTarget, .malformedHeader: .badRequest
    case .unknownTransferCoding: .notImplemented
    case .bodyTooLarge: .contentTooLarge
    case .tooManyBodies, .spoolFailed: .serviceUnavailable
    case .noRoom: .insufficientStorage
    case .headerTooLarge: .requestHeaderFieldsTooLarge
    case .tooManyConnections: .serviceUnavailable
    }
  }
}

/// A request method (RFC 9110 section 9), compared with case.
package struct Method: Sendable, Hashable, CustomStringConvertible {
  /// The method as the client wrote it.
  package let name: String

  /// A method of any name.
  package init(_ name: String) { self.name = name }

  package static let get = Method("GET")
  package static let head = Method("HEAD")
  package static let post = Method("POST")
  package static let put = Method("PUT")
  package static let patch = Method("PATCH")
  package static let delete = Method("DELETE")
  package static let options = Method("OPTIONS")

  package var description: String { name }
}
