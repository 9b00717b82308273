import CSystemd
import Glibc
import HTTP
import Service

/// systemd, if it has started this process: it hands sockets over and is told how the service is
/// (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)). Without it nothing of this does anything.
struct ServiceManager {
  /// How long the service may be silent; nil if nobody watches it.
  let watchdog: Duration?

  /// A socket that cannot be used, as a sentence.
  struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  init() {
    var microseconds: UInt64 = 0
    let isWatched = aasa_watchdog(&microseconds) > 0
    watchdog = isWatched ? .microseconds(Int64(clamping: microseconds)) : nil
  }

  /// The sockets that were handed over to this process; `LISTEN_PID` says to which. To be called once.
  ///
  /// - Throws: `Unusable`, `InheritedSocket.Unusable`.
  func sockets() throws -> Service.InheritedSockets {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = aasa_inherited_sockets(&names)
    guard count >= 0 else {
      let reason = String(cString: strerror(-count))
      throw Unusable(description: "The sockets of systemd cannot be taken over: \(reason).")
    }
    // Sound: the library has allocated a list with this many names, which are ours to free.
    defer {
      for index in 0..<Int(count) { free(names?[index]) }
      free(names)
    }
    var sockets = Service.InheritedSockets()
    for index in 0..<Int(count) {
      let name = names?[index].map { String(cString: $0) } ?? ""
      let socket = try InheritedSocket(descriptor: aasa_first_inherited_socket() + CInt(index))
      try Self.put(socket, named: name, into: &sockets)
    }
    return sockets
  }

  private static func put(
    _ socket: InheritedSocket, named name: String, into sockets: inout Service.InheritedSockets
  ) throws(Unusable) {
    let path: WritableKeyPath<Service.InheritedSockets, InheritedSocket?>
    switch name {
    case "public": path = \.publicSocket
    case "admin": path = \.adminSocket
    default:
      throw Unusable(
        description:
          "systemd hands over a socket at \(socket.address) that is called “\(name)”. Its unit"
          + " must say FileDescriptorName=public or FileDescriptorName=admin.")
    }
    guard sockets[keyPath: path] == nil else {
      throw Unusable(
        description:
          "systemd hands over two sockets that are called “\(name)”. One is enough: [::]:80"
          + " takes IPv4 as well, with BindIPv6Only=both.")
    }
    sockets[keyPath: path] = socket
  }

  /// Says something, in the words of sd_notify(3). If nobody listens or it fails, systemd sees that by
  /// itself.
  func notify(_ state: String) { _ = aasa_notify(state) }

  /// Says that the configuration is being read again, which `READY=1` ends.
  func notifyReloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
  }
}
