import CMicroHTTPD
import Glibc
import Synchronization

/// Answers complete requests with handlers that may block, on a thread per connection.
final class BlockingHandler: RequestSteps {
  let bodyMilliseconds: Int64
  private let answerMilliseconds: Int64
  fileprivate let limits: Limits
  private let inFlight: RequestsInFlight
  let heldBodies: BodyMemory
  private let screen: @Sendable (RequestHead) -> Screening
  private let refuse: @Sendable (Refusal) -> Response
  private let answer: @Sendable (Request) -> Response

  init(
    limits: Limits, inFlight: RequestsInFlight,
    screen: @escaping @Sendable (RequestHead) -> Screening,
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) {
    bodyMilliseconds = Int64(limits.bodySeconds) * 1000
    answerMilliseconds = Int64(limits.answerSeconds) * 1000
    heldBodies = BodyMemory(limits)
    self.limits = limits
    self.inFlight = inFlight
    self.screen = screen
    self.refuse = refuse
    self.answer = answer
  }

  func takeTarget(
    _ target: UnsafePointer<CChar>, on connection: OpaquePointer, _ state: OpenConnection
  ) -> RequestStage {
    state.incoming = IncomingRequest(target: target, of: self)
    aasa_take_errors(connection) { connection, status in
      guard let state = OpenConnection.of(connection) else { return }
      // Sound: the state lives as long as its connection, whose thread this is.
      state._withUnsafeGuaranteedRef {
        $0.incoming?.handler.answerError(status, on: connection, $0)
      }
    }
    return .target
  }

  func takeHead(_ request: ArrivingRequest) -> RequestStage {
    guard let incoming = request.state.incoming else { return .answeredEarly }
    incoming.takeHead(request, screen: screen)
    return incoming.isAnsweredEarly ? .answeredEarly : .head
  }

  func takeBody(_ piece: UnsafeRawBufferPointer, of request: ArrivingRequest) -> Bool {
    guard let incoming = request.state.incoming else { return false }
    guard let reason = incoming.takeBody(piece, of: request) else { return true }
    sendLast(refuse(incoming.refusal(for: reason)).lastBytes, on: request.connection)
    return false
  }

  /// Answers instead of libmicrohttpd, which has found an error in a request.
  fileprivate func answerError(
    _ status: UInt32, on connection: OpaquePointer, _ state: OpenConnection
  ) {
    let reason: Refusal.Reason
    switch status {
    case 400: reason = .malformedHeader("The header or the coding of the body is malformed.")
    case 413: reason = .bodyTooLarge(limit: limits.bodyBytes)
    case 414, 431: reason = .headerTooLarge(limit: limits.headerBytes)
    default: return
    }
    guard let incoming = state.incoming else { return }
    sendLast(refuse(incoming.refusal(for: reason)).lastBytes, on: connection)
    state.incoming = nil
    state.stage = .answeredEarly
  }

  /// Answers. The handler's time is not charged to the client's deadline.
  func answer(_ request: ArrivingRequest) -> MHD_Result {
    request.state.allow(nil)
    guard var response = request.state.incoming.map({ response(to: $0, on: request) }) else {
      return .NO
    }
    if request.state.isSpare { response.fields.set(HeaderField("Connection", "close")) }
    // The body is not held while the answer is sent.
    request.state.incoming = nil
    request.state.allow(answerMilliseconds)
    do throws(PreparedResponse.Failure) {
      return try prepare(response, for: request).queue(on: request.connection)
    } catch {
      // A response that cannot be sent as it is must not be sent in part.
      do throws(PreparedResponse.Failure) {
        return try PreparedResponse(Response(.internalServerError)).queue(on: request.connection)
      } catch {
        return .NO
      }
    }
  }

  private func prepare(
    _ response: Response, for request: ArrivingRequest
  ) throws(PreparedResponse.Failure) -> PreparedResponse {
    guard case .stream(let next) = response.body else { return try PreparedResponse(response) }
    let stream = ResponseStream(next, for: request)
    return try PreparedResponse(response.status, fields: response.fields, stream: stream)
  }

  func end(on connection: OpaquePointer, _ state: OpenConnection) {
    state.incoming = nil
  }

  /// The answer to a request that has arrived as far as it is read.
  private func response(to incoming: IncomingRequest, on request: ArrivingRequest) -> Response {
    let client = WaitingClient(of: request)
    defer { client.end() }
    var response =
      switch incoming.verdict {
      case .wanted(let head):
        answer(incoming.whole(head, client))
      case .refused(let reason): refuse(incoming.refusal(for: reason))
      case .screened(let response): response
      }
    if inFlight.isDraining || incoming.isChunked {
      response.fields.set(HeaderField("Connection", "close"))
    }
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
  private var head: RequestHead?
  private var fields = Fields()
  /// Whether the answer is given without reading the body, which closes the connection.
  private(set) var isAnsweredEarly = false
  /// Whether the body is chunked. libmicrohttpd is lenient about the ends of lines in chunks and
  /// trailers, so nothing that follows may be taken for a request.
  private(set) var isChunked = false
  // Unowned without a check is sound: a daemon keeps its handler longer than its connections.
  unowned(unsafe) let handler: BlockingHandler
  private let rawTarget: [UInt8]
  private var version = ""
  private var body: [UInt8] = []
  private var bodyLimit: Int
  /// The length of the body, if its client says it.
  private var bodyLength = 0
  /// Whose share the body is a part of, and how much of it counts.
  private var holders: [BodyHolder] = []
  private var heldBytes = 0
  /// Where the body goes instead of `body`.
  private var spool: Spool?
  /// The bytes that have arrived, and how many they are when the client gets more time.
  private var arrivedBytes = 0
  private var nextMegabyte = 1_048_576

  init(target: UnsafePointer<CChar>, of handler: BlockingHandler) {
    rawTarget = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    self.handler = handler
    bodyLimit = handler.limits.bodyBytes
  }

  deinit { handler.heldBodies.release(heldBytes, for: holders) }

  /// The request with its complete body.
  func whole(_ head: RequestHead, _ client: WaitingClient) -> Request {
    Request(
      method: head.method, target: head.target, version: version, fields: fields, body: body,
      spool: spool, peer: head.peer, clientHasGone: { client.hasGone })
  }

  func refusal(for reason: Refusal.Reason) -> Refusal {
    Refusal(reason: reason, fields: fields, head: head)
  }

  /// Takes the header. If a body follows, `screen` decides whether it is read.
  func takeHead(_ request: ArrivingRequest, screen: (RequestHead) -> Screening) {
    version = String(cString: request.version)
    forEachField(of: request.connection) { name, value in
      fields.append(HeaderField(text(name), text(value)))
      return true
    }
    let framing = BodyFraming(fields)
    isChunked = framing.isChunked
    verdict = verdict(on: request, framing)
    if case .wanted(let head) = verdict, framing.hasBody {
      switch screen(head) {
      case .answer(let response): verdict = .screened(response)
      case .readBody(let limit, let holders):
        bodyLimit = min(limit, bodyLimit)
        self.holders = holders
      case .spoolBody(let spool):
        self.spool = spool
        bodyLimit = spool.limit
      }
      if framing.contentLength ?? 0 > UInt64(max(0, bodyLimit)), case .wanted = verdict {
        verdict = .refused(.bodyTooLarge(limit: bodyLimit))
      }
      bodyLength = Int(clamping: framing.contentLength ?? 0)
    }
    if case .wanted = verdict { isAnsweredEarly = false } else { isAnsweredEarly = true }
  }

  private func verdict(on request: ArrivingRequest, _ framing: BodyFraming) -> Verdict {
    guard
      aasa_header_is_sound(request.connection, request.method, request.url, request.version)
    else { return .refused(.malformedHeader(Refusal.malformedHeaderDetail)) }
    if let problem = framing.problem { return .refused(problem) }
    if request.hidesTarget(ofBytes: rawTarget.count) {
      return .refused(.malformedTarget(.character))
    }
    do throws(RequestTarget.Malformed) {
      let head = RequestHead(
        method: Method(String(cString: request.method)), target: try RequestTarget(rawTarget),
        fields: fields, peer: peerAddress(of: request.connection)?.description ?? "")
      self.head = head
      if aasa_head_size(request.connection) > handler.limits.headerBytes {
        return .refused(.headerTooLarge(limit: handler.limits.headerBytes))
      }
      if request.state.isSpare && !handler.limits.probes.contains(head.target.path) {
        return .refused(.tooManyConnections)
      }
      return .wanted(head)
    } catch {
      return .refused(.malformedTarget(error))
    }
  }

  /// Takes a piece of the body; the reason if there is no room for it.
  func takeBody(
    _ piece: UnsafeRawBufferPointer, of request: ArrivingRequest
  ) -> Refusal.Reason? {
    arrivedBytes += piece.count
    if arrivedBytes >= nextMegabyte {
      request.state.allow(handler.bodyMilliseconds)
      nextMegabyte = arrivedBytes + 1_048_576
    }
    if let spool { return take(piece, into: spool) }
    if arrivedBytes > bodyLimit { return .bodyTooLarge(limit: bodyLimit) }
    let counting = max(heldBytes, arrivedBytes - handler.limits.smallBodyBytes)
    if let reason = handler.heldBodies.take(counting - heldBytes, for: holders) { return reason }
    heldBytes = counting
    // A body that grows leaves copies of itself. Memory that is not written yet costs nothing.
    if body.isEmpty { body.reserveCapacity(min(bodyLength, bodyLimit)) }
    body.append(contentsOf: piece)
    return nil
  }

  private func take(_ piece: UnsafeRawBufferPointer, into spool: Spool) -> Refusal.Reason? {
    do throws(Spool.Failure) {
      try spool.append(piece)
      return nil
    } catch {
      switch error {
      case .full(let limit): return .bodyTooLarge(limit: limit)
      case .noRoom: return .noRoom
      case .file: return .spoolFailed
      }
    }
  }
}

/// The bytes of all bodies that a listener holds, and of those of each client and token.
final class BodyMemory: Sendable {
  private struct State {
    var all = 0
    var byHolder: [BodyHolder: Int] = [:]
  }

  private let share: Int
  private let state = Mutex(State())

  init(_ limits: Limits) { share = limits.bodyShareBytes }

  /// The bytes that are held.
  var bytes: Int { state.withLock(\.all) }

  private func limit(of holder: BodyHolder) -> Int {
    switch holder {
    case .token: share
    case .client: 2 * share
    }
  }

  /// Counts bytes that are about to be held.
  ///
  /// - Returns: The reason if they would be too many.
  func take(_ count: Int, for holders: [BodyHolder]) -> Refusal.Reason? {
    if count == 0 { return nil }
    return state.withLock { state in
      for holder in holders where state.byHolder[holder, default: 0] + count > limit(of: holder) {
        return .tooManyBodies(limit: limit(of: holder), isShare: true)
      }
      if state.all + count > 3 * share { return .tooManyBodies(limit: 3 * share, isShare: false) }
      state.all += count
      for holder in holders { state.byHolder[holder, default: 0] += count }
      return nil
    }
  }

  func release(_ count: Int, for holders: [BodyHolder]) {
    if count == 0 { return }
    state.withLock { state in
      state.all -= count
      for holder in holders {
        let rest = state.byHolder[holder, default: 0] - count
        state.byHolder[holder] = rest == 0 ? nil : rest
      }
    }
  }
}

/// The bytes as UTF-8, or else as ISO 8859-1, in which every byte is a character.
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(validating: bytes, as: UTF8.self)
    ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
}
