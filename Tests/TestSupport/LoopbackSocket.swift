import Glibc

/// Connects to a port of 127.0.0.1. The caller closes the socket.
///
/// - Parameter client: The last number of the own address: 1 for 127.0.0.1. Others are other clients.
package func connectedSocket(
  to port: UInt16, client: UInt8 = 1
) throws(RawConnection.Failure) -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var own = sockaddr_in()
  own.sin_family = sa_family_t(AF_INET)
  own.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(client)).bigEndian
  // The port is chosen when connecting, so that addresses share the ports.
  var yes: CInt = 1
  setsockopt(
    descriptor, CInt(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &yes,
    socklen_t(MemoryLayout<CInt>.size))
  if call(bind, descriptor, own) == 0, call(connect, descriptor, address) == 0 {
    return descriptor
  }
  let reason = errno
  close(descriptor)
  throw .system(call: "connect", code: reason)
}

private func call(
  _ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, _ descriptor: CInt,
  _ address: sockaddr_in
) -> CInt {
  // Sound: an address of IPv4 begins with the members of `sockaddr`.
  withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
