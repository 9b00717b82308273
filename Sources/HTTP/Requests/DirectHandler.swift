import CMicroHTTPD
import Glibc
import Synchronization

/// A daemon's callbacks for requests. They run only on its thread and must not wait.
package struct DirectAnswers: Sendable {
  let answer: @Sendable (borrowing DirectRequest) -> DirectRequest.Queued
  let noteHeaderTooLarge: @Sendable (borrowing DirectRequest) -> Void
  let noteUnreadHeader: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: Answers a request with a prepared response.
  ///   - noteHeaderTooLarge: Called for each request that is answered 431.
  ///   - noteUnreadHeader: Called instead for a request that is answered 431 for its target, if its fields
  ///     never come or are too many to be read.
  package init(
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

  let bodyMilliseconds: Int64
  private let memory: ConnectionMemory
  private let inFlight: RequestsInFlight
  private let answers: DirectAnswers
  /// The answer to a header over the limit, as bytes.
  private let headerRefusal: [UInt8]
  /// The fields that the first call for a request has found, for the second one. That follows at once,
  /// without another connection's call in between, since libmicrohttpd waits for no body here.
  private var found: DirectFields?

  init(
    memory: ConnectionMemory, limits: Limits, inFlight: RequestsInFlight, headerRefusal: Response,
    answers: DirectAnswers
  ) {
    bodyMilliseconds = Int64(limits.headerSeconds) * 1000
    self.memory = memory
    self.inFlight = inFlight
    self.headerRefusal = headerRefusal.lastBytes
    self.answers = answers
  }

  func takeTarget(
    _ target: UnsafePointer<CChar>, on connection: OpaquePointer, _ state: OpenConnection
  ) -> RequestStage {
    state.targetBytes = strcspn(target, " ")
    joinParameters(of: target)
    // A system call, which further requests of the connection do without: see `cutOverdue`.
    if !state.hasAsked.load(ordering: .relaxed) { noticeEndedSending(aasa_socket(connection)) }
    if memory.holds(targetOf: state.targetBytes), aasa_ignore_content_length(connection) {
      return .target
    }
    // Now, since libmicrohttpd may have no memory left to continue with the request.
    sendLast(headerRefusal, on: connection)
    return .targetRefused
  }

  func takeHead(_ request: ArrivingRequest) -> RequestStage {
    let fields = DirectFields(of: request)
    found = fields
    let isClear = fields.canBeFollowed && !request.hidesTarget(ofBytes: request.state.targetBytes)
    return isClear && !inFlight.isDraining ? .head : .answeredEarly
  }

  /// Never called.
  func takeBody(_ piece: UnsafeRawBufferPointer, of request: ArrivingRequest) -> Bool { false }

  func answer(_ request: ArrivingRequest) -> MHD_Result {
    let direct = DirectRequest(request, fields: found ?? DirectFields(of: request))
    found = nil
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
  }
}
