import Glibc

/// A port for a program that cannot look for a free one by itself.
enum FreePort {
  /// A port that nobody listens on now. It is below those that the system gives out, so that it is
  /// lost only to a program that looks as this does.
  static func find() -> UInt16 {
    while true {
      let port = UInt16.random(in: 20_000..<32_000)
      if isFree(port) { return port }
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Sound: an address of IPv4 begins with the members of `sockaddr`.
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
