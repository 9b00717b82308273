import CMicroHTTPD
import Glibc

/// What a daemon does with its requests: called on its thread only, and to return without waiting.
public struct DirectAnswers: Sendable {
  let answer: @Sendable (borrowing DirectRequest) -> DirectRequest.Queued
  let noteHeaderTooLarge: @Sendable (borrowing DirectRequest) -> Void
  let noteUnreadHeader: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: Answers a request with a prepared response.
  ///   - noteHeaderTooLarge: Gets to know a request that is answered 431.
  ///   - noteUnreadHeader: Called for a request that is answered 431 for its target, if its fields do not
  ///     come after that, or are too many to be read.
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

/// What the callbacks of one thread that serves all of its connections need.
final class DirectHandler: @unchecked Sendable {
  // Unchecked is sound: what changes is used by the daemon's thread only.

  /// The fields that the first call for a request has found, for the second.
  private var found: (connection: OpaquePointer, fields: DirectFields)?
  fileprivate let room: HeaderRoom
  fileprivate let answers: DirectAnswers
  /// How long a connection may take from the end of an answer to the next request, and from there to
  /// the end of its answer.
  fileprivate let requestMilliseconds: Int64
  let traffic = Traffic()
  fileprivate let lingering = Lingering()

  init(room: HeaderRoom, limits: Limits, answers: DirectAnswers) {
    self.room = room
    requestMilliseconds = Int64(limits.headerSeconds) * 1000
    self.answers = answers
  }

  /// The fields at the first call for a request.
  fileprivate func firstFields(of connection: OpaquePointer) -> DirectFields {
    let fields = DirectFields(of: connection)
    found = (connection, fields)
    return fields
  }

  /// The fields at the last call for a request. Between the two calls for one without a body, its bytes
  /// stay where they are; the first call of any other request takes the place of what was found.
  fileprivate func lastFields(of connection: OpaquePointer) -> DirectFields {
    defer { found = nil }
    if let found, found.connection == connection, !found.fields.hasBody { return found.fields }
    return DirectFields(of: connection)
  }

  static let callbacks = Daemon.Callbacks(
    target: beginRequest, request: continueRequest, completed: endRequest)
}

/// What is known of a request between two calls, in the pointer that libmicrohttpd keeps for it: no
/// memory is needed.
private struct Progress {
  enum Stage: UInt {
    /// The target was too long, and has been answered.
    case targetRefused = 0
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
    guard let pointer else { return nil }
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
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
  _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target, let connection else { return nil }
  var progress = Progress(targetBytes: strlen(target))
  joinParameters(of: target)
  // Sound, here and below: the daemon keeps its context while its thread runs.
  Unmanaged<DirectHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { handler in
    handler.traffic.begin()
    if !handler.room.holds(targetOf: progress.targetBytes) {
      // Now, since libmicrohttpd may have no memory left to go on with such a request, and then it
      // leaves it without an answer.
      handler.room.refuse(connection)
      OpenConnections.allow(Lingering.milliseconds, to: connection)
      progress.stage = .targetRefused
    }
  }
  return progress.pointer
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
  let isRefused = progress.stage == .targetRefused
  // Sound: see `beginRequest`.
  let handler = Unmanaged<DirectHandler>.fromOpaque(context)
  if progress.stage == .targetArrived {
    handler._withUnsafeGuaranteedRef {
      OpenConnections.allowAnswer($0.requestMilliseconds, to: connection)
    }
    // An answer to this first call closes the connection, so it is only given where a body follows
    // that shall not be read, and where the connection shall end.
    let waits = handler._withUnsafeGuaranteedRef {
      !$0.firstFields(of: connection).hasLongBody && !$0.traffic.isDraining
    }
    progress.stage = waits ? .headArrived : .answeredEarly
    state.pointee = progress.pointer
    if waits { return .YES }
  }
  return handler._withUnsafeGuaranteedRef { handler in
    let request = DirectRequest(
      connection, url: url, method: method, version: version, targetBytes: progress.targetBytes,
      fields: handler.lastFields(of: connection))
    if !handler.room.holds(request) {
      handler.answers.noteHeaderTooLarge(request)
      if !isRefused { handler.room.refuse(connection) }
      progress.stage = .answeredEarly
      state.pointee = progress.pointer
      return .NO
    }
    return handler.answers.answer(request).result
  }
}

private func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
  guard let context, let connection, let progress = Progress(state?.pointee) else { return }
  Unmanaged<DirectHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { handler in
    switch progress.stage {
    case .targetRefused:
      handler.answers.noteUnreadHeader()
      handler.lingering.take(connection)
    case .answeredEarly: handler.lingering.take(connection)
    case .targetArrived, .headArrived: break
    }
    OpenConnections.allow(handler.requestMilliseconds, to: connection)
    handler.traffic.complete()
  }
}
