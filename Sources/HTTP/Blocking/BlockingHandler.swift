import CMicroHTTPD

/// What the callbacks of a listener with a thread for each connection need.
final class BlockingHandler: Sendable {
  let limits: Limits
  let screen: @Sendable (RequestHead) -> Response?
  let refuse: @Sendable (Refusal) -> Response
  let answer: @Sendable (Request) -> Response
  let traffic = Traffic()
  let lingering = Lingering()

  init(
    limits: Limits, screen: @escaping @Sendable (RequestHead) -> Response?,
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) {
    self.limits = limits
    self.screen = screen
    self.refuse = refuse
    self.answer = answer
  }

  static let callbacks = Daemon.Callbacks(
    target: beginRequest, request: continueRequest, completed: endRequest)

  /// The answer to a request that has come as far as it is read.
  fileprivate func response(to request: RequestInProgress) -> Response {
    var response =
      switch request.verdict {
      case .whole(let request): answer(request)
      case .refused(let reason): refuse(Refusal(reason: reason, fields: request.fields))
      case .screened(let response): response
      }
    if traffic.isDraining { response.fields.set(Field("Connection", "close")) }
    return response
  }

  /// Answers; what the handler takes does not count as the client's time.
  fileprivate func answer(
    _ request: RequestInProgress, on connection: OpaquePointer
  ) -> MHD_Result {
    OpenConnections.allow(nil, to: connection)
    let response = response(to: request)
    OpenConnections.allow(bodyMilliseconds, to: connection)
    return send(response, on: connection)
  }

  /// How long a body or an answer may be on its way.
  fileprivate var bodyMilliseconds: Int64 { Int64(limits.bodySeconds) * 1000 }
}

/// Called with the raw target as soon as the request line has arrived. What it returns belongs to
/// the request until `endRequest`.
private func beginRequest(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target else { return nil }
  // Sound: the daemon keeps its context while its threads run, and this is what it was given.
  Unmanaged<BlockingHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.traffic.begin() }
  return Unmanaged.passRetained(RequestInProgress(target: target)).toOpaque()
}

/// Called when the header has arrived, for each piece of the body, and at its end.
private func continueRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ piece: UnsafePointer<CChar>?, _ pieceBytes: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let url, let method, let version, let pieceBytes,
    let request = state?.pointee
  else { return .NO }
  // Sound: both were made from objects of these types, which live until after this call.
  let handler = Unmanaged<BlockingHandler>.fromOpaque(context).takeUnretainedValue()
  let inProgress = Unmanaged<RequestInProgress>.fromOpaque(request).takeUnretainedValue()
  if !inProgress.hasHead {
    OpenConnections.allowAnswer(handler.bodyMilliseconds, to: connection)
    inProgress.takeHead(
      connection, url: url, method: method, version: version, limits: handler.limits,
      screen: handler.screen)
    return inProgress.isAnsweredEarly ? handler.answer(inProgress, on: connection) : .YES
  }
  if pieceBytes.pointee > 0, let piece {
    let bytes = UnsafeRawBufferPointer(start: piece, count: pieceBytes.pointee)
    pieceBytes.pointee = 0
    if inProgress.take(bytes, limits: handler.limits) { return .YES }
    // libmicrohttpd takes no answer within a body.
    sendLast(handler.response(to: inProgress).lastBytes, on: connection)
    return .NO
  }
  return handler.answer(inProgress, on: connection)
}

/// Called once for each request that was begun, however it ended.
private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
  guard let context, let connection, let request = state?.pointee else { return }
  state?.pointee = nil
  // Sound: this is the reference that `beginRequest` retained, and it is given up here alone.
  let inProgress = Unmanaged<RequestInProgress>.fromOpaque(request).takeRetainedValue()
  Unmanaged<BlockingHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { handler in
    if inProgress.isAnsweredEarly { handler.lingering.take(connection) }
    OpenConnections.allow(Int64(handler.limits.headerSeconds) * 1000, to: connection)
    handler.traffic.complete()
  }
}

private func send(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
  do throws(PreparedResponse.Failure) {
    return try PreparedResponse(response).queue(on: connection)
  } catch {
    // A response that cannot be sent as it is must not be sent in part.
    do throws(PreparedResponse.Failure) {
      return try PreparedResponse(Response(.internalServerError)).queue(on: connection)
    } catch {
      return .NO
    }
  }
}
