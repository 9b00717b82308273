import Association
import CSystemd
import Glibc
import HTTP
import Service

/// systemd's side of the process: inherited sockets, readiness and the watchdog (sd_listen_fds(3),
/// sd_notify(3), sd_watchdog_enabled(3)). Does nothing unless started by systemd.
struct Systemd {
  /// How often systemd expects to hear from the process; nil without a watchdog.
  let watchdog: Duration?

  init() {
    var microseconds: UInt64 = 0
    let isWatched = aasa_watchdog(&microseconds) > 0
    watchdog = isWatched ? .microseconds(Int64(clamping: microseconds)) : nil
  }

  /// The inherited sockets, if `LISTEN_PID` is this process. Call this only once.
  ///
  /// - Throws: `Failure`, `InheritedSocket.Unusable`.
  func sockets() throws -> Service.InheritedSockets {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = aasa_inherited_sockets(&names)
    guard count >= 0 else {
      throw Failure("Cannot take over the sockets of systemd", code: -count)
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
  ) throws(Failure) {
    let path: WritableKeyPath<Service.InheritedSockets, InheritedSocket?>
    switch name {
    case "public": path = \.publicSocket
    case "admin": path = \.adminSocket
    default:
      throw Failure(
        "systemd passed a socket at \(socket.address) with the unknown name \(name.quoted). "
          + "Set FileDescriptorName=public or FileDescriptorName=admin in its unit.")
    }
    guard sockets[keyPath: path] == nil else {
      throw Failure(
        "systemd passed two sockets named \(name.quoted). Keep one: with BindIPv6Only=both, "
          + "[::]:80 accepts IPv4 as well.")
    }
    sockets[keyPath: path] = socket
  }

  /// Sends a notification in the format of sd_notify(3). Errors are ignored: systemd notices
  /// silence.
  func notify(_ state: String) { _ = aasa_notify(state) }

  /// Reports that the configuration is being reloaded, until `READY=1`.
  func notifyReloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
  }
}
