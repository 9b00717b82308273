import CMicroHTTPD
import Glibc

/// Answers complete requests with handlers that may block, on a thread per connection.
final class BlockingHandler: RequestSteps {
  let answerMilliseconds: Int64
  private let limits: Limits
  private let inFlight: RequestsInFlight
  private let screen: @Sendable (RequestHead) -> Response?
  private let refuse: @Sendable (Refusal) -> Response
  private let answer: @Sendable (Request) -> Response

  init(
    limits: Limits, inFlight: RequestsInFlight,
    screen: @escaping @Sendable (RequestHead) -> Response?,
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) {
    answerMilliseconds = Int64(limits.bodySeconds) * 1000
    self.limits = limits
    self.inFlight = inFlight
    self.screen = screen
    self.refuse = refuse
    self.answer = answer
  }

  func takeTarget(
    _ target: UnsafePointer<CChar>, on connection: OpaquePointer, _ state: OpenConnection
  ) -> RequestStage {
    state.incoming = IncomingRequest(target: target, limits: limits)
    return .target
  }

  func takeHead(_ request: ArrivingRequest) -> RequestStage {
    guard let incoming = request.state.incoming else { return .answeredEarly }
    incoming.takeHead(request, screen: screen)
    return incoming.isAnsweredEarly ? .answeredEarly : .head
  }

  func takeBody(_ piece: UnsafeRawBufferPointer, of request: ArrivingRequest) -> Bool {
    guard let incoming = request.state.incoming else { return false }
    if incoming.takeBody(piece) { return true }
    sendLast(response(to: incoming).lastBytes, on: request.connection)
    return false
  }

  /// Answers. The handler's time is not charged to the client's deadline.
  func answer(_ request: ArrivingRequest) -> MHD_Result {
    guard let incoming = request.state.incoming else { return .NO }
    request.state.allow(nil)
    var response = response(to: incoming)
    if request.state.isSpare { response.fields.set(Field("Connection", "close")) }
    request.state.allow(answerMilliseconds)
    do throws(PreparedResponse.Failure) {
      return try PreparedResponse(response).queue(on: request.connection)
    } catch {
      // A response that cannot be sent as it is must not be sent in part.
      do throws(PreparedResponse.Failure) {
        return try PreparedResponse(Response(.internalServerError)).queue(on: request.connection)
      } catch {
        return .NO
      }
    }
  }

  func end(on connection: OpaquePointer, _ state: OpenConnection) {
    state.incoming = nil
  }

  /// The answer to a request that has arrived as far as it is read.
  private func response(to incoming: IncomingRequest) -> Response {
    var response =
      switch incoming.verdict {
      case .wanted(let head): answer(incoming.whole(head))
      case .refused(let reason): refuse(Refusal(reason: reason, fields: incoming.fields))
      case .screened(let response): response
      }
    if inFlight.isDraining { response.fields.set(Field("Connection", "close")) }
    return response
  }
}

/// A request that is arriving. Used only by its connection's thread.
final class IncomingRequest {
  /// What to do with a request, given what has arrived.
  enum Verdict {
    /// The handler gets it when its body has arrived.
    case wanted(RequestHead)
    case refused(Refusal.Reason)
    /// Answered without its body.
    case screened(Response)
  }

  private(set) var verdict = Verdict.refused(.malformedTarget(.form))
  private(set) var fields = Fields()
  /// Whether the answer is given without reading the whole body, which closes the connection.
  private(set) var isAnsweredEarly = false
  private let rawTarget: [UInt8]
  private let limits: Limits
  private var version = ""
  private var body: [UInt8] = []
  private var receivedBytes = 0

  /// How much of an unwanted body is read and dropped, so that the client reads the answer.
  private static let drainedBytes = 1_048_576

  init(target: UnsafePointer<CChar>, limits: Limits) {
    rawTarget = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    self.limits = limits
  }

  /// The request with its complete body.
  func whole(_ head: RequestHead) -> Request {
    Request(
      method: head.method, target: head.target, version: version, fields: fields, body: body,
      peer: head.peer)
  }

  /// The maximum number of body bytes to read, kept or not, before cutting the connection.
  private var readBytes: Int {
    if case .screened = verdict { Self.drainedBytes } else { limits.bodyBytes + Self.drainedBytes }
  }

  private var isWanted: Bool { if case .wanted = verdict { true } else { false } }

  /// Takes the header. If a body follows, `screen` may answer without it.
  func takeHead(_ request: ArrivingRequest, screen: (RequestHead) -> Response?) {
    version = String(cString: request.version)
    forEachField(of: request.connection) { name, value in
      fields.append(Field(text(name), text(value)))
      return true
    }
    let framing = BodyFraming(fields)
    verdict = verdict(on: request, framing)
    if framing.hasBody, case .wanted(let head) = verdict, let response = screen(head) {
      verdict = .screened(response)
    }
    let isLong = framing.contentLength ?? 0 > UInt64(readBytes)
    isAnsweredEarly =
      !isWanted && framing.hasBody && (isLong || framing.isChunked || fields["Expect"] != nil)
      || framing.problem != nil
  }

  private func verdict(on request: ArrivingRequest, _ framing: BodyFraming) -> Verdict {
    if let problem = framing.problem { return .refused(problem) }
    if request.hidesTarget(ofBytes: rawTarget.count) {
      return .refused(.malformedTarget(.character))
    }
    do throws(RequestTarget.Malformed) {
      let head = RequestHead(
        method: Method(String(cString: request.method)), target: try RequestTarget(rawTarget),
        fields: fields, peer: peerAddress(of: request.connection)?.description ?? "")
      if aasa_head_size(request.connection) > limits.headerBytes {
        return .refused(.headerTooLarge(limit: limits.headerBytes))
      }
      if request.state.isSpare && !limits.probes.contains(head.target.path) {
        return .refused(.tooManyConnections)
      }
      if framing.contentLength ?? 0 > UInt64(limits.bodyBytes) {
        return .refused(.bodyTooLarge(limit: limits.bodyBytes))
      }
      return .wanted(head)
    } catch {
      return .refused(.malformedTarget(error))
    }
  }

  /// Takes a piece of the body; false if it is too large and the connection must be cut.
  func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
    receivedBytes += piece.count
    if isWanted {
      if receivedBytes <= limits.bodyBytes {
        body.append(contentsOf: piece)
        return true
      }
      verdict = .refused(.bodyTooLarge(limit: limits.bodyBytes))
    }
    body = []
    return receivedBytes <= readBytes
  }
}

/// The bytes as UTF-8, or else as ISO 8859-1, in which every byte is a character.
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(validating: bytes, as: UTF8.self)
    ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
}
