/// A request that a listener does not hand to its handler, because it is not usable HTTP or goes
/// over a limit.
public struct Refusal: Sendable {
  /// What is wrong with the request.
  public enum Reason: Sendable, Equatable {
    /// The target cannot be split or decoded. To be answered 400.
    case malformedTarget(RequestTarget.Malformed)
    /// The header contradicts itself or RFC 9112: the reason, as a sentence. To be answered 400.
    case malformedHeader(String)
    /// A transfer coding other than `chunked` (RFC 9112 section 6.1). To be answered 501.
    case unknownTransferCoding
    /// The body is larger than the limit, in bytes. To be answered 413.
    case bodyTooLarge(limit: Int)
    /// The header is larger than the limit, in bytes. To be answered 431.
    case headerTooLarge(limit: Int)
  }

  /// What is wrong with the request.
  public let reason: Reason
  /// The request's header, to find for example its identifier in.
  public let fields: Fields

  /// The status that fits the reason.
  public var status: Status {
    switch reason {
    case .malformedTarget, .malformedHeader: .badRequest
    case .unknownTransferCoding: .notImplemented
    case .bodyTooLarge: .contentTooLarge
    case .headerTooLarge: .requestHeaderFieldsTooLarge
    }
  }
}
