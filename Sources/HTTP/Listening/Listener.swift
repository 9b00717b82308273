public import Certificates
import Glibc

/// A port that is listened on, until `stop` or until the listener goes out of use. The last
/// reference must not be given up by one of its own handlers, which would wait for itself.
public final class Listener: Sendable {
  /// Where it listens, with the port that it got if any free one was asked for.
  public let address: SocketAddress

  private let daemons: [Daemon]
  private let traffic: [Traffic]
  private let sweep: Sweep

  /// Listens with handlers that may block: a thread for each connection.
  ///
  /// Only whole requests get to the handler; a connection that ends within one leaves nothing
  /// behind.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A socket that listens already, in the place of one at the address.
  ///   - limits: What clients may take.
  ///   - certificates: What it speaks HTTPS with; plain HTTP without.
  ///   - screen: Looks at the head of a request with a body before that is read, and may answer at once.
  ///   - refuse: Answers a request that the handler does not get, with `Refusal.status`.
  ///   - answer: Answers a request; called on many threads at the same time.
  /// - Throws: `ListenerError`.
  public init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, limits: Limits = Limits(),
    certificates: CertificateDirectory? = nil,
    screen: @escaping @Sendable (RequestHead) -> Response? = { _ in nil },
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) throws(ListenerError) {
    let handler = BlockingHandler(limits: limits, screen: screen, refuse: refuse, answer: answer)
    let address = inherited?.address ?? address
    let socket = try ListeningSocket(on: address, or: inherited, shared: false)
    self.address = SocketAddress(host: address.host, port: socket.port)
    daemons = [
      try Daemon(
        on: socket, of: address, threading: .perConnection, limits: limits,
        poolBytes: max(32_768, 4 * limits.headerBytes), certificates: certificates,
        context: handler,
        callbacks: BlockingHandler.callbacks)
    ]
    traffic = [handler.traffic]
    sweep = Self.sweep(daemons, limits)
  }

  /// Listens with handlers that answer at once with prepared responses: one thread for all
  /// connections of a daemon, as many daemons as processors are to serve, among which the kernel
  /// spreads the connections.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A socket that listens already, in the place of one at the address. All daemons
  ///     take connections from it.
  ///   - daemons: How many threads serve.
  ///   - limits: What clients may take, in all daemons together. Fewer connections where the process
  ///     may not open so many files. No body reaches the handler.
  ///   - certificates: What it speaks HTTPS with; plain HTTP without.
  ///   - headerRefusal: The answer to a header over the limit. It has no Date.
  ///   - makeAnswers: Makes the handler of each daemon, which is called on its thread only.
  /// - Throws: `ListenerError`.
  public init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, daemons count: Int,
    limits: Limits, certificates: CertificateDirectory? = nil, headerRefusal: Response,
    makeAnswers: () -> DirectAnswers
  ) throws(ListenerError) {
    let address = inherited?.address ?? address
    if address.port != 0 && inherited == nil { try Self.checkIsFree(address) }
    let room = HeaderRoom(limit: limits.headerBytes, refusal: headerRefusal)
    var bound = address
    var share = limits
    share.connections = max(1, min(limits.connections, OpenFiles.forConnections) / max(1, count))
    var daemons: [Daemon] = []
    var traffic: [Traffic] = []
    for _ in 0..<max(1, count) {
      let handler = DirectHandler(room: room, limits: limits, answers: makeAnswers())
      let socket = try ListeningSocket(on: bound, or: inherited, shared: true)
      socket.deferConnections(true)
      bound = SocketAddress(host: address.host, port: socket.port)
      daemons.append(
        try Daemon(
          on: socket, of: bound, threading: .one, limits: share, poolBytes: room.poolBytes,
          certificates: certificates, context: handler, callbacks: DirectHandler.callbacks))
      traffic.append(handler.traffic)
    }
    self.address = bound
    self.daemons = daemons
    self.traffic = traffic
    sweep = Self.sweep(daemons, limits)
  }

  private static func sweep(_ daemons: [Daemon], _ limits: Limits) -> Sweep {
    let seconds = min(1, Double(min(limits.headerSeconds, limits.bodySeconds)) / 4)
    return Sweep(daemons.map(\.connections), every: max(0.05, seconds))
  }

  /// A socket that shares its port would join those of another server; one that does not share
  /// finds that it is taken.
  private static func checkIsFree(_ address: SocketAddress) throws(ListenerError) {
    _ = try ListeningSocket(on: address, shared: false)
  }

  /// The port that it listens on.
  public var port: UInt16 { address.port }

  /// Open connections.
  public var openConnections: Int { daemons.reduce(0) { $0 + $1.connections.count } }

  /// Requests that have begun to arrive and are not answered yet.
  public var requestsInFlight: Int { traffic.reduce(0) { $0 + Int($1.inFlight) } }

  /// For how long nothing must have come before connections without a request are closed.
  private static let quietTime = Duration.milliseconds(100)
  /// How long clients that have just connected may take to ask, in milliseconds.
  private static let newcomerMilliseconds: Int64 = 1000

  /// Takes connections before anything has come on them, from now on. Those that are kept back are taken
  /// within a second.
  public func prepareToStop() {
    for daemon in daemons { daemon.takeConnectionsAtOnce() }
  }

  /// Takes no further connections, lets requests that have begun end within a time, then closes
  /// every connection. Clients that keep connections are told with their next answer that it is the
  /// last one (RFC 9112 section 9.6). Returns when all threads have ended; a handler that blocks keeps
  /// it waiting. May be called again, and does nothing then.
  public func stop(within seconds: Double = 10) {
    for daemon in daemons { daemon.quiesce() }
    // Only now: a client that is told to connect anew is to be refused at once, so that a proxy goes to
    // another server.
    for traffic in traffic { traffic.drain() }
    let deadline = ContinuousClock.now + .seconds(seconds)
    waitUntilQuiet(deadline)
    for daemon in daemons { daemon.stop() }
  }

  private func waitUntilQuiet(_ deadline: ContinuousClock.Instant) {
    var requests: UInt = 0
    var quietSince = ContinuousClock.now
    // Also when none is open: one that was accepted just now may not be counted yet.
    while ContinuousClock.now < deadline {
      let total = traffic.reduce(0) { $0 &+ $1.total }
      if total != requests || requestsInFlight > 0 || hasNewcomers { quietSince = .now }
      requests = total
      if ContinuousClock.now - quietSince > Self.quietTime { return }
      usleep(2_000)
    }
  }
  private var hasNewcomers: Bool {
    daemons.contains { $0.connections.haveNewcomers(since: Self.newcomerMilliseconds) }
  }
}
