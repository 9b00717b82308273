import CMicroHTTPD
import Certificates
import Glibc
import Synchronization

/// What is kept of an open connection, in memory that libmicrohttpd hands back with each call for it.
struct ConnectionSlot: ~Copyable {
  /// The socket; -1 while there is none. Used under the lock of `OpenConnections` only.
  fileprivate var descriptor: CInt = -1
  /// When the connection is cut, in milliseconds of `OpenConnections.now`.
  fileprivate let deadline = Atomic<Int64>(.max)
  /// When the connection began, in the same milliseconds. Used under the lock only.
  fileprivate var begun: Int64 = 0
  /// Whether a request has arrived.
  fileprivate let hasAsked = Atomic(false)
  fileprivate var nextFree: UnsafeMutablePointer<ConnectionSlot>?
  /// The certificates that were in use when the connection began. A handshake may look at them at any
  /// time until its end.
  var certificates: Unmanaged<CertificateSet>?

  /// The slot of a connection; nil if there was none left for it.
  static func of(_ connection: OpaquePointer) -> UnsafeMutablePointer<ConnectionSlot>? {
    // Sound: `OpenConnections` sets it to the address of a slot, or to nil.
    aasa_socket_context(connection)?.assumingMemoryBound(to: ConnectionSlot.self)
  }
}

/// The open connections of a daemon, each with the time at which it is cut. libmicrohttpd closes those
/// that send nothing; who sends a byte now and then would stay for ever.
final class OpenConnections: @unchecked Sendable {
  // Unchecked is sound: the slots are made in init and given up in deinit, after the daemon's end; what
  // changes in them is atomic, under the lock, or used between begin and end of one connection only.

  // Unchecked is sound: it is only used under the lock.
  private struct Free: @unchecked Sendable {
    var first: UnsafeMutablePointer<ConnectionSlot>?
    /// How many slots have ever been used.
    var used = 0
    var open = 0
    /// How many connections the daemon was given that it has not begun yet, and since when.
    var expected = 0
    var expectedSince: Int64 = 0
  }

  private let slots: UnsafeMutablePointer<ConnectionSlot>
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

  /// A clock that costs next to nothing to read, in milliseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Gives a connection time from now on until it is cut; nil for as long as it takes.
  static func allow(_ milliseconds: Int64?, to connection: OpaquePointer) {
    let deadline = milliseconds.map { now + $0 } ?? .max
    ConnectionSlot.of(connection)?.pointee.deadline.store(deadline, ordering: .relaxed)
  }

  /// As `allow`, for a request whose head has arrived.
  static func allowAnswer(_ milliseconds: Int64, to connection: OpaquePointer) {
    guard let slot = ConnectionSlot.of(connection) else { return }
    slot.pointee.hasAsked.store(true, ordering: .relaxed)
    slot.pointee.deadline.store(now + milliseconds, ordering: .relaxed)
  }

  /// How many are open.
  var count: Int { free.withLock(\.open) }

  /// To be called before the daemon gets a connection that it has not accepted itself.
  func expect() {
    free.withLock { free in
      free.expected += 1
      free.expectedSince = Self.now
    }
  }

  /// To be called when it did not get it.
  func expectNoMore() { free.withLock { $0.expected = max(0, $0.expected - 1) } }

  /// Whether connections have begun within a time, or are about to, of which no request has arrived:
  /// their clients are about to ask.
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

  fileprivate func begin(_ descriptor: CInt) -> UnsafeMutablePointer<ConnectionSlot>? {
    let slot = free.withLock { free -> UnsafeMutablePointer<ConnectionSlot>? in
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

  private func take(_ free: inout Free) -> UnsafeMutablePointer<ConnectionSlot>? {
    if let slot = free.first {
      free.first = slot.pointee.nextFree
      return slot
    }
    if free.used == capacity { return nil }
    let slot = slots + free.used
    slot.initialize(to: ConnectionSlot())
    free.used += 1
    return slot
  }

  fileprivate func end(_ slot: UnsafeMutablePointer<ConnectionSlot>) {
    slot.pointee.certificates?.release()
    slot.pointee.certificates = nil
    free.withLock { free in
      slot.pointee.descriptor = -1
      slot.pointee.nextFree = free.first
      free.first = slot
      free.open -= 1
    }
  }

  /// Cuts the connections whose time is over. When more than three quarters of all that are allowed
  /// are open, a connection gets a tenth of the time for its next request.
  func cutOverdue() {
    // The lock keeps a socket from being closed, and its number given to another one, meanwhile.
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

  /// Makes libmicrohttpd tell when connections begin and end. The object has to live as long as the
  /// daemon.
  var notification: MHD_OptionItem {
    let notify: MHD_NotifyConnectionCallback = notifyConnection
    // Sound: see `Daemon.Callbacks.targetAddress`.
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
    connections.end(ended.assumingMemoryBound(to: ConnectionSlot.self))
  }
}
