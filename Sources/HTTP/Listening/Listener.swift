import Glibc

/// Listens on a port until `stop` is called or the listener is released. Its own handlers must not
/// release the last reference: they would wait for themselves.
package final class Listener: Sendable {
  /// Where it listens, with the actual port if port 0 was requested.
  package let address: SocketAddress

  private let daemons: [Daemon]
  private let deadlineTimer: DeadlineTimer
  private let heldBodies: BodyMemory?

  /// Listens with handlers that may block, on a thread per connection. Handlers only get complete
  /// requests.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A listening socket to use instead of the address.
  ///   - limits: The limits for clients.
  ///   - certificates: For HTTPS; `nil` for plain HTTP.
  ///   - screen: Decides by the header of a request whether its body is read.
  ///   - refuse: Answers a request that never reaches the handler, with `Refusal.status`.
  ///   - answer: Answers a request; called concurrently on many threads.
  package init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, limits: Limits = Limits(),
    certificates: CertificateDirectory? = nil,
    screen: @escaping @Sendable (RequestHead) -> Screening = { _ in .readBody(upTo: .max) },
    refuse: @escaping @Sendable (Refusal) -> Response,
    answer: @escaping @Sendable (Request) -> Response
  ) throws(ListenerError) {
    let inFlight = RequestsInFlight()
    let handler = BlockingHandler(
      limits: limits, inFlight: inFlight, screen: screen, refuse: refuse, answer: answer)
    heldBodies = handler.heldBodies
    let address = inherited?.address ?? address
    let socket = try ListeningSocket(on: address, or: inherited, shared: false)
    self.address = SocketAddress(host: address.host, port: socket.port)
    daemons = [
      try Daemon(
        on: socket, of: address, threading: .perConnection, limits: limits,
        memoryBytes: max(32_768, 4 * limits.headerBytes), certificates: certificates,
        requests: RequestCycle(handler, inFlight, limits: limits))
    ]
    deadlineTimer = Self.timer(daemons, limits)
  }

  /// Listens with handlers that answer immediately with prepared responses. Each daemon has one
  /// thread for all of its connections, and the kernel distributes connections among the daemons.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - inherited: A listening socket to use instead of the address, for all daemons.
  ///   - daemons: The number of threads that serve.
  ///   - limits: The limits for clients, for all daemons together. Fewer connections are allowed if
  ///     the process may not open that many files. No body reaches the handler.
  ///   - certificates: For HTTPS; `nil` for plain HTTP.
  ///   - headerRefusal: The answer to a header over the limit. It is sent without a Date.
  ///   - makeAnswers: Creates the handler of each daemon, which is only called on the daemon's
  ///     thread.
  package init(
    on address: SocketAddress, inherited: InheritedSocket? = nil, daemons count: Int,
    limits: Limits, certificates: CertificateDirectory? = nil, headerRefusal: Response,
    makeAnswers: () -> DirectAnswers
  ) throws(ListenerError) {
    let address = inherited?.address ?? address
    if address.port != 0 && inherited == nil { try Self.checkIsFree(address) }
    let memory = ConnectionMemory(headerLimit: limits.headerBytes)
    var bound = address
    var share = limits
    share.connections = max(1, min(limits.connections, OpenFiles.forConnections) / max(1, count))
    var daemons: [Daemon] = []
    for _ in 0..<max(1, count) {
      let inFlight = RequestsInFlight()
      let handler = DirectHandler(
        memory: memory, limits: limits, inFlight: inFlight, headerRefusal: headerRefusal,
        answers: makeAnswers())
      let socket = try ListeningSocket(on: bound, or: inherited, shared: true)
      socket.deferConnections(true)
      bound = SocketAddress(host: address.host, port: socket.port)
      daemons.append(
        try Daemon(
          on: socket, of: bound, threading: .single, limits: share, memoryBytes: memory.bytes,
          certificates: certificates, requests: RequestCycle(handler, inFlight, limits: limits)))
    }
    self.address = bound
    self.daemons = daemons
    heldBodies = nil
    deadlineTimer = Self.timer(daemons, limits)
  }

  private static func timer(_ daemons: [Daemon], _ limits: Limits) -> DeadlineTimer {
    let seconds = min(1, Double(min(limits.headerSeconds, limits.bodySeconds)) / 4)
    return DeadlineTimer(daemons.map(\.connections), every: max(0.05, seconds))
  }

  /// A socket that shares its port would silently join another server's sockets; one that does not
  /// share it fails.
  private static func checkIsFree(_ address: SocketAddress) throws(ListenerError) {
    _ = try ListeningSocket(on: address, shared: false)
  }

  package var port: UInt16 { address.port }

  package var openConnections: Int { daemons.reduce(0) { $0 + $1.connections.count } }

  /// The bytes of bodies that count for the shares of tokens and clients.
  var heldBodyBytes: Int { heldBodies?.bytes ?? 0 }

  /// Lets clients, such as proxies, have any number of connections. A later call replaces them.
  package func exempt(_ clients: [AddressRange]) {
    for daemon in daemons { daemon.connections.exempt(clients) }
  }

  /// Requests that have begun to arrive and are not answered yet.
  package var requestsInFlight: Int { daemons.reduce(0) { $0 + Int($1.requests.inFlight.count) } }

  /// How long no data may have arrived before connections without a request are closed.
  private static let quietTime = Duration.milliseconds(100)
  /// How often that must have been seen in a row: time also passes while the machine lets nobody work.
  private static let quietLooks = 10
  /// How long new connections may take to send a request, in milliseconds.
  private static let newcomerMilliseconds: Int64 = 1000

  /// From now on, accepts connections before any data has arrived on them. Those that the kernel
  /// holds back arrive within a second.
  package func prepareToStop() {
    for daemon in daemons { daemon.acceptAtOnce() }
  }

  /// Shuts down gracefully: stops accepting connections, waits a limited time for unfinished
  /// requests, then closes every connection. Answers in the meantime have `Connection: close` (RFC
  /// 9112 section 9.6). Returns when all threads have ended; a blocked handler delays it. A second
  /// call does nothing.
  package func stop(within seconds: Double = 10) {
    for daemon in daemons { daemon.quiesce() }
    // Only now: a client that reconnects must be refused immediately, so that a proxy tries another
    // server.
    for daemon in daemons { daemon.requests.inFlight.drain() }
    waitUntilQuiet(until: ContinuousClock.now + .seconds(seconds))
    for daemon in daemons { daemon.stop() }
  }

  private func waitUntilQuiet(until deadline: ContinuousClock.Instant) {
    var requests: UInt = 0
    var (quietSince, looks) = (ContinuousClock.now, 0)
    // Even if no connection is open, because a connection that was just accepted may not be counted
    // yet.
    while ContinuousClock.now < deadline {
      let total = daemons.reduce(0) { $0 &+ $1.requests.inFlight.total }
      if total != requests || requestsInFlight > 0 || hasNewcomers {
        (quietSince, looks) = (.now, 0)
      }
      (requests, looks) = (total, looks + 1)
      if looks >= Self.quietLooks, .now - quietSince > Self.quietTime { return }
      usleep(2_000)
    }
  }

  private var hasNewcomers: Bool {
    daemons.contains { $0.connections.haveNewcomers(since: Self.newcomerMilliseconds) }
  }
}
