import CMicroHTTPD
import Glibc

/// A socket that listens; closed when it is released.
final class ListeningSocket: Sendable {
  let descriptor: CInt
  let port: UInt16
  /// Whether another process shares the socket and continues to accept connections from it.
  private let isInherited: Bool

  /// Shares another process's socket through a copy of its descriptor.
  init(_ inherited: InheritedSocket) throws(ListenerError) {
    descriptor = fcntl(inherited.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw ListenerError(call: "dup", errno, inherited.address) }
    port = inherited.address.port
    isInherited = true
  }

  /// Binds and listens.
  ///
  /// - Parameter shared: Whether further sockets of this process share the port, so that the kernel
  ///   spreads connections among them (`SO_REUSEPORT`).
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

  /// Shares the inherited socket, or binds a new one.
  convenience init(
    on address: SocketAddress, or inherited: InheritedSocket?, shared: Bool
  ) throws(ListenerError) {
    if let inherited {
      try self.init(inherited)
    } else {
      try self.init(on: address, shared: shared)
    }
  }

  /// Whether a new connection wakes the daemon only when its first bytes have arrived, or after a
  /// second (`TCP_DEFER_ACCEPT`). Devices send one request per connection, and deferring saves a
  /// fifth of the processor time per connection. A kernel without this option is only slower.
  func deferConnections(_ isDeferred: Bool) {
    var seconds: CInt = isDeferred ? 1 : 0
    _ = setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds,
      socklen_t(MemoryLayout<CInt>.size))
  }

  deinit { close(descriptor) }

  /// Refuses new connections and keeps the descriptor. Connections to an inherited socket wait for the
  /// next process that accepts them.
  ///
  /// - Parameter adopt: Accepts a waiting established connection, which would otherwise be reset;
  ///   false if there is none.
  func refuse(adopt: (CInt) -> Bool) {
    // It also stays deferred, as the next process expects.
    if isInherited { return }
    // Without this filter, a connection made at the last moment is reset.
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

  /// How long half-open connections may take to become established. A client considers a connection
  /// established when this machine has answered, although the client's last packet is still on its
  /// way.
  private static let handshakeTime = Duration.milliseconds(10)

  /// The maximum number of established connections that wait.
  private static let backlog = 1024

  private static func setOption(
    _ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt, _ address: SocketAddress
  ) throws(ListenerError) {
    var value = value
    guard setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    else { throw ListenerError(call: "setsockopt", errno, address) }
  }
}

/// A listening socket created by another process, such as systemd (systemd.socket(5)). That process
/// keeps it open, so connections wait in it while no server runs.
package struct InheritedSocket: Sendable {
  let descriptor: CInt
  package let address: SocketAddress

  /// Why a descriptor cannot be used.
  package struct Unusable: Error, CustomStringConvertible {
    /// What is wrong and what to do, for people.
    package let description: String
  }

  /// Takes over a descriptor for the life of the process.
  ///
  /// - Throws: `Unusable` if it is not a listening TCP socket.
  package init(descriptor: CInt) throws(Unusable) {
    guard Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
      [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor)),
      Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
      let address = SocketAddress(boundBy: descriptor)
    else {
      throw Unusable(
        description:
          "The inherited descriptor \(descriptor) is not a listening TCP socket. Set ListenStream= to a "
          + "port in the systemd socket unit.")
    }
    // A daemon must not block if another one has accepted the connection that woke both.
    let flags = fcntl(descriptor, F_GETFL)
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
    else {
      let message = String(cString: strerror(errno))
      throw Unusable(description: "Cannot use the inherited descriptor \(descriptor): \(message).")
    }
    self.descriptor = descriptor
    self.address = address
  }

  private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
