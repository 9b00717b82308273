import Glibc

/// A listening socket that the test passes on, as systemd does for a service. It is closed with
/// this value.
package final class ListeningDescriptor: Sendable {
  /// The descriptor in the test's process.
  package let descriptor: Int32
  /// Its port on 127.0.0.1.
  package let port: UInt16

  /// Listens on a free port.
  package init() throws(RawConnection.Failure) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    // Sound: an address of IPv4 begins with the members of `sockaddr`.
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 1024) == 0
          && getsockname(descriptor, $0, &length) == 0 ? 0 : errno
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard code == 0 else { throw .system(call: "listen", code: code) }
  }

  deinit { close(descriptor) }

  /// Whether anybody has connected.
  package var hasConnection: Bool {
    var status = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&status, 1, 0) > 0
  }
}
