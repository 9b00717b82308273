import Glibc

/// The socket to which a systemd service sends its notifications (sd_notify(3)). Removed with its
/// directory.
package final class NotifySocket: Sendable {
  /// The value for `NOTIFY_SOCKET`.
  package let path: String
  private let descriptor: Int32

  /// Creates the socket. The path must be short.
  package init(path: String) throws(RawConnection.Failure) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let code = withAddress { bind(descriptor, $0, $1) }
    guard code == 0 else { throw .system(call: "bind", code: errno) }
  }

  private func withAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    // Sound: a local address begins with the members of `sockaddr`.
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  deinit { close(descriptor) }

  /// Sends notifications to it until it takes no more, so that the next sender waits.
  package func fill() {
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(sender) }
    withAddress { _ = connect(sender, $0, $1) }
    while send(sender, "X", 1, Int32(MSG_DONTWAIT)) == 1 {}
  }

  /// The next notification; `nil` if none arrives in time.
  package func next(within seconds: Double = 30) -> String? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, Int32(seconds * 1000)) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}
