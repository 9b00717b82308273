import CMicroHTTPD
import Glibc

/// A request that is arriving. Used by the thread of its connection only.
final class RequestInProgress {
  private let target: [UInt8]
  private var method = Method("")
  private var version = ""
  private var peer = ""
  private var body: [UInt8] = []
  private var receivedBytes = 0
  private(set) var fields = Fields()
  private(set) var hasHead = false
  /// Why the handler does not get the request.
  private(set) var refusal: Refusal.Reason?
  /// Whether the answer is given without waiting for the body, which closes the connection.
  private(set) var isAnsweredEarly = false

  /// How many bytes over the limit are read, and dropped, for the client to be ready for the answer.
  private static let drainedBytes = 1_048_576

  init(target: UnsafePointer<CChar>) {
    self.target = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
  }

  /// Takes what came before the body.
  func takeHead(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, limits: Limits
  ) {
    hasHead = true
    self.method = Method(String(cString: method))
    self.version = String(cString: version)
    peer = peerAddress(of: connection)
    fields = headerFields(of: connection)
    let headBytes = aasa_head_size(connection)
    // The target lies between `url` and the space before the version; a NUL hides its rest.
    if version - url - 1 != target.count {
      refusal = .malformedTarget(.character)
    } else if headBytes > limits.headerBytes {
      refusal = .headerTooLarge(limit: limits.headerBytes)
    }
    let framing = BodyFraming(fields)
    if let problem = framing.problem { refusal = problem }
    if let length = framing.contentLength, length > UInt64(limits.bodyBytes), refusal == nil {
      refusal = .bodyTooLarge(limit: limits.bodyBytes)
    }
    let isLong = (framing.contentLength ?? 0) > UInt64(limits.bodyBytes + Self.drainedBytes)
    isAnsweredEarly =
      refusal != nil && framing.hasBody && (isLong || framing.isChunked || fields["Expect"] != nil)
      || framing.problem != nil
  }

  /// Takes a piece of the body; false if so much came that the connection has to be cut.
  func take(_ piece: UnsafeRawBufferPointer, limits: Limits) -> Bool {
    receivedBytes += piece.count
    if refusal == nil && receivedBytes > limits.bodyBytes {
      refusal = .bodyTooLarge(limit: limits.bodyBytes)
    }
    guard refusal == nil else {
      body = []
      return receivedBytes <= limits.bodyBytes + Self.drainedBytes
    }
    body.append(contentsOf: piece)
    return true
  }

  /// The request, with its whole body.
  func whole() throws(RequestTarget.Malformed) -> Request {
    Request(
      method: method, target: try RequestTarget(target), version: version, fields: fields,
      body: body, peer: peer)
  }
}
