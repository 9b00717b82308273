import CMicroHTTPD
import Glibc

/// A daemon's callbacks for requests. They run only on its thread and must not wait.
public struct DirectAnswers: Sendable {
  let answer: @Sendable (borrowing DirectRequest) -> DirectRequest.Queued
  let noteHeaderTooLarge: @Sendable (borrowing DirectRequest) -> Void
  let noteUnreadHeader: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: Answers a request with a prepared response.
  ///   - noteHeaderTooLarge: Called for each request that is answered 431.
  ///   - noteUnreadHeader: Called instead for a request that is answered 431 for its target, if its fields
  ///     never come or are too many to be read.
  public init(
    answer: @escaping @Sendable (borrowing DirectRequest) -> DirectRequest.Queued,
    noteHeaderTooLarge: @escaping @Sendable (borrowing DirectRequest) -> Void,
    noteUnreadHeader: @escaping @Sendable () -> Void
  ) {
    self.answer = answer
    self.noteHeaderTooLarge = noteHeaderTooLarge
    self.noteUnreadHeader = noteUnreadHeader
  }
}

/// Answers requests with prepared responses, on one thread for all of its connections. It never
/// blocks or allocates.
final class DirectHandler: RequestSteps, @unchecked Sendable {
  // Unchecked is sound: only the daemon's thread uses what changes.

  let answerMilliseconds: Int64
  private let memory: ConnectionMemory
  private let inFlight: RequestsInFlight
  private let answers: DirectAnswers
  /// The answer to a header over the limit, as bytes.
  private let headerRefusal: [UInt8]
  /// The fields that the first call for a request has found, for the last one. libmicrohttpd moves or
  /// drops the header when a body has come, and when the request ends.
  private var found: (connection: OpaquePointer, fields: DirectFields)?

  init(
    memory: ConnectionMemory, limits: Limits, inFlight: RequestsInFlight, headerRefusal: Response,
    answers: DirectAnswers
  ) {
    answerMilliseconds = Int64(limits.headerSeconds) * 1000
    self.memory = memory
    self.inFlight = inFlight
    self.headerRefusal = headerRefusal.lastBytes
    self.answers = answers
  }

  func takeTarget(
    _ target: UnsafePointer<CChar>, on connection: OpaquePointer, _ state: OpenConnection
  ) -> RequestStage {
    state.targetBytes = strlen(target)
    joinParameters(of: target)
    if memory.holds(targetOf: state.targetBytes) { return .target }
    // Now, since libmicrohttpd may have no memory left to continue with the request.
    sendLast(headerRefusal, on: connection)
    return .targetRefused
  }

  func takeHead(_ request: ArrivingRequest) -> RequestStage {
    let fields = DirectFields(of: request.connection)
    // A long body is not worth reading, and a draining connection must be closed, so the answer is
    // sent now.
    if fields.hasLongBody || inFlight.isDraining {
      found = (request.connection, fields)
      return .answeredEarly
    }
    found = fields.hasBody ? nil : (request.connection, fields)
    return .head
  }

  /// A short body is read and dropped, so that the client reads the answer.
  func takeBody(_ piece: UnsafeRawBufferPointer, of request: ArrivingRequest) -> Bool { true }

  func answer(_ request: ArrivingRequest) -> MHD_Result {
    let direct = DirectRequest(request, fields: takeFields(of: request.connection))
    if memory.holds(direct) { return answers.answer(direct).result }
    answers.noteHeaderTooLarge(direct)
    if request.state.stage != .targetRefused {
      sendLast(headerRefusal, on: request.connection)
    }
    request.state.stage = .answeredEarly
    return .NO
  }

  func end(on connection: OpaquePointer, _ state: OpenConnection) {
    if state.stage == .targetRefused { answers.noteUnreadHeader() }
    if found?.connection == connection { found = nil }
  }

  /// The result of the first call for the request, unless another connection came in between.
  private func takeFields(of connection: OpaquePointer) -> DirectFields {
    guard let found, found.connection == connection else { return DirectFields(of: connection) }
    self.found = nil
    return found.fields
  }
}
