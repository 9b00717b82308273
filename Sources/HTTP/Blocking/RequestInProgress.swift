import CMicroHTTPD
import Glibc

/// A request that is arriving. Used by the thread of its connection only.
final class RequestInProgress {
  /// What is to be done with a request.
  enum Verdict {
    case whole(Request)
    /// The handler does not get it.
    case refused(Refusal.Reason)
    /// Its head has been answered.
    case screened(Response)
  }

  private let rawTarget: [UInt8]
  private var head: RequestHead?
  private var version = ""
  private var body: [UInt8] = []
  private var receivedBytes = 0
  private var refusal: Refusal.Reason?
  private var screened: Response?
  /// How many bytes of a body are kept or, without being kept, read, before the connection is cut.
  private var readBytes = 0
  private(set) var fields = Fields()
  private(set) var hasHead = false
  /// Whether the answer is given without reading the whole body, which closes the connection.
  private(set) var isAnsweredEarly = false

  /// How many bytes that nobody wants are read, and dropped, for the client to be ready for the answer.
  private static let drainedBytes = 1_048_576

  init(target: UnsafePointer<CChar>) {
    rawTarget = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
  }

  var verdict: Verdict {
    if let refusal { return .refused(refusal) }
    if let screened { return .screened(screened) }
    guard let head else { return .refused(.malformedTarget(.form)) }
    return .whole(
      Request(
        method: head.method, target: head.target, version: version, fields: fields, body: body,
        peer: head.peer))
  }

  /// Takes what came before the body. Where a body follows, `screen` may answer without it.
  func takeHead(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, limits: Limits, screen: (RequestHead) -> Response?
  ) {
    hasHead = true
    self.version = String(cString: version)
    fields = headerFields(of: connection)
    let framing = BodyFraming(fields)
    do throws(RequestTarget.Malformed) {
      head = RequestHead(
        method: Method(String(cString: method)), target: try RequestTarget(rawTarget),
        fields: fields, peer: peerAddress(of: connection)?.description ?? "")
    } catch {
      refusal = .malformedTarget(error)
    }
    // The target lies between `url` and the space before the version; a NUL hides its rest.
    if version - url - 1 != rawTarget.count { refusal = .malformedTarget(.character) }
    checkLimits(limits, headBytes: aasa_head_size(connection), framing)
    if framing.hasBody, refusal == nil, let head { screened = screen(head) }
    let isUnwanted = refusal != nil || screened != nil
    readBytes = (screened == nil ? limits.bodyBytes : 0) + Self.drainedBytes
    let isLong = (framing.contentLength ?? 0) > UInt64(readBytes)
    isAnsweredEarly =
      isUnwanted && framing.hasBody && (isLong || framing.isChunked || fields["Expect"] != nil)
      || framing.problem != nil
  }

  private func checkLimits(_ limits: Limits, headBytes: Int, _ framing: BodyFraming) {
    if headBytes > limits.headerBytes && refusal == nil {
      refusal = .headerTooLarge(limit: limits.headerBytes)
    }
    if let problem = framing.problem { refusal = problem }
    if let length = framing.contentLength, length > UInt64(limits.bodyBytes), refusal == nil {
      refusal = .bodyTooLarge(limit: limits.bodyBytes)
    }
  }

  /// Takes a piece of the body; false if so much came that the connection has to be cut.
  func take(_ piece: UnsafeRawBufferPointer, limits: Limits) -> Bool {
    receivedBytes += piece.count
    if refusal == nil && screened == nil && receivedBytes > limits.bodyBytes {
      refusal = .bodyTooLarge(limit: limits.bodyBytes)
    }
    guard refusal == nil && screened == nil else {
      body = []
      isAnsweredEarly = receivedBytes > readBytes
      return !isAnsweredEarly
    }
    body.append(contentsOf: piece)
    return true
  }
}
