import CMicroHTTPD
import Glibc

/// What a daemon does with its requests: called on its thread only, and to return without waiting.
public struct DirectAnswers: Sendable {
  let answer: @Sendable (borrowing DirectRequest) -> DirectRequest.Queued
  let noteHeaderTooLarge: @Sendable (borrowing DirectRequest) -> Void

  /// - Parameters:
  ///   - answer: Answers a request with a prepared response.
  ///   - noteHeaderTooLarge: Gets to know a request that is answered 431.
  public init(
    answer: @escaping @Sendable (borrowing DirectRequest) -> DirectRequest.Queued,
    noteHeaderTooLarge: @escaping @Sendable (borrowing DirectRequest) -> Void
  ) {
    self.answer = answer
    self.noteHeaderTooLarge = noteHeaderTooLarge
  }
}

/// What the callbacks of one thread that serves all of its connections need.
final class DirectHandler: Sendable {
  fileprivate let room: HeaderRoom
  fileprivate let answers: DirectAnswers
  /// How long a connection may take from the end of an answer to the next.
  fileprivate let requestMilliseconds: Int64
  let traffic = Traffic()

  init(room: HeaderRoom, limits: Limits, answers: DirectAnswers) {
    self.room = room
    requestMilliseconds = Int64(limits.headerSeconds) * 1000
    self.answers = answers
  }

  static let callbacks = Daemon.Callbacks(
    target: beginRequest, request: continueRequest, completed: endRequest)
}

/// What is known of a request between two calls, in the pointer that libmicrohttpd keeps for it: no
/// memory is needed.
private struct Progress {
  enum Stage: UInt {
    case targetArrived = 1
    case headArrived = 2
    case answeredEarly = 3
  }

  var stage: Stage
  /// The bytes of the target up to a NUL.
  let targetBytes: Int

  init(targetBytes: Int) {
    stage = .targetArrived
    self.targetBytes = targetBytes
  }

  init?(_ pointer: UnsafeMutableRawPointer?) {
    let bits = UInt(bitPattern: pointer)
    guard let stage = Stage(rawValue: bits & 3) else { return nil }
    self.stage = stage
    targetBytes = Int(bits >> 2)
  }

  var pointer: UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(targetBytes) << 2 | stage.rawValue)
  }
}

private func beginRequest(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target else { return nil }
  // Sound, here and below: the daemon keeps its context while its thread runs.
  Unmanaged<DirectHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.traffic.begin() }
  return Progress(targetBytes: strlen(target)).pointer
}

private func continueRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ piece: UnsafePointer<CChar>?, _ pieceBytes: UnsafeMutablePointer<Int>?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let url, let method, let version, let pieceBytes, let state,
    var progress = Progress(state.pointee)
  else { return .NO }
  if pieceBytes.pointee > 0 {
    // A short body is read and dropped, so that the client sees the answer.
    pieceBytes.pointee = 0
    return .YES
  }
  // Sound: see `beginRequest`.
  let handler = Unmanaged<DirectHandler>.fromOpaque(context)
  if progress.stage == .targetArrived {
    // An answer to this first call closes the connection, so it is only given where a body follows
    // that shall not be read, and where the connection shall end.
    let waits =
      !handler._withUnsafeGuaranteedRef { $0.traffic.isDraining }
      && (!mayHaveBody(connection) || !DirectFields(of: connection).hasLongBody)
    progress.stage = waits ? .headArrived : .answeredEarly
    state.pointee = progress.pointer
    if waits { return .YES }
  }
  return handler._withUnsafeGuaranteedRef { handler in
    let request = DirectRequest(
      connection, url: url, method: method, version: version, targetBytes: progress.targetBytes)
    if !handler.room.holds(request) {
      handler.answers.noteHeaderTooLarge(request)
      handler.room.refuse(connection)
      progress.stage = .answeredEarly
      state.pointee = progress.pointer
      return .NO
    }
    return handler.answers.answer(request).result
  }
}

/// Whether the header announces a body; cheaper than looking at every field.
private func mayHaveBody(_ connection: OpaquePointer) -> Bool {
  MHD_lookup_connection_value_n(connection, .HEADER_KIND, "Content-Length", 14, nil, nil) == .YES
    || MHD_lookup_connection_value_n(
      connection, .HEADER_KIND, "Transfer-Encoding", 17, nil, nil) == .YES
}

private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
  guard let context, let connection, let progress = Progress(state?.pointee) else { return }
  if progress.stage == .answeredEarly { discardArrivedBytes(of: connection) }
  Unmanaged<DirectHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { handler in
    OpenConnections.allow(handler.requestMilliseconds, to: connection)
    handler.traffic.complete()
  }
}
