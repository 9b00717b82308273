import CMicroHTTPD
import Certificates
import Synchronization

/// A running daemon of libmicrohttpd with its socket and what its callbacks need.
final class Daemon: Sendable {
  /// How a daemon spreads connections over threads.
  enum Threading {
    /// A thread a connection, which may block.
    case perConnection
    /// One thread for all connections, which must not block.
    case one
  }

  /// The functions that libmicrohttpd calls, all with the context.
  struct Callbacks {
    let target: TargetCallback
    let request: MHD_AccessHandlerCallback
    let completed: MHD_RequestCompletedCallback

    // Sound: options carry the addresses of functions as integers of a pointer's size, and
    // libmicrohttpd calls them with the types that the options' documentation names.
    var targetAddress: Int { unsafeBitCast(target, to: Int.self) }
    var completedAddress: Int { unsafeBitCast(completed, to: Int.self) }
  }

  /// Gets the raw target, and returns the state of the request.
  typealias TargetCallback =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer?

  private enum State {
    case running(OpaquePointer, ListeningSocket)
    case quiesced(OpaquePointer, ListeningSocket)
    case stopped
  }

  /// What is kept of its open connections.
  let connections: OpenConnections

  private let state: Mutex<State>
  private let context: any AnyObject & Sendable

  init(
    on socket: ListeningSocket, of address: SocketAddress, threading: Threading,
    limits: Limits, poolBytes: Int, certificates: CertificateDirectory?,
    context: any AnyObject & Sendable, callbacks: Callbacks
  ) throws(ListenerError) {
    let connections = OpenConnections(limits, certificates: certificates)
    let pointer = Unmanaged.passUnretained(context).toOpaque()
    var options: [MHD_OptionItem] = [
      option(.LISTEN_SOCKET, Int(socket.descriptor)),
      option(.CONNECTION_MEMORY_LIMIT, poolBytes),
      option(.CONNECTION_LIMIT, limits.connections),
      option(.CONNECTION_TIMEOUT, limits.idleSeconds),
      option(.URI_LOG_CALLBACK, callbacks.targetAddress, pointer),
      option(.UNESCAPE_CALLBACK, keepEscapesAddress, nil),
      option(.NOTIFY_COMPLETED, callbacks.completedAddress, pointer), connections.notification,
    ]
    if certificates != nil { options += tlsOptions }
    options.append(option(.END, 0))
    let threads =
      threading == .one
      ? MHD_USE_EPOLL_INTERNAL_THREAD.rawValue
      : MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_POLL_INTERNAL_THREAD.rawValue
    guard
      let daemon = aasa_start_daemon(
        threads | MHD_USE_ITC.rawValue | (certificates == nil ? 0 : MHD_USE_TLS.rawValue),
        callbacks.request, pointer, options)
    else {
      // It has closed the socket or not, and does not say: a descriptor that stays open is better
      // than closing one that another thread has got in the meantime.
      _ = Unmanaged.passRetained(socket)
      throw ListenerError(reason: .libraryRefused, address: address)
    }
    state = Mutex(.running(daemon, socket))
    self.context = context
    self.connections = connections
  }

  deinit { stop() }

  /// Takes connections before anything has come on them, from now on.
  func takeConnectionsAtOnce() {
    state.withLock { state in
      if case .running(_, let socket) = state { socket.deferConnections(false) }
    }
  }

  /// Takes no further connections but those that are established already; those that are open go on.
  func quiesce() {
    state.withLock { state in
      guard case .running(let daemon, let socket) = state else { return }
      // It leaves the socket to the caller, who may only close it after the daemon's end.
      _ = MHD_quiesce_daemon(daemon)
      socket.refuse { descriptor in
        connections.expect()
        let adoption = aasa_adopt_connection(daemon, descriptor)
        if adoption != AASA_ADOPTED { connections.expectNoMore() }
        return adoption != AASA_NOTHING_WAITS
      }
      state = .quiesced(daemon, socket)
    }
  }

  /// Closes all connections and ends the threads. Not to be called on one of them.
  func stop() {
    quiesce()
    state.withLock { state in
      guard case .quiesced(let daemon, _) = state else { return }
      MHD_stop_daemon(daemon)
      state = .stopped
    }
  }
}

/// Leaves targets as they are: libmicrohttpd would decode `%2F` and `%00` before anyone sees them.
private func keepEscapes(
  _: UnsafeMutableRawPointer?, _: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
  guard let text else { return 0 }
  var length = 0
  while text[length] != 0 { length += 1 }
  return length
}

private var keepEscapesAddress: Int {
  let function:
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
    ) -> Int = keepEscapes
  // Sound: see `Callbacks.targetAddress`.
  return unsafeBitCast(function, to: Int.self)
}

/// An option of a daemon.
func option(
  _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
) -> MHD_OptionItem {
  MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}
