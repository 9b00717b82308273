import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// The state of an open connection and of its current request, which libmicrohttpd hands back at each
/// call.
final class OpenConnection: @unchecked Sendable {
  // Unchecked is sound: what changes is atomic, under the lock of `OpenConnections`, or used by the one
  // thread that serves the connection.

  /// The certificates that were in use when the connection began. A handshake may use them at any
  /// time until the connection ends.
  let certificates: CertificateSet?
  /// Whether it is over a limit of connections, all of which are being answered: only probes are
  /// answered on it, and it is closed soon.
  fileprivate(set) var isSpare = false
  fileprivate let descriptor: CInt
  /// The client, unless it may have any number of connections.
  fileprivate let client: IPAddress?
  /// When the connection began, in milliseconds of `OpenConnections.now`.
  fileprivate let begun: Int64
  /// When to cut the connection, in the same unit.
  fileprivate let deadline: Atomic<Int64>
  /// Whether a request has arrived.
  let hasAsked = Atomic(false)
  /// Whether a request has arrived that is not answered yet.
  fileprivate let isAsking = Atomic(false)
  /// Its index among the open ones. Used under the lock.
  fileprivate var index = 0
  /// Whether it was cut, and will end. Used under the lock.
  fileprivate var isCut = false

  /// What its TLS session uses.
  fileprivate var socket: SessionSocket?

  var stage = RequestStage.none
  /// The bytes of the request's target up to a NUL or a blank.
  var targetBytes = 0
  /// The request, for handlers that may block.
  var incoming: IncomingRequest?

  fileprivate init(
    _ descriptor: CInt, of client: IPAddress?, milliseconds: Int64, certificates: CertificateSet?
  ) {
    self.descriptor = descriptor
    self.client = client
    self.certificates = certificates
    begun = OpenConnections.now
    deadline = Atomic(begun + milliseconds)
  }

  /// The state of a connection; nil before the connection has begun.
  static func of(_ connection: OpaquePointer) -> Unmanaged<OpenConnection>? {
    // Sound: `notifyConnection` sets the pointer, and releases the state when the connection has ended.
    aasa_socket_context(connection).map { Unmanaged.fromOpaque($0) }
  }

  /// Sets the time after which the connection is cut; nil for never.
  func allow(_ milliseconds: Int64?) {
    let milliseconds = milliseconds.map { isSpare ? min($0, Self.spareMilliseconds) : $0 }
    deadline.store(milliseconds.map { OpenConnections.now + $0 } ?? .max, ordering: .relaxed)
  }

  /// Moves the time after which the connection is cut.
  func allowMore(_ milliseconds: Int64) {
    let before = deadline.load(ordering: .relaxed)
    if before != .max { deadline.store(before + milliseconds, ordering: .relaxed) }
  }

  /// Does something whose time the client is not charged for.
  func withoutDeadline<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (before, start) = (deadline.load(ordering: .relaxed), OpenConnections.now)
    allow(nil)
    defer {
      // Unless the connection was cut before.
      if before != .max { deadline.store(before + OpenConnections.now - start, ordering: .relaxed) }
    }
    return try body()
  }

  /// How long the client of a spare connection may take.
  fileprivate static let spareMilliseconds: Int64 = 2000

  /// Like `allow`, for a request whose header has arrived.
  func allowAnswer(_ milliseconds: Int64) {
    hasAsked.store(true, ordering: .relaxed)
    isAsking.store(true, ordering: .relaxed)
    allow(milliseconds)
  }

  /// Like `allow`, for the next request.
  func allowNext(_ milliseconds: Int64) {
    isAsking.store(false, ordering: .relaxed)
    allow(milliseconds)
  }
}

/// The open connections of a daemon, each with its deadline.
///
/// When all of them, or those of one client, are taken, a new one takes the place of the one that
/// has waited longest for its client; one without a request goes first. If none waits, because all
/// requests are being answered, the new one is spare.
final class OpenConnections: Sendable {
  private struct State {
    var open: [OpenConnection] = []
    /// Those that are neither cut nor spare.
    var ordinary = 0
    /// The same, by client.
    var byClient: [IPAddress: Int] = [:]
    var spare = 0
    /// Clients that may have any number of connections.
    var exempt: [AddressRange] = []
    /// The number of connections passed to the daemon that it has not begun to serve, and since
    /// when.
    var expected = 0
    var expectedSince: Int64 = 0
  }

  private let limit: Int
  private let clientLimit: Int
  private let spareLimit: Int
  private let headerMilliseconds: Int64
  private let certificates: CertificateDirectory?
  /// What the thread of all connections has done; nil if each has its own thread.
  private let progress: SessionSocket.Progress?
  private let state = Mutex(State())

  init(_ limits: Limits, _ threading: Daemon.Threading, certificates: CertificateDirectory?) {
    progress = threading == .single ? SessionSocket.Progress() : nil
    limit = limits.connections
    clientLimit = max(1, limit * limits.clientPercent / 100)
    spareLimit = limit / 16 + 8
    headerMilliseconds = Int64(limits.headerSeconds) * 1000
    self.certificates = certificates
  }

  /// The number that the daemon must accept. Connections that are cut take a moment to end, and
  /// libmicrohttpd resets those beyond its limit.
  var acceptLimit: Int { limit + max(256, 2 * spareLimit) }

  /// Lets these clients have any number of connections from now on.
  func exempt(_ clients: [AddressRange]) { state.withLock { $0.exempt = clients } }

  /// Milliseconds of a clock that takes next to no time to read.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  var count: Int { state.withLock(\.open.count) }

  /// Call this before passing the daemon a connection that it has not accepted itself.
  func expect() {
    state.withLock { state in
      state.expected += 1
      state.expectedSince = Self.now
    }
  }

  /// Call this if the daemon refused the connection.
  func expectNoMore() { state.withLock { $0.expected = max(0, $0.expected - 1) } }

  /// Whether connections began recently, or are about to begin, and have sent no request yet. Their
  /// clients probably will.
  func haveNewcomers(since milliseconds: Int64) -> Bool {
    let begin = Self.now - milliseconds
    return state.withLock { state in
      state.expected > 0 && state.expectedSince > begin
        || state.open.contains { $0.begun > begin && !$0.hasAsked.load(ordering: .relaxed) }
    }
  }

  fileprivate func begin(_ pointer: OpaquePointer) -> OpenConnection {
    let socket = certificates.flatMap { prepareSession(of: pointer, $0, progress) }
    let address = peerAddress(of: pointer)
    return state.withLock { state in
      let isExempt = address.map { address in state.exempt.contains { $0.contains(address) } }
      let connection = OpenConnection(
        aasa_socket(pointer), of: isExempt == false ? address?.client : nil,
        milliseconds: headerMilliseconds, certificates: certificates?.current)
      connection.socket = socket
      connection.isSpare = !makeRoom(for: connection.client, in: &state)
      connection.allow(headerMilliseconds)
      Self.count(connection, by: 1, in: &state)
      connection.index = state.open.count
      state.open.append(connection)
      state.expected = max(0, state.expected - 1)
      return connection
    }
  }

  fileprivate func end(_ connection: OpenConnection) {
    state.withLock { state in
      if !connection.isCut { Self.count(connection, by: -1, in: &state) }
      // The last one takes its place.
      state.open[state.open.count - 1].index = connection.index
      state.open.swapAt(connection.index, state.open.count - 1)
      state.open.removeLast()
    }
  }

  private static func count(
    _ connection: OpenConnection, by number: Int, in state: inout State
  ) {
    if connection.isSpare {
      state.spare += number
      return
    }
    state.ordinary += number
    guard let client = connection.client else { return }
    let count = state.byClient[client, default: 0] + number
    state.byClient[client] = count == 0 ? nil : count
  }

  /// Makes room for a new connection.
  ///
  /// - Returns: Whether it is an ordinary one.
  private func makeRoom(for client: IPAddress?, in state: inout State) -> Bool {
    let isWithinShare =
      client.map { state.byClient[$0, default: 0] < clientLimit } ?? true
      || cutSome(of: clientLimit, in: &state) { !$0.isSpare && $0.client == client }
    if isWithinShare,
      state.ordinary < limit || cutSome(of: limit, in: &state, where: { !$0.isSpare })
    {
      return true
    }
    if state.spare >= spareLimit { _ = cutSome(of: 1, in: &state) { $0.isSpare } }
    return false
  }

  /// Cuts a few of the connections that have waited longest for their clients: a part of a limit,
  /// so that not every new connection looks through all of them.
  ///
  /// - Returns: Whether there was one.
  private func cutSome(
    of limit: Int, in state: inout State, where isChosen: (OpenConnection) -> Bool
  ) -> Bool {
    var waiting: [(isAsking: Int, deadline: Int64, connection: OpenConnection)] = []
    for connection in state.open where !connection.isCut && isChosen(connection) {
      let deadline = connection.deadline.load(ordering: .relaxed)
      // Otherwise its request is being answered.
      guard deadline != .max else { continue }
      waiting.append((connection.isAsking.load(ordering: .relaxed) ? 1 : 0, deadline, connection))
    }
    waiting.sort { ($0.isAsking, $0.deadline) < ($1.isAsking, $1.deadline) }
    for one in waiting.prefix(limit / 64 + 1) { Self.cut(one.connection, in: &state) }
    return !waiting.isEmpty
  }

  /// While the lock is held, the socket cannot be closed and its descriptor reused.
  private static func cut(_ connection: OpenConnection, in state: inout State) {
    shutdown(connection.descriptor, CInt(SHUT_RDWR))
    connection.allow(nil)
    if connection.isCut { return }
    count(connection, by: -1, in: &state)
    connection.isCut = true
  }

  /// Cuts the connections past their deadline, and lets those end whose clients have ended their sending.
  func cutOverdue() {
    state.withLock { state in
      let now = Self.now
      for connection in state.open { noticeEndedSending(connection.descriptor) }
      for connection in state.open where connection.deadline.load(ordering: .relaxed) < now {
        Self.cut(connection, in: &state)
      }
    }
  }

  /// Makes libmicrohttpd report when connections begin and end. The object must outlive the daemon.
  var notification: MHD_OptionItem {
    let notify: MHD_NotifyConnectionCallback = notifyConnection
    // Sound: see `Daemon.init`.
    return option(
      .NOTIFY_CONNECTION, unsafeBitCast(notify, to: Int.self),
      Unmanaged.passUnretained(self).toOpaque())
  }
}

private func notifyConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let state else { return }
  // Sound: the daemon keeps the object while its threads run, and a connection ends once.
  let connections = Unmanaged<OpenConnections>.fromOpaque(context).takeUnretainedValue()
  switch event {
  case .CONNECTION_NOTIFY_STARTED:
    state.pointee = Unmanaged.passRetained(connections.begin(connection)).toOpaque()
  case .CONNECTION_NOTIFY_CLOSED:
    guard let ended = state.pointee else { return }
    state.pointee = nil
    connections.end(Unmanaged<OpenConnection>.fromOpaque(ended).takeRetainedValue())
  }
}

/// Cuts overdue connections at regular intervals until it is released.
final class DeadlineTimer: @unchecked Sendable {
  // Unchecked is sound: a source of Dispatch may be used by any thread, and nothing changes after init.
  private let timer: any DispatchSourceTimer

  init(_ connections: [OpenConnections], every seconds: Double) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "overdue-connections"))
    timer.schedule(
      deadline: .now() + seconds, repeating: seconds,
      leeway: .milliseconds(Int(seconds * 250)))
    timer.setEventHandler { for open in connections { open.cutOverdue() } }
    timer.resume()
  }

  deinit { timer.cancel() }
}

/// Connections that were answered before their whole request had arrived. Closing them with unread
/// bytes would reset them, and a client that is still sending could lose the answer. So they are
/// closed in stages (RFC 9112 section 9.6): libmicrohttpd closes its side, and this drops what the
/// client sends until the client closes its side or a timeout passes.
final class LingeringConnections: Sendable {
  /// The maximum number; further ones are closed immediately.
  private static let limit = 64
  static let milliseconds: Int64 = 2000
  /// How long a connection may wait until it is looked at beside others.
  private static let pollMilliseconds: CInt = 50

  private typealias Connection = (descriptor: CInt, deadline: ContinuousClock.Instant)

  private let connections = Mutex<[Connection]>([])
  private let queue = DispatchQueue(label: "lingering-connections")

  /// Shares the socket of a connection that libmicrohttpd is about to close. Never waits.
  func take(_ connection: OpaquePointer) {
    let descriptor = aasa_socket(connection)
    guard descriptor >= 0 else { return }
    let (isTaken, isFirst) = connections.withLock { connections in
      guard connections.count < Self.limit else { return (false, false) }
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      if own < 0 { return (false, false) }
      connections.append((own, .now + .milliseconds(Self.milliseconds)))
      return (true, connections.count == 1)
    }
    if !isTaken { _ = Self.dropArrivedBytes(of: descriptor) }
    if isFirst { queue.async { self.followAll() } }
  }

  /// Follows the connections until none is left.
  private func followAll() {
    // Not sources of Dispatch: libdispatch traps if a client hangs up in the moment in which one is cancelled.
    var isAnyLeft = true
    while isAnyLeft {
      var polled = connections.withLock(\.self).map {
        pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
      }
      poll(&polled, nfds_t(polled.count), Self.pollMilliseconds)
      let ended = Set(
        polled.filter { $0.revents != 0 && !Self.dropArrivedBytes(of: $0.fd) }.map(\.fd))
      isAnyLeft = connections.withLock { connections in
        connections.removeAll { connection in
          guard ended.contains(connection.descriptor) || connection.deadline <= .now else {
            return false
          }
          close(connection.descriptor)
          return true
        }
        return !connections.isEmpty
      }
    }
  }

  /// Drops a limited amount of received data; false at the end of the connection.
  private static func dropArrivedBytes(of descriptor: CInt) -> Bool {
    // With MSG_TRUNC the kernel drops the bytes of a TCP socket instead of copying them.
    let flags = CInt(MSG_DONTWAIT) | CInt(MSG_TRUNC)
    for _ in 0..<64 {
      let count = recv(descriptor, nil, 65_536, flags)
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
    }
    return true
  }
}
