import CMicroHTTPD
import Glibc
import Synchronization

/// The client of a request while a handler works on the answer.
final class WaitingClient: @unchecked Sendable {
  // Unchecked is sound: the connection is used only under the lock and before `end`, while the thread
  // of the connection is busy with the handler.

  private struct State {
    var connection: OpaquePointer?
    var canBeAsked: Bool
    var hasGone = false
    /// When the kernel was asked last.
    var askedAt: ContinuousClock.Instant?
  }

  /// How long an answer of the kernel is used again: work asks before each of its many small steps.
  private static var pause: Duration { .milliseconds(5) }

  private let state: Mutex<State>

  init(of request: ArrivingRequest) {
    // Sound: nothing else has the state before the lock does.
    nonisolated(unsafe) let state = State(
      connection: request.connection, canBeAsked: strcmp(request.version, "HTTP/1.1") == 0)
    self.state = Mutex(state)
  }

  /// From now on, the connection is not used.
  func end() { state.withLock { $0.connection = nil } }

  /// Whether the connection was reset or closed.
  var hasGone: Bool {
    state.withLock { state in
      guard let connection = state.connection else { return false }
      let now = ContinuousClock.now
      if let askedAt = state.askedAt, now - askedAt < Self.pause { return state.hasGone }
      state.askedAt = now
      switch aasa_client(aasa_socket(connection)) {
      case AASA_CLIENT_GONE:
        state.hasGone = true
        return true
      case AASA_CLIENT_ENDED_SENDING where state.canBeAsked:
        // Whether it only ended its sending cannot be seen. An interim answer, which every client of
        // HTTP/1.1 must expect (RFC 9110 section 15.2), makes the kernel of a client that has closed its
        // socket reset the connection, and the next call will see that.
        state.canBeAsked = false
        send(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), on: connection)
        return false
      default: return false
      }
    }
  }
}
