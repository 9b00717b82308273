import CMicroHTTPD
import Glibc
import Synchronization

/// How far the current request of a connection has come. The two kinds of listeners share these stages:
///
///     none ──► target ──► head ──────────► none        answered when all of it has come
///                │  └───► answeredEarly ─► (closed)    answered without reading all of it
///                └──────► targetRefused ─► (closed)    answered before its header has come
enum RequestStage {
  /// No request has begun.
  case none
  /// The request line has arrived.
  case target
  /// The header has arrived. The body, if there is one, is read before the answer.
  case head
  /// Answered before all of it was read. The rest of it is dropped.
  case answeredEarly
  /// Answered as soon as the request line had arrived, since the target was too long.
  case targetRefused
}

/// A request during one call of libmicrohttpd, in whose memory it lies.
struct ArrivingRequest {
  let connection: OpaquePointer
  let url: UnsafePointer<CChar>
  let method: UnsafePointer<CChar>
  let version: UnsafePointer<CChar>
  // Unowned without a check is sound: the state lives until the connection ends.
  unowned(unsafe) let state: OpenConnection
}

/// What the two kinds of listeners do at the stages of a request.
protocol RequestSteps: AnyObject, Sendable {
  /// How long the client may take once the header has arrived: for the body or its first megabyte, otherwise to
  /// receive the answer.
  var bodyMilliseconds: Int64 { get }
  /// The request line has arrived.
  ///
  /// - Returns: `.target`, or `.targetRefused` if an answer was sent.
  func takeTarget(
    _ target: UnsafePointer<CChar>, on connection: OpaquePointer, _ state: OpenConnection
  ) -> RequestStage
  /// The header has arrived.
  ///
  /// - Returns: `.head`, or `.answeredEarly` to answer now.
  func takeHead(_ request: ArrivingRequest) -> RequestStage
  /// A piece of the body has arrived.
  ///
  /// - Returns: Whether more of it is wanted. If not, an answer was sent.
  func takeBody(_ piece: UnsafeRawBufferPointer, of request: ArrivingRequest) -> Bool
  func answer(_ request: ArrivingRequest) -> MHD_Result
  /// The request has ended at a stage, for any reason.
  func end(on connection: OpaquePointer, _ state: OpenConnection)
}

/// Drives the requests of a daemon from their first line to their end, through the steps of its
/// kind.
final class RequestCycle: Sendable {
  let inFlight: RequestsInFlight
  fileprivate let steps: any RequestSteps
  fileprivate let lingering = LingeringConnections()
  /// How long a client may take from the end of an answer to the end of the next header.
  fileprivate let headerMilliseconds: Int64

  init(_ steps: any RequestSteps, _ inFlight: RequestsInFlight, limits: Limits) {
    self.steps = steps
    self.inFlight = inFlight
    headerMilliseconds = Int64(limits.headerSeconds) * 1000
  }

  static let callbacks = Daemon.Callbacks(
    target: takeTarget, request: takeRequest, completed: endRequest)
}

/// Called with the raw target as soon as the request line has arrived. Returns what libmicrohttpd hands to
/// the later calls for the request; nil ends it.
private func takeTarget(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target, let connection, let state = OpenConnection.of(connection)
  else { return nil }
  withCycle(context, state.toOpaque()) { cycle, state in
    cycle.inFlight.begin()
    state.stage = cycle.steps.takeTarget(target, on: connection, state)
    if state.stage == .targetRefused { state.allow(LingeringConnections.milliseconds) }
  }
  return state.toOpaque()
}

/// Called when the header has arrived, for each piece of the body, and at its end.
private func takeRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ piece: UnsafePointer<CChar>?, _ pieceBytes: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let url, let method, let version, let pieceBytes,
    let state = state?.pointee
  else { return .NO }
  return withCycle(context, state) { cycle, state in
    let request = ArrivingRequest(
      connection: connection, url: url, method: method, version: version, state: state)
    if pieceBytes.pointee > 0 {
      let bytes = UnsafeRawBufferPointer(start: piece, count: pieceBytes.pointee)
      pieceBytes.pointee = 0
      if cycle.steps.takeBody(bytes, of: request) { return .YES }
      state.stage = .answeredEarly
      return .NO
    }
    if state.stage == .target {
      state.allowAnswer(cycle.steps.bodyMilliseconds)
      state.stage = cycle.steps.takeHead(request)
      // libmicrohttpd calls again for the answer: one that is given at the first call closes the
      // connection.
      if state.stage == .head { return .YES }
    }
    return cycle.steps.answer(request)
  }
}

/// Called once for each request that has begun, however it ended.
private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
  guard let context, let connection, let state = state?.pointee else { return }
  withCycle(context, state) { cycle, state in
    cycle.steps.end(on: connection, state)
    switch state.stage {
    case .answeredEarly, .targetRefused: cycle.lingering.take(connection)
    case .none, .target, .head: break
    }
    state.stage = .none
    state.allowNext(cycle.headerMilliseconds)
    cycle.inFlight.complete()
  }
}

private func withCycle<Result>(
  _ context: UnsafeMutableRawPointer, _ state: UnsafeMutableRawPointer,
  _ body: (RequestCycle, OpenConnection) -> Result
) -> Result {
  // Sound: the daemon keeps its context while its threads run, and the state lives as long as its
  // connection.
  Unmanaged<RequestCycle>.fromOpaque(context)._withUnsafeGuaranteedRef { cycle in
    Unmanaged<OpenConnection>.fromOpaque(state)._withUnsafeGuaranteedRef { body(cycle, $0) }
  }
}

/// The numbers of requests that a daemon has begun and completed, and whether it is shutting down.
final class RequestsInFlight: Sendable {
  private let begun = Atomic<UInt>(0)
  private let completed = Atomic<UInt>(0)
  private let drains = Atomic(false)

  func begin() { begun.wrappingAdd(1, ordering: .relaxed) }

  func complete() { completed.wrappingAdd(1, ordering: .releasing) }

  /// Whether each answer is the last one of its connection.
  var isDraining: Bool { drains.load(ordering: .relaxed) }

  func drain() { drains.store(true, ordering: .relaxed) }

  /// The number of requests begun since startup.
  var total: UInt { begun.load(ordering: .relaxed) }

  /// Requests whose first line has arrived and whose answer is not sent yet.
  var count: UInt {
    let completed = completed.load(ordering: .acquiring)
    return begun.load(ordering: .relaxed) &- completed
  }
}
