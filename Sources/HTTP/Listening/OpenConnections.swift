import CMicroHTTPD
import Certificates
import Dispatch
import Glibc
import Synchronization

/// The state of an open connection and of its current request, in memory that libmicrohttpd hands back at each
/// call.
struct OpenConnection: ~Copyable {
  /// The socket; -1 while there is none. Used under the lock of `OpenConnections` only.
  fileprivate var descriptor: CInt = -1
  /// When the connection is cut, in milliseconds of `OpenConnections.now`.
  fileprivate let deadline = Atomic<Int64>(.max)
  /// When the connection began, in the same milliseconds. Used under the lock only.
  fileprivate var begun: Int64 = 0
  /// Whether a request has arrived.
  fileprivate let hasAsked = Atomic(false)
  fileprivate var nextFree: UnsafeMutablePointer<OpenConnection>?
  /// The certificates that were in use when the connection began. A handshake may look at them at any time
  /// until the connection ends.
  fileprivate(set) var certificates: Unmanaged<CertificateSet>?

  // Of the current request. Used by the thread that serves the connection only.
  var stage = RequestStage.none
  /// The bytes of its target up to a NUL.
  var targetBytes = 0
  /// What has come of it, for handlers that may block. Retained.
  var incoming: Unmanaged<IncomingRequest>?

  /// The state of a connection; nil if there was no room for it.
  static func of(_ connection: OpaquePointer) -> UnsafeMutablePointer<OpenConnection>? {
    // Sound: `notifyConnection` sets it to the address of a state, or to nil.
    aasa_socket_context(connection)?.assumingMemoryBound(to: OpenConnection.self)
  }

  /// Cuts the connection after a time from now; never for nil.
  borrowing func allow(_ milliseconds: Int64?) {
    deadline.store(milliseconds.map { OpenConnections.now + $0 } ?? .max, ordering: .relaxed)
  }

  /// As `allow`, for a request whose header has arrived.
  borrowing func allowAnswer(_ milliseconds: Int64) {
    hasAsked.store(true, ordering: .relaxed)
    allow(milliseconds)
  }
}

/// The open connections of a daemon, each with the time at which it is cut.
final class OpenConnections: @unchecked Sendable {
  // Unchecked is sound: the slots are made in init and released in deinit, after the daemon's end. What changes
  // in them is atomic, under the lock, or used by the one thread that serves the connection.

  // Unchecked is sound: it is only used under the lock.
  private struct Free: @unchecked Sendable {
    var first: UnsafeMutablePointer<OpenConnection>?
    /// How many slots have ever been used.
    var used = 0
    var open = 0
    /// How many connections the daemon was given and has not begun yet, and since when.
    var expected = 0
    var expectedSince: Int64 = 0
  }

  private let slots: UnsafeMutablePointer<OpenConnection>
  private let capacity: Int
  private let headerMilliseconds: Int64
  private let certificates: CertificateDirectory?
  private let free = Mutex(Free())

  init(_ limits: Limits, certificates: CertificateDirectory?) {
    capacity = limits.connections
    headerMilliseconds = Int64(limits.headerSeconds) * 1000
    self.certificates = certificates
    slots = .allocate(capacity: capacity)
  }

  deinit {
    slots.deinitialize(count: free.withLock { $0.used })
    slots.deallocate()
  }

  /// Milliseconds of a clock that takes next to no time to read.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// How many are open.
  var count: Int { free.withLock(\.open) }

  /// To be called before the daemon is given a connection that it has not accepted itself.
  func expect() {
    free.withLock { free in
      free.expected += 1
      free.expectedSince = Self.now
    }
  }

  /// To be called if it did not take the connection.
  func expectNoMore() { free.withLock { $0.expected = max(0, $0.expected - 1) } }

  /// Whether connections have begun within a time, or are about to, and sent no request yet: their clients are
  /// about to.
  func haveNewcomers(since milliseconds: Int64) -> Bool {
    let begin = Self.now - milliseconds
    return free.withLock { free in
      if free.expected > 0 && free.expectedSince > begin { return true }
      return (0..<free.used).contains { index in
        let slot = slots + index
        return slot.pointee.descriptor >= 0 && slot.pointee.begun > begin
          && !slot.pointee.hasAsked.load(ordering: .relaxed)
      }
    }
  }

  fileprivate func begin(_ descriptor: CInt) -> UnsafeMutablePointer<OpenConnection>? {
    let slot = free.withLock { free -> UnsafeMutablePointer<OpenConnection>? in
      guard let slot = take(&free) else { return nil }
      free.open += 1
      free.expected = max(0, free.expected - 1)
      slot.pointee.descriptor = descriptor
      slot.pointee.begun = Self.now
      slot.pointee.hasAsked.store(false, ordering: .relaxed)
      slot.pointee.deadline.store(Self.now + headerMilliseconds, ordering: .relaxed)
      return slot
    }
    slot?.pointee.certificates = certificates.map { .passRetained($0.current) }
    return slot
  }

  private func take(_ free: inout Free) -> UnsafeMutablePointer<OpenConnection>? {
    if let slot = free.first {
      free.first = slot.pointee.nextFree
      return slot
    }
    if free.used == capacity { return nil }
    let slot = slots + free.used
    slot.initialize(to: OpenConnection())
    free.used += 1
    return slot
  }

  fileprivate func end(_ slot: UnsafeMutablePointer<OpenConnection>) {
    slot.pointee.certificates?.release()
    slot.pointee.certificates = nil
    free.withLock { free in
      slot.pointee.descriptor = -1
      slot.pointee.nextFree = free.first
      free.first = slot
      free.open -= 1
    }
  }

  /// Cuts the connections whose time is over. When more than three quarters of the allowed connections are open,
  /// a client has a tenth of the time for its next request.
  func cutOverdue() {
    // Under the lock no socket can be closed and its number given to another one.
    free.withLock { free in
      let isCrowded = free.open > capacity / 4 * 3
      let limit = Self.now + (isCrowded ? headerMilliseconds / 10 * 9 : 0)
      for index in 0..<free.used {
        let slot = slots + index
        guard slot.pointee.descriptor >= 0,
          slot.pointee.deadline.load(ordering: .relaxed) < limit
        else { continue }
        shutdown(slot.pointee.descriptor, CInt(SHUT_RDWR))
        slot.pointee.deadline.store(.max, ordering: .relaxed)
      }
    }
  }

  /// Makes libmicrohttpd report when connections begin and end. The object has to live as long as the daemon.
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
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let slot else { return }
  // Sound: the daemon keeps the object while its threads run, and a connection ends once.
  let connections = Unmanaged<OpenConnections>.fromOpaque(context).takeUnretainedValue()
  switch event {
  case .CONNECTION_NOTIFY_STARTED:
    slot.pointee = connections.begin(aasa_socket(connection)).map { UnsafeMutableRawPointer($0) }
  case .CONNECTION_NOTIFY_CLOSED:
    guard let ended = slot.pointee else { return }
    slot.pointee = nil
    connections.end(ended.assumingMemoryBound(to: OpenConnection.self))
  }
}

/// Cuts overdue connections at regular times until it is released.
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

/// Connections that were answered before all of their request had come. Closing them with unread bytes would reset
/// them, and the client, which still sends, could lose the answer. So they are closed in stages (RFC 9112 section
/// 9.6): libmicrohttpd closes its side, and what the client sends is dropped here until the client has closed its
/// side, or the time is over.
final class LingeringConnections: Sendable {
  /// How many there may be; others are closed at once.
  private static let limit = 64
  static let milliseconds: Int64 = 2000

  private let count = Atomic(0)
  private let queue = DispatchQueue(label: "lingering-connections")

  /// Shares the socket of a connection that libmicrohttpd is about to close. Never waits.
  func take(_ connection: OpaquePointer) {
    let descriptor = aasa_socket(connection)
    guard descriptor >= 0 else { return }
    if count.add(1, ordering: .relaxed).newValue <= Self.limit {
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      if own >= 0 { return linger(own) }
    }
    count.subtract(1, ordering: .relaxed)
    _ = Self.dropArrivedBytes(of: descriptor)
  }

  private func linger(_ descriptor: CInt) {
    // Sound: a source of Dispatch may be used by any thread.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: queue)
    // Both hold each other until the source is cancelled, at the latest when the time is over.
    source.setEventHandler {
      if !Self.dropArrivedBytes(of: descriptor) { source.cancel() }
    }
    source.setCancelHandler { [self] in
      close(descriptor)
      count.subtract(1, ordering: .relaxed)
    }
    source.resume()
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(Self.milliseconds))) { source.cancel() }
  }

  /// Drops what has arrived, unless there is no end of it; false at the end of the connection.
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
