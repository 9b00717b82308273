import CMicroHTTPD
import Glibc

/// A bound socket that listens; closed when it goes out of use.
final class ListeningSocket: Sendable {
  let descriptor: CInt
  /// The port that it is bound to.
  let port: UInt16
  /// Whether another process has the socket as well and goes on taking connections from it.
  private let isInherited: Bool

  /// Takes part in a socket that another process made: a copy of its descriptor.
  init(_ inherited: InheritedSocket) throws(ListenerError) {
    descriptor = fcntl(inherited.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw ListenerError(call: "dup", errno, inherited.address) }
    port = inherited.address.port
    isInherited = true
  }

  /// Binds and listens.
  ///
  /// - Parameter shared: whether further sockets of this process are to share the port, among which
  ///   the kernel then spreads the connections (`SO_REUSEPORT`).
  init(on address: SocketAddress, shared: Bool) throws(ListenerError) {
    let resolved = try ResolvedAddress(address)
    let descriptor = socket(
      resolved.family,
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw ListenerError(call: "socket", errno, address) }
    do throws(ListenerError) {
      try Self.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1, address)
      if shared { try Self.setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1, address) }
      if resolved.family == AF_INET6 {
        try Self.setOption(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 0, address)
      }
      guard resolved.withSocketAddress({ bind(descriptor, $0, $1) }) == 0 else {
        throw ListenerError(call: "bind", errno, address)
      }
      guard listen(descriptor, CInt(Self.backlog)) == 0 else {
        throw ListenerError(call: "listen", errno, address)
      }
      guard let bound = SocketAddress(boundBy: descriptor) else {
        throw ListenerError(call: "getsockname", errno, address)
      }
      port = bound.port
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    isInherited = false
  }

  /// The inherited socket if there is one, else one of its own.
  convenience init(
    on address: SocketAddress, or inherited: InheritedSocket?, shared: Bool
  ) throws(ListenerError) {
    if let inherited {
      try self.init(inherited)
    } else {
      try self.init(on: address, shared: shared)
    }
  }

  /// Keeps a connection from waking the daemon before its first bytes have come, or a second has passed;
  /// or not any more. Where clients ask once a connection, which devices do, it saves a fifth of the work.
  /// Where it is not possible, nothing is lost but that.
  func deferConnections(_ isDeferred: Bool) {
    var seconds: CInt = isDeferred ? 1 : 0
    _ = setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds,
      socklen_t(MemoryLayout<CInt>.size))
  }

  deinit { close(descriptor) }

  /// Refuses connections from now on, and keeps the descriptor. Those that come to an inherited
  /// socket wait for the next process that takes them.
  ///
  /// - Parameter adopt: Takes one that is established and waits, since it would be reset; false when
  ///   there is none.
  func refuse(adopt: (CInt) -> Bool) {
    // It stays deferred, too: the next process makes it so anyhow.
    if isInherited { return }
    // Where that is not possible, a connection that is made in the last moment is reset.
    _ = aasa_ignore_beginnings(descriptor)
    deferConnections(false)
    let deadline = ContinuousClock.now + Self.handshakeTime
    repeat {
      var count = 0
      while count < Self.backlog && adopt(descriptor) { count += 1 }
      usleep(1_000)
    } while ContinuousClock.now < deadline
    shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// How long connections that have begun may take to be established: to a client, they are when this
  /// machine has answered, though its last word is still on the way.
  private static let handshakeTime = Duration.milliseconds(10)

  /// How many established connections may wait.
  private static let backlog = 1024

  private static func setOption(
    _ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt, _ address: SocketAddress
  ) throws(ListenerError) {
    var value = value
    guard setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    else { throw ListenerError(call: "setsockopt", errno, address) }
  }
}

/// The first address that a host and port stand for.
struct ResolvedAddress {
  private let storage: sockaddr_storage
  private let length: socklen_t
  let family: CInt

  init(_ address: SocketAddress) throws(ListenerError) {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, String(address.port), &hints, &list)
    guard code == 0, let list, let first = list.pointee.ai_addr else {
      let message = String(cString: gai_strerror(code))
      throw ListenerError(reason: .unknownHost(message), address: address)
    }
    defer { freeaddrinfo(list) }
    var storage = sockaddr_storage()
    let length = list.pointee.ai_addrlen
    self.length = length
    family = list.pointee.ai_family
    // Sound: the length is that of the address that the library allocated, and no address is longer
    // than the storage for all of them.
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: first, count: Int(length)))
    }
    self.storage = storage
  }

  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    // Sound: every kind of socket address begins with the members of `sockaddr`.
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}

extension ListenerError {
  init(call: String, _ code: CInt, _ address: SocketAddress) {
    let reason: Reason =
      switch code {
      case EADDRINUSE: .addressInUse
      case EACCES, EPERM: .permissionDenied
      case EADDRNOTAVAIL, EAFNOSUPPORT: .addressNotAvailable
      case EMFILE, ENFILE: .tooManyOpenFiles
      default: .system(call: call, message: String(cString: strerror(code)))
      }
    self.init(reason: reason, address: address)
  }
}
