import Glibc

/// A port that is listened on, until `stop` or until the listener goes out of use. The last
/// reference must not be given up by one of its own handlers, which would wait for itself.
public final class Listener: Sendable {
  /// Where it listens, with the port that it got if any free one was asked for.
  public let address: SocketAddress

  private let daemons: [Daemon]
  private let traffic: [Traffic]

  /// Listens with handlers that may block: a thread for each connection.
  ///
  /// Only whole requests get to the handler; a connection that ends within one leaves nothing
  /// behind.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - limits: What clients may take.
  ///   - refuse: Answers a request that the handler does not get, with `Refusal.status`.
  ///   - answer: Answers a request; called on many threads at the same time.
  /// - Throws: `ListenerError`.
  public init(
    on address: SocketAddress, limits: Limits = Limits(),
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) throws(ListenerError) {
    let handler = BlockingHandler(limits: limits, refuse: refuse, answer: answer)
    let socket = try ListeningSocket(on: address, shared: false)
    self.address = SocketAddress(host: address.host, port: socket.port)
    do throws(DaemonRefused) {
      daemons = [
        try Daemon(
          on: socket, threading: .perConnection, limits: limits,
          poolBytes: max(32_768, 4 * limits.headerBytes), context: handler,
          callbacks: BlockingHandler.callbacks)
      ]
    } catch {
      throw ListenerError(reason: .libraryRefused, address: address)
    }
    traffic = [handler.traffic]
  }

  /// The port that it listens on.
  public var port: UInt16 { address.port }

  /// Requests that have begun to arrive and are not answered yet.
  public var requestsInFlight: Int { traffic.reduce(0) { $0 + Int($1.inFlight) } }

  /// Takes no further connections, lets requests that have begun end within a time, then closes
  /// every connection. Returns when all threads have ended; a handler that blocks keeps it waiting.
  /// May be called again, and does nothing then.
  public func stop(within seconds: Double = 10) {
    for daemon in daemons { daemon.quiesce() }
    let deadline = ContinuousClock.now + .seconds(seconds)
    while requestsInFlight > 0 && ContinuousClock.now < deadline { usleep(2_000) }
    for daemon in daemons { daemon.stop() }
  }
}
