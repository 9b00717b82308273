import CMicroHTTPD
import Synchronization

/// A running daemon of libmicrohttpd with its socket and what its callbacks need.
final class Daemon: Sendable {
  enum Threading {
    /// A thread per connection, which may block.
    case perConnection
    /// One thread for all connections, which must not block.
    case single
  }

  /// The functions that libmicrohttpd calls, each with the context.
  struct Callbacks {
    let target: TargetCallback
    let request: MHD_AccessHandlerCallback
    let completed: MHD_RequestCompletedCallback
  }

  /// Gets the raw target, and returns the state of the request.
  typealias TargetCallback =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer?

  private typealias UnescapeCallback =
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
    ) -> Int

  private enum State {
    case running(OpaquePointer, ListeningSocket)
    case quiesced(OpaquePointer, ListeningSocket)
    case stopped
  }

  let connections: OpenConnections
  /// The handling of its requests.
  let requests: RequestCycle

  private let state: Mutex<State>

  init(
    on socket: ListeningSocket, of address: SocketAddress, threading: Threading,
    limits: Limits, memoryBytes: Int, certificates: CertificateDirectory?, requests: RequestCycle
  ) throws(ListenerError) {
    let connections = OpenConnections(limits, threading, certificates: certificates)
    let callbacks = RequestCycle.callbacks
    let unescape: UnescapeCallback = keepEscapes
    let context = Unmanaged.passUnretained(requests).toOpaque()
    // Sound: options carry the addresses of functions as integers of a pointer's size, and libmicrohttpd
    // calls them with the types that the options' documentation names.
    var options: [MHD_OptionItem] = [
      option(.LISTEN_SOCKET, Int(socket.descriptor)),
      option(.CONNECTION_MEMORY_LIMIT, memoryBytes),
      option(.CONNECTION_LIMIT, connections.acceptLimit),
      option(.CONNECTION_TIMEOUT, limits.idleSeconds),
      option(.URI_LOG_CALLBACK, unsafeBitCast(callbacks.target, to: Int.self), context),
      option(.UNESCAPE_CALLBACK, unsafeBitCast(unescape, to: Int.self)),
      option(.NOTIFY_COMPLETED, unsafeBitCast(callbacks.completed, to: Int.self), context),
      connections.notification,
    ]
    if certificates != nil { options += tlsOptions }
    options.append(option(.END, 0))
    let threads =
      threading == .single
      ? MHD_USE_EPOLL_INTERNAL_THREAD.rawValue
      : MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_POLL_INTERNAL_THREAD.rawValue
    guard
      let daemon = aasa_start_daemon(
        threads | MHD_USE_ITC.rawValue | (certificates == nil ? 0 : MHD_USE_TLS.rawValue),
        callbacks.request, context, options)
    else {
      // The socket may already be closed. Leaking a descriptor is better than closing one that
      // another thread has opened in the meantime.
      _ = Unmanaged.passRetained(socket)
      throw ListenerError(reason: .libraryRefused, address: address)
    }
    state = Mutex(.running(daemon, socket))
    self.requests = requests
    self.connections = connections
  }

  deinit { stop() }

  /// From now on, accepts connections before any data has arrived on them.
  func acceptAtOnce() {
    state.withLock { state in
      if case .running(_, let socket) = state { socket.deferConnections(false) }
    }
  }

  /// Stops accepting connections, except those already established. Open ones continue.
  func quiesce() {
    state.withLock { state in
      guard case .running(let daemon, let socket) = state else { return }
      // From here on this object owns the socket, which must stay open until the daemon has
      // stopped.
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

  /// Closes all connections and ends the threads. Must not be called on one of these threads.
  func stop() {
    quiesce()
    state.withLock { state in
      guard case .quiesced(let daemon, _) = state else { return }
      MHD_stop_daemon(daemon)
      state = .stopped
    }
  }
}

/// An option of a daemon.
func option(
  _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
) -> MHD_OptionItem {
  MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}
